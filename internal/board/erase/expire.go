package erase

import (
	"context"
	"math"
	"slices"
	"time"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Expired counts what an expiry removed.
type Expired struct {
	Things int // versioned records, by their own time or by a policy
	Events int // erased, by their own time or by a policy
}

// Expire journals the end of everything of a tenant that has expired at now:
// versioned records by their TTL, events by their ttl_seconds, and both by retention
// policies. Expired versioned records keep their history, unless a policy erases
// them; expired events are erased. The writer is the actor of the records.
//
// The writer's trust does not matter. A policy applies only to records with at most
// its own trust. So that no caller expires anything early, now must not be in the
// future: not later than the board's clock or, if that runs behind, the tenant's
// newest record.
//
// Expire is refused under a scope.
func (b *Eraser) Expire(ctx context.Context, w board.Writer, tenant string, now time.Time) (*Expired, error) {
	if err := b.core.RefuseScope(ctx, tenant, w, memory.OpExpire, "what is over"); err != nil {
		return nil, err
	}
	if err := memory.CheckActor(w.Actor); err != nil {
		return nil, err
	}
	if now.IsZero() {
		return nil, fault.New(fault.InvalidArgument, "now: it is not given").WithFix("give the time that decides what has expired, such as the current time")
	}
	if !time.Unix(0, now.UnixNano()).Equal(now) {
		return nil, fault.Newf(fault.InvalidArgument, "now: the year %d is out of range, which is from 1678 to 2262", now.Year()).
			WithFix("give the current time, or an earlier one in that range")
	}
	endings, err := b.due(ctx, w, tenant, now)
	if err != nil {
		return nil, err
	}
	out := &Expired{}
	erased := false
	for _, e := range endings {
		done, failed := b.eraseOld(ctx, tenant, e)
		out.Things += done
		erased = erased || done > 0
		if err = failed; err != nil {
			break
		}
	}
	// What a policy erases need not expire before, so this comes second.
	for i := 0; i < len(endings) && err == nil; i++ {
		err = b.expireAll(ctx, tenant, endings[i], out)
	}
	if erased || out.Events > 0 {
		// Even after a failure, journaled erasures are to be completed.
		err = fault.First(err, b.core.FinishErasures(ctx))
	}
	return out, err
}

// ending is what expires for one cause.
type ending struct {
	writer board.Writer  // with the trust of the policy, if one is the cause
	expiry memory.Expiry // what expires
	erase  []memory.URI  // records that a policy erases, with their newest version
}

// expireAll journals an expiry in as many records as it needs.
func (b *Eraser) expireAll(ctx context.Context, tenant string, e *ending, out *Expired) error {
	for rest := e.expiry.Targets; len(rest) > 0; {
		n := min(len(rest), memory.MaxTargets)
		part := &memory.Expiry{Targets: rest[:n:n], Cause: e.expiry.Cause, Policy: e.expiry.Policy}
		if err := b.eraseEmbeddings(ctx, e.writer, tenant, part.Targets); err != nil {
			return err
		}
		if err := b.expire(ctx, e.writer, tenant, part); err != nil {
			return err
		}
		for _, t := range part.Targets {
			if t.Kind == record.Event {
				out.Events++
			} else {
				out.Things++
			}
		}
		rest = rest[n:]
	}
	return nil
}

// eraseEmbeddings erases the embeddings of events that are about to be erased. It
// comes first: after an interruption in the other order, nothing would link the
// remaining embeddings to their events.
func (b *Eraser) eraseEmbeddings(ctx context.Context, w board.Writer, tenant string, targets []memory.ExpiryTarget) error {
	var made []memory.URI
	err := b.core.Read(ctx, tenant, func(s board.State) error {
		any := false
		err := catalog.List(s.Reader, s.Tenant.Number, catalog.All(record.Embedding, catalog.Live), nil, func([]byte, catalog.Thing) bool {
			any = true
			return false
		})
		if err != nil || !any {
			return err
		}
		for _, target := range targets {
			if target.Kind != record.Event {
				continue
			}
			ev, err := b.core.EventAt(s, target.Position)
			if code := fault.CodeOf(err); code == fault.Erased || code == fault.Damaged {
				continue
			}
			if err != nil {
				return err
			}
			list, err := madeOf(s, memory.URI{Tenant: s.Tenant.Name, Kind: record.Event, ID: ev.Event.EventID})
			if err != nil {
				return err
			}
			made = append(made, list...)
		}
		return nil
	})
	// The writer's trust does not matter.
	w = board.Writer{Actor: w.Actor, Trust: record.Operator}
	for part := range slices.Chunk(made, memory.MaxTargets) {
		if err == nil {
			_, err = b.redact(ctx, w, part, false)
		}
	}
	return err
}

// expire writes the record of an expiry. Its targets are those that are still due in
// log order: the fold ends whatever the record names.
func (b *Eraser) expire(ctx context.Context, w board.Writer, tenant string, e *memory.Expiry) error {
	id, err := b.core.NewID()
	if err != nil {
		return err
	}
	return b.core.Submit(ctx, &board.Request{Alone: true, Admit: func(g *board.Group) error {
		t, err := g.Tenant(tenant)
		if err != nil {
			return err
		}
		kept := e.Targets[:0]
		for _, target := range e.Targets {
			ok, err := stillDue(g, t, target)
			if err != nil {
				return err
			}
			if ok {
				kept = append(kept, target)
			}
		}
		if e.Targets = kept; len(kept) == 0 {
			return nil
		}
		entry, err := g.Board().ControlEntry(w, tenant, id, e)
		if err != nil {
			return err
		}
		_, err = g.Put(entry)
		return err
	}})
}

// stillDue reports whether a record that is to expire is still the current content of
// a live record, or an existing event. An unreadable one is left to Verify: it must
// not keep the rest alive.
func stillDue(g *board.Group, t *ledger.Tenant, target memory.ExpiryTarget) (bool, error) {
	f, err := g.Board().FrameAt(g.State(t), target.Position)
	if fault.CodeOf(err) == fault.Damaged {
		return false, nil
	}
	if err != nil {
		return false, g.Stop(err)
	}
	if f.Erased {
		return false, nil
	}
	r, err := apply.Decode(&f)
	if err != nil || r.Header.Kind != target.Kind {
		return false, nil
	}
	if r.Event != nil {
		return unembedded(g, t, r.Event.EventID)
	}
	if r.Body == nil {
		return false, nil
	}
	id, _ := r.Body.Identity()
	h, ok, err := catalog.HeadOf(g.Tx(), t.Number, target.Kind, catalog.ThingOf(t.Name, target.Kind, id))
	if err != nil {
		return false, g.Stop(err)
	}
	return ok && h.State == catalog.Live && h.Position == target.Position, nil
}

// unembedded reports whether an existing event has no embedding. One that was made
// since would outlive the event; both are erased the next time.
func unembedded(g *board.Group, t *ledger.Tenant, event string) (bool, error) {
	made, err := madeOf(g.State(t), memory.URI{Tenant: t.Name, Kind: record.Event, ID: event})
	if err != nil {
		return false, g.Stop(err)
	}
	for _, u := range made {
		h, ok, err := catalog.HeadOf(g.Tx(), t.Number, u.Kind, catalog.ThingOf(t.Name, u.Kind, u.ID))
		if err != nil {
			return false, g.Stop(err)
		}
		if ok && h.State != catalog.Redacted {
			return false, nil
		}
	}
	return true, nil
}

// eraseOld journals the erasures of a policy, in as many records as needed. It
// returns how many versioned records were erased.
func (b *Eraser) eraseOld(ctx context.Context, tenant string, e *ending) (things int, err error) {
	for rest := e.erase; len(rest) > 0; {
		id, err := b.core.NewID()
		if err != nil {
			return things, err
		}
		var did, seen int
		err = b.core.Submit(ctx, &board.Request{Alone: true, Admit: func(g *board.Group) (err error) {
			did, seen, err = eraseOldIn(g, e.writer, tenant, id, rest)
			return err
		}})
		if err != nil {
			return things, err
		}
		things += did
		rest = rest[seen:]
	}
	return things, nil
}

// eraseOldIn writes one redaction of records that have not changed since they were
// looked up. It returns how many it erases, and how many it processed, which is at
// least one.
func eraseOldIn(g *board.Group, w board.Writer, tenant, id string, uris []memory.URI) (did, seen int, err error) {
	t, err := g.Tenant(tenant)
	if err != nil {
		return 0, 0, err
	}
	red := &memory.Redaction{}
	for _, u := range uris {
		h, ok, err := catalog.HeadOf(g.Tx(), t.Number, u.Kind, catalog.ThingOf(t.Name, u.Kind, u.ID))
		if err != nil {
			return 0, 0, g.Stop(err)
		}
		if !ok || h.State == catalog.Redacted || uint64(h.Version) != u.Version {
			seen++
			continue
		}
		// Without a key the content may be sent again: it was removed for its age
		// alone.
		targets, _, err := targetsOf(g, w, t, u, nil)
		if fault.CodeOf(err) == fault.Untrusted || len(targets) > memory.MaxTargets {
			seen++ // the policy does not cover it, or it does not fit into one record
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		if len(red.Targets)+len(targets) > memory.MaxTargets {
			break
		}
		red.Targets = append(red.Targets, targets...)
		seen++
		did++
	}
	if did == 0 {
		return 0, seen, nil
	}
	return did, seen, putRedaction(g, w, tenant, id, red, &Erasure{})
}

// due collects what has expired.
func (b *Eraser) due(ctx context.Context, w board.Writer, tenant string, now time.Time) (list []*ending, err error) {
	err = b.core.Read(ctx, tenant, func(s board.State) error {
		if latest := time.Unix(0, max(b.core.Now().UnixNano(), s.Tenant.Time)); now.After(latest) {
			return fault.Newf(fault.InvalidArgument, "now: %s is in the future; it is %s", now.UTC().Format(time.RFC3339), latest.UTC().Format(time.RFC3339)).
				WithFix("give the current time or an earlier one")
		}
		ttl := &ending{writer: w, expiry: memory.Expiry{Cause: memory.CauseTTL}}
		var failed error
		err := catalog.Ended(s.Reader, s.Tenant.Number, now.UnixNano(), func(kind record.Kind, d catalog.Thing) bool {
			var h *catalog.Head
			if h, _, failed = catalog.HeadOf(s.Reader, s.Tenant.Number, kind, d); failed != nil || h == nil {
				return failed == nil
			}
			ttl.ends(kind, h.Position)
			return true
		})
		if err != nil || failed != nil {
			return fault.First(failed, err)
		}
		err = timeline.Expired(s.Reader, s.Tenant.Number, now.UnixNano(), func(p timeline.Place) bool {
			ttl.ends(record.Event, p.Position)
			return true
		})
		if err != nil {
			return err
		}
		list = append(list, ttl)
		return b.retention(s, func(h *catalog.Head, p *memory.Policy) error {
			e := &ending{
				writer: board.Writer{Actor: w.Actor, Trust: h.Trust},
				expiry: memory.Expiry{Cause: memory.CauseRetention, Policy: h.ID},
			}
			list = append(list, e)
			return b.outlived(ctx, s, p, now.UnixNano(), e)
		})
	})
	return list, err
}

// ends adds a record to what expires.
func (e *ending) ends(kind record.Kind, position uint64) {
	e.expiry.Targets = append(e.expiry.Targets, memory.ExpiryTarget{Kind: kind, Position: position})
}

// retention calls visit with the effective retention policies of a tenant. Unreadable
// ones have no effect.
func (b *Eraser) retention(s board.State, visit func(*catalog.Head, *memory.Policy) error) error {
	var failed error
	err := catalog.List(s.Reader, s.Tenant.Number, catalog.OfClass(record.Policy, string(memory.PolicyRetention)), nil, func(_ []byte, d catalog.Thing) bool {
		var h *catalog.Head
		if h, _, failed = catalog.HeadOf(s.Reader, s.Tenant.Number, record.Policy, d); failed != nil || h == nil {
			return failed == nil
		}
		if h.Trust < record.User || h.Status != "active" {
			return true
		}
		body, err := b.core.BodyAt(s, record.Policy, h.Position)
		if code := fault.CodeOf(err); code == fault.Damaged || code == fault.Erased {
			return true
		}
		if failed = err; err != nil {
			return false
		}
		if p, ok := body.(*memory.Policy); ok {
			failed = visit(h, p)
		}
		return failed == nil
	})
	return fault.First(failed, err)
}

// outlived adds what a retention policy removes.
func (b *Eraser) outlived(ctx context.Context, s board.State, p *memory.Policy, now int64, e *ending) error {
	cutoff, age := int64(math.MinInt64), p.Retention.MaxAgeSeconds*int64(time.Second)
	if now > math.MinInt64+age {
		cutoff = now - age
	}
	for _, kind := range p.Retention.Kinds {
		if kind == record.Event {
			if err := b.olderEvents(ctx, s, p.Scope, cutoff, e); err != nil {
				return err
			}
			continue
		}
		states := []catalog.State{catalog.Live}
		if p.Retention.Action == memory.RetainErase {
			states = append(states, catalog.Forgotten, catalog.Expired) // their history still exists
		}
		for _, state := range states {
			err := older(s, kind, state, cutoff, func(h *catalog.Head) {
				switch {
				case h.Trust > e.writer.Trust || !covers(p.Scope, h):
				case p.Retention.Action == memory.RetainErase:
					e.erase = append(e.erase, memory.URI{Tenant: s.Tenant.Name, Kind: kind, ID: h.ID, Version: uint64(h.Version)})
				default:
					e.ends(kind, h.Position)
				}
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// covers reports whether a record is in a scope.
func covers(s memory.Scope, h *catalog.Head) bool {
	agent := h.Agent // its agent, not its writer
	if agent == "" {
		agent = h.Actor
	}
	return s.CoversAgent(agent) && s.CoversType(memory.Type(h.Class)) && s.CoversTags(h.Tags) && s.CoversKey(h.Key)
}

// older calls visit with the records in a state whose last change is before the
// cutoff.
func older(s board.State, kind record.Kind, state catalog.State, cutoff int64, visit func(*catalog.Head)) error {
	var failed error
	err := catalog.List(s.Reader, s.Tenant.Number, catalog.All(kind, state), nil, func(_ []byte, d catalog.Thing) bool {
		var h *catalog.Head
		h, _, failed = catalog.HeadOf(s.Reader, s.Tenant.Number, kind, d)
		if failed == nil && h != nil && h.Updated < cutoff {
			visit(h)
		}
		return failed == nil
	})
	return fault.First(failed, err)
}

// olderEvents adds the events of a scope that were recorded before the cutoff. Times
// never fall within a tenant, so it stops at the first younger one.
func (b *Eraser) olderEvents(ctx context.Context, st board.State, s memory.Scope, cutoff int64, e *ending) error {
	for position := range st.Tenant.Size {
		if position%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		f, err := b.core.FrameAt(st, position)
		if fault.CodeOf(err) == fault.Damaged {
			continue
		}
		if err != nil {
			return err
		}
		h, err := record.ParseHeader(f.Header)
		if err != nil {
			return err
		}
		if h.Time >= cutoff {
			return nil
		}
		if f.Erased || h.Kind != record.Event || h.Trust > e.writer.Trust {
			continue
		}
		rec, err := apply.Decode(&f)
		if err != nil || rec.Event == nil {
			continue // Verify reports it
		}
		if s.CoversAgent(rec.Event.AgentID) && s.CoversTags(rec.Event.Tags) {
			e.ends(record.Event, position)
		}
	}
	return nil
}
