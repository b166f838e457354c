package quote

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/internal/quote/quotetest"
	"lukasa.dev/internal/testsize"
	"lukasa.dev/internal/tokens"
)

const minutes = "We met at nine. Ann said that the build is green. Ben had no news. " +
	"The certificate of the mail server expires on 3 May. Clara will renew it before. Then we spoke about lunch. Nobody was hungry yet."

func TestSpan(t *testing.T) {
	rows := strings.Repeat(`{"id":12345,"name":"x-y","ok":true},`, 80)
	long := strings.Repeat("Nothing of note happened on this day. ", 40)
	for _, c := range []struct {
		name, text string
		most       int
		words      []string
		want       string
		cut        bool
	}{
		{"whole", minutes, 100, nil, minutes, false},
		{"a sentence and its neighbours", minutes, 34, []string{"certificate", "expires"},
			"[truncated] Ben had no news. The certificate of the mail server expires on 3 May. Clara will renew it before. [truncated]", true},
		{"words as written", minutes, 22, []string{"CLARA"}, "[truncated] Clara will renew it before. Then we spoke about lunch. [truncated]", true},
		{"begins a word", minutes, 15, []string{"ews", "reen", "renew"}, "[truncated] Clara will renew it before. [truncated]", true},
		{"the first", minutes, 14, []string{"met"}, "We met at nine. [truncated]", true},
		{"the last", minutes, 20, []string{"hungry"}, "[truncated] Then we spoke about lunch. Nobody was hungry yet.", true},
		{"no word", minutes, 12, []string{"elephant"}, "We met at nine. Ann said that [truncated]", true},
		{"more words", long + "Ann met Ben.\n" + long + "Ann met Ben in Rome.\n" + long, 20, []string{"ann", "ben", "rome"}, "[truncated] Ann met Ben in Rome.\n [truncated]", true},
		{"a rarer word", "Ann ate. " + long + "Ann. Ben. " + long + "Ann slept.", 13, []string{"ann", "ben"}, "[truncated] Ann. Ben. [truncated]", true},
		{"a word of what has no white space", rows + `{"error":"walruses"},` + rows, 60, []string{"walruses"}, "[truncated] " + `true},{"error":"walruses"},{"id":12345,"name":"x-y","ok":true},{"id":12345,"name":"x-y","ok":true},{` + " [truncated]", true},
		{"no word of it", rows, 20, []string{"elephant"}, `{"id":12345,"name":"x-y","ok":true},{"id` + " [truncated]", true},
		{"no room", minutes, 3, []string{"ann"}, "", true},
		{"none", minutes, 0, nil, "", true},
		{"nothing", "", 0, nil, "", false},
	} {
		got, cut := Span(tokens.O200k(), c.text, c.most, c.words)
		if strings.ReplaceAll(got, "\n", "") != strings.ReplaceAll(c.want, "\n", "") || cut != c.cut {
			t.Errorf("%s: %q (%d tokens), want %q", c.name, got, tokens.O200k().Count(got), c.want)
		}
	}
}

// checkSpan checks the promises of Span.
func checkSpan(t *testing.T, c tokens.Counter, text string, most int, words []string) {
	t.Helper()
	out, cut := Span(c, text, most, words)
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	if n := max(c.Count(out), c.Count(Visible(out))); n > max(0, most) {
		t.Fatalf("%s: %q has %d tokens of %d, from %q", c.Name(), out, n, most, text)
	}
	if !cut {
		if out != text && out != strings.TrimSpace(text) {
			t.Fatalf("not cut: %q from %q", out, text)
		}
		return
	}
	if out == "" {
		return
	}
	kept := out
	before, isBefore := strings.CutPrefix(kept, Truncated+" ")
	if isBefore && !strings.HasPrefix(text, out) {
		kept = before
	}
	kept, behind := strings.CutSuffix(kept, " "+Truncated)
	if !behind && !isBefore {
		t.Fatalf("no marker in %q from %q", out, text)
	}
	if strings.TrimSpace(kept) == "" || !strings.Contains(text, kept) {
		t.Fatalf("%q is no part of %q", kept, text)
	}
}

func TestSpanProperties(t *testing.T) {
	testsize.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(5, 5))
	vocabulary := []string{"deploy", "certificate", "Ann", "x", "failed", "a", "the", "server's", "12:30", "Grüße", "世界世界世界", "deadbeefcafe0123456789abcdef", "。", ".", "!\n", "\n\n", "?", "…", "```", "\u200B", "\x1b[0m", "👨\u200D👩\u200D👧", "İ", "\xff"}
	for range 1500 {
		var b strings.Builder
		for range rng.IntN(120) {
			b.WriteString(vocabulary[rng.IntN(len(vocabulary))])
			if rng.IntN(6) > 0 {
				b.WriteByte(" \n"[rng.IntN(10)/9])
			}
		}
		words := []string{"deploy", "certificate", "世界", "12", "ann"}[:rng.IntN(6)]
		c := []tokens.Counter{tokens.O200k(), tokens.Estimate()}[rng.IntN(2)]
		checkSpan(t, c, b.String(), rng.IntN(150), words)
	}
	for range 1000 {
		text := quotetest.Hostile(rng) + quotetest.Hostile(rng) + quotetest.Hostile(rng)
		checkSpan(t, tokens.O200k(), text, rng.IntN(80), []string{"system", "quote", "a"})
	}
}

// TestSpanBetweenWords: no word is split in a text with signs but no blanks between words.
func TestSpanBetweenWords(t *testing.T) {
	testsize.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(7, 7))
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	for range 1500 {
		var b strings.Builder
		count := 50 + rng.IntN(400)
		for i := range count {
			// No two words are alike, so that the kept ones are known.
			fmt.Fprint(&b, []string{"id", "größe", "user_name", "Δt", "https"}[rng.IntN(5)], i, []string{`":"`, ",", "/", "-", "},{", "…"}[rng.IntN(6)])
		}
		text := b.String()
		c := []tokens.Counter{tokens.O200k(), tokens.Estimate()}[rng.IntN(2)]
		out, cut := Span(c, text, 10+rng.IntN(80), []string{fmt.Sprint("user_name", rng.IntN(count))})
		kept := strings.TrimSuffix(strings.TrimPrefix(out, Truncated+" "), " "+Truncated)
		from := strings.Index(text, kept)
		if !cut || kept == "" || from < 0 {
			t.Fatalf("%q of %q", out, text)
		}
		for _, at := range []int{from, from + len(kept)} {
			before, _ := utf8.DecodeLastRuneInString(text[:at])
			behind, _ := utf8.DecodeRuneInString(text[at:])
			if inWord(before) && inWord(behind) {
				t.Fatalf("%q cuts a word of %q", out, text[max(0, at-20):min(len(text), at+20)])
			}
		}
	}
}

// TestSpanKeepsMarks: no character loses its combining marks, however long a word is.
func TestSpanKeepsMarks(t *testing.T) {
	testsize.OneGoroutine(t)
	for _, text := range []string{
		"ก" + strings.Repeat("ที", 3000), strings.Repeat("कि", 3001), strings.Repeat("e\u0301", 3000), strings.Repeat("👍🏽", 3000),
		strings.Repeat("x", spanBytes-1) + strings.Repeat("e\u0301", 3000),
	} {
		for most := 13; most < 700; most += 7 {
			out, _ := Span(tokens.O200k(), text, most, nil)
			kept, cut := strings.CutSuffix(out, " "+Truncated)
			if !cut {
				continue // nothing is kept
			}
			if next, _ := utf8.DecodeRuneInString(text[len(kept):]); !strings.HasPrefix(text, kept) || unicode.Is(unicode.M, next) || unicode.Is(unicode.Sk, next) {
				t.Fatalf("%d tokens of %.20q: what comes next is %q", most, text, next)
			}
		}
	}
}

// TestSpanHasWhatIsAsked: a word of the question is in the result, wherever it stands in a text
// without blanks.
func TestSpanHasWhatIsAsked(t *testing.T) {
	testsize.OneGoroutine(t)
	for _, c := range []struct{ before, word, behind string }{{"数", "连接池", "据"}, {"ก", "รีสตาร์ท", "ข"}, {"ab,", "walruses", ",cd"}} {
		for before := 1; before < 220; before++ {
			for _, most := range []int{56, 64, 128} {
				text := strings.Repeat(c.before, before) + c.word + strings.Repeat(c.behind, 500)
				if out, _ := Span(tokens.O200k(), text, most, []string{c.word}); !strings.Contains(out, c.word) {
					t.Fatalf("%d times %q before it, %d tokens: %q", before, c.before, most, out)
				}
			}
		}
	}
}

// TestSpanOfLongTexts: no word is split where the rest of a text is not read.
func TestSpanOfLongTexts(t *testing.T) {
	fill := strings.Repeat("Nothing of note happened on this day. ", 2000)
	for n := range 40 {
		text := fill[:spanBytes-n] + " Refund total is EUR 1234567890 and no more. " + fill
		out, _ := Span(tokens.O200k(), text, 64, []string{"refund"})
		if at := strings.Index(out, "EUR 1"); at >= 0 && !strings.HasPrefix(out[at:], "EUR 1234567890 ") {
			t.Errorf("%d before the end: %q", n, out)
		}
	}
}

// TestSpanBetweenJoined: a character that becomes hidden by the cut counts in its visible form.
func TestSpanBetweenJoined(t *testing.T) {
	for _, text := range []string{"❤️\u200D🔥 We met at nin", strings.Repeat("👩🏽\u200D🚀", 40), strings.Repeat("می\u200Cخواهم ", 40), strings.Repeat("❤️", 60)} {
		for most := range 40 {
			checkSpan(t, tokens.O200k(), text, most, nil)
			checkSpan(t, tokens.O200k(), text, most, []string{"we", "🚀"})
		}
	}
}

// TestSpanAsLongAsTheText: a text is also cut if the marker is as long as the omission.
func TestSpanAsLongAsTheText(t *testing.T) {
	for n := range 40 {
		text := "Ann met Ben in Rome, and he was late. " + strings.Repeat("9#", n)[:n]
		for most := 10; most < 40; most++ {
			checkSpan(t, tokens.O200k(), text, most, []string{"rome"})
		}
	}
}

// laborious counts the bytes that it is asked to count.
type laborious struct {
	tokens.Counter
	bytes int
}

func (l *laborious) Count(text string) int {
	l.bytes += len(text)
	return l.Counter.Count(text)
}

// TestSpanOfMuch: long texts, of one word or of hidden characters, are cut without counting
// them over and over.
func TestSpanOfMuch(t *testing.T) {
	for name, text := range map[string]string{
		"words":   strings.Repeat("some words of a log 2026-03-14 failed\n", 30_000),
		"a word":  strings.Repeat("x", 1<<20),
		"blanks":  "a" + strings.Repeat(" ", 1<<20) + "b",
		"hidden":  strings.Repeat("\u200B", 1<<18) + "failed",
		"mixed":   strings.Repeat("failed \u200Bx\x1b[0m ", 1<<16),
		"Chinese": strings.Repeat("世界", 1<<17),
		"ticks":   strings.Repeat("`", 1<<20),
	} {
		for _, most := range []int{64, 500} {
			words := []string{"failed", "x", "世"}
			checkSpan(t, tokens.O200k(), text, most, words)
			l := &laborious{Counter: tokens.O200k()}
			Span(l, text, most, words)
			if l.bytes > 64*spanBytes {
				t.Errorf("%s, %d tokens: %d bytes were counted", name, most, l.bytes)
			}
		}
	}
}

func TestPieces(t *testing.T) {
	got := []string{}
	text := "One. Two! (Three?) \"Four.\" 3.14 is e.g. five\nsix\n\n\nseven 世界。八 " + strings.Repeat("nine ", 20) + strings.Repeat("x", 120)
	for _, p := range pieces(text, 50) {
		got = append(got, text[p.from:p.to])
	}
	want := []string{"One. ", "Two! ", "(Three?) ", "\"Four.\" ", "3.14 is e.g. ", "five\n", "six\n\n\n", "seven 世界。", "八 " + strings.Repeat("nine ", 9),
		strings.Repeat("nine ", 10), "nine ", strings.Repeat("x", 50), strings.Repeat("x", 50), strings.Repeat("x", 20)}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func FuzzSpan(f *testing.F) {
	f.Add(minutes, 20, "ann")
	f.Add("", 0, "")
	for _, s := range quotetest.Parts() {
		f.Add(s+" "+minutes, 30, s)
	}
	f.Fuzz(func(t *testing.T, text string, most int, word string) {
		most = min(max(most, -1), 500)
		checkSpan(t, tokens.O200k(), text, most, []string{word, "a"})
		checkSpan(t, tokens.Estimate(), text, most, []string{word})
		if s := lowered(text); len(s) != len(text) || strings.ContainsFunc(s, func(r rune) bool { return r < 0x80 && unicode.IsUpper(r) }) {
			t.Fatalf("%q in lower case is %q", text, s)
		}
		at := 0
		for _, p := range pieces(text, 40) {
			if p.from != at || p.to <= p.from || p.to-p.from > 43 {
				t.Fatalf("%q: a piece from %d to %d behind %d", text, p.from, p.to, at)
			}
			at = p.to
		}
		if at != len(text) {
			t.Fatalf("%q: pieces end at %d", text, at)
		}
	})
}

func BenchmarkSpan(b *testing.B) {
	text := strings.Repeat(minutes+"\n", 50)
	b.ReportAllocs()
	for b.Loop() {
		Span(tokens.O200k(), text, 64, []string{"certificate", "expires", "mail", "when"})
	}
}
