package vault

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// nasty are texts that contain syntax of front matter or Markdown.
var nasty = []string{
	"Plain.", "---", "---\n", "\n---\n", "a\n---\nb: 1\n---\nc", "```\ncode\n```", "```json\n{}\n```", "lukasa: memory\nkey: x\n---\n", "# heading\n\n- item\n", "ends with two\n\n",
	"  spaces around  ", "\ttab", "carriage\r\nreturn\r\n", "\r", "null", "…\u2028\u2029", "\ufeffmark", "[[link]]", "'single' \"double\"", "\x00\x1b[2J", "...", "日本語 👩‍👩‍👧",
}

// odd are keys, tags and ids that have caused trouble elsewhere.
var odd = []string{"a", "release/cadence", "CON", "con", "nul.txt", "A", "ä", "e\u0301", "a b", "true", "no", "2026-01-01", "1.5", "key: value", "- x", "# x", "[a]", "{a}", "'q'", `"q"`, "a,b", "..", "~", "null", "x\u00a0y", strings.Repeat("long", 100)}

// drawMemory draws any memory.
func drawMemory(t *rapid.T) *memory.Memory {
	name := rapid.SampledFrom(odd)
	text := rapid.OneOf(rapid.SampledFrom(nasty), rapid.Map(rapid.String(), func(s string) string { return s + "." }))
	m := &memory.Memory{
		ID: name.Draw(t, "id"), Type: rapid.SampledFrom(memory.Types()).Draw(t, "type"), Text: text.Draw(t, "text"),
		Tags:       rapid.SliceOfN(rapid.Map(name, func(s string) string { return s[:min(len(s), 100)] }), 0, 3).Draw(t, "tags"),
		Importance: hmx.Some(rapid.SampledFrom([]float64{0, 0.5, 1, 1e-7, 0.1}).Draw(t, "importance")),
		Visibility: rapid.SampledFrom(memory.Visibilities()).Draw(t, "visibility"),
		TTLSeconds: rapid.SampledFrom([]int64{0, 1, 3600}).Draw(t, "ttl"),
		Metadata:   hmx.Raw(rapid.SampledFrom([]string{"", `{"a":1}`, `{"vault":{"aliases":["x y"],"status":"done"}}`, `{"vault":5,"it's":"so"}`, `{"vault":{"key":"x"}}`, `{"vault":{"aliases":[]}}`}).Draw(t, "metadata")),
	}
	if rapid.Bool().Draw(t, "keyed") {
		m.Key = name.Draw(t, "key")
	}
	if rapid.Bool().Draw(t, "framed") {
		m.Frames = []memory.Frame{{Verb: memory.Verbs()[0], Kind: memory.ObjectKinds()[0], Ref: name.Draw(t, "ref")}}
	}
	if rapid.Bool().Draw(t, "valid") {
		m.ValidFrom, m.ValidUntil = hmx.TimeOf(time.Unix(1700000000, 5e6)), hmx.TimeOf(time.Unix(1800000000, 0))
	}
	if rapid.Bool().Draw(t, "derived") {
		m.Sources = []memory.URI{{Tenant: "acme", Kind: record.Event, ID: name.Draw(t, "source")}}
	}
	if rapid.Bool().Draw(t, "formed") {
		m.Forms = memory.Forms{Short: "In short.", Medium: "At length."}
	}
	m.Normalize()
	return m
}

// Any memory reads back from its file unchanged, and encodes to the same bytes again.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMemory(t)
		if m.Validate() != nil {
			t.Skip("it breaks a rule of memories")
		}
		page := Page{Body: m, Version: 3, Trust: record.User, Actor: "dana", Created: time.Unix(1, 0), Updated: time.Unix(2, 0)}
		files, err := EncodeInto(nil, "acme", []Page{page})
		if err != nil {
			t.Fatal(err)
		}
		f := only(t, files)
		note, err := Decode(f.Path, f.Data)
		if err != nil {
			t.Fatalf("%v in\n%s", err, f.Data)
		}
		got := note.Body.(*memory.Memory)
		if got.Text != m.Text || note.Trust != record.User {
			t.Fatalf("%q became %q", m.Text, got.Text)
		}
		want, _ := Content(m)
		if again, err := Content(got); err != nil || again != want {
			a, _ := m.AppendJSON(nil)
			b, _ := got.AppendJSON(nil)
			t.Fatalf("%s\nbecame\n%s\nby\n%s", a, b, f.Data)
		}
		page.Body = got
		if twice, err := EncodeInto(nil, "acme", []Page{page}); err != nil || !bytes.Equal(only(t, twice).Data, f.Data) {
			t.Fatalf("written again it is\n%s", only(t, twice).Data)
		}
	})
}

// only returns the page among files.
func only(t interface{ Fatalf(string, ...any) }, files []File) *File {
	for i := range files {
		if files[i].ID != "" {
			return &files[i]
		}
	}
	t.Fatalf("no page among %d files", len(files))
	return nil
}

// Names are portable: short, lower-case ASCII, unique, and independent of other records.
func TestNames(t *testing.T) {
	safe := regexp.MustCompile(`^(memories|artifacts)/[a-z0-9]([a-z0-9-]{0,70}[a-z0-9])?\.md$`)
	var pages []Page
	for _, key := range odd {
		pages = append(pages, Page{Body: &memory.Memory{ID: "id-" + key, Key: key, Text: "x", Type: memory.TypeFact}})
	}
	for i, text := range append(slices.Clone(odd), "CON", "nul.txt", "Aux", "COM1:", "The same words", "THE SAME WORDS", "日本語だけ", "x", strings.Repeat("w", 300), strings.Repeat("Words and words. ", 40), "../../etc/passwd", "trailing dot.", "a\nb\x00c\u202e") {
		pages = append(pages, Page{Body: &memory.Memory{ID: fmt.Sprint("none", i), Text: text, Type: memory.TypeFact}})
	}
	all := nameAll("acme", pages, nil)
	seen := map[string]bool{}
	for i := range pages {
		path := all.path[pages[i].uri("acme")]
		if !safe.MatchString(path) || len(path) > 90 || seen[path] || !Removable(path) {
			t.Errorf("%s", path)
		}
		seen[path] = true
		if alone := nameAll("acme", pages[i:i+1], nil).path[pages[i].uri("acme")]; alone != path {
			t.Errorf("alone it is %s, with others %s", alone, path)
		}
	}
}

// A memory without a key, and an artifact, are named by their first words, and keep that name
// in a vault when their text changes.
func TestReadableNames(t *testing.T) {
	for text, want := range map[string]string{
		"Releases are cut on Tuesdays.":                                         "memories/releases-are-cut-on-tuesdays-",
		"It was decided that words are never cut in the middle of one of them.": "memories/it-was-decided-that-words-are-never-cut-in-the-",
		"日本語":     "memories/fact-",
		"  ?! ":   "memories/fact-",
		"C++ 20!": "memories/c-20-",
	} {
		path := pathOf(&memory.Memory{ID: "m", Type: memory.TypeFact, Text: text}, shortHash)
		if !strings.HasPrefix(path, want) || len(path) != len(want)+shortHash+len(".md") {
			t.Errorf("%q is %s, not %s", text, path, want)
		}
	}
	page := Page{Body: &memory.Memory{ID: "m", Type: memory.TypeFact, Text: "The first words."}}
	files, err := EncodeInto(nil, "acme", []Page{page})
	if err != nil {
		t.Fatal(err)
	}
	m := NewManifest("acme")
	for i := range files {
		m.Files[files[i].Path] = EntryOf(&files[i])
	}
	before := only(t, files).Path
	page.Body = &memory.Memory{ID: "m", Type: memory.TypeFact, Text: "Quite something else."}
	other := Page{Body: &memory.Memory{ID: "n", Type: memory.TypeFact, Text: "The first words."}}
	for range 2 {
		if files, err = EncodeInto(m, "acme", []Page{other, page}); err != nil {
			t.Fatal(err)
		}
		paths := map[string]string{}
		for _, f := range files {
			paths[f.ID] = f.Path
		}
		if paths["m"] != before || paths["n"] == before || !strings.HasPrefix(paths["n"], "memories/the-first-words-") {
			t.Errorf("%v, before %s", paths, before)
		}
	}
	// Names in a foreign manifest are not taken over.
	m.Files = map[string]Entry{"../m.md": {File: "x", Kind: "memory", ID: "m"}, "memories/Up.md": {File: "x", Kind: "memory", ID: "m"}, "memories/own.md": {Kind: "memory", ID: "m"}}
	if files, err = EncodeInto(m, "acme", []Page{page}); err != nil || !strings.HasPrefix(only(t, files).Path, "memories/quite-something-else-") {
		t.Errorf("%s, %v", only(t, files).Path, err)
	}
}

// Files do not depend on the order of pages.
func TestOrder(t *testing.T) {
	pages := sample(t)
	want, err := EncodeInto(nil, "acme", pages)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(pages)
	got, err := EncodeInto(nil, "acme", pages)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d files, then %d", len(want), len(got))
	}
	for i := range got {
		if got[i].Path != want[i].Path || !bytes.Equal(got[i].Data, want[i].Data) {
			t.Errorf("%s differs", got[i].Path)
		}
	}
}

// sample is a small vault.
func sample(t testing.TB) []Page {
	t.Helper()
	text, err := os.ReadFile("testdata/artifact.json")
	if err != nil {
		t.Fatal(err)
	}
	artifact, err := memory.Decode(record.Artifact, text)
	if err != nil {
		t.Fatal(err)
	}
	id, _ := artifact.Identity()
	at := time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)
	uri := func(kind record.Kind, id string) memory.URI { return memory.URI{Tenant: "acme", Kind: kind, ID: id} }
	return []Page{
		{Body: &memory.Memory{ID: "m1", Key: "release/cadence", Type: memory.TypeFact, Text: "Releases are cut every second Tuesday.", Tags: []string{"release"}}, Version: 2, Trust: record.User, Actor: "dana", Created: at, Updated: at,
			Links: []Link{{"supports", uri(record.Memory, "m2")}, {"derived_from", uri(record.Event, "e1")}, {"derived_from", uri(record.Artifact, id)}}},
		{Body: &memory.Memory{ID: "m2", Key: "style/tabs", Type: memory.TypeConstraint, Data: &memory.Constraint{Strength: memory.StrengthHard}, Text: "Use tabs.\n\n---\nkey: no property\n---\n", Metadata: `{"vault":{"aliases":["tabs"]}}`}, Version: 1, Trust: record.Agent, Actor: "bot", Created: at, Updated: at},
		{Body: artifact, Version: 1, Trust: record.Tool, Actor: "compiler", Status: "active", Created: at, Updated: at},
	}
}

// The files of a small vault are as people read them.
func TestGolden(t *testing.T) {
	files, err := EncodeInto(nil, "acme", sample(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		path := filepath.Join("testdata", "golden", strings.TrimPrefix(filepath.FromSlash(f.Path), "."))
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(f.Data, want) {
			t.Errorf("%s is\n%s", f.Path, f.Data)
		}
	}
}

// An artifact reads back as it was recorded; an edited one is refused.
func TestArtifacts(t *testing.T) {
	files, err := EncodeInto(nil, "acme", sample(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Kind != record.Artifact {
			continue
		}
		note, err := Decode(f.Path, f.Data)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Content(note.Body); err != nil || got != f.Content {
			t.Errorf("it became another one: %v", err)
		}
		edited := strings.Replace(string(f.Data), `"steps"`, `"stepz"`, 1)
		if edited == string(f.Data) {
			edited = strings.Replace(string(f.Data), `"content": {`, `"content": {"added":1,`, 1)
		}
		var p *Problem
		if _, err := Decode(f.Path, []byte(edited)); !asProblem(err, &p) || p.Line == 0 || p.Fix == "" {
			t.Errorf("an edited one: %v", err)
		}
	}
}

func asProblem(err error, p **Problem) bool {
	got, ok := err.(*Problem)
	*p = got
	return ok
}

// Front matter that people and programs write is read as they mean it.
func TestWrittenByHand(t *testing.T) {
	for _, x := range []struct {
		name, file, want string // the JSON of the memory, without defaults
	}{
		{"by hand", "---\nlukasa: memory\nkey: release/cadence\n---\nEvery Tuesday.\n", `{"type":"fact","key":"release/cadence","text":"Every Tuesday."}`},
		{"no name", "---\nlukasa: memory\n---\nEvery Tuesday.", `{"type":"fact","key":"vault/notes/x","text":"Every Tuesday."}`},
		{"rewritten by Obsidian", "---\nlukasa: memory\nkey: a\ntags:\n  - one\n  - two words\naliases: []\nimportance: 0.8\ndata: '{\"subject\":\"x\"}'\n---\nT\n", `{"type":"fact","key":"a","text":"T","data":{"subject":"x"},"tags":["one","two words"],"importance":0.8}`},
		{"lists and comments", "---\n# a comment\nlukasa: memory # it is\nkey: 'it''s' # quoted\ntags: [a, \"b, c\", 'd']\n\ntype: \"fact\"\n...\nT\n", `{"type":"fact","key":"it's","text":"T","tags":["a","b, c","d"]}`},
		{"one tag", "---\nlukasa: memory\nkey: a\ntags: one\n---\nT\n", `{"type":"fact","key":"a","text":"T","tags":["one"]}`},
		{"other ends of lines", "---\r\nlukasa: memory\r\nkey: a\r\n---\r\nOne\r\ntwo\r\n", `{"type":"fact","key":"a","text":"One\ntwo"}`},
		{"a mark at the beginning", "\xef\xbb\xbf---\nlukasa: memory\nkey: a\n---\nT\n", `{"type":"fact","key":"a","text":"T"}`},
		{"properties of others", "---\nlukasa: memory\nkey: a\ncssclasses:\n- wide\nmood: good\nempty:\nversion: 9\nsupports: [\"[[x]]\"]\n---\nT\n", `{"type":"fact","key":"a","text":"T","metadata":{"vault":{"cssclasses":["wide"],"mood":"good"}}}`},
	} {
		note, err := Decode("notes/x.md", []byte(x.file))
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		want, err := memory.Decode(record.Memory, []byte(x.want))
		if err != nil {
			t.Fatal(err)
		}
		a, _ := Content(note.Body)
		if b, _ := Content(want); a != b {
			got, _ := note.Body.AppendJSON(nil)
			t.Errorf("%s: %s", x.name, got)
		}
	}
}

// Broken files are reported with line, rule and fix; foreign files are left alone.
func TestBroken(t *testing.T) {
	for file, line := range map[string]int{
		"---\nlukasa: memory\nkey: a\nno property\n---\nT":              4,
		"---\nlukasa: memory\nkey: a\nkey: b\n---\nT":                   4,
		"---\nlukasa: memory\nkey: \"a\n---\nT":                         3,
		"---\nlukasa: memory\nkey: 'a\n---\nT":                          3,
		"---\nlukasa: memory\nkey: 'a' b\n---\nT":                       3,
		"---\nlukasa: memory\ntags: [a, b\n---\nT":                      3,
		"---\nlukasa: memory\ntags: [a,]\n---\nT":                       3,
		"---\nlukasa: memory\n- a\n---\nT":                              3,
		"---\nlukasa: memory\nkey: a\n  nested: b\n---\nT":              4,
		"---\nlukasa: memory\nkey: |\n  a\n---\nT":                      3,
		"---\nlukasa: memory\nimportance: high\n---\nT":                 3,
		"---\nlukasa: memory\nimportance: 7\n---\nT":                    3,
		"---\nlukasa: memory\ntype: idea\n---\nT":                       3,
		"---\nlukasa: memory\nkey: a\ntype: fact\ndata: '{'\n---\nT":    5,
		"---\nlukasa: memory\ndata: '{\"a\":1}'\n---\nT":                3,
		"---\nlukasa: memory\nkey: a\ntrust: much\n---\nT":              4,
		"---\nlukasa: memory\nkey: a\nsources: [nowhere]\n---\nT":       4,
		"---\nlukasa: memory\nkey: a\n---\n  \n":                        5,
		"---\nlukasa: memory\nkey: a\n":                                 4,
		"---\nlukasa: note\n---\nT":                                     2,
		"---\nlukasa: artifact\n---\nno document":                       4,
		"---\nlukasa: memory\nkey: a/\n---\nT":                          3,
		"---\nlukasa: memory\nvalid_from: tomorrow\nkey: a\n---\nT":     3,
		"---\nlukasa: memory\nkey: a\ntext: in front matter\n---\nT":    4,
		"---\nlukasa: memory\nkey: [a, b]\n---\nT":                      3,
		"---\nlukasa: memory\nkey: a\nmetadata: '[1]'\nown: x\n---\nT":  4,
		"---\nlukasa: memory\nkey: \"a\\qb\"\n---\nT":                   3,
		"---\nlukasa: memory\nkey: a\nvisibility: everybody\n---\nText": 4,
	} {
		_, err := Decode("x.md", []byte(file))
		var p *Problem
		if !asProblem(err, &p) || p.Line != line || p.Rule == "" || p.Fix == "" {
			t.Errorf("%q: %+v, want one about line %d", file, err, line)
		}
	}
	for _, file := range []string{"", "A note.", "# Title\n\ntext", "---\ntitle: mine\n---\nText", "---\n", "--- \n- a\n", "text\n---\nlukasa: memory\n---\n", "---\nno: [\n"} {
		if _, err := Decode("x.md", []byte(file)); err != ErrOther {
			t.Errorf("%q: %v", file, err)
		}
	}
	var p *Problem
	if _, err := Decode("x.md", []byte("---\nlukasa: memory\n---\n\xff")); !asProblem(err, &p) {
		t.Errorf("not UTF-8: %v", err)
	}
	if _, err := Decode("x.md", make([]byte, MaxFile+1)); !asProblem(err, &p) {
		t.Errorf("too large: %v", err)
	}
}

// A manifest reads back as it was written, and never names a path outside the vault.
func TestManifest(t *testing.T) {
	m := NewManifest("acme")
	m.Files["memories/a-1.md"] = EntryOf(&File{Path: "memories/a-1.md", Data: []byte("x"), ID: "1", Kind: record.Memory, Content: "c"})
	data, err := m.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseManifest(data)
	if err != nil || got.Files["memories/a-1.md"] != m.Files["memories/a-1.md"] || got.Tenant != "acme" || got.Files["memories/a-1.md"].KindOf() != record.Memory {
		t.Errorf("%+v, %v", got, err)
	}
	if e := got.Files["memories/a-1.md"]; !e.Wrote([]byte("x")) || e.Wrote([]byte("y")) || (Entry{}).Wrote(nil) {
		t.Error("it does not know its own")
	}
	for text, code := range map[string]fault.Code{
		"": fault.InvalidDocument, "{}": fault.InvalidDocument, `{"lukasa_vault":2}`: fault.NewerFormat, `{"lukasa_vault":1,"files":{"../x.md":{}}}`: fault.InvalidDocument,
		`{"lukasa_vault":1,"files":{"/etc/passwd":{}}}`: fault.InvalidDocument, `{"lukasa_vault":1,"files":{"a\\b":{}}}`: fault.InvalidDocument,
	} {
		if _, err := ParseManifest([]byte(text)); fault.CodeOf(err) != code {
			t.Errorf("%s: %v", text, err)
		}
	}
	for path, want := range map[string]bool{"memories/a-1.md": true, "artifacts/a.md": true, "index.md": false, "notes/a.md": false, "memories/A.md": false, "memories/a/b.md": false, "memories/../x.md": false} {
		if Removable(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

// FuzzDecode checks the promises of the reader: no panic; the result is one problem with a rule
// and a fix, or a valid memory; and what is read can be written and read again.
func FuzzDecode(f *testing.F) {
	files, err := EncodeInto(nil, "acme", sample(f))
	if err != nil {
		f.Fatal(err)
	}
	for _, x := range files {
		f.Add(x.Data)
	}
	for _, s := range []string{"---\nlukasa: memory\nkey: a\ntags: [a, 'b']\n---\nT\n", "---\nlukasa: memory\nx: \"\\u0000\"\n---\nT", "---\nlukasa: memory\n\"k\": v\n...\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		note, err := Decode("x.md", data)
		if err != nil {
			if p, ok := err.(*Problem); err != ErrOther && (!ok || p.Rule == "" || p.Fix == "") {
				t.Fatalf("%#v", err)
			}
			return
		}
		if err := note.Body.Validate(); err != nil {
			t.Fatal(err)
		}
		if id, _ := note.Body.Identity(); id == "" {
			note.Body.SetID("x")
		}
		files, err := EncodeInto(nil, "acme", []Page{{Body: note.Body, Trust: record.User, Actor: "x"}})
		if err != nil {
			t.Fatal(err)
		}
		page := only(t, files)
		again, err := Decode(page.Path, page.Data)
		if err != nil {
			t.Fatalf("%v in\n%s", err, page.Data)
		}
		a, _ := Content(note.Body)
		if b, _ := Content(again.Body); a != b {
			x, _ := json.Marshal(string(page.Data))
			t.Fatalf("it became another one by %s", x)
		}
	})
}
