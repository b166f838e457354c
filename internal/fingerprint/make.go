package fingerprint

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/policy"
	"lukasa.dev/internal/trace"
)

// Input is what a fingerprint is made from.
type Input struct {
	Tenant, Agent string
	Root          string // of the tenant's tree, hexadecimal; may be empty
	Size          int64  // of that tree
	// Artifacts are the active ones.
	Artifacts []*hmx.Artifact
	// Traces are those of the agent's sessions, the parts of a long one in order.
	Traces iter.Seq[*trace.Trace]
	// Entities is the number of entities of each kind, and Links how often two were named
	// together. Names are hashed.
	Entities []Kind
	Links    []Link
	// Uses are what was shown and what was useful, by section, source type, tag and id.
	Uses Usage
}

// Link is two entities that were named together.
type Link struct {
	A, B  string
	Count int64
}

// Make returns the fingerprint of an input.
func Make(in Input) (*Fingerprint, error) {
	f := &Fingerprint{Format: Format}
	m := maker{tools: map[string]*Tool{}, follows: map[[2]string]int64{}, errors: map[[2]string]*Error{}, words: map[string]*wordCount{}}
	if in.Traces != nil {
		for t := range in.Traces {
			if t != nil {
				m.trace(t)
			}
		}
	}
	m.behaviour(f)
	f.Origins = joined(MaxOrigins, []Origin{{ID: hashed("origin", in.Tenant, in.Agent), Root: rootOf(in.Root), Size: whole(in.Size), Events: whole(m.events)}})
	var artifacts []Artifact
	for _, a := range in.Artifacts {
		if a != nil {
			artifacts = append(artifacts, summary(a))
		}
	}
	f.Artifacts = joined(MaxArtifacts, artifacts)
	f.Graph = graphOf(in.Entities, in.Links)
	f.Uses = Usage{
		Sections: uses(len(hmx.Sections()), in.Uses.Sections, func(n string) bool { return slices.Contains(hmx.Sections(), hmx.Section(n)) }),
		Sources:  uses(len(hmx.SourceTypes()), in.Uses.Sources, func(n string) bool { return slices.Contains(hmx.SourceTypes(), hmx.SourceType(n)) }),
		Tags:     uses(MaxTags, in.Uses.Tags, func(n string) bool { return named(n, maxName) }),
		Things:   uses(MaxThings, in.Uses.Things, func(n string) bool { return identifier(n) }),
	}
	return f, f.seal()
}

// whole clamps a size to the safe integers of JSON.
func whole(n int64) int64 { return min(max(n, 0), 1<<53) }

// rootOf returns a root, or nothing if it is invalid.
func rootOf(root string) string {
	if !hexadecimal(root, 64) {
		return ""
	}
	return root
}

// maker counts traces.
type maker struct {
	events                   int64
	tasks, judged, succeeded int64
	tools                    map[string]*Tool
	follows                  map[[2]string]int64
	errors                   map[[2]string]*Error // by tool and signature
	words                    map[string]*wordCount
	sessions                 int64
}

// wordCount is the number of tasks and sessions with a word, and its last session.
type wordCount struct{ tasks, sessions, last int64 }

func (m *maker) trace(t *trace.Trace) {
	m.events += int64(t.Events)
	if t.Part == 0 {
		m.sessions++
	}
	for i := range t.Tasks {
		m.task(&t.Tasks[i])
	}
}

func (m *maker) task(t *trace.Task) {
	m.tasks++
	judged, succeeded := int64(0), int64(0)
	if t.Outcome != trace.Unknown {
		judged = 1
	}
	if t.Outcome == trace.Succeeded {
		succeeded = 1
	}
	m.judged += judged
	m.succeeded += succeeded
	for _, w := range t.Words {
		m.word(w)
	}
	before := ""
	for step := range policy.Acts(t) {
		n := int64(max(1, step.Times))
		name := nameOf("tool", step.Tool, maxName)
		tool := m.tools[name]
		if tool == nil {
			tool = &Tool{Name: name}
			m.tools[name] = tool
		}
		tool.Taken += n
		tool.Judged += n * judged
		tool.Succeeded += n * succeeded
		switch step.State {
		case trace.OK:
			tool.Went += n
		case trace.Broken:
			tool.Broke += n
			m.broke(name, step.Error, n, succeeded)
		}
		m.follows[[2]string{before, name}]++
		before = name
	}
}

func (m *maker) broke(tool, signature string, n, succeeded int64) {
	if signature == "" {
		return
	}
	k := [2]string{tool, signature}
	e := m.errors[k]
	if e == nil {
		e = &Error{Tool: tool, Signature: hashed("error", signature)}
		m.errors[k] = e
	}
	e.Count += n
	e.Mended += n * succeeded
}

// word counts a word of a goal, at most once per task.
func (m *maker) word(text string) {
	if !common(text) {
		return
	}
	w := m.words[text]
	if w == nil {
		w = &wordCount{}
		m.words[text] = w
	}
	w.tasks++
	if w.last != m.sessions {
		w.last = m.sessions
		w.sessions++
	}
}

// common reports whether a text may be a common word: a few letters only.
func common(text string) bool {
	if len(text) < 3 || len(text) > maxWord || !utf8.ValidString(text) {
		return false
	}
	for _, r := range text {
		if !unicode.IsLetter(r) || unicode.ToLower(r) != r {
			return false
		}
	}
	return true
}

func (m *maker) behaviour(f *Fingerprint) {
	b := &f.Behaviour
	b.Tasks, b.Judged, b.Succeeded = count(m.tasks), count(m.judged), count(m.succeeded)
	var tools []Tool
	for _, t := range m.tools {
		tools = append(tools, Tool{t.Name, count(t.Taken), count(t.Went), count(t.Broke), count(t.Judged), count(t.Succeeded)})
	}
	b.Tools = joined(MaxTools, tools)
	var follows []Follow
	for k, n := range m.follows {
		follows = append(follows, Follow{k[0], k[1], count(n)})
	}
	b.Follows = joined(MaxFollows, follows)
	var errors []Error
	for _, e := range m.errors {
		errors = append(errors, Error{e.Signature, e.Tool, count(e.Count), count(e.Mended)})
	}
	b.Errors = joined(MaxErrors, errors)
	var words []Word
	for text, w := range m.words {
		if w.tasks >= MinWordTasks && w.sessions >= MinWordSessions {
			words = append(words, Word{text, count(w.tasks), count(w.sessions)})
		}
	}
	f.Words = joined(MaxWords, words)
}

// graphOf counts kinds, and pairs by the hashes of their names.
func graphOf(entities []Kind, links []Link) Graph {
	kinds := map[string]int64{}
	for _, e := range entities {
		if named(e.Name, maxName) && e.Count > 0 {
			kinds[e.Name] = count(kinds[e.Name] + count(e.Count))
		}
	}
	pairs := map[[2]string]int64{}
	for _, l := range links {
		a, b := hashed("entity", l.A), hashed("entity", l.B)
		if a == b || l.Count <= 0 {
			continue
		}
		k := [2]string{min(a, b), max(a, b)}
		pairs[k] = count(pairs[k] + count(l.Count))
	}
	var g Graph
	var listed []Kind
	for name, n := range kinds {
		listed = append(listed, Kind{name, n})
	}
	var paired []Pair
	for k, n := range pairs {
		paired = append(paired, Pair{k[0], k[1], n})
	}
	g.Kinds, g.Pairs = joined(MaxKinds, listed), joined(MaxPairs, paired)
	return g
}

// uses returns the counts of what was shown, for valid names.
func uses(most int, list []Use, good func(string) bool) []Use {
	sums := map[string]Use{}
	for _, u := range list {
		if !good(u.Name) || u.Shown <= 0 {
			continue
		}
		s := sums[u.Name]
		s.Name, s.Shown = u.Name, count(s.Shown+count(u.Shown))
		s.Used = min(count(s.Used+count(u.Used)), s.Shown)
		sums[u.Name] = s
	}
	var out []Use
	for _, u := range sums {
		out = append(out, u)
	}
	return joined(most, out)
}

// identifier reports whether a text looks like an id: a name, or one that begins with a digit.
func identifier(v string) bool {
	return v != "" && len(v) <= maxID && named("x"+v, maxID+1)
}

// summary returns the summary of an artifact.
func summary(a *hmx.Artifact) Artifact {
	s := Artifact{
		ID: a.ArtifactID, Type: string(a.ArtifactType), Version: max(1, whole(a.Version)), ContentHash: a.ContentHash,
		Title: titleOf(a), Confidence: share(a.Confidence), Observed: count(a.ObservedCount.Or(int64(len(a.SourceEvents)))), SuccessRate: -1,
	}
	if !identifier(s.ID) {
		s.ID = "artifact:" + hashed("artifact", s.ID)
	}
	if !slices.Contains(hmx.ArtifactTypes(), a.ArtifactType) && !(named(s.Type, maxType) && hmx.CustomType(s.Type)) {
		s.Type = "x-other-type"
	}
	if !hexadecimal(s.ContentHash, 64) {
		s.ContentHash = ""
	}
	if a.SuccessRate.Set {
		s.SuccessRate = share(a.SuccessRate.Value)
	}
	return s
}

// titleOf makes a title for an artifact from tool names alone: its own title may quote a user.
func titleOf(a *hmx.Artifact) string {
	var tools []string
	switch a.ArtifactType {
	case hmx.TypeTaskSchema:
		if c, ok := a.TaskSchema(); ok {
			for _, s := range c.Steps {
				tools = append(tools, s.ToolsUsed[:min(1, len(s.ToolsUsed))]...)
			}
		}
	case hmx.TypeStrategyTemplate:
		if c, ok := a.StrategyTemplate(); ok {
			for _, p := range c.Phases {
				tools = append(tools, p.ToolsUsed[:min(1, len(p.ToolsUsed))]...)
			}
		}
	case hmx.TypeFailurePlaybook:
		if c, ok := a.FailurePlaybook(); ok {
			if r, ok := policy.ReadRecovery(&c); ok {
				tools = append(tools, r.Tool, r.Next[0].Tool)
			}
		}
	case hmx.TypeDecisionPolicy:
		if c, ok := a.DecisionPolicy(); ok {
			if p, ok := policy.ReadAfter(&c); ok {
				tools = append(tools, p.Tool, p.Best().Tool)
			} else if u, ok := policy.ReadUse(&c); ok {
				tools = append(tools, u.Chosen.Tool)
			}
		}
	}
	return joinedNames(tools)
}

// joinedNames returns sorted tool names, as many as fit.
func joinedNames(tools []string) string {
	var b strings.Builder
	for _, tool := range tools[:min(len(tools), 64)] {
		if tool == "" {
			continue
		}
		name := nameOf("tool", tool, maxName)
		if b.Len()+len(name)+len(" > ") > maxTitle {
			break
		}
		if b.Len() > 0 {
			b.WriteString(" > ")
		}
		b.WriteString(name)
	}
	return b.String()
}
