package agents

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/hook"
)

// jsonParts are the parts of agents with JSON documents, one of each kind.
func jsonParts() [][]part {
	return [][]part{
		{serverPart{path: []string{"mcpServers"}, entry: stdio(true)}},
		{serverPart{path: []string{"servers"}, entry: stdio(false)}, hooksPart{agent: hook.GeminiCLI, named: true, unit: 1000}},
		{hooksPart{agent: hook.ClaudeCode}},
		{hooksPart{agent: hook.Cursor, flat: true, version: true}},
		{openCodePart{}},
	}
}

// writer writes documents with odd formatting.
type writer struct {
	t   *rapid.T
	out strings.Builder
}

// gap writes blanks and comments.
func (w *writer) gap() {
	gaps := []string{"", "", " ", "\n", "\n  ", "\n\t", " // a note\n", " /* a note */ ", "\n// \"lukasa\": {}\n\t", "/**/", " // ends with */\n"}
	w.out.WriteString(rapid.SampledFrom(gaps).Draw(w.t, "gap"))
}

func (w *writer) value(depth int) {
	kind := rapid.IntRange(0, 7).Draw(w.t, "kind")
	if depth > 3 {
		kind %= 5
	}
	switch kind {
	case 5, 6:
		w.object(depth, nil)
	case 7:
		w.out.WriteByte('[')
		n := rapid.IntRange(0, 3).Draw(w.t, "elements")
		for i := range n {
			w.gap()
			w.value(depth + 1)
			w.gap()
			w.comma(i, n)
		}
		w.gap()
		w.out.WriteByte(']')
	default:
		w.out.WriteString(rapid.SampledFrom([]string{"null", "true", "-1.50e3", `"text"`, `"a \"quoted\" // { word"`, "12345678901234567890"}).Draw(w.t, "plain"))
	}
}

func (w *writer) comma(i, n int) {
	if i < n-1 || rapid.Bool().Draw(w.t, "comma") {
		w.out.WriteByte(',')
	}
}

// object writes an object with some of the members, and others.
func (w *writer) object(depth int, members map[string]func()) {
	w.out.WriteByte('{')
	var names []string
	for _, name := range []string{"mcpServers", "servers", "mcp", "hooks", "version", "plugins", "Stop", "stop", "SessionStart", "lukasa", "github"} {
		if members[name] != nil && rapid.Bool().Draw(w.t, name) {
			names = append(names, name)
		}
	}
	for i := range rapid.IntRange(0, 2).Draw(w.t, "others") {
		names = append(names, "other"+string(rune('a'+i)))
	}
	for i, name := range names {
		w.gap()
		w.out.WriteString(`"` + name + `"`)
		w.gap()
		w.out.WriteByte(':')
		w.gap()
		if write := members[name]; write != nil {
			write()
		} else {
			w.value(depth + 1)
		}
		w.gap()
		w.comma(i, len(names))
	}
	w.gap()
	w.out.WriteByte('}')
}

// settings writes a document like those of agents.
func (w *writer) settings() {
	servers := func() {
		w.object(1, map[string]func(){
			"lukasa": func() { w.out.WriteString(`{"command": "lukasa", "args": ["mcp"], "note": [1]}`) },
			"github": func() { w.value(2) },
		})
	}
	event := func() {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{
			`{"hooks": [{"type": "command", "command": "./guard.sh"}]}`,
			`{"matcher": "Bash", "hooks": [{"command": "/old/lukasa hook claude-code", "timeout": 3}, {"command": "x"}]}`,
			`{"command": "lukasa hook cursor"}`,
			`{"command": "other hook cursor"}`,
			`{"hooks": [{"command": "'/o d/lukasa' hook gemini-cli --tenant a"}, {"command": "lukasa hook gemini-cli"}]}`,
			`{"hooks": []}`,
		}), 0, 3).Draw(w.t, "event")
		w.out.WriteByte('[')
		for i, line := range lines {
			w.gap()
			w.out.WriteString(line)
			w.gap()
			w.comma(i, len(lines))
		}
		w.gap()
		w.out.WriteByte(']')
	}
	w.gap()
	w.object(0, map[string]func(){
		"mcpServers": servers, "servers": servers, "version": func() { w.out.WriteString("1") },
		"mcp": func() {
			w.object(1, map[string]func(){"servers": servers, "github": func() { w.value(2) }})
		},
		"plugins": func() { w.out.WriteString("[]") },
		"hooks":   func() { w.object(1, map[string]func(){"Stop": event, "stop": event, "SessionStart": event}) },
	})
	w.gap()
}

// drawn is a document in one of the forms of real files.
func drawn(t *rapid.T) []byte {
	w := &writer{t: t}
	w.settings()
	text := w.out.String()
	if rapid.Bool().Draw(t, "end") {
		text += "\n"
	}
	if rapid.Bool().Draw(t, "windows") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if rapid.Bool().Draw(t, "mark") {
		text = byteOrderMark + text
	}
	return []byte(text)
}

// said is the value of a document without our entries.
func said(t interface{ Fatal(...any) }, text []byte, parts []part) map[string]any {
	d, err := parseDocument("file", text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := d.value()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		p.others(v, command())
	}
	return v
}

// comments returns the comments of a document, in order.
func comments(text []byte) []string {
	var all []string
	for i := 0; i < len(text); i++ {
		rest, end := text[i:], 0
		switch {
		case text[i] == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			continue
		case bytes.HasPrefix(rest, []byte("//")):
			end = bytes.IndexByte(rest, '\n')
		case bytes.HasPrefix(rest, []byte("/*")):
			end = bytes.Index(rest, []byte("*/")) + 2
		default:
			continue
		}
		all = append(all, strings.TrimSpace(string(rest[:end])))
		i += end - 1
	}
	return all
}

// For any document: what is added is there, adding again changes nothing, and removing leaves
// foreign entries unchanged.
func TestEditsKeepEverythingElse(t *testing.T) {
	for _, parts := range jsonParts() {
		rapid.Check(t, func(t *rapid.T) {
			text := drawn(t)
			with, entries, err := addJSON("file", text, parts, command())
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if len(entries) == 0 {
				t.Fatal("nothing was put in")
			}
			again, _, err := addJSON("file", with, parts, command())
			if err != nil || !bytes.Equal(again, with) {
				t.Fatalf("once more, %v:\n%s\n%s", err, with, again)
			}
			without, _, err := dropJSON("file", with, text, parts, command())
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(said(t, without, parts), said(t, text, parts)) {
				t.Fatalf("%s\nbecame\n%s", text, without)
			}
			if windows := bytes.Contains(text, []byte("\r\n")); windows && bytes.Count(with, []byte("\r\n")) != bytes.Count(with, []byte("\n")) {
				t.Fatalf("lines end in two ways:\n%q", with)
			}
			for _, now := range [][]byte{with, without} {
				if !reflect.DeepEqual(comments(now), comments(text)) {
					t.Fatalf("comments are lost:\n%s\nbecame\n%s", text, now)
				}
			}
			left, _, err := addJSON("file", without, parts, command())
			if err != nil || bytes.Equal(left, without) {
				t.Fatal("something of ours is left")
			}
		})
	}
}

// A file that has not changed gets its bytes back. One that its agent rewrote keeps its value.
func TestUninstallBringsBackBytes(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, ".gemini", "settings.json")
	s := machine(t, hook.GeminiCLI, dir)
	parts := s.targets()[0].parts
	rapid.Check(t, func(rt *rapid.T) {
		text := drawn(rt)
		lay(t, dir, map[string]string{".gemini/settings.json": string(text)})
		had, err := s.Entries()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Install(); err != nil {
			rt.Fatal(err)
		}
		touched := rapid.Bool().Draw(rt, "touched")
		if touched {
			rewrite(t, file)
		}
		s.Command.Flags = rapid.SampledFrom([][]string{nil, {"--tenant", "other"}}).Draw(rt, "flags")
		if rapid.Bool().Draw(rt, "again") {
			if _, err := s.Install(); err != nil {
				rt.Fatal(err)
			}
		}
		if _, err := s.Uninstall(); err != nil {
			rt.Fatal(err)
		}
		back, err := os.ReadFile(file)
		if err != nil {
			rt.Fatal(err)
		}
		if !touched && len(had) == 0 && !bytes.Equal(back, text) {
			rt.Fatalf("%s\ncame back as\n%s", text, back)
		}
		if !reflect.DeepEqual(said(t, back, parts), said(t, text, parts)) {
			rt.Fatalf("%s\ncame back as\n%s", text, back)
		}
		left, err := s.Entries()
		if err != nil || len(left) > 0 {
			rt.Fatalf("%v is left, %v", left, err)
		}
		for _, b := range backups(file) {
			_ = os.Remove(b)
		}
	})
}

// rewrite rewrites a file as an agent does after a change.
func rewrite(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d, err := parseDocument(file, data)
	if err != nil {
		t.Fatal(err)
	}
	v, err := d.value()
	if err != nil {
		t.Fatal(err)
	}
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, out, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TOML files are edited only in our table.
func TestTOMLEditsKeepEverythingElse(t *testing.T) {
	pieces := []string{
		"model = \"gpt-5\" # a comment\n", "# [mcp_servers.lukasa]\n", "\n", "\n\n", "[mcp_servers.docs]\ncommand = 'npx'\n",
		"text = \"\"\"\n[mcp_servers.lukasa]\ncommand = \\\"x\\\"\n\"\"\"\n", "list = [ # odd\n  \"]\", [1, 2],\n]\n", "inline = { a.b = 1, \"c d\" = [ {} ] }\n",
		"[profiles.\"a.b\"]\nn = nan\nday = 1979-05-27\n", "[[agents]]\nname = '''a''' \n", "[mcp_servers.lukasa]\ncommand = \"old\" # where\nextra = 1\n",
		"[ mcp_servers . \"lukasa\" . env ]\nA = \"b\"\n", "\t[tui]\n\ttheme = \"dark\"",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(pieces), 0, 6, rapid.ID[string]).Draw(t, "pieces"), "")
		if rapid.Bool().Draw(t, "windows") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		if rapid.Bool().Draw(t, "mark") {
			text = byteOrderMark + text
		}
		f, err := parseTOML("file", []byte(text))
		if err != nil {
			t.Skip("no TOML") // a value came after a table that has it already
		}
		_, had, err := f.entry()
		if err != nil {
			t.Fatal(err)
		}
		with, err := f.add(command())
		if err != nil {
			if had && fault.CodeOf(err) == fault.InvalidDocument {
				t.Skip("only below our server")
			}
			t.Fatalf("%v\n%s", err, text)
		}
		for line := range strings.Lines(text) {
			if !strings.Contains(string(with), strings.TrimRight(strings.TrimPrefix(line, byteOrderMark), "\r\n")) && !strings.Contains(line, "old") {
				t.Fatalf("%q is lost in\n%s", line, with)
			}
		}
		g, err := parseTOML("file", with)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := g.add(command()); err != nil || !bytes.Equal(again, with) {
			t.Fatalf("once more, %v:\n%s\n%s", err, with, again)
		}
		without, dropped, err := g.drop()
		if err != nil || !dropped {
			t.Fatalf("%v\n%s", err, with)
		}
		if back, err := parseTOML("file", without); err != nil || !f.sameBut(back) {
			t.Fatalf("%s\nbecame\n%s", text, without)
		}
		if !had && strings.TrimRight(string(without), "\r\n") != strings.TrimRight(text, "\r\n") {
			t.Fatalf("%q\nbecame\n%q", text, without)
		}
	})
}

func FuzzJSONEdits(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"mcpServers":{"lukasa":{"command":"x"},},}`, "{\n  // c\n  \"hooks\": {\"Stop\": [ ]} /* d */\n}\n", byteOrderMark + "{\r\n}", "[]", `{"mcp":{"servers":{}}}`,
		`{"hooks":{"stop":[{"command":"lukasa hook cursor"}]}}`, `{"a":1//x
}`, `{"mcpServers":{"a":1,"a":2}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, parts := range jsonParts() {
			with, _, err := addJSON("file", text, parts, command())
			if err != nil {
				if fault.CodeOf(err) == fault.Internal {
					t.Fatalf("%v\n%q", err, text)
				}
				continue
			}
			again, _, err := addJSON("file", with, parts, command())
			if err != nil || !bytes.Equal(again, with) {
				t.Fatalf("once more, %v:\n%q\n%q", err, with, again)
			}
			without, _, err := dropJSON("file", with, text, parts, command())
			if err != nil {
				t.Fatalf("%v\n%q", err, with)
			}
			if !reflect.DeepEqual(said(t, without, parts), said(t, text, parts)) {
				t.Fatalf("%q\nbecame\n%q", text, without)
			}
		}
	})
}

func FuzzTOMLEdits(f *testing.F) {
	for _, seed := range []string{"", "a = 1", "[mcp_servers.lukasa]\ncommand='x'\n", "mcp_servers = {}\n", "[mcp_servers]\nlukasa = { command = \"a\" }\n", "a = \"\"\"\n[x]\"\"\"\"\n", "x = [[[]], {a=[1,]}]",
		"[mcp_servers.lukasa.env]\na='b'\n[[z]]\n", "mcp_servers.lukasa.command = 'a'"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		scanTOML(text) // for any input
		file, err := parseTOML("file", text)
		if err != nil {
			return
		}
		with, err := file.add(command())
		if err != nil {
			if fault.CodeOf(err) == fault.Internal {
				t.Fatalf("%v\n%q", err, text)
			}
			return
		}
		g, err := parseTOML("file", with)
		if err != nil || !file.sameBut(g) {
			t.Fatalf("%v\n%q\n%q", err, text, with)
		}
		if again, err := g.add(command()); err != nil || !bytes.Equal(again, with) {
			t.Fatalf("once more, %v:\n%q\n%q", err, with, again)
		}
		without, _, err := g.drop()
		if err != nil {
			t.Fatalf("%v\n%q", err, with)
		}
		if back, err := parseTOML("file", without); err != nil || !file.sameBut(back) {
			t.Fatalf("%v\n%q\nbecame\n%q", err, text, without)
		}
	})
}
