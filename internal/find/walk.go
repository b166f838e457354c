package find

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/frame"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/retrieval"
)

// spot is an item of a route: a record of a kind, or an event at a position. A
// spot without a kind is skipped: the route itself shows that it does not match.
type spot struct {
	kind     record.Kind
	thing    catalog.Thing
	position uint64
}

// route is a walk over everything that matches a predicate, and possibly more:
// the predicates decide.
type route struct {
	name string // of the predicate
	walk func(visit func(spot) bool) error
}

// match returns what all predicates hold for.
func (s *search) match(ctx context.Context) ([]*candidate, error) {
	var matched []*candidate
	for _, to := range [...]struct {
		routes []route
		fewer  func() string
	}{{s.thingRoutes(), s.q.fewerThings}, {s.eventRoutes(), s.q.fewerEvents}} {
		if to.routes == nil {
			continue
		}
		spots, all, err := s.narrowest(ctx, to.routes)
		if err != nil {
			return nil, err
		}
		if !all {
			return nil, s.tooMany(to.routes).WithFix(to.fewer())
		}
		for i, at := range spots {
			if i%64 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			s.scanned++
			c, err := s.judge(at)
			if fault.CodeOf(err) == fault.Erased {
				continue // erased since the snapshot was taken
			}
			if err != nil {
				return nil, err
			}
			if c != nil {
				matched = append(matched, c)
			}
		}
	}
	return matched, nil
}

// thingRoutes returns the routes to all versioned records that match.
func (s *search) thingRoutes() []route {
	q := s.q
	if len(q.Kinds) == 0 {
		return nil
	}
	of := func(name string, way func(record.Kind, string) catalog.Way, words ...string) route {
		return route{name, func(visit func(spot) bool) error { return s.ways(way, words, visit) }}
	}
	every := func(k record.Kind, _ string) catalog.Way { return catalog.All(k, q.State) }
	if q.State != catalog.Live {
		return []route{of("state", every, "")} // the other lists hold only live records
	}
	var routes []route
	if q.frame.Ref != "" {
		routes = append(routes, route{"frame", s.framed(record.Memory, frame.Memories, frame.EventMemories)})
	}
	if q.KeyPrefix != "" {
		routes = append(routes, of("key_prefix", catalog.UnderKey, q.KeyPrefix))
	}
	if len(q.Tags) > 0 {
		routes = append(routes, of("tags", catalog.Tagged, q.Tags...))
	}
	if q.Session != "" {
		routes = append(routes, of("session", catalog.OfSession, q.Session))
	}
	if q.Agent != "" {
		routes = append(routes, of("agent", catalog.OfAgent, q.Agent))
	}
	if len(q.Types) > 0 {
		routes = append(routes, of("types", catalog.OfClass, q.Types...))
	}
	return append(routes, of("time", every, ""))
}

// ways walks over the lists of the catalogue for records of the wanted kinds by
// one of some words, within the wanted time.
func (s *search) ways(way func(record.Kind, string) catalog.Way, words []string, visit func(spot) bool) error {
	for _, k := range s.q.Kinds {
		for _, w := range words {
			more := true
			err := catalog.Between(s.Reader, s.Tenant.Number, way(k, w), s.q.from, s.q.until, func(d catalog.Thing) bool {
				more = visit(spot{kind: k, thing: d})
				return more
			})
			if err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// framed returns the walk over what is filed under the frame.
func (s *search) framed(k record.Kind, classes ...frame.Class) func(func(spot) bool) error {
	return func(visit func(spot) bool) error {
		if k != record.Event && !slices.Contains(s.q.Kinds, k) {
			return nil
		}
		for _, class := range classes {
			more := true
			err := frame.Scan(s.Reader, s.Tenant.Number, s.q.frame, class, func(c *frame.Card) bool {
				at := spot{kind: k, thing: c.Thing, position: c.Position}
				if !s.q.mayWant(c) {
					at = spot{}
				}
				more = visit(at)
				return more
			})
			if err != nil || !more {
				return err
			}
		}
		return nil
	}
}

// mayWant reports whether a card matches the predicates that it can decide.
func (q *query) mayWant(c *frame.Card) bool {
	if c.Kind != record.Event {
		return q.within(c.Created, c.Class)
	}
	return q.within(c.Timestamp, c.Class) && (q.Agent == "" || q.Agent == c.Agent) && (q.Session == "" || q.Session == c.Session)
}

// within reports whether a time and a type match.
func (q *query) within(time int64, class string) bool {
	return time >= q.from && time < q.until && (len(q.Types) == 0 || slices.Contains(q.Types, class))
}

// eventRoutes returns the routes to all events that match.
func (s *search) eventRoutes() []route {
	q := s.q
	if !q.events {
		return nil
	}
	var routes []route
	if q.frame.Ref != "" {
		routes = append(routes, route{"frame", s.framed(record.Event, frame.Events)})
	}
	spotOf := func(p timeline.Place) spot {
		if !q.within(p.Timestamp, string(p.Type)) {
			return spot{}
		}
		return spot{kind: record.Event, position: p.Position}
	}
	if q.Session != "" {
		routes = append(routes, route{"session", func(visit func(spot) bool) error {
			return timeline.Session(s.Reader, s.Tenant.Number, q.Session, nil, func(_ []byte, p timeline.Place) bool {
				return visit(spotOf(p))
			})
		}})
	}
	if q.Agent != "" {
		routes = append(routes, route{"agent", func(visit func(spot) bool) error {
			return timeline.Between(s.Reader, s.Tenant.Number, timeline.ByAgent, q.Agent, q.from, q.until, func(p timeline.Place) bool {
				return visit(spotOf(p))
			})
		}})
	}
	return routes
}

// narrowest takes the shortest of some routes and returns where it leads, each
// spot once, or that all of them are too long. All are tried a little further at
// a time, so that a long one costs no more than a few times the shortest.
func (s *search) narrowest(ctx context.Context, routes []route) (spots []spot, all bool, err error) {
	room := maxLooked - s.scanned
	for most := 256; ; most *= 4 {
		most = min(most, room)
		for _, w := range routes {
			if spots, all, err = s.collect(ctx, w, most); err != nil || all {
				return spots, all, err
			}
		}
		if most == room {
			return nil, false, nil
		}
	}
}

// collect returns where a route leads, each spot once, and whether that is all.
// What it passes by is not looked at, and may be [passing] times as much.
func (s *search) collect(ctx context.Context, w route, most int) (spots []spot, all bool, err error) {
	seen := make(map[spot]struct{})
	looked, passed := 0, 0
	all = true
	var failed error
	err = w.walk(func(at spot) bool {
		if at.kind == 0 {
			passed++
		} else {
			looked++
		}
		if looked > most || passed > passing*most {
			all = false
			return false
		}
		if (looked+passed)%256 == 0 {
			if failed = ctx.Err(); failed != nil {
				return false
			}
		}
		if _, ok := seen[at]; !ok && at.kind != 0 {
			seen[at] = struct{}{}
			spots = append(spots, at)
		}
		return true
	})
	return spots, all, fault.First(failed, err)
}

// tooMany refuses to read more than the limit. Under a scope it does not say how
// many there are, since they may be hidden.
func (s *search) tooMany(routes []route) *fault.Error {
	many := fmt.Sprintf("more than %d", maxLooked)
	if s.view.Scope != "" {
		many = "too many"
	}
	var tried []string
	for _, w := range routes {
		tried = append(tried, w.name)
	}
	return fault.Newf(fault.InvalidArgument, "find: %s records and events would be read, by each of %s", many, strings.Join(tried, ", "))
}

// fewerThings advises how to read fewer records: with predicates that have a list
// for a wanted kind.
func (q *query) fewerThings() string {
	const time = "narrow the time with after and before"
	if q.State != catalog.Live {
		return time // the other lists hold only live records
	}
	has := func(kinds ...record.Kind) bool {
		return slices.ContainsFunc(q.Kinds, func(k record.Kind) bool { return slices.Contains(kinds, k) })
	}
	typed := func(k record.Kind) bool {
		return k != record.Conflict && k != record.Feedback && k != record.Fingerprint
	}
	var more []string
	for _, n := range []struct {
		name  string
		helps bool
	}{
		{"types", len(q.Types) == 0 && slices.ContainsFunc(q.Kinds, typed)},
		{"tags", len(q.Tags) == 0 && has(record.Memory, record.Entity, record.Policy, record.Artifact)},
		{"key_prefix", q.KeyPrefix == "" && has(record.Memory, record.Policy) && !q.events},
		{"agent", q.Agent == ""},
		{"session", q.Session == "" && has(record.Feedback)},
		{"frame with its reference", q.frame.Ref == "" && has(record.Memory)},
	} {
		if n.helps {
			more = append(more, n.name)
		}
	}
	return adding(time, more)
}

// fewerEvents advises how to read fewer events. Those of an agent are ordered by
// time; events of a session or a frame at other times are skipped, up to a limit.
func (q *query) fewerEvents() string {
	time := "narrow the time with after and before"
	if q.Agent == "" {
		time += ", and say whose events with agent"
	}
	var more []string
	if q.Session == "" {
		more = append(more, "session")
	}
	if q.frame.Ref == "" {
		more = append(more, "frame with its reference")
	}
	return adding(time, more)
}

// adding joins advice with its alternatives.
func adding(advice string, more []string) string {
	switch len(more) {
	case 0:
		return advice
	case 1:
		return advice + "; or add " + more[0]
	}
	return advice + "; or add one of " + retrieval.Words(more)
}

// judge returns the record at a spot as a candidate, or nil if it does not match.
func (s *search) judge(at spot) (*candidate, error) {
	if at.kind == record.Event {
		ev, err := s.From.Core().EventAt(s.State(), at.position)
		if err != nil {
			return nil, err
		}
		return s.judgeEvent(ev)
	}
	h, ok, err := catalog.HeadOf(s.Reader, s.Tenant.Number, at.kind, at.thing)
	if err != nil || !ok || h.State != s.q.State || !s.q.wants(h) {
		return nil, err
	}
	if there, err := s.there(h); err != nil || !there {
		return nil, err
	}
	f := fieldsOf(h)
	c, err := s.ofThing(h, at.thing)
	if err != nil {
		return nil, err
	}
	return s.compared(c, &f, func() (*content, error) {
		body, err := s.From.Core().BodyAt(s.State(), h.Kind, h.Position)
		if err != nil {
			return nil, err
		}
		return contentOf(body), nil
	})
}

func (s *search) judgeEvent(ev *board.StoredEvent) (*candidate, error) {
	if !s.eventThere(ev) {
		return nil, nil
	}
	facets := kind.Read(ev.Event)
	if !s.q.wantsEvent(ev, &facets) {
		return nil, nil
	}
	f := fieldsOfEvent(ev, &facets)
	c, err := s.ofEvent(ev, &facets)
	if err != nil {
		return nil, err
	}
	return s.compared(c, &f, func() (*content, error) { return contentOfEvent(ev.Event), nil })
}

// compared applies what needs more than lists and heads: comparisons, and the
// words of the text. It returns nil if they do not match.
func (s *search) compared(c *candidate, f *fields, load func() (*content, error)) (*candidate, error) {
	needed := s.ranking != nil
	for i := range s.q.where {
		if w := &s.q.where[i]; w.inContent() {
			needed = true
		} else if !w.holds(f) {
			return nil, nil
		}
	}
	if !needed {
		return c, nil
	}
	x, err := load()
	if err != nil {
		return nil, err
	}
	for i := range s.q.where {
		if w := &s.q.where[i]; w.inContent() && !w.holdsIn(x) {
			return nil, nil
		}
	}
	if s.ranking != nil {
		// Non-matching documents count too: the rarity of a word is relative to
		// all.
		number, matches := s.ranking.Add(x.words()...)
		if !matches {
			return nil, nil
		}
		c.text = number
	}
	return c, nil
}

// ofThing returns a versioned record as a candidate.
func (s *search) ofThing(h *catalog.Head, d catalog.Thing) (*candidate, error) {
	c := &candidate{kind: h.Kind, id: h.ID, thing: d, time: h.Created, text: -1}
	c.name = c.uri(s.Tenant.Name).String()
	c.factors = (&frame.Card{Updated: h.Updated, Importance: h.Importance}).Factors(s.now)
	return c, s.usage(c, d)
}

// ofEvent returns an event as a candidate. Its time is its timestamp, but not
// after it was recorded.
func (s *search) ofEvent(ev *board.StoredEvent, x *kind.Facets) (*candidate, error) {
	happened := min(index.Nanos(ev.Event.Timestamp.Time()), ev.Recorded.UnixNano())
	c := &candidate{kind: record.Event, id: strings.Clone(ev.Event.EventID), position: ev.Position, time: happened, text: -1}
	c.name = c.uri(s.Tenant.Name).String()
	c.factors = (&frame.Card{Updated: happened, Importance: x.Importance}).Factors(s.now)
	return c, s.usage(c, frame.ThingOf(s.Tenant.Name, record.Event, c.id))
}

// there reports whether a record may be seen, has not expired and is valid.
func (s *search) there(h *catalog.Head) (bool, error) {
	if h.State == catalog.Live && h.Expires <= s.now {
		return false, nil
	}
	if h.State == catalog.Live || !s.q.HeldAt.IsZero() {
		if s.heldAt < h.ValidFrom || s.heldAt >= h.ValidUntil {
			return false, nil
		}
	}
	if !s.q.HeldAt.IsZero() && h.Created > s.heldAt || !access.Sees(s.view, h) {
		return false, nil
	}
	if s.Present == nil {
		return true, nil
	}
	return s.Present.Shows(s.view, h)
}

// eventThere reports whether an event may be seen and has not expired.
func (s *search) eventThere(ev *board.StoredEvent) bool {
	if end, ok := index.EndOfLife(ev.Recorded.UnixNano(), ev.Event); ok && end <= s.now {
		return false
	}
	if !s.q.HeldAt.IsZero() && index.Nanos(ev.Event.Timestamp.Time()) > s.heldAt {
		return false
	}
	return access.SeesEvent(s.view, ev.Event)
}

// wants reports whether a head matches the predicates that it can decide.
func (q *query) wants(h *catalog.Head) bool {
	switch {
	case len(q.Types) > 0 && !slices.Contains(q.Types, h.Class),
		len(q.Tags) > 0 && !slices.ContainsFunc(h.Tags, func(tag string) bool { return slices.Contains(q.Tags, tag) }),
		q.KeyPrefix != "" && (h.Key == "" || !memory.Scope{KeyPrefix: q.KeyPrefix}.CoversKey(h.Key)),
		q.Agent != "" && q.Agent != h.Actor && q.Agent != h.Agent,
		q.Session != "" && q.Session != h.Session,
		q.Status != "" && q.Status != h.Status,
		h.Kind == record.Artifact && h.Status != string(hmx.StatusActive) && !q.asksInactive(),
		h.Created < q.from || h.Created >= q.until:
		return false
	}
	return q.frame.Verb == "" || slices.ContainsFunc(h.Frames, q.about)
}

// about reports whether a frame in its text form matches.
func (q *query) about(text string) bool {
	ref, ok := strings.CutPrefix(text, string(q.frame.Verb)+":"+string(q.frame.Kind)+"=")
	return ok && (q.frame.Ref == "" || kind.CleanRef(q.frame.Kind, ref) == q.frame.Ref)
}

// wantsEvent is wants for an event.
func (q *query) wantsEvent(ev *board.StoredEvent, x *kind.Facets) bool {
	e := ev.Event
	stamp := index.Nanos(e.Timestamp.Time())
	switch {
	case len(q.Types) > 0 && !slices.Contains(q.Types, string(e.EventType)),
		len(q.Tags) > 0 && !slices.ContainsFunc(e.Tags, func(tag string) bool { return slices.Contains(q.Tags, tag) }),
		q.Agent != "" && q.Agent != e.AgentID,
		q.Session != "" && q.Session != e.SessionID,
		q.Status != "" && q.Status != string(x.Outcome),
		stamp < q.from || stamp >= q.until:
		return false
	}
	return q.frame.Verb == "" || slices.ContainsFunc(x.Frames, func(f memory.Frame) bool {
		return f.Verb == q.frame.Verb && f.Kind == q.frame.Kind && (q.frame.Ref == "" || f.Ref == q.frame.Ref)
	})
}
