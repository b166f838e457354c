package statement

import (
	"strings"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// leading is what the words before a statement say of it.
type leading struct {
	corrects bool // something is put right
	memo     bool // the user asks to remember it
	general  bool // it is said beside the matter
	from     int  // where it begins, if what leads to it was spoken without a mark
}

// lead takes off what people say before they state something.
func (c *clause) lead() (l leading) {
	for range 8 {
		first := c.at(0)
		if first.quoted {
			return l
		}
		if _, _, ok := c.skip(1).ruleNoun(); ok {
			return l // "scratch that rule" takes it back
		}
		if rest, ok := c.cutOne(corrections()); ok {
			*c, l.corrects = rest, true
			continue
		}
		if (first.low == "no" || first.low == "nope" || first.low == "wait" || first.low == "update" || first.low == "edit") && first.stop != 0 {
			*c, l.corrects = c.skip(1), true
			continue
		}
		if rest, ok := c.cut("cancel that", "scrap that", "strike that"); ok && c.at(1).stop == ',' {
			*c, l.corrects = rest, true
			continue
		}
		if rest, ok := c.cutOne(memos()); ok {
			*c, l.memo = rest, true
			continue
		}
		if _, ok := c.cutOne(generals()); ok {
			l.general = true
		}
		if rest, ok := c.cutOne(openings()); ok {
			*c = rest
			continue
		}
		if n := c.heading(); n > 0 {
			*c, l.general = c.skip(n), true
			continue
		}
		if fillers()[first.low] || labels()[first.low] && first.stop != 0 {
			l.memo = l.memo || first.low == "reminder"
			*c = c.skip(1)
			continue
		}
		n := c.greeting()
		if n == 0 {
			n = c.vocative()
		}
		if n == 0 {
			if n = c.spoken(); n > 0 {
				l.general = true
				if c.at(n-1).stop == 0 {
					l.from = c.at(n).from
				}
			}
		}
		if n == 0 {
			return l
		}
		*c = c.skip(n)
	}
	return l
}

// heading returns how many words a heading of what follows takes: "our policy:", "small
// request:".
func (c clause) heading() int {
	for i, w := range c.words[:min(maxSpoken, len(c.words))] {
		if w.quoted || w.stop != 0 && w.stop != ':' {
			return 0
		}
		if w.stop == ':' {
			if heads(c.words[:i+1]) {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// greeting returns how many words a greeting, a thanks or a yes takes that ends
// with a comma or a dash.
func (c clause) greeting() int {
	if !greetings()[c.at(0).low] {
		return 0
	}
	for i := range min(4, len(c.words)) {
		if c.words[i].stop != 0 {
			return i + 1
		}
	}
	return 1
}

// vocative returns how many words name the agent that is spoken to: "Claude,", "dear agent:".
func (c clause) vocative() int {
	n := 0
	for n < 2 && agentKinds()[c.at(n).low] {
		n++
	}
	w := c.at(n)
	name, mention := strings.CutPrefix(w.low, "@")
	if agents()[name] && !w.quoted && (mention || w.stop != 0 && w.stop != '(' || vocatives()[c.at(n+1).low] && (c.at(n+1).low != "do" || negative()[c.at(n+2).low])) {
		return n + 1
	}
	return 0
}

// maxSpoken is how many words stand at most before a rule that is spoken without marks.
const maxSpoken = 9

// spoken returns how many words stand before "never" or "always" that only lead to it, as in
// "so one thing that is really important never push to main".
func (c clause) spoken() int {
	for i, w := range c.words[:min(maxSpoken, len(c.words))] {
		switch {
		case w.quoted:
			return 0
		case w.low == "never" || w.low == "always":
			return i
		case w.stop != 0 && (w.stop != ':' || c.at(i+1).low != "never" && c.at(i+1).low != "always"):
			return 0
		case w.low == "this" && !houses()[c.at(i+1).low]:
			return 0
		case !prelude()[w.low] && !houses()[w.low]:
			return 0
		}
	}
	return 0
}

// polite takes "could you please" off a question that is none, and reports
// whether it did.
func (c *clause) polite() bool {
	probe := *c
	probe.lead()
	rest, ok := probe.cut("can you", "could you", "would you", "will you")
	if !ok {
		return false
	}
	if rest.at(0).low == "please" {
		rest = rest.skip(1)
	} else if last := c.at(len(c.words) - 1); last.low != "please" && rest.at(0).low != "remember" {
		return false
	}
	switch rest.at(0).low {
	case "always", "never", "remember", "stop":
		*c = rest
		return true
	}
	return false
}

// command reports whether a clause begins with a command between backquotes.
func (c clause) command() bool { return c.at(0).code && programs.Spoken()[c.at(0).low] }

// state returns what the clause states.
func (c clause) state() (Statement, bool) {
	if len(c.words) < 2 || c.words[0].quoted && !c.command() {
		return Statement{}, false
	}
	for _, form := range [...]func(clause) (Statement, bool){
		clause.note, clause.forget, clause.lift, clause.onward, clause.rule, clause.barred, clause.asked, clause.self, clause.own, clause.group, clause.house, clause.called, clause.framed,
	} {
		if s, ok := form(c); ok {
			if !s.Retraction && s.Type != memory.TypeConstraint && unfit(c.words) || s.Subject == "" {
				return Statement{}, false
			}
			return s, true
		}
	}
	return Statement{}, false
}

// framed reads what is said of a situation: "when you write Go, never ...", "in
// this repo, always ...". Only rules and preferences can be said so, and of
// what is not sure to come ("if") nothing is taken.
func (c clause) framed() (Statement, bool) {
	first := c.at(0).low
	asks := (first == "when" || first == "if" || first == "whenever" || first == "anytime") && c.at(1).low == "i" && (sayings()[c.at(2).low] || pastes()[c.at(2).low] || sayings()[c.at(3).low] && stress()[c.at(2).low] || c.at(2).low == "ever" && sayings()[c.at(3).low])
	if first == "if" && c.at(1).low == "you" && (wishes()[c.at(2).low] || actions()[c.at(2).low]) {
		return c.provided()
	}
	if !frames()[first] && !asks && !anyTime(c) || c.at(1).low == "case" || c.at(1).low == "order" {
		return Statement{}, false
	}
	for i := range min(14, len(c.words)) {
		if next := c.at(i + 1).low; c.words[i].stop != ',' && !(c.words[i].stop == ':' && i > 0 && !recounts(c.words[:i+1])) && !(i > 0 && (first == "before" || first == "after" || first == "when") && (next == "always" || next == "never")) {
			continue
		}
		frame, rest := clause{c.words[:i+1]}, c.skip(i+1)
		if prepositions()[first] && len(frame.words) > 7 {
			return Statement{}, false // there is a verb in it
		}
		if past()[frame.at(2).low] || past()[frame.at(1).low] || !asks && asides()[frame.at(i).low] || vague()[frame.at(1).low] && frame.at(1).stop != 0 {
			return Statement{}, false
		}
		for fillers()[rest.at(0).low] {
			rest = rest.skip(1)
		}
		s, ok := rest.rule()
		if !ok && asks {
			s, ok = rest.ordered()
		}
		if !ok && (first == "whenever" || everyTime(frame) || anyTime(frame) || eachStep(frame)) {
			s, ok = rest.order()
		}
		if !ok && rest.at(0).low == "i" {
			if s, ok = rest.self(); ok && s.Type != memory.TypePreference {
				return Statement{}, false
			}
		}
		if ok && asks {
			s.Subject = key(s.Subject, frame.triggers(true))
		} else if ok {
			s.Subject = key(s.Subject, frame.skip(1).words)
		}
		return s, ok
	}
	return Statement{}, false
}

// provided reads a rule for what the agent may come to do: "if you need to push, never push
// to main".
func (c clause) provided() (Statement, bool) {
	for i := range min(10, len(c.words)) {
		if c.words[i].stop != ',' {
			continue
		}
		if _, asks := c.skip(i+1).cut("you stop and ask", "stop and ask", "you ask me", "ask me", "you ask first", "ask first", "check with me", "you check with me", "you come to me"); asks {
			deed := clause{c.words[2 : i+1]}
			for wishes()[deed.at(0).low] || deed.at(0).low == "to" {
				deed = deed.skip(1)
			}
			s, ok := deed.verbal().act(memory.StrengthHard)
			s.Subject = key("rule", append(deed.deedWords(), word{low: "without"}, word{low: "asking"}))
			return s, ok && c.at(2).low == "ever"
		}
		return c.skip(i + 1).absolute()
	}
	return Statement{}, false
}

// anyTime reports whether a clause begins with "any time" or "anytime".
func anyTime(c clause) bool {
	return c.at(0).low == "anytime" || c.at(0).low == "any" && c.at(1).low == "time"
}

// eachStep reports whether a clause begins with "before every" or its like.
func eachStep(c clause) bool {
	return (c.at(0).low == "before" || c.at(0).low == "after") && (c.at(1).low == "every" || c.at(1).low == "each" || c.at(1).low == "any")
}

func everyTime(frame clause) bool {
	return (frame.at(0).low == "every" || frame.at(0).low == "each") && frame.at(1).low == "time"
}

// contrast reports whether it is said that something has changed.
func (c clause) contrast() bool { return c.has(changes()) }

// within returns the words that bind a statement to a time or a task.
func within(text string, words []word) string {
	for i, w := range words {
		if i > 2 && w.low == "but" {
			words = words[:i] // what comes behind it is about something else
			break
		}
		if i > 2 && deciders()[w.low] && (words[i-1].stop != 0 || w.low == "i") && i+1 < len(words) && (past()[words[i+1].low] || strings.HasSuffix(words[i+1].low, "ed") || bygones()[words[i+1].low]) {
			words = words[:i] // a reason, which happened
			break
		}
	}
	from, to, ok := passing().find(words)
	for i := 0; i+2 < len(words) && !ok; i++ {
		if low := words[i].low; (low == "for" || low == "on" || low == "during") && words[i+1].low == "this" && dealings()[words[i+2].low] {
			from, to, ok = i, i+3, true
		}
	}
	if !ok || from > 0 && onset()[words[from-1].low] {
		return ""
	}
	return text[words[from].from:words[to-1].to]
}

// earnest reports whether a sentence is meant as it stands: no joke, no guess,
// no supposition, and nothing that someone else said.
func earnest(text string, words []word) bool {
	if strings.ContainsAny(text, "🙄😂🤣🙃😜😏") || strings.HasSuffix(strings.TrimRight(text, ". "), " /s") {
		return false
	}
	_, _, ok := unearnest().find(words)
	return !ok && !reported(words)
}

// reported reports whether a sentence ends with who says so: "..., the README says".
func reported(words []word) bool {
	n := len(words)
	for i := max(n-6, 0); i < n-1; i++ {
		if words[i].stop != ',' && words[i].stop != '-' {
			continue
		}
		tail := clause{words[i+1:]}
		last := tail.at(len(tail.words) - 1).low
		if tail.at(0).low != "i" && tail.at(0).low != "as" && (tellingWords()[last] || last == "say") || tail.at(0).low == "says" || tail.at(0).low == "said" {
			return true
		}
	}
	return false
}

// secret reports whether words give a secret away, rather than speak of secrets.
func secret(words []word) bool {
	_, to, ok := secrets().find(words)
	if !ok || to >= len(words) {
		return false
	}
	next := words[to].low
	return next == "is" || next == "are" || next == "to" || strings.ContainsAny(next, "0123456789")
}

// unfit reports whether words name what must not be kept as a fact.
func unfit(words []word) bool {
	_, _, ok := secrets().find(words)
	return ok
}
