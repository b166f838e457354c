package hooks

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/hook"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/statement"
	"lukasa.dev/internal/tokens"
)

// How many times its budget an answer is chosen from, since some of it is not for this prompt:
// at first, and at most, where what is of other projects leaves half of the budget unused.
const (
	wider   = 2
	widest  = 32
	widened = 4
)

// atOnce is how many entries are looked at together.
const atOnce = 32

// pack is what is known about a prompt: the entries of a pack that have to do with it, that are
// not of another project, and that the agent has not before its eyes. The pack is asked for
// without the session, since that only adds hints at next steps, which cost as much as the rest
// and say what is usual in every project.
func (h *hooking) pack(ctx context.Context, t *lukasa.Tenant, view lukasa.View) (hook.Answer, error) {
	budget := hook.Inside(h.flags.budget)
	var chosen *hmx.Pack
	for times := wider; times <= widest; times *= widened {
		p, err := t.Pack(ctx, lukasa.PackOptions{
			Query: h.call.Query, Budget: times * budget, Counter: hook.Counter(), View: view,
		})
		if err != nil {
			return hook.Answer{}, err
		}
		thin := false
		if chosen, thin, err = h.choose(ctx, t, p.Pack, budget); err != nil {
			return hook.Answer{}, err
		}
		if !thin {
			break
		}
	}
	if len(chosen.Entries) == 0 {
		return hook.Answer{}, nil
	}
	given := h.givenTo()
	chosen.Entries = slices.DeleteFunc(chosen.Entries, func(e hmx.Entry) bool { return given.has(e.Content) || h.saysItself(e.Content) })
	if len(chosen.Entries) == 0 {
		return hook.Answer{}, nil
	}
	defer func() {
		if !hook.Remembers(h.agent) {
			return
		}
		for _, e := range chosen.Entries {
			given.add(e.Content)
		}
		given.keep()
	}()
	text := pack.Markdown(chosen)
	for tokens.Estimate().Count(text) > budget && len(chosen.Entries) > 1 {
		last := slices.MaxFunc(chosen.Entries, byRank)
		chosen.Entries = slices.DeleteFunc(chosen.Entries, func(e hmx.Entry) bool { return e.Rank == last.Rank })
		text = pack.Markdown(chosen)
	}
	return hook.Answer{Title: "Memory (Lukasa): recalled for this prompt, not said by the user.", Text: hook.Within(text, h.flags.budget)}, nil
}

// saysItself reports whether an entry says what the prompt itself states.
func (h *hooking) saysItself(content string) bool {
	return slices.ContainsFunc(h.stated(), func(s statement.Statement) bool { return strings.Contains(content, s.Text) })
}

func byRank(a, b hmx.Entry) int { return cmp.Compare(a.Rank, b.Rank) }

// choose returns a pack with what is for this prompt only, the best first until a budget is
// used, in the order of the pack. It reports whether that is thin, since much is of other
// projects.
func (h *hooking) choose(ctx context.Context, t *lukasa.Tenant, p *hmx.Pack, budget int) (chosen *hmx.Pack, thin bool, err error) {
	out := *p
	out.Entries = nil
	asked := hook.About(h.call.Query)
	out.WorkflowHints = hmx.Opt[hmx.WorkflowHints]{} // those of schemas; see pack
	own := &ownTurns{h: h, tenant: t}
	left := int64(budget)
	taken := map[int64]bool{}
	others := 0
	for some := range slices.Chunk(slices.SortedFunc(slices.Values(p.Entries), byRank), atOnce) {
		if left <= 0 {
			break
		}
		some = concerned(asked, some)
		elsewhere, err := h.elsewhere(ctx, t, some, own)
		if err != nil {
			return nil, false, err
		}
		for i, e := range some {
			if elsewhere[i] {
				others++
			} else if left > 0 {
				left -= e.TokenEstimate
				taken[e.Rank] = true
			}
		}
	}
	for _, e := range p.Entries {
		if taken[e.Rank] {
			out.Entries = append(out.Entries, e)
		}
	}
	return &out, 2*left > int64(budget) && others > len(taken), nil
}

// concerned returns those of some entries that have to do with a prompt, or always hold.
func concerned(asked *hook.Question, some []hmx.Entry) (left []hmx.Entry) {
	told := make([]bool, len(some))
	_ = index.Share(len(some), index.Parts(len(some), partConcerned), func(_, from, to int) error { // nothing fails
		for i := from; i < to; i++ {
			e := &some[i]
			told[i] = e.Section == hmx.SectionConstraints || e.Section == hmx.SectionCore || !isPolicy(e) && asked.Concerns(e.Content)
		}
		return nil
	})
	for i, ok := range told {
		if ok {
			left = append(left, some[i])
		}
	}
	return left
}

// isPolicy reports whether an entry is a compiled decision policy. It says what usually follows
// what, in all projects, which is worth little to a model that has a prompt before it.
func isPolicy(e *hmx.Entry) bool {
	return e.SourceType == hmx.SourceArtifact && strings.Contains(e.Content, "\nrecommendation: ")
}

// partConcerned is how many entries are worth a goroutine.
const partConcerned = 4

// elsewhere reports of each of some entries whether it is an event of another project, or one
// that the agent knows of.
func (h *hooking) elsewhere(ctx context.Context, t *lukasa.Tenant, some []hmx.Entry, own *ownTurns) ([]bool, error) {
	out := make([]bool, len(some))
	var ids []string
	var of []int
	for i, e := range some {
		if e.SourceType == hmx.SourceEpisode && slices.ContainsFunc(h.call.Events, func(own hook.Event) bool { return own.EventID == e.SourceID }) {
			out[i] = true // the prompt itself
			continue
		}
		if e.SourceType == hmx.SourceEpisode {
			ids, of = append(ids, e.SourceID), append(of, i)
		}
	}
	if len(ids) == 0 {
		return out, nil
	}
	events, err := t.EventsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	for n, stored := range events {
		if stored == nil { // it was erased since
			out[of[n]] = true
			continue
		}
		out[of[n]] = hook.Elsewhere(stored.Event, &h.place.Place) || hook.Settled(stored.Event)
		if stored.Event.SessionID == h.call.Session && !out[of[n]] {
			if out[of[n]], err = own.known(ctx, stored.Event); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
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
