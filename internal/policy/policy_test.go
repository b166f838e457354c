package policy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/policy"
	"lukasa.dev/internal/trace"
	"lukasa.dev/internal/trace/shapes"
)

func step(tool string, state trace.State, user, agent string) trace.Step {
	u, a := strings.Fields(user), strings.Fields(agent)
	return trace.Step{Tool: tool, State: state, Said: append(u, a...), Asked: uint8(len(u))}
}

// The moment of a step is what came before it, and nothing of the step itself.
func TestMoments(t *testing.T) {
	task := &trace.Task{
		Steps: []trace.Step{
			step("find", trace.OK, "lost parcel", ""),
			step(trace.ToolDecision, trace.OK, "", ""),
			step("open", trace.Broken, "", "looking"),
			step(trace.ToolError, trace.Broken, "", ""),
			step("open", trace.OK, "", ""),
		},
		Said: []string{"yes", "shall", "close"}, Asked: 1, Left: 2,
	}
	task.Steps[0].Left = 3 // there is no step before it
	task.Steps[2].Left = 1
	task.Steps[2].Error = "no such <id>"
	var got []string
	show := func(m policy.Moment) string {
		return fmt.Sprintf("after %q %q, %v spoke %v %v, failed %v %q, list %v", m.After, m.Before, m.Spoke, m.User, m.Agent, m.Failed, m.Error, m.Listed)
	}
	for s, m := range policy.Acts(task) {
		got = append(got, s.Tool+" "+show(m))
	}
	got = append(got, show(policy.Now(task)))
	want := []string{
		`find after "" "", user spoke [lost parcel] [], failed false "", list false`,
		`open after "find" "", agent spoke [] [looking], failed false "", list true`,
		`open after "open" "find", nobody spoke [] [], failed true "no such <id>", list false`,
		`after "open" "open", user spoke [yes] [shall close], failed false "", list true`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(policy.Moment{}, policy.Now(&trace.Task{})); d != "" {
		t.Error(d)
	}
}

// The part of a long message that is used is bounded.
func TestMomentBounds(t *testing.T) {
	task := &trace.Task{Said: make([]string, 200), Asked: 100}
	if m := policy.Now(task); len(m.User) != policy.UserWords || len(m.Agent) != policy.AgentWords {
		t.Errorf("%d and %d words", len(m.User), len(m.Agent))
	}
	if m := policy.Now(&trace.Task{Said: []string{"a"}, Asked: 9}); len(m.User) != 1 || m.Agent == nil {
		t.Errorf("%+v", m)
	}
}

func artifact(t *testing.T, c hmx.ArtifactContent) *hmx.Artifact {
	t.Helper()
	a := &hmx.Artifact{ArtifactID: "a", Title: "t", Status: hmx.StatusDraft, SourceEvents: []string{}, SourceMemoryIDs: []string{}, Version: 1, CreatedAt: hmx.TimeOf(time.UnixMilli(0))}
	if err := a.SetContent(c); err != nil {
		t.Fatal(err)
	}
	data, err := a.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	read, _, err := hmx.DecodeArtifact(data)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func after() *policy.After {
	return &policy.After{
		Tool:   "find",
		Chosen: []policy.Chosen{{Tool: "open", Count: 5, Judged: 2, Succeeded: 1}, {Tool: "close", Count: 4, Judged: 3, Succeeded: 3}},
		States: []policy.Seen{
			policy.SeenIn(policy.State{Spoke: policy.User, Before: "x"}, map[string]int64{"open": 5, "close": 1}),
			policy.SeenIn(policy.State{Failed: true, Listed: true}, map[string]int64{"close": 3}),
		},
	}
}

func use() *policy.Use {
	return &policy.Use{
		Chosen: policy.Chosen{Tool: "find", Count: 3}, Uses: [3]policy.Chance{{Taken: 2, Of: 9}, {Taken: 1, Of: 2}, {}},
		User: policy.Talk{Count: 3, Words: map[string]int64{"parcel": 2}}, Agent: policy.Talk{Count: 0}, Telling: []string{"parcel"},
	}
}

// Encoded content decodes to the same, and HMX-A's own members agree with it.
func TestContent(t *testing.T) {
	a := after()
	c, err := a.Content()
	if err != nil {
		t.Fatal(err)
	}
	c, _ = artifact(t, c).DecisionPolicy()
	got, ok := policy.ReadAfter(&c)
	if !ok {
		t.Fatalf("%+v", c)
	}
	if d := cmp.Diff(a, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(policy.State{After: "find", Failed: true, Listed: true}, got.States[1].State("find")); d != "" {
		t.Error(d)
	}
	// close was called less often, but in more successful tasks.
	if c.Condition != "After find" || c.Recommendation != "close" || len(c.Alternatives) != 1 ||
		c.Alternatives[0].Description != "open" || c.Alternatives[0].ChosenCount.Value != 5 || c.Alternatives[0].SuccessRate.Value != 0.5 {
		t.Errorf("%+v", c)
	}
	if _, ok := policy.ReadUse(&c); ok {
		t.Error("what followed a tool was read as when it is used")
	}

	u := use()
	if c, err = u.Content(); err != nil {
		t.Fatal(err)
	}
	c, _ = artifact(t, c).DecisionPolicy()
	if got, ok := policy.ReadUse(&c); !ok {
		t.Errorf("%+v", c)
	} else if d := cmp.Diff(u, got); d != "" {
		t.Error(d)
	}
	if c.Condition != "When the talk is of parcel" || c.Recommendation != "find" {
		t.Errorf("%+v", c)
	}

	r := &policy.Recovery{Tool: "open", Error: "no such <id>", Next: a.Chosen}
	extra, err := r.Members()
	if err != nil {
		t.Fatal(err)
	}
	book, _ := artifact(t, hmx.FailurePlaybook{FailurePattern: "p", Extra: extra}).FailurePlaybook()
	if got, ok := policy.ReadRecovery(&book); !ok {
		t.Errorf("%+v", book)
	} else if d := cmp.Diff(r, got); d != "" {
		t.Error(d)
	}
}

// Invalid content from elsewhere is refused.
func TestContentFromElsewhere(t *testing.T) {
	for name, change := range map[string]func(hmx.Extra){
		"no basis":          func(e hmx.Extra) { delete(e, "basis") },
		"another basis":     func(e hmx.Extra) { e["basis"] = `"choice"` },
		"no states":         func(e hmx.Extra) { delete(e, "states") },
		"not a number":      func(e hmx.Extra) { e["chosen"] = `[{"tool":"open","count":"5"}]` },
		"nothing chosen":    func(e hmx.Extra) { e["chosen"] = `[]` },
		"no name":           func(e hmx.Extra) { e["chosen"] = `[{"tool":"","count":5}]` },
		"negative":          func(e hmx.Extra) { e["chosen"] = `[{"tool":"open","count":-5}]` },
		"more than judged":  func(e hmx.Extra) { e["chosen"] = `[{"tool":"open","count":5,"judged":1,"succeeded":2}]` },
		"beyond all counts": func(e hmx.Extra) { e["chosen"] = `[{"tool":"open","count":4294967297}]` },
		"negative in state": func(e hmx.Extra) { e["states"] = `[{"spoke":"user","tools":{"open":-1}}]` },
		"who spoke":         func(e hmx.Extra) { e["states"] = `[{"spoke":"dog","tools":{"open":1}}]` },
		"too many states": func(e hmx.Extra) {
			e["states"] = hmx.Raw("[" + strings.Repeat(`{"spoke":"user","tools":{}},`, policy.MaxStates) + `{"spoke":"user","tools":{}}]`)
		},
	} {
		c, err := after().Content()
		if err != nil {
			t.Fatal(err)
		}
		change(c.Extra)
		if _, ok := policy.ReadAfter(&c); ok {
			t.Error("read in spite of:", name)
		}
	}
	for name, change := range map[string]func(hmx.Extra){
		"no uses":          func(e hmx.Extra) { delete(e, "uses") },
		"more taken":       func(e hmx.Extra) { e["uses"] = `[{"taken":3,"of":2},{},{}]` },
		"nothing chosen":   func(e hmx.Extra) { e["chosen"] = `[]` },
		"word too often":   func(e hmx.Extra) { e["said"] = `{"user":{"count":1,"words":{"a":2}}}` },
		"word never":       func(e hmx.Extra) { e["said"] = `{"user":{"count":1,"words":{"a":0}}}` },
		"negative moments": func(e hmx.Extra) { e["said"] = `{"agent":{"count":-1}}` },
	} {
		c, err := use().Content()
		if err != nil {
			t.Fatal(err)
		}
		change(c.Extra)
		if _, ok := policy.ReadUse(&c); ok {
			t.Error("read in spite of:", name)
		}
	}
}

// Content stays within HMX-A's limit and is readable for any counts.
func TestContentBounds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		letter := rapid.SampledFrom([]string{"a", `"`, `\`, "<", "é", "\u2028", "\U0001f600"}).Draw(rt, "letter")
		name := func(i int) string {
			s := fmt.Sprint(i)
			return s + strings.Repeat(letter, (shapes.MaxName-len(s))/len(letter))
		}
		tools, states := rapid.IntRange(1, 300).Draw(rt, "tools"), rapid.IntRange(1, 600).Draw(rt, "states")
		a := &policy.After{Tool: name(0)}
		all := make(map[string]int64)
		for i := range tools {
			all[name(i)] = int64(i + 1)
			a.Chosen = append(a.Chosen, policy.Chosen{Tool: name(i), Count: int64(i + 1), Judged: 1})
		}
		for i := range states {
			few := map[string]int64{name(i % tools): 1}
			if i%2 == 0 {
				few = all
			}
			a.States = append(a.States, policy.SeenIn(policy.State{Before: name(i), Spoke: policy.User, Failed: true, Listed: true}, few))
		}
		a.Sort()
		c, err := a.Content()
		if err != nil {
			rt.Fatal(err)
		}
		doc := artifact(t, c)
		if len(doc.Content) > hmx.MaxArtifactContentBytes {
			rt.Fatalf("%d bytes", len(doc.Content))
		}
		c, _ = doc.DecisionPolicy()
		if got, ok := policy.ReadAfter(&c); !ok {
			rt.Fatal("not read")
		} else if got.Chosen[0].Count != int64(tools) {
			rt.Fatalf("what was taken most was left out: %+v", got.Chosen[0])
		}
	})
}

// The words of a policy are bounded as well.
func TestTalkBounds(t *testing.T) {
	words := make(map[string]int64)
	for i := range 2000 {
		words[fmt.Sprintf("w%d%s", i, strings.Repeat("x", 16))] = int64(i%7 + 1)
	}
	u := use()
	u.User, u.Agent = policy.Talk{Count: 9, Words: words}, policy.Talk{Count: 9, Words: words}
	c, err := u.Content()
	if err != nil {
		t.Fatal(err)
	}
	c, _ = artifact(t, c).DecisionPolicy()
	got, ok := policy.ReadUse(&c)
	if !ok || len(got.User.Words) != policy.MaxTalk {
		t.Fatalf("%+v", got)
	}
	for w, n := range got.User.Words {
		if n < 5 {
			t.Errorf("%s was said %d times, and others more often", w, n)
		}
	}
}
