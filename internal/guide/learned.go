package guide

import (
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/guide/act"
	"lukasa.dev/internal/policy"
	"lukasa.dev/internal/ruletext"
	"lukasa.dev/internal/trace"
)

const (
	maxSteps    = 3 // most recovery steps and preventions of a playbook in an answer
	minObserved = 3 // fewest tasks of a schema in an answer
)

// playbook is what is known of a failure of a tool.
type playbook struct {
	id, title   string
	tool, error string
	next        []policy.Chosen
	prevent     []string
	recover     []string
}

// choice is a question that was decided, with how each option did.
type choice struct {
	id, title string
	options   []option
}

type option struct {
	text   string
	groups []ruletext.Clause
	rate   float64
	judged int64
	known  bool
}

// following is how tools did that followed another.
type following struct {
	id     string
	chosen []policy.Chosen
}

// cause is what a failure was found to come of.
type cause struct {
	id, text, effect string
	strength         float64
}

// read reads an artifact. It skips one that a check does not use.
func (c *Checker) read(a *hmx.Artifact) {
	switch a.ArtifactType {
	case hmx.TypeFailurePlaybook:
		if p, ok := a.FailurePlaybook(); ok {
			if tool, signature, ok := policy.ReadFailure(&p); ok {
				known := playbook{id: a.ArtifactID, title: a.Title, tool: tool, error: signature, prevent: p.PreventionStrategies, recover: p.RecoverySteps}
				if r, ok := policy.ReadRecovery(&p); ok {
					known.next = r.Next
				}
				c.playbooks = append(c.playbooks, known)
			}
		}
	case hmx.TypeDecisionPolicy:
		if p, ok := a.DecisionPolicy(); ok {
			if f, ok := policy.ReadAfter(&p); ok {
				c.afters[f.Tool] = append(c.afters[f.Tool], following{a.ArtifactID, f.Chosen})
			} else if _, ok := policy.ReadUse(&p); !ok {
				c.choices = append(c.choices, choiceOf(a, &p))
			}
		}
	case hmx.TypeCausalPattern:
		if p, ok := a.CausalPattern(); ok && p.Cause != "" && failure(p.Effect) && !failure(p.Cause) {
			c.causes = append(c.causes, cause{a.ArtifactID, p.Cause, p.Effect, p.Strength.Or(0)})
		}
	case hmx.TypeTaskSchema:
		if s, ok := a.TaskSchema(); ok && a.ObservedCount.Or(0) >= minObserved {
			c.schemas = append(c.schemas, requiredSteps(a, &s))
		}
	}
}

// choiceOf reads a policy in words: what is recommended, and what else there was.
func choiceOf(a *hmx.Artifact, p *hmx.DecisionPolicy) choice {
	c := choice{id: a.ArtifactID, title: a.Title}
	for _, x := range p.Alternatives[:min(len(p.Alternatives), 20)] {
		o := option{text: x.Description, groups: ruletext.Read("never " + x.Description), rate: x.SuccessRate.Or(0), judged: x.ChosenCount.Or(0), known: x.SuccessRate.Set}
		c.options = append(c.options, o)
	}
	best := option{text: p.Recommendation}
	if a.SuccessRate.Set {
		best.rate, best.judged, best.known = a.SuccessRate.Value, a.ObservedCount.Or(0), true
	}
	c.options = append(c.options, best)
	return c
}

// requiredSteps is a schema with the steps that are not optional.
func requiredSteps(a *hmx.Artifact, s *hmx.TaskSchema) schema {
	out := schema{id: a.ArtifactID, title: a.Title, at: make(map[string]int)}
	for _, step := range s.Steps {
		if step.Optional.Or(false) || len(step.ToolsUsed) == 0 {
			continue
		}
		out.steps++
		if tool := step.ToolsUsed[0]; out.at[tool] == 0 {
			out.at[tool] = out.steps
		}
	}
	return out
}

// failure reports whether a text of a causal pattern describes a failure.
func failure(text string) bool {
	for f := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
		switch f {
		case "fail", "fails", "failed", "failing", "failure", "error", "errors", "breaks", "broken", "broke", "crash", "crashes", "timeout", "rejected", "denied":
			return true
		}
	}
	return false
}

// learned asks the artifacts. Their texts make no level, only their counts do.
func (k *checking) learned() {
	k.playbook()
	k.policies()
	for i := range k.causes {
		c := &k.causes[i]
		if !k.isCause(c) {
			continue
		}
		level := OK
		if c.strength >= strongCause {
			level = Caution
		}
		k.add(level, c.id, c.text+": "+c.effect, "it is a known cause of a failure, with a strength of %s", act.Number(c.strength))
	}
	k.schema()
}

// playbook adds reasons from earlier failures of the same action or similar ones.
func (k *checking) playbook() {
	told := 0
	for i := range k.playbooks {
		p := &k.playbooks[i]
		n := k.errors[p.error]
		if n == 0 || !k.line && p.tool != k.v.Tool || told == maxSteps {
			continue
		}
		told++
		k.add(OK, p.id, p.error, "a playbook covers this error, which occurred %s before", howOften(n))
		for _, text := range p.prevent[:min(len(p.prevent), maxSteps)] {
			k.advise(Advice{Text: text, Source: p.id})
		}
		for _, c := range p.next {
			if c.Tool != k.v.Tool && c.Count >= cautionCount {
				k.advise(Advice{Text: c.Tool + ", as " + howOften(int(c.Count)) + " after this error", Tool: c.Tool, Source: p.id})
				break
			}
		}
		if len(p.prevent) == 0 {
			for _, text := range p.recover[:min(len(p.recover), maxSteps)] {
				k.advise(Advice{Text: text, Source: p.id})
			}
		}
	}
}

// policies asks how the planned tool did after the last one, beside the others, and
// whether a decision in words went against it.
func (k *checking) policies() {
	last := ""
	if n := len(k.session); n > 0 {
		last = k.session[n-1].Tool
	}
	for _, a := range k.afters[last] {
		var mine, best policy.Chosen
		for _, c := range a.chosen {
			if c.Tool == k.v.Tool {
				mine = c
			} else if c.Judged >= warnCount && (best.Judged == 0 || c.Succeeded*best.Judged > best.Succeeded*c.Judged) {
				best = c
			}
		}
		if mine.Judged >= warnCount && best.Judged > 0 && best.Rate().Value-mine.Rate().Value >= muchBetter {
			k.add(Caution, a.id, "", "at this point it was %s, and %s was %s", mine, best.Tool, best)
			k.advise(Advice{Text: best.Tool, Tool: best.Tool, Source: a.id})
		}
	}
	for i := range k.choices {
		c := &k.choices[i]
		best := c.options[len(c.options)-1]
		for j := range c.options[:len(c.options)-1] {
			o := &c.options[j]
			if !o.known || !best.known || o.judged < warnCount || best.judged < warnCount || best.rate-o.rate < muchBetter || !k.is(o) {
				continue
			}
			k.add(Caution, c.id, o.text, "a decision prefers another option: this one succeeded in %s of %s cases, the recommended one in %s", percent(o.rate), act.Number(float64(o.judged)), percent(best.rate))
			k.advise(Advice{Text: best.text, Source: c.id})
			break
		}
	}
}

func percent(rate float64) string { return act.Number(float64(int(float64(rate*100)+0.5))) + " %" }

// is reports whether the action is what an option says.
func (k *checking) is(o *option) bool {
	for i := range o.groups {
		for _, a := range k.acts {
			if speaks(&o.groups[i], a) == against {
				return true
			}
		}
	}
	return false
}

// isCause reports whether the cause of a pattern names the action: its tool, or of a
// command line its commands.
func (k *checking) isCause(c *cause) bool {
	name := k.v.Tool
	if k.line {
		name = strings.TrimSpace(commandsOf(k.v.Shape))
		if strings.ContainsAny(name, "&|") {
			return false
		}
	}
	if name == "" || name == trace.ToolUnnamed {
		return false
	}
	rest, ok := strings.CutPrefix(strings.ToLower(c.text), strings.ToLower(name))
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == ',' || rest[0] == ':')
}

// schema tells which steps come before it in the schema that has most of what was done.
func (k *checking) schema() {
	if k.session == nil {
		return
	}
	var best *schema
	most := 0
	for i := range k.schemas {
		s := &k.schemas[i]
		if s.at[k.v.Tool] <= 1 {
			continue
		}
		common := 0
		for tool := range s.at {
			if slices.ContainsFunc(k.session, func(d Doing) bool { return d.Tool == tool }) {
				common++
			}
		}
		if common > most {
			best, most = s, common
		}
	}
	if best == nil {
		return
	}
	var open []string
	for tool, n := range best.at {
		if n < best.at[k.v.Tool] && !slices.ContainsFunc(k.session, func(d Doing) bool { return d.Tool == tool }) {
			open = append(open, tool)
		}
	}
	if len(open) == 0 {
		return
	}
	slices.SortFunc(open, func(a, b string) int { return best.at[a] - best.at[b] })
	k.add(OK, best.id, "", "in tasks like this one, %s comes before it", strings.Join(open[:min(len(open), maxSteps)], ", "))
}
