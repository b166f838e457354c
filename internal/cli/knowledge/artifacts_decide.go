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
		long: `Make a draft active, so that agents receive it. It is refused unless its hash is that of
its content, every event and memory it was made of is on record, and it has no open
conflict and has lost none. Its number of observations and its confidence do not matter:
you decide.

The active version that it replaces becomes superseded in the same step. A draft that
replaces none is refused while another version of the same artifact is active: archive or
deprecate that one first.

What you approved stays active while its evidence is on record. If ` + "`lukasa compile`" + ` later
learns something else, that waits as a draft.`,
		example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts list --status draft
  lukasa artifacts approve $(lukasa artifacts list --status draft --ids --limit 1) --reason "I have seen this often"`,
	})
}

func artifactsArchiveCommand(s *ask.Shell) *cobra.Command {
	return decisionCommand(s, decision{
		verb: "archive", done: "archived", short: "Retire an active artifact", reason: true,
		long: `Retire an active artifact: agents no longer receive it, and it stays on record.
` + "`lukasa compile`" + ` does not make the same artifact again, however often it observes it; one
with other content waits as a draft for your approval.

To mark an artifact or a draft as wrong, deprecate it instead.`,
		example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts archive $(lukasa artifacts list --ids --limit 1) --reason "we do it another way now"`,
	})
}

func artifactsDeprecateCommand(s *ask.Shell) *cobra.Command {
	return decisionCommand(s, decision{
		verb: "deprecate", done: "deprecated", short: "Mark an artifact or a draft as wrong", reason: true,
		long: `Mark an active artifact or a draft as wrong: agents no longer receive it, and it stays on
record. ` + "`lukasa compile`" + ` does not make the same artifact again, however often it observes
it; one with other content waits as a draft for your approval.`,
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
