package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"lukasa.dev/internal/hook"
)

// canAsk reports whether an agent can ask a person about an action, and a person is there to
// answer. When that is not certain it is false: a question that nobody answers makes some
// agents hang, and others run the tool.
func (h *hooking) canAsk() bool {
	switch h.agent {
	case hook.ClaudeCode:
		// Started by a program it has another entrypoint, such as sdk-cli.
		switch h.shell.env("CLAUDE_CODE_ENTRYPOINT") {
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

// mostParents is how far up a process is looked for.
const mostParents = 6

// interactiveAbove reports whether one of the processes above is a program that a person runs
// in a terminal: its standard input is one, and its command line has no prompt. Only Linux
// shows that without running another program.
func interactiveAbove(pid int, name string) bool {
	if runtime.GOOS != "linux" {
		return false
	}
	for range mostParents {
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || pid <= 1 {
			return false
		}
		args := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		if at := programIn(args, name); at >= 0 {
			input, err := os.Readlink(filepath.Join(dir, "fd", "0"))
			terminal := err == nil && (strings.HasPrefix(input, "/dev/pts/") || strings.HasPrefix(input, "/dev/tty"))
			return terminal && !holdsPrompt(args[at+1:])
		}
		status, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			return false
		}
		if pid = parentIn(string(status)); pid == 0 {
			return false
		}
	}
	return false
}

// programIn returns which argument of a command line is a program, by its name or as a script
// of that name, or -1.
func programIn(args []string, name string) int {
	for i, arg := range args {
		if i > 8 {
			break
		}
		base := filepath.Base(arg)
		if base == name || strings.HasPrefix(base, name+".") || strings.Contains(arg, "/"+name+"-cli/") {
			return i
		}
	}
	return -1
}

// holdsPrompt reports whether arguments hold a prompt: then the program ends after it, and asks
// nobody.
func holdsPrompt(args []string) bool {
	for _, arg := range args {
		if arg == "-p" || arg == "--prompt" || strings.HasPrefix(arg, "--prompt=") || !strings.HasPrefix(arg, "-") {
			return true
		}
	}
	return false
}

// parentIn returns the parent of a process by its line in /proc.
func parentIn(stat string) int {
	// The name of the program stands in brackets, and may hold any character.
	_, rest, ok := strings.Cut(stat[max(strings.LastIndexByte(stat, ')'), 0):], " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 2 {
		return 0
	}
	pid, _ := strconv.Atoi(fields[1])
	return pid
}
