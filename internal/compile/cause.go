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
	minTogether   = 3   // tasks with cause and effect both
	minLift       = 1.5 // how much more often the effect must come with the cause
	maxCauses     = 200 // patterns, the surest
	maxCausing    = 200 // tools that are looked at, those that were taken most
	maxFeatures   = 64  // causes of a task that are looked at, the first
	maxFailing    = 16  // tools of a task that broke, the first
	maxCounter    = 20  // counterexamples that are listed, the oldest
	manyTimes     = 3   // acts with one tool that are many
	outcomeEffect = -1  // in place of a tool: the task fails
)

// The states of a tool that may be causes.
const (
	causeFailed = iota // it broke
	causeMany          // it was taken many times
	causeWorked        // it worked
	causeStates
)

// causal is a pair that is looked at: a tool in a state, and a tool that breaks later,
// or the task that fails.
type causal struct {
	cause  int32
	state  int8
	effect int32
}

// relation is what is counted of a pair.
type relation struct {
	causal
	table
	p float64
}

// causes returns what comes before failures beyond chance.
//
// The causes that are looked at are that a tool broke, that it was taken three times
// or more, and that it worked; the effects are that a task fails, of the tasks that
// are judged, and that a tool breaks, of the tasks in which it is taken. A cause counts
// if it came before the tool broke for the first time, or, where it did not break,
// before it was taken for the last time. Fisher's exact test on how many tasks have
// both, one or none must find what was seen less likely by chance than one in a
// hundred, divided by how many pairs were looked at.
//
// Counts in content are rounded as evidence is, and strength is made of these.
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
			continue // the other one tells of both
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
	c       *corpus
	watched []bool // tools
	// both counts tasks with cause and effect, and alone those with the cause, of the
	// tasks in which the effect could come.
	both, alone map[causal]int
	effects     map[int32]int // tasks with an effect
	possible    map[int32]int // tasks in which it could come
}

func newCauseMiner(c *corpus) *causeMiner {
	m := &causeMiner{
		c: c, watched: make([]bool, len(c.tools)), both: make(map[causal]int), alone: make(map[causal]int),
		effects: make(map[int32]int), possible: make(map[int32]int),
	}
	order := make([]int32, len(c.tools))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(c.taken[b], c.taken[a]) })
	for _, t := range order[:min(len(order), maxCausing)] {
		m.watched[t] = c.tools[t] != ""
	}
	return m
}

// feature is a cause in a task, with the act at which it came about.
type feature struct {
	tool  int32
	state int8
	at    int
}

// ending is an effect that could come in a task: the act up to which causes count, and
// whether it came.
type ending struct {
	tool int32
	at   int
	came bool
}

// features returns the causes in a task, in order.
func (m *causeMiner) features(w *work) []feature {
	var out []feature
	type seen struct {
		has   [causeStates]bool
		taken int
	}
	tools := make(map[int32]*seen)
	for i, a := range w.acts {
		if !m.watched[a.tool] {
			continue
		}
		s := tools[a.tool]
		if s == nil {
			s = new(seen)
			tools[a.tool] = s
		}
		s.taken++
		note := func(state int8, is bool) {
			if is && !s.has[state] {
				s.has[state] = true
				out = append(out, feature{a.tool, state, i})
			}
		}
		note(causeFailed, a.State == trace.Broken)
		note(causeWorked, a.State == trace.OK)
		note(causeMany, s.taken == manyTimes)
		if len(out) >= maxFeatures {
			return out[:maxFeatures]
		}
	}
	return out
}

// endings returns the effects that could come in a task.
func (m *causeMiner) endings(w *work) []ending {
	var out []ending
	if w.Outcome != trace.Unknown {
		out = append(out, ending{outcomeEffect, len(w.acts), w.Outcome == trace.Failed})
	}
	at := make(map[int32]int)
	for i, a := range w.acts {
		if !m.watched[a.tool] {
			continue
		}
		n, known := at[a.tool]
		switch {
		case !known && len(at) < maxFailing:
			n = len(out)
			at[a.tool] = n
			out = append(out, ending{tool: a.tool})
		case !known:
			continue
		}
		if !out[n].came {
			out[n].at, out[n].came = i, a.State == trace.Broken
		}
	}
	return out
}

// pairs calls visit with each cause that came before each effect that could come.
func (m *causeMiner) pairs(w *work, visit func(k causal, f feature, e ending)) {
	features := m.features(w)
	for _, e := range m.endings(w) {
		for _, f := range features {
			if f.at < e.at && f.tool != e.tool {
				visit(causal{f.tool, f.state, e.tool}, f, e)
			}
		}
	}
}

// task counts a task.
func (m *causeMiner) task(w *work) {
	for _, e := range m.endings(w) {
		m.possible[e.tool]++
		if e.came {
			m.effects[e.tool]++
		}
	}
	m.pairs(w, func(k causal, _ feature, e ending) {
		if e.came {
			m.both[k]++
		} else {
			m.alone[k]++
		}
	})
}

// surest returns the pairs that are beyond chance, the surest first.
func (m *causeMiner) surest() []relation {
	var out []relation
	tested := 0
	for k, n := range m.both {
		if n < minTogether {
			continue
		}
		tested++
		r := relation{causal: k, table: table{both: n, causeOnly: m.alone[k]}}
		r.effectOnly = m.effects[k.effect] - n
		r.none = m.possible[k.effect] - n - r.causeOnly - r.effectOnly
		if r.lift() < minLift {
			continue
		}
		if r.p = r.fisher(); r.p <= significant {
			out = append(out, r)
		}
	}
	out = slices.DeleteFunc(out, func(r relation) bool { return r.p > significant/float64(tested) })
	slices.SortFunc(out, func(a, b relation) int {
		return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(b.both, a.both), cmp.Compare(a.effect, b.effect),
			cmp.Compare(a.cause, b.cause), cmp.Compare(a.state, b.state))
	})
	return out[:min(len(out), maxCauses)]
}

// instances are the events that a pattern is known from.
type instances struct {
	sources evidence
	counter []string // of acts with the cause and without the effect
}

// examples returns the instances of each pair.
func (m *causeMiner) examples(of []relation) []instances {
	out := make([]instances, len(of))
	at := make(map[causal]int, len(of))
	for i, r := range of {
		at[r.causal] = i
	}
	for i := range m.c.tasks {
		w := &m.c.tasks[i]
		m.pairs(w, func(k causal, f feature, e ending) {
			n, wanted := at[k]
			if !wanted {
				return
			}
			x := &out[n]
			if !e.came {
				if len(x.counter) < maxCounter {
					x.counter = append(x.counter, ref(w.acts[f.at].Step).ID)
				}
				return
			}
			x.sources.both(w.acts[f.at].Step)
			if e.tool == outcomeEffect {
				x.sources.refer(w.Judge)
			} else {
				x.sources.both(w.acts[e.at].Step)
			}
		})
	}
	return out
}

// says returns a cause in words.
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

// counts is the table of a pattern as content has it.
type counts struct {
	Both   int `json:"both"`
	Cause  int `json:"cause_only"`
	Effect int `json:"effect_only"`
	None   int `json:"neither"`
}

// finding writes a pattern.
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
