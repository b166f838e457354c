package migrate

import (
	"context"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
)

// Limits of what a memory may say.
const (
	maxMemory = 60 << 10 // of its text
	maxField  = 4000     // of a field of its data
)

// note is a memory to be made.
type note struct {
	place
	id        []string // what the source calls it
	original  string
	kind      memory.Type
	text      string
	data      memory.Data
	tags      []string
	from      hmx.Time // since when it holds
	until     hmx.Time
	meta      map[string]any
	addedWhen any // what the source says of when it was made
	changed   any // and changed
}

// remember hands a memory to the sink.
func (r *run) remember(ctx context.Context, n *note) error {
	text := strings.TrimSpace(strings.ToValidUTF8(n.text, "\uFFFD"))
	if text == "" {
		r.leave(n.place, Empty, "a memory without text")
		return nil
	}
	from := r.provenance(n.original)
	if len(text) > maxMemory {
		text = shorten(text, maxMemory) + "…"
		from["cut"] = true
	}
	for name, v := range map[string]any{"created_at": n.addedWhen, "updated_at": n.changed} {
		if t, ok := when(v); ok {
			from[name] = t.String()
		}
	}
	m := &memory.Memory{
		ID: EventID(r.format, n.id...), Type: n.kind, Text: text, Data: n.data, Tags: tags(n.tags),
		ValidFrom: n.from, Metadata: r.metadata(from, n.meta),
	}
	if n.until.Compare(n.from) > 0 || n.from.IsZero() {
		m.ValidUntil = n.until
	}
	if m.Type == "" {
		m.Type = memory.TypeFact
	}
	return r.keep(ctx, n.place, m)
}

// fact returns the data of a fact as far as it fits.
func fact(subject, predicate, object string) *memory.Fact {
	return &memory.Fact{Subject: shorten(subject, maxField), Predicate: shorten(predicate, maxField), Object: shorten(object, maxField)}
}

// neutral returns the data of a preference of which only the text says what is preferred.
func neutral() *memory.Preference { return &memory.Preference{Polarity: memory.PolarityNeutral} }

// entityID returns the id of an entity, by what the source calls it.
func (r *run) entityID(names ...string) string {
	return EventID(r.format, append([]string{"entity"}, names...)...)
}

// entity hands an entity to the sink. One without a name is nothing.
func (r *run) entity(ctx context.Context, p place, id, called, kind, description string, tagged []string, meta map[string]any) error {
	called = name(called, "")
	if called == "" {
		r.leave(p, Empty, "an entity without a name")
		return nil
	}
	return r.keep(ctx, p, &memory.Entity{
		ID: id, Name: called, Type: shorten(name(kind, "thing"), 128), Description: shorten(strings.ToValidUTF8(description, "\uFFFD"), maxMemory),
		Tags: tags(tagged), Metadata: r.metadata(r.provenance(called), meta),
	})
}

// relation hands a relation to the sink.
func (r *run) relation(ctx context.Context, p place, from, predicate, to string, meta map[string]any) error {
	predicate = strings.TrimSpace(shorten(name(predicate, "relates_to"), 128))
	return r.keep(ctx, p, &memory.Relation{
		ID: EventID(r.format, "relation", from, predicate, to), From: from, Predicate: predicate, To: to,
		Metadata: r.metadata(r.provenance(""), meta),
	})
}

// keep hands a body to the sink if it is valid.
func (r *run) keep(ctx context.Context, p place, b memory.Body) error {
	b.Normalize()
	if err := b.Validate(); err != nil {
		r.leave(p, Refused, err.Error())
		return nil
	}
	return r.sink.Take(ctx, Item{Body: b, Line: p.line})
}

// provenance says where a memory comes from. It names no line: what a memory says does not
// change when something is written before it.
func (r *run) provenance(original string) map[string]any {
	from := map[string]any{"from": string(r.format)}
	if r.src.Name != "" {
		from["file"] = r.src.Name
	}
	if original != "" {
		from["id"] = original
	}
	return from
}

func (r *run) metadata(from, own map[string]any) hmx.Raw {
	meta := map[string]any{"import": from}
	for name, value := range own {
		if value != nil && value != "" {
			meta[name] = value
		}
	}
	out, _ := fit(meta, maxMetadata)
	return out
}
