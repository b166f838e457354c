package statement

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/memory"
)

func fact(subject string) (Statement, bool) {
	return Statement{Type: memory.TypeFact, Subject: subject}, subject != ""
}

func taste(polarity memory.Polarity, subject string) (Statement, bool) {
	return Statement{Type: memory.TypePreference, Strength: memory.StrengthFirm, Polarity: polarity, Subject: subject}, subject != ""
}

// readSelf reads what users say of themselves in the first person.
func readSelf(c english.Clause) (Statement, bool) {
	if rest, ok := c.Cut("call me", "you can call me", "please call me", "i go by", "i am called", "everyone calls me"); ok {
		if first := rest.At(0); first.Capital && !english.Calendar()[first.Low] && first.Low != "asap" && len(rest) <= 6 {
			return fact("user/name")
		}
		return Statement{}, false
	}
	if c.At(0).Low != "i" {
		return Statement{}, false
	}
	for _, form := range [...]func(english.Clause) (Statement, bool){
		readPrefers, readLikes, readHabit, readChanged, readDwells, readIs, readDoes, readWants, readDecided,
	} {
		if s, ok := form(c); ok {
			return s, true
		}
	}
	return Statement{}, false
}

// readPrefers reads "I prefer X", with what X is preferred to.
func readPrefers(c english.Clause) (Statement, bool) {
	rest, ok := c.Cut("i prefer", "i much prefer", "i would prefer", "i would rather", "i would much rather", "i tend to prefer")
	if !ok {
		return Statement{}, false
	}
	conditional := c.At(1).Low == "would"
	if rest.At(0).Low == "you" || rest.At(0).Low == "that" && rest.At(1).Low == "you" {
		rest = rest.Skip(1)
		s, ok := taste(memory.PolarityLike, english.Subject("user/taste", rest))
		return s, ok && !rest.AtHand() && !rest.Has(english.Definite()) && !rest.Has(english.Courtesy())
	}
	if last := rest.At(len(rest) - 1).Low; last == "instead" {
		return Statement{}, false
	}
	first := rest.At(0).Low
	if first == "not" || english.Vague()[first] || chosen(rest) || rest.Pointed() {
		return Statement{}, false
	}
	if conditional && (first == "a" || first == "an" || rest.AtHand() || rest[:min(2, len(rest))].Has(english.Definite()) || c.Has(english.TurnsOut()) || slices.ContainsFunc(c, func(w english.Word) bool { return english.Payments()[w.Low] })) {
		return Statement{}, false
	}
	one, other := rest, english.Clause{}
	for i, w := range rest {
		if i > 0 && (w.Low == "over" || w.Low == "to" && first != "to" || w.Low == "than" || w.Low == "instead") {
			one, other = rest[:i], rest.Skip(i+1).Head()
			break
		}
	}
	if first == "to" || conditional && english.Actions()[first] {
		one, other = rest, english.Clause{}
	}
	s, ok := taste(memory.PolarityLike, english.Subject("user/taste", one.Thought()))
	if len(other) > 0 {
		s.Replaces = english.Subject("user/taste", other)
	}
	return s, ok
}

// readLikes reads general likes and dislikes, not those of the current object.
func readLikes(c english.Clause) (Statement, bool) {
	polarity := memory.PolarityDislike
	rest, ok := c.Cut("i hate", "i dislike", "i detest", "i can not stand", "i do not like", "i do not enjoy", "i am not a fan of", "i do not care for", "i am not a big fan of")
	if ok && rest.At(0).Low == "it" && rest.At(1).Low == "when" && rest.At(2).Low == "you" {
		return taste(polarity, english.Subject("user/taste", rest.Skip(2)))
	}
	if !ok {
		polarity = memory.PolarityLike
		if rest, ok = c.Cut("i like", "i love", "i enjoy", "i adore", "i am a fan of", "i am a big fan of", "i am a huge fan of", "i always like", "i always love"); !ok {
			return Statement{}, false
		}
	}
	first := rest.At(0).Low
	if first == "not" || english.Vague()[first] || english.Determiners()[first] && !english.Indefinite()[first] || english.Determiners()[rest.At(1).Low] && first != "to" && english.Determiners()[first] || english.Untold()[first] {
		return Statement{}, false
	}
	if rest.Has(english.Addressed()) || rest.Pointed() || rest.Thought().Has(english.Pointing()) {
		return Statement{}, false
	}
	if first == "to" && (polarity == memory.PolarityDislike || english.Untold()[rest.At(1).Low]) {
		return Statement{}, false
	}
	return taste(polarity, english.Subject("user/taste", rest.Thought()))
}

// readHabit reads what users always or never do, if it expresses a taste.
func readHabit(c english.Clause) (Statement, bool) {
	polarity := memory.PolarityLike
	rest, ok := c.Cut("i always", "i usually only", "i only ever", "i only")
	if !ok {
		polarity = memory.PolarityDislike
		if rest, ok = c.Cut("i never", "i do not", "i do not ever"); !ok {
			return Statement{}, false
		}
	}
	if !english.Customs()[rest.At(0).Low] || len(rest) < 2 || english.Vague()[rest.At(1).Low] || english.Determiners()[rest.At(1).Low] && !english.Indefinite()[rest.At(1).Low] || rest.AtHand() {
		return Statement{}, false
	}
	if rest.At(0).Low == "want" {
		if rest.At(1).Low == "you" || rest.At(1).Low == "to" {
			return Statement{}, false
		}
	}
	return taste(polarity, english.Subject("user/custom", rest))
}

// readChanged reads what users say is no longer so.
func readChanged(c english.Clause) (Statement, bool) {
	if rest, ok := c.Cut("i no longer"); ok || c.Has(english.Anymore()) {
		if !ok {
			if rest, ok = c.Cut("i do not"); !ok {
				return Statement{}, false
			}
		}
		return readEnded(rest)
	}
	if rest, ok := c.Cut("i stopped", "i quit", "i have stopped", "i gave up"); ok {
		base := english.Gerund(rest.At(0).Low, english.Customs())
		if base == "" || english.Vague()[rest.At(1).Low] {
			return Statement{}, false
		}
		s, ok := taste(memory.PolarityDislike, english.Subject("user/custom", append([]english.Word{{Low: base}}, rest[1:]...)))
		s.Correction = true
		return s, ok
	}
	if rest, ok := c.Cut("i changed my", "i have changed my", "i updated my"); ok {
		for i, w := range rest {
			if w.Low == "to" && i > 0 && i < 5 && attribute(rest[:i]) == valueOf {
				s, ok := fact(english.Subject("user", rest[:i]))
				s.Correction = true
				return s, ok
			}
		}
	}
	if rest, ok := c.Cut("i switched", "i have switched", "i migrated", "i have migrated"); ok {
		return readSwitched(rest, "user")
	}
	return Statement{}, false
}

// readEnded reads what follows "no longer".
func readEnded(c english.Clause) (Statement, bool) {
	verb, object := c.At(0).Low, c.Skip(1)
	if english.Vague()[object.At(0).Low] {
		return Statement{}, false
	}
	var s Statement
	ok := false
	switch {
	case verb == "live" && object.At(0).Low == "in" && object.At(1).Capital:
		s, ok = fact("user/home")
	case verb == "work" && (object.At(0).Low == "at" || object.At(0).Low == "for"):
		s, ok = fact("user/employer")
	case verb == "use" && !english.Determiners()[object.At(0).Low]:
		s, ok = fact(english.Subject("user/uses", object.Head()))
	case english.Likings()[verb] && !english.Determiners()[object.At(0).Low]:
		s, ok = taste(memory.PolarityDislike, english.Subject("user/taste", english.TrimAnymore(object.Thought())))
	case english.Customs()[verb] && !english.Determiners()[object.At(0).Low] && len(object) > 0:
		s, ok = taste(memory.PolarityDislike, english.Subject("user/custom", c.Head()))
	}
	s.Correction = true
	return s, ok
}

// readDwells reads where users live, work and come from.
func readDwells(c english.Clause) (Statement, bool) {
	if rest, ok := c.Cut("i live in", "i live near", "i am based in", "i am located in", "i now live in", "i reside in", "i am living in", "i currently live in"); ok {
		if rest.BeginsName() {
			return fact("user/home")
		}
		return Statement{}, false
	}
	if rest, ok := c.Cut("i moved to", "i have moved to", "i relocated to", "i have relocated to", "i moved from", "i recently moved to"); ok {
		if rest.BeginsName() {
			s, ok := fact("user/home")
			s.Correction = true
			return s, ok
		}
		return Statement{}, false
	}
	if rest, ok := c.Cut("i am from", "i come from", "i grew up in", "i was born in", "i was born on"); ok {
		if rest.BeginsName() {
			if c.At(2).Low == "born" {
				return fact("user/birth")
			}
			return fact("user/origin")
		}
		return Statement{}, false
	}
	if rest, ok := c.Cut("i work at", "i work for", "i now work at", "i now work for", "i started working at", "i started working for"); ok {
		s, _ := fact("user/employer")
		s.Correction = c.At(1).Low != "work"
		return s, rest.BeginsName() || english.Indefinite()[rest.At(0).Low] && rest.At(0).Low != "my"
	}
	if rest, ok := c.Cut("i work as a", "i work as an", "i work as the"); ok {
		if len(rest) > 0 {
			return fact("user/role")
		}
	}
	return Statement{}, false
}

// readIs reads what users are.
func readIs(c english.Clause) (Statement, bool) {
	rest, ok := c.Cut("i am")
	if !ok {
		return Statement{}, false
	}
	if object, ok := rest.Cut("allergic to", "intolerant to", "severely allergic to"); ok {
		s, ok := fact(english.Subject("user/allergy", object.Head()))
		return s, ok && !english.Vague()[object.At(0).Low] && !english.Determiners()[object.At(0).Low]
	}
	for i := range min(3, len(rest)) {
		if subject := english.Conditions[rest[i].Low]; subject != "" && (i == 0 || rest.At(i-1).Low == "a" || rest.At(i-1).Low == "strictly" || rest.At(i-1).Low == "lactose") {
			if w := rest[i]; i == len(rest)-1 || w.Stop != 0 || english.Turns()[rest.At(i+1).Low] {
				return fact(subject)
			}
		}
	}
	if rest.At(0).Low == "a" || rest.At(0).Low == "an" || rest.At(0).Low == "the" {
		for i := 1; i < min(6, len(rest)); i++ {
			if english.Roles()[rest[i].Low] {
				return fact("user/role")
			}
			if rest[i].Low == "member" {
				return fact(english.Subject("user/member", rest[1:i]))
			}
			if rest[i].Stop != 0 {
				break
			}
		}
		return Statement{}, false
	}
	if isFullName(rest) {
		return fact("user/name")
	}
	return Statement{}, false
}

// named reports whether a first and a last name follow, and then a mark or the
// end.
func isFullName(c english.Clause) bool {
	if len(c) < 2 || !c.At(0).Capital || !c.At(1).Capital || c.At(0).Stop != 0 {
		return false
	}
	for _, w := range c[:2] {
		if strings.IndexFunc(w.Low, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' }) >= 0 || english.SentenceCase()[w.Low] || english.Ranks()[w.Low] || english.Peoples()[w.Low] {
			return false
		}
	}
	return len(c) == 2 || c.At(1).Stop != 0 || english.Turns()[c.At(2).Low]
}

// readDoes reads what users have, use, speak and do for a living.
func readDoes(c english.Clause) (Statement, bool) {
	if rest, ok := c.Cut("i speak"); ok {
		if rest.At(0).Capital || rest.At(1).Capital {
			return fact(english.Subject("user/speaks", rest.Head()))
		}
		return Statement{}, false
	}
	if rest, ok := c.Cut("i have"); ok {
		if !english.Counts()[rest.At(0).Low] {
			return Statement{}, false
		}
		for i := 1; i < min(4, len(rest)); i++ {
			if english.Kin()[rest[i].Low] {
				return fact("user/has/" + strings.TrimSuffix(rest[i].Low, "s"))
			}
			if rest[i].Stop != 0 {
				break
			}
		}
		return Statement{}, false
	}
	rest, ok := c.Cut("i use", "i mostly use", "i mainly use", "i primarily use", "i run", "i drive", "i own", "i maintain", "i study", "i teach", "i develop in", "i code in", "i program in", "i write code in")
	if !ok {
		return Statement{}, false
	}
	first := rest.At(0).Low
	if english.Vague()[first] || english.Untold()[first] || english.Determiners()[first] && first != "a" && first != "an" || rest.AtHand() || rest.Has(english.Addressed()) || rest.Has(english.Pointing()) || first == "out" || first == "into" || first == "to" {
		return Statement{}, false
	}
	return fact(english.Subject("user/uses", rest.Head()))
}

// readWants reads goals: what is to be reached by a time that is not near.
func readWants(c english.Clause) (Statement, bool) {
	rest, ok := c.Cut("i want to", "i plan to", "i aim to", "i am trying to", "i hope to", "i am planning to", "i am working towards", "i am working toward", "i would like to")
	if !ok || !english.Reaches()[rest.At(0).Low] || !hasDeadline(rest) || rest.AtHand() || rest.At(0).Low == "be" && rest.At(1).Low != "able" {
		return Statement{}, false
	}
	return Statement{Type: memory.TypeGoal, Subject: english.Subject("user/goal", rest)}, true
}

// hasDeadline reports whether a clause names a time that is not near: "by June", "by the end of
// 2031", "within two years".
func hasDeadline(c english.Clause) bool {
	if c.Has(english.Deadlines()) {
		return true
	}
	for i := range c {
		rest := c.Skip(i + 1)
		switch c[i].Low {
		case "by":
			if end, ok := rest.Cut("the end of", "end of"); ok {
				rest = end
			}
			for rest.At(0).Low == "the" || rest.At(0).Low == "this" || rest.At(0).Low == "next" {
				rest = rest.Skip(1)
			}
			if w := rest.At(0); isYear(w.Low) || english.Seasons()[w.Low] || english.Spans()[w.Low] || english.Months()[w.Low] || w.Low == "may" && w.Capital {
				return true
			}
		case "within", "next":
			if english.Spans()[rest.At(0).Low] && c[i].Low == "within" || english.Spans()[rest.At(1).Low] {
				return true
			}
		}
	}
	return false
}

// isYear reports whether a word is the number of a year.
func isYear(low string) bool {
	if len(low) != 4 || low < "1900" || low > "2999" {
		return false
	}
	_, err := strconv.Atoi(low)
	return err == nil
}

// chosen reports whether a clause selects one of several offers: "the blue one", "the cheapest",
// "version b". "The" with a single word does so, too.
func chosen(c english.Clause) bool {
	if c.Has(english.Choices()) {
		return true
	}
	for i, w := range c {
		next := c.At(i + 1)
		if english.Lettered()[w.Low] && (len(next.Low) == 1 || next.Low != "" && english.Digit(next.Low[0])) {
			return true
		}
		if w.Low != "the" {
			continue
		}
		if i == 0 && len(c) == 2 || english.Comparatives()[next.Low] || len(next.Low) > 5 && strings.HasSuffix(next.Low, "est") {
			return true
		}
		for k := i + 1; k < min(i+4, len(c)); k++ {
			if low := c[k].Low; low == "one" || low == "ones" || low == "option" {
				return true
			}
		}
	}
	return false
}

// readDecided reads what was decided about how to work.
func readDecided(c english.Clause) (Statement, bool) {
	who := "user"
	rest, ok := c.Cut("i decided", "i have decided")
	if !ok {
		who = "project"
		if rest, ok = c.Cut("we decided", "we have decided", "we agreed", "we have agreed", "the team decided", "the team has decided", "the team agreed"); !ok {
			return Statement{}, false
		}
	}
	if rest.Has(english.Bygone()) {
		return Statement{}, false
	}
	object := rest.Skip(1)
	switch rest.At(0).Low {
	case "to":
		if object.At(0).Low == "not" {
			object = object.Skip(1)
		}
		if object.At(0).Low == "go" && object.At(1).Low == "with" || object.At(0).Low == "stick" && object.At(1).Low == "with" {
			return using(who, object.Skip(2))
		}
		if object.At(0).Low == "use" || object.At(0).Low == "adopt" {
			return using(who, object.Skip(1))
		}
		if !english.Resolves()[object.At(0).Low] || english.Vague()[object.At(1).Low] {
			return Statement{}, false
		}
	case "not":
		object = object.Skip(1)
		if !english.Resolves()[object.At(0).Low] {
			return Statement{}, false
		}
	case "on", "against":
		if english.Vague()[object.At(0).Low] || english.Indefinite()[object.At(0).Low] || english.Calendar()[object.At(0).Low] || english.Gerund(object.At(0).Low, english.Resolves()) == "" && english.Determiners()[object.At(0).Low] {
			return Statement{}, false
		}
	case "that":
		if who == "user" || !english.Project()[object.At(0).Low] && object.At(0).Low != "we" && !object.Has(english.Modals()) {
			return Statement{}, false
		}
	default:
		return Statement{}, false
	}
	return fact(english.Subject(who+"/decided", object))
}
