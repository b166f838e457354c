package knowledge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// ArtifactsCommand is what has to do with what was learned. By itself it lists.
func ArtifactsCommand(s *ask.Shell) *cobra.Command {
	c := artifactsListCommand(s)
	c.Use = "artifacts"
	c.Short = "Review artifacts: show, approve, archive, deprecate"
	c.Long = `An artifact is what ` + "`lukasa compile`" + ` learned from what happened: how tasks are done, what
to do about an error, what was decided and how that went, what precedes a failure, how
goals are reached. Agents receive the active ones.

  draft       learned, and not in use: there is too little evidence, or it waits for
              approval
  active      in use
  superseded  a newer version took its place
  deprecated  its evidence is gone or contradicts it, or a user marked it as wrong
  archived    a user retired it

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

func artifactsListCommand(s *ask.Shell) *cobra.Command {
	var ids bool
	types := ask.Names(hmx.ArtifactTypes())
	c := ask.OperationCommand(s, ask.Command[answer.Artifacts]{
		Operation: "list_artifacts",
		Use:       "list",
		Short:     "List artifacts: the active ones by default",
		Long: `List artifacts, newest first, 50 at a time: the active ones, which agents receive.
--status lists those of another status, such as the drafts that wait for approval, and
--all those of every status. All filters must match.

--ids prints only ids, one per line, for other commands.`,
		Example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts list
  lukasa artifacts list --type failure_playbook --min-confidence 0.3
  lukasa artifacts list --status draft
  lukasa artifacts list --all --json`,
		Flags: []ask.Flag{
			{Field: "type", Help: "only of this `TYPE`: " + strings.Join(types, ", ") + ", or x-{vendor}-{type}"},
			{Field: "status", Help: "only with this `STATUS`: " + strings.Join(ask.Names(hmx.Statuses()), ", ") + " (default active)"},
			{Field: "all", Help: "of every status", Usage: true},
			{Field: "tag", Help: "only with this `TAG`, such as the name of a tool"},
			{Field: "min_confidence", Help: "only with at least this `CONFIDENCE`, from 0 to 1"},
			{Field: "limit", Help: "at most `N`, up to 1000"},
			{Field: "after", Help: "continue after a page, with its `NEXT`"},
			ask.NowFlag(),
		},
		Own: func(c *cobra.Command) { addIDs(c, &ids) },
		Prepare: func(r *ask.Request) error {
			if kind, ok := r.Fields["type"].(string); ok && !slices.Contains(types, kind) && !hmx.CustomType(kind) {
				return ask.UnknownName(fault.Usage, "type of artifacts", kind, types)
			}
			return idsOrJSON(s, ids)
		},
		Answer: func(v *ask.Visit, a *answer.Artifacts) error {
			all, err := v.Cmd.Flags().GetBool("all")
			switch {
			case err != nil:
				return err
			case s.JSON:
				return s.WriteJSON(a)
			case !ids:
				show.Artifacts(s.Screen, a, all)
			default:
				for _, x := range a.Artifacts {
					fmt.Fprintln(s.Stdout, term.OneLine(x.ArtifactID))
				}
			}
			return nil
		},
	})
	ask.SuggestValues(c, "type", types)
	return c
}

// addIDs adds --ids, for lists whose ids other commands take.
func addIDs(c *cobra.Command, ids *bool) {
	c.Flags().BoolVar(ids, "ids", false, "print only ids, one per line")
}

// idsOrJSON refuses --ids beside --json.
func idsOrJSON(s *ask.Shell, ids bool) error {
	if ids && s.JSON {
		return fault.New(fault.Usage, "--ids and --json: one of the two says how to print").WithFix("leave one out")
	}
	return nil
}

func artifactsShowCommand(s *ask.Shell) *cobra.Command {
	return ask.OperationCommand(s, ask.Command[answer.Artifact]{
		Operation: "get_artifact",
		Use:       "show ID|URI",
		Short:     "Show an artifact and its evidence",
		Long: `Show an artifact: a procedure as a checklist, a playbook as symptoms, recovery and
prevention, a policy as the options with their counts and outcomes, a causal pattern with
the events that contradict it, a strategy as its phases.

Below is its evidence: how many events it was made of and whether they are all on record,
its confidence and trust, whether its content has the hash that it states, who made it,
how its status changed and why, and what contradicts it. A title that a language model
wrote (lukasa refine) is above the artifact's own, with the name of the model.`,
		Example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts show $(lukasa artifacts list --type decision_policy --ids --limit 1)
  lukasa artifacts show $(lukasa artifacts list --ids --limit 1) --json`,
		Args:     ask.OneName("ID or URI"),
		Argument: "id",
		Names:    []string{"id"},
		Kind:     lukasa.ArtifactKind,
		Print:    show.Artifact,
	})
}

func artifactsChainCommand(s *ask.Shell) *cobra.Command {
	return ask.OperationCommand(s, ask.Command[answer.Chain]{
		Operation: "artifact_chain",
		Use:       "chain ID|URI",
		Short:     "Show the versions of an artifact, who superseded what, when and why",
		Long: `Show the versions of an artifact as a tree, the oldest first: each with what became of it,
by whom, when and why. A draft that would supersede a version hangs below it. Versions
that were erased or forgotten are left out.`,
		Example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts chain $(lukasa artifacts list --ids --limit 1)`,
		Args:     ask.OneName("ID or URI"),
		Argument: "id",
		Names:    []string{"id"},
		Kind:     lukasa.ArtifactKind,
		Print:    show.Chain,
	})
}

func artifactsDiffCommand(s *ask.Shell) *cobra.Command {
	return ask.OperationCommand(s, ask.Command[answer.Diff]{
		Operation: "artifact_diff",
		Use:       "diff ID|URI [ID|URI]",
		Short:     "Show what changed from one version of an artifact to another",
		Long: `Show what changed from the first artifact to the second. With one argument, compare it
with the one that it supersedes. + is new, - is gone, ~ has changed, and ↕ is in another
order. Items of lists are compared with items about the same subject.`,
		Example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts diff $(lukasa artifacts list --type decision_policy --ids --limit 2)`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 || len(args) == 2 {
				return nil
			}
			return fault.Newf(fault.Usage, "%q takes one or two of ID or URI, got %d arguments", c.CommandPath(), len(args)).WithFix(ask.SeeHelp(c))
		},
		Argument: "id",
		Names:    []string{"from", "id"},
		Kind:     lukasa.ArtifactKind,
		Prepare: func(r *ask.Request) error {
			if len(r.Args) == 2 {
				r.Fields["from"], r.Fields["id"] = r.Args[0], r.Args[1]
			}
			return nil
		},
		Print: show.Diff,
	})
}
