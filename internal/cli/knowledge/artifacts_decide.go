package knowledge

import (
	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
)

// decision is one of the commands that give an artifact its status.
type decision struct {
	verb, done string // approve, approved
	short      string
	long       string
	example    string
	reason     bool // it needs one
}

func artifactsApproveCommand(s *ask.Shell) *cobra.Command {
	return decisionCommand(s, decision{
		verb: "approve", done: "approved", short: "Make a draft active",
		long: `Make a draft active, so that agents are given it. It is refused unless its hash is that of
its content, every event and memory it was made of is on record, and no conflict speaks
against it. How often it was observed and how sure it is do not matter: that is what you
decide.

The active version that it supersedes is superseded with it, in one step. A draft that
names none is refused while another version of the same is active: archive or deprecate
that one first.

What you approved stays active while its evidence is on record. What ` + "`lukasa compile`" + ` finds
later that says something else waits as a draft.`,
		example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts list --status draft
  lukasa artifacts approve $(lukasa artifacts list --status draft --ids --limit 1) --reason "I have seen this often"`,
	})
}

func artifactsArchiveCommand(s *ask.Shell) *cobra.Command {
	return decisionCommand(s, decision{
		verb: "archive", done: "archived", short: "Put an active artifact away", reason: true,
		long: `Put an active artifact away: agents are no longer given it, and it stays on record. Nothing
that says the same is made again when ` + "`lukasa compile`" + ` runs, however often it is observed;
what says something else waits as a draft for your approval.

An artifact that is wrong is deprecated instead, and so is a draft.`,
		example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts archive $(lukasa artifacts list --ids --limit 1) --reason "we do it another way now"`,
	})
}

func artifactsDeprecateCommand(s *ask.Shell) *cobra.Command {
	return decisionCommand(s, decision{
		verb: "deprecate", done: "deprecated", short: "Say that an artifact or a draft is wrong", reason: true,
		long: `Say that an active artifact or a draft is wrong: agents are no longer given it, and it stays
on record. Nothing that says the same is made again when ` + "`lukasa compile`" + ` runs, however often
it is observed; what says something else waits as a draft for your approval.`,
		example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts deprecate $(lukasa artifacts list --status draft --ids --limit 1) --reason "it was a coincidence"`,
	})
}

func decisionCommand(s *ask.Shell, d decision) *cobra.Command {
	reason := ask.Flag{Field: "reason", Help: "why, a `TEXT` for later readers", Missing: "say why, for later readers: --reason TEXT"}
	if d.reason {
		reason.Help += "; required"
	}
	return ask.OperationCommand(s, ask.Command[answer.Decided]{
		Operation: d.verb + "_artifact",
		Use:       d.verb + " ID|URI", Short: d.short, Long: d.long, Example: d.example,
		Args:     ask.OneName("ID or URI"),
		Argument: "id",
		Names:    []string{"id"},
		Kind:     lukasa.ArtifactKind,
		Flags:    []ask.Flag{reason},
		Print:    func(s *term.Screen, a *answer.Decided) { show.Decided(s, d.done, a) },
	})
}
