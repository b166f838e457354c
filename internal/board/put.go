package board

import (
	"context"
	"io"
	"math"
	"reflect"
	"strconv"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Expect is the version that a write expects.
type Expect struct {
	version uint32
	set     bool
}

// AnyVersion expects nothing.
func AnyVersion() Expect { return Expect{} }

// Version expects a version of the record; 0 expects that there is none.
func Version(v uint32) Expect { return Expect{v, true} }

// PutResult is the result of a write.
type PutResult struct {
	URI       memory.URI // with the version
	Position  uint64
	Trust     record.Trust
	Unchanged bool // the content was the same; nothing was written
	Scrubbed  int  // secrets that were scrubbed before it was recorded
}

// Put writes a version of a record: a new one, or the next of the one with the
// same id or, if it has no id, the same key. Its trust is at most the lowest of
// its sources; an unknown source counts as external. The body is normalised, and
// gets its id, if it lacks one; a feedback gets its profile. Secrets are
// scrubbed, unless they are to be kept.
func (b *Board) Put(ctx context.Context, w Writer, tenant string, body memory.Body, expect Expect) (*PutResult, error) {
	if none(body) {
		return nil, noBody()
	}
	id, key := body.Identity()
	w, err := b.Entitled(ctx, tenant, w, memory.OpPut, targetOf(tenant, body.Kind(), id, key))
	if err != nil {
		return nil, err
	}
	return b.PutAs(ctx, w, tenant, body, expect, memory.OpPut, record.Operator)
}

func none(body memory.Body) bool { return body == nil || reflect.ValueOf(body).IsNil() }

func noBody() error {
	return fault.New(fault.InvalidArgument, "body: there is none").WithFix("give the record to store")
}

// PutAs is Put of content with at most the given trust, by a writer whose scope
// is verified.
func (b *Board) PutAs(ctx context.Context, w Writer, tenant string, body memory.Body, expect Expect, op memory.ViolationOp, tier record.Trust) (*PutResult, error) {
	if none(body) {
		return nil, noBody()
	}
	scrubbed, err := b.scrubBody(body)
	if err != nil {
		return nil, err
	}
	if err := b.CheckPut(w, tenant, body); err != nil {
		return nil, err
	}
	fresh, err := b.ids.Next()
	if err != nil {
		return nil, err
	}
	var res *PutResult
	err = b.Submit(ctx, &Request{Indexed: true, Admit: func(g *Group) (err error) {
		res, err = g.PutBody(w, tenant, body, expect, fresh, op, tier)
		return err
	}})
	if err != nil {
		return nil, err
	}
	return res.scrubbed(scrubbed), nil
}

// CheckPut applies the rules that need no state.
func (b *Board) CheckPut(w Writer, tenant string, body memory.Body) error {
	if none(body) {
		return noBody()
	}
	if err := w.check(); err != nil {
		return err
	}
	switch body.Kind() {
	case record.Violation:
		return fault.New(fault.InvalidArgument, "kind: violations are written by the board alone").WithFix("use feedback, or a memory, for what you have to say")
	case record.Embedding:
		return fault.New(fault.InvalidArgument, "kind: embeddings are written by the board alone").WithFix("give the event its vector in embeddings, or have the board ask an embedder")
	case record.Refinement:
		return fault.New(fault.InvalidArgument, "kind: refinements are written by the board alone").WithFix("give the artifact its title, or have the board ask a language model")
	}
	if err := memory.CheckTenant(tenant); err != nil {
		return err
	}
	if err := memory.CheckActor(w.Actor); err != nil {
		return err
	}
	body.Normalize()
	switch body := body.(type) {
	case *memory.Memory:
		if err := body.FillForms(b.tokens); err != nil {
			return err
		}
	case *memory.Feedback:
		body.Profile = hmx.Opt[memory.Profile]{} // the engine sets it, in log order
	}
	if err := b.validate(body); err != nil {
		return err
	}
	if err := body.Validate(); err != nil {
		return err
	}
	return memory.CheckLinks(tenant, body)
}

// PutBody decides about a version in log order, and puts it.
func (g *Group) PutBody(w Writer, tenant string, body memory.Body, expect Expect, fresh string, op memory.ViolationOp, tier record.Trust) (*PutResult, error) {
	t, err := g.Tenant(tenant)
	if err != nil {
		return nil, err
	}
	if err := w.timely(t); err != nil {
		return nil, err
	}
	if refused, err := g.judge(w, t, body, fresh, op); err != nil {
		return nil, err
	} else if refused != nil {
		return nil, g.refuse(w, *refused)
	}
	kind := body.Kind()
	head, err := g.identify(t, body, fresh)
	if err != nil {
		return nil, err
	}
	id, _ := body.Identity()
	uri := memory.URI{Tenant: tenant, Kind: kind, ID: id}
	if err := CheckExpected(expect, uri, head); err != nil {
		return nil, err
	}
	if f, ok := body.(*memory.Feedback); ok {
		if err := g.profile(t, w, head, f); err != nil {
			return nil, err
		}
	}
	payload, err := body.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	// A replay must accept the payload.
	if _, err := memory.Decode(kind, payload); err != nil {
		return nil, err
	}
	if head != nil {
		same, err := g.unchanged(t, head, payload)
		if err != nil {
			return nil, err
		}
		// A writer with more trust and the same content raises the trust.
		if same && w.Ceiling() <= head.Trust {
			uri.Version = uint64(head.Version)
			return &PutResult{URI: uri, Position: head.Position, Trust: head.Trust, Unchanged: true}, nil
		}
		if Immutable(kind) {
			return nil, fault.Newf(fault.IDConflict, "%s %q is recorded with other content, and a %s never changes", kind, id, kind).
				WithFix("give the new one an id of its own")
		}
		if err := Outranks(w, head); err != nil {
			return nil, err
		}
	}
	if err := g.admit(w, t, body); err != nil {
		return nil, err
	}
	if t.Key != nil {
		if mac, ok := memory.BodyMAC(t.Key, body); ok {
			at, gone, err := ledger.ErasedContent(g.tx, t.Number, mac[:])
			if err != nil {
				return nil, g.Stop(err)
			}
			if gone {
				return nil, erasedContent(at)
			}
		}
	}
	trust, err := g.lowest(w, t, min(w.Ceiling(), tier), body)
	if err != nil {
		return nil, err
	}
	version := uint32(1)
	if head != nil {
		version = head.Version + 1
	}
	e, err := g.b.NewEntry(w, tenant, kind, id+"#"+strconv.FormatUint(uint64(version), 10), payload)
	if err != nil {
		return nil, err
	}
	e.Header.Trust = trust
	e.Record.Body = body
	uri.Version = uint64(version)
	res := &PutResult{URI: uri, Trust: trust}
	res.Position, err = g.Put(e)
	return res, err
}

// NewEntry salts and hashes a payload.
func (b *Board) NewEntry(w Writer, tenant string, kind record.Kind, id string, payload []byte) (*Entry, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	body := make([]byte, record.SaltSize, record.SaltSize+len(payload))
	if _, err := io.ReadFull(b.o.Random, body); err != nil {
		return nil, err
	}
	body = append(body, payload...)
	return &Entry{
		Header: record.Header{
			Kind: kind, Trust: w.Ceiling(), Tenant: tenant, Actor: w.Actor,
			ID: record.ID(tenant, kind, id), Commitment: record.Commit(body),
		},
		Body:   body,
		Record: index.Record{Payload: body[record.SaltSize:]},
	}, nil
}

// Immutable reports whether records of a kind have only one version.
func Immutable(k record.Kind) bool {
	return k == record.Artifact || k == record.Feedback || k == record.Violation || k == record.Embedding || k == record.Refinement
}

// identify determines the record of a body, and sets the body's id. The head is
// nil for a new record.
func (g *Group) identify(t *ledger.Tenant, body memory.Body, fresh string) (*catalog.Head, error) {
	id, key := body.Identity()
	kind := body.Kind()
	var holder *catalog.Head
	if key != "" {
		thing, ok, err := catalog.Holder(g.tx, t.Number, kind, key)
		if err != nil {
			return nil, g.Stop(err)
		}
		if ok {
			if holder, _, err = catalog.HeadOf(g.tx, t.Number, kind, thing); err != nil {
				return nil, g.Stop(err)
			}
		}
	}
	switch {
	case id == "" && holder != nil:
		// A forgotten record is written again, rather than a second one with its
		// key.
		body.SetID(holder.ID)
		return holder, nil
	case id == "":
		body.SetID(fresh)
		return nil, nil
	}
	head, ok, err := catalog.HeadOf(g.tx, t.Number, kind, catalog.ThingOf(t.Name, kind, id))
	if err != nil {
		return nil, g.Stop(err)
	}
	if ok && head.State == catalog.Redacted {
		return nil, fault.Newf(fault.Erased, "%s %q was erased by the redaction at position %d and stays erased", kind, id, head.Position)
	}
	if holder != nil && holder.ID != id && holder.State == catalog.Live {
		return nil, fault.Newf(fault.IDConflict, "key: %q belongs to %s %s", key, kind, holder.ID).
			WithFix("use another key, or write to that id")
	}
	if !ok {
		return nil, nil
	}
	return head, nil
}

// CheckExpected compares the current version with the expected one.
func CheckExpected(e Expect, uri memory.URI, head *catalog.Head) error {
	var current uint32
	if head != nil {
		current = head.Version
	}
	if !e.set || e.version == current {
		return nil
	}
	if current == 0 {
		return fault.Newf(fault.VersionConflict, "%s does not exist, but version %d of it was expected", uri, e.version)
	}
	return fault.Newf(fault.VersionConflict, "%s is at version %d, but %d was expected", uri, current, e.version)
}

// unchanged reports whether the current content equals payload.
func (g *Group) unchanged(t *ledger.Tenant, head *catalog.Head, payload []byte) (bool, error) {
	if head.State != catalog.Live || head.Expires != math.MaxInt64 {
		return false, nil // writing it again brings it back, or extends its life
	}
	old, erased, err := g.PayloadAt(t, head.Position)
	if fault.CodeOf(err) == fault.Damaged {
		return false, nil // a valid copy may replace a damaged one
	}
	if err != nil {
		return false, g.Stop(err)
	}
	return !erased && string(old) == string(payload), nil
}

// Outranks refuses a writer with less trust than what it would change.
func Outranks(w Writer, head *catalog.Head) error {
	guard := max(head.Trust, head.Ended)
	if w.Ceiling() < guard {
		return fault.Newf(fault.Untrusted, "%s %s was written or ended with trust %s; a writer of trust %s may not change it", head.Kind, head.ID, guard, w.Ceiling()).
			WithFix("have a writer of tier " + guard.String() + " change it, or write something new")
	}
	if head.Visibility == memory.VisiblePrivate && head.Actor != w.Actor && w.Ceiling() < record.Operator {
		return fault.Newf(fault.Untrusted, "%s %s is private to %q", head.Kind, head.ID, head.Actor).
			WithFix("use another key, or have its writer or an operator change it")
	}
	return nil
}

// lowest returns the lowest tier among the writer's and those of all sources of
// the body. Sources that the writer cannot see count as missing.
func (g *Group) lowest(w Writer, t *ledger.Tenant, trust record.Trust, body memory.Body) (record.Trust, error) {
	if w.derived {
		return trust, nil
	}
	for _, l := range body.Facets().Links {
		if l.Rel != "derived_from" {
			continue
		}
		if w.access != nil {
			if seen, err := g.sees(ViewOf(w), t, l.To); err != nil {
				return 0, err
			} else if !seen {
				return record.External, nil
			}
		}
		tier, err := g.trustOf(t, l.To)
		if err != nil {
			return 0, err
		}
		trust = min(trust, tier)
	}
	return trust, nil
}

// trustOf returns the trust of a record or an event. A missing one is external.
func (g *Group) trustOf(t *ledger.Tenant, u memory.URI) (record.Trust, error) {
	if u.Kind != record.Event {
		head, ok, err := catalog.HeadOf(g.tx, t.Number, u.Kind, catalog.ThingOf(t.Name, u.Kind, u.ID))
		if err != nil {
			return 0, g.Stop(err)
		}
		if !ok || !head.Trust.Known() {
			return record.External, nil
		}
		return head.Trust, nil
	}
	id := record.ID(t.Name, record.Event, u.ID)
	position, ok, err := ledger.Find(g.tx, t.Number, &id)
	if err != nil {
		return 0, g.Stop(err)
	}
	if !ok {
		return record.External, nil
	}
	f, err := g.b.FrameAt(g.State(t), position)
	if fault.CodeOf(err) == fault.Damaged {
		return record.External, nil
	}
	if err != nil {
		return 0, g.Stop(err)
	}
	h, err := record.ParseHeader(f.Header)
	if err != nil {
		return 0, g.Stop(err)
	}
	return h.Trust, nil
}
