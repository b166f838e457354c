package migrate

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"lukasa.dev/internal/fault"
)

// peekBytes is how much of a source is looked at before it is read.
const peekBytes = 1 << 20

// text is a source as UTF-8, unpacked.
type text struct{ *bufio.Reader }

// open looks how a source begins: it unpacks gzip, turns UTF-16 into UTF-8, takes a byte
// order mark away, and tells what can never be right.
func (r *run) open() (*text, error) {
	in := bufio.NewReaderSize(r.src.Reader, 64<<10)
	head, err := in.Peek(16)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReaderSize(unpacked, 64<<10)
		if head, err = in.Peek(16); err != nil && err != io.EOF {
			return nil, err
		}
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return nil, fault.New(fault.InvalidDocument, "this is a zip archive").WithFix("unpack it, and import the file or the directory that was in it")
	case bytes.HasPrefix(head, []byte("SQLite format 3\x00")):
		return nil, fault.New(fault.InvalidDocument, "this is a database of SQLite, not an export of it").
			WithFix("have the program that owns it write JSON, such as with `engram export`")
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, err = in.Discard(3)
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		in = bufio.NewReaderSize(&utf16Reader{src: in}, peekBytes)
		return &text{in}, nil
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		in = bufio.NewReaderSize(&utf16Reader{src: in, big: true}, peekBytes)
		return &text{in}, nil
	default:
		err = nil
	}
	return &text{bufio.NewReaderSize(in, peekBytes)}, err
}

// utf16Reader turns UTF-16, as some shells write it, into UTF-8. What is no character
// becomes U+FFFD.
type utf16Reader struct {
	src   *bufio.Reader
	big   bool
	begun bool
	held  rune // a first half whose second is still to come, or 0
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

// fill turns the next few characters.
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

// append adds one unit, which may be half of a character.
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
