package kind

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/kind/recognize"
	"pgregory.net/rapid"
)

// entitiesText writes entities as type:name, with bars between them.
func entitiesText(list []recognize.Entity) string {
	var all []string
	for _, e := range list {
		all = append(all, e.Type+":"+e.Name)
	}
	return strings.Join(all, "|")
}

func TestEntities(t *testing.T) {
	for _, tc := range []struct {
		typ               hmx.EventType
		content, metadata string
		tags              []string
		want              string
	}{
		{hmx.TypeMessage, `{"text":"Caroline: Hey Mel! See the LGBTQ group."}`, `{"speaker":"Caroline"}`, nil, "person:Caroline|name:Mel|name:LGBTQ"},
		{hmx.TypeMessage, `{"text":"Ana Smith: I met Bob."}`, ``, nil, "person:Ana Smith|name:Bob"},
		{hmx.TypeMessage, `{"text":"Note: call Bob."}`, ``, nil, "name:Bob"},
		{hmx.TypeMessage, `{"text":"x"}`, `{"user_id":"U12345","speaker":"ana"}`, []string{"bug", "#refunds", "bug"}, "person:ana|identifier:U12345|tag:bug|tag:refunds"},
		{hmx.TypeToolCall, `{"tool_name":"get_user","arguments":{"user_id":"mia_li_3668"}}`, ``, nil, "tool:get_user|identifier:mia_li_3668"},
		{hmx.TypeToolCall, `{"tool_name":"Bash","arguments":{"command":"cd x && go test ./internal/pack"}}`, ``, nil, "tool:Bash|command:go|command:go test|file:internal/pack"},
		{hmx.TypeToolResult, `{"tool_name":"grep","call_id":"c","result":{"matches":["a/b.go:12","/usr/lib/x.py:3"],"city":"Austin"}}`, ``, nil, "tool:grep|file:a/b.go|name:Austin"},
		{hmx.TypeToolResult, `{"tool_name":"get","result":{"first_name":"Mia","status":"Success"}}`, ``, nil, "tool:get|name:Mia"},
		{hmx.TypeFileEdit, `{"path":"./a//b.go","operation":"modify"}`, ``, nil, "file:a/b.go"},
		{hmx.TypeCommandExec, `{"command":"git push origin main"}`, `{"repository":"acme/shop","project":"shop"}`, nil, "command:git|command:git push"},
		{hmx.TypeAPIResult, `{"method":"GET","url":"https://u:p@api.acme.com/v1/x"}`, ``, nil, "url:https://api.acme.com/v1/x|url:api.acme.com"},
		{hmx.TypeError, `{"error_type":"KubectlError","message":"namespace staging not found in main.go:7"}`, ``, nil, "file:main.go|identifier:KubectlError"},
		{hmx.TypeDecision, `{"question":"Which database for Acme?","chosen_option":"use MySQL there"}`, ``, nil, "name:Acme|identifier:MySQL"},
		{hmx.TypeMessage, `{`, `[`, nil, ""},
	} {
		ev := event(tc.typ, tc.content)
		ev.Metadata, ev.Tags = hmx.Raw(tc.metadata), tc.tags
		if got := entitiesText(Entities(ev)); got != tc.want {
			t.Errorf("%s %s: %s, want %s", tc.typ, tc.content, got, tc.want)
		}
	}
}

// TestEntitiesOfText reads messages, in which the beginning of a sentence is no name.
func TestEntitiesOfText(t *testing.T) {
	for text, want := range map[string]string{
		"Painting is fun.":                                  "",
		"Melanie left. Melanie came.":                       "name:Melanie",
		"Melanie's dog ran.":                                "name:Melanie",
		"New York is far.":                                  "name:New York",
		"We saw the Lord of the Rings, in May on Friday.":   "name:Lord of the Rings",
		"I live in the north of Boston, of course":          "name:Boston",
		"Ask Dr. Smith and Mr. O'Brien or Jean-Luc.":        "name:Smith|name:O'Brien|name:Jean-Luc",
		"I AM SO VERY HAPPY WITH THIS":                      "",
		"They don't; Don't they? I'd say Mel'll go.":        "name:Mel",
		"from Boston/Chicago to Zürich, Émile's and Łódź":   "name:Boston|name:Chicago|name:Zürich|name:Émile|name:Łódź",
		"read \"Charlotte's Web\" and “Becoming Nicole”.":   "name:Charlotte's Web|name:Becoming Nicole",
		"he said \"Come here, please.\" and \"yes\"":        "",
		"run `go test ./...` or `main` in `pack.go`":        "command:go test|identifier:main|file:pack.go",
		"see https://A.b/c#d, (http://x.org) and www.y.de":  "url:https://a.b/c|url:a.b|url:http://x.org|url:x.org|url:www.y.de",
		"at example.com at 10 a.m. in the U.S. e.g. now":    "url:example.com",
		"v1.2.3, 1.2.3 v2 and 1.2 or 10.0.0.1":              "version:v1.2.3|version:1.2.3|version:v2",
		"ABC-123 #42 JG7FMM 7f3a9c1 HAT001 2024-05-15 3pm":  "identifier:ABC-123|identifier:#42|identifier:JG7FMM|identifier:7f3a9c1|identifier:HAT001",
		"call foo_bar, fooBar() pkg.Run() and MaxWeight":    "identifier:foo_bar|identifier:fooBar|identifier:pkg.Run|identifier:MaxWeight",
		"use Node.js, process.env, a/b.go:12 and x.ts(3,4)": "file:a/b.go|file:x.ts",
		"in /src/parcel and ~/notes/x but and/or 24/7":      "file:/src/parcel|file:~/notes/x",
		"mail a.b@c.org or @ana #sunset ###STOP###":         "identifier:a.b@c.org|person:ana|tag:sunset",
		"with Mel😊 and Ana… then **Flight HAT069** (JFK)":   "name:Mel|name:Ana|name:Flight|identifier:HAT069|name:JFK",
		"019e5a3b-7c4d-7000-8000-000000000001":              "identifier:019e5a3b-7c4d-7000-8000-000000000001",
	} {
		got := entitiesText(Entities(event(hmx.TypeMessage, `{"text":`+quoteJSON(text)+`}`)))
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestTextEntities(t *testing.T) {
	for text, want := range map[string]string{
		"What did Caroline research?":                      "name:Caroline",
		"what did Caroline research":                       "name:Caroline",
		"Caroline research":                                "name:Caroline",
		"When did Melanie run the charity race in May?":    "name:Melanie",
		"Did Ana Smith fix internal/pack/pack.go?":         "name:Ana Smith|file:internal/pack/pack.go",
		"Would Mel's kids like \"Nothing is Impossible\"?": "name:Mel|name:Nothing is Impossible",
		"status of PROJ-7":                                 "identifier:PROJ-7",
		"":                                                 "",
	} {
		if got := entitiesText(TextEntities(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestNormalName(t *testing.T) {
	for _, tc := range [][3]string{
		{recognize.EntityName, "  New\n York ", "new york"}, {recognize.EntityTag, "#Sun Set", "sun set"}, {recognize.EntityTag, "\t#", ""}, {recognize.EntityTag, " #\u2003# C#", "c#"}, {recognize.EntityIdentifier, "#42", "#42"},
		{recognize.EntityName, "ÉMILE Łódź", "émile łódź"}, {recognize.EntityName, "ΑΘΉΝΑ МОСКВА", "αθήνα москва"}, {recognize.EntityFile, "a/B.go", "a/b.go"}, {recognize.EntityName, "", ""}, {recognize.EntityName, "漢字\u3000カナ", "漢字 カナ"},
	} {
		if got := recognize.NormalName(tc[0], tc[1]); got != tc[2] {
			t.Errorf("%s %q: %q", tc[0], tc[1], got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		typ, name := rapid.SampledFrom(recognize.EntityTypes()).Draw(t, "type"), rapid.String().Draw(t, "name")
		once := recognize.NormalName(typ, name)
		if twice := recognize.NormalName(typ, once); twice != once || once != string(recognize.AppendNormalName(nil, typ, name)) {
			t.Fatalf("%q is %q and then %q", name, once, twice)
		}
	})
}

// checkEntities fails if entities break a promise.
func checkEntities(t interface{ Fatalf(string, ...any) }, list []recognize.Entity) {
	if len(list) > recognize.MaxEntities {
		t.Fatalf("%d entities", len(list))
	}
	for i, e := range list {
		if !slices.Contains(recognize.EntityTypes(), e.Type) || len(e.Name) > recognize.MaxEntityName || !recognize.Printable(e.Name) || recognize.NormalName(e.Type, e.Name) == "" {
			t.Fatalf("%q", e)
		}
		for _, o := range list[:i] {
			if recognize.SameName(o.Name, e.Name) {
				t.Fatalf("%q twice", e)
			}
		}
	}
}

// TestEntitiesAreBounded: many names give the first ones, and no text takes long.
func TestEntitiesAreBounded(t *testing.T) {
	var words []string
	for i := range 1000 {
		words = append(words, fmt.Sprintf("met N%cme%c.", 'a'+i%26, 'a'+i/26%26), fmt.Sprintf("and ID%04dX,", i))
	}
	list := TextEntities(strings.Join(words, " "))
	if len(list) != recognize.MaxEntities || list[1].Name != "ID0000X" {
		t.Errorf("%v", list)
	}
	for _, piece := range []string{"A/", "A-", "\"A", "`", "a.", "(", "@", "#", "A'", "é", "“A ", "A ", "_", "A.b/", "Of of "} {
		TextEntities(strings.Repeat(piece, recognize.MaxScan/len(piece)))
	}
}

func BenchmarkEntities(b *testing.B) {
	for name, ev := range benchEvents() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Entities(ev)
			}
		})
		b.Run(name+"-with-content", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ReadContentEntities(ev)
			}
		})
	}
}

func BenchmarkTextEntities(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		TextEntities("When did Caroline go to the LGBTQ support group in New York?")
	}
}
