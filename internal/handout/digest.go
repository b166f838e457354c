package handout

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

// sipKey is a key of SipHash.
type sipKey [2]uint64

func sipKeyOf(b []byte) sipKey {
	return sipKey{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}

// sip is SipHash-2-4 of a word followed by data.
func (k sipKey) sip(word uint64, data []byte) uint64 {
	v0, v1, v2, v3 := k[0]^0x736f6d6570736575, k[1]^0x646f72616e646f6d, k[0]^0x6c7967656e657261, k[1]^0x7465646279746573
	round := func() {
		v0 += v1
		v1 = bits.RotateLeft64(v1, 13) ^ v0
		v0 = bits.RotateLeft64(v0, 32)
		v2 += v3
		v3 = bits.RotateLeft64(v3, 16) ^ v2
		v0 += v3
		v3 = bits.RotateLeft64(v3, 21) ^ v0
		v2 += v1
		v1 = bits.RotateLeft64(v1, 17) ^ v2
		v2 = bits.RotateLeft64(v2, 32)
	}
	take := func(w uint64) {
		v3 ^= w
		round()
		round()
		v0 ^= w
	}
	size := len(data) + 8
	take(word)
	for ; len(data) >= 8; data = data[8:] {
		take(binary.LittleEndian.Uint64(data))
	}
	last := uint64(size) << 56
	for i, b := range data {
		last |= uint64(b) << (8 * i)
	}
	take(last)
	v2 ^= 0xff
	for range 4 {
		round()
	}
	return v0 ^ v1 ^ v2 ^ v3
}

// formBit is the bit of a digest for the form of its line: with a list sign, a label, or
// another sign that it was handed out. The other bits are the hash.
const formBit = 1

// minAlone is the minimum of bytes of letters and digits of a line that is recognised by
// itself. Shorter lines are too common.
const minAlone = 20

// line returns the digest of the letters of a line, without the bit of its form.
func (m *Marks) line(letters []byte) uint64 { return m.lines.sip(0, letters) &^ formBit }

// chunk is the number of letters of each step of partial digests.
const chunk = 16

// parts calls a function with the digests of the beginnings of a line, or of its ends: of 16
// letters, of 32 and so on, with growing distances. Each is computed from the one before.
func (k sipKey) parts(letters []byte, fromEnd bool, visit func(digest uint64)) {
	var h uint64
	next := chunk
	for n := chunk; n <= len(letters); n += chunk {
		part := letters[n-chunk : n]
		if fromEnd {
			part = letters[len(letters)-n : len(letters)-n+chunk]
		}
		h = k.sip(h, part)
		if n == next {
			visit(h)
			next += max(chunk, 1<<(bits.Len(uint(n))-1)/2)
		}
	}
}

// Digests returns the digests of what is handed out, to be stored: of every line of a text, and
// of beginnings and ends of the longer ones.
func (m *Marks) Digests(text string) []uint64 {
	var out []uint64
	var letters []byte
	for text != "" {
		n := lineLen(text)
		line := strings.TrimRight(text[:n], lineEnds)
		text = text[n:]
		rest := skipLead(line)
		if letters = appendLetters(letters[:0], rest); len(letters) == 0 {
			continue
		}
		d := m.line(letters)
		if hasForm(line[:len(line)-len(rest)], rest) {
			d |= formBit
		}
		out = append(out, d)
		if len(letters) >= minAlone {
			add := func(digest uint64) { out = append(out, digest) }
			m.heads.parts(letters, false, add)
			m.tails.parts(letters, true, add)
		}
	}
	return out
}

// skipLead returns a line without its leading signs.
func skipLead(line string) string {
	var quoted bool
	return skipSigns(line, &quoted)
}

// denial is the prefix of a denial.
const denial = "Lukasa:"

// hasForm reports whether a line has the form of what is handed out: a list or heading sign
// before it, or a number, a label or Lukasa's name at its beginning.
func hasForm(lead, rest string) bool {
	return strings.ContainsAny(lead, "-*+•#") || strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, denial) || numberLen(rest) > 0 || strings.Contains(rest, opening)
}
