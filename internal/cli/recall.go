package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

type recallFlags struct {
	boardFlags
	version uint32
	form    string
	now     string
}

func recallCommand(s *shell) *cobra.Command {
	var flags recallFlags
	c := &cobra.Command{
		Use:   "recall KEY|URI",
		Short: "Show a memory, as it is or as it was",
		Long: `Show what is remembered under KEY, or what a URI names: its text, then what is
known of it. --version or URI#version shows an earlier version.

--form prints one of the memory's forms and nothing else: short has at most 50
tokens, medium at most 200, full is the whole text with the fields of its type.

What is forgotten or expired is not shown: the error says when and why, and how
to bring it back. Characters that could command a terminal are written as
\u{XXXX}; --json has the text as it was stored.`,
		Example: `  lukasa recall release/cadence
  lukasa recall release/cadence --version 1
  lukasa recall release/cadence --form short
  lukasa recall --json release/cadence`,
		Args: oneName("KEY or URI"),
		RunE: func(c *cobra.Command, args []string) error { return s.recall(c, args[0], &flags) },
	}
	flags.addTenant(c)
	flags.addScope(c)
	c.Flags().Uint32Var(&flags.version, "version", 0, "the `VERSION` to show; 0 is the current one")
	c.Flags().StringVar(&flags.form, "form", "", "print this `FORM` only: "+strings.Join(names(memory.FormList()), ", "))
	addNow(c, &flags.now)
	suggestValues(c, "form", names(memory.FormList()))
	return c
}

// oneName is for commands that take one argument which names something.
func oneName(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return fault.Newf(fault.Usage, "%q takes one %s, got %d arguments", c.CommandPath(), what, len(args)).WithFix(seeHelp(c))
	}
}

// addNow adds --now, for reads whose answer depends on the time.
func addNow(c *cobra.Command, now *string) {
	c.Flags().StringVar(now, "now", "", "the `TIME` that decides what has expired, in RFC 3339 (default the time it is)")
}

// view returns who looks and when: whoever sits at the keyboard sees everything.
func (s *shell) view(now string) (lukasa.View, error) {
	if now == "" {
		return lukasa.View{Now: s.now()}, nil
	}
	t, err := timeFlag("now", now)
	return lukasa.View{Now: t.Time()}, err
}

func (s *shell) recall(c *cobra.Command, arg string, flags *recallFlags) error {
	var form memory.Form
	if flags.form != "" {
		var err error
		if form, err = memory.ParseForm(flags.form); err != nil {
			return badFlag("form", err)
		}
	}
	view, err := s.view(flags.now)
	if err != nil {
		return err
	}
	return s.visit(c, &flags.boardFlags, reading(), func(ctx context.Context, v *visit) error {
		t, ref, err := v.target(ctx, arg, flags.version, false)
		if err != nil {
			return err
		}
		if ref.Kind == lukasa.EventKind {
			return fault.New(fault.InvalidArgument, "an event is not a memory").WithFix("`lukasa resolve` shows what any URI names")
		}
		thing, err := t.Get(ctx, ref, view)
		if err != nil {
			return err
		}
		if thing.State != lukasa.Live {
			return gone(thing)
		}
		if form != "" && !thing.Valid {
			s.note("%s is not valid at this time", thing.URI)
		}
		return s.answerThing(thing, form)
	})
}

// gone is the error for what is not there any more but has a history.
func gone(t *lukasa.Thing) error {
	name := t.URI.Head().String()
	if _, key := t.Body.Identity(); key != "" {
		name = key + ", " + name + ","
	}
	verb := "was "
	if t.State == lukasa.Ended {
		verb = ""
	}
	return fault.Newf(fault.NotFound, "%s %s%s", name, verb, stateOf(t)).
		WithFix("`lukasa restore " + t.URI.Head().String() + "` brings it back, `lukasa history` shows what it was")
}

// answerThing prints a thing, or one form of it.
func (s *shell) answerThing(t *lukasa.Thing, form memory.Form) error {
	rendered := ""
	if form != "" {
		m, ok := t.Body.(*lukasa.Memory)
		if !ok {
			return fault.Newf(fault.InvalidArgument, "form: only memories have forms, and this is of kind %s", t.URI.Kind).WithFix("leave --form away")
		}
		rendered = m.Render(form)
	}
	switch {
	case s.json:
		a, err := answer.ThingOf(t)
		if err != nil {
			return err
		}
		a.Form, a.Rendered = form, rendered
		return s.writeJSON(a)
	case form != "":
		_, err := fmt.Fprintln(s.stdout, strings.TrimRight(visible(rendered), "\n"))
		return err
	}
	return s.showThing(t)
}
