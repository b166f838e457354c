package admit

import (
	"strings"

	"lukasa.dev/internal/fault"
)

// secretNames are usual names of a credential in a query, in lower case and without separators.
var secretNames = map[string]bool{
	"token": true, "accesstoken": true, "authtoken": true, "bearertoken": true, "scopetoken": true, "bearer": true, "authorization": true,
	"apikey": true, "xapikey": true, "secret": true, "clientsecret": true, "password": true, "lukasatoken": true, "xlukasascope": true,
}

// secretBegins are the prefixes of our credentials.
var secretBegins = [...]string{"lk_", "lukasa_scope_"}

// SecretInQuery refuses a credential in the query, since URLs end up in logs and histories. It
// finds one that is percent-encoded repeatedly, up to a depth, and one in the query of a URL
// that is a value.
func SecretInQuery(query string) error {
	const deepest = 4
	for range deepest {
		if query == "" {
			return nil
		}
		for part := range strings.FieldsFuncSeq(query, func(r rune) bool { return strings.ContainsRune("&;?#", r) }) {
			if name, value, _ := strings.Cut(part, "="); secretName(name) || secretValue(value) || secretValue(name) {
				return fault.New(fault.Unauthenticated, "the query has a credential in it, which is not read there").
					WithFix("send it as `Authorization: Bearer`, and revoke the one that was sent: addresses end up in logs")
			}
		}
		plain := unescape(query)
		if plain == query {
			return nil
		}
		query = plain
	}
	return nil
}

// secretName reports whether a parameter has the name of a credential.
func secretName(name string) bool {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-. +[]", r) {
			return -1
		}
		return r
	}, name)
	return secretNames[strings.ToLower(plain)]
}

// secretValue reports whether a value begins like a credential of ours, with or without a
// scheme before it.
func secretValue(value string) bool {
	value = strings.TrimLeft(value, " +\"'")
	if scheme := "bearer"; len(value) > len(scheme) && strings.EqualFold(value[:len(scheme)], scheme) {
		value = strings.TrimLeft(value[len(scheme):], " +:")
	}
	for _, begin := range secretBegins {
		if len(value) >= len(begin) && strings.EqualFold(value[:len(begin)], begin) {
			return true
		}
	}
	return false
}

// unescape decodes percent-encoding, and leaves malformed escapes unchanged.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			high, ok1 := hexDigit(s[i+1])
			low, ok2 := hexDigit(s[i+2])
			if ok1 && ok2 {
				b = append(b, high<<4|low)
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

// hexDigit returns the value of a hexadecimal digit.
func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
