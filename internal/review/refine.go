package review

import (
	"context"
	"sync"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/learn"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/refine"
)

// refineTrust is the trust of a title by a model: less than that of any source of an
// artifact.
const refineTrust = record.External

// maxRefineProblems is how many failed artifacts are listed.
const maxRefineProblems = 100

// The default and the maximum number of concurrent requests to a model.
const (
	DefaultRefineParallel = 2
	MaxRefineParallel     = 64
)

// RefineOptions configures a call of Refine.
type RefineOptions struct {
	Refiner refine.Refiner
	// Limit is the maximum number of artifacts for the refiner. Zero means no limit.
	Limit int
	// Parallel is the number of concurrent requests. Zero means 2.
	Parallel int
	// Replace also refines artifacts that have a title by another model. The newest
	// title is shown.
	Replace bool
	// Progress receives how many artifacts were processed. It may be nil.
	Progress func(done, total uint64)
}

// RefineReport is the result of Refine.
type RefineReport struct {
	Model  string
	Done   int // refinements journaled
	Failed int // artifacts without a title; a later call retries them
	Left   int // artifacts that were not processed
	// Problems lists the first artifacts that failed.
	Problems []RefineProblem
}

// RefineProblem says why an artifact has no title by a model.
type RefineProblem struct {
	URI memory.URI
	Err error
}

// Refine makes a language model write titles and summaries of the active artifacts that
// compiles wrote and that have none by a model yet. Each is journaled as a record of its
// own, with the lowest trust, so that it survives a restart, an export and a rebuild
// without the model; it is erased with its artifact. The artifact, its content, its hash
// and every pack stay the same.
//
// What the refiner cannot do stays for the next call, with the title of the compile
// meanwhile. An error says why the call ended early; the report still contains what was
// done, which stays. Concurrent calls are safe, but the refiner may receive an artifact
// twice.
//
// Refine is refused under a scope. The board opens no connection itself; the refiner
// may.
func (b *Reviewer) Refine(ctx context.Context, w board.Writer, tenant string, o RefineOptions) (*RefineReport, error) {
	if err := b.core.RefuseScope(ctx, tenant, w, memory.OpRefine, "titles of artifacts"); err != nil {
		return nil, err
	}
	if err := memory.CheckActor(w.Actor); err != nil {
		return nil, err
	}
	if err := o.check(tenant); err != nil {
		return nil, err
	}
	if o.Parallel == 0 {
		o.Parallel = DefaultRefineParallel
	}
	x := &refining{b: b, w: w, tenant: tenant, o: &o, out: &RefineReport{Model: o.Refiner.Name()}}
	return x.out, x.run(ctx)
}

// check validates what does not depend on the state.
func (o *RefineOptions) check(tenant string) error {
	if err := memory.CheckTenant(tenant); err != nil {
		return err
	}
	bad := func(format string, args ...any) *fault.Error {
		return fault.Newf(fault.InvalidArgument, format, args...)
	}
	switch {
	case o.Refiner == nil:
		return bad("refiner: there is none").WithFix("name the model that writes the titles")
	case o.Limit < 0:
		return bad("limit: is %d, but must not be negative", o.Limit).WithFix("leave it out for no limit")
	case o.Parallel < 0 || o.Parallel > MaxRefineParallel:
		return bad("parallel: is %d, but must be from 1 to %d", o.Parallel, MaxRefineParallel).WithFix("leave it out for 2")
	}
	// The name is in every record.
	return memory.NewRefinement(o.Refiner.Name(), memory.URI{Tenant: tenant, Kind: record.Artifact, ID: "a"}, 0, "t", "s").Validate()
}

// refining is one running call of Refine.
type refining struct {
	b      *Reviewer
	w      board.Writer
	tenant string
	o      *RefineOptions
	out    *RefineReport
}

// unrefined is an artifact to refine.
type unrefined struct {
	uri      memory.URI
	position uint64
	prompt   refine.Prompt
	text     refine.Text
	err      error
	body     *memory.Refinement // set once there is a text
	payload  []byte
}

// run refines everything, up to the limit.
func (x *refining) run(ctx context.Context) error {
	list, err := x.list(ctx)
	if err != nil {
		return err
	}
	later := 0
	if n := x.o.Limit; n > 0 && n < len(list) {
		later = len(list) - n
		list = list[:n]
	}
	total := uint64(len(list))
	for err == nil && len(list) > 0 {
		if err = ctx.Err(); err != nil {
			break
		}
		n := min(len(list), x.o.Parallel)
		var untried int
		untried, err = x.refine(ctx, list[:n])
		list = list[n:]
		later += untried
		if x.o.Progress != nil {
			x.o.Progress(total-uint64(len(list)), total)
		}
	}
	x.out.Left = len(list) + later
	return err
}

// list returns the artifacts that need a title, newest first.
func (x *refining) list(ctx context.Context) (list []*unrefined, err error) {
	err = x.b.core.Read(ctx, x.tenant, func(s board.State) error {
		var failed error
		looked := 0
		err := catalog.List(s.Reader, s.Tenant.Number, catalog.All(record.Artifact, catalog.Live), nil, func(_ []byte, d catalog.Thing) bool {
			if looked++; looked%64 == 0 {
				failed = ctx.Err()
			}
			var h *catalog.Head
			if failed == nil {
				h, _, failed = catalog.HeadOf(s.Reader, s.Tenant.Number, record.Artifact, d)
			}
			if failed != nil || h == nil {
				return failed == nil
			}
			u := &unrefined{uri: memory.URI{Tenant: s.Tenant.Name, Kind: record.Artifact, ID: h.ID}, position: h.Position}
			var wanted bool
			if wanted, failed = x.wants(s, u); wanted && failed == nil {
				list = append(list, u)
			}
			return failed == nil
		})
		return fault.First(failed, err)
	})
	return list, err
}

// wants reports whether an artifact was written by a compile, is active, and has no
// title by a model; with Replace, none by this one. An erased title by this model is not
// written again: it must not come back.
func (x *refining) wants(s board.State, u *unrefined) (bool, error) {
	h, ok, err := catalog.HeadOf(s.Reader, s.Tenant.Number, record.Artifact, catalog.ThingOf(s.Tenant.Name, record.Artifact, u.uri.ID))
	if err != nil || !ok || h.State != catalog.Live || h.Position != u.position || h.Actor != learn.Compiler || hmx.Status(h.Status) != hmx.StatusActive {
		return false, err
	}
	if h.Expires <= max(x.b.core.Now().UnixNano(), s.Tenant.Time) {
		return false, nil
	}
	id := memory.NewRefinement(x.out.Model, u.uri, u.position, "", "").ID
	if _, there, err := catalog.HeadOf(s.Reader, s.Tenant.Number, record.Refinement, catalog.ThingOf(s.Tenant.Name, record.Refinement, id)); err != nil || there {
		return false, err
	}
	if x.o.Replace {
		return true, nil
	}
	other, err := refinementHead(s, u.uri)
	return other == nil, err
}

// refine refines artifacts in parallel and journals the results. It returns how many got
// no answer for a reason other than the artifact itself, and that reason.
func (x *refining) refine(ctx context.Context, list []*unrefined) (untried int, err error) {
	if list, err = x.read(ctx, list); err != nil {
		return len(list), err
	}
	var all sync.WaitGroup
	for _, u := range list {
		all.Go(func() { u.text, u.err = x.o.Refiner.Refine(ctx, u.prompt) })
	}
	all.Wait()
	var made []*unrefined
	for _, u := range list {
		if u.err == nil {
			u.err = u.take(x.out.Model)
		}
		switch {
		case u.err == nil:
			made = append(made, u)
		case fault.CodeOf(u.err) == fault.InvalidArgument:
			x.out.Failed++
			if len(x.out.Problems) < maxRefineProblems {
				x.out.Problems = append(x.out.Problems, RefineProblem{u.uri, u.err})
			}
		default:
			untried++
			err = fault.First(err, u.err)
		}
	}
	if len(made) == 0 {
		return untried, err
	}
	// The titles may have cost money, so they are kept even if the caller is gone.
	done, failed := x.journal(context.WithoutCancel(ctx), made)
	if failed != nil {
		return untried + len(made), fault.First(failed, err)
	}
	x.out.Done += done
	return untried, err
}

// read builds the prompts of artifacts. It leaves out those that are gone or unreadable.
func (x *refining) read(ctx context.Context, list []*unrefined) (there []*unrefined, err error) {
	err = x.b.core.Read(ctx, x.tenant, func(s board.State) error {
		for _, u := range list {
			body, err := x.b.core.BodyAt(s, record.Artifact, u.position)
			if code := fault.CodeOf(err); code == fault.Erased || code == fault.Damaged {
				continue // Verify reports it
			}
			if err != nil {
				return err
			}
			if a, ok := body.(*memory.Artifact); ok {
				u.prompt = refine.Build(&a.HMX)
				there = append(there, u)
			}
		}
		return nil
	})
	if err != nil {
		return list, err
	}
	return there, nil
}

// take builds a record from the text of a refiner. The text is cleaned here, whichever
// refiner wrote it.
func (u *unrefined) take(model string) (err error) {
	title, summary := refine.Clean(u.text.Title, memory.MaxRefinedTitle), refine.Clean(u.text.Summary, memory.MaxRefinedSummary)
	u.body = memory.NewRefinement(model, u.uri, u.position, title, summary)
	if err := u.body.Validate(); err != nil {
		return fault.Newf(fault.InvalidArgument, "%w", err)
	}
	if u.payload, err = u.body.AppendJSON(nil); err != nil {
		return err
	}
	// A replay must accept the payload.
	if _, err := memory.Decode(record.Refinement, u.payload); err != nil {
		return fault.Newf(fault.InvalidArgument, "%w", err)
	}
	return nil
}

// journal writes refinements and returns how many: not those of artifacts that have
// changed or gone meanwhile, nor those that a concurrent call wrote first.
func (x *refining) journal(ctx context.Context, made []*unrefined) (done int, err error) {
	err = x.b.core.Submit(ctx, &board.Request{Indexed: true, Records: len(made), Admit: func(g *board.Group) (err error) {
		done, err = x.put(g, made)
		return err
	}})
	return done, err
}

// put admits refinements in log order.
func (x *refining) put(g *board.Group, made []*unrefined) (int, error) {
	t, err := g.Tenant(x.tenant)
	if err != nil {
		return 0, err
	}
	var entries []*board.Entry
	for _, u := range made {
		if ok, err := x.wants(g.State(t), u); err != nil {
			return 0, g.Stop(err)
		} else if !ok {
			continue
		}
		e, err := g.Board().NewEntry(x.w, x.tenant, record.Refinement, u.body.ID+"#1", u.payload)
		if err != nil {
			return 0, err
		}
		e.Header.Trust, e.Record.Body = refineTrust, u.body
		entries = append(entries, e)
	}
	for _, e := range entries {
		if _, err := g.Put(e); err != nil {
			return 0, err
		}
	}
	return len(entries), nil
}

// Refined is what a model wrote for an artifact: a title and a summary, for display
// only. Its trust is the lowest.
type Refined struct {
	URI      memory.URI // of the refinement
	Model    string
	Title    string
	Summary  string
	Trust    record.Trust
	Position uint64
	Written  time.Time
}

// Refinement returns the newest title and summary by a model for an artifact, or nil if
// there is none. A caller that may see the artifact may see it.
func (b *Reviewer) Refinement(ctx context.Context, ref board.Ref, v board.View) (*Refined, error) {
	var out *Refined
	ref.Kind = record.Artifact
	err := b.core.ReadAs(ctx, ref.Tenant, v, func(s board.State) error {
		h, err := board.FindHead(s, ref)
		if err != nil {
			return err
		}
		out, err = b.refined(s, h.ID)
		return err
	})
	return out, err
}

// refined is Refinement for an artifact that may be seen.
func (b *Reviewer) refined(s board.State, id string) (*Refined, error) {
	made, err := refinementHead(s, memory.URI{Tenant: s.Tenant.Name, Kind: record.Artifact, ID: id})
	if err != nil || made == nil {
		return nil, err
	}
	body, err := b.core.BodyAt(s, record.Refinement, made.Position)
	if fault.CodeOf(err) == fault.Erased {
		return nil, nil // erased since the snapshot was taken
	}
	x, ok := body.(*memory.Refinement)
	if err != nil || !ok {
		return nil, err
	}
	return &Refined{
		URI:   memory.URI{Tenant: s.Tenant.Name, Kind: record.Refinement, ID: x.ID},
		Model: x.Model, Title: x.Title, Summary: x.Summary, Trust: made.Trust, Position: made.Position, Written: board.TimeOf(made.Created),
	}, nil
}

// refinementHead returns the head of the newest refinement of an artifact, or nil.
func refinementHead(s board.State, u memory.URI) (newest *catalog.Head, err error) {
	var failed error
	err = catalog.ReferrersOf(s.Reader, s.Tenant.Number, u.String(), record.Refinement, func(x catalog.Referrer) bool {
		var h *catalog.Head
		h, _, failed = catalog.HeadOf(s.Reader, s.Tenant.Number, x.Kind, x.Thing)
		if failed == nil && h != nil && h.State == catalog.Live && (newest == nil || h.Position > newest.Position) {
			newest = h
		}
		return failed == nil
	})
	return newest, fault.First(failed, err)
}
