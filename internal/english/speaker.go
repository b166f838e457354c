package english

import (
	"slices"
	"strings"

	"lukasa.dev/internal/programs"
)

// PlainWords returns words without hesitations and the letters of a list, and without what the
// agent is called behind "you": "you (the AI)".
func PlainWords(text string, words []Word) []Word {
	all := words
	words = make([]Word, 0, len(all))
	for _, w := range all {
		switch {
		case w.Quoted || !Hesitations()[w.Low] && (len(w.Low) != 1 || !strings.HasPrefix(text[w.To:], ")")):
			words = append(words, w)
		case len(w.Low) == 1:
			Mark(words, ',') // an item of a list
		}
	}
	for i := 0; i+1 < len(words); i++ {
		if words[i].Low != "you" || words[i].Stop != '(' {
			continue
		}
		n := i + 1
		for n < len(words)-1 && AgentKinds()[words[n].Low] && !Agents()[words[n].Low] {
			n++
		}
		if Agents()[words[n].Low] {
			out := slices.Concat(words[:i+1], words[n+1:])
			out[i].Stop = 0
			return out
		}
	}
	return words
}

// RuleBegins reports whether a rule for the agent may begin at a word. Behind what others say,
// what is supposed and what is to be written none does.
func RuleBegins(words []Word, i int) bool {
	if words[i].Quoted {
		return false
	}
	if i == 0 {
		return true
	}
	before, prev := Clause(words[:i]), words[i-1]
	if Supposes()[words[0].Low] && (!before.Has(Addressed()) || before.Has(Clients())) && !before.Has(Lasting()) || Interrogative()[words[0].Low] && !Supposes()[words[0].Low] || prev.Quoted && !prev.Code {
		return false
	}
	for k, w := range before {
		if w.Stop == ':' && Foreign(words[:k+1]) {
			return false
		}
		if (TellingWords()[w.Low] || w.Low == "tell") && (k == 0 || words[k-1].Low != "i") {
			return false
		}
	}
	low, next := words[i].Low, Clause(words[i:]).At(1).Low
	switch {
	case prev.Stop != 0:
		return true
	case low == "you":
		return !(Prepositions()[words[0].Low] && !Placed(words)) && (!Subjoins()[prev.Low] || prev.Low == "that" && before.Has(Minding()))
	case low == "do" && next == "not":
		// After a singular it would be "does not", so it is an order.
		return SpokenJoints()[prev.Low] || !Plural(prev.Low) && !Vague()[prev.Low] && !Interrogative()[prev.Low] && !programs.Spoken()[prev.Low] && prev.Low != "people" && prev.Low != "data"
	}
	return SpokenJoints()[prev.Low] && (low == "never" || low == "always" || low == "no")
}

// Foreign reports whether the words before a colon say that what follows is a text, or the
// words of others.
func Foreign(words []Word) bool {
	for i, w := range words {
		if w.Quoted || Utterances()[w.Low] || Documents()[w.Low] || Sources()[w.Low] && w.Low != "repo" || Rewords()[w.Low] || i == 0 && (Tasks()[w.Low] || Actions()[w.Low] && w.Low != "keep") {
			return true
		}
	}
	return false
}

// SaysChange reports whether words say that something has changed.
func SaysChange(c Clause) bool { return c.Has(Changes()) }

// BoundTo returns the words that bind a statement to a time or a task.
func BoundTo(text string, words []Word) string {
	for i, w := range words {
		if i > 2 && w.Low == "but" {
			words = words[:i] // what comes behind it is about something else
			break
		}
		if i > 2 && Deciders()[w.Low] && (words[i-1].Stop != 0 || w.Low == "i") && i+1 < len(words) && (Past()[words[i+1].Low] || strings.HasSuffix(words[i+1].Low, "ed") || Bygones()[words[i+1].Low]) {
			words = words[:i] // a reason, which happened
			break
		}
	}
	from, to, ok := Passing().Find(words)
	for i := 0; i+2 < len(words) && !ok; i++ {
		if low := words[i].Low; (low == "for" || low == "on" || low == "during") && words[i+1].Low == "this" && Dealings()[words[i+2].Low] {
			from, to, ok = i, i+3, true
		}
	}
	if !ok || from > 0 && Onset()[words[from-1].Low] {
		return ""
	}
	return text[words[from].From:words[to-1].To]
}

// Earnest reports whether a sentence is meant literally: no joke, no guess, no
// supposition, and no reported speech.
func Earnest(text string, words []Word) bool {
	if strings.ContainsAny(text, "🙄😂🤣🙃😜😏") || strings.HasSuffix(strings.TrimRight(text, ". "), " /s") {
		return false
	}
	_, _, ok := Unearnest().Find(words)
	return !ok && !Reported(words)
}

// Reported reports whether a sentence ends with its source: "..., the README says".
func Reported(words []Word) bool {
	n := len(words)
	for i := max(n-6, 0); i < n-1; i++ {
		if words[i].Stop != ',' && words[i].Stop != '-' {
			continue
		}
		tail := Clause(words[i+1:])
		last := tail.At(len(tail) - 1).Low
		if tail.At(0).Low != "i" && tail.At(0).Low != "as" && (TellingWords()[last] || last == "say") || tail.At(0).Low == "says" || tail.At(0).Low == "said" {
			return true
		}
	}
	return false
}

// GivesSecret reports whether words contain a secret, rather than mention secrets.
func GivesSecret(words []Word) bool {
	_, to, ok := Secrets().Find(words)
	if !ok || to >= len(words) {
		return false
	}
	next := words[to].Low
	return next == "is" || next == "are" || next == "to" || strings.ContainsAny(next, "0123456789")
}

// NamesSecret reports whether words name what must not be kept as a fact.
func NamesSecret(words []Word) bool {
	_, _, ok := Secrets().Find(words)
	return ok
}

// OrderBegins returns where in a sentence a directive may begin: at its beginning, behind a mark,
// and where words that address the agent follow words that join clauses. Behind words that
// report, ask or suppose none begins.
func OrderBegins(words []Word, i int) bool {
	if words[i].Quoted {
		return false
	}
	if i == 0 {
		return true
	}
	switch words[i-1].Stop {
	case ',', '-', ':':
		return words[i].Low != "to" || Clause(words[:i]).Has(Beseeching())
	}
	prev := words[i-1].Low
	if Subjoins()[prev] || TellingWords()[prev] {
		if prev != "that" || i < 3 {
			return false
		}
		switch words[i-2].Low {
		case "is", "stays", "remains":
			return Wanted()[words[i-3].Low] || words[0].Low == "what" && words[1].Low == "i"
		}
		return false
	}
	switch low := words[i].Low; low {
	case "you":
		return true
	case "to":
		return Clause(words[:i]).Has(Beseeching())
	case "i":
		return i+3 < len(words) && words[i+1].Low == "do" && words[i+2].Low == "not" && words[i+3].Low == "want"
	case "under", "do", "never", "always":
		return Fillers()[prev] || Prelude()[prev] || SpokenJoints()[prev]
	}
	return false
}

// Recounts reports whether the words before a colon say that what follows are the words of
// others, or words to write.
func Recounts(words []Word) bool {
	for i, w := range words {
		if w.Quoted || TellingWords()[w.Low] || w.Low == "tell" || Utterances()[w.Low] || Documents()[w.Low] || Sources()[w.Low] || Rewords()[w.Low] || i == 0 && (Tasks()[w.Low] || Actions()[w.Low] && w.Low != "remember") {
			return true
		}
	}
	return false
}

// Preludes reports whether words only lead to what is said behind them: "okay so um first thing".
func Preludes(words []Word) bool {
	for _, w := range words {
		if w.Quoted || !Prelude()[w.Low] && !Fillers()[w.Low] && !SpokenJoints()[w.Low] && !Greetings()[w.Low] && !Agents()[w.Low] {
			return false
		}
	}
	return true
}

// Situates reports whether words are only a place of the project at hand: "in this codebase".
func Situates(words []Word) bool {
	from, to, ok := ThisProject().Find(words)
	return ok && from == 0 && to == len(words)
}

// Announcing reports whether the words before a colon say that a rule for the agent follows:
// "quick ground rule since we have customers", "for all your testing, today and later".
func Announcing(words []Word) bool {
	for len(words) > 0 && Fillers()[words[0].Low] && !Sizes()[words[0].Low] {
		words = words[1:]
	}
	if len(words) == 0 || Recounts(words) {
		return false
	}
	if Clause(words).Has(Lasting()) && !Narrators()[words[0].Low] {
		return true
	}
	for i, w := range words[:min(4, len(words))] {
		if Headed()[w.Low] && !Plural(w.Low) {
			next := Clause(words[i+1:])
			return !Prepositions()[next.At(0).Low] || next.At(0).Low == "for" || Houses()[next.At(1).Low] || Houses()[next.At(2).Low]
		}
		if !Sizes()[w.Low] && !Counts()[w.Low] && w.Low != "new" && (i > 0 || !Determiners()[w.Low]) {
			break
		}
	}
	return false
}

// Placed reports whether words begin with a place of the project at hand, or are meant for
// every time.
func Placed(words []Word) bool {
	from, _, ok := ThisProject().Find(words)
	return ok && from == 0 || Clause(words).Has(Lasting())
}

// WithoutTags returns the words of a sentence without the words at its end by which users ask
// to be obeyed: "never push to main, ok?"
func WithoutTags(words []Word) ([]Word, bool) {
	for n := 1; n <= 3 && n+2 < len(words); n++ {
		at := len(words) - n
		if MatchesOne(Tags(), words[at:]) && (n > 1 || words[at-1].Stop != 0 || ShortTags()[words[at].Low] && !Present()[words[at-1].Low] && !Negations()[words[at-1].Low]) && !words[at].Quoted {
			return words[:at], true
		}
	}
	return words, false
}
