package engine_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/frame"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/weights"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/salience"
)

// coder is an agent that writes for itself.
var coder = engine.Writer{Actor: "coder", Trust: record.Agent}

func of(kind record.Kind, id string) memory.URI {
	return memory.URI{Tenant: "acme", Kind: kind, ID: id}
}

func opinion(id string, outcome memory.Outcome, cited ...memory.URI) *memory.Feedback {
	return &memory.Feedback{ID: id, AgentID: "coder", Outcome: outcome, Cited: cited}
}

// profileOf returns the recorded profile of a feedback.
func profileOf(t *testing.T, b *engine.Board, id string) hmx.Opt[memory.Profile] {
	t.Helper()
	thing, err := b.Get(ctx, engine.RefOf(of(record.Feedback, id)), engine.View{})
	if err != nil {
		t.Fatal(err)
	}
	return thing.Body.(*memory.Feedback).Profile
}

// lessons returns what the index of a closed board has learned from feedback:
// the coder's weights, and the counts of cited records.
func lessons(t *testing.T, fs disk.FS, cited ...memory.URI) (w salience.Weights, text string) {
	t.Helper()
	s, err := kv.Open(kv.Options{FS: fs, Dir: "data/index", CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tenant, ok, err := ledger.Lookup(s, "acme")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	w, n, err := weights.For(s, tenant.Number, "coder")
	if err != nil {
		t.Fatal(err)
	}
	text = fmt.Sprint("learned ", n)
	for _, u := range cited {
		thing := frame.ThingOf("acme", u.Kind, u.ID)
		uses, wins, losses, err := frame.Usage(s, tenant.Number, u.Kind, thing)
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf(", %s %d %d %d", u.ID, uses, wins, losses)
	}
	return w, text
}

// TestFeedbackTeaches: feedback changes counts and weights, the same whether
// they are folded live, after a restart, in a new index or elsewhere; and an
// erased feedback has no effect.
func TestFeedbackTeaches(t *testing.T) {
	fs, now := disk.NewMem(), newClock()
	o := small(fs)
	o.Clock = now.Now
	b := openWith(t, "data", o)
	m := fact("m", "", "Refunds are rounded half away from zero.")
	m.Importance, m.Frames = hmx.Some(0.9), []memory.Frame{{Verb: memory.VerbModify, Kind: memory.ObjFile, Ref: "refund.go"}}
	must(t)(b.Put(ctx, user, "acme", m, engine.AnyVersion()))
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{eventWith(t, "acme", "e", "s", 1, "Round it like the invoices do.", `,"salience":0.25`)}))
	now.Move(90 * 24 * time.Hour)
	must(t)(b.Put(ctx, user, "acme", &memory.Entity{ID: "n", Name: "Ann", Type: "person"}, engine.AnyVersion()))
	now.Move(time.Hour) // the newest record sets the time of the tenant, not the clock

	all := []memory.URI{of(record.Memory, "m"), of(record.Event, "e"), of(record.Entity, "n")}
	first := opinion("f1", memory.OutcomeSuccess, append(all, memory.URI{Tenant: "acme", Kind: record.Memory, ID: "m", Version: 1}, of(record.Memory, "nobody"))...)
	first.Profile = hmx.Some(memory.Profile{Recency: 77}) // the caller cannot set it
	must(t)(b.Put(ctx, coder, "acme", first, engine.AnyVersion()))
	old := salience.Recency(90 * 24 * time.Hour)
	want := memory.Profile(salience.ProfileOf([]salience.Factors{{Recency: 1, Importance: 0.5}, {Recency: old, Importance: 0.25}, {Recency: old, Importance: 0.9}}))
	if got := profileOf(t, b, "f1"); got != hmx.Some(want) || first.Profile != got {
		t.Errorf("%+v, want %+v", got, want)
	}
	second := opinion("f2", memory.OutcomeFailure, of(record.Memory, "m"))
	must(t)(b.Put(ctx, user, "acme", second, engine.AnyVersion()))
	p2 := profileOf(t, b, "f2").Value
	if p2.Access != salience.Access(1) || p2.Citations != salience.Citations(1, 0) || p2.Importance != 0.9 {
		t.Errorf("%+v", p2)
	}
	must(t)(b.Put(ctx, engine.Writer{Actor: "rival", Trust: record.Agent}, "acme", opinion("f3", memory.OutcomeSuccess, of(record.Event, "e")), engine.AnyVersion()))
	must(t)(b.Put(ctx, engine.Writer{Actor: "coder", Trust: record.Tool}, "acme", opinion("f4", memory.OutcomeSuccess, all...), engine.AnyVersion()))

	// Writing it again changes nothing, although the factors differ by now.
	again := opinion("f2", memory.OutcomeFailure, of(record.Memory, "m"))
	if res, err := b.Put(ctx, user, "acme", again, engine.AnyVersion()); err != nil || !res.Unchanged {
		t.Errorf("%+v %v", res, err)
	}
	if _, err := b.Put(ctx, user, "acme", opinion("f2", memory.OutcomeSuccess, of(record.Memory, "m")), engine.AnyVersion()); fault.CodeOf(err) != fault.IDConflict {
		t.Error(err)
	}

	learn := salience.Cold().Learn(1, salience.Profile(want)).Learn(-1, salience.Profile(p2))
	const told = "learned 2, m 2 1 1, e 2 2 0, n 1 1 0"
	check := func(when string, weights salience.Weights, want string) {
		t.Helper()
		sound(t, b)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if w, text := lessons(t, fs, all...); w != weights || text != want {
			t.Errorf("%s: %s, %+v, want %s, %+v", when, text, w, want, weights)
		}
		b = openWith(t, "data", o)
	}
	check("as it came", learn, told)
	check("after a restart", learn, told)
	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	check("rebuilt", learn, told)
	elsewhere(t, b, learn, told, all...)

	must(t)(b.Redact(ctx, user, []memory.URI{of(record.Feedback, "f1")}))
	less := salience.Cold().Learn(-1, salience.Profile(p2))
	const left = "learned 1, m 1 0 1, e 1 1 0, n 0 0 0"
	check("after an erasure", less, left)
	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	check("rebuilt after it", less, left)
	elsewhere(t, b, less, left, all...)

	// Cited records may be erased; the feedback about them stays.
	must(t)(b.Redact(ctx, user, []memory.URI{of(record.Memory, "m"), of(record.Event, "e")}))
	check("without what was cited", less, left)
	must(t)(b.Forget(ctx, user, engine.RefOf(of(record.Feedback, "f2")), "it was another task", engine.AnyVersion()))
	must(t)(b.Redact(ctx, user, []memory.URI{of(record.Feedback, "f3")}))
	const nothing = "learned 0, m 0 0 0, e 0 0 0, n 0 0 0"
	check("forgotten", salience.Cold(), nothing)
	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	check("rebuilt at the end", salience.Cold(), nothing)
}

// elsewhere imports a board's tenant into another directory and checks it there.
func elsewhere(t *testing.T, b *engine.Board, weights salience.Weights, want string, cited ...memory.URI) {
	t.Helper()
	var out bytes.Buffer
	must(t)(b.Export(ctx, "acme", &out, nil))
	fs := disk.NewMem()
	o := small(fs)
	o.Clock = func() time.Time { return time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) }
	c := openWith(t, "data", o)
	must(t)(c.AppendEvents(ctx, user, []*hmx.Event{event(t, "first", "e", 1, "a tenant with another number")}))
	must(t)(c.Import(ctx, &out, nil))
	sound(t, c)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if w, text := lessons(t, fs, cited...); w != weights || text != want {
		t.Errorf("imported: %s, %+v, want %s, %+v", text, w, want, weights)
	}
}

// TestFeedbackWithoutProfile cites nothing that its writer sees, so that nothing
// can be learned from it; it is still counted.
func TestFeedbackWithoutProfile(t *testing.T) {
	fs, now := disk.NewMem(), newClock()
	o := small(fs)
	o.Clock = now.Now
	b := openWith(t, "data", o)
	put := func(w engine.Writer, m *memory.Memory) { must(t)(b.Put(ctx, w, "acme", m, engine.AnyVersion())) }
	put(user, fact("forgotten", "", "It was so."))
	must(t)(b.Forget(ctx, user, engine.RefOf(of(record.Memory, "forgotten")), "", engine.AnyVersion()))
	put(user, fact("erased", "", "It was so, too."))
	must(t)(b.Redact(ctx, user, []memory.URI{of(record.Memory, "erased")}))
	private := fact("private", "", "Between us.")
	private.Visibility = memory.VisiblePrivate
	put(user, private)
	brief := fact("over", "", "For a second.")
	brief.TTLSeconds = 1
	put(user, brief)
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{eventWith(t, "acme", "gone", "s", 1, "To be erased.", ""), eventWith(t, "acme", "short", "s", 2, "For a second.", `,"ttl_seconds":1`)}))
	must(t)(b.Redact(ctx, user, []memory.URI{of(record.Event, "gone")}))
	now.Move(time.Minute)
	put(user, fact("newest", "", "Time has passed."))
	cited := []memory.URI{of(record.Memory, "forgotten"), of(record.Memory, "erased"), of(record.Memory, "private"), of(record.Memory, "over"), of(record.Memory, "nobody"), of(record.Event, "gone"), of(record.Event, "short"), of(record.Event, "never")}
	must(t)(b.Put(ctx, coder, "acme", opinion("f", memory.OutcomeSuccess, cited...), engine.AnyVersion()))
	must(t)(b.Put(ctx, coder, "acme", opinion("none", memory.OutcomeSuccess), engine.AnyVersion()))
	for _, id := range []string{"f", "none"} {
		if got := profileOf(t, b, id); got.Set {
			t.Errorf("%s has the profile %+v", id, got)
		}
	}
	// An operator sees what is private.
	must(t)(b.Put(ctx, engine.Writer{Actor: "ops", Trust: record.Operator}, "acme", opinion("ops", memory.OutcomeSuccess, cited...), engine.AnyVersion()))
	if got := profileOf(t, b, "ops"); !got.Set || got.Value.Importance != 0.5 || got.Value.Access != salience.Access(1) {
		t.Errorf("%+v", got)
	}
	sound(t, b)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, text := lessons(t, fs, cited[0], cited[1], cited[4], cited[5]); text != "learned 1, forgotten 2 2 0, erased 2 2 0, nobody 2 2 0, gone 2 2 0" {
		t.Error(text)
	}
}
