package english

import (
	"slices"
	"strings"

	"lukasa.dev/internal/programs"
)

// MaxKinds is how many words stand at most before what the agent is called.
const MaxKinds = 4

// Forbidding returns where a clause says that what stands before is forbidden, or 0.
func (c Clause) Forbidding() int {
	for i := 1; i < min(12, len(c)-1); i++ {
		if c[i].Low == "is" || c[i].Low == "are" {
			if rest, ok := c.Skip(i + 1).Cut(Bans...); ok && (len(rest) == 0 || Bounds()[rest.At(0).Low]) {
				return i
			}
			return 0
		}
	}
	return 0
}

// Passive returns what must not be done, and to what: "tests must never be skipped".
func (c Clause) Passive() (verb string, what Clause, ok bool) {
	for i := 1; i < min(6, len(c)-2); i++ {
		if w := c[i-1]; w.Stop != 0 || w.Quoted && !w.Code || Subordinate()[w.Low] || Vague()[w.Low] {
			return "", Clause{}, false
		}
		rest, ok := c.Skip(i).Cut("must never be", "must not be", "should never be", "may never be", "may not be", "shall never be", "can never be", "must never ever be", "is never to be", "are never to be", "is not to be", "are not to be")
		if !ok {
			continue
		}
		verb := unparticiple(rest.At(0).Low)
		return verb, Clause(append(append([]Word{}, c[:i]...), rest[1:]...)), Practises()[verb] || Crafts()[verb]
	}
	return "", Clause{}, false
}

// Unconditional returns a clause up to the condition under which it holds.
func (c Clause) Unconditional() Clause {
	for i, w := range c {
		if i > 1 && (w.Low == "while" || w.Low == "when" || w.Low == "until" || w.Low == "unless" || w.Low == "if") {
			return c[:i]
		}
	}
	return c
}

// Identifies reports whether a clause names a certain piece of code.
func (c Clause) Identifies() bool {
	for _, w := range c {
		if w.Quoted || strings.Contains(w.Low, "_") || FileName(w.Low) {
			return true
		}
	}
	return false
}

// Commands reports whether a clause begins with an order.
func (c Clause) Commands() bool {
	_, ok := c.Cut("do not", "never", "you")
	return ok || Actions()[c.At(0).Low]
}

// Particular reports whether a clause names something of the project by its own name.
func (c Clause) Particular() bool {
	return c.Has(Strong()) || slices.ContainsFunc(c, func(w Word) bool { return w.Code || path(w.Low) || FileName(w.Low) || programs.Spoken()[w.Low] })
}

// Tabooed reports whether a ban is on words that the agent says to the user: "never say 'you are
// right' to me".
func (c Clause) Tabooed(d Directive) bool {
	return d.Negative && d.Absolute && c.Has(Parties()) && slices.ContainsFunc(c, func(w Word) bool { return w.Quoted && !w.Code })
}

// Said returns a clause up to its first mark, a reason, or another rule that is spoken on
// without a mark.
func (c Clause) Said() Clause {
	c = c.Thought()
	for i, w := range c {
		if i > 1 && (w.Low == "always" || w.Low == "never") {
			return c[:i]
		}
	}
	return c
}

// Opening returns a clause up to its first mark.
func (c Clause) Opening() Clause {
	for i, w := range c {
		if w.Stop != 0 {
			return c[:i+1]
		}
	}
	return c
}

// Code reports whether a clause has words between backquotes.
func (c Clause) Code() bool {
	for _, w := range c {
		if w.Code {
			return true
		}
	}
	return false
}

// Complains reports whether "you never" or "you always" finds fault with what was done: a
// good deed that is never done, a bad one that always is.
func (c Clause) Complains(never bool) bool {
	verb := c.At(0).Low
	if faults()[verb] || c.Has(Amiss()) {
		return true
	}
	if never {
		return Virtues()[verb] && !c.Has(Unasked()) || verb == "run" && c.Has(Checks())
	}
	return false
}

// Unreasoned returns a rule up to the reason or the tag behind it.
func (c Clause) Unreasoned() Clause {
	for i := 1; i < len(c); i++ {
		w := c[i]
		if w.Quoted {
			continue
		}
		if next := c.At(i + 1).Low; i > 2 && ((w.Low == "it" || w.Low == "they") && (next == "is" || next == "are" || Past()[next]) || Deciders()[w.Low] && Bygones()[next] && next != "have") {
			return c[:i]
		}
		if i > 1 && (w.Low == "because" || w.Low == "since" || w.Low == "so" && c[i-1].Stop != 0) {
			return c[:i]
		}
		if c[i-1].Stop != 0 && i > 1 && (Vague()[w.Low] || Determiners()[w.Low] || Actions()[w.Low] && !programs.Spoken()[w.Low] || w.Low == "people" || w.Low == "not" || w.Low == "never" || w.Low == "ever" || w.Low == "always" || w.Low == "only" || w.Low == "just") {
			return c[:i]
		}
	}
	return c
}

// Segments returns the parts of a clause between its marks.
func (c Clause) Segments() []Clause {
	var out []Clause
	from := 0
	for i, w := range c {
		if w.Stop != 0 || i == len(c)-1 {
			out = append(out, c[from:i+1])
			from = i + 1
		}
	}
	return out
}

// Based returns a clause whose first verb is in its plain form.
func (c Clause) Based() Clause {
	for len(c) > 1 && (Stress()[c.At(0).Low] || c.At(0).Low == "again" || c.At(0).Low == "now") {
		c = c.Skip(1)
	}
	if base := Gerund(c.At(0).Low, Actions()); base != "" && !Actions()[c.At(0).Low] {
		first := c[0]
		first.Low = base
		return Clause(append([]Word{first}, c[1:]...))
	}
	return c
}

// Parted reports whether behind a mark more follows than a courtesy.
func (c Clause) Parted() bool {
	for i, w := range c[:max(len(c)-1, 0)] {
		if w.Stop != 0 && !Fillers()[c[i+1].Low] {
			return true
		}
	}
	return false
}

// TrimAnymore returns words without "anymore" at their end.
func TrimAnymore(words []Word) []Word {
	n := len(words)
	switch {
	case n > 0 && words[n-1].Low == "anymore":
		return words[:n-1]
	case n > 1 && words[n-1].Low == "more" && words[n-2].Low == "any":
		return words[:n-2]
	case n > 1 && words[n-1].Low == "longer" && words[n-2].Low == "any":
		return words[:n-2]
	}
	return words
}

// Workshop reports whether a clause names something of the work on a project: a branch, an
// environment, a file, a tool, what a commit is made of, or the user or the agent.
func (c Clause) Workshop() bool {
	return c.Has(Parties()) || c.Has(Products()) || c.Concrete()
}

// Concrete is Workshop without [Parties] and [Products].
func (c Clause) Concrete() bool {
	if c.Has(Strong()) {
		return true
	}
	for i, w := range c {
		if materials()[w.Low] || programs.Spoken()[w.Low] || FileName(w.Low) || Calendar()[singularOf(w.Low)] || path(w.Low) || hostName(w.Low) || len(w.Low) > 2 && w.Low[0] == '.' && letter(w.Low[1]) {
			return !(i > 0 && c[i-1].Low == "upload") // what users of a program bring
		}
	}
	return false
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

// Handed reports whether a clause points at what is at hand, other than where the group
// works.
func (c Clause) Handed() bool {
	for i, w := range c {
		if w.Low == "this" && i > 0 && Prepositions()[c[i-1].Low] && (Houses()[c.At(i+1).Low] || hosts()[c.At(i+1).Low]) {
			c = c[:i]
			break
		}
	}
	return c.AtHand()
}

// Stressed returns a clause without the words behind "never" or "always" that only stress it.
func (c Clause) Stressed() Clause {
	for {
		switch c.At(0).Low {
		case "please", "ever", "to", "always", "never":
			c = c.Skip(1)
		default:
			rest, ok := c.Cut("under any circumstances", "in any case", "at any time", "and i mean never", "and i mean it", "i mean never")
			if !ok {
				return c
			}
			c = rest
		}
	}
}

// Verbal returns a clause whose deed begins with its verb where it is written as a command
// or with a noun: "`git push` to main" and "do a push to main" are to push to main, and
// "`rm -rf` the cache" is to run it.
func (c Clause) Verbal() Clause {
	first := c.At(0)
	if first.Low == "do" || first.Low == "make" || first.Low == "perform" {
		n := 1
		if Determiners()[c.At(n).Low] {
			n++
		}
		if c.At(n).Low == "git" {
			n++
		}
		if verb := DeedNouns[c.At(n).Low]; verb != "" {
			return Clause(append([]Word{{Low: verb, Stop: c.At(n).Stop}}, c[n+1:]...))
		}
		return c
	}
	if first.Quoted && !first.Code || !programs.Spoken()[first.Low] {
		return c
	}
	if next := c.At(1); first.Low == "git" && Actions()[next.Low] && next.Code == first.Code {
		if len(c) == 2 || next.Stop != 0 {
			return Clause(append([]Word{{Low: "run"}}, c...)) // all of it
		}
		next.Quoted = false
		return Clause(append([]Word{next}, c[2:]...))
	}
	if first.Code || !Actions()[first.Low] {
		return Clause(append([]Word{{Low: "run"}}, c...))
	}
	return c
}

// Unsaid reports whether what a verb acts on is only pointed at.
func (c Clause) Unsaid(verb string) bool {
	if len(c) == 1 && strings.HasSuffix(c.At(0).Low, "ly") {
		return true
	}
	switch first := c.At(0).Low; first {
	case "me", "us", "anything", "everything", "anyone":
		return len(c) < 2 || c.At(0).Stop != 0
	case "that":
		return !ThatVerbs()[verb]
	case "what", "why", "how", "which":
		return !Talking()[verb] && verb != "show" && verb != "describe" && verb != "document" || len(c) < 3
	default:
		return Vague()[first] && !c.Has(Strong()) || Vague()[c.At(1).Low] && Turns()[first] && !(conditional()[first] && Deciders()[c.At(1).Low]) || c.Said().Pointed()
	}
}

// AtHand reports whether a clause points at what is at hand: by words that point, or by one of
// what people deal with once, as "my flight".
func (c Clause) AtHand() bool {
	if c.Has(atHand()) {
		return true
	}
	for i, w := range c {
		if (w.Low == "my" || w.Low == "the") && Dealings()[c.At(i+1).Low] && c.At(i+2).Low != "of" {
			return true
		}
	}
	return false
}

// Pointed reports whether a clause has a demonstrative: "this airline", "with that".
func (c Clause) Pointed() bool {
	for i, w := range c {
		switch w.Low {
		case "these", "those":
			return true
		case "this":
			if !Houses()[c.At(i+1).Low] && !Houses()[c.At(i+2).Low] && !hosts()[c.At(i+1).Low] && c.At(i+1).Low != "task" {
				return true
			}
		case "that":
			if i > 0 && Prepositions()[c[i-1].Low] {
				return true
			}
		}
	}
	return false
}

// DeedWords returns the words that say what is done, without the reason and without what to do
// instead: "push to main" of "push to main, open a pull request" and of "push to main because
// CI deploys from it".
func (c Clause) DeedWords() []Word {
	for i, w := range c {
		if i < 1 || w.Quoted {
			continue
		}
		if w.Low == "because" || w.Low == "since" && c[i-1].Stop != 0 {
			return c[:i]
		}
		if c[i-1].Stop != 0 && (Deciders()[w.Low] || w.Low == "never" || w.Low == "not" || w.Low == "ever" || Actions()[w.Low] && !strings.HasSuffix(w.Low, "ing") || w.Low == "always" || w.Low == "instead" || w.Low == "just") {
			return c[:i]
		}
	}
	return c
}

// Versus splits what is wanted from what is not.
func (c Clause) Versus() (one, other Clause, ok bool) {
	for i := 1; i < len(c); i++ {
		n := 0
		switch w := c[i]; {
		case w.Quoted:
		case (w.Low == "not" || w.Low == "never") && c[i-1].Stop != 0, w.Low == "over", w.Low == "and" && c.At(i+1).Low == "not":
			n = 1
			if w.Low == "and" {
				n = 2
			}
		case w.Low == "instead" && c.At(i+1).Low == "of", w.Low == "rather" && c.At(i+1).Low == "than":
			n = 2
		}
		if n > 0 && i+n < len(c) {
			return c[:i], c.Skip(i + n).Head(), true
		}
	}
	return c, Clause{}, false
}

// Head returns the words up to the first mark, or what begins another thought.
func (c Clause) Head() Clause {
	for i, w := range c {
		if i > 0 && Turns()[w.Low] {
			return c[:i]
		}
		if w.Stop != 0 {
			return c[:i+1]
		}
	}
	return c
}

// Thought returns the words up to the first mark, or to a reason or a condition.
func (c Clause) Thought() Clause {
	for i, w := range c {
		if i > 0 && Reasons()[w.Low] {
			return c[:i]
		}
		if w.Stop != 0 {
			return c[:i+1]
		}
	}
	return c
}

// BeginsName reports whether a name follows.
func (c Clause) BeginsName() bool {
	if c.At(0).Low == "the" {
		c = c.Skip(1)
	}
	return c.At(0).Capital && !c.At(0).Quoted && c.At(0).Low != "i"
}

// Questioned returns where a clause says of what it is meant to be asked, or 0.
func (c Clause) Questioned() int {
	for i := 2; i+2 < len(c); i++ {
		switch c[i].Low {
		case "when", "whenever", "if", "anytime":
			if c[i+1].Low == "i" && Sayings()[c.At(i+2).Low] {
				return i
			}
		}
	}
	return 0
}
