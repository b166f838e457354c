package hook

import (
	"bytes"
	"encoding/json"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/toolcall"
	"lukasa.dev/internal/migrate/transcripts"
)

// seenName is the member in which [Seen] adds what it found.
const seenName = "lukasa_seen"

// World is what a hook process can read besides its input.
type World struct {
	// Transcript returns the end of a transcript, such as [transcripts.Tail]. Nil means none.
	Transcript func(path string) []byte
	// Arguments returns the arguments of an agent that was started with its prompt on the command
	// line, and nothing for others. Nil means none.
	Arguments func() []string
}

// Seen returns the input with what the hook process found and [Decode] needs: how a Codex call
// ended, which only the rollout contains; the calls of the last turn that the user rejected or
// interrupted, for which Claude Code and Codex run no hook; and the arguments of the agent, by
// which Decode separates piped input from the user's words. It returns the input unchanged if it
// is no object or nothing was found.
func Seen(agent string, input []byte, w World) []byte {
	in, err := parse(input)
	if err != nil || in[seenName] != nil {
		return input
	}
	seen := map[string]any{}
	m := momentsOf(agent)
	switch name := in.text("hook_event_name"); {
	case name == "":
	case agent == Codex && name == "PostToolUse":
		if end, ok := transcripts.CodexEnd(w.tail(in), in.text("tool_use_id")); ok {
			seen["end"] = end.Content("", "")
		}
	case (agent == ClaudeCode || agent == Codex) && (name == m.prompt || name == m.ended || name == "Stop"):
		var stopped []any
		for _, s := range transcripts.StoppedCalls(foreign.Format(agent), w.tail(in)) {
			end := s.Content(s.Tool, s.ID)
			if !s.At.IsZero() {
				end["at"] = s.At.String()
			}
			stopped = append(stopped, end)
		}
		if len(stopped) > 0 {
			seen["stopped"] = stopped
		}
	}
	if w.Arguments != nil && (in.text("hook_event_name") == m.prompt) {
		if arguments := w.Arguments(); len(arguments) > 0 {
			seen["arguments"] = arguments
		}
	}
	if len(seen) == 0 {
		return input
	}
	member, err := json.Marshal(seen)
	body := bytes.TrimRight(input, " \t\r\n")
	if err != nil || len(in) == 0 {
		return input
	}
	out := append(bytes.Clone(body[:len(body)-1]), `,"`+seenName+`":`...)
	return append(append(out, member...), '}')
}

// tail returns the end of the transcript that an input names.
func (w World) tail(in fields) []byte {
	path := in.text("transcript_path")
	if w.Transcript == nil || !strings.HasSuffix(path, ".jsonl") || in.text("agent_id") != "" {
		return nil // that of a sub-agent is another file
	}
	return w.Transcript(path)
}

// endOf reads what was found about the end of a call.
func endOf(f fields) toolcall.Outcome {
	o := toolcall.Outcome{Result: f.under("result"), DeniedBy: f.text("denied_by"), Interrupted: f.truth("interrupted")}
	if b, ok := f["success"].(bool); ok {
		o.Success = hmx.Some(b)
	}
	if ms, ok := f.millis("duration_ms"); ok {
		o.Duration = ms
	}
	return o
}

// closeOpen records the calls of the last turn that ended without a hook. They have the time at
// which they ended, and the ids of their results, so that finding them again gives the same
// events.
func (c *call) closeOpen() {
	for _, one := range c.seen.list("stopped") {
		m, _ := one.(map[string]any)
		f := fields(m)
		id := f.text("call_id")
		if id == "" {
			continue
		}
		n := len(c.Events)
		c.ended(tool{id: id, name: f.text("tool_name")}, endOf(f))
		if at, ok := foreign.When(f["at"]); ok && len(c.Events) > n {
			ev := c.Events[n].Event
			ev.Timestamp, ev.Sequence = at, at.Time().UnixMicro()
		}
	}
}
