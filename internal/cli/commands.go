package cli

import "github.com/spf13/cobra"

// program is the name that help, errors and completion use.
const program = "lukasa"

const programLong = `Lukasa is the memory of software agents: what they saw and did, kept and handed back.
What stands today is the protocol that agents and their memory speak, HMX-1.0:
check events, artifacts and context packs, hash them, translate them.`

// programExample is the first thing a newcomer runs, in a checkout.
const programExample = `  lukasa validate examples/session.ndjson`

// Groups of commands in the help, by what they are about.
const (
	groupDocuments = "documents"
	groupProgram   = "program"
)

// groups returns the groups in the order in which help shows them. One without
// commands is not shown.
func groups() []*cobra.Group {
	return []*cobra.Group{
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
		{groupDocuments, validateCommand},
		{groupDocuments, hashCommand},
		{groupDocuments, schemaCommand},
		{groupDocuments, mapCommand},
		{groupProgram, versionCommand},
		{groupProgram, completionCommand},
		{groupProgram, helpCommand},
	}
}
