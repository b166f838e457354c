// Package coldstart composes what an agent reads when it starts: pinned records, earlier
// outcomes of the same work, and what is filed under its task. One scan of the frame index
// finds the candidates. What does not fit into the budget is never rendered.
package coldstart

import (
	"context"
	"errors"
	"slices"
	"time"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/weights"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/semaphore"
)

// ContextOptions describes the task of an agent that starts. The zero value asks for pinned
// records.
type ContextOptions struct {
	Tenant string
	// Verb is what the agent is about to do. Without one there are only pinned records.
	Verb memory.Verb
	// Objects are the objects of that task: names of object kinds, and a reference of each.
	Objects map[string]string
	// BudgetTokens limits the bundle. Zero means [bundle.DefaultBudgetTokens]; values above
	// [bundle.MaxBudgetTokens] are lowered to it.
	BudgetTokens int
	// IncludeTiers are the wanted tiers. None means all.
	IncludeTiers []bundle.Tier
	// OutcomeLimit is the maximum number of outcomes. Zero means [bundle.DefaultOutcomeLimit].
	OutcomeLimit int
	// Form is how much of each record is shown. Empty means medium.
	Form memory.Form
	// View says who reads, and when.
	View board.View
}

// composer returns the normalised options of the composer.
func (o *ContextOptions) composer() (bundle.Options, error) {
	return bundle.Options{
		BudgetTokens: o.BudgetTokens, OutcomeLimit: o.OutcomeLimit, IncludeTiers: o.IncludeTiers, Form: o.Form,
	}.Normalize()
}

// frames returns the task as one frame for each object, in the order of the object kinds. It
// validates everything, with or without a verb.
func (o *ContextOptions) frames() ([]memory.Frame, error) {
	verb := o.Verb
	if verb == "" {
		verb = memory.VerbFind // any verb, to validate the objects
	} else if _, err := memory.ParseVerb(string(verb)); err != nil {
		return nil, err
	}
	kinds := memory.ObjectKinds()
	if len(o.Objects) > len(kinds) {
		return nil, tooManyObjects(len(o.Objects))
	}
	frames := make([]memory.Frame, 0, len(o.Objects))
	for _, k := range kinds {
		ref, given := o.Objects[string(k)]
		if !given {
			continue
		}
		f := memory.Frame{Verb: verb, Kind: k, Ref: ref}
		if err := f.Validate(); err != nil {
			return nil, fault.Newf(fault.InvalidArgument, "objects: %s: %w", k, err)
		}
		if f.Ref = kind.CleanRef(k, ref); f.Ref == "" {
			return nil, fault.Newf(fault.InvalidArgument, "objects: %s: the reference names nothing", k).
				WithFix("give the path, name or address of the object")
		}
		frames = append(frames, f)
	}
	if len(frames) < len(o.Objects) {
		return nil, unknownObject(o.Objects)
	}
	if o.Verb == "" {
		frames = frames[:0]
	}
	return frames, nil
}

// tooManyObjects refuses more objects than there are kinds without reading them: at least one
// must be of an unknown kind.
func tooManyObjects(n int) error {
	_, err := memory.ParseObjectKind("")
	return fault.Newf(fault.InvalidArgument, "objects: there are %d, but only %d object kinds", n, len(memory.ObjectKinds())).
		WithFix("give at most one reference for each of the object kinds: " + kindNames()).WithCause(err)
}

func kindNames() string {
	text := ""
	for i, k := range memory.ObjectKinds() {
		if i > 0 {
			text += ", "
		}
		text += string(k)
	}
	return text
}

// unknownObject refuses an object of an unknown kind: the first of them by name.
func unknownObject(objects map[string]string) error {
	var unknown []string
	for name := range objects {
		if !slices.Contains(memory.ObjectKinds(), memory.ObjectKind(name)) {
			unknown = append(unknown, name)
		}
	}
	_, err := memory.ParseObjectKind(slices.Min(unknown))
	return fault.Newf(fault.InvalidArgument, "objects: %w", err)
}

// Composer composes the bundles of a board.
type Composer struct {
	core  *board.Board
	limit semaphore.FIFO
	ticks func() time.Time
}

// NewComposer returns the composer of a board. Limit bounds the concurrent calls; ticks is the
// clock that measures a call.
func NewComposer(core *board.Board, limit semaphore.FIFO, ticks func() time.Time) *Composer {
	return &Composer{core, limit, ticks}
}

// Context returns what an agent reads when it starts: pinned records, what matters for its
// task, and the outcomes of earlier attempts, within a budget of tokens. It reads one state,
// writes nothing and counts nothing. A tenant without records has an empty bundle.
func (c *Composer) Context(ctx context.Context, o ContextOptions) (*bundle.Bundle, error) {
	began := c.ticks()
	out, err := c.context(ctx, &o)
	if err != nil {
		return nil, err
	}
	out.LatencyMS = c.ticks().Sub(began).Milliseconds()
	return out, nil
}

func (c *Composer) context(ctx context.Context, o *ContextOptions) (*bundle.Bundle, error) {
	if err := memory.CheckTenant(o.Tenant); err != nil {
		return nil, err
	}
	frames, err := o.frames()
	if err != nil {
		return nil, err
	}
	composer, err := o.composer()
	if err != nil {
		return nil, err
	}
	view, err := c.core.Authorize(o.Tenant, o.View)
	if err != nil {
		return nil, err
	}
	composer = composer.Capped(access.Of(view).Budget())
	if err := c.core.EnterTenant(o.Tenant); err != nil {
		return nil, err
	}
	if err := c.limit.Acquire(ctx); err != nil {
		return nil, err
	}
	defer c.limit.Release()
	if err := c.core.Enter(ctx); err != nil {
		return nil, err
	}
	defer c.core.Leave()
	snap := c.core.Store().Snapshot()
	defer snap.Close()
	t, ok, err := ledger.Lookup(snap, o.Tenant)
	if err != nil {
		return nil, err
	}
	root := board.Root{Tenant: o.Tenant, Hash: merkle.EmptyRoot()}
	g := Gathering{core: c.core, s: board.State{Reader: snap, Tenant: t, View: view}, form: composer.Form, frames: frames}
	if ok {
		if err := access.Timely(view, t); err != nil {
			return nil, err
		}
		if g.s.View, err = c.core.ByClock(g.s); err != nil {
			return nil, err
		}
		root = board.RootOf(t)
		g.now = access.NowOf(g.s.View, t)
		if g.weights, _, err = weights.For(snap, t.Number, g.s.View.Agent); err != nil {
			return nil, err
		}
		if err := g.scan(ctx, &composer); err != nil {
			return nil, err
		}
	}
	out, err := bundle.Compose(o.Tenant, g.pinned, g.outcomes, g.relevant, composer, g.render)
	if err != nil {
		return nil, err
	}
	out.Size, out.Root, out.Counter = root.Size, root.Hash, c.core.Tokens().Name()
	return out, nil
}

// gone turns the error about a record that was erased since the snapshot was taken into one
// that leaves it out.
func gone(err error) error {
	if fault.CodeOf(err) == fault.Erased {
		return errors.Join(bundle.ErrGone, err)
	}
	return err
}
