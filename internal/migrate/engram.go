package migrate

import (
	"context"
	"strings"

	"lukasa.dev/internal/memory"
)

// engramThing is a session, an observation or a prompt of `engram export`.
type engramThing struct {
	ID        loose `json:"id"`
	SyncID    loose `json:"sync_id"`
	SessionID loose `json:"session_id"`
	Project   loose `json:"project"`
	Directory loose `json:"directory"`
	StartedAt loose `json:"started_at"`
	EndedAt   loose `json:"ended_at"`
	Summary   loose `json:"summary"`
	Type      loose `json:"type"`
	Title     loose `json:"title"`
	Content   loose `json:"content"`
	ToolName  loose `json:"tool_name"`
	Scope     loose `json:"scope"`
	TopicKey  loose `json:"topic_key"`
	CreatedAt loose `json:"created_at"`
	UpdatedAt loose `json:"updated_at"`
	DeletedAt loose `json:"deleted_at"`
}

// engram reads what `engram export` writes: observations as memories, prompts as what the user
// said, and the summaries of sessions.
func (r *run) engram(ctx context.Context, src *text) error {
	return r.pieces(ctx, src, []string{"sessions", "observations", "prompts"}, func(p piece) error {
		var e engramThing
		if !r.decode(p, &e) {
			return nil
		}
		switch {
		case p.rest:
			return nil // what is around the lists
		case e.DeletedAt != "":
			r.leave(p.place, Deleted, "it was deleted in engram")
			return nil
		case p.in == "sessions" || p.in == "" && e.StartedAt != "":
			if e.Summary == "" {
				r.leave(p.place, Empty, "a session without a summary")
				return nil
			}
			t := r.engramTurn(p.place, &e, string(e.ID), "session")
			t.id = append(t.id, string(e.Summary))
			t.tags = append(t.tags, "summary")
			t.sequence = 1 << 62 // behind its prompts
			t.time(e.EndedAt, e.StartedAt)
			return r.say(ctx, t, "assistant", string(e.Summary), nil)
		case p.in == "prompts" || p.in == "" && e.Title == "" && e.Type == "" && e.Content != "":
			t := r.engramTurn(p.place, &e, string(e.SessionID), "prompt")
			t.time(e.CreatedAt)
			if !t.assumed {
				t.sequence = t.at.Time().UnixMilli()
			}
			return r.say(ctx, t, "user", string(e.Content), nil)
		}
		if e.Title == "" && e.Content == "" {
			r.leave(p.place, Unknown, "this is no part of an export of engram")
			return nil
		}
		return r.engramObservation(ctx, p.place, &e)
	})
}

func (r *run) engramTurn(p place, e *engramThing, session, kind string) *turn {
	id := first(string(e.SyncID), string(e.ID))
	return &turn{
		place: p, id: []string{kind, session, id, string(e.CreatedAt)}, session: first(session, r.stem()), agent: string(Engram), original: id,
		meta: map[string]any{"project": string(e.Project), "cwd": string(e.Directory)},
	}
}

// engramObservation makes a memory of what an agent noted.
func (r *run) engramObservation(ctx context.Context, p place, e *engramThing) error {
	id := first(string(e.SyncID), string(e.SessionID)+"/"+string(e.ID))
	text := string(e.Title)
	if body := strings.TrimSpace(string(e.Content)); body != text && body != "" {
		text = strings.TrimSpace(text + "\n\n" + body)
	}
	n := &note{
		place: p, id: []string{"observation", id}, original: id, kind: memory.TypeFact, text: text,
		tags: []string{string(e.Type), string(e.Project), string(e.TopicKey)}, addedWhen: e.CreatedAt, changed: e.UpdatedAt,
		meta: map[string]any{"project": string(e.Project), "session_id": string(e.SessionID), "tool_name": string(e.ToolName), "scope": string(e.Scope), "topic_key": string(e.TopicKey)},
	}
	switch e.Type {
	case "preference":
		n.kind, n.data = memory.TypePreference, neutral()
	case "pattern":
		n.kind = memory.TypePattern
	}
	n.from, _ = when(first(string(e.UpdatedAt), string(e.CreatedAt)))
	return r.remember(ctx, n)
}
