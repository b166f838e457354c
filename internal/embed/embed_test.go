package embed

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"lukasa.dev/internal/testsize"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The texts that came with the model, with their pieces and the first numbers of their vectors.
func TestVectorsOfTheModel(t *testing.T) {
	file, err := os.Open("../../../shared/embed/vectors.jsonl")
	if err != nil {
		t.Skip("the model's own vectors are not here: ", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var want struct {
			Text   string    `json:"text"`
			Tokens []int32   `json:"tokens"`
			N      int       `json:"n"`
			First8 []float64 `json:"first8"`
		}
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		if got := Builtin().Pieces(nil, want.Text); !slices.Equal(got, want.Tokens) {
			t.Errorf("%q: pieces %v, want %v", want.Text, got, want.Tokens)
		}
		e := Builtin().Embed(nil, want.Text)
		if e.Pieces != want.N {
			t.Errorf("%q: %d pieces, want %d", want.Text, e.Pieces, want.N)
		}
		for i, x := range want.First8 {
			if math.Abs(float64(e.Vector[i])-x) > 1e-6 {
				t.Errorf("%q: number %d is %v, want %v", want.Text, i, e.Vector[i], x)
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// goldenTexts are of every kind that is processed differently.
var goldenTexts = []string{
	"", " \t\r\n", "a", "The", "Thanks, Mel!",
	"Yesterday I finally fixed the flaky login test; it was a race in the session cache.",
	"kubectl -n staging rollout undo deployment/api --to-revision=3",
	"func (m *Model) Embed(room []float32, text string) Embedding { return Embedding{} }",
	"panic: runtime error: index out of range [5] with length 3\n\tmain.go:42 +0x1d",
	"https://example.org/a/b?c=d&e=%20f#g", "snake_case camelCase SCREAMING-KEBAB 3.14e-10 $100 50% <b>x|y</b> `q` ~/z ^1",
	"Größe, naïveté, Ångström, İstanbul, ΣΊΣΥΦΟΣ, Ёлка, đặng", "e\u0301 = é; ﬁne ligature; K Å Ω ;·",
	"東京タワー 고양이 ハローワールド 你好,世界", "नमस्ते दुनिया שָׁלוֹם مَرْحَبًا ไทย", "🙂👍🏽 emoji joined\u200d and\u200bsplit",
	"zero\x00width\x07bell\x0bvertical\x0cfeed\x7fdelete \u00a0no\u00a0break\u3000wide\u2028line\u0085next",
	"\xff\xfe broken \xc3( UTF-8 \xed\xa0\x80 end", "qqqqzzzzxxxx jjjjjvvvv aaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	strings.Repeat("a", 100), strings.Repeat("a", 101), strings.Repeat("é", 100) + " " + strings.Repeat("é", 101),
	"𠀀𪜀 ideographs beyond the first plane 𝒜 𝄞 𐐀", strings.Repeat("All work and no play makes Jack a dull boy. ", 60),
}

// golden is the result for a text, to the bit.
type golden struct {
	Text   string   `json:"text"` // in hexadecimal, since some are not UTF-8
	Pieces []int32  `json:"pieces"`
	Norm   string   `json:"norm"`  // the bits
	First  []string `json:"first"` // the bits of the first numbers
	Digest string   `json:"digest"`
}

// The same bits on every platform.
func TestGoldenBits(t *testing.T) {
	var got bytes.Buffer
	for _, text := range goldenTexts {
		e := Builtin().Embed(nil, text)
		g := golden{Text: hex.EncodeToString([]byte(text)), Norm: fmt.Sprintf("%08x", math.Float32bits(e.Norm))}
		g.Pieces = append([]int32{}, Builtin().Pieces(nil, text)...)
		for _, x := range e.Vector[:4] {
			g.First = append(g.First, fmt.Sprintf("%08x", math.Float32bits(x)))
		}
		sum := sha256.Sum256(vectorBytes(e.Vector))
		g.Digest = hex.EncodeToString(sum[:])
		line, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		got.Write(append(line, '\n'))
	}
	const file = "testdata/golden.jsonl"
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines, wanted := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	if len(lines) != len(wanted) {
		t.Fatalf("%d lines, want %d", len(lines), len(wanted))
	}
	for i := range lines {
		if lines[i] != wanted[i] {
			t.Errorf("%q:\n got %s\nwant %s", goldenTexts[i], lines[i], wanted[i])
		}
	}
}

func vectorBytes(v []float32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// sameAsNaive fails unless the model and the naive one agree on a text, to the bit.
func sameAsNaive(t *testing.T, n *naive, text string) {
	t.Helper()
	want := n.pieces(text)
	if got := Builtin().Pieces(nil, text); !slices.Equal(got, want) {
		t.Fatalf("%+q:\n got pieces %v\nwant %v", text, got, want)
	}
	vector, norm := n.embed(text)
	e := Builtin().Embed(nil, text)
	if e.Pieces != len(want) || math.Float32bits(e.Norm) != math.Float32bits(norm) || !bytes.Equal(vectorBytes(e.Vector), vectorBytes(vector)) {
		t.Fatalf("%+q: pieces %d, norm %v, want %d, %v, and the same vector", text, e.Pieces, e.Norm, len(want), norm)
	}
}

func TestNaiveTexts(t *testing.T) {
	n := newNaive(builtinData)
	for _, text := range goldenTexts {
		sameAsNaive(t, n, text)
	}
	pieces := strings.Split(builtinData[24:24+int(word32(builtinData, 20))], "\n")
	random := rand.New(rand.NewPCG(1, 2))
	parts := []func() string{
		func() string { return strings.TrimPrefix(pieces[random.IntN(len(pieces))], "##") },
		func() string { return strings.ToUpper(strings.TrimPrefix(pieces[random.IntN(len(pieces))], "##")) },
		func() string { return " " },
		func() string { return string(rune(random.IntN(128))) },
		func() string { return string(rune(random.IntN(0x3000))) },
		func() string { return string(rune(random.IntN(unicode.MaxRune + 1))) },
		func() string { return string([]byte{byte(random.IntN(256))}) },
		func() string {
			return []string{"\u0301", "\u0323", "\u302e", "\u0345", "각", "Ǖ", "ﷺ", "ſ"}[random.IntN(8)]
		},
		func() string { return strings.Repeat("ab", random.IntN(60)) },
	}
	for range 1500 {
		var text strings.Builder
		for range random.IntN(40) {
			// The first kinds more often: words that the vocabulary covers.
			text.WriteString(parts[min(random.IntN(len(parts)), random.IntN(len(parts)))]())
		}
		sameAsNaive(t, n, text.String())
	}
}

// No piece of a word of many pieces is lost, wherever it is in a text.
func TestNaiveBatches(t *testing.T) {
	n := newNaive(builtinData)
	word := strings.Repeat("zq", 50)
	if pieces := len(n.pieces(word)); pieces < 95 {
		t.Fatalf("%d pieces are too few", pieces)
	}
	for before := 0; before < 300; before += 3 {
		sameAsNaive(t, n, strings.Repeat("a ", before)+word+" "+word+" "+word+"\u20ac end")
	}
}

// Each character, alone and within a word, is processed as described.
func TestNaiveCharacters(t *testing.T) {
	testsize.OneGoroutine(t)
	n := newNaive(builtinData)
	var room []int32
	for c := rune(0); c <= unicode.MaxRune; c++ {
		if c > 0x33000 && c < 0xe0000 || c > 0xe0200 && c&0xff != 0 {
			continue // unassigned
		}
		text := "a" + string(c) + "b"
		room = Builtin().Pieces(room[:0], text)
		if want := n.pieces(text); !slices.Equal(room, want) {
			t.Fatalf("%U: got %v, want %v", c, room, want)
		}
	}
}

// Decomposing characters one by one equals NFD, where that does not reorder.
func TestNaiveDecomposition(t *testing.T) {
	for c := rune(0x80); c <= unicode.MaxRune; c++ {
		if !utf8.ValidRune(c) {
			continue
		}
		s := string(c)
		var got []rune
		if letters, ok := hangul(c); ok {
			for _, l := range letters {
				if l != 0 {
					got = append(got, l)
				}
			}
		} else if parts := norm.NFD.PropertiesString(s).Decomposition(); parts != nil {
			got = []rune(string(parts))
		} else {
			got = []rune{c}
		}
		if want := norm.NFD.String(s); string(got) != want {
			t.Fatalf("%U: %+q, want %+q", c, string(got), want)
		}
	}
}

func TestRoomIsUsed(t *testing.T) {
	room := make([]float32, 300)
	room[0] = 7
	e := Builtin().Embed(room, "hello there")
	if &e.Vector[0] != &room[0] || len(e.Vector) != 256 {
		t.Error("large enough room was not used")
	}
	if fresh := Builtin().Embed(make([]float32, 9), "hello there"); !slices.Equal(fresh.Vector, e.Vector) {
		t.Error("what was in the room is in the vector")
	}
	if ids := Builtin().Pieces([]int32{-5}, "hello"); len(ids) != 2 || ids[0] != -5 {
		t.Errorf("pieces were not appended: %v", ids)
	}
}

func TestLengthIsOne(t *testing.T) {
	for _, text := range goldenTexts {
		e := Builtin().Embed(nil, text)
		var sum float64
		for _, x := range e.Vector {
			sum += float64(x) * float64(x)
		}
		if want := 1.0; e.Pieces == 0 && (sum != 0 || e.Norm != 0) || e.Pieces > 0 && (math.Abs(sum-want) > 1e-5 || e.Norm <= 0) {
			t.Errorf("%q: %d pieces, norm %v, length² %v", text, e.Pieces, e.Norm, sum)
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	room := make([]float32, 256)
	ids := make([]int32, 0, 1000)
	for _, text := range goldenTexts {
		if n := testing.AllocsPerRun(3, func() {
			Builtin().Embed(room, text)
			Builtin().Pieces(ids, text)
		}); n != 0 {
			t.Errorf("%q: %v allocations", text, n)
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	want := Builtin().Embed(nil, goldenTexts[5])
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := Builtin().Embed(nil, goldenTexts[5]); !slices.Equal(got.Vector, want.Vector) {
				t.Error("another vector")
			}
		})
	}
	all.Wait()
}

// BenchmarkTurns embeds different turns of a chat: words of the vocabulary, the frequent ones
// more often, 30 pieces.
func BenchmarkTurns(b *testing.B) {
	m := Builtin()
	words := strings.Split(m.vocabulary, "\n")[1000:]
	random := rand.New(rand.NewPCG(7, 8))
	turns := make([]string, 4000)
	bytes := 0
	for i := range turns {
		var turn strings.Builder
		for turn.Len() == 0 || len(m.Pieces(nil, turn.String())) < 30 {
			turn.WriteString(strings.TrimPrefix(words[int(float64(len(words))*math.Pow(random.Float64(), 3))], continuing) + " ")
		}
		turns[i] = turn.String()
		bytes += turn.Len()
	}
	room := make([]float32, m.Dimensions())
	b.SetBytes(int64(bytes / len(turns)))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		m.Embed(room, turns[i%len(turns)])
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "texts/s")
}

func BenchmarkLong(b *testing.B) {
	for _, c := range []struct{ name, part string }{
		{"english", goldenTexts[5] + " "},
		{"code", goldenTexts[7] + "\n"},
		{"german", "Der Server läuft nicht mehr, weil die Größe des Speichers überschritten wurde. "},
		{"japanese", "東京タワーは日本の東京都港区にある総合電波塔である。"},
		{"gibberish", "qzxjvkwpqzxjvkwpqzxjvkwpqzxjvkwpqzxjvkwpqzxjvkwpqzxjvkwpqzxjvkwpqzxjvkwpqzxjvkwp "},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := strings.Repeat(c.part, 1<<20/len(c.part))
			room := make([]float32, 256)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Builtin().Embed(room, text)
			}
		})
	}
}

func BenchmarkPieces(b *testing.B) {
	var ids []int32
	b.SetBytes(int64(len(goldenTexts[5])))
	for b.Loop() {
		ids = Builtin().Pieces(ids[:0], goldenTexts[5])
	}
}

func BenchmarkDecode(b *testing.B) {
	for b.Loop() {
		if _, err := Decode("bench", builtinData); err != nil {
			b.Fatal(err)
		}
	}
}
