package shapes

import (
	"strings"
	"unicode/utf8"
)

const (
	maxErrorText = 16 << 10 // bytes of an error that are read, at its beginning and at its end
	maxErrorLine = 1024     // bytes of a line that are read
)

// Signature returns the signature of the text of an error. It is at most MaxError
// bytes, in one line, and the same for errors that differ in values only.
func Signature(text string) string { return string(AppendSignature(nil, text)) }

func AppendSignature(dst []byte, text string) []byte {
	line := TellingLine(text)
	if line == "" {
		return dst
	}
	n := Normaliser{Out: dst, from: len(dst)}
	n.Line(line)
	return n.Out
}

// TellingLine returns the most specific line of an error.
func TellingLine(text string) string {
	var tail string
	if len(text) > maxErrorText {
		text, tail = text[:maxErrorText/2], text[len(text)-maxErrorText/2:]
	}
	text, tail = plain(text), plain(tail)
	var best, after string
	most := 0
	traceback, panicked := false, false
	for _, part := range [...]string{text, tail} {
		for line := range strings.Lines(part) {
			line = strings.TrimRight(line, "\r\n")
			if strings.Contains(line, "Traceback (most recent call last)") {
				traceback, most = true, 0
			}
			if panicked && after == "" {
				after = strings.TrimSpace(line)
			}
			score := telling(line)
			if score > most || traceback && score == most && score >= named {
				best, most = line, score
				panicked, after = strings.HasPrefix(line, "thread '") && strings.HasSuffix(strings.TrimSpace(line), ":"), ""
			}
		}
	}
	best = strings.TrimSpace(best)
	best = strings.TrimSuffix(strings.TrimPrefix(best, "<tool_use_error>"), "</tool_use_error>")
	if after != "" {
		return best + " " + after // the message of a panic in Rust stands below where it was
	}
	return best
}

// How specific a line is.
const (
	nothing = iota // no words, or a frame
	some           // words
	begins         // it begins as an error does
	named          // it names an exception
)

// beginnings are the beginnings of error lines, in lower case.
var beginnings = [...]string{
	"error:", "error ", "error[", "err:", "fatal:", "fatal ", "panic:", "exception", "uncaught ", "unhandled ", "failed", "failure", "thread '", "--- fail", "fail:", "npm err! code", "npm error code",
	"e   ", "cannot ", "could not ", "can't ", "permission denied", "segmentation fault", "assertion", "sqlstate", "ora-", "caused by",
}

// telling returns how specific a line is.
func telling(line string) int {
	if len(line) > maxErrorLine {
		line = line[:maxErrorLine]
	}
	bare := strings.TrimLeft(line, " \t")
	if frame(bare) {
		return nothing
	}
	t := traitsOf(bare)
	if t.letters() < 3 {
		return nothing
	}
	if Exception(bare) {
		return named
	}
	var buf [24]byte
	low := Lower(buf[:0], bare[:min(len(bare), len(buf))])
	for _, b := range beginnings {
		if len(low) >= len(b) && string(low[:len(b)]) == b {
			return begins
		}
	}
	if i := strings.Index(bare, ": "); i > 0 && i < 200 && (strings.HasPrefix(bare[i+2:], "error") || strings.HasPrefix(bare[i+2:], "fatal") || located(bare[:i])) {
		return begins
	}
	return some
}

// frame reports whether a line only says where: a frame of a stack, a ruler, a header.
func frame(line string) bool {
	for _, p := range [...]string{
		"at ", "File \"", "-->", "|", "^", "~", "goroutine ", "#", "Traceback (", "...", "During handling of", "The above exception", "stack backtrace", "note:", "help:", "= note", "= help",
		"    at ", "exit status", "npm ERR! A complete log", "FAIL\t", "ok  \t", "===", "---  ", "***", "[signal ", "created by ", "main.main()", "created ", "stdout:", "stderr:", "LINE ",
	} {
		if strings.HasPrefix(line, p) {
			return !(p == "at " && strings.Contains(line, ": "))
		}
	}
	return line == ""
}

// Exception reports whether a line begins with the name of an exception: a word with
// dots that ends in Error, Exception and the like.
func Exception(line string) bool {
	i := 0
	for i < len(line) && (LetterByte(line[i]) || line[i] == '.' || line[i] == '_' || line[i] == '$' || line[i] == ':' && i+2 < len(line) && line[i+1] == ':') {
		if line[i] == ':' {
			i++
		}
		i++
	}
	name := line[:i]
	rest := line[i:]
	if rest != "" && rest[0] != ':' && rest[0] != ' ' && rest[0] != '(' && rest[0] != '[' {
		return false
	}
	for _, end := range [...]string{"Error", "Exception", "Warning", "Interrupt", "Fault", "Failure", "Panic", "Exit", "Timeout"} {
		if strings.HasSuffix(name, end) && len(name) > len(end) && (rest == "" || rest[0] != ' ' || strings.HasPrefix(rest, " [") || strings.HasPrefix(rest, " (")) {
			return true
		}
	}
	return (name == "Error" || name == "Exception") && strings.HasPrefix(rest, ": ") || strings.HasPrefix(line, "error[E") || strings.HasPrefix(line, "panic: ")
}

// located reports whether a text is a place in a file: path, line, perhaps column.
func located(v string) bool {
	i := strings.IndexByte(v, ':')
	if i <= 1 {
		return false
	}
	return digitsAt(v, i+1, 1) && (fileLike(v[:i]) || strings.Contains(v[:i], "/"))
}

// Normaliser writes a line with slots for values.
type Normaliser struct {
	Out  []byte
	from int    // where the signature begins
	prev string // the word before, in lower case
	full bool
}

func (n *Normaliser) Line(line string) {
	if len(line) > maxErrorLine {
		line = line[:maxErrorLine]
	}
	for i := 0; i < len(line) && !n.full; {
		c := line[i]
		switch {
		case c <= ' ' || c == 0x7F:
			n.blank()
			i++
		case c == '"' || c == '`' || c == '\'' && (i == 0 || !LetterByte(line[i-1])):
			if end := quoteEnd(line, i); end > 0 {
				n.put("<value>")
				i = end
				continue
			}
			n.put(line[i : i+1])
			i++
		case strings.HasPrefix(line[i:], "“") || strings.HasPrefix(line[i:], "‘"):
			end := strings.IndexAny(line[i+3:], "”’")
			if end < 0 {
				i += 3
				continue
			}
			n.put("<value>")
			i += 3 + end + 3
		default:
			end := wordEnd(line, i)
			if end == i {
				n.mark(line[i])
				i++
				continue
			}
			i += n.word(line, i, end)
		}
	}
	n.trim()
}

// blank writes a space, unless there is one or nothing before it.
func (n *Normaliser) blank() {
	if len(n.Out) > n.from && n.Out[len(n.Out)-1] != ' ' {
		n.put(" ")
	}
}

// mark writes a mark between words. Between two slots of one kind it drops the second slot
// too: a list of values is one value.
func (n *Normaliser) mark(c byte) {
	if c < ' ' || c > '~' {
		return
	}
	n.put(string(c))
}

// put writes a piece, if there is room for all of it.
func (n *Normaliser) put(piece string) {
	if len(n.Out)-n.from+len(piece) > MaxError {
		n.full = true
		return
	}
	if len(piece) > 2 && piece[0] == '<' && n.repeats(piece) {
		return
	}
	n.Out = append(n.Out, piece...)
}

// repeats reports whether a slot follows one of its kind without a word between them. If so,
// it removes what is between them.
func (n *Normaliser) repeats(piece string) bool {
	end := len(n.Out)
	for end > n.from {
		if c := n.Out[end-1]; c != ' ' && c != ',' {
			break
		}
		end--
	}
	if end == len(n.Out) || end-n.from < len(piece) || string(n.Out[end-len(piece):end]) != piece {
		return false
	}
	n.Out = n.Out[:end]
	return true
}

// trim removes meaningless text at the end.
func (n *Normaliser) trim() {
	for len(n.Out) > n.from {
		switch n.Out[len(n.Out)-1] {
		case ' ', ':', ',', ';', '(', '[', '{', '-', '.':
			n.Out = n.Out[:len(n.Out)-1]
			continue
		}
		break
	}
	for len(n.Out) > n.from {
		r, size := utf8.DecodeLastRune(n.Out[n.from:])
		if r != utf8.RuneError || size != 1 {
			break
		}
		n.Out = n.Out[:len(n.Out)-1]
	}
}

// quoteEnd returns the position after the quote that opens at i closes, or 0 if it
// does not within reach, as an apostrophe does not.
func quoteEnd(line string, i int) int {
	const reach = 300
	for j := i + 1; j < len(line) && j < i+reach; j++ {
		if line[j] == '\\' {
			j++
			continue
		}
		if line[j] == line[i] && (line[i] != '\'' || j+1 == len(line) || !LetterByte(line[j+1])) {
			return j + 1
		}
	}
	return 0
}

// wordEnd returns where the word that begins at i ends: letters, digits and the marks
// that join them, without marks at its end that belong to the sentence.
func wordEnd(line string, i int) int {
	j := i
	for j < len(line) {
		c := line[j]
		k := Classes[c]
		if k == ClassBlank || k == ClassComma && !(j > i && digitsAt(line, j-1, 1) && digitsAt(line, j+1, 3)) || k == ClassOther && c != '$' && c != '~' && c != '%' && c != '=' && c != '&' && c != '?' {
			if c == '\'' && j > i && j+1 < len(line) && LetterByte(line[j-1]) && LetterByte(line[j+1]) {
				j++ // an apostrophe
				continue
			}
			break
		}
		if c == '=' && !strings.Contains(line[i:j], "://") {
			break
		}
		j++
	}
	for j > i && strings.IndexByte(".:?&,", line[j-1]) >= 0 {
		j--
	}
	return j
}

// word writes the word from i to end, or its slot, and returns how much of the line
// it took.
func (n *Normaliser) word(line string, i, end int) int {
	w := line[i:end]
	if k := Classes[w[0]]; k == ClassDigit {
		if m := timeLen(line[i:]); m > 0 {
			n.value("<time>")
			return m
		}
		if m := dateLen(w); m > 0 && m == len(w) {
			n.value("<date>")
			return m
		}
	}
	piece := n.slot(w, line[end:])
	if piece[0] == '<' && piece != w {
		n.value(piece)
		return end - i
	}
	n.put(piece)
	var buf [24]byte
	n.prev = string(Lower(buf[:0], w[:min(len(w), len(buf))]))
	return end - i
}

func (n *Normaliser) value(piece string) {
	n.put(piece)
	n.prev = ""
}

// slot returns the text of the word w in a signature, where rest follows the word.
func (n *Normaliser) slot(w, rest string) string {
	t := traitsOf(w)
	switch {
	case t.digits == 0 && t.slashes == 0 && t.ats == 0 && t.dots == 0:
		return w
	case urlLike(w):
		return "<url>"
	case t.ats > 0 && emailLike(strings.TrimSuffix(w, ":")):
		return "<email>"
	case t.digits > 0 && addressLike(w):
		return "<addr>"
	case t.slashes > 0 && pathLike(w, &t), placeLike(w):
		return "<path>"
	case t.digits == 0, Exception(w):
		return w
	case n.code(w, rest, &t):
		return w
	case uuidLike(w):
		return "<id>"
	}
	switch {
	case t.letters() == 0 && t.unders == 0:
		return "<n>"
	case amount(w):
		return "<n>"
	case technical(w, &t):
		return w
	}
	return "<id>"
}

// codeWords are the words that a code may follow.
var codeWords = List("error errno code status http https exit signal sqlstate warning fatal")

// code reports whether w is the code of an error: E0308, TS2304, ORA-00942, 404.
func (n *Normaliser) code(w, rest string, t *traits) bool {
	if len(w) > 12 || t.dots > 0 || t.unders > 0 || t.slashes > 0 {
		return false
	}
	if t.digits == len(w) {
		return len(w) <= 5 && codeWords()[n.prev] || len(w) == 3 && (w[0] == '4' || w[0] == '5') && reason(rest)
	}
	if t.upper == 0 || t.lower > 0 || t.digits < 2 {
		return false
	}
	letters := 0
	for letters < len(w) && Classes[w[letters]] == ClassUpper {
		letters++
	}
	listed := false
	switch w[:letters] {
	case "E", "F", "W", "C", "TS", "CS", "BC", "LNK", "MSB", "NU", "SA", "ERR":
		listed = t.digits >= 3
	case "ORA", "PLS", "DPY", "CVE", "RUSTSEC":
		return t.dashes > 0
	}
	if listed && rest != "" && (rest[0] == ':' || rest[0] == ']') || codeWords()[n.prev] {
		return true
	}
	return rest != "" && rest[0] == ')' && len(w) == 5 && n.prev != "" && digitsAt(n.prev, 0, len(n.prev)) // as MySQL writes its states
}

// reason reports whether the words of a status follow it.
func reason(rest string) bool {
	rest = strings.TrimLeft(rest, " ")
	if rest == "" || Classes[rest[0]] != ClassUpper && Classes[rest[0]] != ClassLower {
		return false
	}
	for _, w := range [...]string{
		"Not Found", "Bad ", "Unauthorized", "Forbidden", "Conflict", "Gone", "Too Many", "Internal Server", "Service ", "Gateway", "Client Error", "Server Error", "Unprocessable", "Payload", "Request ", "Method Not",
		"Payment Required", "not found", "error",
	} {
		if strings.HasPrefix(rest, w) {
			return true
		}
	}
	return false
}

// amount reports whether w is a number with a unit behind it or a mark of money.
func amount(w string) bool {
	if moneyLike(w) {
		return true
	}
	i := 0
	if w[0] == '-' || w[0] == '+' || w[0] == '$' {
		i = 1
	}
	began := i
	for i < len(w) && (w[i]-'0' <= 9 || w[i] == '.' || w[i] == ',') {
		i++
	}
	if i == began {
		return false
	}
	switch strings.ToLower(w[i:]) {
	case "ms", "s", "sec", "m", "min", "h", "d", "us", "ns", "b", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "k", "%", "px", "x", "usd", "eur", "st", "nd", "rd", "th", "kg", "g", "km":
		return true
	}
	return false
}

// addressLike reports whether w is an address of a machine or of memory: 10.0.0.1:80,
// 0x7ffe, host:5432.
func addressLike(w string) bool {
	if strings.HasPrefix(w, "0x") || strings.HasPrefix(w, "0X") {
		return len(w) > 2
	}
	host, port, ok := strings.Cut(w, ":")
	if ok && (port == "" || !digitsAt(port, 0, len(port))) {
		return false
	}
	parts := strings.Split(host, ".")
	if len(parts) == 4 {
		for _, p := range parts {
			if p == "" || len(p) > 3 || !digitsAt(p, 0, len(p)) {
				return false
			}
		}
		return true
	}
	t := traitsOf(host)
	return ok && len(port) >= 2 && !fileLike(host) && t.letters() > 0 && t.slashes == 0
}

// pathLike reports whether a word with a slash is a path rather than two words.
func pathLike(w string, t *traits) bool {
	if t.slashes >= 2 || w[0] == '/' || w[0] == '.' || w[0] == '~' || len(w) > 2 && w[1] == ':' {
		return true
	}
	place, _, _ := strings.Cut(w, ":")
	return fileLike(place) || t.digits > 0
}

// placeLike reports whether w is the name of a file, perhaps with line and column.
func placeLike(w string) bool {
	place, rest, found := strings.Cut(w, ":")
	if !fileLike(place) {
		return false
	}
	return !found || rest == "" || rest[0]-'0' <= 9
}

// technical reports whether a word with digits is a term and no value: utf8, int64,
// sha256, python3.
func technical(w string, t *traits) bool {
	switch strings.ToLower(w) {
	case "x86_64", "amd64", "arm64", "aarch64", "utf-8", "utf-16", "oauth2", "http2", "http/2", "ipv4", "ipv6", "i18n", "l10n", "k8s", "s3", "ec2", "x509", "base64", "h264", "log4j", "es6":
		return true
	}
	i := 0
	for i < len(w) && Classes[w[i]] == ClassLower {
		i++
	}
	switch w[:i] {
	case "int", "uint", "float", "utf", "sha", "md", "python", "py", "node", "go", "java", "c", "i", "u", "f", "win", "vec", "mat", "pg", "sqlite", "argon", "es", "v":
		return t.digits == len(w)-i && t.digits <= 3
	}
	return false
}

// plain returns a text without escape sequences of terminals.
func plain(text string) string {
	if strings.IndexByte(text, 0x1B) < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == 0x1B {
			i += escapeLen(text[i+1:])
			continue
		}
		out = append(out, text[i])
	}
	return string(out)
}

// escapeLen returns the length of an escape sequence of a terminal, without its escape
// character.
func escapeLen(s string) int {
	if s == "" || s[0] != '[' {
		return 0
	}
	for i := 1; i < min(len(s), 32); i++ {
		if c := s[i]; c >= 0x40 && c <= 0x7E {
			return i + 1
		}
	}
	return 0
}
