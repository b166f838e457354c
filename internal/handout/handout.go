// Package handout marks what Lukasa puts into a prompt, and recognises it when it comes back.
//
// An agent's prompts, tool results and transcripts come back to Lukasa. Its own text must not
// be recorded as new, or a memory would confirm itself.
//
// A block is marked once. Its title holds a tag of nine digits, and a short line ends it:
//
//	Memory (Lukasa#493027716): recalled for this prompt, not said by the user.
//	- Releases are cut every second Tuesday.
//	(end)
//
// The tag is HMAC-SHA256, under the key of the board, of the letters and digits of the title
// and of the lines. So a whole block is recognised without any record of it. Single lines and
// parts of blocks are recognised by digests: SipHash-2-4 under the same key of a line's letters
// and digits, which the caller stores for everything that is handed out, see [Marks.Digests],
// and looks up, see [Seen]. This package does no I/O.
//
// # What is guaranteed
//
//   - A tag or digest cannot be made without the key. Text that only looks like a block stays,
//     and so does the block of another board.
//   - A line is recognised after prefixes from tools: its number, the name of its file, the
//     sign of a comment or a list, a quote, a tag. It is recognised in strings of JSON, also of
//     JSON inside of JSON. Only letters and digits count, so that quotes, escapes and spaces
//     may change. See prefix.go.
//   - A line with fewer than 20 bytes of letters and digits is cut only next to another that is
//     cut. Half a line is cut where a tool has truncated a text, next to lines that are cut.
//   - A user's sentence and an argument of a tool are not cut merely because a memory says the
//     same: see [Strict].
//
// # What is not
//
// A model's paraphrase is not recognised, nor a line that was broken into two. The lines that
// earlier versions marked one by one are recognised without a key, see [CutLegacy].
package handout

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
)

// KeySize is the number of bytes of a board's key.
const KeySize = 32

// Marks makes and verifies the marks of one board. It is safe for concurrent use.
type Marks struct {
	blocks              [sha256.Size]byte
	lines, heads, tails sipKey
}

// New returns the marks of the board with a key.
func New(key [KeySize]byte) *Marks {
	derive := func(use string) []byte {
		h := hmac.New(sha256.New, key[:])
		_, _ = h.Write([]byte("lukasa handout " + use)) // a hash accepts everything
		return h.Sum(nil)
	}
	m := &Marks{lines: sipKeyOf(derive("lines")), heads: sipKeyOf(derive("heads")), tails: sipKeyOf(derive("tails"))}
	copy(m.blocks[:], derive("blocks"))
	return m
}

// The form of a block. It costs six tokens of o200k_base in total.
const (
	signature = "(Lukasa"
	tagSign   = "#"
	tagDigits = 9
	tagRange  = 1_000_000_000
	ending    = "(end)"
)

// opening is the beginning of the tag in the title of a block.
const opening = signature + tagSign

// Wrap returns a text as a marked block under a title. It removes empty lines. An empty text
// stays empty. A title without "(Lukasa)" gets it at its end.
func (m *Marks) Wrap(title, text string) string {
	lines := bodyLines(text)
	if len(lines) == 0 {
		return ""
	}
	title = signed(title)
	var body []byte
	for _, line := range lines {
		body = appendLetters(body, line)
	}
	before, after, _ := strings.Cut(title, signature+")")
	header := before + opening + m.tag(appendLetters(nil, title), body) + ")" + after
	return header + "\n" + strings.Join(lines, "\n") + "\n" + ending
}

// Plain returns a text as the block that [Marks.Wrap] makes, without a tag: for a board without
// a key.
func Plain(title, text string) string {
	lines := bodyLines(text)
	if len(lines) == 0 {
		return ""
	}
	return signed(title) + "\n" + strings.Join(lines, "\n") + "\n" + ending
}

// bodyLines returns the non-empty lines of a text, each fit to stand alone.
func bodyLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(strings.Map(inLine, strings.TrimRight(line, "\r\n")), " \t"); strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// signed returns a title on one line with Lukasa's name.
func signed(title string) string {
	title = strings.ReplaceAll(oneLine(title), opening, signature+" ")
	if !strings.Contains(title, signature+")") {
		title = strings.TrimSpace(title + " " + signature + ")")
	}
	return title
}

// inLine returns a character for use in a line: one that may be taken for a line end, or be
// encoded in many ways, becomes a space.
func inLine(r rune) rune {
	if r < ' ' && r != '\t' || r == 0x7f || r == '\u0085' || r == '\u2028' || r == '\u2029' {
		return ' '
	}
	return r
}

func oneLine(s string) string { return strings.Map(inLine, strings.Join(strings.Fields(s), " ")) }

// tag returns the tag of a block: computed from the letters of its title, without the tag, and
// of its lines.
func (m *Marks) tag(title, body []byte) string {
	h := hmac.New(sha256.New, m.blocks[:])
	_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(title)))) // a hash accepts everything
	_, _ = h.Write(title)
	_, _ = h.Write(body)
	return fmt.Sprintf("%0*d", tagDigits, binary.LittleEndian.Uint64(h.Sum(nil))%tagRange)
}

// appendLetters appends the letters and digits of a text.
func appendLetters(to []byte, text string) []byte {
	for i := 0; i < len(text); {
		if b := text[i]; b < 0x80 && b != '\\' && b != '&' {
			if counts(rune(b)) {
				to = append(to, b)
			}
			i++
			continue
		}
		r, n := letter(text[i:])
		if r == '\\' { // JSON writes the end of a line as \r\n
			near := text[i:min(len(text), i+mostEscape)]
			if rest := strings.TrimLeft(near, "\\"); strings.HasPrefix(rest, "r") {
				i += len(near) - len(rest) + 1
				continue
			}
		}
		if r == '&' && n > 1 { // HTML in JSON
			rest := text[i+n : min(len(text), i+n+mostEscape)]
			if end := strings.IndexByte(rest, ';'); end > 0 && entity(rest[:end]) != 0 {
				r, n = entity(rest[:end]), n+end+1
			}
		}
		if counts(r) {
			to = append(to, string(r)...)
		}
		i += n
	}
	return to
}
