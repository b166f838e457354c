package text

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestParseQuery: terms as written, with their counts and places.
func TestParseQuery(t *testing.T) {
	for _, tc := range []struct{ query, terms string }{
		{"", ""},
		{" ?!\t", ""},
		{"When did Caroline go to the support group?", "Caroline@2 go@3 support@6 group@7"},
		{"dogs and a dog, DOGS", "dogs*3@0"},
		{"The Who", "The@0 Who@1"},
		{"to be or not to be", "to*2@0 be*2@1 or@2 not@3"},
		{"don't", "don't@0"},
		{"US policy", "US@0 policy@1"},
		{"Café’s e-mail", "Café@0 e-mail@1 e@1 mail@2"},
		{"in ﬁve ½ days", "ﬁve@1 ½@2 ½@2 ½@3 days@4"},
		{"东京大学", "东京@0 京大@1 大学@2"},
		{"a/b/c/d.go", "a/b/c/d.go@0 b~0.75@1 c~0.75@2 d.go@3 d~0.75@3 go~0.75@4"},
		{"go a/b/c/d.go", "go*2@0 a/b/c/d.go@1 b~0.75@2 c~0.75@3 d.go@4 d~0.75@4"},
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
	}
}

// TestQueryIsBounded: only the first terms and phrases in the first bytes count.
func TestQueryIsBounded(t *testing.T) {
	var s strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&s, "\"term%dx\" ", i)
	}
	q := ParseQuery(s.String())
	if len(q.Terms) != MaxTerms || len(q.Phrases) != MaxPhrases {
		t.Errorf("%d terms, %d phrases", len(q.Terms), len(q.Phrases))
	}
	if q.Terms[0].Text != "term0x" {
		t.Errorf("%+v", q.Terms[0])
	}
	for _, letter := range []string{"a", "é", "東", "👍"} {
		for lead := range 5 {
			long := strings.Repeat(" ", lead) + strings.Repeat(letter, MaxQuery) + " late"
			head := Head(long, MaxQuery)
			if len(head) > MaxQuery || len(head) <= MaxQuery-len(letter) || !utf8.ValidString(head) || !strings.HasPrefix(long, head) {
				t.Errorf("%d bytes of %q are left", len(head), letter)
			}
			if got, want := ParseQuery(long), ParseQuery(head); !slices.Equal(got.Terms, want.Terms) {
				t.Errorf("%q: what is beyond the end counts", letter)
			}
		}
	}
	if s := Head("\x80\x80\x80", 2); s != "" {
		t.Errorf("%q is left of what is no text", s)
	}
}

// TestPhrasesAreDifferent: a repeated phrase counts once, and does not displace another.
func TestPhrasesAreDifferent(t *testing.T) {
	query := strings.Repeat(`"support group" "Support Groups" “support  group” `, 600) + `"group support" "pack.go"`
	q := ParseQuery(query)
	if len(q.Phrases) != 3 {
		t.Fatalf("%d phrases", len(q.Phrases))
	}
	for i, phrase := range []string{"support group", "group support", "pack.go"} {
		if want := ParseQuery(`"` + phrase + `"`).Phrases[0]; !q.Phrases[i].equal(want) {
			t.Errorf("%d: %v, not %v", i, q.Phrases[i], want)
		}
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
			got = append(got, tc.query[s.from:s.to])
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%q: got %q, want %q", tc.query, got, tc.want)
		}
	}
}

// TestQuotedTerms: which terms are only in quotes.
func TestQuotedTerms(t *testing.T) {
	for query, want := range map[string]string{
		`plain words`:                       "",
		`"support group" of pack`:           "support group",
		`"support group" of groups`:         "support",
		`groups "support group"`:            "support",
		`"one" two "three" "" “four" five”`: "one three four five",
		`"e-mail" 5" inch "Ｆｏｏ’s bar"`:      "e-mail e mail Ｆｏｏ bar",
		strings.Repeat(`"a1 b2 c3" `, 20):   "a1 1 b2 b 2 c3 c 3",
	} {
		var got []string
		for _, term := range ParseQuery(query).Terms {
			if term.Quoted {
				got = append(got, term.Text)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", query, got, want)
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
	for _, unit := range []string{"fooBar ", "a-b-c ", "a/b.c-d_e ", "plain fooBar ", "東京x "} {
		long := ParseQuery(`"` + strings.Repeat(unit, 1000) + `"`).Phrases[0]
		if n := len(long.Parts) + len(long.Wholes); n > MaxPhrase || n < MaxPhrase-1 {
			t.Errorf("%q again and again: a phrase of %d tokens", unit, n)
		}
		if !long.In(Analyze(nil, FieldText, strings.Repeat(unit, 1000))) {
			t.Errorf("%q again and again is not found", unit)
		}
	}
}
