package secret

import "strings"

// skKey finds keys that begin with sk-: random ones, and ones with more consecutive letters and
// digits than a name has.
func skKey(l *look, s string, at, end int) (int, int, bool) {
	if !begins(s, at) {
		return 0, 0, false
	}
	to := l.upTo(keyRun, s, end, longestLook)
	if !(to-end >= 32 && l.random(s, end, to)) && !unbroken(s[end:to]) || sample(s[end:to]) {
		return 0, 0, false
	}
	return at, l.end(keyRun, s, to), true
}

// unbroken reports whether there are too many consecutive letters and digits for a name: 16
// with digits in it, or 24. A few short words may precede them, as in sk-or-v1-.
func unbroken(text string) bool {
	at := 0
	for range 4 {
		end := alnum.run(text, at)
		if n := end - at; n >= 24 || n >= 16 && mixed(text[at:end]) && strings.ContainsAny(text[at:end], "0123456789") {
			return true
		}
		if end-at > 8 || end >= len(text) {
			return false
		}
		at = end + 1
	}
	return false
}

// sendgrid finds SG.<22>.<43>.
func sendgrid(_ *look, s string, at, end int) (int, int, bool) {
	mid := urlSafe.upTo(s, end, 23)
	if mid-end != 22 || mid >= len(s) || s[mid] != '.' || !begins(s, at) {
		return 0, 0, false
	}
	to := urlSafe.upTo(s, mid+1, 44)
	return at, to, to-mid-1 == 43 && !sample(s[mid:to])
}

// mailchimp finds 32 hexadecimal digits before -us and the number of a data centre.
func mailchimp(_ *look, s string, at, end int) (int, int, bool) {
	from, to := hexa.back(s, at, 33), digit.upTo(s, end, 3)
	if at-from != 32 || to == end || to-end > 2 || !begins(s, from) || sample(s[from:at]) || to < len(s) && wordly.has(s[to]) {
		return 0, 0, false
	}
	return from, to, true
}

// telegram finds <number of a bot>:AA<33>.
func telegram(_ *look, s string, at, _ int) (int, int, bool) {
	from, to := digit.back(s, at, 11), urlSafe.upTo(s, at+1, 36)
	if n := at - from; n < 8 || n > 10 || to-at-1 != 35 || from > 0 && wordly.has(s[from-1]) && !strings.HasSuffix(s[:from], "bot") || sample(s[at:to]) {
		return 0, 0, false
	}
	return from, to, true
}

// azureKey finds the value of an Azure parameter.
func azureKey(l *look, s string, _, end int) (int, int, bool) {
	to := l.end(azureRun, s, end)
	return end, to, to-end >= 40 && !sample(s[end:to])
}

// azureSecret finds <3>8Q~<34>; the first three precede the literal.
func azureSecret(_ *look, s string, at, end int) (int, int, bool) {
	const of = urlSafe | dot
	to := end
	for to < len(s) && to-end < 35 && (of.has(s[to]) || s[to] == '~') {
		to++
	}
	from := at - 3
	if from < 0 || of.run(s[:at], from) != at || !begins(s, from) || to-end < 31 || to-end > 34 || sample(s[end:to]) {
		return 0, 0, false
	}
	return from, to, true
}

// jwt finds <header>.<claims>.<signature>; the first two are objects.
func jwt(l *look, s string, at, end int) (int, int, bool) {
	if !begins(s, at) {
		return 0, 0, false
	}
	head := l.upTo(keyRun, s, end, 4*longestLook)
	if head-at < 16 || !strings.HasPrefix(s[head:], ".eyJ") {
		return 0, 0, false
	}
	claims := l.end(keyRun, s, head+1)
	if claims >= len(s) || s[claims] != '.' {
		return 0, 0, false
	}
	to := l.end(keyRun, s, claims+1)
	return at, to, to-claims-1 >= 16
}

// privateKey finds everything between the first and the last line of armour.
func privateKey(_ *look, s string, at, end int) (int, int, bool) {
	const rule, long = "-----", 1 << 16
	line := strings.Index(s[end:], rule)
	if line < 0 || line > 60 || !strings.Contains(s[end:end+line], "PRIVATE KEY") {
		return 0, 0, false
	}
	from := end + line + len(rule)
	rest := s[from:min(len(s), from+long)]
	if another := strings.Index(rest, rule+"BEGIN "); another >= 0 {
		rest = rest[:another]
	}
	if last := strings.Index(rest, rule+"END "); last >= 0 {
		if close := strings.Index(rest[last+len(rule):], rule); close >= 0 && close <= 70 {
			return at, from + last + len(rule) + close + len(rule), true
		}
		return at, from + last, true
	}
	// Truncated: the rest of it.
	to := 0
	for to < len(rest) && !strings.HasPrefix(rest[to:], rule) && (base64.has(rest[to]) || strings.IndexByte(" \t\r\n\\:,", rest[to]) >= 0) {
		to++
	}
	return at, from + to, true
}

// urlPassword finds the password of <scheme>://<user>:<password>@<host>.
func urlPassword(_ *look, s string, at, end int) (int, int, bool) {
	if at == 0 || !alnum.has(s[at-1]) {
		return 0, 0, false
	}
	colon := -1
	for i := end; i < len(s) && i < end+512; i++ {
		switch c := s[i]; {
		case c == '@':
			if colon < 0 || colon+1 == i || placeholder(s[colon+1:i]) {
				return 0, 0, false
			}
			return colon + 1, i, true
		case c == ':' && colon < 0:
			colon = i
		case c <= ' ', c == '/', c == '?', c == '#', c == '"', c == '\'', c == '`', c == '<', c == '>', c == '\\', c == '(', c == ')':
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// dsnPassword finds the password of <user>:<password>@tcp(<host>), as in database drivers.
func dsnPassword(_ *look, s string, at, _ int) (int, int, bool) {
	from := at
	for from > 0 && at-from < longestPassword && s[from-1] > ' ' && strings.IndexByte("\"'`\\/<>()[]{}|,;", s[from-1]) < 0 {
		from--
	}
	colon := strings.IndexByte(s[from:at], ':')
	if colon < 1 || at-from == longestPassword {
		return 0, 0, false
	}
	from += colon + 1
	return from, at, from < at && !placeholder(s[from:at])
}

// schemes are the authentication schemes of credentials.
var schemes = [...]string{"bearer", "basic", "token", "apikey", "digest", "negotiate"}

// authorization finds what follows Authorization: or Bearer.
func authorization(l *look, s string, at, end int) (int, int, bool) {
	if lower(s[at]) == 'b' { // a scheme by itself
		if !begins(s, at) || end >= len(s) || s[end] != ' ' {
			return 0, 0, false
		}
		return bearerAt(l, s, end, 20)
	}
	from, begin, ok := valueAfter(s, at, end)
	if !ok || !header(s[begin:(wordly|dash).run(s, end)]) {
		return 0, 0, false
	}
	for _, scheme := range schemes {
		if word := (&literal{text: scheme, fold: true}); word.here(s, from) && from+len(scheme) < len(s) && s[from+len(scheme)] == ' ' {
			return bearerAt(l, s, from+len(scheme), 8)
		}
	}
	from, to, ok := bearerAt(l, s, from, 16)
	return from, to, ok && random(s[from:to])
}

// header reports whether a name is that of a header with a credential.
func header(name string) bool {
	var room [plainLength]byte
	return endsWith(plainName(name, &room), "authorization")
}

// bearerAt finds a credential of at least least characters after spaces.
func bearerAt(l *look, s string, at, least int) (int, int, bool) {
	for at < len(s) && s[at] == ' ' {
		at++
	}
	end := l.end(bearerRun, s, at)
	if end-at >= longestLook && weak(s[at:at+longestLook]) {
		return 0, 0, false
	}
	to := l.sentence(s, at, end)
	if to-at < least || weak(s[at:to]) || l.standIn(s, at, to) || end-at >= longestLook && placeholder(s[at:at+longestLook]) {
		return 0, 0, false
	}
	return at, to, true
}

// weak reports whether a credential is too simple to be one.
func weak(text string) bool { return !mixed(text) || sample(text) || standsFor(text) }
