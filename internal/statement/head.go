package statement

import (
	"lukasa.dev/internal/english"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// polite takes "could you please" off a question that is none, and reports
// whether it did.
func takePolite(c *english.Clause) bool {
	probe := *c
	english.TakeLead(&probe)
	rest, ok := probe.Cut("can you", "could you", "would you", "will you")
	if !ok {
		return false
	}
	if rest.At(0).Low == "please" {
		rest = rest.Skip(1)
	} else if last := c.At(len(*c) - 1); last.Low != "please" && rest.At(0).Low != "remember" {
		return false
	}
	switch rest.At(0).Low {
	case "always", "never", "remember", "stop":
		*c = rest
		return true
	}
	return false
}

// command reports whether a clause begins with a command between backquotes.
func isCommand(c english.Clause) bool { return c.At(0).Code && programs.Spoken()[c.At(0).Low] }

// readState returns what the clause states.
func readState(c english.Clause) (Statement, bool) {
	if len(c) < 2 || c[0].Quoted && !isCommand(c) {
		return Statement{}, false
	}
	for _, form := range [...]func(english.Clause) (Statement, bool){
		readNote, readForget, readLift, readOnward, readRule, readBarred, readAsked, readSelf, readOwn, readGroup, readHouse, readCalled, readFramed,
	} {
		if s, ok := form(c); ok {
			if !s.Retraction && s.Type != memory.TypeConstraint && english.NamesSecret(c) || s.Subject == "" {
				return Statement{}, false
			}
			return s, true
		}
	}
	return Statement{}, false
}

// readFramed reads a statement for a situation: "when you write Go, never ...", "in
// this repo, always ...". It takes only rules and preferences, and nothing for a
// situation that may not occur ("if").
func readFramed(c english.Clause) (Statement, bool) {
	first := c.At(0).Low
	asks := (first == "when" || first == "if" || first == "whenever" || first == "anytime") && c.At(1).Low == "i" && (english.Sayings()[c.At(2).Low] || english.Pastes()[c.At(2).Low] || english.Sayings()[c.At(3).Low] && english.Stress()[c.At(2).Low] || c.At(2).Low == "ever" && english.Sayings()[c.At(3).Low])
	if first == "if" && c.At(1).Low == "you" && (english.Wishes()[c.At(2).Low] || english.Actions()[c.At(2).Low]) {
		return readProvided(c)
	}
	if !english.Frames()[first] && !asks && !anyTime(c) || c.At(1).Low == "case" || c.At(1).Low == "order" {
		return Statement{}, false
	}
	for i := range min(14, len(c)) {
		if next := c.At(i + 1).Low; c[i].Stop != ',' && !(c[i].Stop == ':' && i > 0 && !english.Recounts(c[:i+1])) && !(i > 0 && (first == "before" || first == "after" || first == "when") && (next == "always" || next == "never")) {
			continue
		}
		frame, rest := c[:i+1], c.Skip(i+1)
		if english.Prepositions()[first] && len(frame) > 7 {
			return Statement{}, false // there is a verb in it
		}
		if english.Past()[frame.At(2).Low] || english.Past()[frame.At(1).Low] || !asks && english.Asides()[frame.At(i).Low] || english.Vague()[frame.At(1).Low] && frame.At(1).Stop != 0 {
			return Statement{}, false
		}
		for english.Fillers()[rest.At(0).Low] {
			rest = rest.Skip(1)
		}
		s, ok := readRule(rest)
		if !ok && asks {
			s, ok = readOrdered(rest)
		}
		if !ok && (first == "whenever" || everyTime(frame) || anyTime(frame) || eachStep(frame)) {
			s, ok = readOrder(rest)
		}
		if !ok && rest.At(0).Low == "i" {
			if s, ok = readSelf(rest); ok && s.Type != memory.TypePreference {
				return Statement{}, false
			}
		}
		if ok && asks {
			s.Subject = english.Subject(s.Subject, frame.Triggers(true))
		} else if ok {
			s.Subject = english.Subject(s.Subject, frame.Skip(1))
		}
		return s, ok
	}
	return Statement{}, false
}

// readProvided reads a rule for what the agent may come to do: "if you need to push, never push
// to main".
func readProvided(c english.Clause) (Statement, bool) {
	for i := range min(10, len(c)) {
		if c[i].Stop != ',' {
			continue
		}
		if _, asks := c.Skip(i+1).Cut("you stop and ask", "stop and ask", "you ask me", "ask me", "you ask first", "ask first", "check with me", "you check with me", "you come to me"); asks {
			deed := c[2 : i+1]
			for english.Wishes()[deed.At(0).Low] || deed.At(0).Low == "to" {
				deed = deed.Skip(1)
			}
			s, ok := readAct(deed.Verbal(), memory.StrengthHard)
			s.Subject = english.Subject("rule", append(deed.DeedWords(), english.Word{Low: "without"}, english.Word{Low: "asking"}))
			return s, ok && c.At(2).Low == "ever"
		}
		return readAbsolute(c.Skip(i + 1))
	}
	return Statement{}, false
}

// anyTime reports whether a clause begins with "any time" or "anytime".
func anyTime(c english.Clause) bool {
	return c.At(0).Low == "anytime" || c.At(0).Low == "any" && c.At(1).Low == "time"
}

// eachStep reports whether a clause begins with "before every" or its like.
func eachStep(c english.Clause) bool {
	return (c.At(0).Low == "before" || c.At(0).Low == "after") && (c.At(1).Low == "every" || c.At(1).Low == "each" || c.At(1).Low == "any")
}

func everyTime(frame english.Clause) bool {
	return (frame.At(0).Low == "every" || frame.At(0).Low == "each") && frame.At(1).Low == "time"
}
