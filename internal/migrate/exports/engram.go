package exports

import (
	"cmp"
	"context"
	"strings"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// engramThing is a session, an observation or a prompt of `engram export`.
type engramThing struct {
	ID        foreign.Text `json:"id"`
	SyncID    foreign.Text `json:"sync_id"`
	SessionID foreign.Text `json:"session_id"`
	Project   foreign.Text `json:"project"`
	Directory foreign.Text `json:"directory"`
	StartedAt foreign.Text `json:"started_at"`
	EndedAt   foreign.Text `json:"ended_at"`
	Summary   foreign.Text `json:"summary"`
	Type      foreign.Text `json:"type"`
	Title     foreign.Text `json:"title"`
	Content   foreign.Text `json:"content"`
	ToolName  foreign.Text `json:"tool_name"`
	Scope     foreign.Text `json:"scope"`
	TopicKey  foreign.Text `json:"topic_key"`
	CreatedAt foreign.Text `json:"created_at"`
	UpdatedAt foreign.Text `json:"updated_at"`
	DeletedAt foreign.Text `json:"deleted_at"`
}

// engram reads what `engram export` writes: observations as memories, prompts as what the user
// said, and the summaries of sessions.
func (r export) engram(ctx context.Context) error {
	return r.Pieces(ctx, []string{"sessions", "observations", "prompts"}, func(p source.Piece) error {
		var e engramThing
		if !r.Decode(p, &e) {
			return nil
		}
		switch {
		case p.Rest:
			return nil // what is around the lists
		case e.DeletedAt != "":
			r.Leave(p.Place, source.Deleted, "it was deleted in engram")
			return nil
		case p.In == "sessions" || p.In == "" && e.StartedAt != "":
			if e.Summary == "" {
				r.Leave(p.Place, source.Empty, "a session without a summary")
				return nil
			}
			t := r.engramTurn(p.Place, &e, string(e.ID), "session")
			t.ID = append(t.ID, string(e.Summary))
			t.Tags = append(t.Tags, "summary")
			t.Sequence = 1 << 62 // behind its prompts
			t.Time(e.EndedAt, e.StartedAt)
			return r.Say(ctx, t, "assistant", string(e.Summary), nil)
		case p.In == "prompts" || p.In == "" && e.Title == "" && e.Type == "" && e.Content != "":
			t := r.engramTurn(p.Place, &e, string(e.SessionID), "prompt")
			t.Time(e.CreatedAt)
			if !t.Assumed {
				t.Sequence = t.At.Time().UnixMilli()
			}
			return r.Say(ctx, t, "user", string(e.Content), nil)
		}
		if e.Title == "" && e.Content == "" {
			r.Leave(p.Place, source.Unknown, "this is no part of an export of engram")
			return nil
		}
		return r.engramObservation(ctx, p.Place, &e)
	})
}

func (r export) engramTurn(p source.Place, e *engramThing, session, kind string) *source.Turn {
	id := cmp.Or(string(e.SyncID), string(e.ID))
	return &source.Turn{
		Place: p, ID: []string{kind, session, id, string(e.CreatedAt)}, Session: cmp.Or(session, r.Stem()), Agent: string(Engram), Original: id,
		Meta: map[string]any{"project": string(e.Project), "cwd": string(e.Directory)},
	}
}

// engramObservation makes a memory of what an agent noted.
func (r export) engramObservation(ctx context.Context, p source.Place, e *engramThing) error {
	id := cmp.Or(string(e.SyncID), string(e.SessionID)+"/"+string(e.ID))
	text := string(e.Title)
	if body := strings.TrimSpace(string(e.Content)); body != text && body != "" {
		text = strings.TrimSpace(text + "\n\n" + body)
	}
	n := &source.Memory{
		Place: p, ID: []string{"observation", id}, Original: id, Kind: memory.TypeFact, Text: text,
		Tags: []string{string(e.Type), string(e.Project), string(e.TopicKey)}, Added: e.CreatedAt, Changed: e.UpdatedAt,
		Meta: map[string]any{"project": string(e.Project), "session_id": string(e.SessionID), "tool_name": string(e.ToolName), "scope": string(e.Scope), "topic_key": string(e.TopicKey)},
	}
	switch e.Type {
	case "preference":
		n.Kind, n.Data = memory.TypePreference, source.Neutral()
	case "pattern":
		n.Kind = memory.TypePattern
	}
	n.From, _ = foreign.When(cmp.Or(string(e.UpdatedAt), string(e.CreatedAt)))
	return r.Remember(ctx, n)
}
