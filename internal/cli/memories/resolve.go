package memories

import (
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/fault"
)

// ResolveCommand returns the command `lukasa resolve`.
func ResolveCommand(s *ask.Shell) *cobra.Command {
	return ask.OperationCommand(s, ask.Command[answer.Resolved]{
		Operation: "resolve",
		Use:       "resolve URI|KEY",
		Short:     "Show what a URI names: an event or a record of any kind",
		Long: `Show what lukasa://<tenant>/<kind>/<id>[#version] names: an event, a memory, an
edge, an entity, a relation, a conflict, a policy, an artifact or feedback. A KEY
is that of a memory.
--version or #version shows an earlier version; --at shows what it was when the
record at POSITION was the newest of the tenant. Every answer has its position.

What is forgotten or expired is shown, and marked as such. What is erased cannot be
shown: the error says when it was erased.`,
		Example: `  lukasa resolve lukasa://acme/event/019e5a3b-7c4d-7000-8000-000000000001
  lukasa resolve lukasa://acme/event/019e5a3b-7c4d-7000-8000-000000000001 --at 5
  lukasa resolve --json lukasa://acme/event/019e5a3b-7c4d-7000-8000-000000000006`,
		Args:     ask.OneName("URI or KEY"),
		Argument: "name",
		Names:    []string{"name"},
		Flags: []ask.Flag{
			{Field: "version", Help: "the `VERSION` to show; 0 is the current one"},
			{Field: "at", Help: "show what it was when this `POSITION` was the newest", Usage: true},
			ask.NowFlag(),
		},
		Fail: noEvent,
		Answer: func(v *ask.Visit, a *answer.Resolved) error {
			switch {
			case a.Thing != nil:
				return answerThing(v, a.Thing)
			case v.Shell.JSON:
				return v.Shell.WriteJSON(a.Event)
			}
			return show.Event(v.Shell.Screen, a.Event)
		},
	})
}

// noEvent adds how to find one to the error for an event that is not there.
func noEvent(_ *cobra.Command, err error) error {
	if e := fault.From(err); e.Code == fault.NotFound && strings.Contains(e.Error(), " has no event ") {
		return e.WithFix("check the id and the tenant; `lukasa events` lists the sessions there are, and the events of each")
	}
	return err
}
