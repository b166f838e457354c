package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/project"
	"lukasa.dev/internal/record"
)

type listFlags struct {
	boardFlags
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

func listCommand(s *shell) *cobra.Command {
	var flags listFlags
	c := &cobra.Command{
		Use:   "list",
		Short: "List memories, or things of another kind",
		Long: `List what is there, newest first, 50 at a time: memories unless --kind says
otherwise, and those that are live and valid now unless --state says otherwise.
--state all lists live, forgotten and expired ones, one state after the other.
What is not valid yet or any more is listed with --now and a time at which it
is. Memories are written with ` + "`lukasa remember`" + `, feedback with
` + "`lukasa feedback`" + `; violations by the engine, when a scope refuses a write; the
other kinds, such as policies, through the library. Events are listed by
` + "`lukasa events`" + `.
All filters must hold. Where there is more, the answer says how to go on; --all
goes on by itself.`,
		Example: `  lukasa list
  lukasa list --type constraint --tag release
  lukasa list --state all
  lukasa list --kind entity --json
  lukasa list --all --json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return s.list(c, &flags) },
	}
	flags.addTenant(c)
	flags.addScope(c)
	f := c.Flags()
	f.StringVar(&flags.kind, "kind", record.Memory.String(), "the `KIND` to list: "+strings.Join(bodyKinds(), ", "))
	f.StringVar(&flags.class, "type", "", "only of this `TYPE`: of memories "+strings.Join(names(memory.Types()), ", ")+"; of edges and others as they were written")
	f.StringVar(&flags.tag, "tag", "", "only with this `TAG`")
	f.StringVar(&flags.state, "state", string(lukasa.Live), "only in this `STATE`: "+strings.Join(states(), ", "))
	f.StringVar(&flags.status, "status", "", "only with this `STATUS`: of a goal or an artifact; a constraint's strength")
	f.StringVar(&flags.after, "after", "", "go on after a page, with what it had as `NEXT`")
	addPaging(c, &flags.limit, &flags.all, 50)
	addNow(c, &flags.now)
	suggestValues(c, "kind", bodyKinds())
	suggestValues(c, "type", names(memory.Types()))
	suggestValues(c, "state", states())
	return c
}

// addPaging adds the flags of commands that answer in pages.
func addPaging(c *cobra.Command, limit *int, all *bool, usual int) {
	c.Flags().IntVar(limit, "limit", usual, "at most `N`")
	c.Flags().BoolVar(all, "all", false, "all of them, a page after the other")
}

func bodyKinds() []string {
	var names []string
	for _, k := range memory.BodyKinds() {
		names = append(names, k.String())
	}
	return names
}

func listable() []lukasa.State { return []lukasa.State{lukasa.Live, lukasa.Forgotten, lukasa.Ended} }

func states() []string { return append(names(listable()), anyState) }

// plural is what a list of a kind is called in an answer.
func plural(k lukasa.Kind) string {
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
func (f *listFlags) options(s *shell) (o lukasa.ListOptions, err error) {
	o = lukasa.ListOptions{Class: f.class, Tag: f.tag, Status: f.status, Limit: f.limit, After: f.after}
	if err := inRange("limit", o.Limit, 1, 1000); err != nil {
		return o, err
	}
	if o.View, err = s.view(f.now); err != nil {
		return o, err
	}
	kind, ok := record.ParseKind(f.kind)
	if !ok || memory.NewBody(kind) == nil {
		if kind == lukasa.EventKind {
			return o, fault.New(fault.Usage, "events are not listed here").WithFix("use `lukasa events`")
		}
		return o, unknownName(fault.Usage, "kind", f.kind, bodyKinds())
	}
	o.Kind = kind
	if kind == lukasa.MemoryKind && f.class != "" {
		if _, err := memory.ParseType(f.class); err != nil {
			return o, badFlag("type", err)
		}
	}
	if slices.Contains(states(), f.state) {
		return o, nil
	}
	return o, unknownName(fault.Usage, "state", f.state, states())
}

// anyState is the --state that lists all of them, one state after the other.
const anyState = "all"

// turns returns the states to list, beginning with the one that --after goes on
// in, and where to go on in it. A page of all states says which one it ended in.
func (f *listFlags) turns() ([]lukasa.State, string, error) {
	if f.state != anyState {
		return []lukasa.State{lukasa.State(f.state)}, f.after, nil
	}
	all := listable()
	if f.after == "" {
		return all, "", nil
	}
	name, after, _ := strings.Cut(f.after, ".")
	at := slices.Index(all, lukasa.State(name))
	if at < 0 {
		return nil, "", fault.Newf(fault.Usage, "--after: %q is not from a page of --state all", f.after).WithFix("take it from the page before, as it is")
	}
	return all[at:], after, nil
}

func (s *shell) list(c *cobra.Command, flags *listFlags) error {
	o, err := flags.options(s)
	if err != nil {
		return err
	}
	turns, after, err := flags.turns()
	if err != nil {
		return err
	}
	return s.visit(c, &flags.boardFlags, reading(), func(ctx context.Context, v *visit) error {
		t, err := v.reader(ctx)
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
		out := s.newPages(plural(o.Kind), "KEY OR URI", class, status, "VERSION", "TRUST", "UPDATED", "TEXT")
		if out.states = flags.state == anyState; out.states {
			out.table.widths[2] = len(lukasa.Forgotten) // the longest, which may come on a later page
		}
		p := s.progress()
		defer p.done()
		for {
			o.State, o.After = turns[0], after
			page, err := t.List(ctx, o)
			if err != nil {
				return badAfter(c, err)
			}
			for _, thing := range page.Things {
				if err := out.thing(thing); err != nil {
					return err
				}
			}
			if err := out.flush(); err != nil {
				return err
			}
			p.update(func() string { return "listed " + thousands(out.count) })
			after = page.Next
			if after == "" {
				turns = turns[1:]
			}
			o.Limit = flags.limit
			if !flags.all {
				o.Limit -= out.count
			}
			switch {
			case len(turns) == 0:
				return out.end("", nil)
			case o.Limit > 0:
			case out.states:
				return out.end(string(turns[0])+"."+after, nil)
			default:
				return out.end(after, nil)
			}
		}
	})
}

// badAfter says that what is wrong with a page is its --after, if it is.
func badAfter(c *cobra.Command, err error) error {
	e := fault.From(err)
	rest, ok := strings.CutPrefix(e.Error(), "after: ")
	if !ok || e.Code != fault.InvalidArgument || !c.Flags().Changed("after") {
		return err
	}
	return fault.New(fault.Usage, "--after: "+rest).WithCause(err).WithFix(e.Advice())
}

// pages prints an answer that comes in pages: as a table, or as one JSON
// object with a named array that is written as it comes.
type pages struct {
	shell *shell
	name  string
	table *table
	rows  [][]string
	count int
	begun bool // the JSON object
	// states has the state of things shown in the place of their status.
	states bool
}

func (s *shell) newPages(name string, head ...string) *pages {
	return &pages{shell: s, name: name, table: s.table(head...)}
}

// open begins the JSON object, once something is known to come: whoever fails
// before has answered nothing.
func (p *pages) open() {
	if p.shell.json && !p.begun {
		p.begun = true
		fmt.Fprintf(p.shell.stdout, `{"%s":[`, p.name)
	}
}

// add adds an item: as JSON, or as a row.
func (p *pages) add(item any, row ...string) error {
	p.count++
	if !p.shell.json {
		p.rows = append(p.rows, row)
		return nil
	}
	p.open()
	if p.count > 1 {
		fmt.Fprint(p.shell.stdout, ",")
	}
	return encodeLine(trimmed{p.shell.stdout}, item)
}

func (p *pages) thing(t *lukasa.Thing) error {
	if p.shell.json {
		a, err := answer.ThingOf(t)
		if err != nil {
			return err
		}
		return p.add(a)
	}
	name := t.URI.Head().String()
	if _, key := t.Body.Identity(); key != "" && t.URI.Kind == lukasa.MemoryKind {
		name = key
	}
	class, text := t.Body.Facets().Class, summary(t.Body)
	if b, ok := t.Body.(*lukasa.Feedback); ok {
		class, text = b.AgentID, opinion(b, p.states)
	}
	if t.State != lukasa.Live && t.Note != "" {
		text = t.Note + ": " + text
	}
	status := t.Status
	if p.states {
		status = string(t.State)
	}
	return p.add(nil, name, class, status, fmt.Sprint(t.Version), t.Trust.String(), moment(t.Updated), preview(text, 60)+where(t.Body))
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
		text = "about " + counted(len(b.Cited), "thing")
	}
	if outcome {
		text = string(b.Outcome) + ": " + text
	}
	return text
}

// flush prints the rows of a page.
func (p *pages) flush() error {
	p.table.rows(p.rows)
	p.rows = nil
	return p.shell.stdout.failed()
}

// end closes the answer.
func (p *pages) end(next string, err error) error {
	s := p.shell
	if err != nil {
		return err
	}
	p.open()
	switch {
	case s.json && next == "":
		fmt.Fprintln(s.stdout, `],"next":null}`)
	case s.json:
		fmt.Fprintf(s.stdout, `],"next":"%s"}`+"\n", next) // it is base64
	case next != "":
		fmt.Fprintf(s.stdout, "… and more: --all, or --after %s\n", next)
	case p.count == 0:
		fmt.Fprintln(s.stdout, s.paint.dim("no "+p.name))
	}
	return nil
}
