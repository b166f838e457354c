package cli

import "github.com/spf13/cobra"

// program is the name that help, errors and completion use.
const program = "lukasa"

const programLong = `Lukasa is the memory of software agents: what they saw and did, kept and handed back.
It records events and versioned memories in an append-only journal in one
directory. What it acknowledged is on the disk, what was erased is gone, and a
Merkle tree for each tenant proves the rest to someone who has only a key.

It also speaks HMX-1.0, the protocol of agents and their memory: check events,
artifacts and context packs, hash them, translate them.`

// programExample is the first thing a newcomer runs, in a checkout.
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
	build func(*shell) *cobra.Command
}

// commands is the list of commands, in the order in which help shows them. A
// new command is a file of its own and a line here.
func commands() []command {
	return []command{
		{groupServer, serveCommand},
		{groupServer, mcpCommand},
		{groupServer, hookCommand},
		{groupServer, projectCommand},
		{groupServer, keyCommand},
		{groupServer, quotaCommand},
		{groupMemory, ingestCommand},
		{groupMemory, eventsCommand},
		{groupMemory, tailCommand},
		{groupMemory, timelineCommand},
		{groupMemory, statsCommand},
		{groupMemory, rememberCommand},
		{groupMemory, recallCommand},
		{groupMemory, contextCommand},
		{groupMemory, findCommand},
		{groupMemory, graphCommand},
		{groupMemory, packCommand},
		{groupMemory, explainCommand},
		{groupMemory, compileCommand},
		{groupMemory, artifactsCommand},
		{groupMemory, conflictsCommand},
		{groupMemory, nextCommand},
		{groupMemory, checkCommand},
		{groupMemory, feedbackCommand},
		{groupMemory, fingerprintCommand},
		{groupMemory, listCommand},
		{groupMemory, historyCommand},
		{groupMemory, restoreCommand},
		{groupMemory, forgetCommand},
		{groupMemory, redactCommand},
		{groupMemory, resolveCommand},
		{groupMemory, scopeCommand},
		{groupCare, rootCommand},
		{groupCare, proveCommand},
		{groupCare, verifyCommand},
		{groupCare, doctorCommand},
		{groupCare, expireCommand},
		{groupCare, embedCommand},
		{groupCare, refineCommand},
		{groupCare, rebuildCommand},
		{groupCare, exportCommand},
		{groupCare, importCommand},
		{groupDocuments, validateCommand},
		{groupDocuments, hashCommand},
		{groupDocuments, schemaCommand},
		{groupDocuments, mapCommand},
		{groupProgram, demoCommand},
		{groupProgram, installCommand},
		{groupProgram, uninstallCommand},
		{groupProgram, versionCommand},
		{groupProgram, completionCommand},
		{groupProgram, manCommand},
		{groupProgram, helpCommand},
		{groupProgram, movedBenchCommand},
		{groupProgram, movedEvalCommand},
	}
}
