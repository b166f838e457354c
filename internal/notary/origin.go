package notary

import (
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"lukasa.dev/internal/merkle"
)

// host begins every origin. It separates our names from those of other logs.
const host = "lukasa.dev/"

// maxDirectory is the longest directory id in bytes.
const maxDirectory = 128

// OriginOf returns the name of a tenant's log, which is also the name of its
// key: lukasa.dev/<directory id>/<tenant>, the tenant percent-escaped except
// for letters, digits and "-._~". Two tenants never share one.
func OriginOf(directory, tenant string) string {
	const hexDigits = "0123456789ABCDEF"
	b := make([]byte, 0, len(host)+len(directory)+1+len(tenant))
	b = append(append(append(b, host...), directory...), '/')
	for i := range len(tenant) {
		if c := tenant[i]; unreserved(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return string(b)
}

// ParseOrigin is the reverse of OriginOf, and refuses any other text.
func ParseOrigin(origin string) (directory, tenant string, err error) {
	rest, ok := strings.CutPrefix(origin, host)
	directory, escaped, cut := strings.Cut(rest, "/")
	if !ok || !cut || !validDirectory(directory) {
		return "", "", fmt.Errorf("the origin %q does not read lukasa.dev/<directory id>/<tenant>", clip(origin))
	}
	var b []byte
	for i := 0; i < len(escaped); i++ {
		c := escaped[i]
		if c == '%' && i+2 < len(escaped) {
			c = nibble(escaped[i+1])<<4 | nibble(escaped[i+2])
			i += 2
		}
		b = append(b, c)
	}
	if tenant = string(b); OriginOf(directory, tenant) != origin {
		return "", "", fmt.Errorf("the tenant in the origin %q is not escaped as it should be", clip(origin))
	}
	return directory, tenant, nil
}

// verifierFor returns the verifier of a log. vkey is the key of the log, or of
// the whole directory, from which that of the log is derived.
func verifierFor(vkey, origin string) (note.Verifier, error) {
	v, err := merkle.NewVerifier(vkey)
	if err != nil {
		return nil, err
	}
	if v.Name() == origin {
		return v, nil
	}
	if directory, ok := strings.CutPrefix(v.Name(), host); ok && validDirectory(directory) && strings.HasPrefix(origin, v.Name()+"/") {
		own, err := renamed(vkey, origin)
		if err != nil {
			return nil, err
		}
		return merkle.NewVerifier(own)
	}
	return nil, fmt.Errorf("the key is that of %q, not of %q", clip(v.Name()), clip(origin))
}

// unreserved reports whether c is not escaped in an origin.
func unreserved(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return true
	}
	return c == '-' || c == '.' || c == '_' || c == '~'
}

// validDirectory reports whether id can name a directory in an origin.
func validDirectory(id string) bool {
	for i := range len(id) {
		if !unreserved(id[i]) {
			return false
		}
	}
	return id != "" && len(id) <= maxDirectory
}

// nibble returns the value of a hex digit; anything else gives a value that the
// comparison in ParseOrigin catches.
func nibble(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 0
}

// clip cuts hostile input in messages.
func clip(s string) string {
	if len(s) <= 160 {
		return s
	}
	return strings.ToValidUTF8(s[:160], "") + "…"
}
