package source

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"lukasa.dev/internal/fault"
)

// PeekBytes is how many bytes of a source are peeked at before it is read.
const PeekBytes = 1 << 20

// Open prepares a source by its first bytes: it unpacks gzip, converts UTF-16 to UTF-8,
// removes a byte order mark, and refuses files that can never be right. The first peek bytes
// of the text can be peeked at.
func Open(src Source, peek int) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(src.Reader, 64<<10)
	head, err := in.Peek(16)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return nil, badGzip(err)
		}
		in = bufio.NewReaderSize(gzipReader{unpacked}, 64<<10)
		if head, err = in.Peek(16); err != nil && err != io.EOF {
			return nil, err
		}
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return nil, fault.New(fault.InvalidDocument, "this is a zip archive").WithFix("unpack it, and import the file or the directory that was in it")
	case bytes.HasPrefix(head, []byte("SQLite format 3\x00")):
		return nil, fault.New(fault.InvalidDocument, "this is a database of SQLite, not an export of it").
			WithFix("have the program that owns it write JSON, such as with `engram export`")
	}
	switch encodingOf(head) {
	case "UTF-8 with a mark":
		_, err = in.Discard(3)
	case "UTF-16LE":
		return bufio.NewReaderSize(&utf16Reader{src: in}, peek), nil
	case "UTF-16BE":
		return bufio.NewReaderSize(&utf16Reader{src: in, big: true}, peek), nil
	case "UTF-32":
		return nil, fault.New(fault.InvalidDocument, "this is UTF-32").WithFix("write it as UTF-8, such as with iconv -f utf-32 -t utf-8")
	default:
		err = nil
	}
	return bufio.NewReaderSize(in, peek), err
}

// encodingOf returns the encoding of a text, by a byte order mark, or by the zeros around the
// first bracket of JSON. It is empty for text that needs no conversion.
func encodingOf(head []byte) string {
	var first [4]byte
	copy(first[:], head)
	bracket := func(c byte) bool { return c == '{' || c == '[' }
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return "UTF-8 with a mark"
	case first == [4]byte{0xff, 0xfe} && len(head) >= 4, first == [4]byte{0, 0, 0xfe, 0xff},
		bracket(first[0]) && first == [4]byte{first[0]} && len(head) >= 4, bracket(first[3]) && first == [4]byte{3: first[3]}:
		return "UTF-32"
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bracket(first[0]) && first[1] == 0 && len(head) >= 2:
		return "UTF-16LE"
	case bytes.HasPrefix(head, []byte("\xfe\xff")), first[0] == 0 && bracket(first[1]):
		return "UTF-16BE"
	}
	return ""
}

// gzipReader unpacks, and explains errors of the packed data.
type gzipReader struct{ src *gzip.Reader }

// Read implements io.Reader.
func (g gzipReader) Read(p []byte) (int, error) {
	n, err := g.src.Read(p)
	if err != nil && err != io.EOF {
		err = badGzip(err)
	}
	return n, err
}

// badGzip is the error for data that cannot be unpacked. It returns an error of the source
// unchanged.
func badGzip(err error) error {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	switch {
	case err == io.ErrUnexpectedEOF || err == io.EOF:
		return fault.New(fault.UnreadableInput, "the gzip file ends too early").WithCause(err).WithFix("get the whole file, and import it again; what came before the end is taken")
	case err == gzip.ErrChecksum, err == gzip.ErrHeader, corrupt:
		return fault.Newf(fault.UnreadableInput, "the gzip file is damaged: %w", err).WithFix("get it again, and import it again; what came before the damage is taken")
	}
	return err
}

// utf16Reader converts UTF-16, which some shells write, to UTF-8. Invalid units become
// U+FFFD.
type utf16Reader struct {
	src   *bufio.Reader
	big   bool
	begun bool
	held  rune // a high surrogate that waits for its low one, or 0
	rest  []byte
	err   error
}

// Read implements io.Reader.
func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.rest) == 0 && u.err == nil {
		u.fill()
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	if n == 0 {
		return 0, u.err
	}
	return n, nil
}

// fill converts the next few characters.
func (u *utf16Reader) fill() {
	out := make([]byte, 0, 4096)
	for len(out) < 4000 {
		a, err := u.src.ReadByte()
		if err != nil {
			u.err = err
			break
		}
		b, err := u.src.ReadByte()
		if err != nil {
			u.err = err // half a character at the end of what is still being written
			break
		}
		c := rune(a) | rune(b)<<8
		if u.big {
			c = rune(a)<<8 | rune(b)
		}
		if !u.begun && c == 0xfeff {
			u.begun = true
			continue
		}
		u.begun = true
		out = u.append(out, c)
	}
	if u.err != nil && u.held != 0 {
		out, u.held = utf8.AppendRune(out, utf8.RuneError), 0
	}
	u.rest = out
}

// append adds one unit, which may be a surrogate.
func (u *utf16Reader) append(out []byte, c rune) []byte {
	if u.held != 0 {
		whole := utf16.DecodeRune(u.held, c)
		u.held = 0
		if whole != utf8.RuneError {
			return utf8.AppendRune(out, whole)
		}
		out = utf8.AppendRune(out, utf8.RuneError)
	}
	if c >= 0xd800 && c < 0xdc00 {
		u.held = c
		return out
	}
	return utf8.AppendRune(out, c)
}
