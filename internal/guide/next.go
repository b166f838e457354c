package guide

import (
	"cmp"
	"slices"

	"lukasa.dev/internal/numeric"
	"lukasa.dev/internal/policy"
	"lukasa.dev/internal/trace"
)

// Suggestion is a tool that may come next.
type Suggestion struct {
	Tool        string
	Probability float64
	// Reason gives the evidence in words: in which state it followed how often, how the
	// tasks ended, what was said, which step of which schema it is.
	Reason string
	// Artifacts are the ids of the artifacts that the reason is based on, each once.
	Artifacts []string
}

// The levels of states, from the widest to the narrowest.
const (
	levelEver = iota
	levelSpoke
	levelAfter
	levelHow
	levelAgain
	levelTwo
	levels
)

// key is a state at a level: fields that the level does not distinguish are zero.
type key struct {
	policy.State
	again bool
}

func keyOf(level int, s policy.State) key {
	k := key{again: s.After != "" && s.After == s.Before}
	if level >= levelSpoke {
		k.Spoke = s.Spoke
	}
	if level >= levelAfter {
		k.After = s.After
	}
	if level >= levelHow {
		k.Failed, k.Listed = s.Failed, s.Listed
	}
	if level < levelAgain {
		k.again = false
	}
	if level >= levelTwo {
		k.Before = s.Before
	}
	return k
}

// Next returns the tools that may come next in a task, the most likely first, ties by
// name, at most limit of them. Without artifacts about tools there are none.
func (m *Model) Next(task *trace.Task, limit int) []Suggestion {
	if len(m.tools) == 0 || limit <= 0 {
		return nil
	}
	now := policy.Now(task)
	used := m.usedIn(task)
	chances := m.chances(&now, used)
	order := make([]int, len(m.tools))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(chances[b], chances[a]), a-b) })
	out := make([]Suggestion, 0, min(limit, len(order)))
	for _, tool := range order[:min(limit, len(order))] {
		s := Suggestion{Tool: m.tools[tool], Probability: chances[tool]}
		m.explain(&s, tool, &now, used)
		out = append(out, s)
	}
	return out
}

// usedIn returns how often each tool was used in a task.
func (m *Model) usedIn(task *trace.Task) []int {
	used := make([]int, len(m.tools))
	for step := range policy.Acts(task) {
		if tool, known := m.numbers[step.Tool]; known {
			used[tool] += int(max(1, step.Times))
		}
	}
	return used
}

// chances returns the probability of each tool.
func (m *Model) chances(now *policy.Moment, used []int) []float64 {
	score := m.stateChances(now)
	for i, p := range score {
		score[i] = float64(stateWeight*numeric.Log(p)) + float64(usesWeight*m.uses[i].speaks(used[i]))
	}
	m.user.speak(score, now.User)
	m.agent.speak(score, now.Agent)
	best := slices.Max(score)
	sum := 0.0
	for i, s := range score {
		score[i] = decay(best - s)
		sum += score[i]
	}
	for i := range score {
		score[i] /= sum
	}
	return score
}

// stateChances returns the probability of each tool in a state.
func (m *Model) stateChances(now *policy.Moment) []float64 {
	p := make([]float64, len(m.tools))
	for i := range p {
		p[i] = 1 / float64(len(p))
	}
	for level := range m.states {
		blend(p, m.states[level][keyOf(level, now.State)])
	}
	if r := m.recovery(now); r != nil {
		blend(p, &r.table)
	}
	return p
}

// recovery returns the counts of steps after an error like that of the step before, or nil
// if there are none.
func (m *Model) recovery(now *policy.Moment) *recovery {
	if !now.Failed || now.Error == "" {
		return nil
	}
	return m.recoveries[[2]string{now.After, now.Error}]
}

// blend updates the probabilities of a wider state with the counts of a narrower one.
func blend(p []float64, t *table) {
	if t == nil {
		return
	}
	whole := float64(t.total) + inertia
	for i := range p {
		p[i] = float64(inertia*p[i]) / whole
	}
	for _, c := range t.tools {
		p[c.tool] += float64(c.n) / whole
	}
}

// speaks returns the score of a tool that was used that many times in a task.
func (u *use) speaks(times int) float64 {
	if u.taken == 0 {
		return 0
	}
	share := float64(u.taken) / float64(u.of)
	c := u.uses[min(times, len(u.uses)-1)]
	prior := float64(doubt * share)
	return numeric.Log((float64(c.Taken) + prior) / float64((float64(c.Of)+doubt)*share))
}

// speak adds the scores of words to those of the tools.
func (t *talk) speak(score []float64, words []string) {
	heard := 0
	for _, w := range words {
		if t.heard(w) != nil {
			heard++
		}
	}
	if heard == 0 {
		return
	}
	weight := talkWeight / float64(heard)
	for _, w := range words {
		said := t.heard(w)
		if said == nil {
			continue
		}
		next := 0
		for i := range score {
			n := int64(0)
			if next < len(said.tools) && said.tools[next].tool == i {
				n = said.tools[next].n
				next++
			}
			score[i] += float64(weight * numeric.Log(t.lift(i, n, said.total)))
		}
	}
}

// heard returns the counts of a word, or nil if they are too small.
func (t *talk) heard(word string) *table {
	if said := t.words[word]; said != nil && said.total >= minSaid {
		return said
	}
	return nil
}

// lift returns how much more often than average a tool followed a word, if it did so n
// times out of all.
func (t *talk) lift(tool int, n, all int64) float64 {
	share := (float64(t.counts[tool]) + halfMoment) / (float64(t.total) + float64(halfMoment*float64(len(t.counts))))
	prior := float64(doubt * share)
	return (float64(n) + prior) / float64((float64(all)+doubt)*share)
}
