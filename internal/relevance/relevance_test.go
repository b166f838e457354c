package relevance_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"lukasa.dev/internal/relevance"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		" \t.,-/ ":                       "",
		"Releases are cut on Tuesdays.":  "releases are cut on tuesdays",
		"round_refund":                   "round refund roundrefund",
		"roundRefund":                    "round refund roundrefund",
		"HTTPServer":                     "http server httpserver",
		"HTTP":                           "http",
		"A":                              "a",
		"aB":                             "a b ab",
		"utf8":                           "utf 8 utf8",
		"o200k":                          "o 200 k o200k",
		"ID":                             "id",
		"userID":                         "user id userid",
		"__init__":                       "init",
		"_":                              "",
		"internal/pack/pack.go":          "internal pack pack go",
		"https://example.com/a?b=c#d":    "https example com a b c d",
		"don't":                          "don t",
		"C:\\Users\\Ann":                 "c users ann",
		"Größe":                          "größe",
		"ΣΊΣΥΦΟΣ":                        "σίσυφοσ",
		"e\u0301tat E\u0301tat":          "e\u0301tat e\u0301tat",
		"ÉTAT":                           "état",
		"日本語":                            "日本 本語",
		"日":                              "日",
		"Go言語x":                          "go 言語 x",
		"コーヒー":                           "コー ーヒ ヒー",
		"٣ apples":                       "٣ apples",
		"\u0301a":                        "a",
		"a\xffb":                         "a b",
		"v1.26.4":                        "v 1 v1 26 4",
		"TestRefundRounding/150.005":     "test refund rounding testrefundrounding 150 005",
		"SCREAMING_SNAKE":                "screaming snake screamingsnake",
		"modify:file=internal/x_test.go": "modify file internal x test xtest go",
		"emoji 👩‍👩‍👧 and \u200bzero width": "emoji and zero width",
	} {
		if got := strings.Join(relevance.Words(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestWordsAreBounded bounds the length of words, so that a text of one word does not become a
// word of a megabyte.
func TestWordsAreBounded(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("a", 1<<20), strings.Repeat("aB", 1<<19), strings.Repeat("日", 1<<16), strings.Repeat("A", 1<<20) + "b", strings.Repeat("_", 1<<20),
	} {
		for _, w := range relevance.Words(text) {
			if len(w) > 64+utf8.UTFMax {
				t.Fatalf("a word of %d bytes", len(w))
			}
		}
	}
}

// TestWordsOfAnything holds for every text: words are lower-case, not empty, and splitting them
// again gives the same.
func TestWordsOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-zA-Z0-9_./ é日本-]{0,40}`)).Draw(t, "text")
		words := relevance.Words(text)
		if !slices.Equal(words, relevance.Words(text)) {
			t.Fatal("a second look differs")
		}
		for _, w := range words {
			if w == "" || strings.ContainsAny(w, " _./-") || !utf8.ValidString(w) {
				t.Fatalf("%q is no word", w)
			}
		}
		// What is between words does not matter.
		if spaced := relevance.Words(" \n" + text + "\t."); !slices.Equal(words, spaced) {
			t.Fatalf("%q, with space around it %q", words, spaced)
		}
	})
}

// naive is textbook BM25, with the platform's logarithm.
func naive(question string, texts []string) []float64 {
	var terms []string
	for _, w := range relevance.Words(question) {
		if !slices.Contains(terms, w) && len(terms) < relevance.MaxTerms {
			terms = append(terms, w)
		}
	}
	split := make([][]string, len(texts))
	mean := 0.0
	for i, text := range texts {
		split[i] = relevance.Words(text)
		mean += float64(len(split[i])) / float64(len(texts))
	}
	scores := make([]float64, len(texts))
	best := 0.0
	for i, words := range split {
		for _, term := range terms {
			having, times := 0.0, 0.0
			for _, other := range split {
				if slices.Contains(other, term) {
					having++
				}
			}
			for _, w := range words {
				if w == term {
					times++
				}
			}
			if times > 0 {
				idf := math.Log(1 + (float64(len(texts))-having+0.5)/(having+0.5))
				scores[i] += idf * times * 2.2 / (times + 1.2*(0.25+0.75*float64(len(words))/mean))
			}
		}
		best = max(best, scores[i])
	}
	for i := range scores {
		if best > 0 {
			scores[i] /= best
		}
	}
	return scores
}

var vocabulary = rapid.SampledFrom([]string{"refund", "rounding", "roundRefund", "the", "invoice", "billing/refund.go", "ledger", "日本語", "half", "up", ""})

func drawText(t *rapid.T, name string, most int) string {
	return strings.Join(rapid.SliceOfN(vocabulary, 0, most).Draw(t, name), " ")
}

// TestRank compares with the naive formula, in any order of the texts.
func TestRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		question := drawText(t, "question", 6)
		var texts []string
		for range rapid.IntRange(1, 12).Draw(t, "texts") {
			texts = append(texts, drawText(t, "text", 15))
		}
		want := naive(question, texts)
		order := rapid.Permutation(texts).Draw(t, "order")
		r, shuffled := relevance.Rank(question), relevance.Rank(question)
		for i, text := range texts {
			cut := len(text) / 2
			for cut > 0 && cut < len(text) && text[cut] != ' ' {
				cut--
			}
			if n, matches := r.Add(text[:cut], text[cut:]); n != i || matches != (want[i] > 0) {
				t.Fatalf("text %d is number %d and matches: %v; its score is %v", i, n, matches, want[i])
			}
		}
		for _, text := range order {
			shuffled.Add(text)
		}
		for i, text := range texts {
			got := r.Score(i)
			if math.Abs(got-want[i]) > 1e-9 || got < 0 || got > 1 {
				t.Fatalf("%q for %q: %v, want %v", text, question, got, want[i])
			}
			if again := shuffled.Score(slices.Index(order, text)); again != got {
				t.Fatalf("in another order %v, before %v", again, got)
			}
			if rated := r.Rate(text); rated != got {
				t.Fatalf("rated %v, scored %v", rated, got)
			}
		}
	})
}

// TestOrder checks that the order is what a reader would expect.
func TestOrder(t *testing.T) {
	texts := []string{
		"The invoice was sent on Monday.",
		"Refunds round half up.",
		"How roundRefund rounds: half away from zero, see billing/refund.go.",
		"Nothing to do with it.",
	}
	r := relevance.Rank("round refund half")
	for _, text := range texts {
		r.Add(text)
	}
	if !(r.Score(2) == 1 && r.Score(2) > r.Score(1) && r.Score(1) > 0 && r.Score(0) == 0 && r.Score(3) == 0) {
		t.Errorf("%v %v %v %v", r.Score(0), r.Score(1), r.Score(2), r.Score(3))
	}
	// A text that was not added can be as good as the best, and no better.
	if got := r.Rate(strings.Repeat("round refund half ", 3)); got != 1 {
		t.Errorf("rated %v", got)
	}
	if got := r.Rate("a monday"); got != 0 {
		t.Errorf("rated %v", got)
	}
}

// TestNothing covers an empty question and no texts.
func TestNothing(t *testing.T) {
	r := relevance.Rank("...")
	if n, matches := r.Add("some text"); n != 0 || matches || r.Score(0) != 0 {
		t.Errorf("number %d, matches %v, score %v", n, matches, r.Score(0))
	}
	empty := relevance.Rank("refund")
	if got := empty.Rate("refund"); got != 1 {
		t.Errorf("among no texts: %v", got)
	}
	blank := relevance.Rank("refund")
	blank.Add()
	blank.Add("")
	if blank.Score(0) != 0 || blank.Score(1) != 0 || blank.Rate("refund") != 1 {
		t.Error("empty texts have scores")
	}
}

// TestBits pins the bits of a score, which must be the same on every platform.
func TestBits(t *testing.T) {
	r := relevance.Rank("half away from zero refund rounding")
	for _, text := range []string{"Refunds round half away from zero.", "Half of the refund was sent.", "Zero.", "away away away from home", "rounding rounding refund"} {
		r.Add(text)
	}
	want := []uint64{0x3fef1deedf4df29c, 0x3fdf1deedf4df29c, 0x3fda911a6ef40f22, 0x3fe64957da534c9f, 0x3ff0000000000000}
	for i, bits := range want {
		if got := math.Float64bits(r.Score(i)); got != bits {
			t.Errorf("text %d: %#x, want %#x", i, got, bits)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	text := strings.Repeat("The refund of roundRefund in billing/refund.go rounds half away from zero. ", 4)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	r := relevance.Rank("refund rounding half")
	for b.Loop() {
		r.Add(text)
	}
}
