// Package ruletext parses a rule in words into what it forbids or asks for: a [Clause] with the
// verb and the objects, the step that must come before, the exception, the limit, and what to do
// instead.
//
// It uses the grammar of internal/english, as internal/statement does, which decides whether a
// sentence is a rule at all. Text that it does not understand gives no clause: such a rule blocks
// no action.
package ruletext

import (
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/statement"
)

const (
	maxRuleText = 2000 // bytes of a rule that are read
	maxClauses  = 8    // of a rule
	maxGroups   = 16   // groups of a clause
)

// Clause is one act that a rule forbids, or requires before another.
type Clause struct {
	Groups []Group
	// Use says that the verb is one of use, so that a means follows.
	Use bool
	// Needs is what must have been done before, or nil.
	Needs []Group
	// Lacks is what the action must contain to comply with the rule, or nil.
	Lacks []Group
	// Except is the exception of the rule, or nil. Outside says that the exception is everything
	// outside of what it names.
	Except  *Exception
	Outside bool
	// Unless is a condition that an action does not show, as it is written.
	Unless string
	Limit  float64
	// Limited says that the rule forbids only amounts above Limit.
	Limited bool
	// Only is the program that is required instead of others of its family.
	Only string
	// Instead is what the rule says to do instead, as it is written.
	Instead string
}

// Group is a word of a rule, or several alternatives.
type Group struct {
	Words []Word
	// Place says that it follows a preposition.
	Place bool
	// by says that it follows a word for how something is done, and Into that it is a
	// destination.
	by, Into bool
	// Optional says that it only names the kind of what another group names.
	Optional bool
	// Branch says that it names branches as objects of the act, and Program that it means
	// a program whose name is also a verb.
	Branch, Program bool
}

// Word is a word as it is written, and in the forms in which it is compared.
type Word struct {
	Low, Folded string
	Flag, Path  bool
	Raw         string // as it is written
	Caps        bool   // in capitals
	Code        bool   // a name of code
	Keyword     bool   // of SQL or a method of HTTP, in capitals
}

// token is a word of a text, with the mark behind it.
type token struct {
	Low  string // lower case, without marks
	raw  string
	Mark byte // , ; : or ( before the next, or 0
	Open bool // it stands in parentheses
	call bool // parentheses follow it, as in eval()
}

// Read reads a rule. Text that it does not understand gives no clause.
//
// A rule forbids what follows "never", "do not", "must not", "avoid", "no" and the like,
// or what precedes "is forbidden". The forbidden act is a list of words, and the rule applies
// to an action only if the action has every one of them: as the means (program, subcommand,
// flag, tool, host) or as the object (argument, path, branch, table), and at least one as the
// means. Words joined by "or" are alternatives. A condition that an action does not show
// makes the verdict uncertain: days and hours, and what follows "unless", "if", "when",
// "until", "except" and "without". Flags and clauses of SQL, which the action shows, and tests
// and the like, which steps show, are certain. "More than" compares numbers. "Before" requires
// a step, and "instead of" and "not" forbid what follows them.
func Read(text string) []Clause {
	text = plainly(statement.Core(english.Unscoped(strings.ReplaceAll(english.Clip(text, maxRuleText), "’", "'"))))
	var out []Clause
	for _, s := range Sentences(text) {
		var told string
		for len(s) > 0 && len(out) < maxClauses {
			if len(out) > 0 && isException(s) {
				limit(out, exceptionOf(s))
				break
			}
			c, rest, ok := readClause(s)
			if ok {
				out = append(out, c...)
			} else if len(out) > 0 && told == "" {
				told = adviceIn(s)
			}
			if len(rest) >= len(s) {
				break
			}
			s = rest
		}
		if told != "" {
			for i := range out {
				if out[i].Instead == "" {
					out[i].Instead = told
				}
			}
		}
	}
	return out[:min(len(out), maxClauses)]
}

// limit gives clauses an exception that a sentence of its own states.
func limit(list []Clause, e *Exception) {
	for i := range list {
		if c := &list[i]; c.Except == nil {
			c.Except = e
		}
	}
}

// Sentences splits a text into sentences of tokens.
func Sentences(text string) [][]token {
	var all [][]token
	var s []token
	end := func() {
		if len(s) > 0 {
			all = append(all, s)
		}
		s = nil
	}
	for line := range strings.Lines(text) {
		inside := false
		for f := range strings.FieldsSeq(line) {
			if f == "—" || f == "–" || f == "-" || f == "*" || f == "•" {
				if len(s) > 0 {
					s[len(s)-1].Mark = ':'
				}
				continue
			}
			opens := strings.HasPrefix(f, "(")
			call := !opens && strings.HasSuffix(strings.TrimRight(f, "`'\".,;:!?"), "()")
			inside = inside || opens && !call
			body := unmarked(strings.Trim(f, "()\"“”`"))
			mark := byte(0)
			trimmed := strings.TrimRight(body, ",;:!?")
			if trimmed != body {
				mark = body[len(body)-1]
			}
			stop := strings.HasSuffix(trimmed, ".") && len(trimmed) > 1
			if stop {
				trimmed = strings.TrimRight(trimmed, ".")
			}
			trimmed = unmarked(strings.Trim(trimmed, "()\"“”`'"))
			if trimmed != "" {
				s = append(s, token{Low: strings.ToLower(trimmed), raw: trimmed, Mark: mark, Open: inside && !call, call: call})
			}
			if strings.Contains(f, ")") {
				inside = false
			}
			if stop || mark == ';' || mark == '!' || mark == '?' {
				end()
			}
		}
		end()
	}
	return all
}

// unmarked returns a word without the marks of bold and italic text.
func unmarked(w string) string {
	w = strings.TrimSuffix(strings.TrimPrefix(w, "**"), "**")
	if len(w) > 2 && w[0] == '*' && w[len(w)-1] == '*' {
		w = w[1 : len(w)-1]
	}
	return w
}

// heads are the words that begin a ban.
var heads = [][]string{
	{"never", "ever"}, {"never"}, {"do", "not", "ever"}, {"do", "not"}, {"don't", "ever"}, {"don't"}, {"dont"}, {"must", "never"}, {"must", "not"}, {"mustn't"}, {"should", "never"}, {"should", "not"}, {"shouldn't"},
	{"may", "not"}, {"cannot"}, {"can't"}, {"can", "not"}, {"not", "allowed", "to"}, {"not", "permitted", "to"}, {"avoid"}, {"refrain", "from"}, {"under", "no", "circumstances"}, {"no"}, {"stop"},
}

// lastHeads are the words that end a ban: they forbid what precedes them.
var lastHeads = [][]string{{"forbidden"}, {"prohibited"}, {"banned"}, {"not", "allowed"}, {"not", "permitted"}, {"off", "limits"}, {"off-limits"}}

// leadIns are words before a rule without a meaning of their own.
var leadIns = english.List("you we i should must always please remember rule note important also and but keep in mind that really make sure to be are is want need agents agent the assistant from now on hey so then will shall let us lets let's policy warning")

func at(s []token, i int, words []string) bool {
	if i+len(words) > len(s) {
		return false
	}
	for k, w := range words {
		if s[i+k].Low != w {
			return false
		}
	}
	return true
}

// findHead returns where a ban begins, and how many words its head has.
func findHead(s []token) (i, n int, last, ok bool) {
	for i := range s {
		for _, h := range lastHeads {
			if at(s, i, h) && i > 0 && !at(s, i+len(h), []string{"to"}) {
				return i, len(h), true, true
			}
		}
		for _, h := range heads {
			if at(s, i, h) && (i == 0 || len(h) > 1 || h[0] != "no" && h[0] != "stop" && h[0] != "avoid" || s[i-1].Mark != 0) {
				return i, len(h), false, true
			}
		}
	}
	return 0, 0, false, false
}

// readClause reads the first clause of a sentence, and returns the rest.
func readClause(s []token) (list []Clause, rest []token, ok bool) {
	i, n, last, found := findHead(s)
	if !found {
		return readWish(s)
	}
	if wish, _, ok := readWish(s[:i]); ok && i > 0 && s[i-1].Mark != 0 {
		return wish, s[i:], true // a separate wish precedes it
	}
	before, behind := s[:i], s[i+n:]
	b := &clauseBuilder{}
	switch {
	case last:
		b.core(before)
		b.tail(behind)
		return b.list(), nil, b.good()
	case len(behind) > 0 && behind[0].Low == "be":
		b.core(before)
		rest = b.core(behind[1:])
		return b.list(), rest, b.good()
	}
	b.context(before)
	rest = b.core(behind)
	return b.list(), rest, b.good()
}

// clauseBuilder makes clauses of tokens.
type clauseBuilder struct {
	c     Clause
	done  []Clause
	place bool
	by    bool
	into  bool
	join  bool // the next word is an alternative
	verb  bool // a verb was read
	any   bool // a word was read
}

func (b *clauseBuilder) good() bool { return len(b.done) > 0 || len(b.c.Groups) > 0 }

// list returns the clauses. The conditions of the last one apply to all.
func (b *clauseBuilder) list() []Clause {
	all := append(b.done, b.c)
	for i := range all {
		c := &all[i]
		if i < len(all)-1 && c.Unless == "" && c.Except == nil {
			c.Unless, c.Needs, c.Lacks, c.Except, c.Outside, c.Instead = b.c.Unless, b.c.Needs, b.c.Lacks, b.c.Except, b.c.Outside, b.c.Instead
		}
		c.settle()
	}
	return all
}

// settle marks groups that only name a kind.
func (c *Clause) settle() {
	named, placed := 0, 0
	pushes, code := false, false
	for i := range c.Groups {
		for _, w := range c.Groups[i].Words {
			pushes = pushes || onBranches()[w.Folded]
			code = code || w.Code
		}
	}
	for i := range c.Groups {
		switch w := c.Groups[i].Words[0].Folded; {
		case english.Environments()[w]:
			placed++
		case !kinds()[w] && (!english.Deeds()[w] || i > 0):
			named++
		}
	}
	for i := range c.Groups {
		g := &c.Groups[i]
		w := g.Words[0].Folded
		g.Optional = !g.by && (kinds()[w] && named > 0 || w == english.Fold("environment") && placed > 0) || code && g.Place && !g.Words[0].Code
		g.Program = c.Use && i == 0 && len(g.Words) == 1 && verbPrograms()[w]
		g.Branch = pushes && g.Into && !slices.ContainsFunc(g.Words, func(w Word) bool { return !branchNames()[w.Low] })
	}
}

// onBranches are the verbs whose object is a branch, branchNames the names of branches that have
// no other meaning, and verbPrograms the programs whose names are verbs.
var (
	onBranches   = english.FoldedList("push commit merge rebase")
	branchNames  = english.List("main master trunk develop")
	verbPrograms = english.FoldedList("make touch kill")
)

// kinds are nouns that only give the kind of a named object.
var kinds = english.FoldedList("file directory branch table environment server cluster package dependency library api endpoint script statement query clause flag option host cli container")

// keywords are those of SQL and the methods of HTTP that rules name in capitals.
var keywords = english.List("SELECT INSERT UPDATE DELETE DROP TRUNCATE ALTER CREATE GRANT REVOKE GET POST PUT PATCH")

// context reads the words before the ban: a condition, or a separate wish.
func (b *clauseBuilder) context(s []token) {
	for i, t := range s {
		if !leadIns()[t.Low] || prepositions()[t.Low] {
			if i < len(s) && s[len(s)-1].Mark != 0 && !prepositions()[t.Low] && Tails[t.Low] == 0 {
				b.c.Instead = adviceIn(s)
				return
			}
			break
		}
	}
	for i, t := range s {
		if leadIns()[t.Low] || english.RuleFillers()[t.Low] || english.Workplaces()[t.Low] {
			continue
		}
		if t.Low == "unless" || t.Low == "except" {
			b.c.Except = exceptionOf(s[i:])
			return
		}
		if Tails[t.Low] != 0 || english.Times()[english.Fold(t.Low)] || english.Environments()[english.Fold(t.Low)] {
			b.c.Unless = Join(s[i:])
			return
		}
		b.add(t)
	}
	b.any, b.verb, b.place, b.join = false, false, false, false
}

// The kinds of text behind the core, by their first word.
const (
	TailReason = iota + 1 // why
	tailUnless            // a condition
	tailBefore
	tailWithout
	tailUntil
)

var Tails = map[string]int{
	"because": TailReason, "since": TailReason, "even": TailReason, "so": TailReason, "otherwise": TailReason,
	"unless": tailUntil, "except": tailUnless, "if": tailUnless, "when": tailUnless, "whenever": tailUnless, "while": tailUnless, "during": tailUnless, "until": tailUntil, "till": tailUntil,
	"after": tailUnless, "outside": tailUnless, "between": tailUnless, "once": tailUnless, "where": tailUnless, "despite": tailUnless, "besides": tailUnless, "other": tailUnless,
	"before": tailBefore, "without": tailWithout, "instead": TailReason, "rather": TailReason,
}

var prepositions = english.List("to into onto in on at of for from with within inside under against via through over across")

// Starters are words that begin a separate clause after a comma.
var Starters = english.List("except unless exception however always never use instead but please open create do don't it we you they this that's so only prefer go ask run make they're it's i which there")

// core reads the forbidden act, and returns the tokens of the next clause.
func (b *clauseBuilder) core(s []token) (rest []token) {
	for i := 0; i < len(s); i++ {
		t := s[i]
		if t.Open {
			switch {
			case b.c.Except != nil || b.c.Unless != "":
			case excepts(t.Low):
				b.c.Except = exceptionOf(s[i:])
			case Tails[t.Low] == tailUnless || Tails[t.Low] == tailUntil:
				b.c.Unless = Join(s[i:])
			}
			continue
		}
		if kind := Tails[t.Low]; kind != 0 && (t.Low != "so" || b.any) && !(t.Low == "other" && !at(s, i, []string{"other", "than"})) {
			return b.tail(s[i:])
		}
		if t.Low == "as" && i+1 < len(s) && rawPronouns()[s[i+1].Low] {
			return nil
		}
		if (t.Low == "pull" || t.Low == "merge") && i+1 < len(s) && (s[i+1].Low == "request" || s[i+1].Low == "requests") {
			i++
			t = token{Low: "pr", raw: "PR", Mark: s[i].Mark}
		}
		if n := b.limit(s[i:]); n > 0 {
			i += n - 1
			continue
		}
		switch {
		case t.Low == "or" || t.Low == "nor" || t.Low == "and" && b.any:
			b.join = b.any
			continue
		case english.Times()[english.Fold(t.Low)] || english.RuleManners()[english.Fold(t.Low)]:
			b.c.Unless = Join(s[max(0, i-1):])
			return nil
		case b.inPlace(s, i):
			// the project at hand
		case prepositions()[t.Low] && !(t.Low == "over" && b.any && !b.verb):
			b.place, b.by = true, t.Low == "via" || t.Low == "through" || t.Low == "with"
			b.into = t.Low == "into" || t.Low == "to" || t.Low == "onto" || t.Low == "on"
		default:
			b.add(t)
		}
		if t.Mark == ':' || t.Mark == ',' && i+1 < len(s) && Starters()[s[i+1].Low] {
			return s[i+1:]
		}
		if t.Mark == ',' {
			b.join = b.any
		}
	}
	return nil
}

var rawPronouns = english.List("it this that we they there you i he she")

// inPlace reports whether the word is one such as repo in "in this repo".
func (b *clauseBuilder) inPlace(s []token, i int) bool {
	return english.Workplaces()[s[i].Low] && b.place && b.any
}

// add adds a word to the core.
func (b *clauseBuilder) add(t token) {
	w := wordOf(t)
	verb := english.Deeds()[w.Folded] && !w.Flag && !w.Path
	if english.RuleFillers()[t.Low] && !(verb && !b.verb) {
		return
	}
	if verb && english.Means()[w.Folded] && (!b.any || b.verb) {
		b.c.Use = b.c.Use || !b.any
		b.verb, b.any = true, true
		return
	}
	if b.join && len(b.c.Groups) > 0 {
		b.join = false
		last := &b.c.Groups[len(b.c.Groups)-1]
		lastVerb := english.Deeds()[last.Words[0].Folded] && len(b.c.Groups) == 1
		switch {
		case verb == lastVerb || verb && !base(t.Low):
			last.Words = append(last.Words, w)
			return
		case verb && len(b.done) < maxClauses-1:
			b.done = append(b.done, b.c) // another forbidden act
			b.c = Clause{}
		}
	}
	if len(b.c.Groups) < maxGroups {
		b.c.Groups = append(b.c.Groups, Group{Words: []Word{w}, Place: b.place, by: b.by, Into: b.into})
	}
	b.any, b.join = true, false
	b.verb = b.verb || verb
}

// base reports whether a word is a verb in the imperative.
func base(low string) bool {
	return !strings.HasSuffix(low, "s") && !strings.HasSuffix(low, "ing") && !strings.HasSuffix(low, "ed")
}

func wordOf(t token) Word {
	if t.Low == "|" {
		t.Low = "pipe"
	}
	w := Word{Low: t.Low, Raw: t.raw, Folded: english.Fold(t.Low), Caps: len(t.raw) > 2 && strings.ToUpper(t.raw) == t.raw}
	switch {
	case keywords()[t.raw]:
		w.Keyword = true
	case len(t.raw) > 1 && t.raw[0] == '-':
		w.Flag, w.Low = true, t.raw
	case t.call || english.CodeLike(t.raw):
		if w.Code = true; t.call {
			w.Raw += "("
		}
	case pathLike(t.raw):
		w.Path = true
	}
	return w
}

// pathLike reports whether a word of a rule names a file or a directory.
func pathLike(v string) bool {
	if strings.Contains(v, "://") {
		return false
	}
	dot := strings.LastIndexByte(v, '.')
	return strings.ContainsAny(v, "/*~") || dot == 0 && len(v) > 1 || dot > 0 && len(v)-dot <= 6 && dot < len(v)-1
}

// limit reads "more than 100 dollars", and returns how many words that is.
func (b *clauseBuilder) limit(s []token) int {
	n := 0
	switch {
	case len(s) > 2 && s[1].Low == "than" && (s[0].Low == "more" || s[0].Low == "greater" || s[0].Low == "larger" || s[0].Low == "higher"):
		n = 2
	case len(s) > 1 && (s[0].Low == "over" || s[0].Low == "above" || s[0].Low == "exceeding" || s[0].Low == "beyond" || s[0].Low == "exceed"):
		n = 1
	default:
		return 0
	}
	if s[n].Low == "usd" || s[n].Low == "eur" {
		n++
	}
	if n >= len(s) {
		return 0
	}
	text := strings.ReplaceAll(strings.Trim(s[n].Low, "$€£"), ",", "")
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		if n == 2 || s[0].Low == "exceeding" || s[0].Low == "exceed" {
			b.c.Unless = Join(s)
			return len(s)
		}
		return 0
	}
	b.c.Limit, b.c.Limited = v, true
	if n++; n < len(s) && (currencies()[s[n].Low]) {
		n++
	}
	return n
}

var currencies = english.List("usd eur gbp dollar dollars euro euros pounds bucks $ €")

// tail reads the text behind the core.
func (b *clauseBuilder) tail(s []token) (rest []token) {
	if len(s) == 0 {
		return nil
	}
	for i, t := range s {
		if (t.Mark == ':' || t.Mark == ',' && i+1 < len(s) && Starters()[s[i+1].Low]) && i+1 < len(s) {
			s, rest = s[:i+1], s[i+1:]
			break
		}
	}
	kind := Tails[s[0].Low]
	switch kind {
	case TailReason:
		if (s[0].Low == "instead" || s[0].Low == "rather") && len(s) > 2 {
			b.c.Instead = "use " + Join(s[2:])
		}
		return rest
	case tailWithout:
		b.c.Lacks = checkable(s[1:])
		if b.c.Lacks != nil {
			return rest
		}
		b.c.Needs = needed(s[1:])
	case tailBefore, tailUntil:
		b.c.Needs = needed(s[1:])
	case 0:
		for i, t := range s {
			if Tails[t.Low] != 0 {
				b.tail(s[i:])
				return rest
			}
			if english.Times()[english.Fold(t.Low)] {
				b.c.Unless = Join(s)
				return rest
			}
		}
		return rest
	}
	switch {
	case b.c.Needs != nil:
	case excepts(s[0].Low):
		b.c.Except, b.c.Outside = exceptionOf(s), s[0].Low == "outside"
	default:
		b.c.Unless = Join(s)
	}
	return rest
}

// excepts reports whether a word begins an exception.
func excepts(low string) bool {
	return low == "except" || low == "unless" || low == "outside" || low == "other" || low == "besides"
}

// checkable returns the object of "without", if an action itself shows it.
func checkable(s []token) []Group {
	for _, t := range s {
		switch {
		case t.Low == "where" || t.Low == "limit" || len(t.raw) > 1 && t.raw[0] == '-':
			return []Group{{Words: []Word{wordOf(t)}}}
		case t.Low == "dry" || t.Low == "dry-run":
			return []Group{{Words: []Word{{Low: "--dry-run", Flag: true}}}}
		case !english.RuleFillers()[t.Low]:
			return nil
		}
	}
	return nil
}

// needed returns the required step, if the steps of a session can show it; else nil.
func needed(s []token) []Group {
	var groups []Group
	seen := false
	for _, t := range s {
		w := wordOf(t)
		switch {
		case english.Consents()[w.Folded], english.Times()[w.Folded]:
			return nil
		case english.WentWell()[w.Folded], english.RuleFillers()[t.Low], english.Means()[w.Folded], leadIns()[t.Low], t.Low == "have", t.Low == "had", t.Low == "first", t.Low == "unit", t.Low == "integration", t.Low == "suite", t.Low == "show", t.Low == "see", t.Low == "view", t.Low == "display":
			continue
		}
		seen = seen || english.Observable()[w.Folded]
		if len(groups) < maxGroups {
			groups = append(groups, Group{Words: []Word{w}})
		}
	}
	if !seen {
		return nil
	}
	return groups
}

// Join returns tokens as a text.
func Join(s []token) string {
	parts := make([]string, len(s))
	for i, t := range s {
		parts[i] = t.raw
	}
	return strings.Join(parts, " ")
}
