package statement

import (
	"slices"
	"strings"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// directed reads an order to the agent anywhere in a sentence. Insisted says that the words
// behind the sentence make it permanent.
func (r *reader) directed(s english.Sentence, whole []english.Word, insisted bool) (candidate, bool) {
	if !english.Clean(r.text[s.From:s.To]) {
		return candidate{}, false
	}
	full, everywhere := english.WithoutScope(whole)
	words, tagged := english.WithoutTags(full)
	if len(words) < 2 || s.Question && !tagged || !english.Earnest(r.text[s.From:s.To], whole) || english.GivesSecret(whole) || english.Clause(whole).Has(english.Recalls()) || english.Clause(whole).Has(english.Bygone()) && !english.Clause(whole).Has(english.Lasting()) {
		return candidate{}, false
	}
	if w := words[0]; w.Low != "do" && english.Interrogative()[w.Low] && w.Low != "when" && !english.Clause(words).Has(english.Wanting()) || w.Low == "in" && !english.Placed(words) {
		return candidate{}, false
	}
	lasts := insisted || english.Clause(words).Has(english.Lasting()) || insists(english.Clause(words))
	for i := range words {
		if i > 0 && words[i-1].Stop == ':' && english.Recounts(words[:i]) {
			return candidate{}, false
		}
		if !english.OrderBegins(words, i) {
			continue
		}
		c := english.Clause(words[i:])
		if i == 0 {
			english.TakeLead(&c)
		}
		if c.At(0).Low == "no" {
			c = english.Clause(full[len(words)-len(c):]) // "please" makes it a ban
		}
		if i > 0 {
			for english.Fillers()[c.At(0).Low] {
				c = c.Skip(1)
			}
			if st, ok := readLift(c); ok && st.Retraction && c.Has(english.Resumed()) && c.Workshop() {
				st.Text, st.From, st.To, st.Everywhere = r.text[s.From:s.To], s.From, s.To, everywhere
				return candidate{Statement: st, clause: c, general: true}, true
			}
		}
		first := i == 0 || english.Preludes(words[:i]) || (words[i-1].Stop == ':' || words[i-1].Stop == ',') && english.Announcing(words[:i]) || english.Situates(words[:i])
		st, read, ok := readOrdains(c, lasts, first)
		if !ok && first && i > 0 && words[i-1].Stop == ':' {
			if st, ok = readState(c); ok && st.Type == memory.TypeConstraint && !st.Retraction && !st.Exception {
				read, whole, lasts = c, words[i:], true
			} else {
				ok = false
			}
		}
		if !ok {
			continue
		}
		_, _, made := readProduces(c)
		if _, ok := confined(c); ok {
			made = true
		}
		if i > 0 && !english.Frames()[words[0].Low] && words[i-1].Stop != ':' {
			s.From = words[i].From
		}
		if st.Within = english.BoundTo(r.text, whole); st.Within != "" && !lasts {
			return candidate{}, false
		}
		st.Within = ""
		if st.Strength == memory.StrengthHard && english.Clause(whole).Has(english.Hedges()) {
			st.Strength = memory.StrengthFirm
		}
		st.Text, st.From, st.To, st.Everywhere = r.text[s.From:s.To], s.From, s.To, everywhere
		return candidate{Statement: st, clause: read, general: lasts || made, plain: st.Strength == memory.StrengthFirm && bans(c) && lastingly(c), told: lasts || c.At(0).Low == "you", opens: first}, true
	}
	return candidate{}, false
}

// readOrdains reads a clause as an order, and also returns it in its plain form: "never push to
// main" for "I don't want you to push to main ever again". Lasts says that it is permanent.
func readOrdains(c english.Clause, lasts, first bool) (Statement, english.Clause, bool) {
	if first {
		if s, read, ok := readBars(c, lasts); ok {
			return s, read, ok
		}
	}
	if verb := c.At(0); first && lasts && english.Actions()[verb.Low] && !verb.Quoted && insists(c) {
		return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: english.Subject("rule", c[:len(c)-1].DeedWords())}, english.Clause(append([]english.Word{{Low: "always"}}, c...)), !c.Skip(1).Unsaid(verb.Low)
	}
	d, ok := c.Directive()
	if !ok || !d.You && !(first && d.Negative && d.Absolute) {
		return Statement{}, english.Clause{}, false
	}
	for len(d.Deed) > 1 && strings.HasSuffix(d.Deed.At(0).Low, "ly") && !english.Actions()[d.Deed.At(0).Low] {
		d.Deed = d.Deed.Skip(1)
	}
	deed := d.Deed.Verbal()
	verb := deed.At(0)
	object := english.Clause(deed.DeedWords()).Skip(1)
	if !verb.CanBeVerb() || verb.Stop != 0 && !english.Undirected()[verb.Low] || object.Unsaid(verb.Low) || object.Has(english.Yielding()) || !d.Absolute && deed.Said().AtHand() {
		return Statement{}, english.Clause{}, false
	}
	strength := memory.StrengthHard
	switch {
	case d.Negative && c.At(0).Low == "you" && (c.At(1).Low == "will" && (english.Foretold()[verb.Low] || english.Prepositions()[object.At(0).Low] || object.At(0).Low == "out") || c.At(1).Low == "can" && !d.Absolute && !lasts && (deed.Has(english.Because()) || object.At(0).Low == "a" || object.At(0).Low == "an")):
		return Statement{}, english.Clause{}, false // a prediction or an explanation
	case d.You && d.Absolute && !d.Modal && !d.Only && d.Deed.Complains(d.Negative):
		return Statement{}, english.Clause{}, false
	case !d.You && !deed.Concrete() && !deed.Tabooed(d):
		return Statement{}, english.Clause{}, false
	case d.Absolute && (d.Negative || d.Duty || !d.Modal), d.Negative && lasts, d.Duty && lasts:
	case d.Negative && d.Modal && first && c.At(0).Low == "you":
	case d.Negative && c.At(0).Low == "you" && (english.Practises()[verb.Low] || english.Crafts()[verb.Low]) && !deed.Has(english.Amiss()) && !english.Virtues()[verb.Low]:
	case d.Negative && deed.Workshop() && c.At(0).Low == "i", d.Negative && first && bans(c) && lastingly(c):
		strength = memory.StrengthFirm
	default:
		return Statement{}, english.Clause{}, false
	}
	if !deed.Concrete() && !deed.Has(english.Products()) && !deed.Has(english.Belongings()) && !deed.Tabooed(d) && !english.Practises()[verb.Low] && !english.Crafts()[verb.Low] && !english.Talking()[verb.Low] && !object.Code() {
		strength = memory.StrengthFirm
	}
	operator := "always"
	if d.Negative {
		operator = "never"
	}
	s := Statement{Type: memory.TypeConstraint, Strength: strength, Subject: english.Subject("rule", deed.DeedWords())}
	return s, english.Clause(append([]english.Word{{Low: operator}}, deed...)), s.Subject != ""
}

// readBars reads a ban that names its object: "no X", "X is off limits for you".
func readBars(c english.Clause, lasts bool) (Statement, english.Clause, bool) {
	hard := func(verb string, what english.Clause) (Statement, english.Clause, bool) {
		what = english.Clause(what.DeedWords())
		words := append([]english.Word{{Low: verb}}, what...)
		s := Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: english.Subject("rule", words)}
		return s, english.Clause(append([]english.Word{{Low: "never"}}, words...)), s.Subject != "" && len(what) > 0 && !what.Handed() && !what.Has(english.Yielding())
	}
	for english.Stress()[c.At(0).Low] {
		c = c.Skip(1)
	}
	if verb, what, ok := denied(c, lasts); ok {
		return hard(verb, what)
	}
	if s, read, ok := readProduces(c); ok {
		return s, read, ok
	}
	for i := 0; i < min(5, len(c)-1); i++ {
		if c[i].Stop == ':' && c[i+1].Low == "never" && programs.Spoken()[c.At(0).Low] && (len(c) == i+2 || c[i+1].Stop != 0) {
			return hard("run", c[:i+1]) // "terraform apply: never"
		}
	}
	if what, ok := confined(c); ok {
		s, read, ok := hard("use", what)
		read[0].Low = "always"
		return s, read, ok
	}
	if rest, ok := c.Cut("treat", "consider", "regard"); ok {
		for i := 1; i < min(10, len(rest)-1); i++ {
			at := i
			if rest[i].Low == "as" {
				at++
			}
			if _, off := rest.Skip(at).CutOne(english.Untouched()); off && rest[:i].Particular() && !rest.Skip(i).Has(english.Refusals()) {
				return hard("touch", rest[:i])
			}
		}
	}
	for i := 1; i < min(10, len(c)-1); i++ {
		if w := c[i]; w.Low != "is" && w.Low != "are" || w.Quoted {
			if w.Stop != 0 || english.Subjoins()[w.Low] {
				break
			}
			continue
		}
		what := c[:i]
		if english.Subjoins()[c.At(0).Low] || strings.HasSuffix(c.At(0).Low, "ing") {
			break
		}
		rest, ok := c.Skip(i + 1).CutOne(english.Untouched())
		if !ok || len(rest) > 0 && c[len(c)-len(rest)-1].Stop == 0 && rest.At(0).Low != "for" {
			break
		}
		if rest.At(0).Low == "for" && rest.At(1).Low != "you" {
			break
		}
		if rest.At(0).Low != "for" && !lasts && !c.Skip(i).Has(english.Parties()) && (!what.Concrete() || english.Determiners()[what.At(0).Low] && !what.Particular()) && !(len(what) == 1 && !english.Plural(what.At(0).Low) && rest.Commands()) {
			break
		}
		verb := "touch"
		if low := c.At(i + 1).Low; low == "forbidden" || low == "banned" || low == "verboten" {
			verb = "use"
		}
		return hard(verb, what)
	}
	return Statement{}, english.Clause{}, false
}

// denied returns what a clause with "no" forbids: "no emojis please", "no more rm -rf from
// you", "no `git push`, no `dbt run`". A count such as "no commits yet" forbids nothing.
func denied(c english.Clause, lasts bool) (verb string, what english.Clause, ok bool) {
	if c.At(0).Low != "no" || c.At(0).Stop != 0 || c.At(0).Quoted || english.Vague()[c.At(1).Low] {
		return "", english.Clause{}, false
	}
	rest := c.Skip(1)
	ends := rest.At(0).Low == "more" && rest.At(1).Low != "than"
	if ends {
		rest = rest.Skip(1)
	}
	own := rest.Opening()
	more := rest.Skip(len(own))
	pleads := english.Pleas()[more.At(0).Low]
	if n := len(own) - 1; n > 0 && english.Pleas()[own[n].Low] {
		own, pleads = own[:n], true
	}
	n := len(own)
	if n == 0 || english.Nothings()[own.At(0).Low] && !own.Has(english.ToAgent()) && !own.Has(english.Unasked()) || own.Has(english.Counted()) && !own.Has(english.Unasked()) {
		return "", english.Clause{}, false
	}
	last := own[n-1].Low
	repeats := more.At(0).Low == "no" || more.At(0).Low == "not" || more.At(0).Low == "nor"
	said := lasts || ends && (own.At(0).Code || programs.Spoken()[own.At(0).Low]) || own.Has(english.ToAgent()) || own.Has(english.Unasked()) || c.Has(english.HouseRule())
	kind := own.Concrete() || own.Code() || own.Has(english.Traces()) || last == "ever" || english.SQLWords()[own.At(0).Low]
	for i, w := range own {
		if english.Prepositions()[w.Low] && i > 0 {
			break
		}
		if v := english.DeedNoun(w.Low); v != "" {
			if object := slices.Concat(own[:i], own[i+1:]); len(object) > 0 {
				return v, object, said || pleads || repeats
			}
			kind = true
		}
	}
	switch {
	case said:
	case pleads && n < 6 && !c.Has(english.Momentary()):
	case repeats && (kind || c.Code() || c.Has(english.ToAgent())) && !c.Has(english.Counted()) && !slices.ContainsFunc(more, func(w english.Word) bool { return strings.HasSuffix(w.Low, "ed") }), last == "ever" && own.Concrete():
	case len(c) <= 4 && (own.At(0).Code || programs.Spoken()[own.At(0).Low]):
	default:
		return "", english.Clause{}, false
	}
	return "use", own, true
}

// confined reads the only place, tool or way that the agent may use: "the only host you may
// send requests to is api.example.com".
func confined(c english.Clause) (english.Clause, bool) {
	if _, ok := c.Cut("the only"); !ok {
		return english.Clause{}, false
	}
	you := false
	for i := 2; i < min(14, len(c)-1); i++ {
		w := c[i]
		if w.Quoted || w.Stop != 0 || english.Subjoins()[w.Low] && w.Low != "that" {
			break
		}
		you = you || w.Low == "you" && (c[i+1].CanBeVerb() || c[i+1].Low == "may" || c[i+1].Low == "can" || c[i+1].Low == "are")
		if you && (w.Low == "is" || w.Low == "are") && i+1 < len(c) && c[i+1].Low != "allowed" && !english.Past()[c.At(i+1).Low] {
			what := c.Skip(i + 1)
			return english.Clause(append([]english.Word{{Low: "only"}}, what...)), what.Concrete() || what.At(0).Code || what.Identifies()
		}
	}
	return english.Clause{}, false
}

// readProduces reads a requirement on all that the agent makes: "every file you create must
// carry a header", "functions you write must not be longer than 40 lines".
func readProduces(c english.Clause) (Statement, english.Clause, bool) {
	made := 0
	for i := 1; i < min(16, len(c)-2); i++ {
		w := c[i]
		if w.Quoted {
			continue
		}
		if made == 0 {
			if english.Subjoins()[w.Low] && w.Low != "that" || w.Stop != 0 && w.Stop != ':' {
				break
			}
			if w.Low == "you" && w.Stop == 0 && c[i+1].CanBeVerb() && !english.Subjoins()[c[i-1].Low] {
				made = i + 1
			} else if w.Low == "you" && c[i-1].Low == "that" && c[i+1].CanBeVerb() {
				made = i + 1
			}
			continue
		}
		if c[i-1].Stop != 0 && c[i-1].Stop != ':' {
			break
		}
		rest, ok := c.Skip(i).Cut("must not", "must never", "must always", "must", "has to", "have to", "needs to", "need to", "needs", "need", "may not", "may never", "should never", "should always", "shall not", "are never", "is never", "is always", "are always")
		if w := c[i].Low; !ok && english.StandsFor()[w] && i > made && english.AgentDeeds()[c[made].Low] {
			rest, ok = c.Skip(i), true // "functions you write get a docstring"
		}
		if !ok || len(rest) == 0 || i == made || english.Deciders()[c[i-1].Low] {
			continue
		}
		what := append(append([]english.Word{}, c[:made-1]...), rest...)
		s := Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: english.Subject("rule", english.Clause(what).DeedWords())}
		return s, english.Clause(append([]english.Word{{Low: "always"}, c[made]}, what...)), s.Subject != "" && !c[:made].AtHand()
	}
	return Statement{}, english.Clause{}, false
}

// insisting reports whether a sentence only makes the one before it permanent: "Ever.", "no
// exceptions", "that's a general rule for you".
func insisting(words []english.Word) bool {
	c := english.Clause(words)
	english.TakeLead(&c)
	for len(c) > 0 && english.Fillers()[c.At(len(c)-1).Low] {
		c = c[:len(c)-1]
	}
	if len(c) == 0 || len(c) > 14 {
		return false
	}
	if core, _ := settled(c); english.MatchesOne(english.Emphatic(), c) || len(core) > 0 && english.MatchesOne(english.Emphatic(), core) {
		return true
	}
	switch c.At(0).Low {
	case "not":
		return c.At(1).Low == "even" || english.Prepositions()[c.At(1).Low] && len(c) > 2
	case "this", "that", "it", "these", "applies", "counts", "goes":
	case "do":
		_, ok := c.Cut("do it like that", "do it that way", "do it this way", "do that")
		return ok && c.Has(english.Lasting())
	case "keep", "remember":
		return c.Has(english.InMind())
	default:
		return false
	}
	return c.Has(english.Ruling()) || c.Has(english.Holds()) && (c.Has(english.Lasting()) || c.Has(english.Wholes()))
}
