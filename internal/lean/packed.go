package lean

import (
	"cmp"
	"slices"
	"strings"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/concern"
	"lukasa.dev/internal/echo"
	"lukasa.dev/internal/pack"
)

// PackOptions selects the part of a pack for a model.
type PackOptions struct {
	Topic  string
	Budget int
	// Session is the current session: its messages are in the model's context already. Empty if
	// unknown.
	Session string
	// Event returns the event with an id, or nil if there is none, and Key the key of the
	// memory with an id, or nothing.
	Event func(id string) *lukasa.StoredEvent
	Key   func(id string) string
}

// unknown is the answer about a topic without records.
const unknown = "Nothing in memory is about this."

// Pack formats the entries of a pack that are about a topic, the best of them until the budget
// is used, in the order of the pack. Rules and the agent's identity are always among them.
func Pack(p *hmx.Pack, o PackOptions) string {
	q := concern.Query(o.Topic)
	byRank := slices.SortedFunc(slices.Values(p.Entries), func(a, b hmx.Entry) int { return cmp.Compare(a.Rank, b.Rank) })
	taken := map[int64]bool{} // by rank
	found := false
	seen := map[string]bool{folded(o.Topic): true}
	for _, e := range byRank {
		same := folded(e.Content)
		if seen[same] || o.known(&e) {
			continue
		}
		if !always(&e) {
			about := e.Content[:min(len(e.Content), longest)]
			if e.SourceType == hmx.SourceMemory {
				about = spelled(o.Key(e.SourceID)) + " " + about
			}
			near := q.Closeness(about)
			if near < concern.Beside || e.SourceType == hmx.SourceEpisode && !concern.Informative(e.Content) {
				continue
			}
			found = found || near >= gate(e.SourceType == hmx.SourceEpisode)
		}
		seen[same] = true
		taken[e.Rank] = true
	}
	out := *p
	out.Entries = nil
	out.WorkflowHints = hmx.Opt[hmx.WorkflowHints]{} // next_step returns what comes next
	out.TokenBudget.TotalBudget = int64(o.Budget)    // determines whether quotes are explained
	var last []int64
	for _, e := range byRank {
		if taken[e.Rank] && (found || always(&e)) {
			last = append(last, e.Rank)
		}
	}
	for n := len(last); n > 0; n-- {
		out.Entries = out.Entries[:0:0]
		for _, e := range p.Entries {
			if slices.Contains(last[:n], e.Rank) {
				out.Entries = append(out.Entries, e)
			}
		}
		if size := estimate(out.Entries); n > 1 && size > 2*o.Budget {
			continue // far too much: not worth formatting
		}
		if text := strings.TrimRight(pack.Markdown(&out), "\n"); fits(text, o.Budget) {
			return text
		}
	}
	return within(unknown, o.Budget)
}

// estimate returns the tokens of entries as stated in the pack.
func estimate(entries []hmx.Entry) (n int) {
	for i := range entries {
		n += int(entries[i].TokenEstimate)
	}
	return n
}

// always reports whether an entry applies to every topic.
func always(e *hmx.Entry) bool {
	return e.Section == hmx.SectionConstraints || e.Section == hmx.SectionCore
}

// known reports whether an entry is from the current session, or a call of Lukasa's own tools.
func (o *PackOptions) known(e *hmx.Entry) bool {
	if e.SourceType != hmx.SourceEpisode {
		return false
	}
	ev := o.Event(e.SourceID)
	return ev == nil || ev.Event == nil || o.Session != "" && ev.Event.SessionID == o.Session || echo.OwnEvent(ev.Event)
}
