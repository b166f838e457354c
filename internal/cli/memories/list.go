package memories

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/project"
	"lukasa.dev/internal/record"
)

type listFlags struct {
	ask.BoardFlags
	kind   string
	class  string // --type
	tag    string
	state  string
	status string
	limit  int
	after  string
	all    bool
	now    string
}

// ListCommand returns the command `lukasa list`.
func ListCommand(s *ask.Shell) *cobra.Command {
	var flags listFlags
	c := &cobra.Command{
		Use:   "list",
		Short: "List memories, or records of another kind",
		Long: `List what is there, newest first, 50 at a time: memories unless --kind says
otherwise, and those that are live and valid now unless --state says otherwise.
--state all lists live, forgotten and expired ones, one state after the other.
To list what is not valid yet or no longer valid, give --now a time at which it is.
Memories are written with ` + "`lukasa remember`" + `, feedback with ` + "`lukasa feedback`" + `;
violations by the engine, when a scope refuses a write; the other kinds, such as
policies, through the library. ` + "`lukasa events`" + ` lists events. All filters must
match. If there are more, the answer says how to continue; --all lists all of them.`,
		Example: `  lukasa list
  lukasa list --type constraint --tag release
  lukasa list --state all
  lukasa list --kind entity --json
  lukasa list --all --json`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return list(s, c, &flags) },
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	f := c.Flags()
	f.StringVar(&flags.kind, "kind", record.Memory.String(), "the `KIND` to list: "+strings.Join(ask.BodyKinds(), ", "))
	f.StringVar(&flags.class, "type", "", "only of this `TYPE`: of memories "+strings.Join(ask.Names(memory.Types()), ", ")+"; of edges and others as they were written")
	f.StringVar(&flags.tag, "tag", "", "only with this `TAG`")
	f.StringVar(&flags.state, "state", string(lukasa.Live), "only in this `STATE`: "+strings.Join(states(), ", "))
	f.StringVar(&flags.status, "status", "", "only with this `STATUS`: of a goal or an artifact; a constraint's strength")
	f.StringVar(&flags.after, "after", "", "continue after a page, with its `NEXT`")
	ask.AddPaging(c, &flags.limit, &flags.all, 50)
	ask.AddNow(c, &flags.now)
	ask.SuggestValues(c, "kind", ask.BodyKinds())
	ask.SuggestValues(c, "type", ask.Names(memory.Types()))
	ask.SuggestValues(c, "state", states())
	return c
}

func states() []string { return append(ask.Names(ask.Listable()), anyState) }

// Plural is what a list of a kind is called in an answer.
func Plural(k lukasa.Kind) string {
	switch k {
	case lukasa.MemoryKind:
		return "memories"
	case lukasa.EntityKind:
		return "entities"
	case lukasa.PolicyKind:
		return "policies"
	case lukasa.FeedbackKind:
		return "feedback"
	}
	return k.String() + "s"
}

// options checks the flags.
func (f *listFlags) options(s *ask.Shell) (o lukasa.ListOptions, err error) {
	o = lukasa.ListOptions{Class: f.class, Tag: f.tag, Status: f.status, Limit: f.limit, After: f.after}
	if err := ask.InRange("limit", o.Limit, 1, 1000); err != nil {
		return o, err
	}
	if o.View, err = s.View(f.now); err != nil {
		return o, err
	}
	kind, ok := record.ParseKind(f.kind)
	if !ok || memory.NewBody(kind) == nil {
		if kind == lukasa.EventKind {
			return o, fault.New(fault.Usage, "events are not listed here").WithFix("use `lukasa events`")
		}
		return o, ask.UnknownName(fault.Usage, "kind", f.kind, ask.BodyKinds())
	}
	o.Kind = kind
	if kind == lukasa.MemoryKind && f.class != "" {
		if _, err := memory.ParseType(f.class); err != nil {
			return o, ask.BadFlag("type", err)
		}
	}
	if slices.Contains(states(), f.state) {
		return o, nil
	}
	return o, ask.UnknownName(fault.Usage, "state", f.state, states())
}

// anyState is the --state that lists all of them, one state after the other.
const anyState = "all"

// turns returns the states to list, beginning with the one of the cursor in --after, and
// the cursor within it. The cursor of a page of all states names its state.
func (f *listFlags) turns() ([]lukasa.State, string, error) {
	if f.state != anyState {
		return []lukasa.State{lukasa.State(f.state)}, f.after, nil
	}
	all := ask.Listable()
	if f.after == "" {
		return all, "", nil
	}
	name, after, _ := strings.Cut(f.after, ".")
	at := slices.Index(all, lukasa.State(name))
	if at < 0 {
		return nil, "", fault.Newf(fault.Usage, "--after: %q is not from a page of --state all", f.after).WithFix("use next of the previous page, unchanged")
	}
	return all[at:], after, nil
}

func list(s *ask.Shell, c *cobra.Command, flags *listFlags) error {
	o, err := flags.options(s)
	if err != nil {
		return err
	}
	turns, after, err := flags.turns()
	if err != nil {
		return err
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Reader(ctx)
		if err != nil {
			return err
		}
		status := "STATUS"
		switch {
		case flags.state == anyState:
			status = "STATE"
		case o.Kind == lukasa.FeedbackKind:
			status = "OUTCOME"
		}
		class := "TYPE"
		if o.Kind == lukasa.FeedbackKind {
			class = "AGENT"
		}
		out := s.NewPages(Plural(o.Kind), "KEY OR URI", class, status, "VERSION", "TRUST", "UPDATED", "TEXT")
		if out.States = flags.state == anyState; out.States {
			out.Table.Widths[2] = len(lukasa.Forgotten) // the longest, which may come on a later page
		}
		p := s.Progress()
		defer p.Done()
		for {
			o.State, o.After = turns[0], after
			page, err := t.List(ctx, o)
			if err != nil {
				return ask.BadAfter(c, err)
			}
			for _, thing := range page.Things {
				if err := addThing(out, thing); err != nil {
					return err
				}
			}
			if err := out.Flush(); err != nil {
				return err
			}
			p.Update(func() string { return "listed " + term.Thousands(out.Count) })
			after = page.Next
			if after == "" {
				turns = turns[1:]
			}
			o.Limit = flags.limit
			if !flags.all {
				o.Limit -= out.Count
			}
			switch {
			case len(turns) == 0:
				return out.End("", nil)
			case o.Limit > 0:
			case out.States:
				return out.End(string(turns[0])+"."+after, nil)
			default:
				return out.End(after, nil)
			}
		}
	})
}

func addThing(p *ask.Pages, t *lukasa.Thing) error {
	if p.Shell.JSON {
		a, err := answer.ThingOf(t)
		if err != nil {
			return err
		}
		return p.Add(a)
	}
	name := t.URI.Head().String()
	if _, key := t.Body.Identity(); key != "" && t.URI.Kind == lukasa.MemoryKind {
		name = key
	}
	class, text := t.Body.Facets().Class, show.Summary(t.Body)
	if b, ok := t.Body.(*lukasa.Feedback); ok {
		class, text = b.AgentID, opinion(b, p.States)
	}
	if t.State != lukasa.Live && t.Note != "" {
		text = t.Note + ": " + text
	}
	status := t.Status
	if p.States {
		status = string(t.State)
	}
	return p.Add(nil, name, class, status, fmt.Sprint(t.Version), t.Trust.String(), term.Moment(t.Updated), term.Preview(text, 60)+where(t.Body))
}

// where names the projects that a memory holds in, if it does not hold everywhere.
func where(body lukasa.Body) string {
	m, ok := body.(*lukasa.Memory)
	if !ok {
		return ""
	}
	var projects []string
	for _, c := range m.ValidityScope.Conditions {
		if id, ok := project.OfCondition(c); ok {
			projects = append(projects, id)
		}
	}
	if len(projects) == 0 {
		return ""
	}
	return " (in " + strings.Join(projects, ", ") + ")"
}

// opinion is what feedback says beside its columns: the note, else what it is
// about; and the outcome where no column has it.
func opinion(b *lukasa.Feedback, outcome bool) string {
	text := b.Note
	if text == "" {
		text = "about " + term.Counted(len(b.Cited), "record")
	}
	if outcome {
		text = string(b.Outcome) + ": " + text
	}
	return text
}
