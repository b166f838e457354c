package compile

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/policy"
	"lukasa.dev/internal/trace"
)

// The limits of policies.
const (
	minTaken = 2       // calls of a tool before it has a policy
	maxTools = 500     // tools with policies, the most frequent
	maxHeard = 20_000  // acts whose words are counted, the newest, and up to a quarter more
	maxWords = 1 << 17 // distinct words, the first of those acts
	telling  = 5       // words that a policy names
)

// Policy is a decision policy found in sessions.
type Policy struct {
	// Key names its subject, and is the same in every version.
	Key            string
	Title, Summary string
	Content        hmx.DecisionPolicy
	finding        finding
	silent         bool // it says no more than is known without it
}

func (c *corpus) policies() ([]Policy, error) {
	m := newPolicyMiner(c)
	m.survey()
	m.settle()
	for rank := range c.order {
		m.count(int32(rank))
	}
	for i := range c.tasks {
		m.chances(&c.tasks[i])
	}
	afters, err := m.afters()
	if err != nil {
		return nil, err
	}
	uses, err := m.uses()
	return append(afters, uses...), err
}

// policyFindings returns the informative policies as findings.
func policyFindings(c *corpus) ([]finding, error) {
	policies, err := c.policies()
	return findings(slices.DeleteFunc(policies, func(p Policy) bool { return p.silent })), err
}

// findings returns the findings of policies.
func findings(policies []Policy) []finding {
	out := make([]finding, 0, len(policies))
	for i := range policies {
		p := &policies[i]
		p.finding.about, p.finding.title, p.finding.summary, p.finding.content = p.Key, p.Title, p.Summary, p.Content
		out = append(out, p.finding)
	}
	return out
}

// policyMiner counts. It numbers tools and words; tool 0 is none.
type policyMiner struct {
	c       *corpus
	names   []string // of tools
	numbers []uint32 // of the corpus's tools; other is one without a policy
	where   []place  // of each act, by rank
	heard   int32    // the first act whose words are counted

	cells map[cell]int64
	pairs []policy.Chosen // what followed what in any state, by row of the previous tool
	after []subject
	taken []use

	words    []word
	spelling map[string]uint32
	met      []uint32 // tools of the current task
}

// other is a tool without a policy.
const other = ^uint32(0)

// place is the state before an act, in numbers.
type place struct {
	after, before, tool uint32
	times               uint8 // previous calls of the tool in the task, at most 2
	spoke               policy.Spoke
	failed, listed      bool
}

// cell is a state and what followed in it, packed: the tools in toolBits each, the speaker, and
// two flags.
type cell uint32

const toolBits = 9 // for maxTools and none

func cellOf(p *place) cell {
	c := cell(p.after)<<toolBits | cell(p.before)
	if p.before == other {
		c = cell(p.after) << toolBits
	}
	c = (c<<toolBits|cell(p.tool))<<2 | cell(p.spoke)
	for _, flag := range []bool{p.failed, p.listed} {
		if c <<= 1; flag {
			c |= 1
		}
	}
	return c
}

// place unpacks a cell.
func (c cell) place() place {
	const tools = 1<<toolBits - 1
	return place{
		listed: c&1 != 0, failed: c>>1&1 != 0, spoke: policy.Spoke(c >> 2 & 3),
		tool: uint32(c >> 4 & tools), before: uint32(c >> (4 + toolBits) & tools), after: uint32(c >> (4 + 2*toolBits)),
	}
}

// subject is the acts of a policy.
type subject struct {
	ranks   []int32
	until   int32 // the last counted act
	all     tally
	sources evidence
}

// word counts the tools that were called when it was said.
type word struct {
	text    string
	session int32
	common  int32   // the act at which a second session said it, or -1
	ranks   []int32 // of the acts at which it was said, twice if by both
	with    []said
}

// said is how often a tool was called after the user or the agent had said a word.
type said struct {
	tool        uint32
	user, agent uint32
}

// use is how often a tool was called, and when.
type use struct {
	subject
	chosen       policy.Chosen
	uses         [3]policy.Chance
	user, agent  int64 // moments in which they had said something
	first, again int   // acts of the current task, from 1, of its first and second call
}

func newPolicyMiner(c *corpus) *policyMiner {
	m := &policyMiner{
		c: c, names: frequent(c), numbers: make([]uint32, len(c.tools)), where: make([]place, len(c.order)),
		cells: make(map[cell]int64), spelling: make(map[string]uint32),
	}
	for i, name := range c.tools {
		if m.numbers[i] = other; name == "" {
			m.numbers[i] = 0
		}
	}
	for i, name := range m.names[1:] {
		m.numbers[c.numbers[name]] = uint32(i + 1)
	}
	if n := len(c.order) - maxHeard; n > 0 {
		m.heard = int32(n - n%(maxHeard/4))
	}
	m.after = make([]subject, len(m.names))
	m.taken = make([]use, len(m.names))
	m.pairs = make([]policy.Chosen, len(m.names)*len(m.names))
	return m
}

// frequent returns no tool and then the most frequent ones, sorted by name.
func frequent(c *corpus) []string {
	var names []string
	for i, name := range c.tools {
		if c.taken[i] >= minTaken && name != "" {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(c.taken[c.numbers[b]], c.taken[c.numbers[a]]), strings.Compare(a, b))
	})
	names = append(names[:min(len(names), maxTools)], "")
	slices.Sort(names)
	return names
}

// survey finds the state before each act, and the acts of each policy.
func (m *policyMiner) survey() {
	times := make([]uint8, len(m.names))
	for i := range m.c.tasks {
		w := &m.c.tasks[i]
		at := 0
		for _, now := range policy.Acts(w.Task) {
			p := place{tool: m.numbers[w.acts[at].tool], spoke: now.Spoke, failed: now.Failed, listed: now.Listed}
			if at > 0 {
				p.after = m.numbers[w.acts[at-1].tool]
			}
			if at > 1 {
				p.before = m.numbers[w.acts[at-2].tool]
			}
			if p.tool != other {
				p.times = times[p.tool]
				times[p.tool] = min(p.times+1, 2)
			}
			m.where[w.acts[at].rank] = p
			at++
		}
		for _, a := range w.acts {
			if n := m.numbers[a.tool]; n != other {
				times[n] = 0
			}
		}
	}
	for rank, o := range m.c.order {
		p := &m.where[rank]
		if p.tool == other {
			continue
		}
		w := &m.c.tasks[o.task]
		step := w.acts[o.act].Step
		m.taken[p.tool].observe(int32(rank), step, w.Outcome)
		if p.after != other {
			m.after[p.after].observe(int32(rank), step, w.Outcome)
		}
	}
}

func (s *subject) observe(rank int32, step *trace.Step, outcome trace.Outcome) {
	s.ranks = append(s.ranks, rank)
	s.all.add(outcome)
	s.sources.newest = max(s.sources.newest, Ref(step).Time)
}

// settle determines up to which act each policy counts. Moments without a call of the tool
// count as well, so a policy extends to the next step of all acts, but not to the first act
// with the tool that is not counted.
func (m *policyMiner) settle() {
	for i := range m.after {
		s := &m.after[i]
		if n := counted(len(s.ranks)); n > 0 {
			s.until = s.ranks[n-1]
			s.sources.list = m.c.actsAt(s.ranks[:n])
		}
	}
	for i := range m.taken {
		s := &m.taken[i]
		n := counted(len(s.ranks))
		if n == 0 {
			continue
		}
		s.until = max(s.ranks[n-1], int32(counted(len(m.c.order))-1))
		if n < len(s.ranks) {
			s.until = min(s.until, s.ranks[n]-1)
		}
		s.sources.list = m.c.actsAt(s.ranks[:n])
	}
}

// actsAt lists the acts of some ranks.
func (c *corpus) actsAt(ranks []int32) func(*evidence) {
	return func(e *evidence) {
		for _, rank := range ranks {
			o := c.order[rank]
			e.refer(Ref(c.tasks[o.task].acts[o.act].Step))
		}
	}
}

// count counts an act.
func (m *policyMiner) count(rank int32) {
	p := &m.where[rank]
	if p.tool == other {
		return
	}
	o := m.c.order[rank]
	w := &m.c.tasks[o.task]
	step := w.acts[o.act].Step
	if p.after != other && rank <= m.after[p.after].until {
		m.follow(p, w.Outcome)
		m.after[p.after].sources.from(w.Task)
		m.after[p.after].sources.take(step)
	}
	u := &m.taken[p.tool]
	used := rank <= u.until
	if used {
		count(&u.chosen, w.Outcome)
		u.sources.from(w.Task)
		u.sources.take(step)
		u.uses[p.times].Taken++
	}
	if rank < m.heard {
		return
	}
	user := step.Said[:min(int(step.Asked), len(step.Said))]
	agent := step.Said[len(user):]
	m.hear(w.session, rank, p.tool, user[:min(len(user), policy.UserWords)], false, used)
	m.hear(w.session, rank, p.tool, agent[:min(len(agent), policy.AgentWords)], true, used)
}

// follow counts a tool as what followed in a state.
func (m *policyMiner) follow(p *place, outcome trace.Outcome) {
	m.cells[cellOf(p)]++
	count(&m.pairs[int(p.after)*len(m.names)+int(p.tool)], outcome)
}

func count(c *policy.Chosen, outcome trace.Outcome) {
	c.Count++
	switch outcome {
	case trace.Succeeded:
		c.Judged++
		c.Succeeded++
	case trace.Failed:
		c.Judged++
	}
}

// hear processes the words that were said when a tool was called, and counts them for the tool
// if used is set.
func (m *policyMiner) hear(session, rank int32, tool uint32, words []string, agent, used bool) {
	if len(words) == 0 {
		return
	}
	if used && agent {
		m.taken[tool].agent++
	} else if used {
		m.taken[tool].user++
	}
	for _, text := range words {
		n, known := m.spelling[text]
		switch {
		case known:
			if m.words[n].common < 0 && m.words[n].session != session {
				m.words[n].common = rank
			}
		case len(m.words) == maxWords:
			continue
		default:
			n = uint32(len(m.words))
			m.spelling[text] = n
			m.words = append(m.words, word{text: text, session: session, common: -1})
		}
		m.words[n].ranks = append(m.words[n].ranks, rank)
		if used {
			m.words[n].add(tool, agent)
		}
	}
}

func (w *word) add(tool uint32, agent bool) {
	i := slices.IndexFunc(w.with, func(s said) bool { return s.tool == tool })
	if i < 0 {
		i = len(w.with)
		w.with = append(w.with, said{tool: tool})
	}
	if agent {
		w.with[i].agent++
	} else {
		w.with[i].user++
	}
}

// until returns how often the word was said up to an act.
func (w *word) until(rank int32) int {
	return sort.Search(len(w.ranks), func(i int) bool { return w.ranks[i] > rank })
}

// chances counts the moments of a task after earlier calls of a tool.
func (m *policyMiner) chances(w *work) {
	m.met = m.met[:0]
	for i := range w.acts {
		tool := m.numbers[w.acts[i].tool]
		if tool == other {
			continue
		}
		u := &m.taken[tool]
		switch {
		case u.first == 0:
			u.first = i + 1
			m.met = append(m.met, tool)
		case u.again == 0:
			u.again = i + 1
		}
	}
	for _, tool := range m.met {
		u := &m.taken[tool]
		acts, again := len(w.until(u.until)), u.again
		if again == 0 {
			again = len(w.acts)
		}
		u.uses[1].Of += int64(max(0, min(acts, again)-min(acts, u.first)))
		u.uses[2].Of += int64(max(0, acts-again))
		u.first, u.again = 0, 0
	}
}

// afters returns the policies of what followed each tool.
func (m *policyMiner) afters() ([]Policy, error) {
	found := make([]policy.After, len(m.names))
	for i, chosen := range m.pairs {
		if chosen.Count > 0 {
			chosen.Tool = m.names[i%len(m.names)]
			a := &found[i/len(m.names)]
			a.Chosen = append(a.Chosen, chosen)
		}
	}
	states := make(map[place]map[string]int64)
	for c, n := range m.cells {
		s := c.place()
		tool := s.tool
		s.tool = 0
		if states[s] == nil {
			states[s] = make(map[string]int64)
		}
		states[s][m.names[tool]] = n
	}
	for c, tools := range states {
		s := policy.State{After: m.names[c.after], Before: m.names[c.before], Spoke: c.spoke, Failed: c.failed, Listed: c.listed}
		found[c.after].States = append(found[c.after].States, policy.SeenIn(s, tools))
	}
	var out []Policy
	for i := range found {
		a := &found[i]
		if len(a.Chosen) == 0 {
			continue
		}
		a.Tool = m.names[i]
		a.Sort()
		content, err := a.Content()
		if err != nil {
			return nil, err
		}
		p := Policy{Key: "after " + a.Tool, Title: "What follows " + a.Tool, Content: content, silent: !m.informs(a)}
		if a.Tool == "" {
			p.Key, p.Title = "after", "What a task begins with"
		}
		counted := int64(0)
		for _, c := range a.Chosen {
			counted += c.Count
		}
		s := &m.after[i]
		p.Summary = summary(a, counted)
		p.finding = finding{sources: s.sources, all: s.all, consistency: float64(a.Best().Count) / float64(counted), tags: []string{a.Tool, a.Best().Tool}}
		out = append(out, p)
	}
	return out, nil
}

// looks reports whether a tool only reads or lists files.
func (m *policyMiner) looks(tool string) bool { return tool != "" && m.c.looks[m.c.numbers[tool]] }

// informs reports whether what followed a tool differs from the general distribution (see
// [policy.InformationOf]). It is not informative that only the tool itself followed, or that
// files were read after files.
func (m *policyMiner) informs(a *policy.After) bool {
	var counts, base []int64
	n, all := int64(0), int64(0)
	for _, name := range m.names {
		if name != "" {
			all += int64(counted(m.c.taken[m.c.numbers[name]]))
		}
	}
	for _, c := range a.Chosen {
		counts = append(counts, c.Count)
		base = append(base, int64(counted(m.c.taken[m.c.numbers[c.Tool]])))
		n += c.Count
	}
	if a.Best().Tool == a.Tool || m.looks(a.Tool) && m.looks(a.Best().Tool) {
		return false
	}
	return policy.Informs(policy.InformationOf(counts, base, n, all), len(counts))
}

// summary describes the tools that followed most often, and how often it was the same.
func summary(a *policy.After, total int64) string {
	var parts []string
	again := ""
	for _, c := range a.Chosen {
		switch {
		case c.Tool == a.Tool:
			again = fmt.Sprintf("; the same again in %d", c.Count)
		case len(parts) < 3:
			parts = append(parts, fmt.Sprintf("%s in %d of %d cases", c.Tool, c.Count, total))
		}
	}
	return strings.Join(parts, ", ") + again
}

// uses returns the policies of when each tool was called.
func (m *policyMiner) uses() ([]Policy, error) {
	found := make([]policy.Use, len(m.names))
	for i := range m.words {
		w := &m.words[i]
		if w.common < 0 {
			continue
		}
		for _, s := range w.with {
			if w.common <= m.taken[s.tool].until {
				found[s.tool].User.Add(w.text, int64(s.user))
				found[s.tool].Agent.Add(w.text, int64(s.agent))
			}
		}
	}
	var out []Policy
	for i := range found {
		t, u := &m.taken[i], &found[i]
		if t.chosen.Count == 0 {
			continue
		}
		u.Chosen, u.Uses, u.User.Count, u.Agent.Count = t.chosen, t.uses, t.user, t.agent
		u.Chosen.Tool = m.names[i]
		u.Uses[0].Of = int64(t.until) + 1 - u.Uses[1].Of - u.Uses[2].Of
		u.Telling = m.telling(u, t.until)
		content, err := u.Content()
		if err != nil {
			return nil, err
		}
		p := Policy{Key: "use " + u.Chosen.Tool, Title: "When to use " + u.Chosen.Tool, Summary: content.Condition + "; " + u.Chosen.String(), Content: content}
		p.silent = m.looks(u.Chosen.Tool) || !slices.ContainsFunc(u.Telling, func(word string) bool { return m.tells(u, word, t.until) })
		p.finding = finding{sources: t.sources, all: t.all, consistency: told(u), tags: append([]string{u.Chosen.Tool}, u.Telling...)}
		out = append(out, p)
	}
	return out, nil
}

// tells reports whether a word was said with a tool more often than otherwise, up to an act
// (see [policy.InformationOf]).
func (m *policyMiner) tells(u *policy.Use, text string, until int32) bool {
	said := int64(m.words[m.spelling[text]].until(until))
	n := min(u.User.Words[text]+u.Agent.Words[text], said)
	all := int64(until) + 1
	return policy.Informs(policy.InformationOf([]int64{n, said - n}, []int64{u.Chosen.Count, all - u.Chosen.Count}, said, all), 2)
}

// told returns the share of the messages with a tool that contain its most telling word.
func told(u *policy.Use) float64 {
	if len(u.Telling) == 0 || u.User.Count+u.Agent.Count == 0 {
		return 0
	}
	n := u.User.Words[u.Telling[0]] + u.Agent.Words[u.Telling[0]]
	return float64(n) / float64(u.User.Count+u.Agent.Count)
}

// telling returns the words that were said with a tool most above chance, up to an act.
func (m *policyMiner) telling(u *policy.Use, until int32) []string {
	part := float64(u.Chosen.Count) / float64(until+1)
	type scored struct {
		text  string
		score float64
	}
	var words []scored
	seen := make(map[string]bool)
	for _, talk := range []policy.Talk{u.User, u.Agent} {
		for text := range talk.Words {
			if seen[text] {
				continue
			}
			seen[text] = true
			n := float64(u.User.Words[text] + u.Agent.Words[text])
			expected := float64(part * float64(m.words[m.spelling[text]].until(until)))
			if above := n - expected; above > 0 && n >= minTaken {
				words = append(words, scored{text, float64(above*above) / (expected + 1)})
			}
		}
	}
	slices.SortFunc(words, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.text, b.text)) })
	var out []string
	for _, w := range words[:min(telling, len(words))] {
		out = append(out, w.text)
	}
	return out
}
