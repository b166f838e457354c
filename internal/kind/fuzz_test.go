package kind

import (
	"os"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"pgregory.net/rapid"
)

// FuzzRead reads events, and as content of every type whatever is no event.
func FuzzRead(f *testing.F) {
	if data, err := os.ReadFile(sessionFile); err == nil {
		for line := range strings.Lines(string(data)) {
			f.Add([]byte(line))
		}
	}
	for _, content := range []string{
		`{"tool_name":"Bash","arguments":{"command":["bash","-lc","cd x && go test ./... > a.go"]},"result":{"text":"a.go:1"},"success":false}`,
		`{"tool_name":"mcp__x__apply_patch","arguments":"{\"input\":\"*** Begin Patch\\n*** Update File: a.go\\n\"}"}`,
		`{"path":"/r/a.go","cwd":"/r","operation":"create","diff":"--- a/x\n+++ b/y","lines_added":1}`,
		`{"message":"C:\\x.cs:1 File \"a.py\", line 2","stack":"\ud83d\ude00 x.ts(1,2)"}`,
		`{"url":"HTTPS://u:p@H/#x","method":"put","status_code":500,"response":[[[[[["deep"]]]]]]}`,
		`{"text":"\"` + "`" + `\u201d\u202e\u001b[0m\udb40\udc41","role":"user"}`,
	} {
		f.Add([]byte(content))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if ev, _, err := hmx.DecodeEvent(data); err == nil {
			check(t, ev)
			return
		}
		for _, typ := range append(hmx.EventTypes(), hmx.EventType(data)) {
			ev := event(typ, string(data))
			ev.Metadata = hmx.Raw(data)
			ev.Source = hmx.Some(string(data))
			check(t, ev)
		}
	})
}

// TestReadKeepsItsPromises draws events of the names that the tables have, with
// values that are hostile or of the wrong kind.
func TestReadKeepsItsPromises(t *testing.T) {
	texts := append(hostile(), "a.go:3", "/r/x/a.go", "go test ./...", "view", "Bash", "mcp__a__b", "https://A.b/c#d", "create", "acme", "true", "GET", "user", "negative", "", "/r")
	names := func(table []fieldNames) *rapid.Generator[string] {
		var all []string
		for _, row := range table {
			all = append(all, strings.Fields(row.names)...)
		}
		return rapid.SampledFrom(all)
	}
	text := rapid.Map(rapid.SampledFrom(texts), quoteJSON)
	scalar := rapid.OneOf(text, text, text, rapid.SampledFrom([]string{"null", "true", "false", "0", "1", "-1", "1e9", "12.5", "[]", "{}"}))
	list := rapid.Custom(func(t *rapid.T) string {
		return "[" + strings.Join(rapid.SliceOfN(scalar, 0, 5).Draw(t, "list"), ",") + "]"
	})
	object := func(names *rapid.Generator[string], value *rapid.Generator[string]) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			var members []string
			for _, name := range rapid.SliceOfNDistinct(names, 0, 8, rapid.ID).Draw(t, "names") {
				members = append(members, quoteJSON(name)+":"+value.Draw(t, name))
			}
			return "{" + strings.Join(members, ",") + "}"
		})
	}
	arguments := object(names(argumentTable[:]), rapid.OneOf(scalar, list))
	value := rapid.OneOf(scalar, scalar, list, arguments, rapid.Map(arguments, quoteJSON))
	content := object(names(contentTable[:]), value)
	metadata := object(names(metadataTable[:]), scalar)
	types := rapid.SampledFrom(append(hmx.EventTypes(), hmx.TypeToolCall, hmx.TypeToolResult, "x-acme-signal"))
	rapid.Check(t, func(t *rapid.T) {
		ev := event(types.Draw(t, "type"), content.Draw(t, "content"))
		ev.Metadata = hmx.Raw(metadata.Draw(t, "metadata"))
		check(t, ev)
	})
}
