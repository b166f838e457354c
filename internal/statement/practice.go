package statement

import (
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// ways reads how a group works, said as a rule: "we never push to main". What a group's
// program does, or fails to do, is none.
func (c clause) ways() (Statement, bool) {
	if _, ok := c.cut("we do not allow", "we never allow", "we do not permit", "we never permit", "we do not tolerate"); ok {
		return c.skip(3).none()
	}
	if rest, ok := c.cut("we use", "we only use"); ok {
		if s, ok := (clause{append([]word{{low: "use"}}, rest.words...)}).instead(); ok && s.Strength == memory.StrengthHard {
			return s, true
		}
		return Statement{}, false
	}
	strength := memory.StrengthHard
	if team, ok := c.cut("our team", "the team", "this team", "my team"); ok {
		rest, ok := team.cut("never", "always")
		if verb := rest.at(0).low; ok && third(verb) {
			return clause{append([]word{{low: "we"}, {low: team.at(0).low}, {low: stem(verb)}}, rest.words[1:]...)}.ways()
		}
		return Statement{}, false
	}
	rest, ok := c.cut("we never ever", "we never", "we always", "we must never", "we must always", "we must not", "we do not ever", "we should never", "we should always", "we shall never")
	if !ok {
		if rest, ok = c.cut("we do not"); !ok || works()[rest.at(0).low] || c.has(anymore()) {
			return Statement{}, false
		}
		strength = memory.StrengthFirm
	}
	verb, object := rest.at(0).low, rest.skip(1)
	if rest.has(yielding()) {
		return Statement{}, false // "but today we have to"
	}
	if !customary()[verb] && !(c.at(1).low == "must" && entrusted()[verb]) || object.has(bygone()) || object.has(data()) || object.concludes() || object.handed() || object.has(amiss()) {
		return Statement{}, false
	}
	if verb == "use" || verb == "run" || verb == "test" {
		if determiners()[object.at(0).low] && !indefinite()[object.at(0).low] && !(verb != "use" && object.has(chores())) {
			return Statement{}, false
		}
	}
	return rest.act(strength)
}

// handed reports whether a clause points at what is at hand, other than where the group
// works.
func (c clause) handed() bool {
	for i, w := range c.words {
		if w.low == "this" && i > 0 && prepositions()[c.words[i-1].low] && (houses()[c.at(i+1).low] || hosts()[c.at(i+1).low]) {
			c = clause{c.words[:i]}
			break
		}
	}
	return c.isAtHand()
}

// concludes reports whether a clause goes on with what follows from it, by which it
// tells what happens instead of what is to happen.
func (c clause) concludes() bool {
	for i, w := range c.words[:max(len(c.words)-1, 0)] {
		switch c.words[i+1].low {
		case "so", "which", "hence", "therefore", "but", "and":
			if next := c.at(i + 2).low; w.stop != 0 && !actions()[next] && !fillers()[next] {
				return true
			}
		}
	}
	return false
}

// ruled returns the verb of a rule in its plain form and what it acts on.
func (c clause) ruled() (string, clause) {
	for i, w := range c.words {
		if w.quoted && !w.code {
			continue
		}
		low := w.low
		switch verb := gerund(low, actions()); {
		case low == "force" && (c.at(i+1).low == "push" || deeds[c.at(i+1).low] == "push" || c.at(i+1).low == "pushing"):
			return "force-push", c.skip(i + 2)
		case verb != "" && !actions()[low]:
			return verb, c.skip(i + 1)
		case deeds[low] != "":
			return deeds[low], c.skip(i + 1)
		case i > 0 && w.code && programs.Spoken()[low] && low != "git":
			return "run", c.skip(i)
		case i > 0 && third(low) && bare()[c.at(i-1).low]:
			return stem(low), c.skip(i + 1)
		case i > 0 && actions()[low]:
			return low, c.skip(i + 1)
		}
	}
	return c.at(0).low, c.skip(1)
}
