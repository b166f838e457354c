package memories

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

type recallFlags struct {
	ask.BoardFlags
	version uint32
	form    string
	now     string
}

// RecallCommand returns the command `lukasa recall`.
func RecallCommand(s *ask.Shell) *cobra.Command {
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
		Args: ask.OneName("KEY or URI"),
		RunE: func(c *cobra.Command, args []string) error { return recall(s, c, args[0], &flags) },
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	c.Flags().Uint32Var(&flags.version, "version", 0, "the `VERSION` to show; 0 is the current one")
	c.Flags().StringVar(&flags.form, "form", "", "print this `FORM` only: "+strings.Join(ask.Names(memory.FormList()), ", "))
	ask.AddNow(c, &flags.now)
	ask.SuggestValues(c, "form", ask.Names(memory.FormList()))
	return c
}

func recall(s *ask.Shell, c *cobra.Command, arg string, flags *recallFlags) error {
	var form memory.Form
	if flags.form != "" {
		var err error
		if form, err = memory.ParseForm(flags.form); err != nil {
			return ask.BadFlag("form", err)
		}
	}
	view, err := s.View(flags.now)
	if err != nil {
		return err
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, ref, err := v.Target(ctx, arg, flags.version, false)
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
			s.Note("%s is not valid at this time", thing.URI)
		}
		return answerThing(s, thing, form)
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
	return fault.Newf(fault.NotFound, "%s %s%s", name, verb, show.StateOf(t)).
		WithFix("`lukasa restore " + t.URI.Head().String() + "` brings it back, `lukasa history` shows what it was")
}

// answerThing prints a thing, or one form of it.
func answerThing(s *ask.Shell, t *lukasa.Thing, form memory.Form) error {
	rendered := ""
	if form != "" {
		m, ok := t.Body.(*lukasa.Memory)
		if !ok {
			return fault.Newf(fault.InvalidArgument, "form: only memories have forms, and this is of kind %s", t.URI.Kind).WithFix("leave --form away")
		}
		rendered = m.Render(form)
	}
	switch {
	case s.JSON:
		a, err := answer.ThingOf(t)
		if err != nil {
			return err
		}
		a.Form, a.Rendered = form, rendered
		return s.WriteJSON(a)
	case form != "":
		_, err := fmt.Fprintln(s.Stdout, strings.TrimRight(term.Visible(rendered), "\n"))
		return err
	}
	return show.Thing(s.Screen, t)
}
