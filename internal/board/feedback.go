package board

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/frame"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/salience"
)

// profile sets the profile of a feedback: the mean of the salience factors of
// the cited records that the writer sees, as of the tenant's newest record. It
// is computed in log order and becomes part of the record, so that learning from
// it needs only the record. A profile from the caller is dropped. A feedback
// that is on record keeps its profile.
func (g *Group) profile(t *ledger.Tenant, w Writer, head *catalog.Head, f *memory.Feedback) error {
	f.Profile = hmx.Opt[memory.Profile]{}
	if head != nil {
		return g.keepProfile(t, head, f)
	}
	var list []salience.Factors
	seen := make(map[memory.URI]bool, len(f.Cited))
	for _, u := range f.Cited {
		if u = u.Head(); seen[u] {
			continue // two versions of one record
		}
		seen[u] = true
		x, ok, err := g.factors(t, w, u)
		if err != nil {
			return g.Stop(err)
		}
		if ok {
			list = append(list, x)
		}
	}
	if len(list) > 0 {
		f.Profile = hmx.Some(memory.Profile(salience.ProfileOf(list)))
	}
	return nil
}

// keepProfile gives a feedback the profile of the one on record.
func (g *Group) keepProfile(t *ledger.Tenant, head *catalog.Head, f *memory.Feedback) error {
	payload, erased, err := g.PayloadAt(t, head.Position)
	if erased || fault.CodeOf(err) == fault.Damaged {
		return nil // nothing is left that it could be equal to
	}
	if err != nil {
		return g.Stop(err)
	}
	old, err := memory.Decode(record.Feedback, payload)
	if err != nil {
		return nil // as above
	}
	f.Profile = old.(*memory.Feedback).Profile
	return nil
}

// factors returns the salience factors of a record or an event, at the time of
// the tenant's newest record. ok is false for what the writer does not see.
func (g *Group) factors(t *ledger.Tenant, w Writer, u memory.URI) (x salience.Factors, ok bool, err error) {
	thing := frame.ThingOf(t.Name, u.Kind, u.ID)
	var c frame.Card
	if u.Kind == record.Event {
		c.Updated, c.Importance, ok, err = g.eventFactors(t, u.ID)
	} else {
		c.Updated, c.Importance, ok, err = g.thingFactors(t, w, u.Kind, thing)
	}
	if err != nil || !ok {
		return x, false, err
	}
	c.Uses, c.Wins, c.Losses, err = frame.Usage(g.tx, t.Number, u.Kind, thing)
	return c.Factors(t.Time), err == nil, err
}

// thingFactors returns since when a live record has its content, and how
// important it is.
func (g *Group) thingFactors(t *ledger.Tenant, w Writer, k record.Kind, thing index.Digest) (since int64, importance float64, ok bool, err error) {
	h, ok, err := catalog.HeadOf(g.tx, t.Number, k, thing)
	if err != nil || !ok || h.State != catalog.Live || h.Expires <= t.Time {
		return 0, 0, false, err
	}
	if h.Visibility == memory.VisiblePrivate && h.Actor != w.Actor && w.Ceiling() < record.Operator {
		return 0, 0, false, nil
	}
	return h.Updated, h.Importance, true, nil
}

// eventFactors is thingFactors for an event. An unreadable one does not exist.
func (g *Group) eventFactors(t *ledger.Tenant, id string) (since int64, importance float64, ok bool, err error) {
	digest := record.ID(t.Name, record.Event, id)
	position, ok, err := ledger.Find(g.tx, t.Number, &digest)
	if err != nil || !ok {
		return 0, 0, false, err
	}
	f, err := g.b.FrameAt(g.State(t), position)
	if fault.CodeOf(err) == fault.Damaged || err == nil && f.Erased {
		return 0, 0, false, nil
	}
	if err != nil {
		return 0, 0, false, err
	}
	r, err := apply.Decode(&f)
	if err != nil || r.Event == nil {
		return 0, 0, false, nil
	}
	if end, ends := index.EndOfLife(r.Header.Time, r.Event); ends && end <= t.Time {
		return 0, 0, false, nil
	}
	return min(index.Nanos(r.Event.Timestamp.Time()), r.Header.Time), kind.Read(r.Event).Importance, true, nil
}
