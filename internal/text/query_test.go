package text

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestParseQuery: terms as they are written, with how often and where they occur.
func TestParseQuery(t *testing.T) {
	for _, tc := range []struct{ query, terms, words string }{
		{"", "", ""},
		{" ?!\t", "", ""},
		{"When did Caroline go to the support group?", "Caroline@2 go@3 support@6 group@7", "When did Caroline go to the support group"},
		{"dogs and a dog, DOGS", "dogs*3@0", "dogs and a dog DOGS"},
		{"The Who", "The@0 Who@1", "The Who"},
		{"to be or not to be", "to*2@0 be*2@1 or@2 not@3", "to be or not to be"},
		{"don't", "don't@0", "don't"},
		{"US policy", "US@0 policy@1", "US policy"},
		{"Café’s e-mail", "Café@0 e-mail@1 e@1 mail@2", "Café’s e mail"},
		{"in ﬁve ½ days", "ﬁve@1 ½@2 ½@2 ½@3 days@4", "in ﬁve ½ days"},
		{"东京大学", "东京@0 京大@1 大学@2", "东 京 大 学"},
		{"a/b/c/d.go", "a/b/c/d.go@0 b~0.75@1 c~0.75@2 d.go@3 d~0.75@3 go~0.75@4", "a b c d.go"},
		{"go a/b/c/d.go", "go*2@0 a/b/c/d.go@1 b~0.75@2 c~0.75@3 d.go@4 d~0.75@4", "go a b c d.go"},
	} {
		q := ParseQuery(tc.query)
		var terms []string
		for _, term := range q.Terms {
			s := term.Text
			if term.Count > 1 {
				s += fmt.Sprintf("*%d", term.Count)
			}
			if term.Weight != 1 {
				s += fmt.Sprintf("~%v", term.Weight)
			}
			terms = append(terms, fmt.Sprintf("%s@%d", s, term.At))
		}
		if got := strings.Join(terms, " "); got != tc.terms {
			t.Errorf("%q:\n got %s\nwant %s", tc.query, got, tc.terms)
		}
		if got := strings.Join(q.Words, " "); got != tc.words {
			t.Errorf("%q has the words %q, want %q", tc.query, got, tc.words)
		}
	}
}

// TestQueryIsBounded: the first terms, phrases and words count.
func TestQueryIsBounded(t *testing.T) {
	var s strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&s, "\"term%dx\" ", i)
	}
	q := ParseQuery(s.String())
	if len(q.Terms) != MaxTerms || len(q.Phrases) != MaxPhrases || len(q.Words) != MaxWords {
		t.Errorf("%d terms, %d phrases, %d words", len(q.Terms), len(q.Phrases), len(q.Words))
	}
	if q.Terms[0].Text != "term0x" || q.Words[MaxWords-1] != fmt.Sprintf("term%dx", MaxWords-1) {
		t.Errorf("%+v", q.Terms[0])
	}
}

// TestQuotations: which parts of a question are phrases.
func TestQuotations(t *testing.T) {
	for _, tc := range []struct {
		query string
		want  []string
	}{
		{`no quotes`, nil},
		{`the "support group" of "pack.go"`, []string{"support group", "pack.go"}},
		{`“curved one” and „low one“ or „low two” and «angled»`, []string{"curved one", "low one", "low two", "angled"}},
		{`a 5" screen and a 6" one`, nil},
		{`unclosed "one`, nil},
		{`"" " " "one"`, []string{"", " ", "one"}},
		{`"one" “unclosed "two"`, []string{"one"}},
		{`"unclosed “two”`, []string{"two"}},
	} {
		var got []string
		for s := range quotations(tc.query) {
			got = append(got, s)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%q: got %q, want %q", tc.query, got, tc.want)
		}
	}
}

// TestPhrases: which texts have which phrases.
func TestPhrases(t *testing.T) {
	for _, tc := range []struct {
		text, phrase string
		want         bool
	}{
		{"the support group met", "support group", true},
		{"the support groups met", "Support Group", true},
		{"a group for support", "support group", false},
		{"support for the group", "support group", false},
		{"error code 404", "error 404", false},
		{"support", "support group", false},
		{"a state of the art model", "state of the art", true},
		{"a state art", "state of the art", false},
		{"state of the art model", "state-of-the-art model", true},
		{"state-of-the-art model", "state of the art model", true},
		{"my e-mail address here", "my email address here", true},
		{"my email address here", "my e-mail address here", true},
		{"my e-mail or postal address", "email address", false},
		{"new GitHub actions", "github actions", true},
		{"new GitHub actions", "git hub actions", true},
		{"new GitHub or gitlab actions", "github actions", false},
		{"bye", "bye bye", false},
		{"bye bye", "bye bye", true},
		{"bye bye bye", "bye bye bye bye", false},
		{"open internal/pack/pack.go now", "pack.go", true},
		{"open internal/pack/pack.go now", "pack/pack.go", true},
		{"open internal/pack/pack.go now", "internal/pack/pack.go now", true},
		{"open internal/pack/pack.go now", "pack/internal", false},
		{"panic: index out of range [5]", "index out of range", true},
		{"他在东京大学学习", "东京大学", true},
		{"他在大学东京学习", "东京大学", false},
		{"👩‍💻 at work", "👩‍💻 at work", true},
		{"a b c a b d", "a b d", true},
	} {
		q := ParseQuery(`"` + tc.phrase + `"`)
		if len(q.Phrases) != 1 {
			t.Fatalf("%q gives %d phrases", tc.phrase, len(q.Phrases))
		}
		tokens := Analyze(nil, FieldText, tc.text)
		if got := q.Phrases[0].In(tokens); got != tc.want {
			t.Errorf("%q in %q: %v", tc.phrase, tc.text, got)
		}
		if got := q.Phrases[0].In(Analyze(Analyze(nil, FieldTitle, "support"), FieldText, tc.text)); got != tc.want {
			t.Errorf("%q in %q behind a title: %v", tc.phrase, tc.text, got)
		}
	}
	band := ParseQuery(`"The Who"`).Phrases[0]
	if !band.In(Analyze(nil, FieldTitle, "Listening to The Who")) || band.In(Analyze(nil, FieldTitle, "Who the?")) {
		t.Error("a phrase of stop words is not looked for in a title")
	}
	if long := ParseQuery(`"` + strings.Repeat("word ", 1000) + `"`).Phrases[0]; len(long.Parts) != MaxPhrase {
		t.Errorf("a long phrase has %d terms", len(long.Parts))
	}
}

// TestWords: words as they are written, and where.
func TestWords(t *testing.T) {
	s := "Don’t — 3.14, naïve 👍!"
	var got []string
	for w := range Words(s) {
		if s[w.Start:w.Start+len(w.Text)] != w.Text {
			t.Errorf("%q is not at %d", w.Text, w.Start)
		}
		got = append(got, w.Text)
	}
	if want := []string{"Don’t", "3.14", "naïve", "👍"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for range Words(s) {
		break
	}
}
