package sessions

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/board/browse"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/find"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace"
)

// TimelineQuery selects a session.
type TimelineQuery struct {
	Tenant  string
	Session string
	Full    bool   // with the whole content of events, not only a line
	Limit   int    // events; zero means 500, at most 5,000
	After   string // the Next of the previous page
	View    board.View
}

// Timeline is a session, or a page of it.
type Timeline struct {
	Session browse.SessionInfo // the whole session, as far as the view shows it
	Moments []Moment           // in the order of the session
	// Made is what resulted from the whole session: memories, artifacts and other records
	// with one of its events as a source, and feedback about it. The last page has it.
	Made []Made
	Next string // empty at the end
}

// MomentSort is the kind of a moment.
type MomentSort string

// The sorts of moments.
const (
	MomentPrompt   MomentSort = "prompt"   // what a user said
	MomentReply    MomentSort = "reply"    // what an agent said
	MomentMessage  MomentSort = "message"  // what another participant said
	MomentCall     MomentSort = "call"     // a call of a tool, with its result if there is one
	MomentResult   MomentSort = "result"   // a result whose call is not on the page
	MomentDeed     MomentSort = "deed"     // a command, a test run, a request: an event with its own outcome
	MomentEdit     MomentSort = "edit"     // a change of a file
	MomentDecision MomentSort = "decision" // a choice
	MomentError    MomentSort = "error"
	MomentFeedback MomentSort = "feedback"
	MomentState    MomentSort = "state" // something began, ended or changed
	MomentOther    MomentSort = "other"
)

// Moment is one step of a session: an event, or a call and its result.
type Moment struct {
	Sort     MomentSort
	URI      memory.URI
	Position uint64
	Sequence int64
	Time     time.Time
	// Gap is the time since the previous moment; zero for the first of a page and if
	// clocks disagree.
	Gap     time.Duration
	Type    hmx.EventType
	Agent   string
	Tool    string
	Text    string         // on one line
	Content string         // the whole content, if requested
	Outcome memory.Outcome // the outcome, as far as it is known
	Result  *MomentResulted
}

// MomentResulted is the result of a call.
type MomentResulted struct {
	URI      memory.URI
	Position uint64
	Time     time.Time
	// Took is the time since the call; zero if clocks disagree.
	Took    time.Duration
	Text    string
	Content string
}

// Made is a record that resulted from a session.
type Made struct {
	URI     memory.URI // without a version
	Class   string
	Status  string
	Text    string // the beginning of it
	Updated time.Time
}

// Timeline returns a page of a session. A session without visible events is unknown.
func (b *Sessions) Timeline(ctx context.Context, q TimelineQuery) (*Timeline, error) {
	limit, after, err := browse.PageFrom(q.Limit, 500, 5000, q.After)
	if err != nil {
		return nil, err
	}
	out := &Timeline{}
	err = b.core.ReadAs(ctx, q.Tenant, q.View, func(s board.State) error {
		if q.Session == "" {
			return fault.New(fault.InvalidArgument, "session: there is none").WithFix("name a session")
		}
		info, err := b.sessionInfo(ctx, s, q.Session)
		if err != nil {
			return err
		}
		if info.Events == 0 {
			return fault.Newf(fault.NotFound, "session: no event of %q is on record", q.Session).WithFix("name one that `lukasa events` shows")
		}
		out.Session = info
		list, next, err := b.linedUp(ctx, s, browse.EventQuery{Tenant: q.Tenant, Session: q.Session, Limit: limit}, after)
		if err != nil {
			return err
		}
		out.Moments, out.Next = momentsOf(list, q.Full), next
		if out.Next == "" {
			out.Made, err = b.madeOf(ctx, s, q.Session)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// A page is read in parts of that many events, and ends when it has that many bytes.
const (
	linePart  = 16
	lineBytes = 4 << 20
)

// linedUp returns the events of a page, within limited memory.
func (b *Sessions) linedUp(ctx context.Context, s board.State, q browse.EventQuery, after []byte) (list []*board.StoredEvent, next string, err error) {
	limit, bytes := q.Limit, 0
	for {
		page := &browse.EventPage{}
		q.Limit = min(linePart, limit-len(list))
		if err := browse.EventsIn(ctx, b.core, s, q, after, page); err != nil {
			return nil, "", err
		}
		for _, ev := range page.Events {
			bytes += ev.Event.Size()
		}
		list = append(list, page.Events...)
		if page.Next == "" || len(list) >= limit || bytes >= lineBytes {
			return list, page.Next, nil
		}
		if _, after, err = browse.PageFrom(0, 1, 1, page.Next); err != nil {
			return nil, "", err
		}
	}
}

// sessionInfo summarizes a whole session, as far as a view shows it.
func (b *Sessions) sessionInfo(ctx context.Context, st board.State, session string) (browse.SessionInfo, error) {
	if access.Of(st.View).Everything() {
		s, ok, err := timeline.SessionSummary(st.Reader, st.Tenant.Number, session)
		if err != nil || !ok {
			return browse.SessionInfo{}, err
		}
		return infoOf(s), nil
	}
	return browse.Recount(ctx, b.core, st, session, func(s board.State, id string, visit browse.EachPlace) error {
		if !access.Of(s.View).MayHoldSession(id) {
			return nil
		}
		return timeline.Session(s.Reader, s.Tenant.Number, id, nil, visit)
	})
}

// momentsOf converts events in session order to moments. A result joins its call, if that
// is among them.
func momentsOf(events []*board.StoredEvent, full bool) []Moment {
	list := make([]Moment, 0, len(events))
	var waiting waitingCalls
	var before time.Time
	for _, ev := range events {
		g := trace.GlanceAt(ev.Event)
		facets := kind.Read(ev.Event)
		content := ""
		if full {
			content = kind.ReadContent(ev.Event).Text
		}
		u := memory.URI{Tenant: ev.Event.TenantID, Kind: record.Event, ID: ev.Event.EventID}
		at := ev.Event.Timestamp.Time()
		if g.Sort == trace.GlanceResult {
			if c, ok := waiting.answered(g); ok {
				m := &list[c.moment]
				m.Outcome = facets.Outcome
				m.Result = &MomentResulted{URI: u, Position: ev.Position, Time: at, Took: since(m.Time, at), Text: facets.Text, Content: content}
				before = at
				continue
			}
		}
		m := Moment{
			Sort: sortOf(ev.Event.EventType, g), URI: u, Position: ev.Position, Sequence: ev.Event.Sequence, Time: at, Type: ev.Event.EventType,
			Agent: ev.Event.AgentID, Text: facets.Text, Content: content, Outcome: facets.Outcome,
		}
		if g.Act() || g.Sort == trace.GlanceResult {
			m.Tool = g.Tool
		}
		if len(list) > 0 {
			m.Gap = since(before, at)
		}
		before = at
		if list = append(list, m); g.Sort == trace.GlanceCall {
			waiting.add(g, len(list)-1)
		}
	}
	return list
}

// since returns the time from one moment to another, at least zero.
func since(from, to time.Time) time.Duration { return max(to.Sub(from), 0) }

// sortOf returns the kind of moment of an event.
func sortOf(t hmx.EventType, g *trace.Glance) MomentSort {
	switch g.Sort {
	case trace.GlanceUser:
		return MomentPrompt
	case trace.GlanceAgent:
		return MomentReply
	case trace.GlanceCall:
		return MomentCall
	case trace.GlanceResult:
		return MomentResult
	}
	switch t {
	case hmx.TypeMessage:
		return MomentMessage
	case hmx.TypeFileEdit:
		return MomentEdit
	case hmx.TypeCommandExec, hmx.TypeTestRun, hmx.TypeBrowserAction, hmx.TypeAPIResult:
		return MomentDeed
	case hmx.TypeDecision:
		return MomentDecision
	case hmx.TypeError:
		return MomentError
	case hmx.TypeFeedback:
		return MomentFeedback
	case hmx.TypeStateChange:
		return MomentState
	}
	return MomentOther
}

const (
	// maxMade is how many results of a session are listed.
	maxMade = 1000
	// maxSources is how many events of a session are checked for results.
	maxSources = 100_000
)

// making collects the results of a session.
type making struct {
	b    *Sessions
	s    board.State
	met  map[string]bool // by URI
	list []Made
}

// madeOf returns the results of a session: by kind, oldest first.
func (b *Sessions) madeOf(ctx context.Context, s board.State, session string) ([]Made, error) {
	m := &making{b: b, s: s, met: map[string]bool{}}
	ids, err := m.sources(ctx, session)
	if err != nil {
		return nil, err
	}
	if err := m.wide(ctx, ids); err != nil {
		return nil, err
	}
	var failed error
	err = catalog.List(s.Reader, s.Tenant.Number, catalog.OfSession(record.Feedback, session), nil, func(_ []byte, d catalog.Thing) bool {
		failed = m.take(record.Feedback, d)
		return failed == nil
	})
	if err := fault.First(failed, err); err != nil {
		return nil, err
	}
	slices.SortFunc(m.list, func(a, b Made) int {
		return cmp.Or(cmp.Compare(a.URI.Kind, b.URI.Kind), a.Updated.Compare(b.Updated), strings.Compare(a.URI.ID, b.URI.ID))
	})
	return m.list, nil
}

// sources returns the ids of the session's events, and takes the records that refer to
// them.
func (m *making) sources(ctx context.Context, session string) (map[string]bool, error) {
	ids := map[string]bool{}
	var failed error
	err := timeline.Session(m.s.Reader, m.s.Tenant.Number, session, nil, func(_ []byte, p timeline.Place) bool {
		if failed = ctx.Err(); failed != nil || len(ids) == maxSources {
			return false
		}
		var ev *board.StoredEvent
		if ev, failed = m.b.core.EventAt(m.s, p.Position); fault.CodeOf(failed) == fault.Erased {
			failed = nil // erased since the snapshot was taken
			return true
		}
		if failed != nil || !access.SeesEvent(m.s.View, ev.Event) {
			return failed == nil
		}
		ids[ev.Event.EventID] = true
		u := memory.URI{Tenant: m.s.Tenant.Name, Kind: record.Event, ID: ev.Event.EventID}
		err := catalog.Referrers(m.s.Reader, m.s.Tenant.Number, u.String(), func(ref catalog.Referrer) bool {
			if ref.Rel == "derived_from" {
				failed = m.take(ref.Kind, ref.Thing)
			}
			return failed == nil
		})
		failed = fault.First(failed, err)
		return failed == nil
	})
	return ids, fault.First(failed, err)
}

// wide takes the artifacts whose evidence is only partly in the catalogue, if it includes
// an event of the session.
func (m *making) wide(ctx context.Context, ids map[string]bool) error {
	var failed error
	err := catalog.List(m.s.Reader, m.s.Tenant.Number, catalog.All(record.Artifact, catalog.Live), nil, func(_ []byte, d catalog.Thing) bool {
		if failed = ctx.Err(); failed != nil {
			return false
		}
		h, ok, err := catalog.HeadOf(m.s.Reader, m.s.Tenant.Number, record.Artifact, d)
		if failed = err; err != nil || !ok {
			return err == nil
		}
		known := 0
		for _, l := range h.Links {
			if l.Rel == "derived_from" {
				known++
			}
		}
		if known < catalog.MaxEvidence {
			return true
		}
		body, err := m.b.core.BodyAt(m.s, record.Artifact, h.Position)
		if fault.CodeOf(err) == fault.Erased {
			return true
		}
		if failed = err; err != nil {
			return false
		}
		a, ok := body.(*memory.Artifact)
		if ok && slices.ContainsFunc(a.HMX.SourceEvents, func(id string) bool { return ids[id] }) {
			failed = m.take(record.Artifact, d)
		}
		return failed == nil
	})
	return fault.First(failed, err)
}

// take adds a visible record, once.
func (m *making) take(k record.Kind, d catalog.Thing) error {
	if len(m.list) == maxMade || k == record.Embedding || k == record.Refinement || k == record.Fingerprint {
		return nil
	}
	var things []*board.Thing
	if err := browse.Collect(m.b.core, m.s, k, d, &things); err != nil || len(things) == 0 {
		return err
	}
	x := things[0]
	u := x.URI.Head()
	if name := u.String(); !m.met[name] {
		m.met[name] = true
		m.list = append(m.list, Made{URI: u, Class: x.Body.Facets().Class, Status: x.Status, Text: find.Label(x.Body), Updated: x.Updated})
	}
	return nil
}
