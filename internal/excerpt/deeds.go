package excerpt

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/pack"
)

// SchemaOf converts a task schema for the composer.
func SchemaOf(h *catalog.Head, a *hmx.Artifact, s hmx.TaskSchema, relevance float64) pack.Schema {
	out := pack.Schema{
		ArtifactID: h.ID, Title: a.Title, Confidence: h.Confidence, SuccessRate: a.SuccessRate, Observed: a.ObservedCount, Relevance: relevance,
	}
	steps := slices.Clone(s.Steps)
	slices.SortStableFunc(steps, func(a, b hmx.TaskStep) int {
		return cmp.Compare(a.Order.Or(math.MaxInt64), b.Order.Or(math.MaxInt64))
	})
	for _, step := range steps {
		out.Steps = append(out.Steps, pack.Step{Description: step.Description, Tools: step.ToolsUsed, Optional: step.Optional.Or(false)})
	}
	return out
}

// deed is an action of the session, and the call that it was or answers.
type deed struct {
	pack.Deed
	call     string
	is, told bool // it is a call, or the result of one
}

// Deeds returns what the events at positions did, of those that are shown. A call and
// what came of it are one.
func (p *Reading) Deeds(ctx context.Context, positions []uint64) ([]pack.Deed, error) {
	found := make([]*deed, len(positions))
	if err := p.Parallel(ctx, len(positions), func(i int) error {
		rec, err := p.Record(positions[i])
		if err != nil || rec == nil || rec.Event == nil || !access.SeesEvent(p.View, rec.Event) {
			return p.Passed(err)
		}
		found[i] = deedOf(rec.Event)
		return nil
	}); err != nil {
		return nil, err
	}
	var list []pack.Deed
	calls := make(map[string]int) // call → index in the list, until its result is known
	for _, d := range found {
		if d == nil {
			continue
		}
		if i, ok := calls[d.call]; ok && d.told {
			list[i].Outcome, list[i].Text = d.Outcome, d.Text
			delete(calls, d.call)
			continue
		}
		if d.is {
			calls[d.call] = len(list)
		}
		list = append(list, d.Deed)
	}
	return list, nil
}

// deedOf returns the action of an event.
func deedOf(ev *hmx.Event) *deed {
	x := kind.Read(ev)
	d := &deed{Deed: pack.Deed{Outcome: x.Outcome, Text: x.Text}, is: ev.EventType == hmx.TypeToolCall, told: ev.EventType == hmx.TypeToolResult}
	for _, f := range x.Frames {
		if f.Kind == memory.ObjTool {
			d.Tool = strings.ToLower(f.Ref)
			break
		}
	}
	if d.is || d.told {
		d.call = "id " + x.Call
		if x.Call == "" {
			d.call = "tool " + d.Tool
		}
	}
	return d
}
