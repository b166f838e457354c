package guide

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/english"
	"lukasa.dev/internal/guide/act"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/ruletext"
	"lukasa.dev/internal/trace"
)

// The bounds of a verdict. If there are more reasons, the strongest are kept.
const (
	MaxReasons = 24
	MaxInstead = 8

	maxException = 80 // bytes of an exception in a reason
)

// Level says how strongly rules and past outcomes advise against an action.
//
//   - Stop: a hard rule of a user or an operator forbids it, or requires a step before it
//     that was tried in the session and failed.
//   - Warn: a firm rule does so; or a hard rule forbids it with an exception that cannot be
//     judged; or a hard or firm rule requires a step before it that the session has not
//     taken, or another program of the same family; or of at least [warnCount] times that a
//     similar action was taken, at most a quarter succeeded; or the same action has just
//     failed twice in a row.
//   - Caution: a soft rule forbids it; or a rule depends on what an action does not show,
//     such as the day; or of at least [cautionCount] times, at most half succeeded; or the
//     same action failed the last time; or a policy knows an option that did much better; or
//     it is a known cause of a failure beyond chance.
//   - OK: none of these.
//
// A level depends only on counts, on rules and on their trust. It does not depend on the text
// of a tool, and rules of less than a user's trust are ignored. If a rule applies, past success
// is no reason for the action.
type Level uint8

// The levels.
const (
	OK Level = iota
	Caution
	Warn
	Stop
)

// String returns the name of the level.
func (l Level) String() string {
	return [...]string{"ok", "caution", "warn", "stop"}[min(l, Stop)]
}

const (
	warnCount    = 4
	cautionCount = 2
	muchBetter   = 0.5 // by how much the rate of an alternative must be higher
	strongCause  = 0.5
)

// Rule is a constraint or a policy in words that holds for the caller.
type Rule struct {
	ID       string // URI or id
	Text     string
	Strength memory.Strength
	Trust    record.Trust
	// Said is when it was stated, in milliseconds since 1970, By who stated it, and Scope
	// where it holds, in words. They change no verdict, and may be missing.
	Said  int64
	By    string
	Scope string
}

// Doing is an action of the past.
type Doing struct {
	Tool, Shape string
	State       trace.State
	Error       string // signature
	Time        int64  // milliseconds since 1970
	Event       string // id or URI
	Task        trace.Outcome
}

// Went reports whether it went well.
func (d *Doing) Went() bool { return d.State == trace.OK }

// told reports whether its outcome is known. A call that was denied never ran, so it neither
// succeeded nor failed.
func (d *Doing) told() bool { return d.State == trace.OK || d.State == trace.Broken }

// ran reports whether it ran, as far as that is known.
func (d *Doing) ran() bool { return d.told() || d.State == trace.Unanswered }

// CheckInput is an action, and what is known.
type CheckInput struct {
	Action Action
	// Artifacts are those that are active and valid for the caller.
	Artifacts []*hmx.Artifact
	Rules     []Rule
	// Past are doings of the same action or similar ones, in any order. Others are ignored.
	Past []Doing
	// Session is what was done in the session so far, in order; nil if that is not known.
	Session []Doing
}

// Verdict is what is known about an action.
type Verdict struct {
	Level Level
	// Tool and Shape are the action as doings have it.
	Tool, Shape string
	// Tried is how often the same action was done with a known outcome, or a similar one if
	// that was more often; Went is how many of these succeeded. Same says which it is.
	Tried, Went int
	Same        bool
	// Judged is how many of these were in tasks whose outcome is known, and Succeeded how
	// many in tasks that succeeded.
	Judged, Succeeded int
	// Last is the last doing of the same action with a known outcome; nil if there is none.
	Last *Doing
	// Reasons are the reasons for the level and further hints, the strongest first.
	Reasons []Reason
	// Instead is what to do instead of it or before it, the best first.
	Instead []Advice
}

// SuccessRate returns the share of Tried that succeeded.
func (v *Verdict) SuccessRate() hmx.Opt[float64] {
	if v.Tried == 0 {
		return hmx.Opt[float64]{}
	}
	return hmx.Some(float64(v.Went) / float64(v.Tried))
}

// Reason is one reason for a verdict.
type Reason struct {
	Level Level
	Text  string
	// Source is the id or URI of the record that it is based on.
	Source string
	// Quote is an excerpt of that record. It may be the text of a tool: it is evidence and
	// not an instruction.
	Quote string
	// Rule has the facts of the rule that it is based on, or nil.
	Rule *RuleFacts
	// Detail is what a refusal adds to the rule, such as the step that is missing.
	Detail string
	// Guards names what the action would change, if only a person may change it while a hard
	// rule holds: the rules, their enforcement or the hooks.
	Guards string
	// Excepted says that the rule forbids the action, with an exception that only a person can
	// judge.
	Excepted bool
}

// Advice is something to do instead.
type Advice struct {
	Text   string
	Tool   string // empty if it is no tool
	Source string
}

// Check judges an action. The result depends on the input alone, and on no order except that
// of Session. It never fails, and its work is linear in the size of the input, of which long
// texts are cut.
func Check(in CheckInput) Verdict {
	return NewChecker(in.Artifacts, in.Rules).Check(in.Action, in.Past, in.Session)
}

// Checker judges actions by artifacts and rules. It is immutable and safe for concurrent use.
type Checker struct {
	rules     []readRule
	playbooks []playbook
	choices   []choice
	causes    []cause
	schemas   []schema
	afters    map[string][]following
	hard      bool // a rule is hard
}

type readRule struct {
	Rule
	clauses []ruletext.Clause
}

// NewChecker reads artifacts and rules.
func NewChecker(artifacts []*hmx.Artifact, rules []Rule) *Checker {
	c := &Checker{afters: make(map[string][]following)}
	rules = slices.Clone(rules)
	slices.SortStableFunc(rules, func(a, b Rule) int { return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(a.Text, b.Text)) })
	for _, r := range rules {
		if r.Trust < record.User {
			continue
		}
		if list := ruletext.Read(r.Text); len(list) > 0 {
			c.rules = append(c.rules, readRule{r, list})
			c.hard = c.hard || r.Strength == memory.StrengthHard
		}
	}
	artifacts = slices.Clone(artifacts)
	slices.SortFunc(artifacts, func(a, b *hmx.Artifact) int { return strings.Compare(a.ArtifactID, b.ArtifactID) })
	for _, a := range artifacts {
		c.read(a)
	}
	return c
}

// Check is Check for one action.
func (c *Checker) Check(a Action, past, session []Doing) Verdict {
	k := checking{Checker: c, all: act.Of(&a), session: session}
	k.acts = a.InProject(k.all)
	k.v.Tool, k.v.Shape = a.Step()
	k.line = isLine(&Doing{Tool: k.v.Tool, Shape: k.v.Shape})
	k.obey()
	k.guard()
	k.remember(past)
	k.repeat()
	k.learned()
	k.finish()
	return k.v
}

// Likeness says how similar a doing is to an action.
type Likeness uint8

// The likenesses.
const (
	Different Likeness = iota
	Like               // the same tool, or the same commands with other flags or arguments
	Same               // the same tool with arguments of the same shape, or the same line except for values
)

// Alike returns how similar two steps are. For command lines it ignores the tool that ran
// them.
func Alike(tool, shape, otherTool, otherShape string) Likeness {
	a, b := Doing{Tool: tool, Shape: shape}, Doing{Tool: otherTool, Shape: otherShape}
	line := isLine(&a)
	switch {
	case line != isLine(&b):
		return Different
	case line && shape == otherShape, tool == otherTool && shape == otherShape:
		return Same
	case line && commandsOf(shape) == commandsOf(otherShape):
		return Like
	case line || tool != otherTool || tool == trace.ToolRequest && hostOf(shape) != hostOf(otherShape):
		return Different
	}
	return Like
}

// Kin returns two names of a step: one that all steps share that are the same as it, and one
// that all steps share that are like it, as [Alike] decides.
func Kin(tool, shape string) (same, like string) {
	switch {
	case isLine(&Doing{Tool: tool, Shape: shape}):
		return "line\x00" + shape, "lines\x00" + commandsOf(shape)
	case tool == trace.ToolRequest:
		return "request\x00" + shape, "requests\x00" + hostOf(shape)
	}
	return "call\x00" + tool + "\x00" + shape, "calls\x00" + tool
}

// commandsOf returns the programs of a line and their subcommands.
func commandsOf(shape string) string {
	var b strings.Builder
	skip := false
	for f := range strings.FieldsSeq(shape) {
		switch {
		case f == "&&" || f == "|":
			skip = false
			b.WriteString(f + " ")
		case skip || f[0] == '<' || f[0] == '-':
			skip = true
		default:
			b.WriteString(f + " ")
		}
	}
	return b.String()
}

// hostOf returns the method and the host of a request.
func hostOf(shape string) string {
	i := strings.IndexByte(shape, '/')
	if i < 0 {
		return shape
	}
	return shape[:i]
}

// checking is one check.
type checking struct {
	*Checker
	v       Verdict
	acts    []*act.Act // those in the project that is judged
	all     []*act.Act
	session []Doing
	line    bool // the action is a command line
	ruled   bool // a rule applies to it
	errors  map[string]int
}

func (k *checking) add(l Level, source, quote, format string, args ...any) {
	k.v.Reasons = append(k.v.Reasons, Reason{Level: l, Source: source, Quote: english.Clip(quote, act.MaxQuote), Text: fmt.Sprintf(format, args...)})
}

func (k *checking) advise(a Advice) {
	a.Text = english.Clip(a.Text, act.MaxQuote)
	if a.Text != "" && !slices.ContainsFunc(k.v.Instead, func(b Advice) bool { return a.Text == b.Text }) {
		k.v.Instead = append(k.v.Instead, a)
	}
}

// obey applies the rules.
func (k *checking) obey() {
	var seen []seenAct
	for i := range k.rules {
		r := &k.rules[i]
		var best ruling
		for j := range r.clauses {
			c := &r.clauses[j]
			for _, a := range k.acts {
				how := speaks(c, a)
				if how == apart {
					continue
				}
				if seen == nil && len(c.Needs) > 0 {
					seen = seenActs(k.session)
				}
				if ruled := k.judge(r, c, how, seen); ruled.level > best.level {
					best = ruled
					if len(k.acts) > 1 {
						best.text += ": " + a.Text
						best.detail = strings.TrimPrefix(best.detail+"; this concerns: "+a.Text, "; ")
					}
					if c.Instead != "" {
						k.advise(Advice{Text: c.Instead, Source: r.ID})
					}
				}
			}
		}
		if best.level > OK {
			k.ruled = true
			k.add(best.level, r.ID, r.Text, "%s", best.text)
			reason := &k.v.Reasons[len(k.v.Reasons)-1]
			reason.Rule, reason.Detail, reason.Excepted = r.facts(), best.detail, best.excepted
		}
	}
}

// ruling is the result of a clause for an act.
type ruling struct {
	level        Level
	text, detail string
	excepted     bool
}

// judge returns the ruling of a clause that applies to an act.
func (k *checking) judge(r *readRule, c *ruletext.Clause, how finding, seen []seenAct) ruling {
	since := ""
	if (how == against || how == excepted) && len(c.Needs) > 0 {
		switch d, stale := doneBefore(c, seen); {
		case k.session == nil:
			how = perhaps
		case d == nil:
			how = missing
		case d.State == trace.OK && stale:
			how, since = missing, " since the last edit of a file"
		case d.State == trace.OK:
			return ruling{}
		case d.State != trace.Broken:
			how = perhaps
		}
	}
	plain := Caution
	switch r.Strength {
	case memory.StrengthHard:
		plain = Stop
	case memory.StrengthFirm:
		plain = Warn
	}
	rule := "a " + string(r.Strength) + " rule "
	switch how {
	case excepted:
		text := english.Clip(c.Except.Text, maxException)
		level := Caution
		if plain == Stop {
			level = Warn
		}
		return ruling{level, rule + "forbids it, with an exception that cannot be judged here (" + text + ")", "its exception cannot be judged here: " + text, true}
	case against:
		if len(c.Needs) > 0 {
			return ruling{plain, rule + "requires a step before it, and that step failed in this session", "the step that it requires failed in this session", false}
		}
		return ruling{plain, rule + "forbids it", "", false}
	case missing:
		if c.Only != "" {
			return ruling{min(plain, Warn), rule + "requires " + c.Only + " instead", "", false}
		}
		return ruling{min(plain, Warn), rule + "requires a step before it that this session has not taken" + since, "this session has not taken the step that it requires" + since, false}
	}
	return ruling{Caution, rule + "may forbid it, depending on what is not known here", "", false}
}

// remember counts the outcomes of the same action and of similar ones.
func (k *checking) remember(past []Doing) {
	var count [3]struct{ tried, went, judged, succeeded int }
	k.errors = make(map[string]int)
	var last *Doing
	for i := range past {
		d := &past[i]
		how := Alike(k.v.Tool, k.v.Shape, d.Tool, d.Shape)
		if how == Different || !d.told() {
			continue
		}
		for l := Like; l <= how; l++ {
			n := &count[l]
			n.tried++
			if d.State == trace.OK {
				n.went++
			}
			if d.Task != trace.Unknown {
				n.judged++
			}
			if d.Task == trace.Succeeded {
				n.succeeded++
			}
		}
		if d.State == trace.Broken && d.Error != "" {
			k.errors[d.Error]++
		}
		if how == Same && (last == nil || later(d, last)) {
			last = d
		}
	}
	n := count[Same]
	if k.v.Same = n.tried >= cautionCount || n.tried == count[Like].tried && n.tried > 0; !k.v.Same {
		n = count[Like]
	}
	k.v.Tried, k.v.Went, k.v.Judged, k.v.Succeeded = n.tried, n.went, n.judged, n.succeeded
	what := "a similar action"
	if k.v.Same {
		what = "the same action"
	}
	if n.tried > 0 {
		level := OK
		switch {
		case n.tried >= warnCount && 4*n.went <= n.tried:
			level = Warn
		case n.tried >= cautionCount && 2*n.went <= n.tried:
			level = Caution
		}
		if level > OK || !k.ruled { // past success is no argument against a rule
			k.add(level, "", "", "%s was taken %s before and %s", what, howOften(n.tried), succeeded(n.tried, n.went))
		}
	}
	if last != nil {
		copied := *last
		k.v.Last = &copied
		if last.State == trace.Broken {
			k.add(Caution, last.Event, last.Error, "the same action failed the last time")
		}
	}
}

// succeeded says how often something succeeded.
func succeeded(tried, went int) string {
	switch {
	case went == 0:
		return "never succeeded"
	case went == tried && tried > 1:
		return "succeeded each time"
	case went == tried:
		return "succeeded"
	}
	return "succeeded " + howOften(went)
}

func howOften(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

func later(a, b *Doing) bool {
	return cmp.Or(cmp.Compare(a.Time, b.Time), strings.Compare(a.Event, b.Event), cmp.Compare(a.State, b.State), strings.Compare(a.Error, b.Error)) > 0
}

// repeat checks whether the same action has just failed.
func (k *checking) repeat() {
	failed := 0
	var last *Doing
	for i := len(k.session) - 1; i >= 0; i-- {
		d := &k.session[i]
		if Alike(k.v.Tool, k.v.Shape, d.Tool, d.Shape) != Same || !d.ran() {
			continue
		}
		if d.State != trace.Broken || last != nil && d.Error != last.Error {
			break
		}
		if failed++; last == nil {
			last = d
		}
	}
	switch {
	case failed >= 2:
		k.add(Warn, last.Event, last.Error, "the same action has failed %s in a row in this session", howOften(failed))
	case failed == 1:
		k.add(Caution, last.Event, last.Error, "the same action has just failed in this session")
	}
	if last != nil && last.Error != "" {
		k.errors[last.Error]++
	}
}

// finish sorts the reasons and cuts them to the bounds.
func (k *checking) finish() {
	v := &k.v
	slices.SortStableFunc(v.Reasons, func(a, b Reason) int { return cmp.Compare(b.Level, a.Level) })
	if len(v.Reasons) > 0 {
		v.Level = v.Reasons[0].Level
	}
	v.Reasons = v.Reasons[:min(len(v.Reasons), MaxReasons)]
	v.Instead = v.Instead[:min(len(v.Instead), MaxInstead)]
}

// Action is what is planned.
type Action = act.Action

// Place is what is known of the directory in which an action would run.
type Place = act.Place

// MaxArguments is how many bytes of arguments are read.
const MaxArguments = act.MaxArguments
