package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/guide"
	"lukasa.dev/internal/hook"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/project"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/spool"
	"lukasa.dev/internal/stated"
	"lukasa.dev/internal/statement"
)

// answer returns the answer in the agent's own format. An error goes to standard error.
func (h *hooking) answer(ctx context.Context, b *lukasa.Board) []byte {
	if !h.answers() {
		return []byte(hook.None)
	}
	tenant, ok := h.told()
	var err error
	if !ok {
		tenant, err = ask.OnlyTenant(ctx, b)
	}
	var a hook.Answer
	if err == nil {
		t := b.Tenant(tenant, lukasa.Writer{})
		if h.scope != "" {
			t = t.Scoped(h.scope)
		}
		a, err = h.find(ctx, t)
	}
	if err != nil && fault.CodeOf(err) != fault.NotFound {
		fmt.Fprintln(h.shell.Stderr, "the answer:", err)
		if h.dir != "" {
			h.log("the answer: " + err.Error())
		}
		return []byte(hook.None)
	}
	return h.call.Encode(a)
}

// find builds the answer.
func (h *hooking) find(ctx context.Context, t *lukasa.Tenant) (hook.Answer, error) {
	view := lukasa.View{Agent: h.call.AgentID, Conditions: h.place.Conditions()}
	switch h.call.Ask {
	case hook.Start:
		return h.bundle(ctx, t, view)
	case hook.Prompt:
		return h.pack(ctx, t, view)
	}
	return h.check(ctx, t, view)
}

// lessonsGiven is how many failed commands an agent receives at the start.
const lessonsGiven = 5

// bundle returns the context of an agent that begins to work on a project.
func (h *hooking) bundle(ctx context.Context, t *lukasa.Tenant, view lukasa.View) (hook.Answer, error) {
	o := lukasa.ContextOptions{BudgetTokens: hook.Inside(h.flags.budget), View: view}
	if name := h.place.Name; name != "" {
		o.Verb, o.Objects = memory.VerbModify, map[string]string{string(memory.ObjProject): name, string(memory.ObjRepository): name}
	}
	b, err := t.Context(ctx, o)
	if err != nil {
		return hook.Answer{}, err
	}
	// The rules reach the agent even if the lessons take too long.
	soon, cancel := h.until(ctx, 5)
	lessons, err := h.lessons(soon, t, view)
	cancel()
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		h.note("no time for commands that failed before")
	} else if err != nil {
		return hook.Answer{}, err
	}
	var text strings.Builder
	tier := func(title string, lines []string) {
		if len(lines) > 0 {
			text.WriteString("## " + title + "\n")
		}
		for _, line := range lines {
			text.WriteString("- " + line + "\n")
		}
	}
	tier("Always", linesOf(b.Pinned))
	tier("Failed before", lessons)
	tier("For this project", linesOf(b.FrameRelevant))
	tier("How it went before", linesOf(b.Outcomes))
	within := hook.Within(text.String(), h.flags.budget)
	given := h.givenTo()
	for line := range strings.Lines(within) {
		if entry, ok := strings.CutPrefix(line, "- "); ok {
			given.add(entry)
		}
	}
	given.keep()
	return hook.Answer{Title: "Memory (Lukasa): recalled at the start, not said by the user.", Text: within}, nil
}

// linesOf returns the texts of entries, one line each, without duplicates. Of events it returns
// only decisions and feedback of people: edits and calls are too many.
func linesOf(entries []*lukasa.BundleEntry) []string {
	var out []string
	for _, e := range entries {
		if e.Kind == record.Event && e.Type != string(hmx.TypeFeedback) && e.Type != string(hmx.TypeDecision) {
			continue
		}
		if line := strings.Join(strings.Fields(e.Text), " "); !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

// check returns the verdict on an action. Knowledge other than rules comes with the prompt or the
// start of the session, because the only text that agents show the model before a tool runs is a
// refusal.
//
// A call is judged in each project that it acts in, by the rules that hold there.
func (h *hooking) check(ctx context.Context, t *lukasa.Tenant, view lukasa.View) (hook.Answer, error) {
	var out hook.Answer
	for _, p := range h.projects() {
		view.Conditions = p.place.Conditions()
		o := lukasa.CheckOptions{Action: h.action(p.place.Root), Session: h.call.Session, View: view}
		found, err := t.CheckAction(ctx, o)
		if fault.CodeOf(err) == fault.NotFound { // the session has no events yet
			o.Session = ""
			found, err = t.CheckAction(ctx, o)
		}
		if err != nil {
			return hook.Answer{}, err
		}
		out = stricter(out, verdictOf(&found.Verdict, p.enforce))
	}
	h.denied, h.rule = out.Verdict == hook.Denied, out.Rule
	return out, nil
}

// stricter returns the answer that allows less.
func stricter(a, b hook.Answer) hook.Answer {
	if a.Verdict == hook.Denied || b.Reason == "" || a.Verdict == b.Verdict {
		return a
	}
	return b
}

// verdictOf returns the answer for an action. If a hard rule forbids it with an exception that
// only a person can judge, the answer leaves the decision to that person.
func verdictOf(v *guide.Verdict, enforce string) hook.Answer {
	if enforce == "off" {
		return hook.Answer{}
	}
	for _, r := range v.Reasons {
		if r.Level != guide.Stop && !(r.Level == guide.Warn && r.Excepted) {
			continue
		}
		reason := r.Refusal()
		if reason == "" {
			continue
		}
		a := hook.Answer{Reason: reason, Rule: r.Source, Verdict: hook.Denied}
		if enforce == "ask" {
			a.Verdict = hook.Asking
		}
		return a
	}
	return hook.Answer{}
}

// states reports whether the prompt of this call plainly states something.
func (h *hooking) states() bool {
	return h.call.Ask == hook.Prompt && len(h.stated()) > 0
}

// stated returns what the prompt of this call plainly states.
func (h *hooking) stated() []statement.Statement {
	for _, e := range h.call.Events {
		if text, ok := spool.Prompt(e.Event, e.Ceiling); ok {
			return statement.Read(text)
		}
	}
	return nil
}

// learn remembers the statements of the prompt of this call. It logs errors: the next compile
// reads the prompt again.
func (h *hooking) learn(ctx context.Context, b *lukasa.Board) {
	if !h.states() {
		return
	}
	tenant, ok := h.told()
	var err error
	if !ok {
		if tenant, err = ask.OnlyTenant(ctx, b); err != nil {
			return
		}
	}
	var ids []string
	for _, e := range h.call.Events {
		ids = append(ids, e.EventID)
	}
	if _, err := b.Tenant(tenant, lukasa.Writer{Actor: ask.HookActor}).Learn(ctx, ids...); err != nil {
		h.note("learn what the prompt states: " + err.Error())
	}
}

// answerSpooled returns the answer when the board cannot be opened, because another process has it
// open, the server hangs or the disk is full. It uses the rules in the files of the directory, and
// those of prompts that still wait in the spool. It judges an action, and gives the rules to a new
// session.
func (h *hooking) answerSpooled() []byte {
	switch {
	case h.call.Ask == hook.Start && h.answers():
		return h.startSpooled()
	case h.call.Ask != hook.Act || !h.enforces():
		return nil
	}
	var out hook.Answer
	for _, p := range h.projects() {
		if rules := h.spooledRules(p.place); len(rules) > 0 {
			v := guide.Check(guide.CheckInput{Action: h.action(p.place.Root), Rules: rules})
			out = stricter(out, verdictOf(&v, p.enforce))
		}
	}
	h.denied, h.rule = out.Verdict == hook.Denied, out.Rule
	return h.call.Encode(out)
}

// startSpooled returns the answer to a new session: the rules, and that no more is known.
func (h *hooking) startSpooled() []byte {
	var text strings.Builder
	given := h.givenTo()
	for _, r := range h.spooledRules(&h.place.Place) {
		line := "(" + string(r.Strength) + ") " + strings.Join(strings.Fields(r.Text), " ")
		text.WriteString("- " + line + "\n")
		given.add(line)
	}
	if text.Len() == 0 {
		return nil
	}
	within := hook.Within("## Always\n"+text.String(), h.flags.budget)
	given.keep()
	return h.call.Encode(hook.Answer{Title: "Memory (Lukasa): recalled at the start, not said by the user. Only rules: the rest cannot be read now.", Text: within})
}

// spooledRules returns the rules that hold in a place, from the files and as changed by the prompts
// in the spool.
func (h *hooking) spooledRules(place *project.Place) []guide.Rule {
	tenant, _ := h.told()
	var rules []guide.Rule
	var known []stated.Known
	for _, r := range lukasa.RulesOnDisk(h.dir, cmp.Or(tenant, "default")) {
		if r.Project != "" && len(place.IDs) > 0 && !slices.Contains(place.IDs, r.Project) {
			continue
		}
		known = append(known, stated.Known{ID: r.ID, Type: memory.TypeConstraint, Subject: r.Subject, Text: r.Text, Trust: record.User})
		rules = append(rules, guide.Rule{ID: r.ID, Text: r.Text, Strength: r.Strength, Trust: record.User, Said: r.Said})
	}
	for _, p := range spool.Prompts(disk.OS(), h.dir) {
		if tenant != "" && p.Tenant != "" && p.Tenant != tenant {
			continue
		}
		outside := hook.Elsewhere(p.Event, place)
		for i, st := range statement.Read(p.Text) {
			if outside && !st.Everywhere || st.Temporary() {
				continue
			}
			act := stated.Merge(known, st, record.User, uint64(p.Event.Sequence))
			at := slices.IndexFunc(known, func(k stated.Known) bool { return k.ID == act.ID })
			switch {
			case act.Verdict == stated.Amend && at >= 0:
				rules[at] = rules[at].Except(st.Text)
			case act.Verdict == stated.Supersede && at >= 0, act.Verdict == stated.Retract && at >= 0:
				known, rules = slices.Delete(known, at, at+1), slices.Delete(rules, at, at+1)
			}
			rule, ok := guide.RuleOf(&st, fmt.Sprintf("%s-%d", p.Event.EventID, i), p.Event.Timestamp.Time().UnixMilli())
			if !ok || act.Verdict != stated.New && act.Verdict != stated.Supersede {
				continue
			}
			known = append(known, stated.Known{ID: rule.ID, Type: st.Type, Subject: st.Subject, Text: st.Text, Trust: record.User, Position: uint64(p.Event.Sequence)})
			rules = append(rules, rule)
		}
	}
	return rules
}

// lessons returns the commands that failed in the project before, and what worked instead, one
// line each. Texts of commands and tools are quoted.
func (h *hooking) lessons(ctx context.Context, t *lukasa.Tenant, view lukasa.View) ([]string, error) {
	list, err := t.Lessons(ctx, lukasa.LessonOptions{Projects: h.place.IDs, Limit: lessonsGiven, View: view})
	if err != nil {
		return nil, err
	}
	var out []string
	for _, l := range list {
		line := "`" + clipLine(cmp.Or(l.Command, l.Shape, l.Step)) + "`"
		if l.Error != "" {
			line += " failed: " + strconv.Quote(clipLine(l.Error))
		} else {
			line += " failed"
		}
		switch {
		case l.FixedCommand != "" && l.FixedCommand != l.Command:
			line += "; `" + clipLine(l.FixedCommand) + "` worked"
		case len(l.Between) > 0:
			line += "; it worked after " + clipLine(strings.Join(l.Between, ", "))
		}
		out = append(out, line)
	}
	return out, nil
}

// clipLine returns the beginning of a text as one line without backquotes.
func clipLine(text string) string {
	const most = 120
	text = strings.ReplaceAll(term.OneLine(text), "`", "'")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
