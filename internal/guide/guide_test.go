package guide

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/policy"
	"lukasa.dev/internal/trace"
)

func artifact(t testing.TB, id string, content hmx.ArtifactContent, err error) *hmx.Artifact {
	t.Helper()
	a := &hmx.Artifact{ArtifactID: id, Title: "Title of " + id}
	if err == nil {
		err = a.SetContent(content)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func followed(t testing.TB, id string, a policy.After) *hmx.Artifact {
	t.Helper()
	c, err := a.Content()
	return artifact(t, id, c, err)
}

func used(t testing.TB, id string, u policy.Use) *hmx.Artifact {
	t.Helper()
	c, err := u.Content()
	return artifact(t, id, c, err)
}

// shop is what a small shop's agent did: it looks, then refunds or ships.
func shop(t testing.TB) []*hmx.Artifact {
	t.Helper()
	seen := func(spoke policy.Spoke, failed bool, before string, tools map[string]int64) policy.Seen {
		return policy.SeenIn(policy.State{Spoke: spoke, Failed: failed, Before: before}, tools)
	}
	recovery := policy.Recovery{Tool: "ship", Error: "no stock of <id>", Next: []policy.Chosen{{Tool: "refund", Count: 60}, {Tool: "ship", Count: 1}}}
	extra, err := recovery.Members()
	return []*hmx.Artifact{
		followed(t, "p0", policy.After{Chosen: []policy.Chosen{{Tool: "look", Count: 20}}, States: []policy.Seen{seen(policy.User, false, "", map[string]int64{"look": 20})}}),
		followed(t, "p1", policy.After{Tool: "look", Chosen: []policy.Chosen{{Tool: "ship", Count: 12, Judged: 4, Succeeded: 3}, {Tool: "refund", Count: 8}}, States: []policy.Seen{
			seen(policy.User, false, "", map[string]int64{"ship": 6, "refund": 6}), seen(policy.Nobody, false, "", map[string]int64{"ship": 6, "refund": 2}),
		}}),
		followed(t, "p2", policy.After{Tool: "ship", Chosen: []policy.Chosen{{Tool: "ship", Count: 9}}, States: []policy.Seen{seen(policy.Nobody, true, "look", map[string]int64{"ship": 9})}}),
		used(t, "u1", policy.Use{Chosen: policy.Chosen{Tool: "look", Count: 20}, Uses: [3]policy.Chance{{Taken: 20, Of: 20}, {Of: 29}, {}}, User: policy.Talk{Count: 20}}),
		used(t, "u2", policy.Use{Chosen: policy.Chosen{Tool: "refund", Count: 8}, Uses: [3]policy.Chance{{Taken: 8, Of: 49}, {}, {}},
			User: policy.Talk{Count: 6, Words: map[string]int64{"money": 5, "parcel": 3}}}),
		used(t, "u3", policy.Use{Chosen: policy.Chosen{Tool: "ship", Count: 21}, Uses: [3]policy.Chance{{Taken: 12, Of: 30}, {Taken: 9, Of: 19}, {}},
			User: policy.Talk{Count: 6, Words: map[string]int64{"parcel": 3, "send": 4}}}),
		artifact(t, "b1", hmx.FailurePlaybook{FailurePattern: "ship fails", Extra: extra}, err),
		artifact(t, "s1", hmx.TaskSchema{Steps: []hmx.TaskStep{{ToolsUsed: []string{"look"}}, {ToolsUsed: []string{"refund"}}}}, nil),
	}
}

func stepsOf(steps ...trace.Step) *trace.Task { return &trace.Task{Steps: steps} }

func TestNext(t *testing.T) {
	m := New(shop(t))
	looked := trace.Step{Tool: "look", State: trace.OK, Times: 1}
	broke := trace.Step{Tool: "ship", State: trace.Broken, Times: 1}
	stock := broke
	stock.Error = "no stock of <id>"
	say := func(task *trace.Task, words string) *trace.Task {
		task.Said = strings.Fields(words)
		task.Asked = uint8(len(task.Said))
		return task
	}
	for name, tc := range map[string]struct {
		task      *trace.Task
		want      string
		reason    string
		artifacts []string
	}{
		"start":        {say(stepsOf(), "hello"), "look ship refund", `at the start of a task, the user having spoken: 20 of 20 times; step 1 of 2 of "Title of s1"`, []string{"p0", "s1"}},
		"nobody spoke": {stepsOf(looked), "ship refund look", "after look, nobody having spoken: 6 of 8 times, and 3 of 4 judged tasks succeeded that took it there", []string{"p1"}},
		"word":         {say(stepsOf(looked), "my money"), "refund ship look", `after look, the user having spoken: 6 of 12 times; the talk is of "money" (5 of 5 times); step 2 of 2 of "Title of s1"`, []string{"p1", "u2", "s1"}},
		"other word":   {say(stepsOf(looked), "send parcel"), "ship refund look", `after look, the user having spoken: 6 of 12 times, and 3 of 4 judged tasks succeeded that took it there; the talk is of "send" (4 of 4 times), "parcel" (3 of 6 times)`, []string{"p1", "u3"}},
		"error":        {stepsOf(looked, broke), "ship refund look", "after ship failed, nobody having spoken: 9 of 9 times", []string{"p2"}},
		"known error":  {stepsOf(looked, stock), "refund ship look", `after this error of ship: 60 of 61 times`, []string{"b1"}},
		"unknown tool": {stepsOf(trace.Step{Tool: "juggle"}), "ship look refund", "taken 21 times in all", []string{"u3"}},
	} {
		got := m.Next(tc.task, 10)
		var order []string
		sum := 0.0
		for _, s := range got {
			order = append(order, s.Tool)
			sum += s.Probability
		}
		if strings.Join(order, " ") != tc.want {
			t.Errorf("%s: %v, want %s", name, order, tc.want)
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("%s: the probabilities sum to %v", name, sum)
		}
		if got[0].Reason != tc.reason || !slices.Equal(got[0].Artifacts, tc.artifacts) {
			t.Errorf("%s: %q of %v, want %q of %v", name, got[0].Reason, got[0].Artifacts, tc.reason, tc.artifacts)
		}
		if one := m.Next(tc.task, 1); cmp.Diff(got[:1], one) != "" {
			t.Errorf("%s: the first of one is %v", name, one)
		}
	}
}

// Nothing is suggested where nothing is known.
func TestNextOfNothing(t *testing.T) {
	task := stepsOf(trace.Step{Tool: "look"})
	for name, artifacts := range map[string][]*hmx.Artifact{
		"none":      nil,
		"no counts": {artifact(t, "d", hmx.DecisionPolicy{Condition: "c", Recommendation: "look"}, nil), artifact(t, "c", hmx.CausalPattern{Cause: "a"}, nil)},
		"no JSON":   {{ArtifactID: "x", ArtifactType: hmx.TypeDecisionPolicy, Content: "["}},
	} {
		if got := New(artifacts).Next(task, 3); len(got) != 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := New(shop(t)).Next(task, 0); got != nil {
		t.Error(got)
	}
}

// The order of the artifacts makes no difference, to a bit.
func TestOrderOfArtifacts(t *testing.T) {
	artifacts := shop(t)
	want := New(artifacts)
	rapid.Check(t, func(rt *rapid.T) {
		got := New(rapid.Permutation(artifacts).Draw(rt, "artifacts"))
		task := &trace.Task{Said: rapid.SliceOfN(rapid.SampledFrom([]string{"money", "send", "parcel", "else"}), 0, 5).Draw(rt, "said")}
		task.Asked = uint8(rapid.IntRange(0, len(task.Said)).Draw(rt, "asked"))
		for _, tool := range rapid.SliceOfN(rapid.SampledFrom([]string{"look", "ship", "refund", "juggle"}), 0, 5).Draw(rt, "steps") {
			task.Steps = append(task.Steps, trace.Step{Tool: tool, Times: 1, State: rapid.SampledFrom([]trace.State{trace.OK, trace.Broken}).Draw(rt, "state")})
		}
		if d := cmp.Diff(want.Next(task, 9), got.Next(task, 9)); d != "" {
			rt.Fatal(d)
		}
	})
}

// The numbers are as exact as doubles can say.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := rapid.Float64Range(0, negligible-1).Draw(t, "y")
		if got, want := decay(y), math.Exp(-y); math.Abs(got-want) > 1e-13*want {
			t.Fatalf("e^-%v = %v, want %v", y, got, want)
		}
	})
	if decay(0) != 1 || decay(negligible) != 0 {
		t.Error(decay(0), decay(negligible))
	}
}
