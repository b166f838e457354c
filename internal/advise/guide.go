package advise

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/guide"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/learn"
	"lukasa.dev/internal/lru"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/sessions"
	"lukasa.dev/internal/trace"
)

// Limits of NextStep.
const (
	DefaultNextSteps = 3
	MaxNextSteps     = 100

	keptModels   = 8
	keptScopes   = 4
	keptSessions = 16
)

// NextOptions names the session whose next step is wanted.
type NextOptions struct {
	Tenant string
	// Session is the session so far. One without events is at its beginning.
	Session string
	// Limit is the maximum number of suggestions. Zero means DefaultNextSteps;
	// MaxNextSteps is the maximum.
	Limit int
	// Tags narrow which artifacts apply, by their validity scopes.
	Tags []string
	View board.View
}

// NextSteps is the suggested next steps, most probable first.
type NextSteps struct {
	Suggestions []guide.Suggestion
	Artifacts   int // artifacts that were used
	Steps       int // steps of the task so far
}

// NextStep returns the tools that a session may call next, with the probability of each
// and the reason, based on its task so far and on the active artifacts that apply and
// that the view shows. It reads one state and writes nothing. Without such artifacts
// there are no suggestions.
func (b *Adviser) NextStep(ctx context.Context, o NextOptions) (*NextSteps, error) {
	if o.Limit == 0 {
		o.Limit = DefaultNextSteps
	}
	if o.Limit < 0 || o.Limit > MaxNextSteps {
		return nil, fault.Newf(fault.InvalidArgument, "limit: is %d, but must be from 1 to %d", o.Limit, MaxNextSteps).WithFix("leave it out for the default")
	}
	var out *NextSteps
	err := b.core.ReadAs(ctx, o.Tenant, o.View, func(s board.State) error {
		if err := memory.CheckID("session", o.Session); err != nil {
			return err
		}
		var err error
		out, err = b.Foresee(ctx, s, o.Session, o.Tags, o.Limit)
		return err
	})
	return out, err
}

// Foresee is NextStep on a state.
func (b *Adviser) Foresee(ctx context.Context, s board.State, session string, tags []string, limit int) (*NextSteps, error) {
	model, n, err := b.model(s, tags)
	if err != nil {
		return nil, err
	}
	out := &NextSteps{Artifacts: n}
	if n == 0 {
		return out, nil
	}
	read, err := b.sessionSoFar(ctx, s, session)
	if err != nil {
		return nil, err
	}
	task := &trace.Task{}
	if len(read.Tasks) > 0 {
		task = &read.Tasks[len(read.Tasks)-1]
	}
	if here := learn.PlacedTags(tags, task); len(here) > len(tags) {
		if model, out.Artifacts, err = b.model(s, here); err != nil || out.Artifacts == 0 {
			return out, err
		}
	}
	out.Steps = len(task.Steps)
	out.Suggestions = model.Next(task, limit)
	return out, nil
}

// guides caches models, so that a question is cheap while the artifacts stay the same,
// and the read part of sessions. It is safe for concurrent use; nil caches nothing.
type guides struct {
	mu       sync.Mutex
	models   lru.Cache[[sha256.Size]byte, *guide.Model]
	scopes   lru.Cache[[sha256.Size]byte, []*hmx.Artifact] // of the active artifacts, by their ids
	sessions lru.Cache[string, *halfRead]
	checkers *checkers
}

func newGuides() *guides {
	return &guides{
		models:   lru.New[[sha256.Size]byte, *guide.Model](keptModels),
		scopes:   lru.New[[sha256.Size]byte, []*hmx.Artifact](keptScopes),
		sessions: lru.New[string, *halfRead](keptSessions),
		checkers: newCheckers(),
	}
}

// guideFollower notes which records may have changed a rule, and empties the cache on an
// erasure.
type guideFollower struct {
	board.NopFollower
	b *Adviser
}

func (f guideFollower) Writing(h *record.Header) { f.b.guides.checkers.touch(h) }

func (f guideFollower) Erasing() error {
	f.b.guides.forget()
	return nil
}

func (f guideFollower) Rebuilt() error { return f.Erasing() }

// forget empties the cache.
func (g *guides) forget() {
	if g == nil {
		return
	}
	g.checkers.forget()
	fresh := newGuides()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.models, g.scopes, g.sessions = fresh.models, fresh.scopes, fresh.sessions
}

// model returns the model of the active artifacts that apply and that a view shows, and
// their number.
func (b *Adviser) model(s board.State, tags []string) (*guide.Model, int, error) {
	active, err := b.retrieval.Active(s)
	if err != nil {
		return nil, 0, err
	}
	var heads []*catalog.Head
	for _, h := range active.Heads {
		if learn.HoldsAt(h, access.NowOf(s.View, s.Tenant)) && access.Sees(s.View, h) {
			heads = append(heads, h)
		}
	}
	if len(heads) == 0 {
		return nil, 0, nil
	}
	all, err := b.artifacts(s, heads)
	if err != nil {
		return nil, 0, err
	}
	now := access.NowOf(s.View, s.Tenant)
	var hold []*hmx.Artifact
	sum := sha256.New()
	sum.Write([]byte(s.Tenant.Name))
	for _, a := range all {
		if access.Applies(s.View, &a.ValidityScope.Value, s.Tenant.Name, tags, now) {
			hold = append(hold, a)
			sum.Write([]byte("\x00" + a.ArtifactID))
		}
	}
	if b.guides == nil {
		return guide.New(hold), len(hold), nil
	}
	key := [sha256.Size]byte(sum.Sum(nil))
	b.guides.mu.Lock()
	m, ok := b.guides.models.Get(key)
	b.guides.mu.Unlock()
	if !ok {
		m = guide.New(hold)
		b.guides.mu.Lock()
		b.guides.models.Put(key, m)
		b.guides.mu.Unlock()
	}
	return m, len(hold), nil
}

// artifacts reads artifacts. One that was erased meanwhile is left out. An artifact never
// changes, so it is cached.
func (b *Adviser) artifacts(s board.State, heads []*catalog.Head) ([]*hmx.Artifact, error) {
	sum := sha256.New()
	sum.Write([]byte(s.Tenant.Name))
	for _, h := range heads {
		sum.Write([]byte("\x00" + h.ID))
		sum.Write(binary.BigEndian.AppendUint64(nil, h.Position))
	}
	key := [sha256.Size]byte(sum.Sum(nil))
	if b.guides != nil {
		b.guides.mu.Lock()
		all, ok := b.guides.scopes.Get(key)
		b.guides.mu.Unlock()
		if ok {
			return all, nil
		}
	}
	var all []*hmx.Artifact
	bodies, err := b.bodiesOf(s, heads)
	if err != nil {
		return nil, err
	}
	for _, body := range bodies {
		if a, ok := body.(*memory.Artifact); ok {
			all = append(all, &a.HMX)
		}
	}
	if b.guides != nil {
		b.guides.mu.Lock()
		b.guides.scopes.Put(key, all)
		b.guides.mu.Unlock()
	}
	return all, nil
}

// bodiesOf reads the bodies of records in parallel: nil for one that was erased meanwhile
// or is unreadable, and artifacts without their source events, which are many.
func (b *Adviser) bodiesOf(s board.State, heads []*catalog.Head) ([]memory.Body, error) {
	out := make([]memory.Body, len(heads))
	err := index.Share(len(heads), index.Parts(len(heads), bodiesTogether), func(_, from, to int) error {
		for i := from; i < to; i++ {
			body, err := b.core.BodyAt(s, heads[i].Kind, heads[i].Position)
			if code := fault.CodeOf(err); code == fault.Erased || code == fault.Damaged {
				continue
			}
			if err != nil {
				return err
			}
			if a, ok := body.(*memory.Artifact); ok {
				a.HMX.SourceEvents = nil
			}
			out[i] = body
		}
		return nil
	})
	return out, err
}

// bodiesTogether is how many bodies are worth a goroutine.
const bodiesTogether = 16

// halfRead is a partly read session.
type halfRead struct {
	reader   sessions.Reader
	skip     uint64         // events at its beginning that are skipped
	behind   timeline.Place // the last of them
	events   uint64         // skipped and read events
	last     timeline.Place
	erasures uint64
}

// sessionSoFar returns what a session did, as far as a view shows it; of a long session
// that is fully visible, what it did lately. It continues from the cached part of a
// session, unless events were inserted.
func (b *Adviser) sessionSoFar(ctx context.Context, st board.State, session string) (*trace.Trace, error) {
	if access.Of(st.View) != nil || b.guides == nil {
		s := sessions.Reader{From: b.sessions, Reader: st.Reader, Tenant: st.Tenant, View: st.View, Traces: trace.NewReader(&trace.Strings{})}
		err := s.Read(ctx, session)
		return s.Traces.Trace(), err
	}
	summary, ok, err := timeline.SessionSummary(st.Reader, st.Tenant.Number, session)
	if err != nil || !ok {
		return &trace.Trace{Session: session}, err
	}
	erasures := b.core.Erasures()
	key := st.Tenant.Name + "\x00" + session
	b.guides.mu.Lock()
	half, ok := b.guides.sessions.Take(key)
	b.guides.mu.Unlock()
	skip := (max(summary.Events/b.sessions.SoFar(), 1) - 1) * b.sessions.SoFar()
	ok = ok && half.erasures == erasures && half.skip == skip && half.events <= summary.Events
	if ok {
		half.reader.Reader, half.reader.Tenant = st.Reader, st.Tenant
		if err := half.readOn(ctx, session, summary.Events); err != nil {
			return nil, err
		}
		ok = half.events == summary.Events // no event was inserted
	}
	if !ok {
		half = &halfRead{reader: sessions.Reader{From: b.sessions, Reader: st.Reader, Tenant: st.Tenant, Traces: trace.NewReader(&trace.Strings{})}, erasures: erasures, skip: skip}
		if err := half.readAll(ctx, session, summary.Events); err != nil {
			return nil, err
		}
	}
	out := half.reader.Traces.Trace()
	half.reader.Reader, half.reader.Tenant = nil, nil
	if half.events == summary.Events && erasures == b.core.Erasures() {
		b.guides.mu.Lock()
		b.guides.sessions.Put(key, half)
		b.guides.mu.Unlock()
	}
	return out, nil
}

// readAll reads everything that is not skipped.
func (h *halfRead) readAll(ctx context.Context, session string, until uint64) error {
	if h.skip > 0 {
		var err error
		if h.behind, _, err = timeline.Back(h.reader.Reader, h.reader.Tenant.Number, session, until-h.skip); err != nil {
			return err
		}
	}
	h.events, h.last = h.skip, h.behind
	return h.readOn(ctx, session, until)
}

// readOn reads what follows the last event that was read. If an event has the same
// sequence and timestamp as that one, everything is read again: such events are ordered
// by id.
func (h *halfRead) readOn(ctx context.Context, session string, until uint64) error {
	s := &h.reader
	if h.events == until {
		return nil
	}
	before, begun, tied := h.last, false, false
	var failed error
	visit := func(p timeline.Place) bool {
		if failed = ctx.Err(); failed != nil {
			return false
		}
		if !begun && h.events > h.skip && p.Sequence == before.Sequence && p.Timestamp == before.Timestamp {
			tied = true
			return false
		}
		begun = true
		if failed = s.Add(p); failed != nil {
			return false
		}
		h.events++
		h.last = p
		return true
	}
	var err error
	if h.events == 0 {
		err = timeline.Session(s.Reader, s.Tenant.Number, session, nil, func(_ []byte, p timeline.Place) bool { return visit(p) })
	} else {
		err = timeline.Following(s.Reader, s.Tenant.Number, session, before, visit)
	}
	s.Flush()
	if tied {
		h.events, h.last = h.skip, h.behind
		s.Reset()
		return h.readOn(ctx, session, until)
	}
	return fault.First(failed, err)
}
