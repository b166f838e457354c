package sessions

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/column"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/statement"
	"lukasa.dev/internal/trace"
)

// List returns the traces by session.
func (x *Traced) List() []*trace.Trace {
	out := make([]*trace.Trace, 0, len(x.Traces))
	for _, session := range slices.Sorted(maps.Keys(x.Traces)) {
		out = append(out, x.Traces[session]...)
	}
	return out
}

// Statements returns what users stated, in the order of the journal.
func (x *Traced) Statements() []Said {
	var out []Said
	for session, list := range x.Said {
		for _, one := range list {
			one.Session = session
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b Said) int {
		if a.Position < b.Position {
			return -1
		}
		return 1
	})
	return out
}

// PartEvents is how many events of a session are read as one. A longer session is read in
// parts, each by itself, so that when it grows only its last part is read again.
const PartEvents = 1 << 14

// Fresh is a session to read, and its traces.
type Fresh struct {
	ID     string
	events uint64         // number of its events
	known  int            // parts that were reused
	Parts  []*trace.Trace // at first the reused ones
	read   uint64         // events that were read
	said   []Said         // statements in what was read
}

// Left returns how many events of a session are left to read, with part events per part.
func (s *Fresh) Left(part uint64) uint64 { return s.events - min(s.events, uint64(len(s.Parts))*part) }

// sessionsOf returns all sessions of a tenant.
func sessionsOf(st board.State) (list []Fresh, err error) {
	err = timeline.Sessions(st.Reader, st.Tenant.Number, nil, func(_ []byte, s *timeline.Summary) bool {
		list = append(list, Fresh{ID: s.ID, events: s.Events})
		return true
	})
	return list, err
}

// sessionsSince returns the sessions that have events at positions from size on. Rows of the roster name
// those sessions by their digests; ok is false if an event that has the full name cannot be read.
func (b *Sessions) sessionsSince(st board.State, size uint64) (list []Fresh, ok bool, err error) {
	rows, err := roster.Open(st.Reader, st.Tenant.Number, st.Tenant.Size, nil)
	if err != nil {
		return nil, false, err
	}
	met := make(map[index.Digest]bool)
	var places []uint64
	for chunk := int(size / column.ChunkDocs); chunk < rows.Chunks(); chunk++ {
		err := rows.Each(chunk, func(offset int, row *roster.Row) {
			at := uint64(chunk)*column.ChunkDocs + uint64(offset)
			if at >= size && row.Kind == record.Event && !met[row.Session] {
				met[row.Session] = true
				places = append(places, at)
			}
		})
		if err != nil {
			return nil, false, err
		}
	}
	for _, at := range places {
		f, err := b.core.FrameAt(st, at)
		if fault.CodeOf(err) == fault.Damaged || err == nil && f.Erased {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		rec, err := apply.Decode(&f)
		if err != nil || rec.Event == nil {
			return nil, false, err
		}
		s, found, err := timeline.SessionSummary(st.Reader, st.Tenant.Number, rec.Event.SessionID)
		if err != nil || !found {
			return nil, false, err
		}
		list = append(list, Fresh{ID: s.ID, events: s.Events})
	}
	return list, true, nil
}

// Since returns the sessions with events at positions from size on, or all sessions if an
// event there cannot be read.
func (b *Sessions) Since(st board.State, size uint64) ([]Fresh, error) {
	list, ok, err := b.sessionsSince(st, size)
	if ok || err != nil {
		return list, err
	}
	return sessionsOf(st)
}

// ToTrace returns the sessions that must be read in spite of the cache, by name, so that the division of work
// does not depend on the index. A session only grows, unless something is erased, which empties the cache.
// All parts of a session but the last are reused; if events were inserted before, readParts finds out.
func (b *Sessions) ToTrace(st board.State, old *Traced) (list []Fresh, err error) {
	ok := false
	if old.files.count > 0 {
		list, ok, err = b.sessionsSince(st, old.Size)
	}
	if !ok && err == nil {
		list, err = sessionsOf(st)
	}
	list = slices.DeleteFunc(list, func(s Fresh) bool {
		known := uint64(0)
		for _, part := range old.Traces[s.ID] {
			known += uint64(part.Events)
		}
		return known > 0 && known == s.events
	})
	for i := range list {
		if parts := old.Traces[list[i].ID]; len(parts) > 1 {
			list[i].Parts = slices.Clip(parts[:len(parts)-1])
		}
	}
	slices.SortFunc(list, func(a, b Fresh) int { return strings.Compare(a.ID, b.ID) })
	return list, err
}

// TraceAll returns the traces of all sessions of a tenant: cached ones with an unchanged number of events,
// the others read again. It reports how many were read, and how many events they have.
func (b *Sessions) TraceAll(ctx context.Context, st board.State, old *Traced, tell func(done, all int)) (now *Traced, sessions, events int, err error) {
	now = newTraced(st.Tenant.Tree.Root(), st.Tenant.Size)
	if old.files.count > 0 {
		now.old, now.Traces, now.Said = old, maps.Clone(old.Traces), maps.Clone(old.Said)
	}
	list, err := b.ToTrace(st, old)
	if err != nil {
		return nil, 0, 0, err
	}
	all := 0
	for i := range list {
		all += int(list[i].Left(b.traced.part))
	}
	if err := b.TraceEach(ctx, st, list, all, tell); err != nil {
		return nil, 0, 0, err
	}
	for i := range list {
		x := &list[i]
		events += int(x.read)
		words := slices.DeleteFunc(slices.Clone(now.Said[x.ID]), func(s Said) bool { return s.Part >= x.known })
		now.Traces[x.ID] = x.Parts
		if delete(now.Said, x.ID); len(words)+len(x.said) > 0 {
			now.Said[x.ID] = append(words, x.said...)
		}
	}
	return now, len(list), events, nil
}

// TraceEach reads sessions in parallel, with what users state in them.
func (b *Sessions) TraceEach(ctx context.Context, s board.State, list []Fresh, all int, tell func(done, all int)) error {
	return b.traceEach(ctx, s, list, true, all, tell)
}

// TraceActs reads sessions as TraceEach does, but not what users state, which takes half of
// the time.
func (b *Sessions) TraceActs(ctx context.Context, s board.State, list []Fresh) error {
	return b.traceEach(ctx, s, list, false, 0, nil)
}

func (b *Sessions) traceEach(ctx context.Context, s board.State, list []Fresh, listen bool, all int, tell func(done, all int)) error {
	erased, err := ledger.AnyErased(s.Reader, s.Tenant.Number)
	if err != nil {
		return err
	}
	var done atomic.Int64
	var telling = make(chan struct{}, 1)
	return index.Share(len(list), index.Parts(len(list), 1), func(_, from, to int) error {
		reader := Reader{From: b, Reader: s.Reader, Tenant: s.Tenant, Traces: trace.NewReader(&trace.Strings{}), listen: listen, whole: !erased}
		for i := from; i < to; i++ {
			x := &list[i]
			left := x.Left(b.traced.part)
			if err := reader.readParts(ctx, x); err != nil {
				return err
			}
			if n := done.Add(int64(left)); tell != nil {
				telling <- struct{}{}
				tell(int(n), all)
				<-telling
			}
		}
		return nil
	})
}

// Reader reads the events of sessions in order, a few at a time.
type Reader struct {
	From   *Sessions
	Reader kv.Reader
	Tenant *ledger.Tenant
	View   board.View
	Traces *trace.Reader
	listen bool // collect what users state
	whole  bool // nothing of the tenant was erased
	said   []Said

	alike []heardEvent // with the same sequence and timestamp
	last  timeline.Place
}

// Reset makes the reader ready for another session.
func (s *Reader) Reset() {
	s.Traces.Reset()
	s.said = nil
}

// readParts reads a session after its reused parts. If events were inserted before those end, it reads
// everything.
func (s *Reader) readParts(ctx context.Context, x *Fresh) error {
	x.known, x.Parts = len(x.Parts), slices.Clone(x.Parts)
	if err := s.readOn(ctx, x); err != nil {
		return err
	}
	if x.known > 0 && uint64(x.known)*s.From.traced.part+x.read != x.events {
		x.known, x.Parts, x.said, x.read = 0, nil, nil, 0
		if err := s.readOn(ctx, x); err != nil {
			return err
		}
	}
	return s.judge(x)
}

// judge applies feedback about tasks of earlier parts.
func (s *Reader) judge(x *Fresh) error {
	for n := max(x.known, 1); n < len(x.Parts); n++ {
		for _, v := range x.Parts[n].Abroad {
			part, task, err := s.judged(x.Parts[:n], v.Target)
			if err != nil {
				return err
			}
			if part < 0 {
				continue // it is about another session
			}
			t := x.Parts[part].Tasks[task]
			if t.By == trace.ByFeedback && t.Outcome == v.Outcome && t.Judge == v.Judge {
				continue // it is already in the cached trace
			}
			t.Outcome, t.By, t.Judge = v.Outcome, trace.ByFeedback, v.Judge
			copied := *x.Parts[part]
			copied.Tasks = slices.Clone(copied.Tasks)
			copied.Tasks[task], x.Parts[part] = t, &copied
		}
	}
	return nil
}

// judged returns the latest task that contains an event, or the latest task if none is named; part is
// negative if there is none.
func (s *Reader) judged(parts []*trace.Trace, event string) (part, task int, err error) {
	var position uint64
	if event != "" {
		id, ok := record.ID(s.Tenant.Name, record.Event, event), false
		if position, ok, err = ledger.Find(s.Reader, s.Tenant.Number, &id); err != nil || !ok {
			return -1, 0, err
		}
	}
	for part = len(parts) - 1; part >= 0; part-- {
		for task = len(parts[part].Tasks) - 1; task >= 0; task-- {
			if t := &parts[part].Tasks[task]; event == "" || t.From.Position <= position && position <= t.To.Position {
				return part, task, nil
			}
		}
	}
	return -1, 0, nil
}

// readOn reads a session after its reused parts.
func (s *Reader) readOn(ctx context.Context, x *Fresh) (err error) {
	var failed error
	open := false // there are events since the last part
	visit := func(p timeline.Place) bool {
		if failed = ctx.Err(); failed == nil {
			failed = s.Add(p)
		}
		x.read++
		if open = true; x.read%s.From.traced.part == 0 {
			s.endPart(x)
			open = false
		}
		return failed == nil
	}
	if n := len(x.Parts); n == 0 {
		err = timeline.Session(s.Reader, s.Tenant.Number, x.ID, nil, func(_ []byte, p timeline.Place) bool { return visit(p) })
	} else {
		end := x.Parts[n-1].End
		err = timeline.Following(s.Reader, s.Tenant.Number, x.ID, timeline.Place{Sequence: end.Sequence, Timestamp: end.Timestamp, Position: end.Position}, visit)
	}
	if open {
		s.endPart(x)
	}
	return fault.First(failed, err)
}

// endPart makes a part of the events since the last one.
func (s *Reader) endPart(x *Fresh) {
	s.Flush()
	part := s.Traces.Trace()
	part.Session, part.Part = x.ID, len(x.Parts)
	part.End = trace.Mark{Sequence: s.last.Sequence, Timestamp: s.last.Timestamp, Position: s.last.Position}
	for i := range s.said {
		s.said[i].Part = part.Part
	}
	x.Parts, x.said = append(x.Parts, part), append(x.said, s.said...)
	s.Reset()
}

// Read reads a session as a whole.
func (s *Reader) Read(ctx context.Context, session string) error {
	var failed error
	err := timeline.Session(s.Reader, s.Tenant.Number, session, nil, func(_ []byte, p timeline.Place) bool {
		if failed = ctx.Err(); failed == nil {
			failed = s.Add(p)
		}
		return failed == nil
	})
	s.Flush()
	return fault.First(failed, err)
}

// heardEvent is an event of a session, and when it was recorded, in nanoseconds.
type heardEvent struct {
	event   trace.Event
	written int64
}

// Add reads the event at a place. An erased or unreadable one is skipped.
func (s *Reader) Add(p timeline.Place) error {
	if len(s.alike) > 0 && (p.Sequence != s.last.Sequence || p.Timestamp != s.last.Timestamp) {
		s.Flush()
	}
	s.last = p
	f, err := s.From.core.FrameIn(board.State{Reader: s.Reader, Tenant: s.Tenant}, p.Position, s.whole)
	if fault.CodeOf(err) == fault.Damaged {
		return nil
	}
	if err != nil || f.Erased {
		return err
	}
	rec, err := apply.Decode(&f)
	if err != nil {
		return err
	}
	if rec.Event == nil || !access.SeesEvent(s.View, rec.Event) {
		return nil
	}
	s.alike = append(s.alike, heardEvent{trace.Event{Event: rec.Event, Position: p.Position, Trust: rec.Header.Trust}, rec.Header.Time})
	return nil
}

// Flush processes the events with the same sequence and timestamp, by their ids.
func (s *Reader) Flush() {
	slices.SortFunc(s.alike, func(a, b heardEvent) int { return hmx.CompareEvents(a.event.Event, b.event.Event) })
	for _, e := range s.alike {
		s.Traces.Add(e.event)
		if !s.listen {
			continue
		}
		if x, ok := SaidIn(e.event, e.written); ok {
			s.said = append(s.said, x)
		}
	}
	clear(s.alike)
	s.alike = s.alike[:0]
}

// SaidIn returns what a user plainly states in an event that was recorded at a time. Only messages with the
// role and the trust of a user count: not those of the agent, a tool or an external source, nor of a writer
// that claims to be a user. Only the text of a message counts, not its attachments.
func SaidIn(e trace.Event, written int64) (Said, bool) {
	if e.EventType != hmx.TypeMessage || e.Trust < record.User {
		return Said{}, false
	}
	m, ok := e.Message()
	if !ok || m.Role != "user" {
		return Said{}, false
	}
	found := statement.Read(m.Text)
	if len(found) == 0 {
		return Said{}, false
	}
	// A clock that is ahead must not make a statement outlast later ones: its time is at most that of its
	// record.
	at := min(e.Timestamp.Time().UnixMilli(), time.Unix(0, written).UnixMilli())
	x := Said{Event: strings.Clone(e.EventID), Position: e.Position, Time: at, Speaker: strings.Clone(namedIn(e.Event)), Project: strings.Clone(projectIn(e.Event))}
	for _, s := range found {
		s.Text, s.Subject, s.Replaces, s.Within = strings.Clone(s.Text), strings.Clone(s.Subject), strings.Clone(s.Replaces), strings.Clone(s.Within)
		s.Topic = strings.Clone(s.Topic)
		x.Statements = append(x.Statements, s)
	}
	return x, true
}

// ProjectCondition returns the condition that limits a record to a project.
func ProjectCondition(id string) string { return "project: " + id }

// projectIn returns the project in the metadata of a message.
func projectIn(ev *hmx.Event) string {
	var all struct {
		ID string `json:"project_id"`
	}
	_ = json.Unmarshal([]byte(ev.Metadata), &all) // ignore the error: the field may be a number
	id := strings.TrimSpace(all.ID)
	if id == "" || memory.CheckConditions("project_id", []string{ProjectCondition(id)}) != nil {
		return ""
	}
	return id
}

// namedIn returns the speaker in the metadata of a message.
func namedIn(ev *hmx.Event) string {
	var all map[string]json.RawMessage
	if json.Unmarshal([]byte(ev.Metadata), &all) != nil {
		return ""
	}
	for _, name := range [...]string{"speaker", "user_id", "customer_id", "account_id", "user", "customer", "author"} {
		var text string
		if json.Unmarshal(all[name], &text) == nil {
			if text = strings.TrimSpace(text); text != "" && !strings.EqualFold(text, "user") && !strings.EqualFold(text, "human") {
				return text
			}
			continue // it names no speaker
		}
		var number json.Number
		if json.Unmarshal(all[name], &number) == nil && number != "" {
			return number.String()
		}
	}
	return ""
}
