package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
)

type resolveFlags struct {
	boardFlags
	now string
}

func resolveCommand(s *shell) *cobra.Command {
	var flags resolveFlags
	c := &cobra.Command{
		Use:   "resolve URI",
		Short: "Show what a URI names: an event or a thing of any kind",
		Long: `Show what lukasa://<tenant>/<kind>/<id>[#version] names: an event, a memory, an
edge, an entity, a relation, a conflict, a policy, an artifact or feedback.

What is forgotten or expired is shown and says so. What is erased cannot be
shown by anything: the error says when it was erased.`,
		Example: `  lukasa resolve lukasa://acme/event/019e5a3b-7c4d-7000-8000-000000000001
  lukasa resolve --json lukasa://acme/event/019e5a3b-7c4d-7000-8000-000000000006`,
		Args: oneName("URI"),
		RunE: func(c *cobra.Command, args []string) error { return s.resolve(c, args[0], &flags) },
	}
	flags.addTenant(c)
	addNow(c, &flags.now)
	return c
}

func (s *shell) resolve(c *cobra.Command, arg string, flags *resolveFlags) error {
	if !strings.HasPrefix(arg, uriScheme) {
		return fault.Newf(fault.Usage, "%q is not a URI", arg).
			WithFix("write lukasa://<tenant>/<kind>/<id>, or use `lukasa recall` with the key of a memory")
	}
	view, err := s.view(flags.now)
	if err != nil {
		return err
	}
	return s.visit(c, &flags.boardFlags, reading(), func(ctx context.Context, v *visit) error {
		u, err := v.uri(arg)
		if err != nil {
			return err
		}
		if u.Kind == lukasa.EventKind && u.Version > 0 {
			return fault.New(fault.InvalidArgument, "an event has no versions").WithFix("leave the #version away")
		}
		found, err := v.Tenant(u.Tenant, lukasa.Writer{}).Resolve(ctx, u, view)
		if err != nil {
			return err
		}
		if found.Thing != nil {
			return s.answerThing(found.Thing, "")
		}
		if !s.json {
			return s.showEvent(found.Event)
		}
		a, err := answerEvent(found.Event)
		if err != nil {
			return err
		}
		return s.writeJSON(a)
	})
}
