package hooks

import (
	"os"
	"path/filepath"
	"strings"

	"lukasa.dev/internal/hook"
)

// canAsk reports whether an agent can ask a person about an action, and a person is there to
// answer. It is false when that is uncertain: an unanswered question makes some agents hang,
// and others run the tool.
func (h *hooking) canAsk() bool {
	switch h.agent {
	case hook.ClaudeCode:
		// Started by a program it has another entrypoint, such as sdk-cli.
		switch h.shell.Env("CLAUDE_CODE_ENTRYPOINT") {
		case "cli", "claude-vscode", "claude-desktop":
			return true
		}
		return false
	case hook.GeminiCLI:
		return interactiveAbove(os.Getppid(), "gemini")
	case hook.Cursor, hook.VSCode:
		return true // programs with a window
	}
	return false // Codex and OpenCode have no way to ask
}

// interactiveAbove reports whether a person runs a program above a process in a terminal: its
// standard input is one, and its command line has no prompt.
func interactiveAbove(pid int, name string) bool {
	dir, args, ok := processAbove(pid, name)
	if !ok {
		return false
	}
	input, err := os.Readlink(filepath.Join(dir, "fd", "0"))
	terminal := err == nil && (strings.HasPrefix(input, "/dev/pts/") || strings.HasPrefix(input, "/dev/tty"))
	return terminal && !holdsPrompt(args)
}

// holdsPrompt reports whether arguments hold a prompt: then the program ends after it, and never
// asks the user.
func holdsPrompt(args []string) bool {
	for _, arg := range args {
		if arg == "-p" || arg == "--prompt" || strings.HasPrefix(arg, "--prompt=") || !strings.HasPrefix(arg, "-") {
			return true
		}
	}
	return false
}
