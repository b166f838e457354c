package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/internal/hook"
)

// agentArguments returns the arguments of the agent that runs this hook, if it was started with
// its prompt on the command line and ends with it: what was piped in is told apart from the
// prompt by them. Only Linux shows them without running another program.
func agentArguments(agent string) []string {
	name, once := "", []string(nil)
	switch agent {
	case hook.ClaudeCode:
		name, once = "claude", []string{"-p", "--print"}
	case hook.Codex:
		name, once = "codex", []string{"exec", "e"}
	case hook.GeminiCLI:
		name, once = "gemini", []string{"-p", "--prompt"}
	}
	if name == "" || runtime.GOOS != "linux" {
		return nil
	}
	const above = 6 // processes: the agent may run hooks through shells
	for pid, n := os.Getppid(), 0; pid > 1 && n < above; n++ {
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil {
			return nil
		}
		args := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		if at := slices.IndexFunc(args[:min(len(args), 8)], func(arg string) bool { return isProgram(arg, name) }); at >= 0 {
			rest := args[at+1:]
			if slices.ContainsFunc(rest, func(arg string) bool { return slices.Contains(once, arg) }) {
				return rest
			}
			return nil
		}
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			return nil
		}
		if pid = parentOf(string(stat)); pid == 0 {
			return nil
		}
	}
	return nil
}

// isProgram reports whether an argument names a program, by its name or as a script of it.
func isProgram(arg, name string) bool {
	base := filepath.Base(arg)
	return base == name || strings.HasPrefix(base, name+".") || strings.Contains(arg, "/"+name+"-cli/")
}

// parentOf returns the parent of a process by its line in /proc.
func parentOf(stat string) int {
	// The name of the program stands in brackets, and may hold any character.
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	pid, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return pid
}
