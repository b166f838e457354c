// Package excerpt reads the records of a board as entries of a pack: the section of a record,
// the quoted words, its sources, its rule, and whether it applies to the caller. Packs consist
// of excerpts, and are proven by them.
//
// What is guaranteed:
//
//   - An excerpt is a function of the state, the caller and the time of a [Reading].
//   - A record that the caller may not see adds nothing to an excerpt: no name, no count.
//   - A record derived from erased ones is reported as such, in a past state too.
//   - What a source with less trust than a user said is never placed among rules, goals or the
//     core.
//
// What is not: packages packer and pack choose the candidates, rank them and apply the budget.
package excerpt

import (
	"context"
	"strings"

	"lukasa.dev/internal/coldstart"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/retrieval"
)

// KeptRecords is how many records a pack caches.
const KeptRecords = 4096

// MaxWalked is the maximum number of documents that a walk over an index visits.
const MaxWalked = 1 << 16

// Reading is one state as a pack reads it, for one caller at one time. Its methods are safe for
// concurrent use, except for PlaceOf and SetGoals, which cache the goals.
type Reading struct {
	retrieval.Question
	// Tags are the requested tags of the pack.
	Tags []string

	goals map[string]bool // texts of active goals, in lower case; nil until needed
}

// SetGoals replaces the active goals of the state, by their texts.
func (p *Reading) SetGoals(texts ...string) {
	p.goals = make(map[string]bool, len(texts))
	for _, text := range texts {
		p.goals[folded(text)] = true
	}
}

// Item is a document other than an event: its head and its body. If its record is unreadable, it
// has at most a head.
type Item struct {
	Head *catalog.Head
	Body memory.Body
}

// Parallel calls do for each of n pieces of work, in several goroutines, and returns an error of
// one of them.
func (p *Reading) Parallel(ctx context.Context, n int, do func(i int) error) error {
	const each = 8 // items per goroutine
	return index.Share(n, index.Workers(n, each), func(_, from, to int) error {
		for i := from; i < to; i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	})
}

// ItemAt reads the document at a position. It is empty if it was erased meanwhile.
func (p *Reading) ItemAt(position uint64) (x Item, err error) {
	rec, err := p.Record(position)
	switch {
	case fault.CodeOf(err) == fault.Damaged:
		// An unreadable record has a head, and is reported as unproven.
		x.Head, err = p.headOfDamaged(position)
		return x, err
	case err != nil || rec == nil || rec.Body == nil:
		return x, err
	}
	x.Body = rec.Body
	x.Head, err = p.Head(position)
	return x, err
}

// headOfDamaged returns the head of a record that is unreadable, or nil. No header has its name,
// so it is searched among the newest of its kind.
func (p *Reading) headOfDamaged(position uint64) (found *catalog.Head, err error) {
	row, ok, err := p.Rows.Row(position)
	if err != nil || !ok {
		return nil, err
	}
	looked := 0
	var failed error
	err = catalog.List(p.Reader, p.Tenant.Number, catalog.All(row.Kind, catalog.Live), nil, func(_ []byte, d catalog.Thing) bool {
		h, _, err := catalog.HeadOf(p.Reader, p.Tenant.Number, row.Kind, d)
		if failed = err; h != nil && h.Position == position {
			found = h
		}
		looked++
		return failed == nil && found == nil && looked < coldstart.ScanRows
	})
	return found, fault.First(failed, err)
}

// readTogether is how many heads a walk reads at once.
const readTogether = 256

// Heads returns the first heads of a walk that the caller may see, that are live and have at
// least a trust: at most that many. What is hidden or trusted less does not count for the bound.
func (p *Reading) Heads(ctx context.Context, k record.Kind, least record.Trust, walk func(visit func(catalog.Thing) bool) error, most int) (list []*catalog.Head, err error) {
	if most <= 0 {
		return nil, nil
	}
	var failed error
	var things []catalog.Thing
	walked := 0
	read := func() bool {
		list, failed = p.shownOf(ctx, list, k, least, things, most)
		walked += len(things)
		things = things[:0]
		return failed == nil && len(list) < most && walked < MaxWalked
	}
	err = walk(func(thing catalog.Thing) bool {
		things = append(things, thing)
		return len(things) < min(most, readTogether) || read()
	})
	if err == nil && failed == nil && len(list) < most {
		read()
	}
	return list, fault.First(err, failed)
}

// shownOf appends the heads of things to a list, up to that many: those that are shown,
// live and trusted so far.
func (p *Reading) shownOf(ctx context.Context, list []*catalog.Head, k record.Kind, least record.Trust, things []catalog.Thing, most int) ([]*catalog.Head, error) {
	found := make([]*catalog.Head, len(things))
	err := p.Parallel(ctx, len(things), func(i int) (err error) {
		found[i], _, err = catalog.HeadOf(p.Reader, p.Tenant.Number, k, things[i])
		return err
	})
	if err != nil {
		return list, err
	}
	for _, h := range found {
		if h == nil || h.State != catalog.Live || h.Trust < least || len(list) == most {
			continue
		}
		shown, err := p.Shows(h)
		if err != nil {
			return list, err
		}
		if shown {
			list = append(list, h)
		}
	}
	return list, nil
}

// maxGoals is how many goals are read, the newest.
const maxGoals = 64

// isGoal reports whether a text is that of an active goal that a user set.
func (p *Reading) isGoal(ctx context.Context, text string) (bool, error) {
	if p.goals == nil {
		p.goals = make(map[string]bool)
		list, err := p.Heads(ctx, record.Memory, record.User, func(visit func(catalog.Thing) bool) error {
			return catalog.List(p.Reader, p.Tenant.Number, catalog.OfClass(record.Memory, string(memory.TypeGoal)), nil, func(_ []byte, d catalog.Thing) bool { return visit(d) })
		}, maxGoals)
		if err != nil {
			return false, err
		}
		for _, h := range list {
			if h.Status != string(memory.GoalActive) || p.WhyOver(h) != "" {
				continue
			}
			rec, err := p.Record(h.Position)
			if err := p.Passed(err); err != nil {
				return false, err
			}
			if rec == nil {
				continue
			}
			if m, ok := rec.Body.(*memory.Memory); ok && p.Applies(m) {
				p.goals[folded(m.Text)] = true
			}
		}
	}
	return p.goals[folded(text)], nil
}

// folded normalizes a text for comparison.
func folded(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
