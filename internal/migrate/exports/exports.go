// Package exports reads what other memories export: those of the MCP memory server, Basic Memory,
// mem0 and engram, as memories, entities and relations; and events of HMX as they are.
//
// A memory keeps the id of its source, so that an export that is imported again changes only what
// was changed there.
package exports

import (
	"context"
	"path"
	"strings"

	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// The formats.
const (
	MCPMemory   foreign.Format = "mcp-memory"
	BasicMemory foreign.Format = "basic-memory"
	Mem0        foreign.Format = "mem0"
	Engram      foreign.Format = "engram"
	HMX         foreign.Format = "hmx"
)

// Readers returns how exports of other memories are read.
func Readers() []source.Reader {
	return []source.Reader{{
		Format: MCPMemory, What: "a file of the MCP memory server", Level: mcpLevel,
		Read: func(ctx context.Context, r *source.Run) error { return export{r}.mcpMemory(ctx) },
	}, {
		Format: BasicMemory, What: "a note of Basic Memory", Prose: looksNoted,
		Wants: func(_, ext string) bool { return ext == ".md" },
		Read:  func(ctx context.Context, r *source.Run) error { return export{r}.basicMemory(ctx) },
	}, {
		Format: Mem0, What: "memories of mem0", Level: mem0Level,
		Read: func(ctx context.Context, r *source.Run) error { return export{r}.mem0(ctx) },
	}, {
		Format: Engram, What: "an export of engram", Level: engramLevel,
		Read: func(ctx context.Context, r *source.Run) error { return export{r}.engram(ctx) },
	}}
}

// EventReaders returns how events of HMX are read.
func EventReaders() []source.Reader {
	return []source.Reader{{
		Format: HMX, What: "events of HMX", Level: hmxLevel, Exact: true,
		Wants: func(_, ext string) bool { return ext == ".ndjson" || ext == ".jsonl" },
		Read:  func(ctx context.Context, r *source.Run) error { return export{r}.hmx(ctx) },
	}}
}

// export is an export being read.
type export struct{ *source.Run }

func mcpLevel(v source.Shape) source.Level {
	return source.Grade(v["name"] && v.Any("type=entity", "entityType") || v.All("from", "to") && v.Any("type=relation", "relationType") || v.Any("entities.entityType", "relations.relationType"),
		v.All("entities", "relations"), v["name"] || v.All("from", "to"))
}

func mem0Level(v source.Shape) source.Level {
	return source.Grade(v["memory"] && v.Any("id", "user_id", "agent_id", "run_id", "hash", "created_at") || v.Any("results.memory", "memories.memory", "relations.relationship"),
		v.Any("memory", "results.text", "memories.text") || v["source"] && v.Any("target", "destination"), v.Any("text", "data", "results", "memories"))
}

func engramLevel(v source.Shape) source.Level {
	return source.Grade(v.Any("sync_id", "observations.title", "observations.sync_id", "observations.session_id", "sessions.started_at", "prompts.session_id", "prompts.content") ||
		v.All("title", "content") && v.Any("topic_key", "project", "session_id") || v["exported_at"] && v.Any("sessions", "observations", "prompts"),
		v.All("id", "project", "started_at"), !v["role"] && v.Any("content", "title", "started_at"))
}

func hmxLevel(v source.Shape) source.Level {
	return source.Grade(v["hmx_version"] || v.All("event_id", "event_type"), false, v["event_id"])
}

// looksNoted reports whether a text that is not JSON looks like a note.
func looksNoted(name string, head []byte) bool {
	if ext := path.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz")); ext == ".md" || ext == ".markdown" {
		return true
	}
	text := strings.TrimSpace(string(head[:min(len(head), 64<<10)]))
	if strings.HasPrefix(text, "---\n") || strings.HasPrefix(text, "---\r\n") || strings.HasPrefix(text, "# ") || linked().MatchString(text) {
		return true
	}
	for line := range strings.Lines(text) {
		if observed().MatchString(strings.TrimRight(line, "\r\n")) {
			return true
		}
	}
	return false
}
