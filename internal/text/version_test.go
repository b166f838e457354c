package text

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// TestVersion fails when texts give other tokens than before. Existing indexes are then useless
// to queries: raise Version, and put the new digest here.
func TestVersion(t *testing.T) {
	const (
		version = 1
		digest  = "a8ce00bb927f6e0c19ef59fcf0c67fad"
	)
	hash := sha256.New()
	add := func(field Field, s string) {
		for _, token := range Analyze(nil, field, s) {
			var b [16]byte
			binary.LittleEndian.PutUint64(b[:], uint64(token.Term))
			binary.LittleEndian.PutUint32(b[8:], token.At)
			b[12] = byte(token.Field)
			hash.Write(b[:])
		}
	}
	rnd := rand.New(rand.NewPCG(11, 12))
	for range 2000 {
		add(FieldText, randomText(rnd, scraps, 16))
	}
	add(FieldText, chat)
	add(FieldTitle, chat)
	add(FieldKey, tool)
	var letters strings.Builder
	for r := rune(0x80); r < 0x20000; r++ {
		if unicode.IsLetter(r) && r%3 == 0 {
			letters.WriteRune(r)
			letters.WriteByte(' ')
		}
	}
	add(FieldText, letters.String())
	if got := hex.EncodeToString(hash.Sum(nil)[:16]); got != digest || Version != version {
		t.Errorf("version %d with digest %s, want %d with %s", Version, got, version, digest)
	}
}

// TestUnicode fails when the Unicode tables change. Check whether TestVersion still holds; new
// letters may give other tokens even so.
func TestUnicode(t *testing.T) {
	if unicode.Version != "15.0.0" || norm.Version != "15.0.0" {
		t.Errorf("tables are of Unicode %s and %s", unicode.Version, norm.Version)
	}
}
