// Package agentstest runs real coding agents against a scripted model, for tests: Claude Code,
// Codex, Gemini CLI and OpenCode, the released programs, each in a home directory of its own.
//
// A Model is an HTTP server on loopback that speaks the streaming protocols of the four agents
// and plays a script: "call this tool, then say that". It keeps every request, so that a test
// can assert what reached the model, and when. A World is a home directory with a git
// repository and a bare remote, so that a push is a real push. A Driver starts one agent in it.
//
// # Running
//
// The tests install the agents from npm, at the versions of Pinned, into a cache that later runs
// share. They run with LUKASA_NPM=1; without it, and where npm cannot be reached, they are
// skipped and say so.
//
//	make agents                                              # all scenarios, all agents
//	LUKASA_NPM=1 go test ./internal/agents/agentstest -v -run 'TestAgents/claude-code/smoke'
//	LUKASA_NPM=1 go test ./internal/agents/agentstest -v -run 'TestAgents/.*/rule$'
//
// A scenario is a function in a file scenario_*_test.go and has a line in the table scenarios.
// These settings change a run:
//
//   - LUKASA_AGENTS_BINARY: the lukasa program to test; without it the tests build one.
//   - LUKASA_AGENTS_DIR: the cache of agents; without it lukasa-agents in the user's cache directory.
//   - LUKASA_AGENTS_KEEP: a directory that keeps homes, requests and outputs of each run.
//
// # Guarantees
//
//   - Agents get only the address of the Model: it is also their proxy, and refuses to connect
//     to other hosts. Refused lists those that were tried.
//   - Each process runs in a process group of its own that is killed at its timeout and when the
//     test ends.
//   - The user's settings are not read: the environment starts empty.
package agentstest
