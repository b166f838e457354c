package recall

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"lukasa.dev/internal/text"
)

// shortClass prints a class in one line.
func shortClass(c Class) string {
	asks := ""
	for _, a := range []struct {
		set  bool
		name string
	}{
		{c.Asks.When, "when"}, {c.Asks.Where, "where"}, {c.Asks.Who, "who"}, {c.Asks.HowMany, "howmany"}, {c.Asks.Why, "why"},
		{c.Asks.How, "how"}, {c.Asks.YesNo, "yesno"}, {c.Newest, "newest"},
	} {
		if a.set {
			asks += " " + a.name
		}
	}
	out := fmt.Sprintf("%s%s %v", c.Intent, asks, c.Keywords)
	if len(c.Names) > 0 {
		out += " names(" + strings.Join(c.Names, ", ") + ")"
	}
	if c.Time != nil {
		out += " time(" + c.Time.Text + ")"
	}
	return out
}

// TestClassify classifies typical questions.
func TestClassify(t *testing.T) {
	table(t, "classes.txt", 80, func(query string) string { return shortClass(Classify(query, testNow(), nil)) })
}

// TestClassifyEntities takes entities from the given function.
func TestClassifyEntities(t *testing.T) {
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprint("e", i)
	}
	got := Classify("who is it", testNow(), func(text string) []string {
		if text != "who is it" {
			t.Errorf("asked for %q", text)
		}
		return append([]string{"Kubernetes", "", "kubernetes", "Anna"}, many...)
	})
	if len(got.Entities) != MaxEntities || got.Entities[0] != "Kubernetes" || got.Entities[1] != "Anna" || got.Entities[2] != "e0" {
		t.Errorf("%q", got.Entities)
	}
}

// TestClassification writes a class as a pack has it; only the time may be null.
func TestClassification(t *testing.T) {
	q := Classify("", testNow(), nil).Classification()
	if q.Intent != "general" || q.Keywords == nil || q.Entities == nil || len(q.Keywords)+len(q.Entities) > 0 || q.TimeRef != nil {
		t.Errorf("%+v", q)
	}
	q = Classify("Deploy staging as before 2023, recently", testNow(), nil).Classification()
	if q.Intent != "procedural" || !slices.Equal(q.Keywords, []string{"Deploy", "staging"}) || q.TimeRef == nil || *q.TimeRef != "../2023-01-01T00:00:00Z" {
		t.Errorf("%+v", q)
	}
}

// checkClass checks the invariants of a class.
func checkClass(t *testing.T, query string) Class {
	t.Helper()
	c := Classify(query, testNow(), nil)
	if c.Intent == "" || len(c.Keywords) > MaxKeywords || len(c.Names) > MaxNames || (c.Time == nil) != (len(c.Times) == 0) {
		t.Fatalf("%q: %+v", query, c)
	}
	at := 0
	for i, k := range c.Keywords {
		next := strings.Index(query[at:], k)
		if k == "" || len(k) > maxKeyword || next < 0 || !utf8.ValidString(k) || slices.ContainsFunc(c.Keywords[:i], func(b string) bool { return strings.EqualFold(b, k) && len(b) == len(k) }) {
			t.Fatalf("%q: keyword %q in %q", query, k, c.Keywords)
		}
		at += next
	}
	for _, n := range c.Names {
		if !strings.Contains(query, n) || !utf8.ValidString(n) || len(n) > maxKeyword || n == "" {
			t.Fatalf("%q: name %q", query, n)
		}
	}
	if q := c.Classification(); q.TimeRef != nil && !utf8.ValidString(*q.TimeRef) {
		t.Fatalf("%q: %q", query, *q.TimeRef)
	}
	if again := Classify(query, testNow(), nil); shortClass(again) != shortClass(c) {
		t.Fatalf("%q: %s, and then %s", query, shortClass(c), shortClass(again))
	}
	return c
}

// TestClassifyProperties combines words at random.
func TestClassifyProperties(t *testing.T) {
	words := append(vocabulary(), strings.Fields(`what when who where why how many come did was is can you tell me remember deploy fix error
		steps latest Anna New York Anna's I GitHub main.go src/app don't what’s Ünal Œuvre . ? ! ; :`)...)
	words = append(words, "\xff", "\xe2\x80", strings.Repeat("x", maxKeyword+1), strings.Repeat("X", maxKeyword))
	rng := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		var b strings.Builder
		for range rng.IntN(40) {
			b.WriteString(words[rng.IntN(len(words))])
			if rng.IntN(8) > 0 {
				b.WriteByte(' ')
			}
		}
		checkClass(t, b.String())
	}
	for _, part := range []string{"A ", "A b. ", "Anna ", "how ", "x", "É", "you ", "don't ", "a.", "\xff"} {
		checkClass(t, strings.Repeat(part, 64<<10/len(part)))
	}
}

func FuzzClassify(f *testing.F) {
	f.Add("Can you tell me when Anna Smith's main.go broke?")
	f.Fuzz(func(t *testing.T, query string) { checkClass(t, query) })
}

func BenchmarkClassify(b *testing.B) {
	query := "What did Caroline say about the adoption agency last Tuesday"
	b.ReportAllocs()
	now := time.Date(2026, 11, 11, 10, 30, 0, 0, time.UTC)
	for b.Loop() {
		Classify(query, now, nil)
	}
}

// TestClassifyIsBounded: text after the first bytes is ignored.
func TestClassifyIsBounded(t *testing.T) {
	lead := strings.Repeat("é ", text.MaxQuery/3)
	c := Classify("when "+lead+" Late on 2023-05-07 why?", testNow(), func(query string) []string {
		if len(query) > text.MaxQuery {
			t.Errorf("entities are looked for in %d bytes", len(query))
		}
		return nil
	})
	if c.Intent != Temporal || len(c.Times) != 0 || c.Asks.Why || len(c.Names) != 0 {
		t.Errorf("%s, %v, %v, %q", c.Intent, c.Times, c.Asks, c.Names)
	}
}

var update = flag.Bool("update", false, "write testdata again from what is")

// testNow is a Wednesday.
func testNow() time.Time { return time.Date(2026, 11, 11, 10, 30, 0, 0, time.UTC) }

// table runs a file of lines "input => output"; # begins a comment.
func table(t *testing.T, name string, least int, run func(in string) string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(file), "\r\n", "\n"), "\n"), "\n")
	cases := 0
	for i, line := range lines {
		if line == "" || line[0] == '#' {
			continue
		}
		cases++
		in, want, _ := strings.Cut(line, " => ")
		got := run(in)
		lines[i] = in + " => " + got
		if got != want && !*update {
			t.Errorf("%s:%d: %s\n got %s\nwant %s", name, i+1, in, got, want)
		}
	}
	if cases < least {
		t.Errorf("%d cases in %s, want %d", cases, name, least)
	}
	if *update {
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// vocabulary is every word with a meaning, and some without.
func vocabulary() []string {
	return strings.Fields(`January may May march March April june Aug dec Sunday tue Tuesday sat Sun second minute hours day
		days week weeks fortnight month quarter year decades one two ten first third spring fall winter summer morning night
		yesterday today tomorrow tonight early mid late beginning middle end Q3 H1 am pm half weekend last previous past this
		next the a few couple several of in on at and to from between since until through before after by during when around
		ago earlier later recently other older newer more less over than onwards every my that we it is was did look but port
		ms now - – , . ? ' ’ : / 7 3 31 30 1999 2023 2024 7th 1990s 90s 24h 3pm 10:30 2023-05-07 05/07/2023 2023-05 999999999
		0 0000 9999 migration Postgres moving é 日本 zürich we've it's last-minute foo_bar Tuesday's`)
}
