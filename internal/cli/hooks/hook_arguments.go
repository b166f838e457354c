package hooks

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
// its prompt on the command line and ends with it: they separate piped input from the
// prompt.
func agentArguments(agent string) []string {
	name, once := "", []string(nil)
	switch agent {
	case hook.ClaudeCode:
		name, once = "claude", []string{"-p", "--print"}
	case hook.Codex:
		name, once = "codex", []string{"exec", "e"}
	case hook.GeminiCLI:
		name, once = "gemini", []string{"-p", "--prompt"}
	default:
		return nil
	}
	_, args, ok := processAbove(os.Getppid(), name)
	if !ok || !slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(once, arg) }) {
		return nil
	}
	return args
}

// mostParents is how far up a process is looked for: an agent may run hooks through shells.
const mostParents = 6

// processAbove returns the directory in /proc and the arguments of the nearest process, from
// one upwards, that runs a program of a name. Only Linux shows that without running another
// program.
func processAbove(pid int, name string) (dir string, args []string, ok bool) {
	if runtime.GOOS != "linux" {
		return "", nil, false
	}
	for n := 0; pid > 1 && n < mostParents; n++ {
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil {
			return "", nil, false
		}
		args := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		if at := slices.IndexFunc(args[:min(len(args), 8)], func(arg string) bool { return isProgram(arg, name) }); at >= 0 {
			return dir, args[at+1:], true
		}
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			return "", nil, false
		}
		pid = parentOf(string(stat))
	}
	return "", nil, false
}

// isProgram reports whether an argument names a program, by its name or as a script of it.
func isProgram(arg, name string) bool {
	base := filepath.Base(arg)
	return base == name || strings.HasPrefix(base, name+".") || strings.Contains(arg, "/"+name+"-cli/")
}

// parentOf returns the parent of a process by its line in /proc, or 0.
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
