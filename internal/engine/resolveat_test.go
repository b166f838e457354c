package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
	"lukasa.dev/internal/testsize"
)

// past is everything that several viewers could resolve at every position of a
// history, recorded when it was the present.
type past struct {
	f     *finds
	views map[string]engine.View
	seen  []map[string]string // by position: viewer and URI → result
}

// tell prints everything about what a URI names, or why it names nothing.
func tell(r *engine.Resolved, err error) string {
	if err != nil {
		return string(fault.CodeOf(err))
	}
	if r.Event != nil {
		return fmt.Sprintf("event %s at %d by %s (%s)", r.Event.Event.EventID, r.Event.Position, r.Event.Actor, r.Event.Trust)
	}
	x := r.Thing
	body, err := x.Body.AppendJSON(nil)
	if err != nil {
		return err.Error()
	}
	x.Body = nil
	return fmt.Sprintf("%+v %s", *x, body)
}

// note records the present.
func (p *past) note() {
	root, err := p.f.b.Root(ctx, "acme")
	if err != nil {
		p.f.t.Fatal(err)
	}
	if root.Size == uint64(len(p.seen)) {
		return
	}
	if root.Size != uint64(len(p.seen))+1 {
		p.f.t.Fatalf("%d records at once", root.Size-uint64(len(p.seen)))
	}
	now := make(map[string]string)
	for name, v := range p.views {
		for _, u := range p.f.uris {
			now[name+" "+u.String()] = tell(p.f.b.Resolve(ctx, u, v))
		}
	}
	p.seen = append(p.seen, now)
}

// compare resolves everything as of every position.
func (p *past) compare() {
	for name, v := range p.views {
		for _, u := range p.f.uris {
			present := tell(p.f.b.Resolve(ctx, u, v))
			for position, then := range p.seen {
				want := then[name+" "+u.String()]
				switch {
				case present == string(fault.Erased) || present == string(fault.NotFound):
					want = present // it is gone for good, or hidden from this viewer now
				case want == "":
					want = string(fault.NotFound) // it did not exist yet
				}
				if got := tell(p.f.b.ResolveAt(ctx, u, engine.AtPosition(uint64(position)), v)); got != want {
					p.f.t.Fatalf("%s as of %d for %s:\n%s\nwant\n%s", u, position, name, got, want)
				}
			}
		}
	}
}

// TestResolveAtModel resolves everything as of every position of random
// histories, some after a rebuild of the index, and expects the results of
// when that position was the newest.
func TestResolveAtModel(t *testing.T) {
	testsize.Long(t, "it compares thousands of reads")
	rapid.Check(t, func(t *rapid.T) {
		f := &finds{t: t, clock: newClock()}
		o := small(disk.NewMem())
		o.Clock = f.clock.Now
		b, err := engine.Open(ctx, "data", o)
		if err != nil {
			t.Fatal(err)
		}
		f.b = b
		defer b.Close()
		token, err := b.MintScope(ctx, findWriters[0], "acme", scope.Grant{
			To: "bob", Mode: scope.Read, Include: scope.Selectors{Tags: []string{"red"}}, Expires: f.clock.Now().Add(24 * time.Hour), Trust: record.Agent,
		})
		if err != nil {
			t.Fatal(err)
		}
		p := &past{f: f, views: map[string]engine.View{"operator": {}, "bob": {Agent: "bob"}, "scope": {Scope: token}}}
		for range rapid.IntRange(8, 35).Draw(t, "steps") {
			if coins(t, "artifact", 3) {
				f.artifact()
			} else {
				f.step(rapid.IntRange(0, 19).Draw(t, "what"))
			}
			p.note()
		}
		if rapid.Bool().Draw(t, "rebuild") {
			if err := b.Rebuild(ctx, nil); err != nil {
				t.Fatal(err)
			}
		}
		p.compare()
	})
}

// artifact writes an artifact or changes the status of one.
func (f *finds) artifact() {
	id := pick(f.t, "id", "a0", "a1", "a2")
	ref := engine.Ref{Tenant: "acme", Kind: record.Artifact, ID: id}
	u := memory.URI{Tenant: "acme", Kind: record.Artifact, ID: id}
	var err error
	if slices.Contains(f.uris, u) {
		_, err = f.b.Transition(ctx, findWriters[2], ref, pick(f.t, "to", hmx.StatusDeprecated, hmx.StatusArchived, hmx.StatusSuperseded), pick(f.t, "by", "", "a1", "a2"), "", engine.AnyVersion())
	} else {
		content := hmx.Raw(`{"steps":["one"]}`)
		a := &memory.Artifact{HMX: hmx.Artifact{
			HMXVersion: hmx.Version, ArtifactID: id, ArtifactType: "x-acme-note", Title: "Note", Summary: "What was noted.", Content: content, Confidence: 0.5,
			Status: hmx.StatusActive, SourceEvents: []string{"e0"}, SourceMemoryIDs: []string{}, Version: 1, CreatedAt: hmx.TimeOf(f.clock.Now()), Metadata: "{}",
			Tags: some(f.t, "tags", 1, "red"),
		}}
		if a.HMX.ContentHash, err = hmx.ContentHash(content); err != nil {
			f.t.Fatal(err)
		}
		err = f.put(a)
	}
	switch fault.CodeOf(err) {
	case "", fault.Untrusted, fault.Erased, fault.InvalidArgument, fault.NotFound:
	default:
		f.t.Fatal(err)
	}
}

// TestResolveAt resolves one record at versions and positions.
func TestResolveAt(t *testing.T) {
	c := newClock()
	o := small(disk.NewMem())
	o.Clock = c.Now
	b := openWith(t, "data", o)
	at := func(seconds int) { c.Move(time.Duration(seconds) * time.Second) }
	m := fact("m", "k", "First.")
	m.TTLSeconds = 10
	must(t)(b.Put(ctx, user, "acme", m, engine.AnyVersion())) // 0
	at(1)
	must(t)(b.Put(ctx, user, "acme", fact("m", "k", "Second."), engine.AnyVersion())) // 1
	at(1)
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "e", 1, "Hello.")})) // 2
	at(20)
	must(t)(b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "m"}, "over", engine.AnyVersion())) // 3
	thing, ev := memory.URI{Tenant: "acme", Kind: record.Memory, ID: "m"}, memory.URI{Tenant: "acme", Kind: record.Event, ID: "e"}
	later := engine.View{Now: c.Now()}
	for _, tc := range []struct {
		uri  memory.URI
		at   engine.At
		v    engine.View
		want string
	}{
		{thing, engine.At{}, engine.View{}, "forgotten 3 Second."},
		{thing, engine.AtVersion(0), engine.View{}, "forgotten 3 Second."},
		{thing, engine.AtVersion(1), engine.View{}, "live 1 First."},
		{thing, engine.AtVersion(2), engine.View{}, "live 2 Second."},
		{thing, engine.AtVersion(3), engine.View{}, "forgotten 3 Second."},
		{thing, engine.AtVersion(4), engine.View{}, "not_found"},
		{thing, engine.AtPosition(0), engine.View{}, "live 1 First."},
		{thing, engine.AtPosition(0), later, "expired 1 First."},
		{thing, engine.AtPosition(1), engine.View{}, "live 2 Second."},
		{thing, engine.AtPosition(2), engine.View{}, "live 2 Second."},
		{thing, engine.AtPosition(3), engine.View{}, "forgotten 3 Second."},
		{thing, engine.AtPosition(4), engine.View{}, "not_found"},
		{ev, engine.At{}, engine.View{}, "event e"},
		{ev, engine.AtPosition(1), engine.View{}, "not_found"},
		{ev, engine.AtPosition(2), engine.View{}, "event e"},
		{ev, engine.AtPosition(3), engine.View{}, "event e"},
		{ev, engine.AtVersion(1), engine.View{}, "invalid_argument"},
		{memory.URI{Tenant: "acme", Kind: record.Memory, ID: "m", Version: 2}, engine.AtVersion(2), engine.View{}, "live 2 Second."},
		{memory.URI{Tenant: "acme", Kind: record.Memory, ID: "m", Version: 2}, engine.AtVersion(1), engine.View{}, "invalid_argument"},
		{memory.URI{Tenant: "acme", Kind: record.Memory, ID: "m", Version: 2}, engine.AtPosition(1), engine.View{}, "invalid_argument"},
		{memory.URI{Tenant: "acme", Kind: record.Memory, ID: "nobody"}, engine.AtPosition(3), engine.View{}, "not_found"},
		{memory.URI{Tenant: "other", Kind: record.Memory, ID: "m"}, engine.AtPosition(0), engine.View{}, "not_found"},
		{memory.URI{Tenant: "", Kind: record.Memory, ID: "m"}, engine.AtPosition(0), engine.View{}, "invalid_argument"},
		{thing, engine.AtPosition(0), engine.View{Scope: "lukasa_scope_1.xyz"}, "scope_invalid"},
	} {
		got := ""
		r, err := b.ResolveAt(ctx, tc.uri, tc.at, tc.v)
		switch {
		case err != nil:
			got = string(fault.CodeOf(err))
		case r.Event != nil:
			got = "event " + r.Event.Event.EventID
		default:
			got = fmt.Sprintf("%s %d %s", r.Thing.State, r.Thing.Version, r.Thing.Body.(*memory.Memory).Text)
		}
		if got != tc.want {
			t.Errorf("%s at %+v: %s, want %s", tc.uri, tc.at, got, tc.want)
		}
	}
	must(t)(b.Redact(ctx, user, []memory.URI{thing, ev}))
	for _, u := range []memory.URI{thing, ev} {
		for position := range uint64(5) {
			_, err := b.ResolveAt(ctx, u, engine.AtPosition(position), engine.View{})
			if fault.CodeOf(err) != fault.Erased || strings.Contains(err.Error(), "Second") {
				t.Errorf("%s as of %d, erased since: %v", u, position, err)
			}
		}
	}
}
