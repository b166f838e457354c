package transcripts

import (
	"bytes"
	"encoding/json"
	"io"
	"os"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/handout"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/prompt"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/toolcall"
)

// tailBytes is how much of the end of a transcript a hook looks at.
const tailBytes = 512 << 10

// Tail returns the whole lines at the end of a transcript, at most half a megabyte of them, and
// nothing if it cannot be read. It does not wait for an agent that is writing: a partial line
// is not JSON, and its reader skips it.
func Tail(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // a pipe would never end
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // nothing was written to it
	from := max(0, info.Size()-tailBytes)
	text, err := io.ReadAll(io.NewSectionReader(f, from, tailBytes))
	if err != nil {
		return nil
	}
	if from > 0 {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return text
}

// backwards calls visit with the lines of a text, the last one first, until it returns false.
func backwards(text []byte, visit func(line []byte) bool) {
	for len(text) > 0 {
		i := bytes.LastIndexByte(text, '\n')
		if line := bytes.TrimSpace(text[i+1:]); len(line) > 0 && !visit(line) {
			return
		}
		text = text[:max(i, 0)]
	}
}

// CodexEnd returns how a call went, by the end of a rollout, and whether it says so.
// Hooks of Codex have no exit code; the rollout has it when they run.
func CodexEnd(tail []byte, call string) (o toolcall.Outcome, ok bool) {
	if call == "" {
		return o, false
	}
	quoted, err := json.Marshal(call)
	if err != nil {
		return o, false
	}
	backwards(tail, func(line []byte) bool {
		if !bytes.Contains(line, quoted) {
			return true
		}
		var c codexLine
		var item codexItem
		if !foreign.Decode(line, &c) || !foreign.Decode(c.Payload, &item) {
			return true
		}
		switch {
		case item.Type == "item_completed":
			if done, is := readCodexDone(item.Item); is && done.ID == call {
				o, ok = o.With(done.Outcome), true
				return false
			}
		case string(item.CallID) == call && len(item.Output) > 0:
			out := toolcall.CodexResult(item.Output)
			o, ok = o.With(toolcall.Outcome{Result: out.Result, Success: out.Success}), true
		case string(item.CallID) == call:
			return false // it is the call itself
		}
		return true
	})
	return o, ok
}

// StoppedCall is a call that ended without a hook being run for its end: it was denied, the
// user interrupted it, or its server failed.
type StoppedCall struct {
	ID, Tool string
	At       hmx.Time
	toolcall.Outcome
}

// StoppedCalls returns the calls of the last turn, by the end of a transcript, that were denied
// or interrupted, or of which Codex tells its hooks nothing, the first one first.
func StoppedCalls(f foreign.Format, tail []byte) []StoppedCall {
	var found []StoppedCall
	tools := map[string]string{}
	seen := false
	backwards(tail, func(line []byte) bool {
		var calls []StoppedCall
		var begins, did bool
		switch f {
		case foreign.ClaudeCode:
			calls, begins, did = claudeStopped(line, tools)
		case foreign.Codex:
			calls, begins, did = codexStopped(line, tools)
		default:
			return false
		}
		if begins && seen {
			return false // the turn before
		}
		seen = seen || did
		found = append(calls, found...)
		return true
	})
	var out []StoppedCall
	once := map[string]bool{}
	for _, c := range found {
		if c.Tool == "" {
			c.Tool = tools[c.ID]
		}
		if c.ID == "" || once[c.ID] || handout.OwnTool(c.Tool) {
			continue
		}
		once[c.ID] = true
		out = append(out, c)
	}
	return out
}

// claudeStopped reads a line of a transcript of Claude Code: the calls that were stopped, whether
// it begins a turn, and whether it is about a call.
func claudeStopped(line []byte, tools map[string]string) (calls []StoppedCall, begins, did bool) {
	var c claudeLine
	if !foreign.Decode(line, &c) || bool(c.IsMeta) || c.Type != "user" && c.Type != "assistant" {
		return nil, false, false
	}
	at, _ := foreign.When(c.Timestamp)
	for _, one := range foreign.ContentList(c.Message.Content) {
		var k source.Block
		if !foreign.Decode(one, &k) {
			continue
		}
		switch {
		case k.Type == "tool_use":
			tools[string(k.ID)], did = string(k.Name), true
		case k.Type == "tool_result":
			did = true
			text := foreign.ContentText(k.Content)
			o, stopped := toolcall.Stopped(text)
			if !stopped {
				o, stopped = toolcall.Stopped(c.ToolResult.text)
			}
			if stopped && bool(k.IsError) {
				calls = append(calls, StoppedCall{ID: string(k.ToolUseID), At: at, Outcome: o})
			}
		case k.Type == "text" && c.Type == "user":
			begins = begins || prompt.Words(foreign.ClaudeCode, string(k.Text)).Own != ""
		}
	}
	return calls, begins, did
}

// codexStopped is claudeStopped for a line of a rollout of Codex.
func codexStopped(line []byte, tools map[string]string) (calls []StoppedCall, begins, did bool) {
	var c codexLine
	var item codexItem
	if !foreign.Decode(line, &c) || !foreign.Decode(c.Payload, &item) {
		return nil, false, false
	}
	at, _ := foreign.When(c.Timestamp)
	switch item.Type {
	case "message":
		return nil, item.Role == "user" && prompt.Words(foreign.Codex, foreign.ContentText(item.Content)).Own != "", false
	case "function_call", "custom_tool_call":
		tools[string(item.CallID)] = string(item.Name)
		return nil, false, true
	case "function_call_output", "custom_tool_call_output":
		text, _ := toolcall.CodexResult(item.Output).Result["text"].(string)
		if o, ok := toolcall.Stopped(text); ok {
			return []StoppedCall{{ID: string(item.CallID), At: at, Outcome: o}}, false, true
		}
		return nil, false, true
	case "item_completed":
		d, ok := readCodexDone(item.Item)
		failed := ok && d.Success.Set && !d.Success.Value && len(d.Tool) > 5 && d.Tool[:5] == "mcp__"
		if ok && (d.DeniedBy != "" || d.Interrupted || failed) {
			return []StoppedCall{{ID: d.ID, Tool: d.Tool, At: at, Outcome: d.Outcome}}, false, true
		}
		return nil, false, ok
	}
	return nil, false, false
}
