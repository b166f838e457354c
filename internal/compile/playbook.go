package compile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/policy"
	"lukasa.dev/internal/trace"
)

// The limits of playbooks.
const (
	minFailures  = 2       // occurrences of an error before it has a playbook
	maxPlaybooks = 300     // errors with a playbook, the most frequent
	maxErrors    = 1 << 16 // distinct errors, the first
	maxPath      = 6       // steps of a recovery
	maxPaths     = 5       // recoveries of a playbook
	maxPrevented = 3       // preventions of a playbook
	maxContrast  = 1000    // tasks compared with it, the newest
	maxWatched   = 200     // preceding tools compared
)

// failure is an error of a tool, regardless of its values.
type failure struct {
	tool, error int32
	signature   string
	at          []moment // in the order of the journal
}

// playbooks returns what was done about recurring errors.
//
// An error is the tool that failed and the signature of its output. It is recovered when the
// same tool succeeds later in the task, or otherwise when the task succeeds; the steps until
// then, or in the latter case the steps that followed, are a recovery if they are few enough. A
// prevention is a tool that precedes this tool in tasks without the error, more often than by
// chance (see [fisher]).
//
// A tool's output occurs quoted in the pattern and the symptoms, and in the member signature,
// by which an error is recognised; everything else is names of tools and shapes of calls.
func playbooks(c *corpus) ([]finding, error) {
	tasks := c.tasksByTool()
	seen := newMarks(len(c.tools))
	var out []finding
	for _, f := range c.failures() {
		b := newBook(c, f, tasks[f.tool], &seen)
		found, err := b.finding()
		if err != nil {
			return nil, err
		}
		if b.advises(found.content.(hmx.FailurePlaybook).PreventionStrategies) {
			out = append(out, found)
		}
	}
	return out, nil
}

// failures returns the most frequent errors, in that order.
func (c *corpus) failures() []*failure {
	type key struct{ tool, error int32 }
	known := make(map[key]*failure)
	var all []*failure
	for _, m := range c.order {
		a := &c.tasks[m.task].acts[m.act]
		if a.error == 0 || c.tools[a.tool] == "" || !trace.Telltale(a.Error) {
			continue
		}
		k := key{a.tool, a.error}
		f := known[k]
		if f == nil {
			if len(known) == maxErrors {
				continue
			}
			f = &failure{tool: a.tool, error: a.error, signature: a.Error}
			known[k] = f
			all = append(all, f)
		}
		f.at = append(f.at, m)
	}
	all = slices.DeleteFunc(all, func(f *failure) bool { return len(f.at) < minFailures })
	slices.SortFunc(all, func(a, b *failure) int {
		return cmp.Or(cmp.Compare(len(b.at), len(a.at)), cmp.Compare(a.tool, b.tool), strings.Compare(a.signature, b.signature))
	})
	return all[:min(len(all), maxPlaybooks)]
}

// tasksByTool returns the tasks that call each tool, oldest first.
func (c *corpus) tasksByTool() [][]int32 {
	out := make([][]int32, len(c.tools))
	for i := range c.tasks {
		for _, a := range c.tasks[i].acts {
			if n := len(out[a.tool]); n == 0 || out[a.tool][n-1] != int32(i) {
				out[a.tool] = append(out[a.tool], int32(i))
			}
		}
	}
	return out
}

// book is the counts of an error.
type book struct {
	c     *corpus
	of    *failure
	marks *marks
	name  string // of the tool

	all       tally // over all occurrences
	counted   int
	ended     tally // its tasks, among those counted
	sources   evidence
	before    map[int32]int
	shapes    map[string]int
	next      map[int32]*policy.Chosen
	paths     map[string]*path
	recovered int // occurrences
	lost      int // acts until then
	lostTime  int64
	with      map[int32]bool // tasks in which it occurred
	ways      []int8         // number of acts that led to a recovery, per counted occurrence
	without   []int32        // tasks with the tool and without the error
	spared    tally          // the outcomes of those
	until     int32          // the last counted act
}

// path is a recovery.
type path struct {
	tools   []int32
	shapes  []map[string]int // of the calls of each step
	changed int              // how often the tool finally had another shape
	again   int              // how often it ended with the same tool
	count   int
}

// take counts the shape of a step.
func (p *path) take(i int, shape string) {
	for len(p.shapes) <= i {
		p.shapes = append(p.shapes, make(map[string]int))
	}
	p.shapes[i][shape]++
}

func newBook(c *corpus, f *failure, tasks []int32, m *marks) *book {
	b := &book{
		c: c, of: f, marks: m, name: c.tools[f.tool], counted: counted(len(f.at)), before: make(map[int32]int), shapes: make(map[string]int),
		next: make(map[int32]*policy.Chosen), paths: make(map[string]*path), with: make(map[int32]bool),
	}
	for i, m := range f.at {
		w := &c.tasks[m.task]
		b.all.add(w.Outcome)
		b.sources.newest = max(b.sources.newest, Ref(w.acts[m.act].Step).Time)
		if i < b.counted {
			b.until = w.acts[m.act].rank
			b.ways = append(b.ways, b.count(m))
		}
	}
	b.sources.list = c.eventsAround(f.at[:b.counted], b.ways)
	b.contrast(tasks)
	return b
}

// eventsAround lists the acts at some moments, the given number of acts after each, and the
// judgements of the tasks.
func (c *corpus) eventsAround(at []moment, behind []int8) func(*evidence) {
	return func(e *evidence) {
		for i, m := range at {
			w := &c.tasks[m.task]
			e.refer(&w.Judge)
			for _, a := range w.acts[m.act : m.act+1+int32(behind[i])] {
				e.both(a.Step)
			}
		}
	}
}

// count counts one occurrence of the error, and returns how many acts after it led to a
// recovery.
func (b *book) count(m moment) int8 {
	w := &b.c.tasks[m.task]
	at := w.acts[m.act]
	if !b.with[m.task] {
		b.with[m.task] = true
		b.ended.add(w.Outcome)
		b.sources.from(w.Task)
		b.sources.see(&w.Judge)
	}
	b.sources.takeBoth(at.Step)
	if m.act > 0 {
		b.before[w.acts[m.act-1].tool]++
	} else {
		b.before[-1]++
	}
	b.shapes[at.Shape]++
	b.lostTime += at.Cost
	rest := w.acts[m.act+1:]
	if len(rest) == 0 {
		return 0
	}
	n := b.next[rest[0].tool]
	if n == nil {
		n = &policy.Chosen{Tool: rest[0].Tool}
		b.next[rest[0].tool] = n
	}
	count(n, w.Outcome)
	return b.recover(at, rest, w.Outcome)
}

// recover searches the acts after the error for a recovery, and returns its length.
func (b *book) recover(failed act, rest []act, outcome trace.Outcome) int8 {
	end := slices.IndexFunc(rest, func(a act) bool { return a.state == trace.OK && b.same(failed.tool, a.tool) })
	again := end >= 0
	switch {
	case again:
		b.lost += end
		end++
	case outcome == trace.Succeeded:
		end = min(len(rest), maxPath)
	default:
		return 0
	}
	b.recovered++
	if end > maxPath {
		return 0
	}
	var key strings.Builder
	var tools []int32
	var shapes []string
	for _, a := range rest[:end] {
		b.sources.takeBoth(a.Step)
		if a.State == trace.Broken {
			continue
		}
		if n := len(tools); n > 0 && tools[n-1] == a.tool {
			shapes[n-1] = a.Shape
			continue
		}
		fmt.Fprintf(&key, "%d ", a.tool)
		tools, shapes = append(tools, a.tool), append(shapes, a.Shape)
	}
	if len(tools) == 0 {
		return int8(end)
	}
	p := b.paths[key.String()]
	if p == nil {
		p = &path{tools: tools}
		b.paths[key.String()] = p
	}
	p.count++
	for i, shape := range shapes {
		p.take(i, shape)
	}
	if again {
		p.again++
		if rest[end-1].tool != failed.tool || rest[end-1].Shape != failed.Shape {
			p.changed++
		}
	}
	return int8(end)
}

// same reports whether a tool does what the failed one was for: it is the same, or both write
// files. For a successful edit some agents record the file and not the call.
func (b *book) same(failed, tool int32) bool {
	return tool == failed || b.c.edits[failed] && b.c.edits[tool]
}

// contrast finds the newest tasks with the tool and without the error.
func (b *book) contrast(tasks []int32) {
	for i := len(tasks) - 1; i >= 0 && len(b.without) < maxContrast; i-- {
		w := &b.c.tasks[tasks[i]]
		if b.with[tasks[i]] || !b.spares(w.until(b.until)) {
			continue
		}
		b.without = append(b.without, tasks[i])
		b.spared.add(w.Outcome)
	}
}

// spares reports whether acts have the tool, and not the error.
func (b *book) spares(acts []act) (has bool) {
	for i := range acts {
		if acts[i].tool != b.of.tool {
			continue
		}
		if acts[i].error == b.of.error {
			return false
		}
		has = true
	}
	return has
}

// prevention returns the tools that precede in tasks without the error, the most certain first,
// with their counts in tasks without and with it.
func (b *book) prevention() []tested {
	without, with := make(map[int32]int), make(map[int32]int)
	for _, i := range b.without {
		b.precede(i, without, false)
	}
	for i := range b.with {
		b.precede(i, with, true)
	}
	tools := make([]int32, 0, len(without))
	for tool, n := range without {
		if n >= minFailures && tool != b.of.tool {
			tools = append(tools, tool)
		}
	}
	slices.SortFunc(tools, func(x, y int32) int { return cmp.Or(cmp.Compare(without[y], without[x]), cmp.Compare(x, y)) })
	tools = tools[:min(len(tools), maxWatched)]
	var out []tested
	for _, tool := range tools {
		t := tested{tool: tool, table: table{without[tool], len(b.without) - without[tool], with[tool], len(b.with) - with[tool]}}
		if t.p = t.fisher(); t.p <= significant/float64(len(tools)) {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(x, y tested) int { return cmp.Or(cmp.Compare(x.p, y.p), cmp.Compare(x.tool, y.tool)) })
	return out[:min(len(out), maxPrevented)]
}

// tested is a tool that was compared.
type tested struct {
	tool int32
	table
	p float64
}

// precede counts the tools that succeeded in a task before the first call of the tool, or
// before it first failed with the error.
func (b *book) precede(task int32, counts map[int32]int, broke bool) {
	b.marks.begin()
	acts := b.c.tasks[task].acts
	for i := range acts {
		a := &acts[i]
		if a.tool == b.of.tool && (!broke || a.error == b.of.error) {
			return
		}
		if a.state == trace.OK && b.marks.first(a.tool) {
			counts[a.tool]++
		}
	}
}

// marks is a set of numbers that can be cleared in constant time.
type marks struct {
	seen []int32
	now  int32
}

func newMarks(n int) marks { return marks{seen: make([]int32, n)} }

// begin clears the set.
func (m *marks) begin() { m.now++ }

// first reports whether a number is new, and adds it.
func (m *marks) first(n int32) bool {
	if m.seen[n] == m.now {
		return false
	}
	m.seen[n] = m.now
	return true
}

// severity returns how severe the error is: by how many more tasks failed with it than without,
// how often there was a recovery and how long that was.
func (b *book) severity() string {
	more := 0.0
	if b.ended.judged >= enoughJudged {
		more = share(b.ended.judged-b.ended.succeeded, b.ended.judged) - share(b.spared.judged-b.spared.succeeded, b.spared.judged)
	}
	out := share(b.recovered, b.counted)
	detour := share(b.lost, b.recovered)
	switch {
	case more >= 0.5 && out < 0.5:
		return "critical"
	case more >= 0.25, out < 0.25:
		return "high"
	case more >= 0.1, out < 0.75, detour >= 3:
		return "medium"
	}
	return "low"
}

// recoveries returns the recoveries: first those that say what to do, and among these the most
// common.
func (b *book) recoveries() []*path {
	var out, rest []*path
	for _, p := range b.paths {
		if b.tells(p) {
			out = append(out, p)
		} else {
			rest = append(rest, p)
		}
	}
	byCount := func(x, y *path) int {
		return cmp.Or(cmp.Compare(y.count, x.count), cmp.Compare(len(x.tools), len(y.tools)), slices.Compare(x.tools, y.tools))
	}
	slices.SortFunc(out, byCount)
	slices.SortFunc(rest, byCount)
	out = append(out, rest...)
	return out[:min(len(out), maxPaths)]
}

// steps describes a recovery in words.
func (b *book) steps(p *path) []string {
	var out []string
	for i, tool := range p.tools {
		shape, _ := top(p.shapes[i])
		step := b.c.call(tool, shape)
		switch {
		case !b.same(b.of.tool, tool), b.c.command[tool] && b.otherwise(p):
		case 2*p.changed > p.again:
			step += " again with other arguments"
		default:
			step += " again"
		}
		out = append(out, step)
	}
	return out
}

// otherwise reports whether a recovery ends with the failed command in another shape, so that
// the shape says what to do.
func (b *book) otherwise(p *path) bool {
	if !b.c.command[b.of.tool] || 2*p.changed <= p.again {
		return false
	}
	shape, _ := top(p.shapes[len(p.shapes)-1])
	failed, _ := top(b.shapes)
	return shape != failed
}

// advises reports whether the playbook says what to do: how to prevent the error, or a recovery
// with another step or with the same command in another shape. A recovery that ends with
// another step has to occur twice: what follows an error in a successful task need not be
// because of it.
func (b *book) advises(prevention []string) bool {
	if len(prevention) > 0 {
		return true
	}
	for _, p := range b.paths {
		if b.tells(p) {
			return true
		}
	}
	return false
}

// tells reports whether a recovery says what to do.
func (b *book) tells(p *path) bool {
	if p.again == 0 && p.count < minFailures {
		return false
	}
	return b.otherwise(p) || slices.ContainsFunc(p.tools, func(tool int32) bool { return !b.same(b.of.tool, tool) })
}

// recovery is a recovery in content.
type recovery struct {
	Tools []string `json:"tools"`
	Count int      `json:"count"`
}

// finding makes the finding of the playbook.
func (b *book) finding() (finding, error) {
	quoted := fmt.Sprintf("%q", b.of.signature)
	content := hmx.FailurePlaybook{
		FailurePattern: b.name + " fails and says " + quoted,
		Symptoms:       []string{"the result of " + b.name + " reads " + quoted},
		Severity:       b.severity(),
	}
	prev, often := top(b.before)
	title, triggers := "When "+b.name+" fails", []string(nil)
	if 2*often > b.counted && prev >= 0 {
		triggers = append(triggers, fmt.Sprintf("after %s (%d of %d times)", b.c.tools[prev], often, b.counted))
		title += " after " + b.c.tools[prev]
	}
	if shape, n := top(b.shapes); shape != "" && 2*n >= b.counted {
		as := "called as"
		if b.c.command[b.of.tool] {
			as = "run as"
		}
		triggers = append(triggers, fmt.Sprintf("%s %s (%d of %d times)", as, shape, n, b.counted))
	}
	content.TriggerConditions = triggers
	paths := b.recoveries()
	tags := []string{b.name}
	var ways []recovery
	for i, p := range paths {
		if i == 0 {
			content.RecoverySteps = b.steps(p)
		}
		way := recovery{Tools: []string{}, Count: p.count}
		for _, tool := range p.tools {
			way.Tools = append(way.Tools, b.c.tools[tool])
			tags = append(tags, b.c.tools[tool])
		}
		ways = append(ways, way)
	}
	for _, t := range b.prevention() {
		content.PreventionStrategies = append(content.PreventionStrategies, fmt.Sprintf(
			"%s before %s: done in %d of %d tasks without this error, and in %d of %d with it",
			b.c.call(t.tool, ""), b.name, t.both, t.both+t.causeOnly, t.effectOnly, t.effectOnly+t.none))
	}
	err := b.extend(&content, ways)
	sum := sha256.Sum256([]byte(b.of.signature))
	id := hex.EncodeToString(sum[:4])
	consistency := 0.0
	if len(paths) > 0 {
		consistency = share(paths[0].count, b.counted)
	}
	return finding{
		about: "error " + b.name + " " + id, title: title + " (error " + id + ")", content: content, sources: b.sources, all: b.all,
		summary:     fmt.Sprintf("%s failed %s with this error; %d of them were recovered from; severity %s", b.name, times(b.counted), b.recovered, content.Severity),
		consistency: consistency, tags: tags,
	}, err
}

// extend adds the members that HMX-A does not define.
func (b *book) extend(content *hmx.FailurePlaybook, ways []recovery) error {
	r := policy.Recovery{Tool: b.name, Error: b.of.signature}
	for _, n := range b.next {
		r.Next = append(r.Next, *n)
	}
	slices.SortFunc(r.Next, func(x, y policy.Chosen) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), strings.Compare(x.Tool, y.Tool))
	})
	extra, err := r.Members()
	if err != nil {
		return err
	}
	more, err := members(map[string]any{
		"count": b.counted, "recovered": b.recovered, "recoveries": ways, "tasks": b.ended.all, "judged": b.ended.judged, "succeeded": b.ended.succeeded,
		"cost": map[string]int64{"steps": int64(b.lost), "milliseconds": b.lostTime},
	})
	for name, v := range more {
		extra[name] = v
	}
	content.Extra = extra
	return err
}

// top returns the key with the highest count, the least among equals.
func top[K cmp.Ordered](counts map[K]int) (best K, n int) {
	for k, v := range counts {
		if v > n || v == n && k < best {
			best, n = k, v
		}
	}
	return best, n
}
