package statement

import (
	"slices"
	"strings"

	"lukasa.dev/internal/programs"
)

// matter is what the sentences of a message that state nothing say of those that do. Rules
// are part of a program if the message orders one, part of a text if it orders a text,
// and up for discussion if it asks about them.
type matter struct {
	works     bool // a piece of work is ordered
	tells     bool // the message says something else, too
	automates bool // it is one that acts in place of the agent: a hook, a pipeline, a bot
	answers   bool // it is one that talks to people
	enforces  bool // it is to see to it that a rule is kept
	writes    bool // a text is ordered whose words may follow
	plays     bool // the agent is given a role, as the prompts of other agents are
	discusses bool // it is asked what to think of what was stated, or said where it stands
}

// matterOf returns what the sentences of a message make of the rules in it.
func matterOf(lines []line) *matter {
	m := &matter{}
	for i := range lines {
		l := &lines[i]
		if l.words == nil {
			continue
		}
		c := clause{l.words}
		if l.stated {
			m.tail(c)
			continue
		}
		led := c.led()
		asked := led.requested()
		m.discusses = m.discusses || l.question && c.opines() || c.cites() || c.publishes() || asked.edits()
		m.writes = m.writes || asked.drafts() || asked.files()
		m.plays = m.plays || led.casts()
		m.tells = m.tells || len(l.words) > 3
		switch {
		case led.orders():
			m.order(asked)
		case c.specifies():
			m.works = true
		}
	}
	return m
}

// order notes what a sentence orders.
func (m *matter) order(c clause) {
	if errandVerbs()[c.at(0).low] {
		return
	}
	m.works = true
	m.automates = m.automates || c.has(automata())
	m.answers = m.answers || c.has(talkers())
	m.enforces = m.enforces || enforcing()[c.at(0).low] && (c.has(backward()) || c.has(checks()))
}

// tail notes what the end of a rule orders that goes on with a piece of work: "never send
// emails in tests: mock the mailer".
func (m *matter) tail(c clause) {
	for i, w := range c.words[:max(len(c.words)-1, 0)] {
		if w.stop == 0 || w.quoted {
			continue
		}
		rest := c.skip(i + 1)
		for fillers()[rest.at(0).low] {
			rest = rest.skip(1)
		}
		first := rest.at(0)
		if first.quoted || first.stop != 0 || !enforcing()[first.low] {
			continue
		}
		m.works = m.works || !rest.has(strong())
		m.enforces = m.enforces || rest.has(backward()) || rest.has(checks())
	}
}

// enforced reports whether a rule ends with an order that sees to it that it is kept: "never
// do it on startup, add a command for it".
func (c clause) enforced() bool {
	for i, w := range c.words[:max(len(c.words)-1, 0)] {
		if rest := c.skip(i + 1); w.stop != 0 && !w.quoted && (adding()[rest.at(0).low] || rewords()[rest.at(0).low]) && rest.has(backward()) {
			return true
		}
	}
	return false
}

// predicated reports whether a rule is only named, as what something else is said of: "never
// push to main makes sense".
func (c clause) predicated() bool {
	if thatVerbs()[c.at(0).low] {
		return false
	}
	for i, w := range c.words {
		if w.stop != 0 || subordinate()[w.low] {
			return false
		}
		if i > 2 && predicates()[w.low] && !w.quoted {
			return true
		}
	}
	return false
}

// binds reports whether a rule, or what lifts or limits one, is meant for the agent's own
// work in the project. A rule for how to work is; how a program or a text is to be that
// the message orders is not. In doubt it is not, since a wrong rule stops work.
func (m *matter) binds(s *candidate) bool {
	if m.discusses && !s.bound || m.plays || s.clause.enforced() {
		return false
	}
	if s.Retraction || s.Exception {
		return true
	}
	c := s.clause
	if rest, ok := c.cut("always", "never"); ok && rest.predicated() {
		return false
	}
	verb, object := c.ruled()
	object = clause{object.deedWords()}
	impersonal := c.impersonal() && !s.told
	switch {
	case m.writes && !s.general, impersonal && (m.enforces || !m.plain(c) && !crafts()[verb]), m.automates && impersonal:
		return false
	case programs.Spoken()[c.at(1).low] && (c.at(0).low == "never" || c.at(0).low == "always"), verb == "" || frames()[c.at(0).low] && !impersonal || c.has(everytime()) || c.questioned() > 0:
		return true
	case s.addresses():
		return true
	case !m.works || s.general:
		return !c.behaves(verb, object)
	case m.automates && !object.has(parties()):
		return false
	case talking()[verb]:
		return !m.answers || object.has(parties())
	case crafts()[verb], object.has(products()), object.has(strong()):
		return !object.agentsPart().has(pointing()) && object.at(0).low != "as"
	case handling()[verb]:
		return len(object.words) == 0 || object.workshop() && !object.agentsPart().has(pointing())
	}
	return false
}

// plain reports whether a rule that addresses nobody is about the work on a project; where
// the message orders a piece of work, what programs handle, too, does not count.
func (m *matter) plain(c clause) bool {
	if m.works {
		return c.has(strong()) || c.has(products())
	}
	return c.workshop()
}

// doubtful reports whether a rule may be about a program, since the message speaks of
// something else, too, and the rule names nothing of the work on a project.
func (m *matter) doubtful(s *candidate) bool {
	verb, object := s.clause.ruled()
	if undirected()[verb] && len(object.words) == 0 || s.clause.has(traces()) || slices.ContainsFunc(object.words, func(w word) bool { return w.code }) {
		return false
	}
	return m.tells && !s.general && !s.bound && !s.addresses() && !s.clause.has(everytime()) && !crafts()[verb] && !talking()[verb] && !s.clause.workshop()
}

// addresses reports whether a rule is said to the agent, of what agents do: "you must never
// overwrite an original". What "you" do in a game is something else, and so is what is said
// of a certain part of the work at hand.
func (s *candidate) addresses() bool {
	verb, object := s.clause.ruled()
	if object = (clause{object.deedWords()}); !s.told || object.has(runtime()) {
		return false
	}
	return s.clause.opening().concrete() || !object.has(certain()) && (practises()[verb] || crafts()[verb] || processes()[verb] || verb == "write")
}

// behaves reports whether a rule tells what a program does: a verb of programs, and a part
// of one, a piece of code or a kind of its users.
func (c clause) behaves(verb string, object clause) bool {
	switch {
	case object.has(products()), object.has(strong()):
		return false
	case object.has(runtime()):
		return !object.workshop()
	case admits()[verb] && !object.workshop(), grants()[verb] && object.has(clients()):
		return true
	case handling()[verb]:
		return object.has(data()) && !object.workshop()
	case practises()[verb]:
		return false
	}
	return behaves()[verb] && (object.identifies() || c.has(parts()))
}

// impersonal reports whether a clause addresses nobody, or the agent in the third person.
func (c clause) impersonal() bool {
	first := c.at(0).low
	if bare()[first] {
		return c.at(1).low != "time"
	}
	n := 0
	for n < maxKinds && agentKinds()[c.at(n).low] {
		n++
	}
	if _, _, ok := c.passive(); ok {
		return true
	}
	return agents()[c.at(n).low] && c.at(n).stop == 0 || deeds[first] != "" || gerund(first, actions()) != "" && !actions()[first]
}

// workshop reports whether a clause names something of the work on a project: a branch, an
// environment, a file, a tool, what a commit is made of, or who is to be asked.
func (c clause) workshop() bool {
	return c.has(parties()) || c.has(products()) || c.concrete()
}

// concrete is workshop without those who are to be asked.
func (c clause) concrete() bool {
	if c.has(strong()) {
		return true
	}
	for i, w := range c.words {
		if materials()[w.low] || programs.Spoken()[w.low] || fileName(w.low) || calendar()[singularOf(w.low)] || path(w.low) || hostName(w.low) || len(w.low) > 2 && w.low[0] == '.' && letter(w.low[1]) {
			return !(i > 0 && c.words[i-1].low == "upload") // what users of a program bring
		}
	}
	return false
}

// specifies reports whether a sentence tells what a program or its users can and must do:
// "coupons can only be used once".
func (c clause) specifies() bool {
	if deciders()[c.at(0).low] || c.impersonal() && bare()[c.at(0).low] && c.at(0).low != "all" || c.workshop() {
		return false
	}
	for i := 1; i < min(6, len(c.words)-1); i++ {
		if c.words[i].stop != 0 || c.words[i].quoted {
			return false
		}
		switch c.words[i].low {
		case "must", "may", "can", "should", "cannot", "shall":
			return !vague()[c.words[i-1].low] || c.words[i-1].low == "it"
		}
	}
	return false
}

// opines reports whether a question asks what to think of what the message states.
func (c clause) opines() bool {
	for fillers()[c.at(0).low] || c.at(0).low == "now" || c.at(0).low == "anyway" {
		c = c.skip(1)
	}
	if _, ok := c.cut("can you", "could you", "would you", "will you"); ok {
		return false
	}
	return c.has(opinions())
}

// cites reports whether a sentence says of what stands beside it where it is from.
func (c clause) cites() bool {
	if c.quotes() {
		return true
	}
	rest, ok := c.cut("this is", "that is", "these are", "those are", "the above is", "it is", "both are", "this was", "that was", "above is")
	if !ok || len(rest.words) == 0 {
		_, ok = c.cut("source", "quoted from", "taken from", "copied from", "pasted from", "from the docs", "from the wiki", "from the readme")
		return ok
	}
	_, ok = rest.cut("in the", "in our", "in my", "from the", "from our", "from my", "from a", "what the", "what our", "what he", "what she", "what they", "what you", "what it", "how they", "a quote", "quoted", "written in", "just an example", "an example", "just a test", "taken", "for the", "for our", "about the")
	return ok
}

// quotes reports whether a sentence says that words follow which stand elsewhere: "I copied
// this from the wiki", "my prompt: ...".
func (c clause) quotes() bool {
	points := false
	for i, w := range c.words {
		if w.quoted {
			return false
		}
		if i < 6 && w.stop == ':' && i+1 < len(c.words) && utterances()[w.low] {
			return true
		}
		points = points || pointsBelow()[w.low]
		if points && sources()[w.low] && (c.at(i-1).low == "from" || c.at(i-2).low == "from" || c.at(i-1).low == "in" || c.at(i-2).low == "in") {
			return true
		}
	}
	_, ok := c.cut("ignore all previous", "ignore previous instructions", "ignore your previous", "ignore the previous", "disregard all previous", "ignore all prior")
	return ok
}

// publishes reports whether a sentence is one of a text for the public.
func (c clause) publishes() bool { return c.has(public()) }

// heads reports whether the words of a line that ends with a colon say that rules for the
// agent follow: "ground rules:", "please stick to these rules in this repo:". Those of a
// program are called otherwise.
func heads(words []word) bool {
	ruled := false
	for _, w := range words {
		switch {
		case headed()[w.low], w.low == "reminder" && len(words) > 1:
			ruled = true
		case bindingWords()[w.low], prelude()[w.low], guidance()[w.low], sizes()[w.low], determiners()[w.low], houses()[w.low], earlier()[w.low], counts()[w.low]:
		default:
			return false
		}
	}
	return ruled
}

// path reports whether a word is a path in a file system.
func path(low string) bool {
	for i := 0; i < len(low); i++ {
		if low[i] == '/' {
			return low != "and/or" && low != "/"
		}
	}
	return false
}

// hostName reports whether a word is the name or the number of a machine, or that of a variable of
// the environment.
func hostName(low string) bool {
	return low == "localhost" || len(low) > 2 && low[0] == '$' && letter(low[1]) || strings.Count(low, ".") > 1 && !strings.HasPrefix(low, ".") && !strings.Contains(low, "..")
}

// singularOf returns a word without the s of its plural.
func singularOf(low string) string {
	if plural(low) {
		return low[:len(low)-1]
	}
	return low
}
