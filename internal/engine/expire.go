package engine

import (
	"context"
	"slices"
	"time"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Expired says what an expiry took away.
type Expired struct {
	Things int // by their own time or by a policy
	Events int // erased, by their own time or by a policy
}

// Expire journals the end of everything of a tenant whose time is over at now:
// things by their TTL, events by their ttl_seconds, and what retention policies
// say. Expired things keep their history; expired events are erased. The writer
// stands in the records as the actor.
func (b *Board) Expire(ctx context.Context, w Writer, tenant string, now time.Time) (*Expired, error) {
	due, err := b.due(ctx, tenant, now.UnixNano())
	if err != nil {
		return nil, err
	}
	out := &Expired{}
	for part := range slices.Chunk(due.erase, 1000) {
		// The content may come again: it was let go for its age alone.
		done, err := b.redact(ctx, w, part, false)
		if err != nil {
			return out, err
		}
		out.Things += len(part) - done.Already
	}
	for _, e := range due.expiries {
		for len(e.Targets) > 0 {
			n := min(len(e.Targets), memory.MaxTargets)
			part := &memory.Expiry{Targets: e.Targets[:n], Cause: e.Cause, Policy: e.Policy}
			if err := b.expire(ctx, w, tenant, part); err != nil {
				return out, err
			}
			for _, t := range part.Targets {
				if t.Kind == record.Event {
					out.Events++
				} else {
					out.Things++
				}
			}
			e.Targets = e.Targets[n:]
		}
	}
	if out.Events > 0 {
		return out, b.finishNow(ctx)
	}
	return out, nil
}

// expire puts the record of an expiry. What changed since it was looked up is
// looked at again by the fold, which passes over what is gone.
func (b *Board) expire(ctx context.Context, w Writer, tenant string, e *memory.Expiry) error {
	id, err := b.ids.Next()
	if err != nil {
		return err
	}
	return b.submit(ctx, &request{alone: true, admit: func(g *group) error {
		t, err := g.tenant(tenant)
		if err != nil {
			return err
		}
		kept := e.Targets[:0]
		for _, target := range e.Targets {
			ok, err := g.stillDue(t, target)
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
		entry, err := g.b.controlEntry(w, tenant, id, e)
		if err != nil {
			return err
		}
		_, err = g.put(entry)
		return err
	}})
}

// stillDue reports whether a record that was to expire is still the current
// content of a live thing, or an event that is still there.
func (g *group) stillDue(t *ledger.Tenant, target memory.ExpiryTarget) (bool, error) {
	_, gone, err := ledger.Erased(g.tx, t.Number, target.Position)
	if err != nil {
		return false, g.stop(err)
	}
	if gone || target.Kind == record.Event {
		return !gone, nil
	}
	body, err := g.b.bodyAt(g.tx, t, target.Kind, target.Position)
	if fault.CodeOf(err) == fault.Damaged {
		return false, nil // what cannot be read must not keep the rest alive
	}
	if err != nil {
		return false, err
	}
	id, _ := body.Identity()
	h, ok, err := catalog.HeadOf(g.tx, t.Number, target.Kind, catalog.ThingOf(t.Name, target.Kind, id))
	if err != nil {
		return false, g.stop(err)
	}
	return ok && h.State == catalog.Live && h.Position == target.Position, nil
}

// dues is what is over.
type dues struct {
	expiries []*memory.Expiry
	erase    []memory.URI // things that a policy wants erased
}

// due collects what is over.
func (b *Board) due(ctx context.Context, tenant string, now int64) (list dues, err error) {
	err = b.read(ctx, tenant, func(r kv.Reader, t *ledger.Tenant) error {
		ttl := &memory.Expiry{Cause: memory.CauseTTL}
		var failed error
		err := catalog.Ended(r, t.Number, now, func(kind record.Kind, d catalog.Thing) bool {
			var h *catalog.Head
			if h, _, failed = catalog.HeadOf(r, t.Number, kind, d); failed != nil || h == nil {
				return failed == nil
			}
			ttl.Targets = append(ttl.Targets, memory.ExpiryTarget{Kind: kind, Position: h.Position})
			return true
		})
		if err != nil || failed != nil {
			return first(failed, err)
		}
		err = timeline.Expired(r, t.Number, now, func(p timeline.Place) bool {
			ttl.Targets = append(ttl.Targets, memory.ExpiryTarget{Kind: record.Event, Position: p.Position})
			return true
		})
		if err != nil {
			return err
		}
		list.expiries = append(list.expiries, ttl)
		return b.retention(ctx, r, t, now, &list)
	})
	return list, err
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// retention adds what the tenant's retention policies let go.
func (b *Board) retention(ctx context.Context, r kv.Reader, t *ledger.Tenant, now int64, list *dues) error {
	var failed error
	err := catalog.List(r, t.Number, catalog.OfClass(record.Policy, string(memory.PolicyRetention)), nil, func(_ []byte, d catalog.Thing) bool {
		h, ok, err := catalog.HeadOf(r, t.Number, record.Policy, d)
		if err != nil || !ok {
			failed = err
			return err == nil
		}
		body, err := b.bodyAt(r, t, record.Policy, h.Position)
		if err != nil {
			failed = err
			return false
		}
		p, ok := body.(*memory.Policy)
		if !ok || h.Trust < record.User || h.Status != "active" {
			return true
		}
		e := &memory.Expiry{Cause: memory.CauseRetention, Policy: h.ID}
		cutoff := now - p.Retention.MaxAgeSeconds*int64(time.Second)
		for _, kind := range p.Retention.Kinds {
			if kind == record.Event {
				failed = b.olderEvents(ctx, r, t, cutoff, e)
			} else {
				failed = older(r, t, kind, cutoff, func(h *catalog.Head) {
					if p.Retention.Action == memory.RetainErase {
						list.erase = append(list.erase, memory.URI{Tenant: t.Name, Kind: kind, ID: h.ID})
					} else {
						e.Targets = append(e.Targets, memory.ExpiryTarget{Kind: kind, Position: h.Position})
					}
				})
			}
			if failed != nil {
				return false
			}
		}
		list.expiries = append(list.expiries, e)
		return true
	})
	return first(failed, err)
}

// older calls visit with what is live of a kind and was written before the
// cutoff.
func older(r kv.Reader, t *ledger.Tenant, kind record.Kind, cutoff int64, visit func(*catalog.Head)) error {
	var failed error
	err := catalog.List(r, t.Number, catalog.All(kind, catalog.Live), nil, func(_ []byte, d catalog.Thing) bool {
		var h *catalog.Head
		h, _, failed = catalog.HeadOf(r, t.Number, kind, d)
		if failed == nil && h != nil && h.Updated < cutoff {
			visit(h)
		}
		return failed == nil
	})
	return first(failed, err)
}

// olderEvents adds the events that were recorded before the cutoff. Times never
// fall within a tenant, so it stops at the first that is younger.
func (b *Board) olderEvents(ctx context.Context, r kv.Reader, t *ledger.Tenant, cutoff int64, e *memory.Expiry) error {
	for position := range t.Size {
		if position%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		_, gone, err := ledger.Erased(r, t.Number, position)
		if err != nil {
			return err
		}
		if gone {
			continue
		}
		f, err := b.frameAt(r, t, position)
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
		if h.Kind == record.Event {
			e.Targets = append(e.Targets, memory.ExpiryTarget{Kind: record.Event, Position: position})
		}
	}
	return nil
}
