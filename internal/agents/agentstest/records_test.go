package agentstest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// recorded is one record of the board, as export writes it.
type recorded struct {
	Position int
	Kind     string
	Payload  json.RawMessage
}

// event is a recorded event.
type event struct {
	ID        string         `json:"event_id"`
	Type      string         `json:"event_type"`
	Agent     string         `json:"agent_id"`
	Session   string         `json:"session_id"`
	Sequence  int64          `json:"sequence"`
	Timestamp string         `json:"timestamp"`
	Parent    string         `json:"parent_event_id"`
	Source    string         `json:"source"`
	Content   map[string]any `json:"content"`
	Metadata  map[string]any `json:"metadata"`
}

// text is the text of a message.
func (e *event) text() string { return str(e.Content["text"]) }

// call is the id of the call of a call or a result.
func (e *event) call() string { return str(e.Content["call_id"]) }

// export returns all records. The compile at the end of a session serves the directory
// meanwhile, and an export through it breaks off when it ends: then it is repeated.
func (b *bench) export() string {
	b.Helper()
	for began := time.Now(); ; time.Sleep(time.Second) {
		out, err := b.world.Run(b.ctx(), b.world.Root, "lukasa", "export", "--wait", "1m")
		if err == nil {
			return out
		}
		if time.Since(began) > time.Minute {
			b.Fatal(err)
		}
	}
}

// records returns all records of the board.
func (b *bench) records() []recorded {
	b.Helper()
	var all []recorded
	for line := range strings.Lines(b.export()) {
		var r recorded
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			b.Fatalf("export: %v in %s", err, line)
		}
		if r.Kind != "" {
			all = append(all, r)
		}
	}
	return all
}

// events returns the events in the order of their sessions.
func (b *bench) events() []*event {
	b.Helper()
	var all []*event
	for _, r := range b.records() {
		if r.Kind != "event" {
			continue
		}
		e := new(event)
		if err := json.Unmarshal(r.Payload, e); err != nil {
			b.Fatalf("event: %v in %s", err, r.Payload)
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(x, y *event) int {
		if c := strings.Compare(x.Session, y.Session); c != 0 {
			return c
		}
		return int(min(1, max(-1, x.Sequence-y.Sequence)))
	})
	return all
}

// said returns the messages of a role, in order.
func said(events []*event, role string) []string {
	var all []string
	for _, e := range events {
		if e.Type == "message" && str(e.Content["role"]) == role {
			all = append(all, e.text())
		}
	}
	return all
}

// memories returns the current memories, one a line of JSON.
func (b *bench) memories() []string {
	b.Helper()
	var all []string
	for _, r := range b.records() {
		if r.Kind == "memory" {
			all = append(all, string(r.Payload))
		}
	}
	return all
}

// number finds a number below a name, at any depth.
func number(v any, names ...string) (float64, bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range names {
			if n, ok := v[name].(float64); ok {
				return n, true
			}
		}
		for _, e := range v {
			if n, ok := number(e, names...); ok {
				return n, true
			}
		}
	case []any:
		for _, e := range v {
			if n, ok := number(e, names...); ok {
				return n, true
			}
		}
	}
	return 0, false
}

// merge merges one JSON object into another, recursively.
func merge(into, from string) (string, error) {
	var x, y map[string]any
	if err := json.Unmarshal([]byte(into), &x); err != nil {
		return "", err
	}
	if err := json.Unmarshal([]byte(from), &y); err != nil {
		return "", err
	}
	mergeObjects(x, y)
	out, err := json.MarshalIndent(x, "", "  ")
	return string(out), err
}

func mergeObjects(into, from map[string]any) {
	for k, v := range from {
		if a, b := object(into[k]), object(v); a != nil && b != nil {
			mergeObjects(a, b)
			continue
		}
		into[k] = v
	}
}
