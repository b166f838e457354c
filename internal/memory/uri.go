package memory

import (
	"fmt"
	"strconv"
	"strings"

	"lukasa.dev/internal/document"
	"lukasa.dev/internal/record"
)

// scheme is the prefix of every URI.
const scheme = "lukasa://"

// URI names a record of a board, at one version or at its current one. Its text is
// lukasa://<tenant>/<kind>/<id>[#version]: bytes other than letters, digits and
// -._~!$&'()*+,;=:@ are written as %XX with upper-case digits, including a slash in a tenant
// but not in an id. So each name has exactly one URI.
type URI struct {
	Tenant  string
	Kind    record.Kind
	ID      string
	Version uint64 // 0 is the current version
}

// maxURI is the longest text of a URI in bytes.
const maxURI = len(scheme) + 3*MaxTenant + 16 + 3*MaxID + 1 + 20

// IsZero reports whether u names nothing.
func (u URI) IsZero() bool { return u == URI{} }

// Head returns u without its version.
func (u URI) Head() URI {
	u.Version = 0
	return u
}

// String returns the text of u.
func (u URI) String() string {
	var room [128]byte
	return string(u.append(room[:0]))
}

func (u URI) append(b []byte) []byte {
	b = append(b, scheme...)
	b = appendEscaped(b, u.Tenant, false)
	b = append(b, '/')
	b = append(b, u.Kind.String()...)
	b = append(b, '/')
	b = appendEscaped(b, u.ID, true)
	if u.Version > 0 {
		b = append(b, '#')
		b = strconv.AppendUint(b, u.Version, 10)
	}
	return b
}

// MarshalText returns the text of u.
func (u URI) MarshalText() ([]byte, error) { return u.append(nil), nil }

// UnmarshalText reads u as [ParseURI] does.
func (u *URI) UnmarshalText(text []byte) error {
	parsed, err := ParseURI(string(text))
	if err == nil {
		*u = parsed
	}
	return err
}

// ParseURI parses a URI, and accepts only what String writes.
func ParseURI(s string) (URI, error) {
	var p document.Problems
	u := parseURI(&p, "uri", s)
	return u, p.Err("name")
}

// parseURI adds what is wrong with s, and returns the URI if nothing is.
func parseURI(p *document.Problems, field, s string) URI {
	const form = "write lukasa://<tenant>/<kind>/<id>, with #<version> for a version"
	rest, ok := strings.CutPrefix(s, scheme)
	if !ok || len(s) > maxURI {
		p.Add(field, "is "+document.Show(s)+", which is not a lukasa:// URI", form)
		return URI{}
	}
	parts := strings.SplitN(rest, "/", 3)
	if len(parts) < 3 {
		p.Add(field, "is "+document.Show(s)+", which has no tenant, kind and id between slashes", form)
		return URI{}
	}
	var u URI
	if u.Kind, ok = record.ParseKind(parts[1]); !ok {
		p.Add(field, "names "+document.Show(parts[1])+", which is not a kind of record", "use one of "+kindNames(record.Kinds()))
		return URI{}
	}
	id, version, versioned := strings.Cut(parts[2], "#")
	if versioned {
		v, err := strconv.ParseUint(version, 10, 64)
		if err != nil || v == 0 || strconv.FormatUint(v, 10) != version {
			p.Add(field, "has the version "+document.Show(version)+", which is not a whole number from 1", "write the version in plain digits, or leave out # and what follows")
			return URI{}
		}
		u.Version = v
	}
	if u.Tenant, ok = unescape(parts[0], false); ok {
		u.ID, ok = unescape(id, true)
	}
	if !ok {
		p.Add(field, "is "+document.Show(s)+", which is not escaped as URIs are", "write every byte but letters, digits and -._~!$&'()*+,;=:@ as %XX in upper case, and only those; / stands for itself in an id")
		return URI{}
	}
	if !p.Trimmed(field+".tenant", u.Tenant, MaxTenant) || !p.Name(field+".id", u.ID, MaxID) {
		return URI{}
	}
	return u
}

// checkURI adds what is wrong with a URI made in Go.
func (f *faults) checkURI(field string, u URI) {
	if u.IsZero() {
		f.Add(field, "is missing", "give the lukasa:// URI of the thing that is meant")
		return
	}
	if !u.Kind.Known() {
		f.Add(field, fmt.Sprintf("names the kind %d, which is not a kind of record", uint8(u.Kind)), "use one of "+kindNames(record.Kinds()))
		return
	}
	f.tenant(field+".tenant", u.Tenant)
	f.Name(field+".id", u.ID, MaxID)
}

func kindNames(kinds []record.Kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.String()
	}
	return strings.Join(names, ", ")
}

// plain reports whether c needs no escape in a URI.
func plain(c byte, slash bool) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return true
	case c == '/':
		return slash
	}
	return strings.IndexByte("-._~!$&'()*+,;=:@", c) >= 0
}

const upperHex = "0123456789ABCDEF"

func appendEscaped(b []byte, s string, slash bool) []byte {
	for i := range len(s) {
		if c := s[i]; plain(c, slash) {
			b = append(b, c)
		} else {
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return b
}

// unescape reverses appendEscaped; ok is false for what that does not write.
func unescape(s string, slash bool) (string, bool) {
	if strings.IndexByte(s, '%') < 0 {
		for i := range len(s) {
			if !plain(s[i], slash) {
				return "", false
			}
		}
		return s, true
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '%' {
			if !plain(c, slash) {
				return "", false
			}
			b = append(b, c)
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		hi, lo := strings.IndexByte(upperHex, s[i+1]), strings.IndexByte(upperHex, s[i+2])
		if hi < 0 || lo < 0 || plain(byte(hi<<4|lo), slash) {
			return "", false
		}
		b = append(b, byte(hi<<4|lo))
		i += 2
	}
	return string(b), true
}
