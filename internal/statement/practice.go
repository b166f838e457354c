package statement

import (
	"lukasa.dev/internal/english"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// readWays reads a practice of a group, stated as a rule: "we never push to main". The behaviour
// of a group's program is no practice.
func readWays(c english.Clause) (Statement, bool) {
	if _, ok := c.Cut("we do not allow", "we never allow", "we do not permit", "we never permit", "we do not tolerate"); ok {
		return readNone(c.Skip(3))
	}
	if rest, ok := c.Cut("we use", "we only use"); ok {
		if s, ok := readInstead(english.Clause(append([]english.Word{{Low: "use"}}, rest...))); ok && s.Strength == memory.StrengthHard {
			return s, true
		}
		return Statement{}, false
	}
	strength := memory.StrengthHard
	if team, ok := c.Cut("our team", "the team", "this team", "my team"); ok {
		rest, ok := team.Cut("never", "always")
		if verb := rest.At(0).Low; ok && english.Third(verb) {
			return readWays(english.Clause(append([]english.Word{{Low: "we"}, {Low: team.At(0).Low}, {Low: english.Stem(verb)}}, rest[1:]...)))
		}
		return Statement{}, false
	}
	rest, ok := c.Cut("we never ever", "we never", "we always", "we must never", "we must always", "we must not", "we do not ever", "we should never", "we should always", "we shall never")
	if !ok {
		if rest, ok = c.Cut("we do not"); !ok || english.Works()[rest.At(0).Low] || c.Has(english.Anymore()) {
			return Statement{}, false
		}
		strength = memory.StrengthFirm
	}
	verb, object := rest.At(0).Low, rest.Skip(1)
	if rest.Has(english.Yielding()) {
		return Statement{}, false // "but today we have to"
	}
	if !english.Customary()[verb] && !(c.At(1).Low == "must" && english.Entrusted()[verb]) || object.Has(english.Bygone()) || object.Has(english.Data()) || concludes(object) || object.Handed() || object.Has(english.Amiss()) {
		return Statement{}, false
	}
	if verb == "use" || verb == "run" || verb == "test" {
		if english.Determiners()[object.At(0).Low] && !english.Indefinite()[object.At(0).Low] && !(verb != "use" && object.Has(english.Chores())) {
			return Statement{}, false
		}
	}
	return readAct(rest, strength)
}

// concludes reports whether a clause continues with a consequence, so that it describes what
// happens instead of what should happen.
func concludes(c english.Clause) bool {
	for i, w := range c[:max(len(c)-1, 0)] {
		switch c[i+1].Low {
		case "so", "which", "hence", "therefore", "but", "and":
			if next := c.At(i + 2).Low; w.Stop != 0 && !english.Actions()[next] && !english.Fillers()[next] {
				return true
			}
		}
	}
	return false
}

// ruled returns the verb of a rule in its plain form and what it acts on.
func ruled(c english.Clause) (string, english.Clause) {
	for i, w := range c {
		if w.Quoted && !w.Code {
			continue
		}
		low := w.Low
		switch verb := english.Gerund(low, english.Actions()); {
		case low == "force" && (c.At(i+1).Low == "push" || english.DeedNouns[c.At(i+1).Low] == "push" || c.At(i+1).Low == "pushing"):
			return "force-push", c.Skip(i + 2)
		case verb != "" && !english.Actions()[low]:
			return verb, c.Skip(i + 1)
		case english.DeedNouns[low] != "":
			return english.DeedNouns[low], c.Skip(i + 1)
		case i > 0 && w.Code && programs.Spoken()[low] && low != "git":
			return "run", c.Skip(i)
		case i > 0 && english.Third(low) && english.Bare()[c.At(i-1).Low]:
			return english.Stem(low), c.Skip(i + 1)
		case i > 0 && english.Actions()[low]:
			return low, c.Skip(i + 1)
		}
	}
	return c.At(0).Low, c.Skip(1)
}
