package guide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lukasa.dev/internal/policy"
)

const (
	enough     = 3   // observations of a state in a reason
	maxQuoted  = 3   // words that a reason names
	quotedLift = 1.5 // how much more often than average a tool followed the word
)

// explain fills in the evidence for a tool.
func (m *Model) explain(s *Suggestion, tool int, now *policy.Moment, used []int) {
	var parts []string
	add := func(part string, ids []string) {
		if part == "" {
			return
		}
		parts = append(parts, part)
		for _, id := range ids {
			if !slices.Contains(s.Artifacts, id) {
				s.Artifacts = append(s.Artifacts, id)
			}
		}
	}
	if r := m.recovery(now); r != nil {
		if n := r.of(tool); n > 0 {
			add(fmt.Sprintf("after this error of %s: %d of %d times", now.After, n, r.total), r.ids)
		}
	}
	add(m.stateReason(tool, now))
	add(m.talkReason(tool, now), m.uses[tool].ids)
	if part, id := m.schemaReason(tool, used); part != "" {
		add(part, []string{id})
	}
	if len(parts) == 0 {
		add(fmt.Sprintf("taken %d times in all", m.uses[tool].taken), m.uses[tool].ids)
	}
	s.Reason = strings.Join(parts, "; ")
}

// stateReason describes the narrowest state that has enough observations and includes the
// tool.
func (m *Model) stateReason(tool int, now *policy.Moment) (string, []string) {
	for level := levels - 1; level >= levelAfter; level-- {
		k := keyOf(level, now.State)
		t := m.states[level][k]
		if t == nil || t.total < enough && level > levelAfter {
			continue
		}
		n := t.of(tool)
		if n == 0 {
			continue
		}
		part := fmt.Sprintf("%s: %d of %d times", describe(level, k), n, t.total)
		if p := m.pairs[[2]string{now.After, m.tools[tool]}]; p.Judged > 0 {
			part += fmt.Sprintf(", and %d of %d judged tasks succeeded that took it there", p.Succeeded, p.Judged)
		}
		return part, m.ids[now.After]
	}
	return "", nil
}

// describe returns a state in words.
func describe(level int, k key) string {
	var b strings.Builder
	switch {
	case k.After == "":
		b.WriteString("at the start of a task")
	case k.Failed:
		b.WriteString("after " + k.After + " failed")
	case k.again:
		b.WriteString("after " + k.After + " twice")
	case k.Before != "":
		b.WriteString("after " + k.Before + " and " + k.After)
	default:
		b.WriteString("after " + k.After)
	}
	switch k.Spoke {
	case policy.User:
		b.WriteString(", the user having spoken")
	case policy.Agent:
		b.WriteString(", the agent having spoken")
	case policy.Nobody:
		if k.After != "" {
			b.WriteString(", nobody having spoken")
		}
	}
	if k.Listed {
		b.WriteString(", with values of a list left")
	}
	return b.String()
}

// talkReason names the words with the highest score for a tool.
func (m *Model) talkReason(tool int, now *policy.Moment) string {
	type quoted struct {
		text string
		lift float64
	}
	var words []quoted
	for _, side := range []struct {
		talk  *talk
		words []string
	}{{&m.user, now.User}, {&m.agent, now.Agent}} {
		for _, w := range side.words {
			said := side.talk.heard(w)
			if said == nil {
				continue
			}
			n := said.of(tool)
			lift := side.talk.lift(tool, n, said.total)
			if n >= minSaid && lift >= quotedLift && !slices.ContainsFunc(words, func(q quoted) bool { return strings.HasPrefix(q.text, "\""+w+"\"") }) {
				words = append(words, quoted{fmt.Sprintf("%q (%d of %d times)", w, n, said.total), lift})
			}
		}
	}
	slices.SortFunc(words, func(a, b quoted) int { return cmp.Or(cmp.Compare(b.lift, a.lift), strings.Compare(a.text, b.text)) })
	var texts []string
	for _, w := range words[:min(maxQuoted, len(words))] {
		texts = append(texts, w.text)
	}
	if len(texts) == 0 {
		return ""
	}
	return "the talk is of " + strings.Join(texts, ", ")
}

// schemaReason names the step of a tool in the schema that has most of the tools used so
// far. A schema without one of them belongs to another task.
func (m *Model) schemaReason(tool int, used []int) (part, id string) {
	most := -1
	for i := range m.schemas {
		s := &m.schemas[i]
		at := s.at[m.tools[tool]]
		if at == 0 {
			continue
		}
		common, foreign := 0, false
		for t, n := range used {
			switch {
			case n == 0:
			case s.at[m.tools[t]] > 0:
				common++
			default:
				foreign = true
			}
		}
		if foreign || common <= most {
			continue
		}
		most = common
		part, id = fmt.Sprintf("step %d of %d of %q", at, s.steps, s.title), s.id
	}
	return part, id
}
