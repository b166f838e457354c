package memories

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// RecallCommand returns the command `lukasa recall`.
func RecallCommand(s *ask.Shell) *cobra.Command {
	return ask.OperationCommand(s, ask.Command[answer.Thing]{
		Operation: "recall",
		Use:       "recall KEY|URI",
		Short:     "Show a memory, as it is or as it was",
		Long: `Show the memory under KEY, or what a URI names: its text, then its fields.
--version or URI#version shows an earlier version.

--form prints one of the memory's forms and nothing else: short has at most 50
tokens, medium at most 200, full is the whole text with the fields of its type.

What is forgotten or expired is not shown: the error says when and why, and how
to bring it back. Control characters are written as \u{XXXX}; --json has the text
as it was stored.`,
		Example: `  lukasa recall release/cadence
  lukasa recall release/cadence --version 1
  lukasa recall release/cadence --form short
  lukasa recall --json release/cadence`,
		Args:     ask.OneName("KEY or URI"),
		Argument: "key",
		Names:    []string{"key"},
		Flags: []ask.Flag{
			{Field: "version", Help: "the `VERSION` to show; 0 is the current one"},
			{Field: "form", Help: "print this `FORM` only: " + strings.Join(ask.Names(memory.FormList()), ", ")},
			ask.NowFlag(),
		},
		Fail:   comeBack,
		Answer: answerThing,
	})
}

// comeBack names the commands in the advice about what is not there any more.
func comeBack(_ *cobra.Command, err error) error {
	e := fault.From(err)
	if uri, rest, ok := strings.Cut(strings.TrimPrefix(e.Advice(), "restore "), " brings it back, history "); ok {
		return e.WithFix("`lukasa restore " + uri + "` brings it back, `lukasa history` " + rest)
	}
	return err
}

// answerThing prints a record, or one form of it.
func answerThing(v *ask.Visit, t *answer.Thing) error {
	s := v.Shell
	if t.Form != "" && !t.Valid {
		s.Note("%s is not valid at this time", t.URI)
	}
	switch {
	case s.JSON:
		return s.WriteJSON(t)
	case t.Form != "":
		_, err := fmt.Fprintln(s.Stdout, strings.TrimRight(term.Visible(t.Rendered), "\n"))
		return err
	}
	return show.Thing(s.Screen, t)
}
