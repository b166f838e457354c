package embed

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// naive is the model as described, step by step, without regard to speed.
type naive struct {
	dimensions int
	ids        map[string]int32
	scales     []float32
	rows       string
}

func newNaive(data string) *naive {
	v, d, b := int(word32(data, 8)), int(word32(data, 12)), int(word32(data, 20))
	n := &naive{dimensions: d, ids: map[string]int32{}}
	for i, piece := range strings.Split(data[24:24+b], "\n") {
		n.ids[piece] = int32(i)
	}
	at := (24 + b + 3) / 4 * 4
	for i := range v {
		n.scales = append(n.scales, math.Float32frombits(word32(data, at+4*i)))
	}
	n.rows = data[at+4*v:]
	return n
}

// words splits a text.
func (n *naive) words(text string) []string {
	var kept []rune
	for _, r := range norm.NFD.String(text) {
		white := r == '\t' || r == '\n' || r == '\r'
		if !white && unicode.In(r, unicode.Mn, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs) {
			continue
		}
		kept = append(kept, unicode.ToLower(r))
	}
	var words []string
	var word string
	end := func() {
		if word != "" {
			words = append(words, word)
		}
		word = ""
	}
	for _, r := range kept {
		switch {
		case unicode.IsSpace(r):
			end()
		case isPunctuation(r) || isIdeograph(r):
			end()
			word = string(r)
			end()
		default:
			word += string(r)
		}
	}
	end()
	return words
}

func isPunctuation(r rune) bool {
	return r >= 33 && r <= 47 || r >= 58 && r <= 64 || r >= 91 && r <= 96 || r >= 123 && r <= 126 || unicode.IsPunct(r)
}

// isIdeograph is BERT's definition of a Chinese character.
func isIdeograph(r rune) bool {
	for _, block := range [][2]rune{{0x4e00, 0x9fff}, {0x3400, 0x4dbf}, {0x20000, 0x2a6df}, {0x2a700, 0x2b73f},
		{0x2b740, 0x2b81f}, {0x2b820, 0x2ceaf}, {0xf900, 0xfaff}, {0x2f800, 0x2fa1f}} {
		if r >= block[0] && r <= block[1] {
			return true
		}
	}
	return false
}

// pieces returns the pieces of a text.
func (n *naive) pieces(text string) []int32 {
	ids := []int32{}
	for _, word := range n.words(text) {
		ids = append(ids, n.cover(word)...)
	}
	return ids
}

func (n *naive) cover(word string) []int32 {
	if utf8.RuneCountInString(word) > 100 {
		return nil
	}
	var ids []int32
	prefix := ""
	for word != "" {
		end := len(word)
		for end > 0 {
			if id, ok := n.ids[prefix+word[:end]]; ok {
				if n.scales[id] != 0 {
					ids = append(ids, id)
				}
				break
			}
			end--
		}
		if end == 0 {
			return nil
		}
		word, prefix = word[end:], "##"
	}
	return ids
}

// embed returns the vector of a text and its norm.
func (n *naive) embed(text string) ([]float32, float32) {
	sum := make([]float32, n.dimensions)
	for _, id := range n.pieces(text) {
		for i := range sum {
			product := n.scales[id] * float32(int8(n.rows[int(id)*n.dimensions+i]))
			sum[i] = sum[i] + float32(product)
		}
	}
	var parts [4]float64
	for i, x := range sum {
		parts[i%4] += float64(float64(x) * float64(x))
	}
	length := float32(math.Sqrt(parts[0] + parts[1] + parts[2] + parts[3]))
	if length == 0 {
		return make([]float32, n.dimensions), 0
	}
	for i := range sum {
		sum[i] /= length
	}
	return sum, length
}
