package english

import (
	"strings"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// Lead is what the words before a statement say of it.
type Lead struct {
	Corrects bool // something is put right
	Memo     bool // the user asks to remember it
	General  bool // it is said beside the matter
	From     int  // where it begins, if what leads to it was spoken without a mark
}

// TakeLead takes off what people say before they state something.
func TakeLead(c *Clause) (l Lead) {
	for range 8 {
		first := c.At(0)
		if first.Quoted {
			return l
		}
		if _, _, ok := RuleNoun(c.Skip(1)); ok {
			return l // "scratch that rule" takes it back
		}
		if rest, ok := c.CutOne(Corrections()); ok {
			*c, l.Corrects = rest, true
			continue
		}
		if (first.Low == "no" || first.Low == "nope" || first.Low == "wait" || first.Low == "update" || first.Low == "edit") && first.Stop != 0 {
			*c, l.Corrects = c.Skip(1), true
			continue
		}
		if rest, ok := c.Cut("cancel that", "scrap that", "strike that"); ok && c.At(1).Stop == ',' {
			*c, l.Corrects = rest, true
			continue
		}
		if rest, ok := c.CutOne(Memos()); ok {
			*c, l.Memo = rest, true
			continue
		}
		if _, ok := c.CutOne(Generals()); ok {
			l.General = true
		}
		if rest, ok := c.CutOne(Openings()); ok {
			*c = rest
			continue
		}
		if n := heading(*c); n > 0 {
			*c, l.General = c.Skip(n), true
			continue
		}
		if Fillers()[first.Low] || Labels()[first.Low] && first.Stop != 0 {
			l.Memo = l.Memo || first.Low == "reminder"
			*c = c.Skip(1)
			continue
		}
		n := greeting(*c)
		if n == 0 {
			n = vocative(*c)
		}
		if n == 0 {
			if n = spoken(*c); n > 0 {
				l.General = true
				if c.At(n-1).Stop == 0 {
					l.From = c.At(n).From
				}
			}
		}
		if n == 0 {
			return l
		}
		*c = c.Skip(n)
	}
	return l
}

// heading returns how many words a heading of what follows takes: "our policy:", "small
// request:".
func heading(c Clause) int {
	for i, w := range c[:min(maxSpoken, len(c))] {
		if w.Quoted || w.Stop != 0 && w.Stop != ':' {
			return 0
		}
		if w.Stop == ':' {
			if HeadsRules(c[:i+1]) {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// greeting returns how many words a greeting, a thanks or a yes takes that ends
// with a comma or a dash.
func greeting(c Clause) int {
	if !Greetings()[c.At(0).Low] {
		return 0
	}
	for i := range min(4, len(c)) {
		if c[i].Stop != 0 {
			return i + 1
		}
	}
	return 1
}

// vocative returns how many words name the agent that is spoken to: "Claude,", "dear agent:".
func vocative(c Clause) int {
	n := 0
	for n < 2 && AgentKinds()[c.At(n).Low] {
		n++
	}
	w := c.At(n)
	name, mention := strings.CutPrefix(w.Low, "@")
	if Agents()[name] && !w.Quoted && (mention || w.Stop != 0 && w.Stop != '(' || Vocatives()[c.At(n+1).Low] && (c.At(n+1).Low != "do" || Negations()[c.At(n+2).Low])) {
		return n + 1
	}
	return 0
}

// maxSpoken is how many words stand at most before a rule that is spoken without marks.
const maxSpoken = 9

// spoken returns how many words stand before "never" or "always" that only lead to it, as in
// "so one thing that is really important never push to main".
func spoken(c Clause) int {
	for i, w := range c[:min(maxSpoken, len(c))] {
		switch {
		case w.Quoted:
			return 0
		case w.Low == "never" || w.Low == "always":
			return i
		case w.Stop != 0 && (w.Stop != ':' || c.At(i+1).Low != "never" && c.At(i+1).Low != "always"):
			return 0
		case w.Low == "this" && !Houses()[c.At(i+1).Low]:
			return 0
		case !Prelude()[w.Low] && !Houses()[w.Low]:
			return 0
		}
	}
	return 0
}

// RuleNoun takes off "that rule", "my earlier rule", "the ban" and their like, and
// returns of which type the statement is that they mean.
func RuleNoun(c Clause) (memory.Type, Clause, bool) {
	if !Determiners()[c.At(0).Low] || Indefinite()[c.At(0).Low] && c.At(0).Low != "my" && c.At(0).Low != "our" {
		return "", c, false
	}
	for i := 1; i < min(4, len(c)); i++ {
		if kind := RuleNouns[c[i].Low]; kind != "" {
			return kind, c.Skip(i + 1), !c[i].Quoted
		}
		if c[i].Low == "request" && c.At(0).Low == "my" {
			return memory.TypeConstraint, c.Skip(i + 1), !c[i].Quoted
		}
		if !Earlier()[c[i].Low] {
			break
		}
	}
	return "", c, false
}

// HeadsRules reports whether the words of a line that ends with a colon say that rules for the
// agent follow: "ground rules:", "please stick to these rules in this repo:". Those of a
// program are called otherwise.
func HeadsRules(words []Word) bool {
	ruled := false
	for _, w := range words {
		switch {
		case Headed()[w.Low], w.Low == "reminder" && len(words) > 1:
			ruled = true
		case BindingWords()[w.Low], Prelude()[w.Low], Guidance()[w.Low], Sizes()[w.Low], Determiners()[w.Low], Houses()[w.Low], Earlier()[w.Low], Counts()[w.Low]:
		default:
			return false
		}
	}
	return ruled
}

// Negations words before a verb forbid what it does.
var Negations = List("never not stop avoid no nobody cannot forbidden neither without")

// Instead reads "use X, not Y" and "prefer X over Y": what is wanted, what is not, and how firmly.
func Instead(c Clause) (one, other Clause, strength memory.Strength, ok bool) {
	strength = memory.StrengthFirm
	rest, ok := c.Cut("use", "write", "call it", "i want you to use", "please use")
	if !ok && programs.Spoken()[c.At(0).Low] && c.At(1).Low == "only" {
		rest, ok = Clause(append([]Word{{Low: c.At(0).Low, Stop: ','}}, c[2:]...)), true
	} else if !ok && programs.Spoken()[c.At(0).Low] && c.At(1).Low == "never" && programs.Spoken()[c.At(2).Low] {
		rest, ok = c, true
	}
	if !ok {
		if rest, ok = c.Cut("prefer"); !ok {
			return nil, nil, "", false
		}
		strength = memory.StrengthSoft
	}
	one, other, ok = rest.Versus()
	if ok && rest.At(len(one)).Low == "never" {
		strength = memory.StrengthHard
	}
	first := one.At(0).Low
	return one, other, strength, ok && first != "to" && !Determiners()[first] && !Vague()[first] && !Determiners()[other.At(0).Low] && len(one) <= 6 && !one.AtHand()
}
