package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/trace"
)

// The limits of strategies.
const (
	minStrategy   = 3   // successful tasks, or unjudged ones if none was judged
	maxStrategies = 200 // the largest groups
	maxPhases     = 6   // of a strategy; longer ones are no plan
	maxPhaseTools = 8
)

// role is the purpose of a tool, according to its name.
type role uint8

const (
	roleOther role = iota
	roleLook
	roleThink
	roleChange
	roleCheck
	roleTell
	roleAny // any later word is more specific
)

// roles are the words in names of tools that indicate their purpose.
func roles() map[string]role {
	out := make(map[string]role)
	for r, words := range map[role]string{
		roleLook:   "get find search list read look lookup show fetch query view open load browse grep glob cat ls scan inspect describe retrieve select download observe peek",
		roleThink:  "think plan calculate compute decide reason reflect analyze analyse estimate compare summarize summarise consider",
		roleChange: "create update cancel book edit write delete remove add set put post patch modify change move rename insert apply commit push merge deploy install send pay refund return exchange order ship buy reserve upload save replace build",
		roleCheck:  "test tests verify validate check lint confirm assert review audit diff status",
		roleAny:    "run exec execute make do call perform start command use file code api http browser tool",
		roleTell:   "notify respond reply answer message mail email transfer escalate report tell ask finish done submit handoff",
	} {
		for _, w := range strings.Fields(words) {
			out[w] = r
		}
	}
	return out
}

// says returns the name and the description of a phase of this role.
func (r role) says() (name, description string) {
	switch r {
	case roleLook:
		return "Look up", "find out what is so"
	case roleThink:
		return "Think", "work out what to do"
	case roleChange:
		return "Change", "do what is wanted"
	case roleCheck:
		return "Check", "see whether it holds"
	case roleTell:
		return "Hand over", "tell whoever it concerns"
	}
	return "Act", "take further steps"
}

// roleOf returns the role of a tool: that of the first word in its name that indicates one.
// Words like run or call count as changing something.
func roleOf(known map[string]role, name string) role {
	words := strings.FieldsFunc(spaced(name), func(r rune) bool { return r < 'a' || r > 'z' })
	found := roleOther
	for _, w := range words {
		switch r, ok := known[w]; {
		case ok && r != roleAny:
			return r
		case ok:
			found = roleChange
		}
	}
	return found
}

// spaced returns a name in lower case, with a blank before each capital.
func spaced(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// strategies returns the recurring phases of successful tasks with similar goals.
//
// Goals are similar by their words (see [goals]). A phase is consecutive steps with tools of
// one role, which their names indicate: looking up, thinking, changing, checking, handing over.
// Among the successful tasks, or all if none was judged, the most common order of phases is the
// strategy, if at least three tasks and a third of them have it. The tools of a phase that
// succeeded in at least three quarters of these tasks indicate that the phase is done.
func strategies(c *corpus) ([]finding, error) {
	known := roles()
	role := make([]role, len(c.tools))
	for i, name := range c.tools {
		role[i] = roleOf(known, name)
	}
	procedure := schemaOf(c)
	taken, worked := newMarks(len(c.tools)), newMarks(len(c.tools))
	var out []finding
	for _, g := range largest(goals(c), minStrategy, maxStrategies) {
		s := &strategy{c: c, group: &g, role: role, taken: &taken, worked: &worked}
		if !s.choose() {
			continue
		}
		f, err := s.finding(procedure)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// schemaOf returns the key of the schema of each task that is in one.
func schemaOf(c *corpus) map[int32]string {
	out := make(map[int32]string)
	for _, g := range c.procedures() {
		key := "tools " + digest(c.names(g.tools))
		for _, i := range g.members {
			out[i] = key
		}
	}
	return out
}

type strategy struct {
	c      *corpus
	group  *group
	role   []role
	phases []role
	tasks  []int32 // with these phases, among those counted
	of     int     // number of tasks considered
	all    tally
	// taken and worked are the tools of a phase of the current task.
	taken, worked *marks
}

// phasesOf returns the phases of a task.
func (s *strategy) phasesOf(w *work) []role {
	var out []role
	for _, a := range w.acts {
		if r := s.role[a.tool]; len(out) == 0 || out[len(out)-1] != r {
			if len(out) > maxPhases {
				return out
			}
			out = append(out, r)
		}
	}
	return out
}

// choose finds the most common order of phases, and reports whether there is one.
func (s *strategy) choose() bool {
	var good, open []int32
	for _, i := range s.group.members {
		o := s.c.tasks[i].Outcome
		s.all.add(o)
		switch o {
		case trace.Succeeded:
			good = append(good, i)
		case trace.Unknown:
			open = append(open, i)
		}
	}
	if s.all.judged == 0 {
		good = open
	}
	good = good[:counted(len(good))]
	if len(good) < minStrategy {
		return false
	}
	s.of = len(good)
	by := make(map[string][]int32)
	for _, i := range good {
		k := string(bytesOf(s.phasesOf(&s.c.tasks[i])))
		by[k] = append(by[k], i)
	}
	best := ""
	for k, tasks := range by {
		if n := len(by[best]); len(k) >= 2 && len(k) <= maxPhases && (len(tasks) > n || len(tasks) == n && k < best) {
			best = k
		}
	}
	s.tasks = by[best]
	if best == "" || len(s.tasks) < minStrategy || 3*len(s.tasks) < s.of {
		return false
	}
	s.phases = s.phasesOf(&s.c.tasks[s.tasks[0]])
	return true
}

func bytesOf(phases []role) []byte {
	out := make([]byte, len(phases))
	for i, r := range phases {
		out[i] = byte(r)
	}
	return out
}

// phaseTools is how many tasks called a tool, and had it succeed, in a phase.
type phaseTools struct{ taken, worked map[int32]int }

// tools counts the tools of each phase.
func (s *strategy) tools(sources *evidence) (phases []phaseTools, acts []int) {
	phases = make([]phaseTools, len(s.phases))
	for i := range phases {
		phases[i] = phaseTools{make(map[int32]int), make(map[int32]int)}
	}
	for _, i := range s.tasks {
		w := &s.c.tasks[i]
		acts = append(acts, len(w.acts))
		sources.from(w.Task)
		sources.lower(w.Trust)
		sources.see(&w.GoalRef)
		sources.see(&w.Judge)
		at := 0
		s.taken.begin()
		s.worked.begin()
		for j, a := range w.acts {
			sources.take(a.Step)
			if j > 0 && s.role[w.acts[j-1].tool] != s.role[a.tool] {
				at++
				s.taken.begin()
				s.worked.begin()
			}
			if s.taken.first(a.tool) {
				phases[at].taken[a.tool]++
			}
			if a.state == trace.OK && s.worked.first(a.tool) {
				phases[at].worked[a.tool]++
			}
		}
	}
	return phases, acts
}

// finding makes the finding of the strategy.
func (s *strategy) finding(procedure map[int32]string) (finding, error) {
	f := finding{all: s.all, consistency: share(len(s.tasks), s.of), against: against(s.all)}
	phases, acts := s.tools(&f.sources)
	f.sources.list = s.c.eventsOf(s.tasks)
	for _, i := range s.group.members {
		f.sources.newest = max(f.sources.newest, s.c.tasks[i].To.Time)
	}
	words := s.c.speaking(s.tasks, maxGoalWords)
	if len(words) == 0 {
		words = s.c.spelled(s.group.words[:min(len(s.group.words), maxGoalWords)])
	}
	content := hmx.StrategyTemplate{
		Goal: strings.Join(words, " "), EstimatedComplexity: complexity(acts),
		ApplicabilityConditions: []string{"the goal speaks of " + strings.Join(words, ", ")},
	}
	var names []string
	for i, p := range phases {
		phase, err := s.phase(i, &p)
		if err != nil {
			return finding{}, err
		}
		content.Phases = append(content.Phases, phase)
		names = append(names, phase.Name)
		f.tags = append(f.tags, phase.ToolsUsed...)
	}
	var err error
	content.Extra, err = members(map[string]any{"count": len(s.tasks), "of": s.of, "goal_words": words, "task_schemas": s.schemas(procedure)})
	f.about = "goal " + digest(sorted(s.c.spelled(s.group.words)))
	f.title = content.Goal + ": " + strings.ToLower(strings.Join(names, ", "))
	f.summary = fmt.Sprintf("%s; %d of %d tasks that went well went this way", strings.Join(names, ", "), len(s.tasks), s.of)
	if s.all.judged == 0 {
		f.summary = fmt.Sprintf("%s; %d of %d tasks went this way, and nobody judged them", strings.Join(names, ", "), len(s.tasks), s.of)
	}
	f.tags = append(slices.Clone(words), f.tags...)
	f.content = content
	return f, err
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

func (s *strategy) phase(i int, p *phaseTools) (hmx.StrategyPhase, error) {
	var tools []int32
	for t := range p.taken {
		tools = append(tools, t)
	}
	slices.SortFunc(tools, func(a, b int32) int { return cmp.Or(cmp.Compare(p.taken[b], p.taken[a]), cmp.Compare(a, b)) })
	tools = tools[:min(len(tools), maxPhaseTools)]
	name, description := s.phases[i].says()
	out := hmx.StrategyPhase{Order: hmx.Some(int64(i + 1)), Name: name, ToolsUsed: s.c.names(tools)}
	out.Description = strings.ToUpper(description[:1]) + description[1:] + " with " + strings.Join(out.ToolsUsed, ", ")
	taken := make([]following, 0, len(tools))
	for _, t := range tools {
		taken = append(taken, following{s.c.tools[t], p.taken[t]})
		if 4*p.worked[t] >= 3*len(s.tasks) {
			out.SuccessCriteria = append(out.SuccessCriteria, s.c.tools[t]+" has worked")
		}
	}
	var err error
	out.Extra, err = members(map[string]any{"taken": taken})
	return out, err
}

// schemas returns the keys of the schemas of the tasks, the most common first.
func (s *strategy) schemas(procedure map[int32]string) []string {
	n := make(map[string]int)
	for _, i := range s.tasks {
		if k := procedure[i]; k != "" {
			n[k]++
		}
	}
	keys := make([]string, 0, len(n))
	for k := range n {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), strings.Compare(a, b)) })
	return keys[:min(len(keys), maxPaths)]
}
