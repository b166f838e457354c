package cli

import (
	"github.com/spf13/cobra"

	"lukasa.dev/internal/cli/access"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/documents"
	"lukasa.dev/internal/cli/files"
	"lukasa.dev/internal/cli/hooks"
	"lukasa.dev/internal/cli/knowledge"
	"lukasa.dev/internal/cli/memories"
	"lukasa.dev/internal/cli/projects"
	"lukasa.dev/internal/cli/proofs"
	"lukasa.dev/internal/cli/questions"
	"lukasa.dev/internal/cli/setup"
)

const programLong = `Lukasa is the memory of software agents: what they saw and did, kept and handed back.
It records events and versioned memories in an append-only journal in one
directory. What it acknowledged is on the disk, what was erased is gone, and a
Merkle tree for each tenant proves the rest to anyone with the public key.

It also supports HMX-1.0, the protocol of agents and their memory: it validates,
hashes and translates events, artifacts and context packs.`

// programExample has the first commands for a new user, in a checkout.
const programExample = `  lukasa demo
  lukasa install claude-code --print
  lukasa ingest examples/session.ndjson
  lukasa remember release/cadence "Releases are cut every second Tuesday."
  lukasa recall release/cadence
  lukasa context --verb modify --object file=billing/refund.go`

// Groups of commands in the help, by what they are about.
const (
	groupServer    = "server"
	groupMemory    = "memory"
	groupCare      = "care"
	groupDocuments = "documents"
	groupProgram   = "program"
)

// groups returns the groups in the order in which help shows them. One without
// commands is not shown.
func groups() []*cobra.Group {
	return []*cobra.Group{
		{ID: groupServer, Title: "Server"},
		{ID: groupMemory, Title: "Memory"},
		{ID: groupCare, Title: "Proof and care"},
		{ID: groupDocuments, Title: "Documents (no engine, no state)"},
		{ID: groupProgram, Title: "This program"},
	}
}

// command is one line of the list below.
type command struct {
	group string
	build func(*ask.Shell) *cobra.Command
}

// commands is the list of commands, in the order in which help shows them. A
// new command is a file of its own and a line here.
func commands() []command {
	return []command{
		{groupServer, serveCommand},
		{groupServer, mcpCommand},
		{groupServer, hooks.HookCommand},
		{groupServer, projects.ProjectCommand},
		{groupServer, access.KeyCommand},
		{groupServer, access.QuotaCommand},
		{groupMemory, files.IngestCommand},
		{groupMemory, memories.EventsCommand},
		{groupMemory, memories.TailCommand},
		{groupMemory, memories.TimelineCommand},
		{groupMemory, memories.StatsCommand},
		{groupMemory, memories.RememberCommand},
		{groupMemory, memories.RecallCommand},
		{groupMemory, questions.ContextCommand},
		{groupMemory, questions.FindCommand},
		{groupMemory, memories.GraphCommand},
		{groupMemory, questions.PackCommand},
		{groupMemory, questions.ExplainCommand},
		{groupMemory, knowledge.CompileCommand},
		{groupMemory, knowledge.ArtifactsCommand},
		{groupMemory, knowledge.ConflictsCommand},
		{groupMemory, questions.NextCommand},
		{groupMemory, questions.CheckCommand},
		{groupMemory, memories.FeedbackCommand},
		{groupMemory, knowledge.FingerprintCommand},
		{groupMemory, memories.ListCommand},
		{groupMemory, memories.HistoryCommand},
		{groupMemory, memories.RestoreCommand},
		{groupMemory, memories.ForgetCommand},
		{groupMemory, memories.RedactCommand},
		{groupMemory, memories.ResolveCommand},
		{groupMemory, access.ScopeCommand},
		{groupCare, proofs.RootCommand},
		{groupCare, proofs.ProveCommand},
		{groupCare, proofs.VerifyCommand},
		{groupCare, setup.DoctorCommand},
		{groupCare, proofs.ExpireCommand},
		{groupCare, knowledge.EmbedCommand},
		{groupCare, knowledge.RefineCommand},
		{groupCare, proofs.RebuildCommand},
		{groupCare, files.ExportCommand},
		{groupCare, files.ImportCommand},
		{groupDocuments, documents.ValidateCommand},
		{groupDocuments, documents.HashCommand},
		{groupDocuments, documents.SchemaCommand},
		{groupDocuments, documents.MapCommand},
		{groupProgram, demoCommand},
		{groupProgram, setup.InstallCommand},
		{groupProgram, setup.UninstallCommand},
		{groupProgram, versionCommand},
		{groupProgram, completionCommand},
		{groupProgram, manCommand},
		{groupProgram, helpCommand},
		{groupProgram, movedBenchCommand},
		{groupProgram, movedEvalCommand},
	}
}

// Brief reports whether a command line must end quickly because an agent waits for it: that of a
// hook.
func Brief(args []string) bool { return len(args) > 0 && args[0] == hooks.NameHook }

// onlyHook is the list of commands for a hook, which has no time for the others.
func onlyHook() []command { return []command{{groupMemory, hooks.HookCommand}} }
