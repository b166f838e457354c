package shell

import (
	"strings"

	"lukasa.dev/internal/programs"
)

// unwrap returns how many words belong to a program that runs another one, and that other
// command. It reports false for other programs.
func unwrap(name string, words []string) (skip int, rest []string, ok bool) {
	w, ok := programs.Wraps(name)
	if !ok {
		return 0, nil, false
	}
	i, left := 1, w.Skip
	for i < len(words) {
		a := words[i]
		switch {
		case a == "--":
			return i + 1, words[i+1:], true
		case name == "env" && splits(a):
			_, text, _ := strings.Cut(a, "S")
			if strings.HasPrefix(a, "--") {
				_, text, _ = strings.Cut(a, "=")
			}
			if text == "" && i+1 < len(words) {
				i++
				text = words[i]
			}
			return i, append(strings.Fields(text), words[i+1:]...), true
		case name == "command" && (a == "-v" || a == "-V"), name == "flock" && a == "-c":
			if a == "-c" && i+1 < len(words) {
				return i + 1, []string{"sh", "-c", words[i+1]}, true
			}
			return len(words), nil, true
		case len(a) > 1 && a[0] == '-':
			if w.Valued[a] {
				i++
			}
			i++
		case w.Assigned && name != "env" && assigns(a):
			i++
		case (name == "op" || name == "doppler" || name == "dotenv") && a == "run":
			i++
		case name == "taskset" && i == 1, name == "direnv" && i == 1:
			i++
		case left > 0:
			left--
			i++
		default:
			return i, words[i:], true
		}
	}
	return len(words), nil, true
}

// splits reports whether a flag of env is the one whose value is split into a command.
func splits(flag string) bool {
	if strings.HasPrefix(flag, "--") {
		return flag == "--split-string" || strings.HasPrefix(flag, "--split-string=")
	}
	return len(flag) > 1 && flag[0] == '-' && strings.HasPrefix(strings.TrimLeft(flag[1:], "iv0"), "S")
}

// behindHost returns the command that ssh runs on another machine.
func behindHost(words []string) []string {
	for i := 0; i < len(words); i++ {
		w := words[i]
		if len(w) < 2 || w[0] != '-' {
			return words[i+1:]
		}
		if len(w) == 2 && strings.IndexByte("bcDEeFIiJLlmOopQRSWw", w[1]) >= 0 {
			i++
		}
	}
	return nil
}

// behindRun returns the command that a package manager runs: rspec of bundle exec rspec. The
// scripts of npm run and its like are no commands.
func behindRun(name string, words []string) []string {
	if len(words) < 2 {
		return nil
	}
	switch words[0] {
	case "exec", "dlx", "x":
	case "run":
		if name == "npm" || name == "pnpm" || name == "yarn" || name == "bundle" {
			return nil
		}
	default:
		return nil
	}
	for i, w := range words[1:] {
		if w == "--" {
			return words[i+2:]
		}
		if len(w) > 0 && w[0] != '-' {
			return words[i+1:]
		}
	}
	return nil
}

// inContainer returns the command that a program runs in a container.
func inContainer(name string, words []string) []string {
	i := 0
	for i < len(words) && words[i] != "exec" && words[i] != "run" {
		i++
	}
	if i++; i >= len(words) {
		return nil
	}
	if name == "kubectl" || name == "oc" {
		for ; i < len(words); i++ {
			if words[i] == "--" {
				return words[i+1:]
			}
		}
		return nil
	}
	for ; i < len(words); i++ {
		w := words[i]
		if len(w) < 2 || w[0] != '-' {
			return words[i+1:]
		}
		switch w {
		case "-u", "-w", "-e", "-v", "-p", "--user", "--workdir", "--env", "--env-file", "--volume", "--publish", "--name", "--network", "--entrypoint", "--mount", "--platform", "-m", "--memory", "--cpus":
			i++
		}
	}
	return nil
}
