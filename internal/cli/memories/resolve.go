package memories

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/fault"
)

type resolveFlags struct {
	ask.BoardFlags
	version uint32
	at      uint64
	now     string
}

// ResolveCommand returns the command `lukasa resolve`.
func ResolveCommand(s *ask.Shell) *cobra.Command {
	var flags resolveFlags
	c := &cobra.Command{
		Use:   "resolve URI|KEY",
		Short: "Show what a URI names: an event or a thing of any kind",
		Long: `Show what lukasa://<tenant>/<kind>/<id>[#version] names: an event, a memory, an
edge, an entity, a relation, a conflict, a policy, an artifact or feedback. A KEY
is that of a memory.
--version or #version shows an earlier version of a thing; --at shows what it was
when the record at POSITION was the newest of the tenant, as every answer tells
its position.

What is forgotten or expired is shown and says so. What is erased cannot be
shown by anything: the error says when it was erased.`,
		Example: `  lukasa resolve lukasa://acme/event/019e5a3b-7c4d-7000-8000-000000000001
  lukasa resolve lukasa://acme/event/019e5a3b-7c4d-7000-8000-000000000001 --at 5
  lukasa resolve --json lukasa://acme/event/019e5a3b-7c4d-7000-8000-000000000006`,
		Args: ask.OneName("URI or KEY"),
		RunE: func(c *cobra.Command, args []string) error { return resolve(s, c, args[0], &flags) },
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	c.Flags().Uint32Var(&flags.version, "version", 0, "the `VERSION` to show; 0 is the current one")
	c.Flags().Uint64Var(&flags.at, "at", 0, "show what it was when this `POSITION` was the newest")
	ask.AddNow(c, &flags.now)
	return c
}

func resolve(s *ask.Shell, c *cobra.Command, arg string, flags *resolveFlags) error {
	view, err := s.View(flags.now)
	if err != nil {
		return err
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		u, err := uriOf(ctx, v, arg)
		if err != nil {
			return err
		}
		at, err := flags.past(c, &u)
		if err != nil {
			return err
		}
		t := v.Handle(u.Tenant, lukasa.Writer{})
		var found *lukasa.Resolved
		if at != nil {
			if flags.now == "" {
				view.Now = time.Time{} // as it was then
			}
			found, err = t.ResolveAt(ctx, u.Head(), *at, view)
			if err == nil && u.Version > 0 && u.Version != uint64(found.Thing.Version) {
				err = fault.Newf(fault.Usage, "version %d is named too, but at position %d it was version %d", u.Version, flags.at, found.Thing.Version).
					WithFix("ask for a version or for a position")
			}
		} else {
			found, err = t.Resolve(ctx, u, view)
		}
		if err != nil {
			return noEvent(err)
		}
		if found.Thing != nil {
			return answerThing(s, found.Thing, "")
		}
		if !s.JSON {
			return show.Event(s.Screen, found.Event)
		}
		a, err := answer.EventOf(found.Event)
		if err != nil {
			return err
		}
		return s.WriteJSON(a)
	})
}

// uriOf returns the URI that URI|KEY stands for.
func uriOf(ctx context.Context, v *ask.Visit, arg string) (lukasa.URI, error) {
	if strings.HasPrefix(arg, ask.UriScheme) {
		return v.Uri(arg)
	}
	t, err := v.Reader(ctx)
	if err != nil {
		return lukasa.URI{}, err
	}
	thing, err := t.Get(ctx, lukasa.Ref{Kind: lukasa.MemoryKind, Key: arg}, lukasa.View{})
	if err != nil {
		return lukasa.URI{}, err
	}
	return thing.URI.Head(), nil
}

// noEvent adds how to find one to the error for an event that is not there.
func noEvent(err error) error {
	if e := fault.From(err); e.Code == fault.NotFound && strings.Contains(e.Error(), " has no event ") {
		return e.WithFix("check the id and the tenant; `lukasa events` lists the sessions there are, and the events of each")
	}
	return err
}

// past returns which past is asked for, and nil if none is. A version that only
// one of URI and --version names becomes the URI's.
func (f *resolveFlags) past(c *cobra.Command, u *lukasa.URI) (*lukasa.At, error) {
	if c.Flags().Changed("version") && f.version > 0 {
		if u.Version != 0 && u.Version != uint64(f.version) {
			return nil, fault.Newf(fault.Usage, "the URI names version %d and --version names %d", u.Version, f.version).WithFix("say it once")
		}
		u.Version = uint64(f.version)
	}
	if u.Kind == lukasa.EventKind && u.Version > 0 {
		return nil, fault.New(fault.InvalidArgument, "an event has no versions").WithFix("leave the version away")
	}
	if !c.Flags().Changed("at") {
		return nil, nil
	}
	at := lukasa.AtPosition(f.at)
	return &at, nil
}
