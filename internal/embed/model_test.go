package embed

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// file writes a model with rows of ones.
func file(dimensions int, pieces ...string) []byte {
	vocabulary := strings.Join(pieces, "\n")
	b := []byte(magic)
	for _, n := range []int{version, len(pieces), dimensions, 0, len(vocabulary)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	b = append(b, vocabulary...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	for range pieces {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(1))
	}
	for range dimensions * len(pieces) {
		b = append(b, 1)
	}
	return b
}

func TestDecode(t *testing.T) {
	m, err := Decode("small", string(file(8, "he", "##llo", "##l", "##o", "!", "elephantine", "elephantinx", "internationalisations", "internationalisaTions", "##nationalisations")))
	if err != nil {
		t.Fatal(err)
	}
	if m.Name() != "small" || m.Dimensions() != 8 {
		t.Errorf("%s, %d dimensions", m.Name(), m.Dimensions())
	}
	for text, want := range map[string][]int32{
		"hello":                 {0, 1},
		"helo!":                 {0, 2, 3, 4},
		"helllo":                {0, 2, 1},
		"hex":                   nil,
		"llo":                   nil,
		"elephantine":           {5},
		"elephantinx":           {6},
		"elephantiny":           nil,
		"elephantinell":         {5, 2, 2},
		"internationalisations": {7},
		"heinternationalisations henationalisations": {0, 9},
	} {
		if got := m.Pieces(nil, text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if e := m.Embed(nil, "hello"); e.Pieces != 2 || e.Norm != float32(math.Sqrt(32)) {
		t.Errorf("%+v", e)
	}
}

// A piece of scale 0 covers its part of a word and has no vector.
func TestPieceWithoutVector(t *testing.T) {
	b := file(8, "he", "##llo")
	copy(b[len(b)-16-8:], make([]byte, 4)) // the scale of the first
	m, err := Decode("small", string(b))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Pieces(nil, "hello he"); !slices.Equal(got, []int32{1}) {
		t.Errorf("%v, want [1]", got)
	}
	if e := m.Embed(nil, "he"); e.Pieces != 0 || e.Norm != 0 || slices.Max(e.Vector) != 0 {
		t.Errorf("%+v", e)
	}
}

func TestDecodeRefuses(t *testing.T) {
	sound := file(8, "he", "##llo")
	change := func(at int, bytes ...byte) func([]byte) []byte {
		return func(b []byte) []byte { copy(b[at:], bytes); return b }
	}
	scale := func(x float32) func([]byte) []byte {
		return func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[len(b)-16-8:], math.Float32bits(x))
			return b
		}
	}
	whole := func(b []byte) func([]byte) []byte { return func([]byte) []byte { return b } }
	alike := make([]string, 200)
	for i := range alike {
		alike[i] = fmt.Sprintf("12345678%03d90123456", i)
	}
	for name, c := range map[string]struct {
		change func([]byte) []byte
		want   string
	}{
		"empty":          {whole(nil), "does not begin with HSE1"},
		"short":          {func(b []byte) []byte { return b[:23] }, "does not begin with HSE1"},
		"magic":          {change(0, 'X'), "does not begin with HSE1"},
		"version":        {change(4, 2), "version 2, only 1"},
		"no pieces":      {change(8, 0), "0 pieces"},
		"many pieces":    {change(8, 0xff, 0xff, 0xff, 0xff), "4294967295 pieces"},
		"no dimensions":  {change(12, 0), "0 dimensions"},
		"odd dimensions": {change(12, 7), "7 dimensions"},
		"large":          {change(12, 0, 0xff), "65280 dimensions"},
		"reserved":       {change(16, 1), "bytes 16 to 19"},
		"vocabulary":     {change(20, 0xff, 0xff, 0xff, 0xff), "bytes, must be"},
		"cut":            {func(b []byte) []byte { return b[:len(b)-1] }, "bytes, must be"},
		"longer":         {func(b []byte) []byte { return append(b, 0) }, "bytes, must be"},
		"not UTF-8":      {change(24, 0xff), "not UTF-8"},
		"one piece":      {change(26, 'x'), "has 1 pieces, must have 2"},
		"three pieces":   {change(28, '\n'), "has 3 pieces, must have 2"},
		"empty piece":    {whole(file(8, "he", "")), "piece 1 has 0 bytes"},
		"bare ##":        {whole(file(8, "he", "##")), "piece 1 has 0 bytes"},
		"long piece":     {whole(file(8, strings.Repeat("x", 256))), "piece 0 has 256 bytes"},
		"twice":          {whole(file(8, "he", "she", "he")), "piece 2 is there twice"},
		"alike":          {whole(file(8, alike...)), "look alike"},
		"negative scale": {scale(-1), "scale 0 is -1"},
		"tiny scale":     {scale(1e-30), "scale 0 is 1e-30"},
		"large scale":    {scale(1e30), "scale 0 is 1e+30"},
		"NaN":            {scale(float32(math.NaN())), "scale 0 is NaN"},
		"infinite":       {scale(float32(math.Inf(1))), "scale 0 is +Inf"},
		"padding":        {whole(append(file(8, "hex", "a")[:29], append([]byte{1}, file(8, "hex", "a")[30:]...)...)), "followed by zero bytes"},
	} {
		if _, err := Decode("x", string(c.change(slices.Clone(sound)))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestBuiltin(t *testing.T) {
	m := Builtin()
	if m != Builtin() {
		t.Error("it was read twice")
	}
	if m.Name() != "static-en-256/1" || m.Dimensions() != 256 || len(m.scales) != 29528 {
		t.Errorf("%s, %d dimensions, %d pieces", m.Name(), m.Dimensions(), len(m.scales))
	}
	var word [wordRoom]byte
	for id, line := range strings.Split(m.vocabulary, "\n") {
		piece, continues := strings.CutPrefix(line, continuing)
		n := copy(word[:], piece)
		copy(word[n:], "zzzzzzzz") // what follows does not matter
		if got := m.find(&word, 0, n, where(continues)); got&^mute != int32(id) || (got&mute != 0) != (m.scales[id] == 0) {
			t.Fatalf("%q is %d, want %d", line, got, id)
		}
		if got := m.find(&word, 0, n+1, where(continues)); got >= 0 && got&^mute == int32(id) {
			t.Fatalf("%q is found with a letter more", line)
		}
	}
}

// For any bytes, decoding terminates, and a decoded model can be used.
func FuzzDecode(f *testing.F) {
	f.Add(file(8, "he", "##llo", "!"), "hello!")
	f.Add(file(64, "a", "##b"), "abba")
	f.Add([]byte(magic), "")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		m, err := Decode("fuzz", string(data))
		if err != nil {
			return
		}
		e := m.Embed(nil, text)
		if ids := m.Pieces(nil, text); len(ids) != e.Pieces {
			t.Fatalf("%d pieces, and %d", len(ids), e.Pieces)
		}
		var sum float64
		for _, x := range e.Vector {
			sum += float64(x) * float64(x)
		}
		if e.Norm == 0 && sum != 0 || e.Norm != 0 && !(math.Abs(sum-1) < 1e-3) {
			t.Fatalf("norm %v, length² %v", e.Norm, sum)
		}
	})
}

// Any text is processed as described.
func FuzzPieces(f *testing.F) {
	n := newNaive(builtinData)
	for _, text := range goldenTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 1<<12 {
			sameAsNaive(t, n, text)
		}
	})
}
