package text

import (
	"fmt"
	"strings"
	"testing"
)

// tokensOf returns tokens as "form@place", with the forms from want where they have the same
// terms, so that differences can be read.
func tokensOf(tokens []Token, want string) string {
	forms := make(map[Term]string)
	for _, w := range strings.Fields(want) {
		form := w[:strings.LastIndexByte(w, '@')]
		forms[TermOf(form)] = form
	}
	var out []string
	for _, token := range tokens {
		form, ok := forms[token.Term]
		if !ok {
			form = fmt.Sprintf("%012x", uint64(token.Term))
		}
		out = append(out, fmt.Sprintf("%s@%d", form, token.At))
	}
	return strings.Join(out, " ")
}

// TestAnalyze has every rule of the package comment as a row: the normal forms of a text, and
// their places.
func TestAnalyze(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		// Words.
		{"", ""},
		{" \t\n.,;!?-–—…()[]{}<>*^~|%", ""},
		{"Dogs barking loudly", "dog@0 bark@1 loud@2"},
		{"the dogs of war", "dog@1 war@3"},
		{"ponies, universities; running!", "poni@0 univers@1 run@2"},
		{"word--word wait...what", "word@0 word@1 wait@2"},
		{"John's dogs' it's they're we'll I'm", "john@0 dog@1"},
		{"JOHN'S", "john@0"},
		{"don't can't WON'T isn't shouldn't", ""},
		{"sn't", "snt@0"},
		{"O'Brien", "obrien@0 o@0 brien@1"},
		{"O'Brien's", "obrien@0 o@0 brien@1"},
		{"rock'n'roll", "rocknrol@0 rock@0 n@1 roll@2"},
		{"'quoted' 5'10", "quot@0 5@1 10@2"},
		{"to be or not to be", ""},
		{"US us IT it May may I AM", "us@0 it@2 may@4 am@7"},

		// Names.
		{"snake_case", "snakecas@0 snake@0 case@1"},
		{"__init__ _x ___", "init@0 x@1"},
		{"__@_ __@_ $_ a/_._ _._/b", "a/_._@0 _._/b@1 b@1"},
		{"camelCase", "camelcas@0 camel@0 case@0"},
		{"GitHub actions", "github@0 git@0 hub@0 action@1"},
		{"HTTPServer2", "httpserver2@0 http@0 server@0 2@0"},
		{"APIs URLs IDsList", "api@0 url@1 idslist@2 id@2 list@2"},
		{"e-mail eMail email", "email@0 e@0 mail@1 email@2 e@2 mail@2 email@3"},
		{"kebab-case-name", "kebabcasenam@0 kebab@0 case@1 name@2"},
		{"state-of-the-art", "stateoftheart@0 state@0 art@3"},
		{"node.js nodejs", "nodej@0 node@0 js@1 nodej@2"},
		{"U.S.A. usa", "usa@0 u@0 s@1 usa@3"},
		{"e.g. this", "eg@0 e@0 g@1"},
		{"foo::bar", "foo::bar@0 foo@0 bar@1"},
		{"p->next", "p->next@0 p@0 next@1"},
		{"yes/no R&D", "yes/no@0 yes@0 r&d@2 r@2 d@3"},
		{"internal/pack/pack_test.go", "internal/pack/pack_test.go@0 intern@0 pack@1 packtestgo@2 packtest@2 pack@2 test@3 go@4"},
		{"./a1b/../Cd.go", "a1b/../cd.go@0 a1b@0 1@0 b@0 cdgo@1 cd@1 go@2"},
		{`C:\Tmp\x.txt`, "c:/tmp/x.txt@0 c@0 tmp@1 xtxt@2 x@2 txt@3"},
		{"/etc/hosts etc//hosts", "etc/hosts@0 etc@0 host@1 etc/hosts@2 etc@2 host@3"},
		{"https://www.Example.com/x?y=1#z", "example.com/x?y=1#z@0 https@0 examplecom@1 www@1 exampl@2 com@3 x@4 y@5 1@6 z@7"},
		{"bob.ray@example.com", "bob.ray@example.com@0 bobray@0 bob@0 ray@1 examplecom@2 exampl@2 com@3"},
		{"node_modules/@types/node", "node_modules/@types/node@0 nodemodul@0 node@0 modul@1 type@2 node@3"},
		{"user_id=42", "user_id=42@0 userid@0 user@0 id@1 42@2"},

		// Marks and endings.
		{"#1234", "#1234@0 1234@0"},
		{"#GoLang", "#golang@0 golang@0 go@0 lang@0"},
		{"--dry-run -v a --", "--dryrun@0 dryrun@0 dri@0 run@1 v@2"},
		{"$HOME @alice .env (.git)", "$home@0 home@0 @alice@1 alic@1 .env@2 env@2 .git@3 git@3"},
		{"C++ C# c++17 F#. i++", "c++@0 c@0 c#@1 c@1 c++@2 c@2 17@3 f#@4 f@4 i++@5"},
		{"foo#bar x+y", "foo#bar@0 foo@0 bar@1 x+y@2 x@2 y@3"},

		// Numbers.
		{"42 007", "42@0 007@1"},
		{"3.14", "3.14@0 3@0 14@1"},
		{"1,000 1,234,567 1000", "1000@0 1234567@1 1000@2"},
		{"1,2,3 12,34 1234,567", "1@0 2@1 3@2 12@3 34@4 1234@5 567@6"},
		{"v2.1.7 2.1.7", "2.1.7@0 v2@0 v@0 2@0 1@1 7@2 2.1.7@3 2@3 1@4 7@5"},
		{"10ms 3.5kg", "10ms@0 10@0 ms@0 3.5kg@1 3@1 5kg@2 5@2 kg@2"},
		{"utf-8 UTF8", "utf8@0 utf@0 8@1 utf8@2 utf@2 8@2"},
		{"2026-11-15", "2026-11-15@0 2026@0 11@1 15@2"},
		{"2026-11-15T08:30", "2026-11-15t08:30@0 2026-11-15@0 2026@0 11@1 15@2 08@3 30@4"},
		{"6770b62 log4j2", "6770b62@0 log4j2@1"},
		{"DA39A3EE5E6B4B0D", "da39a3ee5e6b4b0d@0 da39a3e@0 da39a3ee@0 da39a3ee5e6b@0"},
		{"550E8400-e29b-41d4-a716-446655440000", "550e8400e29b41d4a716446655440000@0 550e8400@0"},
		{"aBcDeFgHiJkLmNoP", "abcdefghijklmnop@0"},

		// Other scripts.
		{"café cafe\u0301 naïve", "cafe@0 cafe@1 naiv@2"},
		{"İstanbul ISTANBUL ıstanbul", "istanbul@0 istanbul@1 istanbul@2"},
		{"Straße STRASSE Ærø Œuvre Łódź", "strass@0 strass@1 aero@2 oeuvr@3 lodz@4"},
		{"ﬁles ＡＢＣ．ｃｏｍ", "file@0 abccom@1 abc@1 com@2"},
		{"O’Brien’s don’t “quoted”", "obrien@0 o@0 brien@1 quot@3"},
		{"co\u00ADop re‑use col·lecció", "coop@0 reus@1 re@1 use@2 colleccio@3 col@3 leccio@4"},
		{"Lukasa™ x² ½", "lukasa@0 x2@1 x@1 2@1 1/2@2 1@2 2@3"},
		{"Привет-мир ЁЖ еж", "приветмир@0 привет@0 мир@1 еж@2 еж@3"},
		{"Σίσυφος ΣΊΣΥΦΟΣ", "σισυφοσ@0 σισυφοσ@1"},
		{"пример.рф", "примеррф@0 пример@0 рф@1"},
		{"שָׁלוֹם צה\"ל צה״ל", "שלום@0 צהל@1 צה@1 ל@2 צהל@3 צה@3 ל@4"},
		{"مُحَمَّد محمـــد ١٢٣", "محمد@0 محمد@1 123@2"},
		{"हिन्दी में", "हिन्दी@0 में@1"},
		{"東京都 都 Go言語", "東京@0 京都@1 都@2 go@3 言語@4"},
		{"2024年、ｶﾞｷﾞ", "2024@0 年@1 ガギ@2"},
		{"한국어 한국어", "한국@0 국어@1 한국@2 국어@3"},
		{"コーヒー・豆", "コー@0 ーヒ@1 ヒー@2 豆@3"},
		{"ให้ สวัสดี", "ให้@0 สวั@1 วัส@2 สดี@3"},
		{"abc한국def", "abc@0 한국@1 def@2"},

		// Emoji.
		{"👍🏽 👍 ✈️ 🏽", "👍@0 👍@1 ✈@2 🏽@3"},
		{"👩‍💻 great👍👍", "👩\u200d💻@0 👩@0 💻@0 great@1 👍@2 👍@3"},
		{"🇩🇪🇫🇷 1️⃣", "🇩🇪@0 🇫🇷@1 1@2"},
		{"── ██ ⠋ → © ≠", ""},

		// Invalid input.
		{"a\xffb\xc3 \xed\xa0\x80 cat\x00dog", "b@1 cat@2 dog@3"},
		{"\u0301\u200d\ufe0f\ufeffword\u202e", "word@0"},
	} {
		if got := tokensOf(Analyze(nil, FieldText, tc.text), tc.want); got != tc.want {
			t.Errorf("%q:\n got %s\nwant %s", tc.text, got, tc.want)
		}
	}
}

// TestStopWordsByField: short fields keep their stop words.
func TestStopWordsByField(t *testing.T) {
	for _, field := range []Field{FieldTitle, FieldKey, FieldTags} {
		want := "the@0 who@1 dont@2 state@3 of@4"
		tokens := Analyze(nil, field, "The Who don't state_of")
		tokens = append(tokens[:3], tokens[4:]...) // the whole of the name
		if got := tokensOf(tokens, want); got != want {
			t.Errorf("field %d: got %s, want %s", field, got, want)
		}
	}
}

// TestPieces: a further text of the same field continues its places, after a gap.
func TestPieces(t *testing.T) {
	tokens := Analyze(nil, FieldTitle, "red apple")
	tokens = Analyze(tokens, FieldTags, "sweet")
	tokens = Analyze(tokens, FieldTags, "pie")
	want := "red@0 appl@1 sweet@0 pie@16"
	if got := tokensOf(tokens, want); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for i, field := range []Field{FieldTitle, FieldTitle, FieldTags, FieldTags} {
		if tokens[i].Field != field {
			t.Errorf("token %d is in field %d", i, tokens[i].Field)
		}
	}
	if (ParseQuery(`"sweet pie"`).Phrases[0]).In(tokens) {
		t.Error("a phrase crosses from one tag to the next")
	}
}

// TestLongWords: words of any length are found whole, and by their first parts.
func TestLongWords(t *testing.T) {
	long := strings.Repeat("x", 5000)
	if got := Analyze(nil, FieldText, strings.ToUpper(long)); len(got) != 1 || got[0].Term != TermOf(long) {
		t.Errorf("a long word gives %v", got)
	}
	tokens := Analyze(nil, FieldText, strings.Repeat("FooBarBaz", 1000))
	if len(tokens) > 10 || tokens[0].Term != TermOf(strings.Repeat("foobarbaz", 1000)) {
		t.Errorf("a long name gives %d tokens", len(tokens))
	}
	for _, part := range []string{"foo", "bar", "baz"} {
		if !has(tokens, TermOf(part)) {
			t.Errorf("a long name is not found by %s", part)
		}
	}
	path := strings.Repeat("ab/", 3000) + "main.go"
	tokens = Analyze(nil, FieldText, path)
	if tokens[0].Term != TermOf(path) || !has(tokens, TermOf("maingo")) || len(tokens) != 3004 {
		t.Errorf("a long path gives %d tokens", len(tokens))
	}
}

func has(tokens []Token, term Term) bool {
	for _, token := range tokens {
		if token.Term == term {
			return true
		}
	}
	return false
}

// TestNamesAreFound: a name in one spelling is found by another.
func TestNamesAreFound(t *testing.T) {
	for _, tc := range []struct{ text, query string }{
		{"see internal/pack/pack.go:118", "pack.go"},
		{"see internal/pack/pack.go:118", "internal/pack"},
		{"HTTPServer2 failed", "http servers"},
		{"HTTPServer2 failed", "httpserver2"},
		{"max_open_conns", "maxOpenConns"},
		{"max_open_conns", "max-open-conns"},
		{"the WiFi password", "wi-fi passwords"},
		{"fixed in commit da39a3ee5e6b4b0d3255bfef95601890afd80709", "da39a3e"},
		{"closes #1234", "1234"},
		{"run with --dry-run", "dry run"},
		{"mail bob.ray@example.com", "example.com"},
		{"https://www.example.com/docs/", "example.com/docs"},
		{"upgrade to v2.1.7", "2.1.7"},
		{"took 10ms", "10 ms"},
		{"at 2026-11-15T08:30:00Z", "2026-11-15"},
		{"$HOME/.config/lukasa.toml", "lukasa.toml"},
		{"José’s résumé", "jose resume"},
		{"1,000 dollars", "1000"},
		{"request 550e8400-e29b-41d4-a716-446655440000", "550E8400E29B41D4A716446655440000"},
		{"我在东京大学学习", "东京大学"},
	} {
		tokens := Analyze(nil, FieldText, tc.text)
		q := ParseQuery(tc.query)
		found := false
		for _, term := range q.Terms {
			found = found || term.Weight == 1 && has(tokens, term.Term)
		}
		if !found {
			t.Errorf("%q is not found by %q", tc.text, tc.query)
		}
	}
}
