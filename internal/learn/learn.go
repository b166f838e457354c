package learn

import (
	"context"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/lru"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/sessions"
	"lukasa.dev/internal/trace"
)

// Statements of users bind at once, without waiting for the next compile. The statements
// that hold are cached beside the index, so that a message is compared with those and not
// with all sessions. It is the same fold over the same messages in the same order as that of
// a compile, in two steps, so both find the same. What either writes is admitted in log
// order, where the later statement stands.

// learnBehind is how many records Learn reads one by one. If there are more new ones, it
// reads sessions as a compile does, unless it is called for certain events, which must bind
// at once: then it reads only the newest records. Earlier statements wait for the next
// compile, which also corrects any difference.
const (
	learnBehind = 1 << 14
	learnNewest = 1 << 10
)

// LearnReport is the result of Learn.
type LearnReport struct {
	// Changes are what was written, in order.
	Changes []CompileChange
	Root    board.Root // of the tenant, at the end
}

// learning is the state of Learn.
type learning struct {
	turn chan struct{} // semaphore of one: Learn takes the item
	kept lru.Cache[string, *learned]
}

// learned is the statements that hold up to a state of a tenant.
type learned struct {
	root     merkle.Hash
	size     uint64
	erasures uint64
	saying   *saying
	partial  bool // statements before some record are missing; a compile reads all
}

// keptLearned is the number of tenants whose statements are kept in memory.
const keptLearned = 8

func newLearning() *learning {
	l := &learning{turn: make(chan struct{}, 1), kept: lru.New[string, *learned](keptLearned)}
	l.turn <- struct{}{}
	return l
}

// take acquires the semaphore.
func (l *learning) take(ctx context.Context) (giveBack func(), err error) {
	select {
	case <-l.turn:
		return func() { l.turn <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Learn makes memories of what users plainly state in events that were just recorded, as
// Compile does, and of other statements since the last call of either: a Compile after it
// has nothing to do for them. It reads only what is new, and waits for no compile. Without
// ids, all new events count; with ids of events that state nothing it does nothing.
//
// Learn is refused under a scope, like Compile.
func (b *Learner) Learn(ctx context.Context, w board.Writer, tenant string, ids ...string) (*LearnReport, error) {
	if err := b.core.RefuseScope(ctx, tenant, w, memory.OpCompile, "memories"); err != nil {
		return nil, err
	}
	if err := memory.CheckActor(w.Actor); err != nil {
		return nil, err
	}
	giveBack, err := b.learning.take(ctx)
	if err != nil {
		return nil, err
	}
	defer giveBack()
	for range Tries {
		report, err := b.learnOnce(ctx, tenant, ids)
		if err != ErrErased {
			return report, err
		}
	}
	return nil, fault.New(fault.VersionConflict, "something was erased each time that this was read").WithFix("try again when no erasure is under way")
}

// learnOnce is Learn for the holder of the semaphore.
func (b *Learner) learnOnce(ctx context.Context, tenant string, ids []string) (*LearnReport, error) {
	c := &compilation{b: b, tenant: tenant, erasures: b.core.Erasures(), claims: make(map[memory.URI]claim), report: &CompileReport{}}
	now := &learned{erasures: c.erasures}
	err := b.core.Read(ctx, tenant, func(s board.State) error {
		if states, err := b.anyStates(ctx, s, ids); err != nil || !states {
			return err
		}
		now.root, now.size = s.Tenant.Tree.Root(), s.Tenant.Size
		return c.gatherNew(ctx, s, now, len(ids) > 0)
	})
	if err != nil {
		return nil, err
	}
	report := &LearnReport{}
	if now.saying != nil {
		for i := range c.writes {
			report.Changes = append(report.Changes, c.writes[i].change)
		}
		if err := c.write(ctx); err != nil {
			return nil, err
		}
		if err := b.keepSaid(ctx, tenant, now); err != nil {
			return nil, err
		}
	}
	report.Root, err = b.core.Root(ctx, tenant)
	return report, err
}

// anyStates reports whether one of the events states something, or there are none.
func (b *Learner) anyStates(ctx context.Context, s board.State, ids []string) (states bool, err error) {
	for _, id := range ids {
		digest := record.ID(s.Tenant.Name, record.Event, id)
		position, ok, err := ledger.Find(s.Reader, s.Tenant.Number, &digest)
		if err != nil {
			return false, err
		}
		if !ok {
			return false, fault.Newf(fault.NotFound, "there is no event %q", id).WithFix("append it first, and give its event_id")
		}
		x, err := b.saidAt(s, position)
		if err != nil {
			return false, err
		}
		states = states || x != nil
	}
	return states || len(ids) == 0, ctx.Err()
}

// saidAt returns the statement of a user in the record at a position, or nil.
func (b *Learner) saidAt(s board.State, position uint64) (*sessions.Said, error) {
	f, err := b.core.FrameAt(s, position)
	if fault.CodeOf(err) == fault.Damaged || err == nil && f.Erased {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	h, err := record.ParseHeader(f.Header)
	if err != nil || h.Kind != record.Event || h.Trust < record.User {
		return nil, err
	}
	rec, err := apply.Decode(&f)
	if err != nil || rec.Event == nil {
		return nil, nil // a verify reports it
	}
	x, ok := sessions.SaidIn(trace.Event{Event: rec.Event, Position: position, Trust: h.Trust}, h.Time)
	if !ok {
		return nil, nil
	}
	x.Session = rec.Event.SessionID
	return &x, nil
}

// gatherNew plans what to write of statements since the last call. If that is long ago,
// atOnce makes it read only the newest records.
func (c *compilation) gatherNew(ctx context.Context, s board.State, now *learned, atOnce bool) error {
	before, err := c.b.learnedBefore(s, c.erasures)
	if err != nil {
		return err
	}
	behind := before == nil || s.Tenant.Size-before.size > learnBehind
	switch {
	case behind && !atOnce:
		return c.gatherAll(ctx, s, now)
	case before == nil:
		before = &learned{saying: newSaying(s.Tenant.Name)}
	}
	if behind {
		before.size = max(before.size, s.Tenant.Size-min(s.Tenant.Size, learnNewest))
	}
	now.saying, now.partial = before.saying, before.partial || behind
	for position := before.size; position < s.Tenant.Size; position++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		x, err := c.b.saidAt(s, position)
		if err != nil {
			return err
		}
		if x != nil {
			now.saying.hear(x)
		}
	}
	c.said, c.statings = now.saying, make(map[string]*statedHead)
	c.said.touched()
	for _, thing := range c.said.things {
		d := memoryThing(s.Tenant, thing.ID)
		if err := c.stated(s, d); err != nil {
			return err
		}
	}
	c.state()
	return nil
}

// gatherAll reads all sessions that changed since the last compile.
func (c *compilation) gatherAll(ctx context.Context, s board.State, now *learned) error {
	old, err := c.b.sessions.KeptTraces(s)
	if err != nil {
		return err
	}
	if c.traced, _, _, err = c.b.sessions.TraceAll(ctx, s, old, nil); err != nil {
		return err
	}
	if err := c.gatherSaid(s); err != nil {
		return err
	}
	now.saying = c.said
	c.state()
	return nil
}
