package statement

import (
	"slices"
	"strings"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// marks are what makes a clause a rule for the agent.
type marks struct {
	lasts  bool // it is for good
	onward bool // so are orders that are no bans
	insist bool // the words behind it say so
	placed bool // it is for where the agent works
	agent  bool // it is about what the agent makes
	headed bool // a heading says that it is one
}

func (m marks) any() bool { return m.lasts || m.placed || m.headed || m.agent }

// governed reads a rule for the agent wherever it stands in a sentence, by what makes it one:
// a deed of agents, and words by which it is said to the agent, for good, or for the place
// where the agent works. Reasons and tags behind it change nothing.
func (r *reader) governed(s sentence, whole []word, insisted bool) (candidate, bool) {
	if !clean(r.text[s.from:s.to]) || secret(whole) || (clause{whole}).has(recalls()) || reported(whole) {
		return candidate{}, false
	}
	full, everywhere := unscoped(whole)
	words, tagged := untagged(plainWords(r.text, full))
	if len(words) < 2 || words[0].stop == ':' && (speakers()[words[0].low] || persons()[words[0].low] || words[0].low == "agent" || words[0].low == "mom" || words[0].low == "me") || s.question && !tagged && !(clause{words}).has(pleading()) {
		return candidate{}, false
	}
	headed := r.bound
	for i := range words {
		headed = headed || i > 0 && words[i-1].stop == ':' && assigns(words[:i])
		if !startsRule(words, i) && !(headed && i > 0 && words[i-1].stop != 0) {
			continue
		}
		c, before := clause{words[i:]}, clause{words[:i]}
		if i == 0 {
			c.lead()
		}
		for fillers()[c.at(0).low] || spokenJoints()[c.at(0).low] && c.at(0).low != "no" {
			c = c.skip(1)
		}
		own := c.unreasoned()
		if _, _, joke := unearnest().find(words[:len(words)-len(c.words)+len(own.words)]); joke {
			continue
		}
		core, m := own.settled()
		for _, tag := range c.skip(len(own.words)).segments() {
			m.lasts = m.lasts || matchesOne(emphatic(), tag.words) || len(tag.words) < 8 && tag.has(lasting())
			m.onward = m.onward || tag.has(forward())
		}
		m.headed = headed || i > 0 && words[i-1].low == "that" && before.has(demanding())
		m.insist = insisted
		m.lasts = m.lasts || insisted || before.has(lasting())
		m.onward = m.onward || insisted || before.has(forward())
		m.placed = m.placed || !before.orders() && (before.has(houseRule()) || before.has(thisProject()))
		st, read, ok := core.governs(m)
		if !ok {
			continue
		}
		if i > 0 && words[i-1].stop != ':' && !frames()[words[0].low] {
			s.from = words[i].from
		}
		if (clause{whole}).has(hedges()) {
			st.Strength = memory.StrengthFirm
		}
		st.Text, st.From, st.To, st.Everywhere = r.text[s.from:s.to], s.from, s.to, everywhere
		return candidate{Statement: st, clause: read, general: m.lasts || m.headed || m.agent, told: true, bound: headed, opens: !before.led().orders(), loose: i > 0 || len(own.words) < len(c.words) && (own.at(len(own.words)-1).stop == 0 || vague()[c.at(len(own.words)).low] || c.at(len(own.words)).low == "people")}, true
	}
	return candidate{}, false
}

// plainWords returns words without hesitations and the letters of a list, and without what the
// agent is called behind "you": "you (the AI)".
func plainWords(text string, words []word) []word {
	all := words
	words = make([]word, 0, len(all))
	for _, w := range all {
		switch {
		case w.quoted || !hesitations()[w.low] && (len(w.low) != 1 || !strings.HasPrefix(text[w.to:], ")")):
			words = append(words, w)
		case len(w.low) == 1:
			mark(words, ',') // an item of a list
		}
	}
	for i := 0; i+1 < len(words); i++ {
		if words[i].low != "you" || words[i].stop != '(' {
			continue
		}
		n := i + 1
		for n < len(words)-1 && agentKinds()[words[n].low] && !agents()[words[n].low] {
			n++
		}
		if agents()[words[n].low] {
			out := slices.Concat(words[:i+1], words[n+1:])
			out[i].stop = 0
			return out
		}
	}
	return words
}

// startsRule reports whether a rule for the agent may begin at a word. Behind what others say,
// what is supposed and what is to be written none does.
func startsRule(words []word, i int) bool {
	if words[i].quoted {
		return false
	}
	if i == 0 {
		return true
	}
	before, prev := clause{words[:i]}, words[i-1]
	if supposes()[words[0].low] && (!before.has(addressed()) || before.has(clients())) && !before.has(lasting()) || interrogative()[words[0].low] && !supposes()[words[0].low] || prev.quoted && !prev.code {
		return false
	}
	for k, w := range before.words {
		if w.stop == ':' && foreign(words[:k+1]) {
			return false
		}
		if (tellingWords()[w.low] || w.low == "tell") && (k == 0 || words[k-1].low != "i") {
			return false
		}
	}
	low, next := words[i].low, clause{words[i:]}.at(1).low
	switch {
	case prev.stop != 0:
		return true
	case low == "you":
		return !(prepositions()[words[0].low] && !placed(words)) && (!subjoins()[prev.low] || prev.low == "that" && before.has(minding()))
	case low == "do" && next == "not":
		// Behind one thing it would be "does not", so that it is an order.
		return spokenJoints()[prev.low] || !plural(prev.low) && !vague()[prev.low] && !interrogative()[prev.low] && !programs.Spoken()[prev.low] && prev.low != "people" && prev.low != "data"
	}
	return spokenJoints()[prev.low] && (low == "never" || low == "always" || low == "no")
}

// foreign reports whether the words before a colon say that what follows is a text, or the
// words of others.
func foreign(words []word) bool {
	for i, w := range words {
		if w.quoted || utterances()[w.low] || documents()[w.low] || sources()[w.low] && w.low != "repo" || rewords()[w.low] || i == 0 && (tasks()[w.low] || actions()[w.low] && w.low != "keep") {
			return true
		}
	}
	return false
}

// unreasoned returns a rule up to the reason or the tag behind it.
func (c clause) unreasoned() clause {
	for i := 1; i < len(c.words); i++ {
		w := c.words[i]
		if w.quoted {
			continue
		}
		if next := c.at(i + 1).low; i > 2 && ((w.low == "it" || w.low == "they") && (next == "is" || next == "are" || past()[next]) || deciders()[w.low] && bygones()[next] && next != "have") {
			return clause{c.words[:i]}
		}
		if i > 1 && (w.low == "because" || w.low == "since" || w.low == "so" && c.words[i-1].stop != 0) {
			return clause{c.words[:i]}
		}
		if c.words[i-1].stop != 0 && i > 1 && (vague()[w.low] || determiners()[w.low] || actions()[w.low] && !programs.Spoken()[w.low] || w.low == "people" || w.low == "not" || w.low == "never" || w.low == "ever" || w.low == "always" || w.low == "only" || w.low == "just") {
			return clause{c.words[:i]}
		}
	}
	return c
}

// segments returns the parts of a clause between its marks.
func (c clause) segments() []clause {
	var out []clause
	from := 0
	for i, w := range c.words {
		if w.stop != 0 || i == len(c.words)-1 {
			out = append(out, clause{c.words[from : i+1]})
			from = i + 1
		}
	}
	return out
}

// settled returns a clause without the words by which it holds for good or in the place where
// the agent works, and which of those there were.
func (c clause) settled() (clause, marks) {
	words := slices.Clone(c.words)
	m := marks{lasts: c.has(lasting()), onward: c.has(forward()), agent: c.has(byAgent())}
	for _, x := range []struct {
		phrases phraseSet
		found   *bool
	}{{forGood(), &m.lasts}, {houseRule(), &m.placed}, {thisProject(), &m.placed}} {
		for {
			from, to, ok := x.phrases.find(words)
			if !ok || words[from].quoted || to == len(words) && from == 0 {
				break
			}
			*x.found = *x.found || c.at(0).low != "no" || words[from].low != "here" // what there is not here is no ban
			if from > 0 && words[from-1].stop == 0 {
				words[from-1].stop = words[to-1].stop
			}
			words = append(words[:from:from], words[to:]...)
		}
	}
	return clause{words}, m
}

// governs reads a clause as a rule for the agent.
func (c clause) governs(m marks) (Statement, clause, bool) {
	strength := memory.StrengthHard
	rule := func(operator string, deed clause) (Statement, clause, bool) {
		s := Statement{Type: memory.TypeConstraint, Strength: strength, Subject: key("rule", deed.deedWords())}
		return s, clause{append([]word{{low: operator}}, deed.words...)}, s.Subject != "" && !deed.has(forNow())
	}
	for stress()[c.at(0).low] {
		c = c.skip(1)
	}
	if c.at(0).low == "no" {
		verb, what, ok := c.denied(true)
		if !ok || !m.lasts && !m.headed && !m.agent && !(m.placed && len(c.words) < 6) {
			return Statement{}, clause{}, false
		}
		return rule("never", clause{append([]word{{low: verb}}, what.words...)})
	}
	if what, ok := c.spares(); ok {
		if !m.any() && c.at(0).low != "you" || what.unsaid("touch") {
			return Statement{}, clause{}, false
		}
		return rule("never", clause{append([]word{{low: "touch"}}, what.words...)})
	}
	if what, ok := c.cut("i never want to see", "i do not want to see any more", "i do not want to see any", "i do not want to see"); ok {
		if !m.agent || !m.any() || what.isAtHand() || len(what.words) == 0 {
			return Statement{}, clause{}, false
		}
		return rule("never", clause{append([]word{{low: "use"}}, what.words...)})
	}
	if s, read, ok := c.bars(true); ok && m.any() {
		return s, read, !read.has(forNow())
	}
	if verb := c.skip(1); c.at(0).low == "you" && m.any() {
		if s, ok := verb.consent(); ok {
			return s, clause{append([]word{{low: "always"}}, verb.words...)}, !verb.has(forNow())
		}
	}
	if what, ok := c.yours(); ok && (m.any() || c.has(unbounded())) {
		return rule("always", what)
	}
	if rest, ok := c.cut("stop", "quit", "avoid"); ok && m.any() && gerund(rest.at(0).low, actions()) != "" {
		c = clause{append([]word{{low: "do"}, {low: "not"}}, rest.based().words...)}
	}
	told := c.at(0).low == "you" || c.at(0).low == "i"
	d, ok := c.directive()
	if first := c.at(0); !ok && m.onward && actions()[first.low] && !first.quoted && first.stop == 0 {
		d, ok = directive{deed: c}, true // an order for every time
		d.absolute = c.at(1).low == "only" || c.at(2).low == "only"
		if !m.insist && !d.absolute {
			strength = memory.StrengthFirm
		}
	} else if !ok {
		return Statement{}, clause{}, false
	}
	deed := d.deed
	if rest, ok := deed.cut("get to", "again"); ok {
		deed = rest
	}
	deed = deed.verbal()
	verb, object := deed.at(0), clause{deed.deedWords()}.skip(1)
	if verb.quoted && !verb.code || !agentDeeds()[verb.low] && !practises()[verb.low] && !crafts()[verb.low] && !programs.Spoken()[verb.low] {
		return Statement{}, clause{}, false
	}
	if len(object.words) == 0 && !undirected()[verb.low] && !complete()[verb.low] || object.unsaid(verb.low) || object.has(yielding()) || object.has(runtime()) || object.isAtHand() {
		return Statement{}, clause{}, false
	}
	switch {
	case told && d.absolute && !d.modal && !d.only && deed.complains(d.negative):
		return Statement{}, clause{}, false
	case d.negative && m.any(), d.negative && told && (d.absolute || d.modal && c.at(1).low != "can"):
	case !d.negative && told && d.absolute && d.modal && !d.only:
	case !d.negative && (d.absolute || d.duty || m.onward) && (m.onward || m.placed || m.headed):
	default:
		return Statement{}, clause{}, false
	}
	operator := "always"
	if d.negative {
		operator = "never"
	}
	return rule(operator, deed)
}

// spares returns what is to be left as it is: "leave legacy alone", "stay off port 5432".
func (c clause) spares() (clause, bool) {
	if rest, ok := c.cut("hands off of", "hands off", "keep your hands off", "stay away from", "keep away from", "stay out of", "keep out of", "keep off", "stay off", "stay clear of", "you have no business in"); ok {
		return rest, len(rest.words) > 0
	}
	for i, w := range c.words {
		if i > 1 && w.low == "alone" && c.at(0).low == "leave" {
			return clause{c.words[1:i]}, true
		}
	}
	return clause{}, false
}

// yours reads how what the agent makes must be: "your commits should never contain binaries".
func (c clause) yours() (clause, bool) {
	if c.at(0).low != "your" {
		return clause{}, false
	}
	for i := 2; i < min(5, len(c.words)-2); i++ {
		if rest, ok := c.skip(i).cut("must not", "must never", "must always", "must", "should never", "should always", "may not", "may never", "have to"); ok {
			return clause{append([]word{{low: "make"}}, slices.Concat(c.words[1:i], rest.words)...)}, (clause{c.words[:i]}).has(products()) && len(rest.words) > 0
		}
	}
	return clause{}, false
}

// assigns reports whether the words before a colon say that rules for the agent follow:
// "rules for you in this repo", "you must follow these".
func assigns(words []word) bool {
	c := clause{words}
	if foreign(words) && !c.has(minding()) {
		return false
	}
	ruled := slices.ContainsFunc(words, func(w word) bool {
		return (headed()[w.low] || bindingWords()[w.low] || w.low == "constraint" || w.low == "constraints") && !w.quoted
	})
	return ruled && (c.has(toWhom()) || c.has(lasting()) || c.has(houseRule())) || c.has(minding()) && c.has(wholes())
}

var (
	// agentDeeds are verbs of what agents do to a project and its surroundings.
	agentDeeds = set(strings.Join([]string{
		"push force-push commit amend rebase squash merge tag branch stash revert reset checkout cherry-pick run rerun re-run execute install uninstall upgrade downgrade bump update download upload fetch pull edit touch change modify alter delete remove drop",
		"truncate move rename overwrite rewrite reformat format open read write print log deploy redeploy release publish ship restart reboot start stop kill launch send post email message call use add create copy ask tell mention show put insert paste disable",
		"enable skip bypass mock hardcode introduce import refactor test lint generate regenerate guess assume invent apologize apologise commit report wait query migrate seed purge wipe destroy share expose spawn see look work leave pass include paste document stick stay take",
	}, " "))

	// supposes are words at the beginning of what is supposed.
	supposes = set("if when whenever while once as because since although though unless until")

	// minding are phrases by which the agent is to keep something in mind.
	minding = phrases("insist that|expect that|ask that|demand that|require that|is important that|is essential that|is crucial that|remember that|remember|note that|in mind|make sure that|be aware that|wants that|want is that|need is that|want that")

	// demanding are those by which what the agent does is demanded.
	demanding = phrases("insist that|is important that|is essential that|is crucial that|remember that|note that|wants that|expect that|ask that|demand that|require that|want is that|need is that")

	// unbounded are words by which a rule has no end.
	unbounded = phrases("never|always|not")

	// byAgent are phrases of what the agent makes.
	byAgent = phrases("you write/give/add/make/create/produce/generate|from you|by you")

	// pleading are phrases of a question that asks to do something always.
	pleading = phrases("please always|please never|please do not|please stop")

	// toWhom are phrases by which rules are for the agent.
	toWhom = phrases("for you|for agents|for the agent|for all agents|for ai|for claude|for codex|for gemini|you must follow|you must|you have to|you follow|you obey|your work|that you should|you do|i tell you")

	// forGood are phrases by which a rule is for good, and nothing else.
	forGood = phrases("ever again|ever|again|any more|anymore|any longer|from now on|from now|from here on out|from here on|from this point on|going forward|moving forward|in future|in the future|at any time|at any point|permanently|for good|until i say otherwise|at all times|henceforth|from today on|from today|as of today|under any circumstances|no exceptions|without exception|no matter what")

	// forward are phrases by which an order is one for every time.
	forward = phrases("from now on|from here on|from this point on|going forward|moving forward|in future|in the future|for the future|at all times|every time|each time|until i say otherwise|in general|as a general rule|permanently|henceforth|from today|as of today|without exception|no exceptions|for everything you|in everything you|for all your|for the rest of our|whatever you")

	// forNow are phrases by which an order is for the moment.
	forNow = phrases("now|yet|today|tonight|tomorrow|for now|right now|until|till|first|this time|in this pr|in this commit|so far|at the moment|for the moment|this once|just once")
)
