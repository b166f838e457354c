package statement

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"lukasa.dev/internal/memory"
)

func fact(subject string) (Statement, bool) {
	return Statement{Type: memory.TypeFact, Subject: subject}, subject != ""
}

func taste(polarity memory.Polarity, subject string) (Statement, bool) {
	return Statement{Type: memory.TypePreference, Strength: memory.StrengthFirm, Polarity: polarity, Subject: subject}, subject != ""
}

// self reads what users say of themselves in the first person.
func (c clause) self() (Statement, bool) {
	if rest, ok := c.cut("call me", "you can call me", "please call me", "i go by", "i am called", "everyone calls me"); ok {
		if first := rest.at(0); first.capital && !calendar()[first.low] && first.low != "asap" && len(rest.words) <= 6 {
			return fact("user/name")
		}
		return Statement{}, false
	}
	if c.at(0).low != "i" {
		return Statement{}, false
	}
	for _, form := range [...]func(clause) (Statement, bool){
		clause.prefers, clause.likes, clause.habit, clause.changed, clause.dwells, clause.is, clause.does, clause.wants, clause.decided,
	} {
		if s, ok := form(c); ok {
			return s, true
		}
	}
	return Statement{}, false
}

// prefers reads "I prefer X", with what X is preferred to.
func (c clause) prefers() (Statement, bool) {
	rest, ok := c.cut("i prefer", "i much prefer", "i would prefer", "i would rather", "i would much rather", "i tend to prefer")
	if !ok {
		return Statement{}, false
	}
	conditional := c.at(1).low == "would"
	if rest.at(0).low == "you" || rest.at(0).low == "that" && rest.at(1).low == "you" {
		rest = rest.skip(1)
		s, ok := taste(memory.PolarityLike, key("user/taste", rest.words))
		return s, ok && !rest.isAtHand() && !rest.has(definite()) && !rest.has(courtesy())
	}
	if last := rest.at(len(rest.words) - 1).low; last == "instead" {
		return Statement{}, false
	}
	first := rest.at(0).low
	if first == "not" || vague()[first] || rest.chosen() || rest.pointed() {
		return Statement{}, false
	}
	if conditional && (first == "a" || first == "an" || rest.isAtHand() || (clause{rest.words[:min(2, len(rest.words))]}).has(definite()) || c.has(turnsOut()) || slices.ContainsFunc(c.words, func(w word) bool { return payments()[w.low] })) {
		return Statement{}, false
	}
	one, other := rest, clause{}
	for i, w := range rest.words {
		if i > 0 && (w.low == "over" || w.low == "to" && first != "to" || w.low == "than" || w.low == "instead") {
			one, other = clause{rest.words[:i]}, rest.skip(i+1).head()
			break
		}
	}
	if first == "to" || conditional && actions()[first] {
		one, other = rest, clause{}
	}
	s, ok := taste(memory.PolarityLike, key("user/taste", one.thought().words))
	if len(other.words) > 0 {
		s.Replaces = key("user/taste", other.words)
	}
	return s, ok
}

// likes reads what is liked and disliked in general, not what is at hand.
func (c clause) likes() (Statement, bool) {
	polarity := memory.PolarityDislike
	rest, ok := c.cut("i hate", "i dislike", "i detest", "i can not stand", "i do not like", "i do not enjoy", "i am not a fan of", "i do not care for", "i am not a big fan of")
	if ok && rest.at(0).low == "it" && rest.at(1).low == "when" && rest.at(2).low == "you" {
		return taste(polarity, key("user/taste", rest.skip(2).words))
	}
	if !ok {
		polarity = memory.PolarityLike
		if rest, ok = c.cut("i like", "i love", "i enjoy", "i adore", "i am a fan of", "i am a big fan of", "i am a huge fan of", "i always like", "i always love"); !ok {
			return Statement{}, false
		}
	}
	first := rest.at(0).low
	if first == "not" || vague()[first] || determiners()[first] && !indefinite()[first] || determiners()[rest.at(1).low] && first != "to" && determiners()[first] || untold()[first] {
		return Statement{}, false
	}
	if rest.has(addressed()) || rest.pointed() || rest.thought().has(pointing()) {
		return Statement{}, false
	}
	if first == "to" && (polarity == memory.PolarityDislike || untold()[rest.at(1).low]) {
		return Statement{}, false
	}
	return taste(polarity, key("user/taste", rest.thought().words))
}

// habit reads what users always or never do, as far as it tells of a taste.
func (c clause) habit() (Statement, bool) {
	polarity := memory.PolarityLike
	rest, ok := c.cut("i always", "i usually only", "i only ever", "i only")
	if !ok {
		polarity = memory.PolarityDislike
		if rest, ok = c.cut("i never", "i do not", "i do not ever"); !ok {
			return Statement{}, false
		}
	}
	if !customs()[rest.at(0).low] || len(rest.words) < 2 || vague()[rest.at(1).low] || determiners()[rest.at(1).low] && !indefinite()[rest.at(1).low] || rest.isAtHand() {
		return Statement{}, false
	}
	if rest.at(0).low == "want" {
		if rest.at(1).low == "you" || rest.at(1).low == "to" {
			return Statement{}, false
		}
	}
	return taste(polarity, key("user/custom", rest.words))
}

// changed reads what users say is no longer so.
func (c clause) changed() (Statement, bool) {
	if rest, ok := c.cut("i no longer"); ok || c.has(anymore()) {
		if !ok {
			if rest, ok = c.cut("i do not"); !ok {
				return Statement{}, false
			}
		}
		return rest.ended()
	}
	if rest, ok := c.cut("i stopped", "i quit", "i have stopped", "i gave up"); ok {
		base := gerund(rest.at(0).low, customs())
		if base == "" || vague()[rest.at(1).low] {
			return Statement{}, false
		}
		s, ok := taste(memory.PolarityDislike, key("user/custom", append([]word{{low: base}}, rest.words[1:]...)))
		s.Correction = true
		return s, ok
	}
	if rest, ok := c.cut("i changed my", "i have changed my", "i updated my"); ok {
		for i, w := range rest.words {
			if w.low == "to" && i > 0 && i < 5 && attribute(rest.words[:i]) == valueOf {
				s, ok := fact(key("user", rest.words[:i]))
				s.Correction = true
				return s, ok
			}
		}
	}
	if rest, ok := c.cut("i switched", "i have switched", "i migrated", "i have migrated"); ok {
		return rest.switched("user")
	}
	return Statement{}, false
}

// ended reads what follows "no longer".
func (c clause) ended() (Statement, bool) {
	verb, object := c.at(0).low, c.skip(1)
	if vague()[object.at(0).low] {
		return Statement{}, false
	}
	var s Statement
	ok := false
	switch {
	case verb == "live" && object.at(0).low == "in" && object.at(1).capital:
		s, ok = fact("user/home")
	case verb == "work" && (object.at(0).low == "at" || object.at(0).low == "for"):
		s, ok = fact("user/employer")
	case verb == "use" && !determiners()[object.at(0).low]:
		s, ok = fact(key("user/uses", object.head().words))
	case likings()[verb] && !determiners()[object.at(0).low]:
		s, ok = taste(memory.PolarityDislike, key("user/taste", trimAnymore(object.thought().words)))
	case customs()[verb] && !determiners()[object.at(0).low] && len(object.words) > 0:
		s, ok = taste(memory.PolarityDislike, key("user/custom", c.head().words))
	}
	s.Correction = true
	return s, ok
}

// dwells reads where users live, work and come from.
func (c clause) dwells() (Statement, bool) {
	if rest, ok := c.cut("i live in", "i live near", "i am based in", "i am located in", "i now live in", "i reside in", "i am living in", "i currently live in"); ok {
		if rest.place() {
			return fact("user/home")
		}
		return Statement{}, false
	}
	if rest, ok := c.cut("i moved to", "i have moved to", "i relocated to", "i have relocated to", "i moved from", "i recently moved to"); ok {
		if rest.place() {
			s, ok := fact("user/home")
			s.Correction = true
			return s, ok
		}
		return Statement{}, false
	}
	if rest, ok := c.cut("i am from", "i come from", "i grew up in", "i was born in", "i was born on"); ok {
		if rest.place() {
			if c.at(2).low == "born" {
				return fact("user/birth")
			}
			return fact("user/origin")
		}
		return Statement{}, false
	}
	if rest, ok := c.cut("i work at", "i work for", "i now work at", "i now work for", "i started working at", "i started working for"); ok {
		s, _ := fact("user/employer")
		s.Correction = c.at(1).low != "work"
		return s, rest.place() || indefinite()[rest.at(0).low] && rest.at(0).low != "my"
	}
	if rest, ok := c.cut("i work as a", "i work as an", "i work as the"); ok {
		if len(rest.words) > 0 {
			return fact("user/role")
		}
	}
	return Statement{}, false
}

// place reports whether a name follows.
func (c clause) place() bool {
	if c.at(0).low == "the" {
		c = c.skip(1)
	}
	return c.at(0).capital && !c.at(0).quoted && c.at(0).low != "i"
}

// is reads what users are.
func (c clause) is() (Statement, bool) {
	rest, ok := c.cut("i am")
	if !ok {
		return Statement{}, false
	}
	if object, ok := rest.cut("allergic to", "intolerant to", "severely allergic to"); ok {
		s, ok := fact(key("user/allergy", object.head().words))
		return s, ok && !vague()[object.at(0).low] && !determiners()[object.at(0).low]
	}
	for i := range min(3, len(rest.words)) {
		if subject := conditions[rest.words[i].low]; subject != "" && (i == 0 || rest.at(i-1).low == "a" || rest.at(i-1).low == "strictly" || rest.at(i-1).low == "lactose") {
			if w := rest.words[i]; i == len(rest.words)-1 || w.stop != 0 || turns()[rest.at(i+1).low] {
				return fact(subject)
			}
		}
	}
	if rest.at(0).low == "a" || rest.at(0).low == "an" || rest.at(0).low == "the" {
		for i := 1; i < min(6, len(rest.words)); i++ {
			if roles()[rest.words[i].low] {
				return fact("user/role")
			}
			if rest.words[i].low == "member" {
				return fact(key("user/member", rest.words[1:i]))
			}
			if rest.words[i].stop != 0 {
				break
			}
		}
		return Statement{}, false
	}
	if rest.named() {
		return fact("user/name")
	}
	return Statement{}, false
}

// named reports whether a first and a last name follow, and then a mark or the
// end.
func (c clause) named() bool {
	if len(c.words) < 2 || !c.at(0).capital || !c.at(1).capital || c.at(0).stop != 0 {
		return false
	}
	for _, w := range c.words[:2] {
		if strings.IndexFunc(w.low, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' }) >= 0 || sentenceCase()[w.low] || ranks()[w.low] || peoples()[w.low] {
			return false
		}
	}
	return len(c.words) == 2 || c.at(1).stop != 0 || turns()[c.at(2).low]
}

// does reads what users have, use, speak and do for a living.
func (c clause) does() (Statement, bool) {
	if rest, ok := c.cut("i speak"); ok {
		if rest.at(0).capital || rest.at(1).capital {
			return fact(key("user/speaks", rest.head().words))
		}
		return Statement{}, false
	}
	if rest, ok := c.cut("i have"); ok {
		if !counts()[rest.at(0).low] {
			return Statement{}, false
		}
		for i := 1; i < min(4, len(rest.words)); i++ {
			if kin()[rest.words[i].low] {
				return fact("user/has/" + strings.TrimSuffix(rest.words[i].low, "s"))
			}
			if rest.words[i].stop != 0 {
				break
			}
		}
		return Statement{}, false
	}
	rest, ok := c.cut("i use", "i mostly use", "i mainly use", "i primarily use", "i run", "i drive", "i own", "i maintain", "i study", "i teach", "i develop in", "i code in", "i program in", "i write code in")
	if !ok {
		return Statement{}, false
	}
	first := rest.at(0).low
	if vague()[first] || untold()[first] || determiners()[first] && first != "a" && first != "an" || rest.isAtHand() || rest.has(addressed()) || rest.has(pointing()) || first == "out" || first == "into" || first == "to" {
		return Statement{}, false
	}
	return fact(key("user/uses", rest.head().words))
}

// wants reads goals: what is to be reached by a time that is not near.
func (c clause) wants() (Statement, bool) {
	rest, ok := c.cut("i want to", "i plan to", "i aim to", "i am trying to", "i hope to", "i am planning to", "i am working towards", "i am working toward", "i would like to")
	if !ok || !reaches()[rest.at(0).low] || !rest.hasDeadline() || rest.isAtHand() || rest.at(0).low == "be" && rest.at(1).low != "able" {
		return Statement{}, false
	}
	return Statement{Type: memory.TypeGoal, Subject: key("user/goal", rest.words)}, true
}

// hasDeadline reports whether a clause names a time that is not near: "by June", "by the end of
// 2031", "within two years".
func (c clause) hasDeadline() bool {
	if c.has(deadlines()) {
		return true
	}
	for i := range c.words {
		rest := c.skip(i + 1)
		switch c.words[i].low {
		case "by":
			if end, ok := rest.cut("the end of", "end of"); ok {
				rest = end
			}
			for rest.at(0).low == "the" || rest.at(0).low == "this" || rest.at(0).low == "next" {
				rest = rest.skip(1)
			}
			if w := rest.at(0); isYear(w.low) || seasons()[w.low] || spans()[w.low] || months()[w.low] || w.low == "may" && w.capital {
				return true
			}
		case "within", "next":
			if spans()[rest.at(0).low] && c.words[i].low == "within" || spans()[rest.at(1).low] {
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

// chosen reports whether a clause means one among those that were offered: "the blue one", "the
// cheapest", "version b". So does "the" with one word and no more.
func (c clause) chosen() bool {
	if c.has(choices()) {
		return true
	}
	for i, w := range c.words {
		next := c.at(i + 1)
		if lettered()[w.low] && (len(next.low) == 1 || next.low != "" && digit(next.low[0])) {
			return true
		}
		if w.low != "the" {
			continue
		}
		if i == 0 && len(c.words) == 2 || comparatives()[next.low] || len(next.low) > 5 && strings.HasSuffix(next.low, "est") {
			return true
		}
		for k := i + 1; k < min(i+4, len(c.words)); k++ {
			if low := c.words[k].low; low == "one" || low == "ones" || low == "option" {
				return true
			}
		}
	}
	return false
}

// decided reads what was decided about how to work.
func (c clause) decided() (Statement, bool) {
	who := "user"
	rest, ok := c.cut("i decided", "i have decided")
	if !ok {
		who = "project"
		if rest, ok = c.cut("we decided", "we have decided", "we agreed", "we have agreed", "the team decided", "the team has decided", "the team agreed"); !ok {
			return Statement{}, false
		}
	}
	if rest.has(bygone()) {
		return Statement{}, false
	}
	object := rest.skip(1)
	switch rest.at(0).low {
	case "to":
		if object.at(0).low == "not" {
			object = object.skip(1)
		}
		if object.at(0).low == "go" && object.at(1).low == "with" || object.at(0).low == "stick" && object.at(1).low == "with" {
			return using(who, object.skip(2))
		}
		if object.at(0).low == "use" || object.at(0).low == "adopt" {
			return using(who, object.skip(1))
		}
		if !resolves()[object.at(0).low] || vague()[object.at(1).low] {
			return Statement{}, false
		}
	case "not":
		object = object.skip(1)
		if !resolves()[object.at(0).low] {
			return Statement{}, false
		}
	case "on", "against":
		if vague()[object.at(0).low] || indefinite()[object.at(0).low] || calendar()[object.at(0).low] || gerund(object.at(0).low, resolves()) == "" && determiners()[object.at(0).low] {
			return Statement{}, false
		}
	case "that":
		if who == "user" || !project()[object.at(0).low] && object.at(0).low != "we" && !object.has(modals()) {
			return Statement{}, false
		}
	default:
		return Statement{}, false
	}
	return fact(key(who+"/decided", object.words))
}
