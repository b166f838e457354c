package compile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/trace"
)

// The bounds of causal patterns.
const (
	minTogether   = 3   // tasks with both cause and effect
	minLift       = 1.5 // how much more often the effect must come with the cause
	maxCauses     = 200 // patterns, the most certain
	maxCausing    = 200 // tools considered, the most frequent
	maxFeatures   = 64  // causes considered per task, the first
	maxFailing    = 16  // failing tools considered per task, the first
	maxCounter    = 20  // counterexamples listed, the oldest
	manyTimes     = 3   // calls of one tool that are many
	outcomeEffect = -1  // in place of a tool: the task fails
)

// The states of a tool that may be causes.
const (
	causeFailed = iota // it failed
	causeMany          // it was called many times
	causeWorked        // it succeeded
	causeStates
)

// causal is a candidate pair: a tool in a state, and a tool that fails later, or the failure of
// the task.
type causal struct {
	cause  int32
	state  int8
	effect int32
}

// relation is the counts of a pair.
type relation struct {
	causal
	table
	p float64
}

// causes returns what precedes failures more often than by chance.
//
// Possible causes are that a tool failed, that it was called three times or more, and that it
// succeeded. Possible effects are that a task fails, among the judged tasks, and that a tool
// fails, among the tasks that call it. A cause counts if it came before the first failure of
// the tool, or, if the tool did not fail, before its last call. Fisher's exact test on the
// number of tasks with both, one or none must give a probability below one in a hundred,
// divided by the number of pairs considered.
//
// Counts in content are rounded like evidence, and strength is computed from them.
func causes(c *corpus) ([]finding, error) {
	m := newCauseMiner(c)
	for i := range c.tasks {
		m.task(&c.tasks[i])
	}
	found := m.surest()
	reverse := make(map[causal]bool, len(found))
	for _, r := range found {
		reverse[r.causal] = true
	}
	examples := m.examples(found)
	var out []finding
	for i := range found {
		r := &found[i]
		mutual := r.state == causeFailed && reverse[causal{r.effect, causeFailed, r.cause}]
		if mutual && r.effect < r.cause {
			continue // the other one describes both
		}
		f, err := m.finding(r, mutual, &examples[i])
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

type causeMiner struct {
	c *corpus
	// watched are the numbers of the tools considered, from 1 in their order; 0 is one that is
	// not. size is one more than there are.
	watched []int32
	size    int
	// both counts tasks with cause and effect, and alone those with the cause, among the tasks
	// in which the effect was possible, by pair; see at.
	both, alone []int32
	effects     []int32 // tasks with an effect, by the number of the tool that fails
	possible    []int32 // tasks in which it was possible

	// The causes of the current task, and marks by which it finds them.
	features []feature
	endings  []ending
	states   [causeStates]marks
	taken    []int32
	ended    []int32
	firsts   marks
}

func newCauseMiner(c *corpus) *causeMiner {
	m := &causeMiner{c: c, watched: make([]int32, len(c.tools)), size: 1}
	order := make([]int32, len(c.tools))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(c.taken[b], c.taken[a]) })
	order = order[:min(len(order), maxCausing)]
	slices.Sort(order)
	for _, t := range order {
		if c.tools[t] != "" {
			m.watched[t] = int32(m.size)
			m.size++
		}
	}
	m.both, m.alone = make([]int32, m.size*causeStates*m.size), make([]int32, m.size*causeStates*m.size)
	m.effects, m.possible = make([]int32, m.size), make([]int32, m.size)
	m.taken, m.ended = make([]int32, m.size), make([]int32, m.size)
	for i := range m.states {
		m.states[i] = newMarks(m.size)
	}
	m.firsts = newMarks(m.size)
	return m
}

// number returns the number of an effect.
func (m *causeMiner) number(effect int32) int32 {
	if effect == outcomeEffect {
		return 0
	}
	return m.watched[effect]
}

// at returns the index of a pair in the counts.
func (m *causeMiner) at(k causal) int {
	return (int(m.watched[k.cause])*causeStates+int(k.state))*m.size + int(m.number(k.effect))
}

// feature is a cause in a task, with the act that completed it.
type feature struct {
	tool  int32
	state int8
	at    int
}

// ending is a possible effect in a task: the act up to which causes count, and whether it came.
type ending struct {
	tool int32
	at   int
	came bool
}

// look finds the causes in a task and the possible effects, in order.
func (m *causeMiner) look(w *work) {
	m.features, m.endings = m.features[:0], m.endings[:0]
	m.firsts.begin()
	for i := range m.states {
		m.states[i].begin()
	}
	if w.Outcome != trace.Unknown {
		m.endings = append(m.endings, ending{outcomeEffect, len(w.acts), w.Outcome == trace.Failed})
	}
	failing := 0
	for i := range w.acts {
		a := &w.acts[i]
		n := m.watched[a.tool]
		if n == 0 {
			continue
		}
		if m.firsts.first(n) {
			m.taken[n], m.ended[n] = 0, -1
			if failing < maxFailing {
				failing++
				m.ended[n] = int32(len(m.endings))
				m.endings = append(m.endings, ending{tool: a.tool})
			}
		}
		if at := m.ended[n]; at >= 0 && !m.endings[at].came {
			m.endings[at].at, m.endings[at].came = i, a.state == trace.Broken
		}
		m.taken[n]++
		m.note(n, feature{a.tool, causeFailed, i}, a.state == trace.Broken)
		m.note(n, feature{a.tool, causeWorked, i}, a.state == trace.OK)
		m.note(n, feature{a.tool, causeMany, i}, m.taken[n] == manyTimes)
	}
}

// note adds a cause if is holds and it is new.
func (m *causeMiner) note(n int32, f feature, is bool) {
	if is && len(m.features) < maxFeatures && m.states[f.state].first(n) {
		m.features = append(m.features, f)
	}
}

// pairs calls visit with each cause that precedes each possible effect.
func (m *causeMiner) pairs(w *work, visit func(k causal, f feature, e ending)) {
	m.look(w)
	for _, e := range m.endings {
		for _, f := range m.features {
			if f.at >= e.at {
				break // they are in order
			}
			if f.tool != e.tool {
				visit(causal{f.tool, f.state, e.tool}, f, e)
			}
		}
	}
}

// task counts a task.
func (m *causeMiner) task(w *work) {
	m.pairs(w, func(k causal, _ feature, e ending) {
		if e.came {
			m.both[m.at(k)]++
		} else {
			m.alone[m.at(k)]++
		}
	})
	for _, e := range m.endings {
		n := m.number(e.tool)
		m.possible[n]++
		if e.came {
			m.effects[n]++
		}
	}
}

// each calls visit with every pair, and the number of tasks with both.
func (m *causeMiner) each(visit func(k causal, both int)) {
	tools := make([]int32, m.size)
	tools[0] = outcomeEffect
	for tool, n := range m.watched {
		if n > 0 {
			tools[n] = int32(tool)
		}
	}
	for at, n := range m.both {
		if n > 0 {
			row := at / m.size
			visit(causal{tools[row/causeStates], int8(row % causeStates), tools[at%m.size]}, int(n))
		}
	}
}

// surest returns the significant pairs, the most certain first.
func (m *causeMiner) surest() []relation {
	var out []relation
	tested := 0
	m.each(func(k causal, n int) {
		if n < minTogether {
			return
		}
		tested++
		effect := m.number(k.effect)
		r := relation{causal: k, table: table{both: n, causeOnly: int(m.alone[m.at(k)])}}
		r.effectOnly = int(m.effects[effect]) - n
		r.none = int(m.possible[effect]) - n - r.causeOnly - r.effectOnly
		if r.lift() < minLift {
			return
		}
		if r.p = r.fisher(); r.p <= significant {
			out = append(out, r)
		}
	})
	out = slices.DeleteFunc(out, func(r relation) bool { return r.p > significant/float64(tested) })
	slices.SortFunc(out, func(a, b relation) int {
		return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(b.both, a.both), cmp.Compare(a.effect, b.effect),
			cmp.Compare(a.cause, b.cause), cmp.Compare(a.state, b.state))
	})
	return out[:min(len(out), maxCauses)]
}

// instances are the events that support a pattern.
type instances struct {
	sources evidence
	counter []string // of acts with the cause and without the effect
}

// examples returns the instances of each pair.
func (m *causeMiner) examples(of []relation) []instances {
	out := make([]instances, len(of))
	at := make([]int32, len(m.both)) // from 1; 0 means none
	for i, r := range of {
		at[m.at(r.causal)] = int32(i + 1)
	}
	for i := range m.c.tasks {
		w := &m.c.tasks[i]
		m.pairs(w, func(k causal, f feature, e ending) {
			n := at[m.at(k)]
			if n == 0 {
				return
			}
			x := &out[n-1]
			if !e.came {
				if len(x.counter) < maxCounter {
					x.counter = append(x.counter, Ref(w.acts[f.at].Step).ID)
				}
				return
			}
			x.sources.from(w.Task)
			x.sources.both(w.acts[f.at].Step)
			if e.tool == outcomeEffect {
				x.sources.refer(&w.Judge)
			} else {
				x.sources.both(w.acts[e.at].Step)
			}
		})
	}
	return out
}

// says describes a cause in words.
func (m *causeMiner) says(tool int32, state int8) string {
	name := m.c.tools[tool]
	switch state {
	case causeFailed:
		return name + " failed"
	case causeMany:
		return fmt.Sprintf("%s was called %d times or more", name, manyTimes)
	}
	return name + " worked"
}

// counts is the table of a pattern in content.
type counts struct {
	Both   int `json:"both"`
	Cause  int `json:"cause_only"`
	Effect int `json:"effect_only"`
	None   int `json:"neither"`
}

// finding makes the finding of a pattern.
func (m *causeMiner) finding(r *relation, mutual bool, x *instances) (finding, error) {
	t := table{counted(r.both), counted(r.causeOnly), counted(r.effectOnly), counted(r.none)}
	with, without := share(t.both, t.both+t.causeOnly), share(t.effectOnly, t.effectOnly+t.none)
	content := hmx.CausalPattern{
		Cause: m.says(r.cause, r.state), Effect: "the task failed", Direction: "forward",
		Strength:        hmx.Some(thousandths(1 - without/with)),
		Conditions:      []string{"of tasks whose outcome is known"},
		Counterexamples: x.counter[:min(len(x.counter), counted(r.causeOnly))],
	}
	tags := []string{m.c.tools[r.cause]}
	if r.effect != outcomeEffect {
		name := m.c.tools[r.effect]
		content.Effect, content.Conditions = m.says(r.effect, causeFailed), []string{"of tasks that called " + name}
		tags = append(tags, name)
	}
	if mutual {
		content.Direction = "bidirectional"
	}
	var err error
	content.Extra, err = members(map[string]any{
		"counts": counts{t.both, t.causeOnly, t.effectOnly, t.none}, "lift": thousandthsOf(t.lift()), "test": "fisher",
	})
	return finding{
		about: strings.Join([]string{"cause", content.Cause, "effect", content.Effect}, " "),
		title: content.Cause + ", then " + content.Effect, content: content, sources: x.sources,
		summary: fmt.Sprintf("%s in %d of %d tasks in which %s, and in %d of %d others", content.Effect, t.both, t.both+t.causeOnly, content.Cause, t.effectOnly, t.effectOnly+t.none),
		all:     tally{all: r.both}, consistency: with, tags: tags,
	}, err
}

// thousandthsOf rounds a number that may be larger than 1.
func thousandthsOf(x float64) float64 { return math.Round(float64(x*1000)) / 1000 }
