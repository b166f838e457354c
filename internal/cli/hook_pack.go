package cli

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/hook"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/tokens"
)

// wider is how much more than its budget an answer is chosen from, since some of it is not for
// this prompt.
const wider = 2

// pack is what is known about a prompt: the entries of a pack that have to do with it, that are
// not of another project, and that the agent has not before its eyes.
func (h *hooking) pack(ctx context.Context, t *lukasa.Tenant, view lukasa.View) (hook.Answer, error) {
	budget := hook.Inside(h.flags.budget)
	p, err := t.Pack(ctx, lukasa.PackOptions{
		Query: h.call.Query, Budget: wider * budget, Counter: hook.Counter(), Session: h.call.Session, View: view,
	})
	if err != nil {
		return hook.Answer{}, err
	}
	chosen, err := h.choose(ctx, t, p.Pack, budget)
	if err != nil || len(chosen.Entries) == 0 {
		return hook.Answer{}, err
	}
	text := pack.Markdown(chosen)
	for tokens.Estimate().Count(text) > budget && len(chosen.Entries) > 1 {
		last := slices.MaxFunc(chosen.Entries, byRank)
		chosen.Entries = slices.DeleteFunc(chosen.Entries, func(e hmx.Entry) bool { return e.Rank == last.Rank })
		text = pack.Markdown(chosen)
	}
	return hook.Answer{Title: "Memory (Lukasa): recalled for this prompt, not said by the user.", Text: hook.Within(text, h.flags.budget)}, nil
}

func byRank(a, b hmx.Entry) int { return cmp.Compare(a.Rank, b.Rank) }

// choose returns a pack with what is for this prompt only, the best first until a budget is
// used, in the order of the pack.
func (h *hooking) choose(ctx context.Context, t *lukasa.Tenant, p *hmx.Pack, budget int) (*hmx.Pack, error) {
	out := *p
	out.Entries = nil
	asked := hook.About(h.call.Query)
	if asked.Empty() {
		out.WorkflowHints = hmx.Opt[hmx.WorkflowHints]{}
	}
	own := &ownTurns{h: h, tenant: t}
	left := int64(budget)
	taken := map[int64]bool{}
	for _, e := range slices.SortedFunc(slices.Values(p.Entries), byRank) {
		if left <= 0 {
			break
		}
		if e.Section != hmx.SectionConstraints && e.Section != hmx.SectionCore && !asked.Concerns(e.Content) {
			continue
		}
		if e.SourceType == hmx.SourceEpisode {
			elsewhere, err := h.elsewhere(ctx, t, e.SourceID, own)
			if err != nil {
				return nil, err
			}
			if elsewhere {
				continue
			}
		}
		left -= e.TokenEstimate
		taken[e.Rank] = true
	}
	for _, e := range p.Entries {
		if taken[e.Rank] {
			out.Entries = append(out.Entries, e)
		}
	}
	return &out, nil
}

// elsewhere reports whether an event is of another project, or one that the agent knows of.
func (h *hooking) elsewhere(ctx context.Context, t *lukasa.Tenant, id string, own *ownTurns) (bool, error) {
	ev, err := t.Event(ctx, id)
	if fault.CodeOf(err) == fault.NotFound {
		return false, nil
	}
	if err != nil || ev.Event == nil {
		return true, err
	}
	if ev.Event.SessionID == h.call.Session {
		known, err := own.known(ctx, ev.Event)
		if err != nil || known {
			return true, err
		}
	}
	project := hook.ProjectOf(ev.Event)
	return project != "" && h.call.Project() != "" && project != h.call.Project(), nil
}

// ownTurns tells which turns of its session an agent has before its eyes: those since its
// context was compacted, or all.
type ownTurns struct {
	h      *hooking
	tenant *lukasa.Tenant
	read   bool
	since  int64 // sequence of the last compaction
}

// known reports whether the agent knows an event of its session.
func (o *ownTurns) known(ctx context.Context, ev *hmx.Event) (bool, error) {
	if !o.read {
		o.read = true
		for q := (lukasa.EventQuery{Session: o.h.call.Session, Limit: 10_000}); ; {
			page, err := o.tenant.Events(ctx, q)
			if err != nil {
				return true, err
			}
			for _, e := range page.Events {
				if e.Event != nil && hook.Compacted(e.Event) {
					o.since = e.Event.Sequence
				}
			}
			if q.After = page.Next; q.After == "" {
				break
			}
		}
	}
	return ev.Sequence >= o.since, nil
}

// mostUp is how far up from a directory the project that it belongs to is looked for.
const mostUp = 32

// projectAt returns the name of the project that a directory belongs to: that of the nearest
// directory above with a repository, else its own.
func projectAt(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	for at, n := filepath.Clean(dir), 0; n < mostUp; n++ {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return filepath.Base(at)
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
	}
	return ""
}
