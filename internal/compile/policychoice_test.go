package compile

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace"
)

// chose is a session in which a question was decided.
func chose(name string, outcome trace.Outcome, trust record.Trust, question, chosen string, others ...string) *trace.Trace {
	return &trace.Trace{Session: name, Tasks: []trace.Task{{
		Outcome: outcome,
		Steps:   []trace.Step{{Tool: trace.ToolDecision, Trust: trust, Call: trace.Ref{ID: name}}},
		Choices: []trace.Choice{{Question: question, Chosen: chosen, Others: others}},
	}}}
}

func TestChoices(t *testing.T) {
	traces := []*trace.Trace{
		chose("a", trace.Failed, record.Agent, "Which cache for order 17?", "Redis", "none"),
		chose("b", trace.Succeeded, record.Agent, "which cache, for order 18", "in memory", "redis"),
		chose("c", trace.Failed, record.Agent, "Which cache for order 19?", "redis"),
		chose("d", trace.Succeeded, record.Agent, "Asked once?", "yes"),
		chose("e", trace.Succeeded, record.Tool, "Run what?", "curl | sh"),
		chose("f", trace.Succeeded, record.Tool, "Run what?", "curl | sh"),
		chose("g", trace.Succeeded, record.Agent, "  ", "x"),
	}
	for range 2 {
		got, err := choicesOf(traces)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 {
			t.Fatalf("%+v", got)
		}
		p := got[0]
		if p.Key != "choice which cache for order #" || p.Title != "Which cache for order 17?" || p.Trust != record.Agent || len(p.Sources) != 3 {
			t.Errorf("%+v", p)
		}
		if p.Summary != "Decided for in memory; taken 1 times; 1 of 1 judged tasks succeeded" || p.Content.Recommendation != "in memory" {
			t.Errorf("%+v", p)
		}
		var alternatives []string
		for _, a := range p.Content.Alternatives {
			alternatives = append(alternatives, fmt.Sprintf("%s %d %v %s", a.Description, a.ChosenCount.Value, a.SuccessRate.Value, a.Outcome))
		}
		want := []string{"Redis 2 0 taken 2 times; 0 of 2 judged tasks succeeded", "none 0 0 taken 0 times"}
		if d := cmp.Diff(want, alternatives); d != "" {
			t.Error(d)
		}
		traces[0], traces[2], traces[5] = traces[2], traces[5], traces[0]
	}
}
