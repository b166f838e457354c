package secret

import (
	"bytes"
	"strings"
)

// names selects the names of variables that hold a secret.
type names struct {
	ends   []string // suffixes, in lower case, without dashes and underscores
	except []string // substrings they must not contain
	word   string   // a suffix that must be a separate word, and not the only one
}

var passwordNames = names{
	ends: []string{"password", "passwd", "passphrase", "passcode", "pwd", "passwords", "pass"},
	word: "pass",
}

var secretNames = names{
	ends: []string{
		"secret", "secrets", "token", "tokens", "apikey", "apikeys", "accesskey", "accesskeyid", "privatekey", "authkey", "secretkey", "credential",
		"credentials", "signingkey", "encryptionkey", "masterkey", "secretvalue", "tokenvalue", "apikeyvalue", "secretaccesskey",
	},
	except: []string{
		"next", "page", "continu", "cursor", "sync", "design", "cancel", "stop", "eos", "bos", "pad", "special", "mask", "max", "min", "total",
		"prompt", "completion", "input", "output", "budget", "count", "used", "public", "idempot", "etag",
	},
}

// match reports whether a name is selected.
func (n *names) match(name string) bool {
	var room [plainLength]byte
	before, ok := n.before(name, &room)
	if !ok {
		return false
	}
	for _, bad := range n.except {
		if bytes.Contains(before, []byte(bad)) {
			return false
		}
	}
	return true
}

// before returns the part of a plain name before the suffix that selects it.
func (n *names) before(name string, room *[plainLength]byte) ([]byte, bool) {
	plain := plainName(name, room)
	for _, end := range n.ends {
		if endsWith(plain, end) && (end != n.word || lastWord(name, end)) {
			return plain[:len(plain)-len(end)], true
		}
	}
	return nil, false
}

func endsWith(plain []byte, end string) bool {
	at := len(plain) - len(end)
	return at >= 0 && string(plain[at:]) == end
}

// lastWord reports whether a name ends with a word, after others: db_pass, dbPass.
func lastWord(name, word string) bool {
	name = strings.TrimRight(name, "0123456789_-")
	at := len(name) - len(word)
	if at < 1 {
		return false
	}
	return strings.IndexByte("_-", name[at-1]) >= 0 || upperLetter.has(name[at]) && !upperLetter.has(name[at-1]) || at > 1 && strings.EqualFold(name[at-2:at], "db")
}

// plainLength is how much of a name is compared.
const plainLength = 64

// plainName returns a name in lower case, without separators and without a number at its end,
// in the given buffer.
func plainName(name string, b *[plainLength]byte) []byte {
	if len(name) > len(b) {
		name = name[len(name)-len(b):] // the end counts
	}
	n := 0
	for i := range len(name) {
		if c := name[i]; alnum.has(c) {
			b[n] = lower(c)
			n++
		}
	}
	for n > 0 && digit.has(b[n-1]) {
		n--
	}
	return b[:n]
}

// assigned returns the match function of a rule for values of at most longest bytes that are
// assigned to names.
func assigned(to names, longest int, judge func(l *look, s string, from, to int) bool) func(l *look, s string, at, end int) (int, int, bool) {
	return func(l *look, s string, at, end int) (int, int, bool) {
		from, begin, ok := valueAfter(s, at, end)
		if !ok || !to.match(s[begin:(wordly|dash).run(s, end)]) {
			return 0, 0, false
		}
		for range 2 {
			until, quoted := valueAt(l, s, from, longest)
			if judge(l, s, from, until) && (quoted || !code(s, from, until)) {
				return from, until, true
			}
			// A type may be between the name and its value: password: str = "…"
			if next := skip(s, until, " \t"); !quoted && until > from && next < len(s) && s[next] == '=' {
				from = skip(s, next+1, " \t\"'`\\")
				continue
			}
			break
		}
		return 0, 0, false
	}
}

// longestBefore is how far a name is read before that word.
const longestBefore = 256

// longestName is how far a name may continue after the word that selects it.
const longestName = 24

// valueAfter returns where the value of an assignment begins whose name contains a literal, and
// where the name begins.
func valueAfter(s string, at, end int) (value, name int, ok bool) {
	stop := (wordly | dash).upTo(s, end, longestName+1)
	if stop-end > longestName {
		return 0, 0, false
	}
	name = (wordly | dash).back(s, at, longestBefore)
	i := skip(s, stop, "\"'`\\])")
	spaced := skip(s, i, " \t")
	if spaced-i > 8 {
		return 0, 0, false
	}
	switch {
	case spaced < len(s) && (s[spaced] == '=' || s[spaced] == ':'):
		i = skip(s, spaced, ":=>")
		if i-spaced > 3 {
			return 0, 0, false
		}
	case spaced > i && strings.HasPrefix(s[name:], "--"):
		i = spaced // --password VALUE
	default:
		return 0, 0, false
	}
	if strings.HasPrefix(s[i:], arrowhead) {
		i += len(arrowhead)
	}
	i = skip(s, i, " \t")
	return skip(s, i, "\"'`\\"), name, true
}

// arrowhead is > as some write it in JSON, which may be part of a text.
const arrowhead = `\u003e`

// skip returns the first position from at whose byte is not in set.
func skip(s string, at int, set string) int {
	for at < len(s) && strings.IndexByte(set, s[at]) >= 0 {
		at++
	}
	return at
}

// longestValue is the maximum length of a key, longestPassword that of a password.
const (
	longestValue    = 1024
	longestPassword = 256
)

// valueAt returns where a value ends, or that it is too long, and whether it is quoted.
func valueAt(l *look, s string, from, longest int) (to int, quoted bool) {
	quoted = from > 0 && strings.IndexByte("\"'`", s[from-1]) >= 0
	run := bareRun
	if quoted {
		run = quotedRun
	}
	to = l.upTo(run, s, from, longest+1)
	if quoted && to < len(s) && s[to] == ' ' {
		return from, true // words
	}
	for !quoted && to-from <= longest && to > from && strings.IndexByte(".:!?", s[to-1]) >= 0 {
		to--
	}
	return to, quoted
}

// parameter reports whether another query parameter begins at a position.
func parameter(s string, at int) bool {
	end := (wordly | dash).upTo(s, at, longestBefore)
	return end > at && end < len(s) && s[end] == '='
}

// code reports whether an unquoted value is part of a program rather than a value.
func code(s string, from, to int) bool {
	if to < len(s) && strings.IndexByte("([{<", s[to]) >= 0 {
		return true
	}
	value := s[from:to]
	if strings.IndexByte(value, '.') < 0 {
		return false
	}
	for part := range strings.SplitSeq(value, ".") {
		if part == "" || !(letters | under).has(part[0]) || wordly.run(part, 0) != len(part) || random(part) {
			return false
		}
	}
	return true // a.b.c
}

// isPassword reports whether a value may be a password, chosen or generated: letters and
// something else, and neither a path nor a placeholder.
func isPassword(l *look, s string, from, to int) bool {
	if to-from < 6 || to-from > longestPassword {
		return false
	}
	v := s[from:to]
	if !differs(v, 5) || l.placeholder(s, from, to) || path(v) || uuid(v) {
		return false
	}
	hasLetter, hasDigit, hasMark := false, false, false
	for i := range len(v) {
		switch c := v[i]; {
		case letters.has(c) || c >= 0x80:
			hasLetter = true
		case digit.has(c):
			hasDigit = true
		case strings.IndexByte("!#$%^&*+=~?", c) >= 0:
			hasMark = true
		}
	}
	return hasLetter && (hasDigit || hasMark) && !strings.Contains(v, "://") && !date(v)
}

// isSecret reports whether a value may be a key: long enough, and random.
func isSecret(l *look, s string, from, to int) bool {
	if to-from < 16 || to-from > longestValue || !l.random(s, from, to) {
		return false
	}
	v := s[from:to]
	return spread(v) && !l.placeholder(s, from, to) && !path(v) && !uuid(v) && !date(v) &&
		!strings.Contains(v, "://") && !strings.HasPrefix(v, "arn:") && !strings.HasPrefix(v, "urn:") && !digestOf(v)
}

// spread reports whether the characters of a text are distributed as in a random one: a
// second-order entropy of at least three bits a character.
func spread(v string) bool {
	var count [256]int
	for i := range len(v) {
		count[v[i]]++
	}
	sum := 0
	for _, n := range count {
		sum += n * n
	}
	return sum*8 <= len(v)*len(v)
}

// random reports whether letters and digits, or letters of both cases, alternate as often as in
// a key, and not as in a name.
func random(v string) bool {
	digits, uppers, changes := 0, 0, 0
	last := class(0)
	for i := range len(v) {
		c := kinds[v[i]]
		switch c {
		case upperLetter:
			uppers++
		case digit:
			digits++
		}
		if c != 0 && last != 0 && c != last {
			changes++
		}
		last = c
	}
	return randomCounts(len(v), digits, uppers, changes, uppers == 0 && hexa.run(v, 0) == len(v))
}

// kinds maps each byte to upper case, lower case, digit, or other. It is never changed.
var kinds = newKinds()

func newKinds() (t [256]class) {
	for c, k := range newClasses() {
		switch {
		case k&(lowerHex|lowerRest) != 0:
			t[c] = lowerRest
		case k&(upperLetter|digit) != 0:
			t[c] = k
		}
	}
	return t
}

// randomCounts is the decision of random. A hexadecimal text has no capitals.
func randomCounts(length, digits, uppers, changes int, hexadecimal bool) bool {
	if hexadecimal {
		return digits >= 2 && changes >= length/6+2
	}
	return (digits >= 2 || uppers > 0) && changes >= length/4+2
}

// mixed reports whether a text has letters of both cases, or letters and digits.
func mixed(v string) bool {
	first := class(0)
	for i := range len(v) {
		switch k := kinds[v[i]]; {
		case first == 0:
			first = k
		case k != 0 && k != first:
			return true
		}
	}
	return false
}

// standIns are words of placeholder values.
var standIns = [...]string{"example", "placeholder", "redacted", "changeme", "your_", "your-", "yourpass", "xxxx", "****", "....", "dummy", "${", "{{", "%(", "process.env", "os.environ", "getenv", "u003c"}

// standsFor reports whether a value is a placeholder by its beginning, or because it has no
// content.
func standsFor(v string) bool {
	return v == "" || strings.IndexByte("$<{*%+),;", v[0]) >= 0 || strings.HasPrefix(v, markBegin) || !differs(v, 2)
}

// placeholder reports whether a value is a placeholder.
func placeholder(v string) bool {
	if standsFor(v) {
		return true
	}
	plain := strings.ToLower(v)
	for _, word := range standIns {
		if strings.Contains(plain, word) {
			return true
		}
	}
	return false
}

// path reports whether a value names a file or a place in a tree.
func path(v string) bool {
	for _, begin := range [...]string{"/", "./", "../", "~/", "@/"} {
		if strings.HasPrefix(v, begin) {
			return true
		}
	}
	if len(v) > 2 && v[1] == ':' && letters.has(v[0]) {
		return true // C:\
	}
	if strings.IndexByte(v, '/') < 0 || strings.ContainsAny(v, "+=") {
		return false
	}
	for part := range strings.SplitSeq(v, "/") {
		if random(part) {
			return false
		}
	}
	return true
}

// uuid reports whether a value is a UUID.
func uuid(v string) bool {
	if len(v) != 36 {
		return false
	}
	for i := range len(v) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if v[i] != '-' {
				return false
			}
		} else if c := lower(v[i]); !hexa.has(c) {
			return false
		}
	}
	return true
}

// date reports whether a value begins with a date.
func date(v string) bool {
	return len(v) >= 10 && digit.run(v, 0) == 4 && v[4] == '-' && digit.run(v, 5) == 7 && v[7] == '-' && digit.run(v, 8) == 10
}

// digestOf reports whether a value says that it is a hash.
func digestOf(v string) bool {
	rest := ""
	switch {
	case len(v) > 3 && strings.EqualFold(v[:3], "sha"):
		rest = v[3:]
	case len(v) > 2 && strings.EqualFold(v[:2], "md"):
		rest = v[2:]
	}
	n := digit.run(rest, 0)
	return n > 0 && n < len(rest) && strings.IndexByte(":-", rest[n]) >= 0
}
