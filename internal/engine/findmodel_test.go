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
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// finds is a small board on which everything happens that a find must handle, and
// the names of everything ever put on it. The expected results come from reading
// everything, one by one, with Get and Event.
type finds struct {
	t     *rapid.T
	b     *engine.Board
	clock *clock
	uris  []memory.URI
	fed   []*memory.Feedback // that counts
}

var findWriters = []engine.Writer{
	{Actor: "ann", Trust: record.User}, {Actor: "bob", Trust: record.Agent}, {Actor: "ops", Trust: record.Operator},
}

func pick[T any](t *rapid.T, name string, from ...T) T { return rapid.SampledFrom(from).Draw(t, name) }

// some returns a few of the given, perhaps none.
func some[T any](t *rapid.T, name string, most int, from ...T) []T {
	return rapid.SliceOfN(rapid.SampledFrom(from), 0, most).Draw(t, name)
}

// coins reports whether n coins all show heads. Drawn numbers are not uniform,
// and coins are.
func coins(t *rapid.T, name string, n int) bool {
	for range n {
		if !rapid.Bool().Draw(t, name) {
			return false
		}
	}
	return true
}

var findSentences = []string{
	"Refunds round half up.", "The invoice goes out on Monday.", "roundRefund is in billing/refund.go.", "Nothing of note.", "Half of the refund is missing: refund again.",
}

func newFinds(t *rapid.T) *finds {
	f := &finds{t: t, clock: newClock()}
	o := small(disk.NewMem())
	o.Clock = f.clock.Now
	b, err := engine.Open(ctx, "data", o)
	if err != nil {
		t.Fatal(err)
	}
	f.b = b
	// Something of everything first, then random steps.
	for _, what := range []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12, 12, 12, 12, 12, 12, 7, 7, 7, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 19} {
		f.step(what)
	}
	for range rapid.IntRange(0, 30).Draw(t, "steps") {
		f.step(rapid.IntRange(0, 19).Draw(t, "what"))
	}
	return f
}

func (f *finds) step(what int) {
	t := f.t
	f.clock.Move(time.Duration(rapid.IntRange(0, 3).Draw(t, "seconds")) * time.Second)
	var err error
	switch {
	case what < 7:
		err = f.put(f.memory())
	case what < 9:
		err = f.put(f.other())
	case what < 12:
		err = f.put(f.edge())
	case what < 15:
		err = f.event()
	case what < 16 && len(f.uris) > 0:
		if u := pick(t, "forget", f.uris...); u.Kind != record.Event {
			_, err = f.b.Forget(ctx, pick(t, "writer", findWriters...), engine.RefOf(u), "so it is", engine.AnyVersion())
		}
	case what < 17 && len(f.uris) > 0:
		_, err = f.b.Redact(ctx, findWriters[2], []memory.URI{pick(t, "redact", f.uris...)})
	case what < 18:
		_, err = f.b.Expire(ctx, findWriters[2], "acme", f.clock.Now())
	default:
		err = f.put(f.feedback())
	}
	switch fault.CodeOf(err) {
	case "", fault.Untrusted, fault.Erased, fault.IDConflict, fault.NotFound:
	default:
		t.Fatal(err)
	}
}

// put writes a record and keeps its name.
func (f *finds) put(body memory.Body) error {
	w := pick(f.t, "writer", findWriters...)
	res, err := f.b.Put(ctx, w, "acme", body, engine.AnyVersion())
	if err != nil {
		return err
	}
	if u := res.URI.Head(); !slices.Contains(f.uris, u) {
		f.uris = append(f.uris, u)
	}
	if fb, ok := body.(*memory.Feedback); ok && !res.Unchanged && res.Trust >= record.Agent {
		f.fed = append(f.fed, fb)
	}
	return nil
}

func (f *finds) moment(name string) hmx.Time {
	return hmx.TimeOf(f.clock.Now().Add(time.Duration(rapid.IntRange(-20, 20).Draw(f.t, name)) * time.Second))
}

func (f *finds) memory() *memory.Memory {
	t := f.t
	m := &memory.Memory{
		ID: pick(t, "id", "m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9", "é/x"), Text: pick(t, "text", findSentences...),
		Tags:       some(t, "tags", 2, "red", "blue"),
		Importance: hmx.Some(pick(t, "importance", 0, 0.5, 0.9)), Confidence: hmx.Some(pick(t, "confidence", 0.25, 1.0)),
		Visibility: pick(t, "visibility", memory.VisibleTenant, memory.VisibleTenant, memory.VisiblePrivate),
	}
	if rapid.Bool().Draw(t, "keyed") {
		m.Key = pick(t, "prefix", "a", "a/b", "ab") + "/" + strings.ReplaceAll(m.ID, "é/", "m")
	}
	switch pick(t, "type", memory.TypeFact, memory.TypeGoal, memory.TypeEvent, memory.TypePattern) {
	case memory.TypeGoal:
		m.Data = &memory.Goal{Status: pick(t, "status", memory.GoalActive, memory.GoalPaused), Due: f.moment("due")}
	case memory.TypeEvent:
		m.Data = &memory.Event{Outcome: pick(t, "outcome", memory.OutcomeSuccess, memory.OutcomeFailure)}
	case memory.TypePattern:
		m.Data = &memory.Pattern{Trigger: pick(t, "trigger", "refund", "Refund"), Support: int64(rapid.IntRange(0, 3).Draw(t, "support"))}
	default:
		m.Data = &memory.Fact{Subject: pick(t, "subject", "refund", "invoice")}
	}
	for _, ref := range some(t, "refs", 2, "billing/refund.go", "./billing/refund.go", "README") {
		m.Frames = append(m.Frames, memory.Frame{Verb: pick(t, "verb", memory.VerbModify, memory.VerbFind), Kind: memory.ObjFile, Ref: ref})
	}
	if coins(t, "valid", 3) {
		m.ValidFrom = f.moment("valid from")
	}
	if coins(t, "ends", 3) {
		m.TTLSeconds = int64(rapid.IntRange(1, 20).Draw(t, "ttl"))
	}
	if rapid.Bool().Draw(t, "metadata") {
		m.Metadata = hmx.Raw(pick(t, "object", `{"n":2}`, `{"n":10,"list":["x","y"]}`, `{"n":"2","yes":true}`, `{"at":"2026-01-02T03:04:20Z","n":null}`))
	}
	return m
}

func (f *finds) other() memory.Body {
	t := f.t
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		return &memory.Entity{ID: pick(t, "id", "n0", "n1"), Name: pick(t, "name", "Dana", "Refund desk"), Type: pick(t, "type", "person", "fact"), Tags: some(t, "tags", 1, "red"), Attributes: `{"n":3}`}
	case 1:
		return &memory.Policy{ID: pick(t, "id", "p0", "p1"), Key: "a/p", PolicyKind: memory.PolicyConstraint, Text: pick(t, "text", findSentences...), Scope: memory.Scope{Tags: some(t, "tags", 1, "red", "blue")}}
	}
	return &memory.Relation{ID: pick(t, "id", "r0", "r1"), From: "n0", To: "n1", Predicate: pick(t, "predicate", "fact", "knows"), ValidUntil: f.moment("valid until")}
}

// feedback is about an agent that never reads, so that no reader has learned
// anything.
func (f *finds) feedback() memory.Body {
	t := f.t
	body := &memory.Feedback{
		ID: fmt.Sprint("f", len(f.uris)), AgentID: "coder", SessionID: pick(t, "session", "", "s1"),
		Outcome: pick(t, "outcome", memory.OutcomeSuccess, memory.OutcomeFailure, memory.OutcomePartial), Note: pick(t, "text", findSentences...),
	}
	if len(f.uris) > 0 {
		body.Cited = some(t, "cited", 3, f.uris...)
	}
	return body
}

func (f *finds) edge() memory.Body {
	t := f.t
	ends := append([]memory.URI{{Tenant: "acme", Kind: record.Memory, ID: "m0"}, {Tenant: "acme", Kind: record.Memory, ID: "nobody"}}, f.uris...)
	e := &memory.Edge{
		ID: fmt.Sprint("l", rapid.IntRange(0, 20).Draw(t, "id")), EdgeKind: pick(t, "edge", memory.EdgeSupports, memory.EdgeCauses, "x-acme-blocks"),
		From: pick(t, "from", ends...), To: pick(t, "to", ends...),
	}
	if e.From == e.To {
		e.To = memory.URI{Tenant: "acme", Kind: record.Memory, ID: "elsewhere"}
	}
	return e
}

func (f *finds) event() error {
	t := f.t
	id := fmt.Sprint("e", rapid.IntRange(0, 9).Draw(t, "id"))
	more := fmt.Sprintf(`,"tags":[%q],"salience":%v`, pick(t, "tag", "red", "green"), pick(t, "salience", 0.1, 0.8))
	if coins(t, "ends", 3) {
		more += fmt.Sprintf(`,"ttl_seconds":%d`, rapid.IntRange(1, 20).Draw(t, "ttl"))
	}
	content := fmt.Sprintf(`{"role":"user","text":%q}`, pick(t, "text", findSentences...))
	etype := "message"
	if rapid.Bool().Draw(t, "edit") {
		etype, content = "file_edit", fmt.Sprintf(`{"path":%q,"action":"modify"}`, pick(t, "path", "billing/refund.go", "README"))
	}
	ev, _, err := hmx.DecodeEvent(fmt.Appendf(nil, `{"hmx_version":"HMX-1.0","event_id":%q,"event_type":%q,"agent_id":%q,"tenant_id":"acme","session_id":%q,"timestamp":%q,"sequence":%d,"content":%s,"metadata":{"n":7}%s}`,
		id, etype, pick(t, "agent", "bob", "coder"), pick(t, "session", "s1", "s2"), f.moment("timestamp").String(), rapid.IntRange(0, 9).Draw(t, "sequence"), content, more))
	if err != nil {
		t.Fatal(err)
	}
	res, err := f.b.AppendEvents(ctx, pick(t, "writer", findWriters...), []*hmx.Event{ev})
	if err != nil {
		return err
	}
	if u := (memory.URI{Tenant: "acme", Kind: record.Event, ID: id}); res.Accepted > 0 && !slices.Contains(f.uris, u) {
		f.uris = append(f.uris, u)
	}
	return nil
}

// options draws a find with a narrowing predicate.
func (f *finds) options(g *gate) engine.FindOptions {
	t := f.t
	o := engine.FindOptions{Tenant: "acme", Limit: rapid.IntRange(0, 12).Draw(t, "limit")}
	moment := func(name string) time.Time { return f.moment(name).Time() }
	maybe := func(name string, n int) bool { return coins(t, name, n) }
	for !slices.ContainsFunc([]bool{o.Types != nil, o.Tags != nil, o.KeyPrefix != "", o.Agent != "", o.Session != "", strings.Contains(o.Frame, "="), !o.After.IsZero(), !o.Before.IsZero()}, func(b bool) bool { return b }) {
		if maybe("by type", 3) {
			o.Types = []string{pick(t, "type", "fact", "goal", "event", "message", "person", "constraint", "supports"), pick(t, "or", "fact", "file_edit", "pattern")}
		}
		if maybe("by tag", 2) {
			o.Tags = []string{pick(t, "tag", "red", "blue", "green")}
		}
		if maybe("by key", 4) {
			o.KeyPrefix = pick(t, "key", "a", "a/b", "ab", "a/m0", "b")
		}
		if maybe("by agent", 3) {
			o.Agent = pick(t, "agent", "ann", "bob", "coder", "ops")
		}
		if maybe("by session", 4) {
			o.Session = pick(t, "session", "s1", "s2")
		}
		if maybe("by frame", 3) {
			o.Frame = pick(t, "frame", "modify:file=billing/refund.go", "modify:file=README", "find:file=README", "modify:file")
		}
		if maybe("after", 3) {
			o.After = moment("after")
		}
		if maybe("before", 3) {
			o.Before = moment("before")
			if !o.After.IsZero() && !o.Before.After(o.After) {
				o.Before = o.After.Add(time.Second)
			}
		}
	}
	if maybe("kinds", 1) {
		o.Kinds = []record.Kind{pick(t, "kind", record.Memory, record.Memory, record.Policy, record.Edge, record.Feedback, record.Relation), record.Memory}
		if o.Agent != "" || o.Session != "" || strings.Contains(o.Frame, "=") {
			o.Kinds = append(o.Kinds, record.Event)
		}
		if len(o.Kinds) == 2 && o.Kinds[0] == record.Memory {
			o.Types = slices.DeleteFunc(o.Types, func(w string) bool { return !slices.Contains(memory.Types(), memory.Type(w)) })
			if len(o.Types) == 0 {
				o.Types = []string{"fact"}
			}
		}
	}
	if maybe("by status", 5) {
		o.Status = pick(t, "status", "active", "success", "unknown")
	}
	if maybe("by state", 4) {
		o.State = pick(t, "state", catalog.Live, catalog.Forgotten, catalog.Expired)
	}
	if maybe("as of", 3) {
		o.HeldAt = moment("as of")
	}
	for maybe("where", 2) {
		o.Where = append(o.Where, pick(t, "compare",
			engine.Compare{Field: "text", Op: "contains", Value: "REFUND"}, engine.Compare{Field: "text", Op: "prefix", Value: "Ref"},
			engine.Compare{Field: "key", Op: ">", Value: "a/b"}, engine.Compare{Field: "id", Op: "!=", Value: "m1"}, engine.Compare{Field: "actor", Op: "=", Value: "ann"},
			engine.Compare{Field: "trust", Op: ">=", Value: "agent"}, engine.Compare{Field: "trust", Op: "<", Value: "user"},
			engine.Compare{Field: "type", Op: "prefix", Value: "f"}, engine.Compare{Field: "status", Op: "!=", Value: "active"},
			engine.Compare{Field: "importance", Op: ">", Value: "0.4"}, engine.Compare{Field: "confidence", Op: "<=", Value: "0.25"},
			engine.Compare{Field: "created", Op: "<", Value: f.moment("created").String()}, engine.Compare{Field: "updated", Op: ">=", Value: f.moment("updated").String()},
			engine.Compare{Field: "data.trigger", Op: "=", Value: "refund"}, engine.Compare{Field: "data.support", Op: ">", Value: "1"}, engine.Compare{Field: "data.n", Op: "=", Value: "3.0"},
			engine.Compare{Field: "data.due", Op: "<=", Value: f.moment("due").String()}, engine.Compare{Field: "data.subject", Op: "contains", Value: "FUN"},
			engine.Compare{Field: "metadata.n", Op: "<", Value: "7.5"}, engine.Compare{Field: "metadata.n", Op: "!=", Value: "2"}, engine.Compare{Field: "metadata.list", Op: "=", Value: "y"},
			engine.Compare{Field: "metadata.list", Op: "!=", Value: "y"}, engine.Compare{Field: "metadata.yes", Op: "=", Value: "true"}, engine.Compare{Field: "metadata.at", Op: ">", Value: f.moment("at").String()},
		))
	}
	if maybe("by text", 2) {
		o.Text = pick(t, "question", "refund", "half of refund", "Monday", "nowhere", "billing")
		o.Order = pick(t, "order", "", engine.BySalience, engine.ByTime, engine.ByRelevance)
	} else {
		o.Order = pick(t, "order", "", engine.BySalience, engine.ByTime)
	}
	if maybe("following", 1) && (o.State == "" || o.State == catalog.Live) {
		for range rapid.IntRange(1, 3).Draw(t, "steps") {
			o.Follow = append(o.Follow, engine.Step{
				Kinds:     []memory.EdgeKind{pick(t, "edge", memory.EdgeSupports, memory.EdgeCauses, "x-acme-blocks"), pick(t, "or", memory.EdgeSupports, memory.EdgeCauses)},
				Direction: pick(t, "direction", "", engine.Outward, engine.Inward, engine.BothWay), Hops: rapid.IntRange(1, 2).Draw(t, "hops"),
			})
		}
		if maybe("seeds", 2) {
			limit := o.Limit
			if limit == 0 {
				limit = engine.DefaultFindLimit
			}
			o.Seeds = rapid.IntRange(1, limit).Draw(t, "seeds")
		}
	}
	if maybe("now", 1) {
		o.View.Now = moment("now")
	}
	if g != nil {
		o.View.Scope = g.token
	} else if maybe("viewer", 1) {
		o.View.Agent = pick(t, "viewer", "ann", "bob")
	}
	return o
}

// TestFindModel compares finds on random boards with a full scan.
func TestFindModel(t *testing.T) {
	testsize.OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		f := newFinds(t)
		defer f.b.Close()
		if len(f.uris) == 0 {
			return
		}
		for range 6 {
			g := f.gate()
			f.compare(f.options(g), g)
		}
	})
}
