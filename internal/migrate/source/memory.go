package source

import (
	"context"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/migrate/foreign"
)

// Limits of what a memory may say.
const (
	maxMemory = 60 << 10 // of its text
	maxField  = 4000     // of a field of its data
)

// Memory is a memory to be made.
type Memory struct {
	Place
	ID       []string // what the source calls it
	Original string
	Kind     memory.Type
	Text     string
	Data     memory.Data
	Tags     []string
	From     hmx.Time // since when it holds
	Until    hmx.Time
	Meta     map[string]any
	Added    any // what the source says of when it was made
	Changed  any // and changed
}

// Remember hands a memory to the sink.
func (r *Run) Remember(ctx context.Context, n *Memory) error {
	text := strings.TrimSpace(strings.ToValidUTF8(n.Text, "\uFFFD"))
	if text == "" {
		r.Leave(n.Place, Empty, "a memory without text")
		return nil
	}
	from := r.provenance(n.Original)
	if len(text) > maxMemory {
		text = foreign.Shorten(text, maxMemory) + "…"
		from["cut"] = true
	}
	for name, v := range map[string]any{"created_at": n.Added, "updated_at": n.Changed} {
		if t, ok := foreign.When(v); ok {
			from[name] = t.String()
		}
	}
	m := &memory.Memory{
		ID: foreign.EventID(r.Format, n.ID...), Type: n.Kind, Text: text, Data: n.Data, Tags: foreign.Tags(n.Tags),
		ValidFrom: n.From, Metadata: r.metadata(from, n.Meta),
	}
	if n.Until.Compare(n.From) > 0 || n.From.IsZero() {
		m.ValidUntil = n.Until
	}
	if m.Type == "" {
		m.Type = memory.TypeFact
	}
	return r.keep(ctx, n.Place, m)
}

// Fact returns the data of a fact as far as it fits.
func Fact(subject, predicate, object string) *memory.Fact {
	return &memory.Fact{Subject: foreign.Shorten(subject, maxField), Predicate: foreign.Shorten(predicate, maxField), Object: foreign.Shorten(object, maxField)}
}

// Neutral returns the data of a preference of which only the text says what is preferred.
func Neutral() *memory.Preference { return &memory.Preference{Polarity: memory.PolarityNeutral} }

// EntityID returns the id of an entity, by what the source calls it.
func (r *Run) EntityID(names ...string) string {
	return foreign.EventID(r.Format, append([]string{"entity"}, names...)...)
}

// Entity hands an entity to the sink. One without a name is nothing.
func (r *Run) Entity(ctx context.Context, p Place, id, called, kind, description string, tagged []string, meta map[string]any) error {
	called = foreign.Name(called, "")
	if called == "" {
		r.Leave(p, Empty, "an entity without a name")
		return nil
	}
	return r.keep(ctx, p, &memory.Entity{
		ID: id, Name: called, Type: foreign.Shorten(foreign.Name(kind, "thing"), 128), Description: foreign.Shorten(strings.ToValidUTF8(description, "\uFFFD"), maxMemory),
		Tags: foreign.Tags(tagged), Metadata: r.metadata(r.provenance(called), meta),
	})
}

// Relation hands a relation to the sink.
func (r *Run) Relation(ctx context.Context, p Place, from, predicate, to string, meta map[string]any) error {
	predicate = strings.TrimSpace(foreign.Shorten(foreign.Name(predicate, "relates_to"), 128))
	return r.keep(ctx, p, &memory.Relation{
		ID: foreign.EventID(r.Format, "relation", from, predicate, to), From: from, Predicate: predicate, To: to,
		Metadata: r.metadata(r.provenance(""), meta),
	})
}

// keep hands a body to the sink if it is valid.
func (r *Run) keep(ctx context.Context, p Place, b memory.Body) error {
	b.Normalize()
	if err := b.Validate(); err != nil {
		r.Leave(p, Refused, err.Error())
		return nil
	}
	return r.sink.Take(ctx, Item{Body: b, Line: p.Line})
}

// provenance says where a memory comes from. It names no line: what a memory says does not
// change when something is written before it.
func (r *Run) provenance(original string) map[string]any {
	from := map[string]any{"from": string(r.Format)}
	if r.Source.Name != "" {
		from["file"] = r.Source.Name
	}
	if original != "" {
		from["id"] = original
	}
	return from
}

func (r *Run) metadata(from, own map[string]any) hmx.Raw {
	meta := map[string]any{"import": from}
	for name, value := range own {
		if value != nil && value != "" {
			meta[name] = value
		}
	}
	return foreign.Metadata(meta)
}
