// Package hooks has the command that coding agents run as a hook: it records what an agent did,
// and answers with what the agent should know.
//
// A hook never fails as far as the agent can see: it exits with 0 and prints an answer that the
// agent understands. What goes wrong is in HOOK.log of the data directory.
package hooks
