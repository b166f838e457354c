package migrate

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate/chats"
	"lukasa.dev/internal/migrate/exports"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/traces"
)

// asWell are the sources that are of another format too: plain messages are those of both
// interfaces.
var asWell = map[string]foreign.Format{
	"openai-chat/messages.jsonl": chats.AnthropicMessages,
}

// Every fixture is taken as its own format, and as no other: none of it is taken, and what it
// looks like is named.
func TestOtherFormats(t *testing.T) {
	eachFixture(t, func(own foreign.Format, base string, data []byte) {
		key := string(own) + "/" + base
		for _, named := range Formats() {
			t.Run(key+" as "+string(named), func(t *testing.T) {
				c, err := readBytes(named, base, data)
				checked := Check(named, source.Source{Name: base, Reader: bytes.NewReader(data)})
				if fmt.Sprint(checked) != fmt.Sprint(err) {
					t.Errorf("Check says %v, and Read %v", checked, err)
				}
				if named == own || asWell[key] == named {
					if err != nil || len(c.Items) == 0 {
						t.Fatalf("%d items, %v", len(c.Items), err)
					}
					return
				}
				o, ok := errors.AsType[*OtherFormat](err)
				if !ok {
					t.Fatalf("%v; %d items, left %v", err, len(c.Items), c.Left)
				}
				if o.Looks != own || o.Named != named || len(c.Items)+len(c.Left) > 0 {
					t.Errorf("%+v, %d items, %d left", o, len(c.Items), len(c.Left))
				}
				f := fault.From(err)
				if f.Code != fault.InvalidDocument || f.Fix != "use --from "+string(own) || !strings.Contains(f.Error(), "looks like "+What(own)) {
					t.Errorf("%s: %s; %s", f.Code, f, f.Fix)
				}
			})
		}
	})
}

// eachFixture calls do with every fixture: its format, its name and what is in it.
func eachFixture(t *testing.T, do func(own foreign.Format, base string, data []byte)) {
	t.Helper()
	for own, files := range fixtures(t) {
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			do(own, filepath.Base(file), data)
		}
	}
}

// Every fixture is known by how it begins, and what is of no format by nothing.
func TestDetect(t *testing.T) {
	eachFixture(t, func(own foreign.Format, base string, data []byte) {
		if got := Detect(source.Source{Name: base, Reader: bytes.NewReader(data)}); got != own && asWell[string(own)+"/"+base] != got {
			t.Errorf("%s/%s is taken for %q", own, base, got)
		}
	})
	for _, text := range []string{"", "{}", `{"lukasa_export":1,"tenant":"acme"}`, `{"name of the shop":"x"}`, "Some words, and more words.", "PK\x03\x04"} {
		if got := Detect(source.Source{Name: "x", Reader: strings.NewReader(text)}); got != "" {
			t.Errorf("%q is taken for %q", text, got)
		}
	}
}

// The first bytes of a source tell its format, however long it is and whatever is around
// it. If they do not, the reader decides.
func TestShapes(t *testing.T) {
	long := strings.Repeat("a long story ", source.PeekBytes/12)
	conversation := `[{"title":"x","create_time":1,"mapping":{"a":{"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["` + long + `"]}}}}}]`
	claude := `{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"hi"}}` + "\n"
	for name, tc := range map[string]struct {
		named foreign.Format
		data  string
		looks foreign.Format
		told  bool
	}{
		"one value longer than is looked at":  {foreign.ClaudeCode, conversation, chats.ChatGPTExport, true},
		"the same as what it is":              {chats.ChatGPTExport, conversation, "", false},
		"unknown objects":                     {foreign.ClaudeCode, `{"type":"order","id":1}` + "\n" + `{"type":"order","id":2}`, "", true},
		"an unknown list":                     {chats.OpenAIChat, `[1, 2, 3, 4, 5, 6, 7]`, "", true},
		"an empty list":                       {exports.Mem0, "[                  ]", "", false},
		"an empty object":                     {exports.Mem0, "{                  }", "", false},
		"an empty answer":                     {exports.Mem0, `{"results": [        ]}`, "", false},
		"an empty graph":                      {exports.MCPMemory, `{"entities":[],"relations":[]}`, "", false},
		"an empty export":                     {exports.Engram, `{"version":"1","exported_at":"2026","sessions":null,"observations":null}`, "", false},
		"metrics":                             {traces.OTLP, `{"resourceMetrics":[{"scopeMetrics":[]}]}`, "", false},
		"nothing":                             {foreign.Codex, "", "", false},
		"a first line that is not whole":      {foreign.ClaudeCode, `{"type":"user","uuid":"u","sess`, "", false},
		"a first line that is broken":         {foreign.ClaudeCode, `{"type":` + "\n" + claude, "", false},
		"noise before the first line":         {foreign.ClaudeCode, "Last login: today\n" + claude, "", false},
		"noise before another format":         {foreign.Codex, "Last login: today\n" + claude, foreign.ClaudeCode, true},
		"only notes of the program":           {foreign.ClaudeCode, `{"type":"summary","summary":"x","leafUuid":"y"}`, "", false},
		"words":                               {exports.HMX, "Just some words, and more words.", "", true},
		"a note without a name":               {exports.HMX, "Words\n- [fact] It is a note.\n", exports.BasicMemory, true},
		"a list of links":                     {exports.BasicMemory, "[a link](https://example.com) and words", "", false},
		"a wiki link first":                   {exports.BasicMemory, "[[Target]] is where it begins.", "", false},
		"JSON of no format as a note":         {exports.BasicMemory, `{"name of the shop":"x"}`, "", true},
		"a note with JSON in it":              {exports.BasicMemory, "# Title\n\n```\n" + claude + "```\n", "", false},
		"too deep":                            {chats.OpenAIChat, strings.Repeat("[", 5000), "", false},
		"messages within requests":            {exports.Engram, `{"custom_id":"r","body":{"messages":[{"role":"user","content":"x"}]}}`, chats.OpenAIChat, true},
		"tool calls as the other interface":   {chats.AnthropicMessages, `{"messages":[{"role":"assistant","tool_calls":[]}]}`, chats.OpenAIChat, true},
		"tool uses as the other interface":    {chats.OpenAIChat, `{"messages":[{"role":"assistant","content":[{"type":"tool_use"}]}]}`, chats.AnthropicMessages, true},
		"next to nothing":                     {foreign.Codex, `{"timestamp":"t","type":"event_msg","payload":{}}` + "\n" + strings.Repeat(claude, 60), foreign.ClaudeCode, true},
		"other lines among those of a format": {foreign.ClaudeCode, strings.Repeat(`{"x":1}`+"\n", 40) + claude, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			err := Check(tc.named, source.Source{Reader: strings.NewReader(tc.data)})
			o, ok := errors.AsType[*OtherFormat](err)
			if ok != tc.told || ok && o.Looks != tc.looks || err != nil && !ok {
				t.Errorf("%v", err)
			}
		})
	}
}
