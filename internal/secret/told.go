package secret

import "strings"

// Limits of a sentence that states a password.
const (
	toldWords  = 10
	toldLength = 120
)

// Words of such a sentence: the subject of a password, what announces it, and what may precede
// it.
var (
	toldOf   = [...]string{"for", "of", "on", "to", "at", "in", "we", "i"}
	toldIs   = [...]string{"is", "was", "be", "to", "remains", "equals"}
	toldThen = [...]string{"now", "still", "currently", "just", "set", "changed", "reset", "to", "be", "simply", "probably", "will", "should", "has", "been", "again"}
)

// told finds a password that a sentence states: the password is hunter2, the password for the
// build is now hunter2, set the password to hunter2.
func told(l *look, s string, at, end int) (int, int, bool) {
	if !begins(s, at) || end >= len(s) || wordly.has(s[end]) {
		return 0, 0, false
	}
	i, gap, ready := skip(s, end, "\"'`*"), false, false
	limit := min(len(s), end+toldLength)
	for n := range toldWords {
		begin := skip(s, i, " \t")
		if begin == i || begin >= limit {
			return 0, 0, false
		}
		if ready {
			if from, to, ok := toldAt(l, s, begin); ok {
				return from, to, true
			}
		}
		i = (wordly | dash).upTo(s, begin, longestName+1)
		word := s[begin:i]
		switch {
		case word == "" || i-begin > longestName:
			return 0, 0, false
		case oneOf(word, toldIs[:]):
			gap, ready = gap || oneOf(word, toldOf[:]), true
			i = skip(s, i, ":")
		case oneOf(word, toldThen[:]):
		case n == 0 && oneOf(word, toldOf[:]):
			gap = true
		case !gap:
			return 0, 0, false
		default:
			ready = false
		}
	}
	return 0, 0, false
}

// oneOf reports whether a word is in a list, ignoring case.
func oneOf(word string, list []string) bool {
	for _, w := range list {
		if len(w) == len(word) && strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}

// toldAt returns the password that begins at a position of a sentence.
func toldAt(l *look, s string, at int) (int, int, bool) {
	from := skip(s, at, "\"'`*\\")
	curly := strings.HasPrefix(s[from:], "“") || strings.HasPrefix(s[from:], "‘")
	if curly {
		from += len("“")
	}
	to, quoted := valueAt(l, s, from, longestPassword)
	for !quoted && to > from && strings.IndexByte("*_", s[to-1]) >= 0 {
		to--
	}
	if curly {
		to = from + len(strings.TrimSuffix(strings.TrimSuffix(s[from:to], "”"), "’"))
	}
	return from, to, isPassword(l, s, from, to) && !named(s[from:to]) && !code(s, from, to)
}

// named reports whether a value in a sentence is rather a name or a measure: a hash method, a
// version, a number with its unit, an assignment, a part of a program.
func named(v string) bool {
	if strings.ContainsAny(v, "=./@:") || !strings.ContainsAny(v, "0123456789!#$%^&*") {
		return true
	}
	n := digit.run(v, 0)
	if n > 0 && (n == len(v) || letters.run(v, n) == len(v) && n < 3 || v[n] == '-' && (letters|dash).run(v, n) == len(v)) {
		return true // 2fa, 12-digit
	}
	plain := strings.ToLower(v)
	for _, method := range methods {
		if strings.HasPrefix(plain, method) {
			return true
		}
	}
	return false
}

// methods are prefixes of names that follow the word password without being one.
var methods = [...]string{"sha", "md5", "argon2", "bcrypt", "scrypt", "pbkdf2", "base64", "base32", "base58", "utf8", "utf-8", "utf16", "utf-16", "oauth", "hmac", "aes", "rsa", "ed25519", "http", "crypt", "ntlm", "1password", "varchar", "char", "step", "issue", "pr-", "pr#"}

// likelyTold suspects a sentence with a word that announces a password.
func likelyTold(s string, _, end int, _ class) bool {
	if end < len(s) && wordly.has(s[end]) {
		return false
	}
	near := s[end:min(len(s), end+2*toldLength)]
	for i := range len(near) {
		if strings.IndexByte("iwbtreIWBTRE", near[i]) < 0 {
			continue
		}
		for _, word := range toldIs {
			if (&literal{text: word, fold: true}).here(near, i) {
				return true
			}
		}
	}
	return false
}
