// Package guide suggests the next tool of an agent from compiled artifacts alone, by what
// agents did before in the same state, and checks a planned action.
//
// It guarantees that an answer depends on the artifacts, whatever their order, and on
// the task so far, and on nothing else; that probabilities are between 0 and 1, sum
// to 1 over all tools and have the same bits on every platform; and that each
// suggestion names the artifacts that it is based on. Artifacts that are irrelevant or
// invalid are skipped.
//
// It does not learn, and it blocks no action: the caller decides what to do with a verdict
// of [Check].
//
// # How a suggestion is made
//
// The score of a tool is the weighted sum of four logarithms:
//
//   - The state. How often the tool followed in a state like this one, from the
//     widest state to the narrowest: in any state; with the same speaker since the
//     step before; after the same tool; that failed or not, with values of a list left
//     or not; itself a repetition or not; after the same two tools; after the same
//     error, which playbooks know. A narrower state with n observations has the weight n,
//     the wider ones together [inertia].
//   - The last message of the user, and the last message of the agent: the mean over the
//     words of how much more often than average the tool followed the word, with [doubt]
//     observations at the average rate added for each word.
//   - How often the tool was used in this task, compared in the same way.
//
// The weights are constants, chosen on one set of sessions; docs/decisions compares the
// results with other methods.
package guide

import (
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/policy"
)

// The weights and priors. [doubt] also applies to how often a tool was used.
const (
	stateWeight = 0.6
	talkWeight  = 2.0
	usesWeight  = 0.5
	inertia     = 8.0
	doubt       = 5.0
	minSaid     = 2   // times that a word was said before it counts
	halfMoment  = 0.5 // prior count of each tool in a state with a message
)

// Model is what artifacts say about next steps. It does not change, and several
// goroutines may use it at once.
type Model struct {
	tools   []string // by name
	numbers map[string]int
	states  [levels]map[key]*table
	ids     map[string][]string         // of the policies of what followed a tool
	pairs   map[[2]string]policy.Chosen // what followed what

	uses        []use // of each tool
	user, agent talk
	recoveries  map[[2]string]*recovery // by tool and signature
	schemas     []schema
}

// table is how often each tool followed.
type table struct {
	total int64
	tools []count
}

type count struct {
	tool int
	n    int64
}

// use is how often a tool was taken, after how many times before.
type use struct {
	ids   []string
	taken int64
	of    int64 // moments
	uses  [3]policy.Chance
}

// talk is what one side had said when tools were taken.
type talk struct {
	total  int64
	counts []int64 // moments with the tool
	words  map[string]*table
}

// recovery is what was done after an error.
type recovery struct {
	ids []string
	table
}

// schema is the order of a task's steps.
type schema struct {
	id, title string
	steps     int
	at        map[string]int // the step that a tool is used in, from 1
}

// New returns what the artifacts say. Which of them hold now is the caller's to
// know: it gives those that do.
func New(artifacts []*hmx.Artifact) *Model {
	artifacts = slices.Clone(artifacts)
	slices.SortFunc(artifacts, func(a, b *hmx.Artifact) int { return strings.Compare(a.ArtifactID, b.ArtifactID) })
	b := builder{}
	for _, a := range artifacts {
		b.read(a)
	}
	return b.model()
}

// builder has what artifacts say before all tools are known.
type builder struct {
	afters     []held[*policy.After]
	uses       []held[*policy.Use]
	recoveries []held[*policy.Recovery]
	schemas    []schema
}

type held[T any] struct {
	id string
	is T
}

func (b *builder) read(a *hmx.Artifact) {
	switch a.ArtifactType {
	case hmx.TypeDecisionPolicy:
		if c, ok := a.DecisionPolicy(); ok {
			if after, ok := policy.ReadAfter(&c); ok {
				b.afters = append(b.afters, held[*policy.After]{a.ArtifactID, after})
			} else if use, ok := policy.ReadUse(&c); ok {
				b.uses = append(b.uses, held[*policy.Use]{a.ArtifactID, use})
			}
		}
	case hmx.TypeFailurePlaybook:
		if c, ok := a.FailurePlaybook(); ok {
			if r, ok := policy.ReadRecovery(&c); ok {
				b.recoveries = append(b.recoveries, held[*policy.Recovery]{a.ArtifactID, r})
			}
		}
	case hmx.TypeTaskSchema:
		if c, ok := a.TaskSchema(); ok {
			b.schemas = append(b.schemas, readSchema(a, &c))
		}
	}
}

func readSchema(a *hmx.Artifact, c *hmx.TaskSchema) schema {
	s := schema{id: a.ArtifactID, title: a.Title, steps: len(c.Steps), at: make(map[string]int)}
	for i, step := range c.Steps {
		for _, tool := range step.ToolsUsed {
			if s.at[tool] == 0 {
				s.at[tool] = i + 1
			}
		}
	}
	return s
}

// names returns every tool that is spoken of, by name.
func (b *builder) names() []string {
	seen := make(map[string]bool)
	for _, a := range b.afters {
		for _, c := range a.is.Chosen {
			seen[c.Tool] = true
		}
		for _, s := range a.is.States {
			for tool := range s.Tools {
				seen[tool] = true
			}
		}
	}
	for _, u := range b.uses {
		seen[u.is.Chosen.Tool] = true
	}
	for _, r := range b.recoveries {
		for _, c := range r.is.Next {
			seen[c.Tool] = true
		}
	}
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (b *builder) model() *Model {
	m := &Model{
		tools: b.names(), numbers: make(map[string]int), ids: make(map[string][]string), pairs: make(map[[2]string]policy.Chosen),
		recoveries: make(map[[2]string]*recovery), schemas: b.schemas,
	}
	for i, name := range m.tools {
		m.numbers[name] = i
	}
	m.uses = make([]use, len(m.tools))
	m.user, m.agent = newTalk(len(m.tools)), newTalk(len(m.tools))
	for i := range m.states {
		m.states[i] = make(map[key]*table)
	}
	for _, a := range b.afters {
		m.addAfter(a.id, a.is)
	}
	for _, u := range b.uses {
		m.addUse(u.id, u.is)
	}
	for _, r := range b.recoveries {
		m.addRecovery(r.id, r.is)
	}
	m.settle()
	return m
}

func newTalk(tools int) talk {
	return talk{counts: make([]int64, tools), words: make(map[string]*table)}
}

func (m *Model) addAfter(id string, a *policy.After) {
	m.ids[a.Tool] = append(m.ids[a.Tool], id)
	for _, c := range a.Chosen {
		p := m.pairs[[2]string{a.Tool, c.Tool}]
		p.Count, p.Judged, p.Succeeded = p.Count+c.Count, p.Judged+c.Judged, p.Succeeded+c.Succeeded
		m.pairs[[2]string{a.Tool, c.Tool}] = p
	}
	for i := range a.States {
		state := a.States[i].State(a.Tool)
		for level := range m.states {
			k := keyOf(level, state)
			t := m.states[level][k]
			if t == nil {
				t = &table{}
				m.states[level][k] = t
			}
			for tool, n := range a.States[i].Tools {
				t.add(m.numbers[tool], n)
			}
		}
	}
}

func (m *Model) addUse(id string, u *policy.Use) {
	tool := m.numbers[u.Chosen.Tool]
	s := &m.uses[tool]
	s.ids = append(s.ids, id)
	for i, c := range u.Uses {
		s.uses[i].Taken += c.Taken
		s.uses[i].Of += c.Of
		s.taken += c.Taken
		s.of += c.Of
	}
	m.user.add(tool, u.User)
	m.agent.add(tool, u.Agent)
}

func (t *talk) add(tool int, said policy.Talk) {
	t.total += said.Count
	t.counts[tool] += said.Count
	for w, n := range said.Words {
		if t.words[w] == nil {
			t.words[w] = &table{}
		}
		t.words[w].add(tool, n)
	}
}

func (m *Model) addRecovery(id string, r *policy.Recovery) {
	k := [2]string{r.Tool, r.Error}
	known := m.recoveries[k]
	if known == nil {
		known = &recovery{}
		m.recoveries[k] = known
	}
	known.ids = append(known.ids, id)
	for _, c := range r.Next {
		known.add(m.numbers[c.Tool], c.Count)
	}
}

// add counts a tool n times more. A tool may be there more than once until the
// table is settled.
func (t *table) add(tool int, n int64) {
	t.total += n
	t.tools = append(t.tools, count{tool, n})
}

// settle puts every table into the order of the tools, with each tool once.
func (m *Model) settle() {
	for _, level := range m.states {
		for _, t := range level {
			t.settle()
		}
	}
	for _, side := range []talk{m.user, m.agent} {
		for _, t := range side.words {
			t.settle()
		}
	}
	for _, r := range m.recoveries {
		r.settle()
	}
}

func (t *table) settle() {
	slices.SortFunc(t.tools, func(a, b count) int { return a.tool - b.tool })
	out := t.tools[:0]
	for _, c := range t.tools {
		if n := len(out); n > 0 && out[n-1].tool == c.tool {
			out[n-1].n += c.n
		} else {
			out = append(out, c)
		}
	}
	t.tools = out
}

// of returns how often a tool is in the table.
func (t *table) of(tool int) int64 {
	i, found := slices.BinarySearchFunc(t.tools, tool, func(c count, tool int) int { return c.tool - tool })
	if !found {
		return 0
	}
	return t.tools[i].n
}
