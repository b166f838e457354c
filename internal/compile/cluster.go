package compile

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/internal/record"
)

// maxLeaders limits the number of groups; the first are kept.
const maxLeaders = 1000

// group is similar tasks. All are compared with the first, in the order of the journal, so that
// a group stays the same as it grows.
type group struct {
	tools   []int32 // distinct tools of the first task, by number
	words   []int32 // of its goal, likewise
	members []int32 // tasks, oldest first
}

// grouper assigns tasks to groups one by one.
type grouper struct {
	groups []group
	// byTool and byWord are the groups whose first task has a tool or a word, and same those
	// with exactly a set of tools.
	byTool map[int32][]int32
	byWord map[int32][]int32
	same   map[string]int32
	sets   []toolSet // the tools of each group, if there are few enough; otherwise nil
	// shared is how much the current task shares with each group, and met are the groups with
	// which it shares anything; worded is the number of shared words of a group that shares
	// tools.
	shared []int32
	met    []int32
	worded []int32
}

func newGrouper() *grouper {
	return &grouper{byTool: make(map[int32][]int32), byWord: make(map[int32][]int32), same: make(map[string]int32)}
}

// listGoals numbers the words of the goals, except those that tools or external sources said.
func (c *corpus) listGoals() {
	numbers := make(map[string]int32)
	for i := range c.tasks {
		w := &c.tasks[i]
		if w.Trust < record.Agent {
			continue
		}
		for _, text := range w.Words {
			n, known := numbers[text]
			if !known {
				n = int32(len(c.words))
				numbers[text] = n
				c.words = append(c.words, text)
			}
			w.goal = append(w.goal, n)
		}
		slices.Sort(w.goal)
		w.goal = slices.Compact(w.goal)
	}
}

// distinctTools returns the distinct tools of a task, by number.
func (w *work) distinctTools() []int32 {
	out := make([]int32, 0, 16)
	for _, a := range w.acts {
		if i, found := slices.BinarySearch(out, a.tool); !found {
			out = slices.Insert(out, i, a.tool)
		}
	}
	return out
}

// nearest returns the most similar group of a task, the first among equals, or -1 if none is
// similar enough. alike gets a group and the number of entries that the task shares with it.
func (g *grouper) nearest(least float64, alike func(i, shared int) float64) int {
	best, at := 0.0, -1
	for _, i := range g.met {
		s := alike(int(i), int(g.shared[i]))
		if s >= least && (s > best || s == best && int(i) < at) {
			best, at = s, int(i)
		}
		g.shared[i] = 0
	}
	g.met = g.met[:0]
	return at
}

// meet adds the groups that have a tool or a word of a task.
func (g *grouper) meet(list []int32) {
	for _, i := range list {
		if g.shared[i] == 0 {
			g.met = append(g.met, i)
		}
		g.shared[i]++
	}
}

// toolSet is a set of tools, one bit each.
type toolSet [4]uint64

// setTools is the maximum number of tools for which sets are used.
const setTools = 64 * len(toolSet{})

func setOf(tools []int32) (s toolSet) {
	for _, t := range tools {
		s[t/64] |= 1 << (t % 64)
	}
	return s
}

// meetTools adds the groups that share tools with a task. With sets, it leaves out those that
// share too few to be similar, whatever their words.
func (g *grouper) meetTools(tools []int32) {
	if g.sets == nil {
		for _, t := range tools {
			g.meet(g.byTool[t])
		}
		return
	}
	const least = alikeTasks - weightOfWords - 0.01 // what words cannot compensate, with a margin for rounding
	own := setOf(tools)
	for i := range g.groups {
		set, n := &g.sets[i], 0
		for j := range own {
			n += bits.OnesCount64(own[j] & set[j])
		}
		if weightOfTools*float64(n) > least*float64(len(tools)+len(g.groups[i].tools)-n) {
			g.shared[i] = int32(n)
			g.met = append(g.met, int32(i))
		}
	}
}

// alike returns the similarity of two lists that share some of their entries.
func alike(shared, a, b int) float64 {
	if shared == 0 {
		return 0
	}
	return float64(shared) / float64(a+b-shared)
}

// word adds n to the count of the groups that have a word.
func (g *grouper) word(words []int32, n int32) {
	for _, w := range words {
		for _, i := range g.byWord[w] {
			g.worded[i] += n
		}
	}
}

// begin makes a task the first of a group, if there is room for one more.
func (g *grouper) begin(task int32, tools, words []int32) {
	if len(g.groups) == maxLeaders {
		return
	}
	n := int32(len(g.groups))
	g.groups = append(g.groups, group{tools: tools, words: words, members: []int32{task}})
	g.shared, g.worded = append(g.shared, 0), append(g.worded, 0)
	if g.sets != nil {
		g.sets = append(g.sets, setOf(tools))
	} else {
		for _, t := range tools {
			g.byTool[t] = append(g.byTool[t], n)
		}
	}
	for _, w := range words {
		g.byWord[w] = append(g.byWord[w], n)
	}
	g.same[toolsKey(tools)] = n
}

// toolsKey returns a unique text for a set of tools.
func toolsKey(tools []int32) string {
	b := make([]byte, 0, 4*len(tools))
	for _, t := range tools {
		b = append(strconv.AppendInt(b, int64(t), 36), ' ')
	}
	return string(b)
}

// Similarity of the tasks of a schema: tools count more than the words of the goal, and tasks
// with the same tools are always similar enough.
const (
	weightOfTools = 0.7
	weightOfWords = 0.3
	alikeTasks    = 0.55
	minActs       = 2 // acts of a task with a procedure
)

// procedures returns the largest groups of tasks that are similar in tools and goal. It is safe
// for concurrent use.
func (c *corpus) procedures() []group {
	c.grouped.Do(func() { c.groups = largest(procedures(c, len(c.tools) <= setTools), minTasks, maxSchemas) })
	return c.groups
}

// procedures groups tasks, by sets of tools if there are few enough, which does not change the
// groups.
func procedures(c *corpus, sets bool) []group {
	g := newGrouper()
	if sets {
		g.sets = make([]toolSet, 0, maxLeaders)
	}
	for i := range c.tasks {
		w := &c.tasks[i]
		if len(w.acts) < minActs {
			continue
		}
		tools, words := w.distinctTools(), w.goal
		at, found := g.same[toolsKey(tools)]
		if !found {
			g.meetTools(tools)
			g.word(words, 1)
			at = int32(g.nearest(alikeTasks, func(i, shared int) float64 {
				o := &g.groups[i]
				s := float64(weightOfTools * alike(shared, len(tools), len(o.tools)))
				return s + float64(weightOfWords*alike(int(g.worded[i]), len(words), len(o.words)))
			}))
			g.word(words, -1)
		}
		if at >= 0 {
			g.groups[at].members = append(g.groups[at].members, int32(i))
		} else {
			g.begin(int32(i), tools, words)
		}
	}
	return g.groups
}

// alikeGoals is the similarity of goals within a group of a strategy.
const alikeGoals = 0.25

// goals groups tasks by the similarity of their goals.
func goals(c *corpus) []group {
	g := newGrouper()
	for i := range c.tasks {
		w := &c.tasks[i]
		words := w.goal
		if len(words) == 0 || len(w.acts) < minActs {
			continue
		}
		for _, word := range words {
			g.meet(g.byWord[word])
		}
		at := g.nearest(alikeGoals, func(i, shared int) float64 { return alike(shared, len(words), len(g.groups[i].words)) })
		if at >= 0 {
			g.groups[at].members = append(g.groups[at].members, int32(i))
		} else {
			g.begin(int32(i), nil, words)
		}
	}
	return g.groups
}

// largest returns the groups with at least least members, the largest first, among equals the
// older.
func largest(groups []group, least, limit int) []group {
	groups = slices.DeleteFunc(groups, func(g group) bool { return len(g.members) < least })
	slices.SortStableFunc(groups, func(a, b group) int { return len(b.members) - len(a.members) })
	return groups[:min(len(groups), limit)]
}

// names returns the names of tools.
func (c *corpus) names(tools []int32) []string {
	out := make([]string, len(tools))
	for i, t := range tools {
		out[i] = c.tools[t]
	}
	return out
}

// speaking returns the words that occur in at least two goals and a third of them, the most
// common first.
func (c *corpus) speaking(members []int32, limit int) []string {
	counts := make(map[int32]int)
	for _, i := range members {
		for _, w := range c.tasks[i].goal {
			counts[w]++
		}
	}
	var words []int32
	for w, n := range counts {
		if n >= 2 && 3*n >= len(members) {
			words = append(words, w)
		}
	}
	slices.SortFunc(words, func(a, b int32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(c.words[a], c.words[b]))
	})
	return c.spelled(words[:min(len(words), limit)])
}

// spelled returns words by their numbers.
func (c *corpus) spelled(words []int32) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = c.words[w]
	}
	return out
}
