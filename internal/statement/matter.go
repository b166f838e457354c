package statement

import (
	"slices"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/programs"
)

// matter is the context that the other sentences of a message give its statements. Rules
// are part of a program if the message orders one, part of a text if it orders a text,
// and up for discussion if it asks about them.
type matter struct {
	works     bool // a piece of work is ordered
	tells     bool // the message says something else, too
	automates bool // the work acts in place of the agent: a hook, a pipeline, a bot
	answers   bool // the work talks to people
	enforces  bool // the work enforces a rule
	writes    bool // a text is ordered whose words may follow
	plays     bool // the agent is given a role, as the prompts of other agents are
	discusses bool // the message asks for an opinion of the statements, or names their source
}

// matterOf returns the context that the sentences of a message give its rules.
func matterOf(lines []line) *matter {
	m := &matter{}
	for i := range lines {
		l := &lines[i]
		if l.words == nil {
			continue
		}
		c := english.Clause(l.words)
		if l.stated {
			m.tail(c)
			continue
		}
		led := afterLead(c)
		asked := requested(led)
		m.discusses = m.discusses || l.Question && opines(c) || cites(c) || publishes(c) || edits(asked)
		m.writes = m.writes || drafts(asked) || isFiling(asked)
		m.plays = m.plays || casts(led)
		m.tells = m.tells || len(l.words) > 3
		switch {
		case orders(led):
			m.order(asked)
		case specifies(c):
			m.works = true
		}
	}
	return m
}

// order notes what a sentence orders.
func (m *matter) order(c english.Clause) {
	if english.ErrandVerbs()[c.At(0).Low] {
		return
	}
	m.works = true
	m.automates = m.automates || c.Has(english.Automata())
	m.answers = m.answers || c.Has(english.Talkers())
	m.enforces = m.enforces || english.Enforcing()[c.At(0).Low] && (c.Has(english.Backward()) || c.Has(english.Checks()))
}

// tail notes what the end of a rule orders that goes on with a piece of work: "never send
// emails in tests: mock the mailer".
func (m *matter) tail(c english.Clause) {
	for i, w := range c[:max(len(c)-1, 0)] {
		if w.Stop == 0 || w.Quoted {
			continue
		}
		rest := c.Skip(i + 1)
		for english.Fillers()[rest.At(0).Low] {
			rest = rest.Skip(1)
		}
		first := rest.At(0)
		if first.Quoted || first.Stop != 0 || !english.Enforcing()[first.Low] {
			continue
		}
		m.works = m.works || !rest.Has(english.Strong())
		m.enforces = m.enforces || rest.Has(english.Backward()) || rest.Has(english.Checks())
	}
}

// enforced reports whether a rule ends with an order that enforces it: "never do it on
// startup, add a command for it".
func enforced(c english.Clause) bool {
	for i, w := range c[:max(len(c)-1, 0)] {
		if rest := c.Skip(i + 1); w.Stop != 0 && !w.Quoted && (english.Adding()[rest.At(0).Low] || english.Rewords()[rest.At(0).Low]) && rest.Has(english.Backward()) {
			return true
		}
	}
	return false
}

// predicated reports whether a rule is only the subject of another sentence: "never push to
// main makes sense".
func predicated(c english.Clause) bool {
	if english.ThatVerbs()[c.At(0).Low] {
		return false
	}
	for i, w := range c {
		if w.Stop != 0 || english.Subordinate()[w.Low] {
			return false
		}
		if i > 2 && english.Predicates()[w.Low] && !w.Quoted {
			return true
		}
	}
	return false
}

// binds reports whether a rule, or what lifts or limits one, applies to the agent's own work
// in the project. A rule for how to work does; a requirement on a program or a text that the
// message orders does not. In doubt it does not, since a wrong rule stops work.
func (m *matter) binds(s *candidate) bool {
	if m.discusses && !s.bound || m.plays || enforced(s.clause) {
		return false
	}
	if s.Retraction || s.Exception {
		return true
	}
	c := s.clause
	if rest, ok := c.Cut("always", "never"); ok && predicated(rest) {
		return false
	}
	verb, object := ruled(c)
	object = english.Clause(object.DeedWords())
	impersonal := impersonal(c) && !s.told
	switch {
	case m.writes && !s.general, impersonal && (m.enforces || !m.plain(c) && !english.Crafts()[verb]), m.automates && impersonal:
		return false
	case programs.Spoken()[c.At(1).Low] && (c.At(0).Low == "never" || c.At(0).Low == "always"), verb == "" || english.Frames()[c.At(0).Low] && !impersonal || c.Has(english.Everytime()) || c.Questioned() > 0:
		return true
	case s.addresses():
		return true
	case !m.works || s.general:
		return !behaves(c, verb, object)
	case m.automates && !object.Has(english.Parties()):
		return false
	case english.Talking()[verb]:
		return !m.answers || object.Has(english.Parties())
	case english.Crafts()[verb], object.Has(english.Products()), object.Has(english.Strong()):
		return !agentsPart(object).Has(english.Pointing()) && object.At(0).Low != "as"
	case english.Handling()[verb]:
		return len(object) == 0 || object.Workshop() && !agentsPart(object).Has(english.Pointing())
	}
	return false
}

// plain reports whether a rule without an addressee is about the work on a project. If the
// message orders a piece of work, words that programs handle too do not count.
func (m *matter) plain(c english.Clause) bool {
	if m.works {
		return c.Has(english.Strong()) || c.Has(english.Products())
	}
	return c.Workshop()
}

// doubtful reports whether a rule may be about a program, since the message has other topics
// too and the rule names nothing of the work on a project.
func (m *matter) doubtful(s *candidate) bool {
	verb, object := ruled(s.clause)
	if english.Undirected()[verb] && len(object) == 0 || s.clause.Has(english.Traces()) || slices.ContainsFunc(object, func(w english.Word) bool { return w.Code }) {
		return false
	}
	return m.tells && !s.general && !s.bound && !s.addresses() && !s.clause.Has(english.Everytime()) && !english.Crafts()[verb] && !english.Talking()[verb] && !s.clause.Workshop()
}

// addresses reports whether a rule is addressed to the agent, about what agents do: "you must
// never overwrite an original". What "you" do in a game does not count, nor does a requirement
// on a certain part of the work at hand.
func (s *candidate) addresses() bool {
	verb, object := ruled(s.clause)
	if object = english.Clause(object.DeedWords()); !s.told || object.Has(english.Runtime()) {
		return false
	}
	return s.clause.Opening().Concrete() || !object.Has(english.Certain()) && (english.Practises()[verb] || english.Crafts()[verb] || english.Processes()[verb] || verb == "write")
}

// behaves reports whether a rule describes the behaviour of a program: a verb of programs, and
// a part of one, a piece of code or a kind of its users.
func behaves(c english.Clause, verb string, object english.Clause) bool {
	switch {
	case object.Has(english.Products()), object.Has(english.Strong()):
		return false
	case object.Has(english.Runtime()):
		return !object.Workshop()
	case english.Admits()[verb] && !object.Workshop(), english.Grants()[verb] && object.Has(english.Clients()):
		return true
	case english.Handling()[verb]:
		return object.Has(english.Data()) && !object.Workshop()
	case english.Practises()[verb]:
		return false
	}
	return english.Behaves()[verb] && (object.Identifies() || c.Has(english.Parts()))
}

// impersonal reports whether a clause has no addressee, or addresses the agent in the third
// person.
func impersonal(c english.Clause) bool {
	first := c.At(0).Low
	if english.Bare()[first] {
		return c.At(1).Low != "time"
	}
	n := 0
	for n < english.MaxKinds && english.AgentKinds()[c.At(n).Low] {
		n++
	}
	if _, _, ok := c.Passive(); ok {
		return true
	}
	return english.Agents()[c.At(n).Low] && c.At(n).Stop == 0 || english.DeedNouns[first] != "" || english.Gerund(first, english.Actions()) != "" && !english.Actions()[first]
}

// specifies reports whether a sentence states what a program or its users can and must do:
// "coupons can only be used once".
func specifies(c english.Clause) bool {
	if english.Deciders()[c.At(0).Low] || impersonal(c) && english.Bare()[c.At(0).Low] && c.At(0).Low != "all" || c.Workshop() {
		return false
	}
	for i := 1; i < min(6, len(c)-1); i++ {
		if c[i].Stop != 0 || c[i].Quoted {
			return false
		}
		switch c[i].Low {
		case "must", "may", "can", "should", "cannot", "shall":
			return !english.Vague()[c[i-1].Low] || c[i-1].Low == "it"
		}
	}
	return false
}

// opines reports whether a question asks for an opinion of what the message states.
func opines(c english.Clause) bool {
	for english.Fillers()[c.At(0).Low] || c.At(0).Low == "now" || c.At(0).Low == "anyway" {
		c = c.Skip(1)
	}
	if _, ok := c.Cut("can you", "could you", "would you", "will you"); ok {
		return false
	}
	return c.Has(english.Opinions())
}

// cites reports whether a sentence names the source of the text beside it.
func cites(c english.Clause) bool {
	if isQuoting(c) {
		return true
	}
	rest, ok := c.Cut("this is", "that is", "these are", "those are", "the above is", "it is", "both are", "this was", "that was", "above is")
	if !ok || len(rest) == 0 {
		_, ok = c.Cut("source", "quoted from", "taken from", "copied from", "pasted from", "from the docs", "from the wiki", "from the readme")
		return ok
	}
	_, ok = rest.Cut("in the", "in our", "in my", "from the", "from our", "from my", "from a", "what the", "what our", "what he", "what she", "what they", "what you", "what it", "how they", "a quote", "quoted", "written in", "just an example", "an example", "just a test", "taken", "for the", "for our", "about the")
	return ok
}

// quotes reports whether a sentence announces a copy of another text: "I copied this from the
// wiki", "my prompt: ...".
func isQuoting(c english.Clause) bool {
	points := false
	for i, w := range c {
		if w.Quoted {
			return false
		}
		if i < 6 && w.Stop == ':' && i+1 < len(c) && english.Utterances()[w.Low] {
			return true
		}
		points = points || english.PointsBelow()[w.Low]
		if points && english.Sources()[w.Low] && (c.At(i-1).Low == "from" || c.At(i-2).Low == "from" || c.At(i-1).Low == "in" || c.At(i-2).Low == "in") {
			return true
		}
	}
	_, ok := c.Cut("ignore all previous", "ignore previous instructions", "ignore your previous", "ignore the previous", "disregard all previous", "ignore all prior")
	return ok
}

// publishes reports whether a sentence is one of a text for the public.
func publishes(c english.Clause) bool { return c.Has(english.Public()) }
