package merkle

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"
)

// MaxNote is the longest signed note that is read, in bytes. It allows for a few
// dozen signatures of others, including long future ones.
const MaxNote = 256 << 10

// Checkpoint is the state of a log's tree: the text of a C2SP tlog-checkpoint.
//
//	origin
//	size, decimal
//	root, base64
//	extension lines, if any
type Checkpoint struct {
	Origin     string   // names the log; also the name of the key that signs
	Size       uint64   // number of leaves
	Root       Hash     // root over them
	Extensions []string // further lines; ours have none
}

// Marshal returns the checkpoint's text, which is what a signature covers.
func (c *Checkpoint) Marshal() ([]byte, error) {
	if c.Size > MaxSize {
		return nil, fmt.Errorf("checkpoint: a tree of %d leaves is larger than there can be", c.Size)
	}
	if !validOrigin(c.Origin) {
		return nil, fmt.Errorf("checkpoint: the origin %q is empty or has a space, a plus or a control character in it", c.Origin)
	}
	b := append([]byte(c.Origin), '\n')
	b = append(strconv.AppendUint(b, c.Size, 10), '\n')
	b = append(base64.StdEncoding.AppendEncode(b, c.Root[:]), '\n')
	for _, line := range c.Extensions {
		if !validLine(line) {
			return nil, fmt.Errorf("checkpoint: the extension line %q is empty, not UTF-8 or has a control character in it", line)
		}
		b = append(append(b, line...), '\n')
	}
	return b, nil
}

// ParseCheckpoint reads a checkpoint's text, without signatures. It accepts what
// Marshal makes and nothing else.
func ParseCheckpoint(text []byte) (Checkpoint, error) {
	var c Checkpoint
	if len(text) > MaxNote {
		return c, fmt.Errorf("checkpoint: %d bytes are more than %d", len(text), MaxNote)
	}
	if len(text) == 0 || text[len(text)-1] != '\n' {
		return c, errors.New("checkpoint: the text does not end with a newline")
	}
	lines := strings.Split(string(text[:len(text)-1]), "\n")
	if len(lines) < 3 {
		return c, fmt.Errorf("checkpoint: %d lines are fewer than origin, size and root", len(lines))
	}
	if c.Origin = lines[0]; !validOrigin(c.Origin) {
		return c, fmt.Errorf("checkpoint: line 1, the origin, is empty or has a space, a plus or a control character in it")
	}
	size, err := ParseSize(lines[1])
	if err != nil {
		return c, fmt.Errorf("checkpoint: line 2, the size: %w", err)
	}
	c.Size = size
	if c.Root, err = ParseHash64(lines[2]); err != nil {
		return c, fmt.Errorf("checkpoint: line 3, the root: %w", err)
	}
	for i, line := range lines[3:] {
		if !validLine(line) {
			return c, fmt.Errorf("checkpoint: line %d is empty, not UTF-8 or has a control character in it", i+4)
		}
	}
	if len(lines) > 3 {
		c.Extensions = lines[3:]
	}
	return c, nil
}

// ParseSize reads a tree size or a position: decimal digits without leading
// zeros, at most [MaxSize].
func ParseSize(s string) (uint64, error) {
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil || v > MaxSize || strconv.FormatUint(v, 10) != s {
		return 0, fmt.Errorf("%q is not a decimal number from 0 to %d without leading zeros", shorten(s), uint64(MaxSize))
	}
	return v, nil
}

// ParseHash64 reads a hash in standard base64.
func ParseHash64(s string) (Hash, error) {
	var h Hash
	// The decoder skips line ends; a hash has none.
	if len(s) != base64.StdEncoding.EncodedLen(HashSize) || strings.ContainsAny(s, "\r\n") {
		return h, fmt.Errorf("%q is not a hash of %d bytes in base64", shorten(s), HashSize)
	}
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || len(b) != HashSize {
		return h, fmt.Errorf("%q is not a hash of %d bytes in base64", shorten(s), HashSize)
	}
	copy(h[:], b)
	return h, nil
}

// OpenCheckpoint returns the checkpoint in a signed note, if v verifies it and
// its origin is v's name. It ignores other signatures.
func OpenCheckpoint(signed []byte, v note.Verifier) (Checkpoint, error) {
	text, err := OpenNote(signed, v, MaxNote)
	if err != nil {
		return Checkpoint{}, err
	}
	c, err := ParseCheckpoint(text)
	if err != nil {
		return Checkpoint{}, err
	}
	if c.Origin != v.Name() {
		return Checkpoint{}, fmt.Errorf("checkpoint: its origin is %q, and the key is that of %q", c.Origin, v.Name())
	}
	return c, nil
}

// OpenNote returns the text of a signed note of at most limit bytes if v
// verifies it. It ignores other signatures.
func OpenNote(signed []byte, v note.Verifier, limit int) ([]byte, error) {
	if len(signed) > limit {
		return nil, fmt.Errorf("signed note: %d bytes are more than %d", len(signed), limit)
	}
	n, err := note.Open(signed, note.VerifierList(v))
	if err != nil {
		return nil, fmt.Errorf("signed note: %w", err)
	}
	// The last character of a signature has unused bits. They must be zero, so
	// that no changed note is valid.
	for _, s := range n.Sigs {
		if _, err := base64.StdEncoding.Strict().DecodeString(s.Base64); err != nil {
			return nil, fmt.Errorf("signed note: the signature of %s is not in canonical base64", s.Name)
		}
	}
	return []byte(n.Text), nil
}

// NewVerifier parses a verifier key, `name+id+key`. White space around it is
// dropped; otherwise it has one spelling.
func NewVerifier(vkey string) (note.Verifier, error) {
	vkey = strings.TrimSpace(vkey)
	if len(vkey) > MaxNote {
		return nil, fmt.Errorf("verifier key: %d bytes are more than %d", len(vkey), MaxNote)
	}
	v, err := note.NewVerifier(vkey)
	if err != nil {
		return nil, fmt.Errorf("verifier key: %w; it reads name+id+key, the id in 8 hex digits, the key an Ed25519 one in base64", err)
	}
	_, rest, _ := strings.Cut(vkey, "+")
	_, key64, _ := strings.Cut(rest, "+")
	key, err := base64.StdEncoding.Strict().DecodeString(key64)
	if err != nil {
		return nil, fmt.Errorf("verifier key: the key is not in canonical base64: %w", err)
	}
	spelled, err := note.NewEd25519VerifierKey(v.Name(), key[1:])
	if err != nil || spelled != vkey {
		return nil, fmt.Errorf("verifier key: it is spelled %q, not %q", spelled, shorten(vkey))
	}
	if !validOrigin(v.Name()) {
		return nil, fmt.Errorf("verifier key: the name %q has a control character in it", v.Name())
	}
	return v, nil
}

// validOrigin reports whether s can be an origin and the name of a key.
func validOrigin(s string) bool {
	return validLine(s) && strings.IndexFunc(s, unicode.IsSpace) < 0 && !strings.Contains(s, "+")
}

// validLine reports whether s can be a line of a note.
func validLine(s string) bool {
	return s != "" && utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return r < 0x20 }) < 0
}

// shorten cuts hostile input in error messages.
func shorten(s string) string {
	if len(s) <= 80 {
		return s
	}
	return strings.ToValidUTF8(s[:80], "") + "…"
}
