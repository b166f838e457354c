package guide

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

// clause is one thing that a rule forbids, or asks to be done before another.
type clause struct {
	groups []group
	// use says that the verb is one of use, so that what follows is a means.
	use bool
	// needs is what must have been done before, or nil.
	needs []group
	// lacks is what must stand in the action for the rule to be kept, or nil.
	lacks []group
	// except is what the rule does not speak of, or nil, and outside says that it is named by
	// what lies around it.
	except  *exception
	outside bool
	// unless is what an action does not tell, as it is written.
	unless string
	limit  float64
	// limited says that only what is above the limit is meant.
	limited bool
	// only is the program that is asked for in place of its kin.
	only string
	// instead is what the rule says to do, as it is written.
	instead string
}

// group is a word of a rule, or several of which one is enough.
type group struct {
	words []word
	// place says that it stands behind a preposition.
	place bool
	// by says that it stands behind a word for how something is done, and into that it is
	// where something is put.
	by, into bool
	// optional says that it only names the kind of what another group names.
	optional bool
	// branch says that it names branches that something is done to, and program that it means
	// a program whose name is a verb, too.
	branch, program bool
}

// word is a word as it is written, and in the forms in which it is compared.
type word struct {
	low, folded string
	flag, path  bool
	raw         string // as it is written
	caps        bool   // in capitals
	code        bool   // a name of code
	keyword     bool   // of SQL or a method of HTTP, in capitals
}

// token is a word of a text, with the mark behind it.
type token struct {
	low  string // lower case, without marks
	raw  string
	mark byte // , ; : or ( before the next, or 0
	open bool // it stands in parentheses
	call bool // parentheses follow it, as in eval()
}

// clausesOf reads a rule. What it does not understand gives no clause.
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
func clausesOf(text string) []clause {
	text = plainly(statement.Core(english.Unscoped(strings.ReplaceAll(clip(text, maxRuleText), "’", "'"))))
	var out []clause
	for _, s := range sentencesOf(text) {
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
				if out[i].instead == "" {
					out[i].instead = told
				}
			}
		}
	}
	return out[:min(len(out), maxClauses)]
}

// limit gives clauses an exception that a sentence of its own states.
func limit(list []clause, e *exception) {
	for i := range list {
		if c := &list[i]; c.except == nil {
			c.except = e
		}
	}
}

// sentencesOf takes a text apart.
func sentencesOf(text string) [][]token {
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
					s[len(s)-1].mark = ':'
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
				s = append(s, token{low: strings.ToLower(trimmed), raw: trimmed, mark: mark, open: inside && !call, call: call})
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
var leadIns = rawWords("you we i should must always please remember rule note important also and but keep in mind that really make sure to be are is want need agents agent the assistant from now on hey so then will shall let us lets let's policy warning")

func at(s []token, i int, words []string) bool {
	if i+len(words) > len(s) {
		return false
	}
	for k, w := range words {
		if s[i+k].low != w {
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
			if at(s, i, h) && (i == 0 || len(h) > 1 || h[0] != "no" && h[0] != "stop" && h[0] != "avoid" || s[i-1].mark != 0) {
				return i, len(h), false, true
			}
		}
	}
	return 0, 0, false, false
}

// readClause reads the first clause of a sentence, and returns what is left of it.
func readClause(s []token) (list []clause, rest []token, ok bool) {
	i, n, last, found := findHead(s)
	if !found {
		return readWish(s)
	}
	if wish, _, ok := readWish(s[:i]); ok && i > 0 && s[i-1].mark != 0 {
		return wish, s[i:], true // a wish of its own stands before it
	}
	before, behind := s[:i], s[i+n:]
	b := &clauseBuilder{}
	switch {
	case last:
		b.core(before)
		b.tail(behind)
		return b.list(), nil, b.good()
	case len(behind) > 0 && behind[0].low == "be":
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
	c     clause
	done  []clause
	place bool
	by    bool
	into  bool
	join  bool // the next word is one of several
	verb  bool // a verb was read
	any   bool // a word was read
}

func (b *clauseBuilder) good() bool { return len(b.done) > 0 || len(b.c.groups) > 0 }

// list returns the clauses. What the last says of circumstances holds for all.
func (b *clauseBuilder) list() []clause {
	all := append(b.done, b.c)
	for i := range all {
		c := &all[i]
		if i < len(all)-1 && c.unless == "" && c.except == nil {
			c.unless, c.needs, c.lacks, c.except, c.outside, c.instead = b.c.unless, b.c.needs, b.c.lacks, b.c.except, b.c.outside, b.c.instead
		}
		c.settle()
	}
	return all
}

// settle marks what only names a kind.
func (c *clause) settle() {
	named, placed := 0, 0
	pushes, code := false, false
	for i := range c.groups {
		for _, w := range c.groups[i].words {
			pushes = pushes || onBranches()[w.folded]
			code = code || w.code
		}
	}
	for i := range c.groups {
		switch w := c.groups[i].words[0].folded; {
		case environments()[w]:
			placed++
		case !kinds()[w] && (!verbs()[w] || i > 0):
			named++
		}
	}
	for i := range c.groups {
		g := &c.groups[i]
		w := g.words[0].folded
		g.optional = !g.by && (kinds()[w] && named > 0 || w == folded("environment") && placed > 0) || code && g.place && !g.words[0].code
		g.program = c.use && i == 0 && len(g.words) == 1 && verbPrograms()[w]
		g.branch = pushes && g.into && !slices.ContainsFunc(g.words, func(w word) bool { return !branchNames()[w.low] })
	}
}

// onBranches are the verbs of what is done to branches, branchNames the names of branches that
// mean nothing else, and verbPrograms the programs whose names are verbs.
var (
	onBranches   = foldedWords("push commit merge rebase")
	branchNames  = rawWords("main master trunk develop")
	verbPrograms = foldedWords("make touch kill")
)

// kinds are words for kinds of things, which say nothing beside a name.
var kinds = foldedWords("file directory branch table environment server cluster package dependency library api endpoint script statement query clause flag option host cli container")

// keywords are those of SQL and the methods of HTTP that rules name in capitals.
var keywords = rawWords("SELECT INSERT UPDATE DELETE DROP TRUNCATE ALTER CREATE GRANT REVOKE GET POST PUT PATCH")

// context reads what stands before what is forbidden: a circumstance, or a wish of its
// own.
func (b *clauseBuilder) context(s []token) {
	for i, t := range s {
		if !leadIns()[t.low] || prepositions()[t.low] {
			if i < len(s) && s[len(s)-1].mark != 0 && !prepositions()[t.low] && tails[t.low] == 0 {
				b.c.instead = adviceIn(s)
				return
			}
			break
		}
	}
	for i, t := range s {
		if leadIns()[t.low] || fillers()[t.low] || places()[t.low] {
			continue
		}
		if t.low == "unless" || t.low == "except" {
			b.c.except = exceptionOf(s[i:])
			return
		}
		if tails[t.low] != 0 || times()[folded(t.low)] || environments()[folded(t.low)] {
			b.c.unless = words(s[i:])
			return
		}
		b.add(t)
	}
	b.any, b.verb, b.place, b.join = false, false, false, false
}

// What words begin that belong to no core.
const (
	tailReason = iota + 1 // why
	tailUnless            // a circumstance
	tailBefore
	tailWithout
	tailUntil
)

var tails = map[string]int{
	"because": tailReason, "since": tailReason, "even": tailReason, "so": tailReason, "otherwise": tailReason,
	"unless": tailUntil, "except": tailUnless, "if": tailUnless, "when": tailUnless, "whenever": tailUnless, "while": tailUnless, "during": tailUnless, "until": tailUntil, "till": tailUntil,
	"after": tailUnless, "outside": tailUnless, "between": tailUnless, "once": tailUnless, "where": tailUnless, "despite": tailUnless, "besides": tailUnless, "other": tailUnless,
	"before": tailBefore, "without": tailWithout, "instead": tailReason, "rather": tailReason,
}

var prepositions = rawWords("to into onto in on at of for from with within inside under against via through over across")

// starters are words that begin a clause of its own behind a comma.
var starters = rawWords("except unless exception however always never use instead but please open create do don't it we you they this that's so only prefer go ask run make they're it's i which there")

// core reads what is forbidden, and returns what it leaves for a clause of its own.
func (b *clauseBuilder) core(s []token) (rest []token) {
	for i := 0; i < len(s); i++ {
		t := s[i]
		if t.open {
			switch {
			case b.c.except != nil || b.c.unless != "":
			case excepts(t.low):
				b.c.except = exceptionOf(s[i:])
			case tails[t.low] == tailUnless || tails[t.low] == tailUntil:
				b.c.unless = words(s[i:])
			}
			continue
		}
		if kind := tails[t.low]; kind != 0 && (t.low != "so" || b.any) && !(t.low == "other" && !at(s, i, []string{"other", "than"})) {
			return b.tail(s[i:])
		}
		if t.low == "as" && i+1 < len(s) && rawPronouns()[s[i+1].low] {
			return nil
		}
		if (t.low == "pull" || t.low == "merge") && i+1 < len(s) && (s[i+1].low == "request" || s[i+1].low == "requests") {
			i++
			t = token{low: "pr", raw: "PR", mark: s[i].mark}
		}
		if n := b.limit(s[i:]); n > 0 {
			i += n - 1
			continue
		}
		switch {
		case t.low == "or" || t.low == "nor" || t.low == "and" && b.any:
			b.join = b.any
			continue
		case times()[folded(t.low)] || manners()[folded(t.low)]:
			b.c.unless = words(s[max(0, i-1):])
			return nil
		case b.inPlace(s, i):
			// where the agent works anyway
		case prepositions()[t.low] && !(t.low == "over" && b.any && !b.verb):
			b.place, b.by = true, t.low == "via" || t.low == "through" || t.low == "with"
			b.into = t.low == "into" || t.low == "to" || t.low == "onto" || t.low == "on"
		default:
			b.add(t)
		}
		if t.mark == ':' || t.mark == ',' && i+1 < len(s) && starters()[s[i+1].low] {
			return s[i+1:]
		}
		if t.mark == ',' {
			b.join = b.any
		}
	}
	return nil
}

var rawPronouns = rawWords("it this that we they there you i he she")

// inPlace reports whether the word is one such as repo in "in this repo".
func (b *clauseBuilder) inPlace(s []token, i int) bool {
	return places()[s[i].low] && b.place && b.any
}

// add adds a word to the core.
func (b *clauseBuilder) add(t token) {
	w := wordOf(t)
	verb := verbs()[w.folded] && !w.flag && !w.path
	if fillers()[t.low] && !(verb && !b.verb) {
		return
	}
	if verb && means()[w.folded] && (!b.any || b.verb) {
		b.c.use = b.c.use || !b.any
		b.verb, b.any = true, true
		return
	}
	if b.join && len(b.c.groups) > 0 {
		b.join = false
		last := &b.c.groups[len(b.c.groups)-1]
		lastVerb := verbs()[last.words[0].folded] && len(b.c.groups) == 1
		switch {
		case verb == lastVerb || verb && !base(t.low):
			last.words = append(last.words, w)
			return
		case verb && len(b.done) < maxClauses-1:
			b.done = append(b.done, b.c) // another thing that is forbidden
			b.c = clause{}
		}
	}
	if len(b.c.groups) < maxGroups {
		b.c.groups = append(b.c.groups, group{words: []word{w}, place: b.place, by: b.by, into: b.into})
	}
	b.any, b.join = true, false
	b.verb = b.verb || verb
}

// base reports whether a word is a verb in the form of a command.
func base(low string) bool {
	return !strings.HasSuffix(low, "s") && !strings.HasSuffix(low, "ing") && !strings.HasSuffix(low, "ed")
}

func wordOf(t token) word {
	if t.low == "|" {
		t.low = "pipe"
	}
	w := word{low: t.low, raw: t.raw, folded: folded(t.low), caps: len(t.raw) > 2 && strings.ToUpper(t.raw) == t.raw}
	switch {
	case keywords()[t.raw]:
		w.keyword = true
	case len(t.raw) > 1 && t.raw[0] == '-':
		w.flag, w.low = true, t.raw
	case t.call || codeLike(t.raw):
		if w.code = true; t.call {
			w.raw += "("
		}
	case pathLike(t.raw):
		w.path = true
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
	case len(s) > 2 && s[1].low == "than" && (s[0].low == "more" || s[0].low == "greater" || s[0].low == "larger" || s[0].low == "higher"):
		n = 2
	case len(s) > 1 && (s[0].low == "over" || s[0].low == "above" || s[0].low == "exceeding" || s[0].low == "beyond" || s[0].low == "exceed"):
		n = 1
	default:
		return 0
	}
	if s[n].low == "usd" || s[n].low == "eur" {
		n++
	}
	if n >= len(s) {
		return 0
	}
	text := strings.ReplaceAll(strings.Trim(s[n].low, "$€£"), ",", "")
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		if n == 2 || s[0].low == "exceeding" || s[0].low == "exceed" {
			b.c.unless = words(s)
			return len(s)
		}
		return 0
	}
	b.c.limit, b.c.limited = v, true
	if n++; n < len(s) && (currencies()[s[n].low]) {
		n++
	}
	return n
}

var currencies = rawWords("usd eur gbp dollar dollars euro euros pounds bucks $ €")

// tail reads what stands behind the core.
func (b *clauseBuilder) tail(s []token) (rest []token) {
	if len(s) == 0 {
		return nil
	}
	for i, t := range s {
		if (t.mark == ':' || t.mark == ',' && i+1 < len(s) && starters()[s[i+1].low]) && i+1 < len(s) {
			s, rest = s[:i+1], s[i+1:]
			break
		}
	}
	kind := tails[s[0].low]
	switch kind {
	case tailReason:
		if (s[0].low == "instead" || s[0].low == "rather") && len(s) > 2 {
			b.c.instead = "use " + words(s[2:])
		}
		return rest
	case tailWithout:
		b.c.lacks = checkable(s[1:])
		if b.c.lacks != nil {
			return rest
		}
		b.c.needs = needed(s[1:])
	case tailBefore, tailUntil:
		b.c.needs = needed(s[1:])
	case 0:
		for i, t := range s {
			if tails[t.low] != 0 {
				b.tail(s[i:])
				return rest
			}
			if times()[folded(t.low)] {
				b.c.unless = words(s)
				return rest
			}
		}
		return rest
	}
	switch {
	case b.c.needs != nil:
	case excepts(s[0].low):
		b.c.except, b.c.outside = exceptionOf(s), s[0].low == "outside"
	default:
		b.c.unless = words(s)
	}
	return rest
}

// excepts reports whether a word begins an exception.
func excepts(low string) bool {
	return low == "except" || low == "unless" || low == "outside" || low == "other" || low == "besides"
}

// checkable returns what "without" speaks of, if an action itself shows it.
func checkable(s []token) []group {
	for _, t := range s {
		switch {
		case t.low == "where" || t.low == "limit" || len(t.raw) > 1 && t.raw[0] == '-':
			return []group{{words: []word{wordOf(t)}}}
		case t.low == "dry" || t.low == "dry-run":
			return []group{{words: []word{{low: "--dry-run", flag: true}}}}
		case !fillers()[t.low]:
			return nil
		}
	}
	return nil
}

// needed returns what must be done before, if steps show it; else nil.
func needed(s []token) []group {
	var groups []group
	seen := false
	for _, t := range s {
		w := wordOf(t)
		switch {
		case asked()[w.folded], times()[w.folded]:
			return nil
		case good()[w.folded], fillers()[t.low], means()[w.folded], leadIns()[t.low], t.low == "have", t.low == "had", t.low == "first", t.low == "unit", t.low == "integration", t.low == "suite", t.low == "show", t.low == "see", t.low == "view", t.low == "display":
			continue
		}
		seen = seen || observable()[w.folded]
		if len(groups) < maxGroups {
			groups = append(groups, group{words: []word{w}})
		}
	}
	if !seen {
		return nil
	}
	return groups
}

// words returns tokens as a text.
func words(s []token) string {
	parts := make([]string, len(s))
	for i, t := range s {
		parts[i] = t.raw
	}
	return strings.Join(parts, " ")
}
