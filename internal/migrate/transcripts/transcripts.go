// Package transcripts reads what coding agents record of their sessions: transcripts of Claude
// Code, rollouts of Codex, sessions of Gemini CLI, exports of OpenCode.
//
// Each format has its file, written to that program's documentation; docs/import.md maps its parts
// to events. An event has the id that hooks of the agent give it, where hooks have a name for it.
// Thoughts of a model, and notes that an agent wrote for itself, are left out and counted. Prompts
// of sub-agents never get the trust of a user.
//
// Hooks look at the end of a transcript for what their agent does not tell them: see [Tail],
// [CodexEnd] and [StoppedCalls].
package transcripts

import (
	"context"
	"strings"

	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// Readers returns how the transcripts of coding agents are read.
func Readers() []source.Reader {
	return []source.Reader{{
		Format: foreign.ClaudeCode, What: "a transcript of Claude Code", Level: claudeLevel,
		Wants: func(_, ext string) bool { return ext == ".jsonl" },
		Read:  func(ctx context.Context, r *source.Run) error { return transcript{r}.claudeCode(ctx) },
	}, {
		Format: foreign.Codex, What: "a rollout of Codex", Level: codexLevel,
		Wants: func(name, ext string) bool { return ext == ".jsonl" && strings.HasPrefix(name, "rollout-") },
		Read:  func(ctx context.Context, r *source.Run) error { return transcript{r}.codex(ctx) },
	}, {
		Format: foreign.GeminiCLI, What: "a session of Gemini CLI", Level: geminiLevel,
		Wants: func(name, ext string) bool {
			return ext == ".jsonl" || ext == ".json" && strings.HasPrefix(name, "session-")
		},
		Read: func(ctx context.Context, r *source.Run) error { return transcript{r}.geminiCLI(ctx) },
	}, {
		Format: foreign.OpenCode, What: "an export of OpenCode", Level: openCodeLevel,
		Wants: func(_, ext string) bool { return ext == ".json" },
		Read:  func(ctx context.Context, r *source.Run) error { return transcript{r}.openCode(ctx) },
	}}
}

// transcript is a transcript being read.
type transcript struct{ *source.Run }

// eachLine passes the lines of a transcript to each, with what a line says.
func eachLine[T any](ctx context.Context, r transcript, each func(p source.Place, text []byte, v *T) error) error {
	return r.Lines(ctx, func(l source.Line) error {
		v := new(T)
		if !foreign.Decode(l.Text, v) {
			r.Broken(l.Place(), l.Text, l.Last)
			return nil
		}
		return each(l.Place(), l.Text, v)
	})
}

func claudeLevel(v source.Shape) source.Level {
	return source.Grade(v["type"] && !v["projectHash"] && (v.Any("sessionId", "leafUuid", "parentUuid", "isSidechain") || v.All("messageId", "snapshot")),
		v.Any("type=user", "type=assistant", "type=system", "type=summary") && v.Any("uuid", "message.content", "summary"), false)
}

func codexLevel(v source.Shape) source.Level {
	return source.Grade(v["payload"] && v.Any("type=session_meta", "type=response_item", "type=event_msg", "type=turn_context", "type=compacted") || v["record_type"] || v.All("id", "timestamp", "instructions"),
		v["call_id"] && v["type"] || v.All("type=message", "role") || v.All("type", "payload"), v["type=reasoning"])
}

func geminiLevel(v source.Shape) source.Level {
	return source.Grade(v.All("sessionId", "projectHash") || v.Any("$set", "$rewindTo") || v.All("type=gemini", "content"),
		v.All("id", "timestamp", "content", "type=user") && !v.Any("uuid", "payload", "sessionId"), v.Any("type=info", "type=warning", "type=error") && v["content"])
}

func openCodeLevel(v source.Shape) source.Level {
	return source.Grade(v.All("info.id", "messages.info.id") || v.All("info.id", "info.directory"), v.All("info", "messages"), false)
}
