package statement

import (
	"slices"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// marks are the signs that a clause is a rule for the agent.
type marks struct {
	lasts  bool // it is permanent
	onward bool // orders that are no bans are permanent, too
	insist bool // the words behind it make it permanent
	placed bool // it is for the place where the agent works
	agent  bool // it is about what the agent makes
	headed bool // a heading says that it is one
}

func (m marks) any() bool { return m.lasts || m.placed || m.headed || m.agent }

// governed reads a rule for the agent anywhere in a sentence, by its signs: a deed of agents,
// and words that address the agent, make it permanent, or name the place where the agent works.
// Reasons and tags behind it change nothing.
func (r *reader) governed(s english.Sentence, whole []english.Word, insisted bool) (candidate, bool) {
	if !english.Clean(r.text[s.From:s.To]) || english.GivesSecret(whole) || english.Clause(whole).Has(english.Recalls()) || english.Reported(whole) {
		return candidate{}, false
	}
	full, everywhere := english.WithoutScope(whole)
	words, tagged := english.WithoutTags(english.PlainWords(r.text, full))
	if len(words) < 2 || words[0].Stop == ':' && (english.Speakers()[words[0].Low] || english.Persons()[words[0].Low] || words[0].Low == "agent" || words[0].Low == "mom" || words[0].Low == "me") || s.Question && !tagged && !english.Clause(words).Has(english.Pleading()) {
		return candidate{}, false
	}
	headed := r.bound
	for i := range words {
		headed = headed || i > 0 && words[i-1].Stop == ':' && assigns(words[:i])
		if !english.RuleBegins(words, i) && !(headed && i > 0 && words[i-1].Stop != 0) {
			continue
		}
		c, before := english.Clause(words[i:]), english.Clause(words[:i])
		if i == 0 {
			english.TakeLead(&c)
		}
		for english.Fillers()[c.At(0).Low] || english.SpokenJoints()[c.At(0).Low] && c.At(0).Low != "no" {
			c = c.Skip(1)
		}
		own := c.Unreasoned()
		if _, _, joke := english.Unearnest().Find(words[:len(words)-len(c)+len(own)]); joke {
			continue
		}
		core, m := settled(own)
		for _, tag := range c.Skip(len(own)).Segments() {
			m.lasts = m.lasts || english.MatchesOne(english.Emphatic(), tag) || len(tag) < 8 && tag.Has(english.Lasting())
			m.onward = m.onward || tag.Has(english.Forward())
		}
		m.headed = headed || i > 0 && words[i-1].Low == "that" && before.Has(english.Demanding())
		m.insist = insisted
		m.lasts = m.lasts || insisted || before.Has(english.Lasting())
		m.onward = m.onward || insisted || before.Has(english.Forward())
		m.placed = m.placed || !orders(before) && (before.Has(english.HouseRule()) || before.Has(english.ThisProject()))
		st, read, ok := readGoverns(core, m)
		if !ok {
			continue
		}
		if i > 0 && words[i-1].Stop != ':' && !english.Frames()[words[0].Low] {
			s.From = words[i].From
		}
		if english.Clause(whole).Has(english.Hedges()) {
			st.Strength = memory.StrengthFirm
		}
		st.Text, st.From, st.To, st.Everywhere = r.text[s.From:s.To], s.From, s.To, everywhere
		return candidate{Statement: st, clause: read, general: m.lasts || m.headed || m.agent, told: true, bound: headed, opens: !orders(afterLead(before)), loose: i > 0 || len(own) < len(c) && (own.At(len(own)-1).Stop == 0 || english.Vague()[c.At(len(own)).Low] || c.At(len(own)).Low == "people")}, true
	}
	return candidate{}, false
}

// settled returns a clause without the words that make it permanent or name the place where the
// agent works, and which of those there were.
func settled(c english.Clause) (english.Clause, marks) {
	words := slices.Clone(c)
	m := marks{lasts: c.Has(english.Lasting()), onward: c.Has(english.Forward()), agent: c.Has(english.ByAgent())}
	for _, x := range []struct {
		phrases english.PhraseSet
		found   *bool
	}{{english.ForGood(), &m.lasts}, {english.HouseRule(), &m.placed}, {english.ThisProject(), &m.placed}} {
		for {
			from, to, ok := x.phrases.Find(words)
			if !ok || words[from].Quoted || to == len(words) && from == 0 {
				break
			}
			*x.found = *x.found || c.At(0).Low != "no" || words[from].Low != "here" // what there is not here is no ban
			if from > 0 && words[from-1].Stop == 0 {
				words[from-1].Stop = words[to-1].Stop
			}
			words = append(words[:from:from], words[to:]...)
		}
	}
	return words, m
}

// readGoverns reads a clause as a rule for the agent.
func readGoverns(c english.Clause, m marks) (Statement, english.Clause, bool) {
	strength := memory.StrengthHard
	rule := func(operator string, deed english.Clause) (Statement, english.Clause, bool) {
		s := Statement{Type: memory.TypeConstraint, Strength: strength, Subject: english.Subject("rule", deed.DeedWords())}
		return s, english.Clause(append([]english.Word{{Low: operator}}, deed...)), s.Subject != "" && !deed.Has(english.ForNow())
	}
	for english.Stress()[c.At(0).Low] {
		c = c.Skip(1)
	}
	if c.At(0).Low == "no" {
		verb, what, ok := denied(c, true)
		if !ok || !m.lasts && !m.headed && !m.agent && !(m.placed && len(c) < 6) {
			return Statement{}, english.Clause{}, false
		}
		return rule("never", english.Clause(append([]english.Word{{Low: verb}}, what...)))
	}
	if what, ok := spares(c); ok {
		if !m.any() && c.At(0).Low != "you" || what.Unsaid("touch") {
			return Statement{}, english.Clause{}, false
		}
		return rule("never", english.Clause(append([]english.Word{{Low: "touch"}}, what...)))
	}
	if what, ok := c.Cut("i never want to see", "i do not want to see any more", "i do not want to see any", "i do not want to see"); ok {
		if !m.agent || !m.any() || what.AtHand() || len(what) == 0 {
			return Statement{}, english.Clause{}, false
		}
		return rule("never", english.Clause(append([]english.Word{{Low: "use"}}, what...)))
	}
	if s, read, ok := readBars(c, true); ok && m.any() {
		return s, read, !read.Has(english.ForNow())
	}
	if verb := c.Skip(1); c.At(0).Low == "you" && m.any() {
		if s, ok := readConsent(verb); ok {
			return s, english.Clause(append([]english.Word{{Low: "always"}}, verb...)), !verb.Has(english.ForNow())
		}
	}
	if what, ok := yours(c); ok && (m.any() || c.Has(english.Unbounded())) {
		return rule("always", what)
	}
	if rest, ok := c.Cut("stop", "quit", "avoid"); ok && m.any() && english.Gerund(rest.At(0).Low, english.Actions()) != "" {
		c = english.Clause(append([]english.Word{{Low: "do"}, {Low: "not"}}, rest.Based()...))
	}
	told := c.At(0).Low == "you" || c.At(0).Low == "i"
	d, ok := c.Directive()
	if first := c.At(0); !ok && m.onward && english.Actions()[first.Low] && !first.Quoted && first.Stop == 0 {
		d, ok = english.Directive{Deed: c}, true // a permanent order
		d.Absolute = c.At(1).Low == "only" || c.At(2).Low == "only"
		if !m.insist && !d.Absolute {
			strength = memory.StrengthFirm
		}
	} else if !ok {
		return Statement{}, english.Clause{}, false
	}
	deed := d.Deed
	if rest, ok := deed.Cut("get to", "again"); ok {
		deed = rest
	}
	deed = deed.Verbal()
	verb, object := deed.At(0), english.Clause(deed.DeedWords()).Skip(1)
	if verb.Quoted && !verb.Code || !english.AgentDeeds()[verb.Low] && !english.Practises()[verb.Low] && !english.Crafts()[verb.Low] && !programs.Spoken()[verb.Low] {
		return Statement{}, english.Clause{}, false
	}
	if len(object) == 0 && !english.Undirected()[verb.Low] && !english.Complete()[verb.Low] || object.Unsaid(verb.Low) || object.Has(english.Yielding()) || object.Has(english.Runtime()) || object.AtHand() {
		return Statement{}, english.Clause{}, false
	}
	switch {
	case told && d.Absolute && !d.Modal && !d.Only && deed.Complains(d.Negative):
		return Statement{}, english.Clause{}, false
	case d.Negative && m.any(), d.Negative && told && (d.Absolute || d.Modal && c.At(1).Low != "can"):
	case !d.Negative && told && d.Absolute && d.Modal && !d.Only:
	case !d.Negative && (d.Absolute || d.Duty || m.onward) && (m.onward || m.placed || m.headed):
	default:
		return Statement{}, english.Clause{}, false
	}
	operator := "always"
	if d.Negative {
		operator = "never"
	}
	return rule(operator, deed)
}

// spares returns what must not be changed: "leave legacy alone", "stay off port 5432".
func spares(c english.Clause) (english.Clause, bool) {
	if rest, ok := c.Cut("hands off of", "hands off", "keep your hands off", "stay away from", "keep away from", "stay out of", "keep out of", "keep off", "stay off", "stay clear of", "you have no business in"); ok {
		return rest, len(rest) > 0
	}
	for i, w := range c {
		if i > 1 && w.Low == "alone" && c.At(0).Low == "leave" {
			return c[1:i], true
		}
	}
	return english.Clause{}, false
}

// yours reads how what the agent makes must be: "your commits should never contain binaries".
func yours(c english.Clause) (english.Clause, bool) {
	if c.At(0).Low != "your" {
		return english.Clause{}, false
	}
	for i := 2; i < min(5, len(c)-2); i++ {
		if rest, ok := c.Skip(i).Cut("must not", "must never", "must always", "must", "should never", "should always", "may not", "may never", "have to"); ok {
			return english.Clause(append([]english.Word{{Low: "make"}}, slices.Concat(c[1:i], rest)...)), c[:i].Has(english.Products()) && len(rest) > 0
		}
	}
	return english.Clause{}, false
}

// assigns reports whether the words before a colon say that rules for the agent follow:
// "rules for you in this repo", "you must follow these".
func assigns(words []english.Word) bool {
	c := english.Clause(words)
	if english.Foreign(words) && !c.Has(english.Minding()) {
		return false
	}
	ruled := slices.ContainsFunc(words, func(w english.Word) bool {
		return (english.Headed()[w.Low] || english.BindingWords()[w.Low] || w.Low == "constraint" || w.Low == "constraints") && !w.Quoted
	})
	return ruled && (c.Has(english.ToWhom()) || c.Has(english.Lasting()) || c.Has(english.HouseRule())) || c.Has(english.Minding()) && c.Has(english.Wholes())
}
