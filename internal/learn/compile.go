package learn

import (
	"context"
	"fmt"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/compile"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/sessions"
	"lukasa.dev/internal/trace"
)

// Compiler is the actor of the records of a compile.
const Compiler = "compiler"

// Tries is how often a compile starts over because of concurrent erasures.
const Tries = 5

// CompileOptions configures a compile. The zero value works.
type CompileOptions struct {
	// Full reads every session again and ignores the cache. The outcome is the same.
	Full bool
	// DryRun computes the changes and writes nothing to the journal.
	DryRun bool
	// Progress receives how many of the events were read. It may be nil.
	Progress func(done, all int)
}

// CompileReport is what a compile did, or with DryRun would do.
type CompileReport struct {
	Sessions int // sessions that were read, since they had new events
	Events   int // events that were read
	Tasks    int // tasks of all sessions
	// Changes are what was written, in order, and Unchanged how many artifacts stayed
	// the same.
	Changes   []CompileChange
	Unchanged int
	Root      board.Root // of the tenant, at the end
}

// CompileChange is one change by a compile.
type CompileChange struct {
	// Op is the kind of change.
	Op CompileOp
	// URI names the record, without a version.
	URI memory.URI
	// Class is the type of an artifact or of a memory; empty for a conflict.
	Class string
	// Title is the title or the text.
	Title  string
	Reason string
}

// CompileOp is a kind of change by a compile.
type CompileOp string

// The kinds of changes.
const (
	CompileCreate    CompileOp = "create"    // a new record; an artifact as a draft
	CompileUpdate    CompileOp = "update"    // a new version
	CompileSupersede CompileOp = "supersede" // an artifact is replaced by its next version
	CompileActivate  CompileOp = "activate"  // a draft becomes active
	CompileDeprecate CompileOp = "deprecate" // an artifact is taken out of use
	CompileForget    CompileOp = "forget"    // a memory no longer holds
	CompileSettle    CompileOp = "settle"    // a conflict has ended
)

// Compile derives artifacts from the sessions of a tenant, memories from what users
// plainly stated, and conflicts from contradictions.
//
// What it writes is a function of the tenant's records: compiled in one go or step by
// step, with or without the caches, it is the same, and a second call without new events
// writes nothing. No record has more trust than its least trusted source, and what
// people wrote, archived or forgot themselves stays as it is. An interrupted compile
// leaves no artifact with two active versions; the next call completes it. One call runs
// at a time.
//
// Compile is refused under a scope. Its records name the board as their writer, not the
// caller.
func (b *Learner) Compile(ctx context.Context, w board.Writer, tenant string, o CompileOptions) (*CompileReport, error) {
	if err := b.core.RefuseScope(ctx, tenant, w, memory.OpCompile, "artifacts"); err != nil {
		return nil, err
	}
	if err := memory.CheckActor(w.Actor); err != nil {
		return nil, err
	}
	return b.compile(ctx, tenant, o)
}

// compile is Compile for the board itself.
func (b *Learner) compile(ctx context.Context, tenant string, o CompileOptions) (*CompileReport, error) {
	select {
	case <-b.compiling.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { b.compiling.turn <- struct{}{} }()
	for range Tries {
		report, err := b.compileOnce(ctx, tenant, o)
		if err != ErrErased {
			return report, err
		}
	}
	return nil, fault.New(fault.VersionConflict, "something was erased each time that this was read").WithFix("compile when no erasure is under way")
}

// ErrErased says that something was erased that a compile may have read.
var ErrErased = fault.New(fault.VersionConflict, "something was erased meanwhile")

// compilation is one running compile.
type compilation struct {
	b        *Learner
	tenant   string
	erasures uint64 // erasures that the data includes

	traced   *sessions.Traced
	now      hmx.Time // of the newest event
	known    []*hmx.Artifact
	heads    map[string]*catalog.Head // of the artifacts
	byHand   map[string]bool          // artifacts whose status another writer set
	gone     map[record.Hash]bool     // erased events
	erased   map[record.Hash]bool     // erased artifacts
	said     *saying
	statings map[string]*statedHead // memories of statements, by id
	claims   map[memory.URI]claim
	disputes map[string]*disputeHead

	writes []write
	report *CompileReport
}

func (b *Learner) compileOnce(ctx context.Context, tenant string, o CompileOptions) (*CompileReport, error) {
	c := &compilation{b: b, tenant: tenant, erasures: b.core.Erasures(), report: &CompileReport{}}
	if err := b.core.Read(ctx, tenant, func(s board.State) error { return c.gather(ctx, s, o) }); err != nil {
		return nil, err
	}
	if err := together(func() error { return c.plan(ctx) }, func() error { return c.keep(ctx) }); err != nil {
		return nil, err
	}
	for i := range c.writes {
		if c.writes[i].change.Op != "" {
			c.report.Changes = append(c.report.Changes, c.writes[i].change)
		}
	}
	if !o.DryRun {
		if err := c.write(ctx); err != nil {
			return nil, err
		}
		if err := c.keepSaid(ctx); err != nil {
			return nil, err
		}
	}
	var err error
	c.report.Root, err = b.core.Root(ctx, tenant)
	return c.report, err
}

// together runs independent functions, in parallel if there are processors, and returns
// the first error in their order.
func together(do ...func() error) error {
	return index.Share(len(do), len(do), func(part, _, _ int) error { return do[part]() })
}

// gather reads the input of a compile.
func (c *compilation) gather(ctx context.Context, s board.State, o CompileOptions) (err error) {
	old := &sessions.Traced{}
	if !o.Full {
		if old, err = c.b.sessions.KeptTraces(s); err != nil {
			return err
		}
	}
	if c.traced, c.report.Sessions, c.report.Events, err = c.b.sessions.TraceAll(ctx, s, old, o.Progress); err != nil {
		return err
	}
	var newest int64
	for _, x := range c.traced.List() {
		c.report.Tasks += len(x.Tasks)
		for i := range x.Tasks {
			newest = max(newest, x.Tasks[i].To.Time)
		}
	}
	c.now = trace.Ref{Time: newest}.When()
	if err := c.gatherErased(ctx, s); err != nil {
		return err
	}
	return together(
		func() error { return c.gatherArtifacts(s, old) },
		func() error { return c.gatherSaid(s) },
		func() error { return c.gatherClaims(s) },
	)
}

// keep caches the traces beside the index. A failed write is ignored: they can be read
// again.
func (c *compilation) keep(ctx context.Context) error {
	if c.report.Sessions == 0 {
		return nil
	}
	if err := c.b.core.Enter(ctx); err != nil {
		return err
	}
	defer c.b.core.Leave()
	_ = c.b.sessions.KeepTraces(c.tenant, c.traced, c.erasures)
	c.b.keepFailures(c.tenant, c.traced, c.erasures)
	return nil
}

// keepSaid caches the statements that hold, for Learn.
func (c *compilation) keepSaid(ctx context.Context) error {
	giveBack, err := c.b.learning.take(ctx)
	if err != nil {
		return err
	}
	defer giveBack()
	return c.b.keepSaid(ctx, c.tenant, &learned{root: c.traced.Root, size: c.traced.Size, erasures: c.erasures, saying: c.said})
}

// gatherErased finds the erased events and artifacts.
func (c *compilation) gatherErased(ctx context.Context, s board.State) error {
	gone, erased := make(map[record.Hash]bool), make(map[record.Hash]bool)
	n := 0
	for e, err := range ledger.Erasures(s.Reader) {
		if n++; n%1024 == 0 && err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if e.Tenant != s.Tenant.Number {
			continue
		}
		h, err := c.b.core.HeaderAt(s, e.Position)
		if err != nil {
			return err
		}
		switch h.Kind {
		case record.Event:
			gone[h.ID] = true
		case record.Artifact:
			erased[h.ID] = true
		}
	}
	c.gone, c.erased = gone, erased
	return nil
}

// plan determines what to write.
func (c *compilation) plan(ctx context.Context) error {
	o := compile.Options{Tenant: c.tenant, Now: c.now, ByHand: func(a *hmx.Artifact) bool { return c.byHand[a.ArtifactID] }}
	if len(c.gone) > 0 {
		o.Resolves = func(id string) bool { return !c.gone[record.ID(c.tenant, record.Event, id)] }
	}
	if len(c.erased) > 0 {
		// An artifact is written once, so its text is that of its first version.
		o.Erased = func(id string) bool { return c.erased[record.ID(c.tenant, record.Artifact, id+"#1")] }
	}
	c.complete()
	drafts, err := compile.Mine(ctx, c.traced.List(), o)
	if err != nil {
		return fmt.Errorf("mine: %w", err)
	}
	trusts := make(map[string]record.Trust)
	for i := range drafts {
		trusts[sameContent(&drafts[i].Artifact)] = drafts[i].Trust
	}
	for _, a := range c.known {
		c.recommend(a)
	}
	for _, change := range compile.Merge(drafts, c.known, o) {
		c.artifact(&change, trusts)
		c.recommend(change.Old)
		c.recommend(change.Artifact)
	}
	c.state()
	c.dispute()
	return nil
}
