package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
)

func artifactsChainCommand(s *shell) *cobra.Command {
	var flags boardFlags
	c := &cobra.Command{
		Use:   "chain ID|URI",
		Short: "Show the versions of an artifact, who superseded what, when and why",
		Long: `Show the versions of an artifact as a tree, the oldest first: each with what became of it,
by whom, when and why. A draft that would supersede a version hangs below it. Versions
that were erased or forgotten are left out.`,
		Example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts chain $(lukasa artifacts list --ids --limit 1)`,
		Args: oneName("ID or URI"),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return s.visit(c, &flags, reading(), func(ctx context.Context, v *visit) error {
			t, id, err := v.ofKind(ctx, args[0], lukasa.ArtifactKind, false)
			if err != nil {
				return err
			}
			list, err := t.ArtifactChain(ctx, id, lukasa.View{})
			if err != nil {
				return err
			}
			if s.json {
				return s.writeJSON(answer.ChainOf(t.URI(lukasa.ArtifactKind, id), list))
			}
			s.showChain(id, list)
			return nil
		})
	}
	flags.addTenant(c)
	flags.addScope(c)
	return c
}

// showChain prints versions as a tree: below each the ones that supersede it.
func (s *shell) showChain(asked string, list []*lukasa.ArtifactVersion) {
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
		s.showVersion(x, depth, x.Artifact.ArtifactID == asked)
		for _, next := range below[x.Artifact.ArtifactID] {
			print(next, depth+1)
		}
	}
	for _, x := range roots {
		print(x, 0)
	}
}

// showVersion prints one version of a tree.
func (s *shell) showVersion(x *lukasa.ArtifactVersion, depth int, asked bool) {
	a := x.Artifact
	lead, indent := "", min(depth, 20)*3
	if depth > 0 {
		lead = strings.Repeat(" ", indent-3) + "└─ "
	}
	id := oneLine(a.ArtifactID)
	if asked {
		id = s.paint.bold(id)
	}
	status := string(a.Status)
	if a.Status == hmx.StatusActive {
		status = s.paint.green(status)
	}
	fmt.Fprintf(s.stdout, "%sv%d %s %s, confidence %.3f, %s\n", lead, a.Version, id, status, a.Confidence, counted(len(a.SourceEvents), "event"))
	if depth == 0 {
		fmt.Fprintf(s.stdout, "   %s\n", preview(a.Title, s.measure()-3))
	}
	for i, c := range x.Changes {
		what := string(c.Status)
		if i == 0 {
			what = "written as " + what
		}
		text := what + " " + moment(c.Time) + " by " + c.Actor
		if c.SupersededBy != "" {
			text = what + " by " + c.SupersededBy + ", " + moment(c.Time) + " by " + c.Actor
		}
		if c.Reason != "" {
			text += ": " + c.Reason
		}
		s.aside(indent+3, text)
	}
	if before := a.Supersedes.Or(""); before != "" && depth == 0 {
		s.aside(indent+3, "it supersedes "+before+", which is not shown")
	}
}

func artifactsDiffCommand(s *shell) *cobra.Command {
	var flags boardFlags
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
			return fault.Newf(fault.Usage, "%q takes one or two of ID or URI, got %d arguments", c.CommandPath(), len(args)).WithFix(seeHelp(c))
		},
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return s.visit(c, &flags, reading(), func(ctx context.Context, v *visit) error {
			t, from, err := v.ofKind(ctx, args[0], lukasa.ArtifactKind, false)
			if err != nil {
				return err
			}
			to := from
			if len(args) == 1 {
				from = ""
			} else {
				var other *lukasa.Tenant
				if other, to, err = v.ofKind(ctx, args[1], lukasa.ArtifactKind, false); err != nil {
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
			if s.json {
				return s.writeJSON(answer.DiffOf(d))
			}
			s.showDiff(d)
			return nil
		})
	}
	flags.addTenant(c)
	flags.addScope(c)
	return c
}

// showDiff prints what changed for a person.
func (s *shell) showDiff(d *lukasa.ArtifactDiff) {
	fmt.Fprintf(s.stdout, "from v%d %s\n", d.From.Artifact.Version, oneLine(d.From.Artifact.ArtifactID))
	fmt.Fprintf(s.stdout, "to   v%d %s\n", d.To.Artifact.Version, s.paint.bold(oneLine(d.To.Artifact.ArtifactID)))
	if len(d.Changes) == 0 {
		fmt.Fprintln(s.stdout, s.paint.dim("they say the same"))
	}
	for _, x := range d.Changes {
		path := preview(x.Path, 80)
		switch x.Op {
		case lukasa.DiffAdd:
			fmt.Fprintf(s.stdout, "%s %s: %s\n", s.paint.green("+"), path, value(x.To))
		case lukasa.DiffRemove:
			fmt.Fprintf(s.stdout, "%s %s: %s\n", s.paint.red("-"), path, value(x.From))
		case lukasa.DiffOrder:
			fmt.Fprintf(s.stdout, "%s %s: %s\n", s.paint.yellow("↕"), path, value(x.To))
		default:
			fmt.Fprintf(s.stdout, "%s %s: %s → %s\n", s.paint.yellow("~"), path, value(x.From), value(x.To))
		}
	}
	if d.EventsAdded+d.EventsRemoved > 0 {
		s.detail("evidence", fmt.Sprintf("%s more, %s fewer", counted(d.EventsAdded, "event"), thousands(d.EventsRemoved)))
	}
}

// value is a value of a difference for a person: a text as it is, anything else as JSON.
func value(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return preview(text, 100)
	}
	return preview(string(raw), 100)
}
