// Package ruletext parses a rule in words into what it forbids or asks for: a [Clause] with the
// verb and the objects, the step that must come before, the exception, the limit, and what to do
// instead.
//
// It stands on the grammar of internal/english, as internal/statement does, which says whether a
// sentence is a rule at all. What it does not understand gives no clause: a rule that is not
// understood stops nobody.
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
	maxGroups   = 16   // things that a clause names
)

// Clause is one thing that a rule forbids, or asks to be done before another.
type Clause struct {
	Groups []Group
	// use says that the verb is one of use, so that what follows is a means.
	Use bool
	// needs is what must have been done before, or nil.
	Needs []Group
	// lacks is what must stand in the action for the rule to be kept, or nil.
	Lacks []Group
	// except is what the rule does not speak of, or nil, and outside says that it is named by
	// what lies around it.
	Except  *Exception
	Outside bool
	// unless is what an action does not tell, as it is written.
	Unless string
	Limit  float64
	// limited says that only what is above the limit is meant.
	Limited bool
	// only is the program that is asked for in place of its kin.
	Only string
	// instead is what the rule says to do, as it is written.
	Instead string
}

// Group is a word of a rule, or several of which one is enough.
type Group struct {
	Words []Word
	// place says that it stands behind a preposition.
	Place bool
	// by says that it stands behind a word for how something is done, and into that it is
	// where something is put.
	by, Into bool
	// optional says that it only names the kind of what another group names.
	Optional bool
	// branch says that it names branches that something is done to, and program that it means
	// a program whose name is a verb, too.
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

// Read reads a rule. What it does not understand gives no clause.
//
// A rule forbids what follows "never", "do not", "must not", "avoid", "no" and their like,
// or what stands before "is forbidden". What it forbids are words, and it speaks of an
// action only if the action has every one of them: as what does it (program, subcommand,
// flag, tool, host) or as what it is done to (argument, path, branch, table), one of them at
// least as the first. Words joined by "or" are alternatives. What an action cannot tell
// makes it uncertain: days and hours, and what follows "unless", "if", "when", "until",
// "except" and "without", but for flags and clauses of SQL that are or are not there, and
// for tests and the like, which steps show. "More than" compares numbers. "Before" asks
// for a step, and "instead of" and "not" forbid what follows them.
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

// Sentences takes a text apart.
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

// unmarked returns a word without the marks that make it bold or slanted.
func unmarked(w string) string {
	w = strings.TrimSuffix(strings.TrimPrefix(w, "**"), "**")
	if len(w) > 2 && w[0] == '*' && w[len(w)-1] == '*' {
		w = w[1 : len(w)-1]
	}
	return w
}

// heads are the words by which something is forbidden.
var heads = [][]string{
	{"never", "ever"}, {"never"}, {"do", "not", "ever"}, {"do", "not"}, {"don't", "ever"}, {"don't"}, {"dont"}, {"must", "never"}, {"must", "not"}, {"mustn't"}, {"should", "never"}, {"should", "not"}, {"shouldn't"},
	{"may", "not"}, {"cannot"}, {"can't"}, {"can", "not"}, {"not", "allowed", "to"}, {"not", "permitted", "to"}, {"avoid"}, {"refrain", "from"}, {"under", "no", "circumstances"}, {"no"}, {"stop"},
}

// lastHeads forbid what stands before them.
var lastHeads = [][]string{{"forbidden"}, {"prohibited"}, {"banned"}, {"not", "allowed"}, {"not", "permitted"}, {"off", "limits"}, {"off-limits"}}

// leadIns are words before a rule that say nothing.
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

// findHead returns where something is forbidden, and how many words say so.
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

// readClause reads the first clause of a sentence, and returns what is left of it.
func readClause(s []token) (list []Clause, rest []token, ok bool) {
	i, n, last, found := findHead(s)
	if !found {
		return readWish(s)
	}
	if wish, _, ok := readWish(s[:i]); ok && i > 0 && s[i-1].Mark != 0 {
		return wish, s[i:], true // a wish of its own stands before it
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
	join  bool // the next word is one of several
	verb  bool // a verb was read
	any   bool // a word was read
}

func (b *clauseBuilder) good() bool { return len(b.done) > 0 || len(b.c.Groups) > 0 }

// list returns the clauses. What the last says of circumstances holds for all.
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

// settle marks what only names a kind.
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

// onBranches are the verbs of what is done to branches, branchNames the names of branches that
// mean nothing else, and verbPrograms the programs whose names are verbs.
var (
	onBranches   = english.FoldedList("push commit merge rebase")
	branchNames  = english.List("main master trunk develop")
	verbPrograms = english.FoldedList("make touch kill")
)

// kinds are words for kinds of things, which say nothing beside a name.
var kinds = english.FoldedList("file directory branch table environment server cluster package dependency library api endpoint script statement query clause flag option host cli container")

// keywords are those of SQL and the methods of HTTP that rules name in capitals.
var keywords = english.List("SELECT INSERT UPDATE DELETE DROP TRUNCATE ALTER CREATE GRANT REVOKE GET POST PUT PATCH")

// context reads what stands before what is forbidden: a circumstance, or a wish of its
// own.
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

// What words begin that belong to no core.
const (
	TailReason = iota + 1 // why
	tailUnless            // a circumstance
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

// Starters are words that begin a clause of its own behind a comma.
var Starters = english.List("except unless exception however always never use instead but please open create do don't it we you they this that's so only prefer go ask run make they're it's i which there")

// core reads what is forbidden, and returns what it leaves for a clause of its own.
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
			// where the agent works anyway
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
			b.done = append(b.done, b.c) // another thing that is forbidden
			b.c = Clause{}
		}
	}
	if len(b.c.Groups) < maxGroups {
		b.c.Groups = append(b.c.Groups, Group{Words: []Word{w}, Place: b.place, by: b.by, Into: b.into})
	}
	b.any, b.join = true, false
	b.verb = b.verb || verb
}

// base reports whether a word is a verb in the form of a command.
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

// tail reads what stands behind the core.
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

// checkable returns what "without" speaks of, if an action itself shows it.
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

// needed returns what must be done before, if steps show it; else nil.
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
