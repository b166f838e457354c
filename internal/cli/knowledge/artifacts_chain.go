package knowledge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

func artifactsChainCommand(s *ask.Shell) *cobra.Command {
	var flags ask.BoardFlags
	c := &cobra.Command{
		Use:   "chain ID|URI",
		Short: "Show the versions of an artifact, who superseded what, when and why",
		Long: `Show the versions of an artifact as a tree, the oldest first: each with what became of it,
by whom, when and why. A draft that would supersede a version hangs below it. Versions
that were erased or forgotten are left out.`,
		Example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts chain $(lukasa artifacts list --ids --limit 1)`,
		Args: ask.OneName("ID or URI"),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return s.Visit(c, &flags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
			t, id, err := ofKind(ctx, v, args[0], lukasa.ArtifactKind, false)
			if err != nil {
				return err
			}
			list, err := t.ArtifactChain(ctx, id, lukasa.View{})
			if err != nil {
				return err
			}
			if s.JSON {
				return s.WriteJSON(answer.ChainOf(t.URI(lukasa.ArtifactKind, id), list))
			}
			showChain(s, id, list)
			return nil
		})
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	return c
}

// showChain prints versions as a tree: below each the ones that supersede it.
func showChain(s *ask.Shell, asked string, list []*lukasa.ArtifactVersion) {
	known, below := make(map[string]bool), make(map[string][]*lukasa.ArtifactVersion)
	for _, x := range list {
		known[x.Artifact.ArtifactID] = true
	}
	var roots []*lukasa.ArtifactVersion
	for _, x := range list {
		if before := x.Artifact.Supersedes.Or(""); known[before] {
			below[before] = append(below[before], x)
		} else {
			roots = append(roots, x)
		}
	}
	printed := make(map[string]bool)
	var print func(x *lukasa.ArtifactVersion, depth int)
	print = func(x *lukasa.ArtifactVersion, depth int) {
		if printed[x.Artifact.ArtifactID] {
			return
		}
		printed[x.Artifact.ArtifactID] = true
		showVersion(s, x, depth, x.Artifact.ArtifactID == asked)
		for _, next := range below[x.Artifact.ArtifactID] {
			print(next, depth+1)
		}
	}
	for _, x := range roots {
		print(x, 0)
	}
}

// showVersion prints one version of a tree.
func showVersion(s *ask.Shell, x *lukasa.ArtifactVersion, depth int, asked bool) {
	a := x.Artifact
	lead, indent := "", min(depth, 20)*3
	if depth > 0 {
		lead = strings.Repeat(" ", indent-3) + "└─ "
	}
	id := term.OneLine(a.ArtifactID)
	if asked {
		id = s.Paint.Bold(id)
	}
	status := string(a.Status)
	if a.Status == hmx.StatusActive {
		status = s.Paint.Green(status)
	}
	fmt.Fprintf(s.Stdout, "%sv%d %s %s, confidence %.3f, %s\n", lead, a.Version, id, status, a.Confidence, term.Counted(len(a.SourceEvents), "event"))
	if depth == 0 {
		fmt.Fprintf(s.Stdout, "   %s\n", term.Preview(a.Title, s.Measure()-3))
	}
	for i, c := range x.Changes {
		what := string(c.Status)
		if i == 0 {
			what = "written as " + what
		}
		text := what + " " + term.Moment(c.Time) + " by " + c.Actor
		if c.SupersededBy != "" {
			text = what + " by " + c.SupersededBy + ", " + term.Moment(c.Time) + " by " + c.Actor
		}
		if c.Reason != "" {
			text += ": " + c.Reason
		}
		s.Aside(indent+3, text)
	}
	if before := a.Supersedes.Or(""); before != "" && depth == 0 {
		s.Aside(indent+3, "it supersedes "+before+", which is not shown")
	}
}

func artifactsDiffCommand(s *ask.Shell) *cobra.Command {
	var flags ask.BoardFlags
	c := &cobra.Command{
		Use:   "diff ID|URI [ID|URI]",
		Short: "Show what changed from one version of an artifact to another",
		Long: `Show what changed from the first artifact to the second or, if there is one only, from the
one that it supersedes to it: + is new, - is gone, ~ has changed, and ↕ is in another
order. Items of lists are compared with those that are about the same.`,
		Example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts diff $(lukasa artifacts list --type decision_policy --ids --limit 2)`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 || len(args) == 2 {
				return nil
			}
			return fault.Newf(fault.Usage, "%q takes one or two of ID or URI, got %d arguments", c.CommandPath(), len(args)).WithFix(ask.SeeHelp(c))
		},
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return s.Visit(c, &flags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
			t, from, err := ofKind(ctx, v, args[0], lukasa.ArtifactKind, false)
			if err != nil {
				return err
			}
			to := from
			if len(args) == 1 {
				from = ""
			} else {
				var other *lukasa.Tenant
				if other, to, err = ofKind(ctx, v, args[1], lukasa.ArtifactKind, false); err != nil {
					return err
				}
				if other.Name() != t.Name() {
					return fault.New(fault.Usage, "the two are of different tenants").WithFix("name two of one tenant")
				}
			}
			d, err := t.DiffArtifacts(ctx, from, to, lukasa.View{})
			if err != nil {
				return err
			}
			if s.JSON {
				return s.WriteJSON(answer.DiffOf(d))
			}
			showDiff(s, d)
			return nil
		})
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	return c
}

// showDiff prints what changed for a person.
func showDiff(s *ask.Shell, d *lukasa.ArtifactDiff) {
	fmt.Fprintf(s.Stdout, "from v%d %s\n", d.From.Artifact.Version, term.OneLine(d.From.Artifact.ArtifactID))
	fmt.Fprintf(s.Stdout, "to   v%d %s\n", d.To.Artifact.Version, s.Paint.Bold(term.OneLine(d.To.Artifact.ArtifactID)))
	if len(d.Changes) == 0 {
		fmt.Fprintln(s.Stdout, s.Paint.Dim("they say the same"))
	}
	for _, x := range d.Changes {
		path := term.Preview(x.Path, 80)
		switch x.Op {
		case lukasa.DiffAdd:
			fmt.Fprintf(s.Stdout, "%s %s: %s\n", s.Paint.Green("+"), path, value(x.To))
		case lukasa.DiffRemove:
			fmt.Fprintf(s.Stdout, "%s %s: %s\n", s.Paint.Red("-"), path, value(x.From))
		case lukasa.DiffOrder:
			fmt.Fprintf(s.Stdout, "%s %s: %s\n", s.Paint.Yellow("↕"), path, value(x.To))
		default:
			fmt.Fprintf(s.Stdout, "%s %s: %s → %s\n", s.Paint.Yellow("~"), path, value(x.From), value(x.To))
		}
	}
	if d.EventsAdded+d.EventsRemoved > 0 {
		s.Detail("evidence", fmt.Sprintf("%s more, %s fewer", term.Counted(d.EventsAdded, "event"), term.Thousands(d.EventsRemoved)))
	}
}

// value is a value of a difference for a person: a text as it is, anything else as JSON.
func value(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return term.Preview(text, 100)
	}
	return term.Preview(string(raw), 100)
}
