package sessions

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/board/browse"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/retrieval"
)

// StatsQuery says what to count.
type StatsQuery struct {
	Tenant string
	// Days is the number of latest days of growth; zero means 14, at most 3,660.
	Days int
	// Top is how many tools and agents are listed; zero means 10, at most 1,000.
	Top  int
	View board.View
	// Progress receives the progress, if it is not nil; under a scope in percent.
	Progress func(done, total uint64)
}

// Defaults and limits of a query.
const (
	usualDays, mostDays = 14, 3660
	usualTop, mostTop   = 10, 1000
)

// Stats counts the content of a tenant. It is a function of the tenant's state and of
// the query: it depends neither on the clock nor on the disk. What the view hides is not
// counted.
type Stats struct {
	Tenant string
	// Root is the root of the tenant's tree, and Records its size. Both are zero under a
	// scope, since their difference to the visible counts would reveal what is hidden.
	Root    merkle.Hash
	Records uint64
	// Erased is how many records were erased; zero for a scope and for an agent.
	Erased uint64

	Events uint64
	Types  []Count   // of events, most first
	First  time.Time // the earliest timestamp of an event; zero if there is none
	Last   time.Time // the latest one
	Days   []Day     // oldest first, without gaps
	// RecordedFrom and RecordedUntil are when the first and the newest record were
	// written, which may be long after the events they hold. Zero under a scope.
	RecordedFrom, RecordedUntil time.Time

	Memories  []Tally // by type and state
	Artifacts []Tally // by type and status, of live ones
	Conflicts []Count // by status, of live ones
	Kinds     []Count // other live records, by kind

	Tools     []ToolCount // most calls first
	ToolCount int         // number of tools
	// OtherCalls are the calls of tools beyond the first 65,536.
	OtherCalls uint64

	Agents     []browse.SessionInfo // most events first
	AgentCount int
	Sessions   int
	Newest     *browse.SessionInfo // with the latest last event; nil if there is no session
	Longest    *browse.SessionInfo // with the most events
}

// Count is how many there are of something.
type Count struct {
	Name string
	N    uint64
}

// Tally is the count of a type in a state.
type Tally struct {
	Type, State string
	N           uint64
}

// Day is the growth on one day, in UTC: events by their timestamps, memories by when
// their newest version was written.
type Day struct {
	Day      time.Time
	Events   uint64
	Memories uint64
}

// ToolCount counts the outcomes of a tool. A call with an unknown outcome counts as
// neither good nor failed.
type ToolCount struct {
	Tool             string
	Calls, OK, Wrong uint64
}

// Stats counts the content of a tenant. Most comes from rows of indexes, so that a
// million events take a few seconds and little memory; only names are read from the
// journal. One call runs at a time.
func (b *Sessions) Stats(ctx context.Context, q StatsQuery) (*Stats, error) {
	if err := q.complete(); err != nil {
		return nil, err
	}
	if err := b.surveys.Acquire(ctx); err != nil {
		return nil, err
	}
	defer b.surveys.Release()
	out := &Stats{Tenant: q.Tenant}
	err := b.core.ReadAs(ctx, q.Tenant, q.View, func(st board.State) error {
		q.View = st.View
		s := &survey{b: b, state: st, q: &q, out: out}
		return s.run(ctx)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// complete validates a query and fills in its defaults.
func (q *StatsQuery) complete() error {
	q.Days, q.Top = cmp.Or(q.Days, usualDays), cmp.Or(q.Top, usualTop)
	for _, x := range []struct {
		name    string
		n, most int
	}{{"days", q.Days, mostDays}, {"top", q.Top, mostTop}} {
		if x.n < 1 || x.n > x.most {
			return fault.Newf(fault.InvalidArgument, "%s: %d is not between 1 and %d", x.name, x.n, x.most).WithFix("give a number in that range, or leave it out")
		}
	}
	return nil
}

// survey is one running count.
type survey struct {
	b     *Sessions
	state board.State
	q     *StatsQuery
	out   *Stats
	rows  *roster.View
	seen  *retrieval.Visibility // nil shows everything

	done, total uint64 // steps, for the progress
}

func (s *survey) run(ctx context.Context) (err error) {
	if access.Of(s.q.View) == nil {
		s.out.Root, s.out.Records = s.state.Tenant.Tree.Root(), s.state.Tenant.Size
		s.recorded()
	}
	if s.seen, err = s.b.retrieval.Visible(ctx, s.state); err != nil {
		return err
	}
	if s.rows, err = roster.Open(s.state.Reader, s.state.Tenant.Number, s.state.Tenant.Size, nil); err != nil {
		return err
	}
	s.total = 2 * s.state.Tenant.Size // rows, then glances
	met := newPeople(s.seen != nil)
	for _, part := range []func(context.Context, *people) error{s.documents, s.tools, s.sessions, s.agents, s.things} {
		if err := part(ctx, met); err != nil {
			return err
		}
	}
	if access.Of(s.q.View) == nil && s.q.View.Agent == "" {
		s.out.Erased, err = ledger.CountErased(s.state.Reader, s.state.Tenant.Number)
	}
	return err
}

// recorded sets when records were written, if the first is readable.
func (s *survey) recorded() {
	f, err := s.b.core.HeadAt(s.state, 0)
	if err != nil {
		return
	}
	if h, err := record.ParseHeader(f.Header); err == nil {
		s.out.RecordedFrom, s.out.RecordedUntil = board.TimeOf(h.Time), board.TimeOf(s.state.Tenant.Time)
	}
}

// step counts work, and from time to time tells of it and asks whether it is still
// wanted.
func (s *survey) step(ctx context.Context, n uint64) error {
	const often = 4096
	before := s.done
	if s.done += n; before/often == s.done/often {
		return nil
	}
	if s.q.Progress != nil {
		done, total := min(s.done, s.total), s.total
		if access.Of(s.q.View) != nil {
			done, total = done*100/total, 100 // the total would reveal the size of the tree
		}
		s.q.Progress(done, total)
	}
	return ctx.Err()
}

// shown reports whether the document at a position is shown.
func (s *survey) shown(position uint64) bool { return s.seen == nil || s.seen.Has(position) }

const dayNanos = int64(24 * time.Hour)

// dayOf returns the number of the day that a time is in.
func dayOf(nanos int64) int64 {
	day := nanos / dayNanos
	if nanos%dayNanos < 0 {
		day--
	}
	return day
}

// maxEventTypes is how many types of events are counted separately. Writers may invent
// types.
const maxEventTypes = 4096

// classCount is the count of a class, and the position of its first document.
type classCount struct{ n, first uint64 }

// documents counts what has a row in the roster: events, and live things.
func (s *survey) documents(ctx context.Context, met *people) error {
	mask := roster.Mask(nil)
	if s.seen != nil {
		mask = s.seen.MaskOf
	}
	// An event may have any timestamp; the days end with the last one that is not after
	// the newest record.
	latest, found, err := s.rows.Newest(record.Event, s.state.Tenant.Time, mask)
	if err != nil {
		return err
	}
	lastDay := dayOf(s.state.Tenant.Time)
	if found {
		lastDay = dayOf(latest)
	}
	firstDay := lastDay - int64(s.q.Days) + 1
	days := make([]Day, s.q.Days)
	for i := range days {
		days[i].Day = time.Unix((firstDay+int64(i))*int64(dayNanos/int64(time.Second)), 0).UTC()
	}
	types, memories, kinds := map[roster.Class]*classCount{}, map[roster.Class]uint64{}, map[record.Kind]uint64{}
	others := uint64(0)
	earliest, newest := int64(math.MaxInt64), int64(math.MinInt64)
	for chunk := range s.rows.Chunks() {
		base := uint64(chunk) * 1024
		err := s.rows.Each(chunk, func(offset int, row *roster.Row) {
			position := base + uint64(offset)
			if !s.shown(position) {
				return
			}
			day := dayOf(row.Time) - firstDay
			within := day >= 0 && day < int64(len(days))
			switch row.Kind {
			case record.Event:
				s.out.Events++
				earliest, newest = min(earliest, row.Time), max(newest, row.Time)
				if within {
					days[day].Events++
				}
				met.met(row)
				x := types[row.Class]
				if x == nil {
					if len(types) == maxEventTypes {
						others++
						return
					}
					x = &classCount{first: position}
					types[row.Class] = x
				}
				x.n++
			case record.Memory:
				memories[row.Class]++
				if within {
					days[day].Memories++
				}
			default:
				kinds[row.Kind]++
			}
		})
		if err != nil {
			return err
		}
		if err := s.step(ctx, min(1024, s.state.Tenant.Size-base)); err != nil {
			return err
		}
	}
	s.out.Days = days
	if s.out.Events > 0 {
		s.out.First, s.out.Last = board.TimeOf(earliest), board.TimeOf(newest)
	}
	for class, n := range memories {
		name, ok := retrieval.ClassNames()[class]
		if !ok {
			name = "other"
		}
		s.out.Memories = append(s.out.Memories, Tally{name, string(catalog.Live), n})
	}
	for _, k := range []record.Kind{record.Entity, record.Relation, record.Policy} {
		s.kind(k, kinds[k])
	}
	return s.eventTypes(types, others)
}

// kind adds the count of live records of a kind, unless it is zero.
func (s *survey) kind(k record.Kind, n uint64) {
	if n > 0 {
		s.out.Kinds = append(s.out.Kinds, Count{k.String(), n})
	}
}

// eventTypes names the types of events. Rows have digests; a non-standard type is read
// from its first event.
func (s *survey) eventTypes(types map[roster.Class]*classCount, others uint64) error {
	for class, x := range types {
		name, ok := eventTypeNames()[class]
		if !ok {
			ev, err := s.b.core.EventAt(s.state, x.first)
			switch code := fault.CodeOf(err); {
			case err == nil:
				name = string(ev.Event.EventType)
			case code == fault.Erased, code == fault.Damaged:
				others += x.n
				continue
			default:
				return err
			}
		}
		s.out.Types = append(s.out.Types, Count{name, x.n})
	}
	if others > 0 {
		s.out.Types = append(s.out.Types, Count{"other", others})
	}
	mostFirst(s.out.Types)
	return nil
}

// mostFirst orders counts: most first, and equal ones by name.
func mostFirst(list []Count) {
	slices.SortFunc(list, func(a, b Count) int { return cmp.Or(cmp.Compare(b.N, a.N), strings.Compare(a.Name, b.Name)) })
}

// things counts what the catalogue has and the roster has not: what is forgotten or
// expired, the status of artifacts and conflicts, and what is no document.
func (s *survey) things(ctx context.Context, _ *people) error {
	tally := map[[2]string]uint64{}
	for _, state := range []catalog.State{catalog.Forgotten, catalog.Expired} {
		if err := s.heads(ctx, record.Memory, state, func(h *catalog.Head) { tally[[2]string{h.Class, string(state)}]++ }); err != nil {
			return err
		}
	}
	s.out.Memories = tallies(s.out.Memories, tally)
	clear(tally)
	if err := s.heads(ctx, record.Artifact, catalog.Live, func(h *catalog.Head) { tally[[2]string{h.Class, h.Status}]++ }); err != nil {
		return err
	}
	s.out.Artifacts = tallies(nil, tally)
	conflicts := map[string]uint64{}
	if err := s.heads(ctx, record.Conflict, catalog.Live, func(h *catalog.Head) { conflicts[cmp.Or(h.Status, string(memory.ConflictOpen))]++ }); err != nil {
		return err
	}
	for name, n := range conflicts {
		s.out.Conflicts = append(s.out.Conflicts, Count{name, n})
	}
	mostFirst(s.out.Conflicts)
	for _, k := range []record.Kind{record.Edge, record.Feedback, record.Fingerprint} {
		n := uint64(0)
		if err := s.heads(ctx, k, catalog.Live, func(*catalog.Head) { n++ }); err != nil {
			return err
		}
		s.kind(k, n)
	}
	mostFirst(s.out.Kinds)
	return nil
}

// heads calls visit with what the view shows of a kind in a state.
func (s *survey) heads(ctx context.Context, k record.Kind, state catalog.State, visit func(*catalog.Head)) error {
	var failed error
	err := catalog.List(s.state.Reader, s.state.Tenant.Number, catalog.All(k, state), nil, func(_ []byte, d catalog.Thing) bool {
		if failed = ctx.Err(); failed != nil {
			return false
		}
		h, ok, err := catalog.HeadOf(s.state.Reader, s.state.Tenant.Number, k, d)
		if failed = err; err == nil && ok && access.Sees(s.q.View, h) {
			visit(h)
		}
		return err == nil
	})
	return fault.First(failed, err)
}

// tallies adds counts to a list, and sorts it: most first, equal ones by name.
func tallies(list []Tally, counted map[[2]string]uint64) []Tally {
	for _, key := range slices.SortedFunc(maps.Keys(counted), func(a, b [2]string) int { return strings.Compare(a[0]+"\x00"+a[1], b[0]+"\x00"+b[1]) }) {
		list = append(list, Tally{key[0], key[1], counted[key]})
	}
	slices.SortFunc(list, func(a, b Tally) int {
		return cmp.Or(cmp.Compare(b.N, a.N), strings.Compare(a.Type, b.Type), strings.Compare(a.State, b.State))
	})
	return list
}
