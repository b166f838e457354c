package knowledge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// ArtifactsCommand is what has to do with what was learned. By itself it lists.
func ArtifactsCommand(s *ask.Shell) *cobra.Command {
	c := artifactsListCommand(s)
	c.Use = "artifacts"
	c.Short = "Look at what was learned, and approve it or put it away"
	c.Long = `An artifact is what ` + "`lukasa compile`" + ` learned from what happened: how tasks are done, what
to do about an error, what was decided and how that went, what goes before a
failure, how goals are reached. Agents are given those that are active.

  draft       learned, and not in use: there is too little evidence, or somebody
              has to approve it
  active      in use
  superseded  a newer version took its place
  deprecated  its evidence is gone or speaks against it, or somebody said it is wrong
  archived    somebody put it away

Without a command it lists, as ` + "`lukasa artifacts list`" + ` does. What you approve, archive or
deprecate stays so when ` + "`lukasa compile`" + ` runs again: nothing of it comes back by itself, and
what it finds instead waits as a draft for your approval.`
	c.Example = `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts
  lukasa artifacts show $(lukasa artifacts list --type decision_policy --ids --limit 1)
  lukasa artifacts archive $(lukasa artifacts list --type decision_policy --ids --limit 1) --reason "we do it another way now"`
	c.Args = ask.OneBelow
	c.AddCommand(artifactsListCommand(s), artifactsShowCommand(s), artifactsChainCommand(s), artifactsDiffCommand(s),
		artifactsApproveCommand(s), artifactsArchiveCommand(s), artifactsDeprecateCommand(s))
	return c
}

type artifactsFlags struct {
	ask.BoardFlags
	kind, status, tag string
	confidence        float64
	limit             int
	after             string
	all, ids          bool
	now               string
}

func artifactsListCommand(s *ask.Shell) *cobra.Command {
	var flags artifactsFlags
	c := &cobra.Command{
		Use:   "list",
		Short: "List artifacts: the active ones, unless asked for others",
		Long: `List what was learned, newest first, 50 at a time: the artifacts that are active, which
are those that agents are given. --status lists those of another status, such as the
drafts that wait for approval, and --all those of every status. All filters must hold.

--ids prints ids alone, one a line, for other commands to take.`,
		Example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts list
  lukasa artifacts list --type failure_playbook --min-confidence 0.3
  lukasa artifacts list --status draft
  lukasa artifacts list --all --json`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return artifactsList(s, c, &flags) },
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	f := c.Flags()
	f.StringVar(&flags.kind, "type", "", "only of this `TYPE`: "+strings.Join(ask.Names(hmx.ArtifactTypes()), ", ")+", or x-{vendor}-{type}")
	f.StringVar(&flags.status, "status", "", "only with this `STATUS`: "+strings.Join(ask.Names(hmx.Statuses()), ", ")+" (default active)")
	f.BoolVar(&flags.all, "all", false, "whatever their status is")
	f.StringVar(&flags.tag, "tag", "", "only with this `TAG`, such as the name of a tool")
	f.Float64Var(&flags.confidence, "min-confidence", 0, "only with at least this `CONFIDENCE`, from 0 to 1")
	f.IntVar(&flags.limit, "limit", 50, "at most `N`, up to 1000")
	f.StringVar(&flags.after, "after", "", "go on after a page, with what it had as `NEXT`")
	f.BoolVar(&flags.ids, "ids", false, "print ids alone, one a line")
	ask.AddNow(c, &flags.now)
	ask.SuggestValues(c, "type", ask.Names(hmx.ArtifactTypes()))
	ask.SuggestValues(c, "status", ask.Names(hmx.Statuses()))
	return c
}

// options checks the flags.
func (f *artifactsFlags) options(s *ask.Shell) (o lukasa.ArtifactOptions, err error) {
	o = lukasa.ArtifactOptions{
		Type: hmx.ArtifactType(f.kind), Status: hmx.Status(f.status), Any: f.all, Tag: f.tag, MinConfidence: f.confidence, Limit: f.limit, After: f.after,
	}
	switch {
	case f.all && f.status != "":
		return o, fault.New(fault.Usage, "--all and --status: one of the two says which statuses are wanted").WithFix("leave one away")
	case f.ids && s.JSON:
		return o, fault.New(fault.Usage, "--ids and --json: one of the two says how to print").WithFix("leave one away")
	case f.status != "" && !slices.Contains(hmx.Statuses(), o.Status):
		return o, ask.UnknownName(fault.Usage, "status", f.status, ask.Names(hmx.Statuses()))
	case f.kind != "" && !slices.Contains(hmx.ArtifactTypes(), o.Type) && !hmx.CustomType(f.kind):
		return o, ask.UnknownName(fault.Usage, "type of artifacts", f.kind, ask.Names(hmx.ArtifactTypes()))
	}
	if err := ask.InRange("limit", f.limit, 1, 1000); err != nil {
		return o, err
	}
	if err := ask.Ratio("min-confidence", f.confidence); err != nil {
		return o, err
	}
	o.View, err = s.View(f.now)
	return o, err
}

func artifactsList(s *ask.Shell, c *cobra.Command, flags *artifactsFlags) error {
	o, err := flags.options(s)
	if err != nil {
		return err
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Reader(ctx)
		if err != nil {
			return err
		}
		page, err := t.Artifacts(ctx, o)
		if err != nil {
			return ask.BadAfter(c, err)
		}
		if flags.ids {
			for _, x := range page.Artifacts {
				fmt.Fprintln(s.Stdout, term.OneLine(x.Artifact.ArtifactID))
			}
			return nil
		}
		out := s.NewPages("artifacts", "ID", "TYPE", "STATUS", "VERSION", "CONFIDENCE", "EVIDENCE", "TITLE")
		for _, x := range page.Artifacts {
			a := x.Artifact
			if err := out.Add(a, a.ArtifactID, string(a.ArtifactType), string(a.Status), fmt.Sprint(a.Version), fmt.Sprintf("%.3f", a.Confidence),
				term.Counted(len(a.SourceEvents), "event"), term.Preview(a.Title, 60)); err != nil {
				return err
			}
		}
		if err := out.Flush(); err != nil {
			return err
		}
		switch {
		case s.JSON:
			return out.End(page.Next, nil)
		case page.Next != "":
			fmt.Fprintf(s.Stdout, "… and more: --after %s\n", page.Next)
		case out.Count == 0:
			fmt.Fprintln(s.Stdout, s.Paint.Dim("no artifacts"))
			if !flags.all {
				s.Detail("perhaps", "--all lists those that are not in use, and `lukasa compile` makes new ones of what happened")
			}
		}
		return nil
	})
}

// ofKind returns the tenant and the id that ID|URI names, which must be of a kind.
func ofKind(ctx context.Context, v *ask.Visit, arg string, kind lukasa.Kind, writes bool) (*lukasa.Tenant, string, error) {
	if !strings.HasPrefix(arg, ask.UriScheme) {
		if err := memory.CheckID(kind.String(), arg); err != nil {
			return nil, "", err
		}
		t, err := v.Reader(ctx)
		if err == nil && writes {
			t, err = v.WriterOf(t.Name())
		}
		return t, arg, err
	}
	u, err := v.Uri(arg)
	if err != nil {
		return nil, "", err
	}
	if u.Kind != kind {
		return nil, "", fault.Newf(fault.Usage, "%s names %s, not %s", u, oneOf(u.Kind), oneOf(kind)).WithFix("`lukasa resolve` shows what it is; name " + oneOf(kind))
	}
	t := v.Handle(u.Tenant, lukasa.Writer{})
	if writes {
		t, err = v.WriterOf(u.Tenant)
	}
	return t, u.ID, err
}

// oneOf writes a kind with its article.
func oneOf(k lukasa.Kind) string {
	name := k.String()
	if strings.ContainsAny(name[:1], "aeiou") {
		return "an " + name
	}
	return "a " + name
}
