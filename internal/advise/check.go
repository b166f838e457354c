package advise

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/guide"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace/shapes"
)

// Limits of CheckAction.
const (
	MaxToolName        = 256                // bytes of the name of a tool
	MaxActionCommand   = shapes.MaxLine     // bytes of a command line
	MaxActionArguments = guide.MaxArguments // bytes of arguments
)

// CheckOptions describes a planned action.
type CheckOptions struct {
	Tenant string
	// Action is a tool with its arguments as a JSON object, or a command line.
	Action guide.Action
	// Session is the session of the action. With it, the check knows what the session did
	// before; empty means unknown.
	Session string
	// Tags narrow which artifacts and policies apply.
	Tags []string
	View board.View
}

// CheckedAction is the result of checking an action.
type CheckedAction struct {
	// Verdict has the level, the counts, the reasons and the alternatives. All sources in
	// it are URIs.
	guide.Verdict
	// Past is how many of the newest executions of the same and of similar actions were
	// considered. More says that there are older ones.
	Past int
	More bool
	// Rules and Artifacts are how many were checked: those that apply to the caller.
	Rules, Artifacts int
}

// CheckAction returns the outcomes of the action and of similar ones, the rules and
// artifacts that warn against it, and what to do instead. It blocks nothing, reads one
// state and writes nothing: the same state and question have the same answer, whatever was
// compiled, rebuilt or asked before.
//
// Rules are valid constraints and policies with the trust of a user or an operator.
// Artifacts are the active and valid ones. Records that the view hides, or that were
// erased, have no part in the answer.
func (b *Adviser) CheckAction(ctx context.Context, o CheckOptions) (*CheckedAction, error) {
	var out *CheckedAction
	err := b.core.ReadAs(ctx, o.Tenant, o.View, func(s board.State) error {
		if err := o.check(s.View); err != nil {
			return err
		}
		c := checking{b: b, s: s}
		var err error
		out, err = c.check(ctx, &o)
		return err
	})
	return out, err
}

// check validates the options.
func (o *CheckOptions) check(v board.View) error {
	if err := checkAction(&o.Action); err != nil {
		return err
	}
	if o.Session != "" {
		if err := access.CheckName("session", o.Session); err != nil {
			return err
		}
	}
	if len(o.Tags) > hmx.MaxTags {
		return fault.Newf(fault.InvalidArgument, "tags: there are %d, but at most %d are allowed", len(o.Tags), hmx.MaxTags).WithFix("name fewer")
	}
	for i, tag := range o.Tags {
		if err := access.CheckName(fmt.Sprintf("tags[%d]", i), tag); err != nil {
			return err
		}
	}
	return access.CheckAgent(v)
}

// checkAction validates an action.
func checkAction(a *guide.Action) error {
	const one = "give a tool with its arguments, or a command line"
	switch {
	case a.Tool == "" && a.Command == "":
		return fault.New(fault.InvalidArgument, "tool, command: neither is given").WithFix(one)
	case a.Tool != "" && a.Command != "":
		return fault.New(fault.InvalidArgument, "tool, command: both are given").WithFix(one)
	case a.Tool == "" && a.Arguments != "":
		return fault.New(fault.InvalidArgument, "arguments: a command line has none of its own").WithFix("write them into the command, or name a tool")
	}
	if err := checkText("tool", a.Tool, MaxToolName, ""); err != nil {
		return err
	}
	if a.Tool != "" && strings.TrimSpace(a.Tool) == "" {
		return fault.New(fault.InvalidArgument, "tool: is blank").WithFix(one)
	}
	if err := checkText("command", a.Command, MaxActionCommand, "\t\n\r"); err != nil {
		return err
	}
	if a.Command != "" && strings.TrimSpace(a.Command) == "" {
		return fault.New(fault.InvalidArgument, "command: is blank").WithFix(one)
	}
	if a.Arguments == "" {
		return nil
	}
	if len(a.Arguments) > MaxActionArguments {
		return tooLong("arguments", len(a.Arguments), MaxActionArguments)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(a.Arguments), &object); err != nil || object == nil {
		return fault.New(fault.InvalidArgument, "arguments: are not a JSON object").WithCause(err).WithFix(`write them as {"name": "value"}, or leave them out`)
	}
	return nil
}

// checkText validates a text of an action: its length, its encoding, and that it has no
// control characters except the allowed ones.
func checkText(field, text string, most int, allowed string) error {
	if len(text) > most {
		return tooLong(field, len(text), most)
	}
	if !utf8.ValidString(text) {
		return fault.Newf(fault.InvalidArgument, "%s: is not UTF-8", field).WithFix("give it as text")
	}
	for i, r := range text {
		if unicode.IsControl(r) && !strings.ContainsRune(allowed, r) {
			return fault.Newf(fault.InvalidArgument, "%s: has the control character U+%04X at byte %d", field, r, i).WithFix("leave control characters out")
		}
	}
	return nil
}

func tooLong(field string, bytes, most int) error {
	return fault.Newf(fault.TooLarge, "%s: has %d bytes, but at most %d are allowed", field, bytes, most).WithFix("give the part that says what is done")
}

// check is CheckAction on a state.
func (c *checking) check(ctx context.Context, o *CheckOptions) (*CheckedAction, error) {
	if err := c.look(ctx); err != nil {
		return nil, err
	}
	out := &CheckedAction{}
	checker, err := c.checker(o.Tags, out)
	if err != nil {
		return nil, err
	}
	tool, shape := o.Action.Step()
	past, err := c.past(ctx, tool, shape, out)
	if err != nil {
		return nil, err
	}
	session, err := c.session(o.Session)
	if err != nil {
		return nil, err
	}
	out.Verdict = checker.Check(o.Action, past, session)
	return out, c.name(&out.Verdict)
}

// name replaces the placeholders of events by their URIs.
func (c *checking) name(v *guide.Verdict) error {
	for i := range v.Reasons {
		if err := c.nameEvent(&v.Reasons[i].Source); err != nil {
			return err
		}
		if f := v.Reasons[i].Rule; f != nil {
			if err := c.stated(f); err != nil {
				return err
			}
		}
	}
	if v.Last == nil {
		return nil
	}
	return c.nameEvent(&v.Last.Event)
}

// nameEvent replaces the placeholder of an event by its URI, or by nothing if it was erased
// since the snapshot was taken.
func (c *checking) nameEvent(mark *string) error {
	position, ok := eventMark(*mark)
	if !ok {
		return nil
	}
	*mark = ""
	ev, err := c.b.core.EventAt(c.s, position)
	if code := fault.CodeOf(err); code == fault.Erased || code == fault.Damaged {
		return nil
	}
	if err != nil {
		return err
	}
	*mark = memory.URI{Tenant: c.s.Tenant.Name, Kind: record.Event, ID: ev.Event.EventID}.String()
	return nil
}
