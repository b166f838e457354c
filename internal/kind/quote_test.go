package kind_test

import (
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/kind"
)

// TestQuote: what is quoted is what was recorded, with every character.
func TestQuote(t *testing.T) {
	for _, c := range []struct {
		event kind.Quoted
		typ   hmx.EventType
		json  string
		meta  string
	}{
		{kind.Quoted{Label: "user", Text: "a\u202eb\u200b\x1b[2J\tc\r\n"}, hmx.TypeMessage, `{"role":"user","text":"a\u202eb\u200b\u001b[2J\tc\r\n"}`, `{}`},
		{kind.Quoted{Label: "Caroline", Text: "Hello."}, hmx.TypeMessage, `{"role":"user","text":"Hello."}`, `{"speaker":"Caroline"}`},
		{kind.Quoted{Label: "search", Title: "search", Text: "q flights"}, hmx.TypeToolCall, `{"tool_name":"search","arguments":{"q":"flights"}}`, `{}`},
		{kind.Quoted{Label: "file edit", Title: "a.go", Text: "modify"}, hmx.TypeFileEdit, `{"path":"a.go","operation":"modify"}`, `{}`},
		{kind.Quoted{Label: "x-acme-note"}, "x-acme-note", `{}`, `{}`},
	} {
		ev := &hmx.Event{EventType: c.typ, Content: hmx.Raw(c.json), Metadata: hmx.Raw(c.meta)}
		if got := kind.Quote(ev); got != c.event {
			t.Errorf("%s: %+q", c.json, got)
		}
	}
	// An earlier Quote leaves no state behind for ReadContent.
	ev := &hmx.Event{EventType: hmx.TypeMessage, Content: hmx.Raw(`{"role":"user","text":"a\u200bb"}`), Metadata: hmx.Raw(`{"speaker":"Caroline"}`)}
	kind.Quote(ev)
	if got := kind.ReadContent(ev); got.Text != "Caroline: ab" {
		t.Errorf("%+q", got)
	}
}
