package shell

import (
	"strings"
	"sync"
)

// wrapper is a program that runs the command behind its own words.
type wrapper struct {
	valued map[string]bool // flags whose value is the next word
	skip   int             // words before the command that are not flags
	// assigned says that assignments may stand before the command.
	assigned bool
}

// wrappers are the programs that run another one, by name.
var wrappers = sync.OnceValue(func() map[string]wrapper {
	m := map[string]wrapper{}
	for line := range strings.SplitSeq(wrapperTable, "\n") {
		names, flags, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		w := wrapper{valued: map[string]bool{}}
		for f := range strings.FieldsSeq(flags) {
			switch f {
			case "1":
				w.skip = 1
			case "=":
				w.assigned = true
			default:
				w.valued[f] = true
			}
		}
		for name := range strings.FieldsSeq(names) {
			m[name] = w
		}
	}
	return m
})

// wrapperTable has the flags that take a value, the number of further words, and = for
// assignments.
const wrapperTable = `
sudo doas: -u -g -p -C -h -r -t -T -U -D -R --user --group --prompt --chdir --host --role --type --other-user --close-from --chroot --command-timeout =
env: -u -C --unset --chdir =
nohup setsid builtin unbuffer chronic:
command exec time caffeinate npx corepack bunx pnpx dbus-run-session faketime: -a -o -f -t -w -p --package --format --output
nice ionice chrt taskset: -n -c -p -t --adjustment --class --classdata --pid
stdbuf: -i -o -e --input --output --error
timeout gtimeout: 1 -s -k --signal --kill-after
flock: 1 -w -E --timeout --conflict-exit-code
strace ltrace: -e -o -p -s -u -E
xargs: -I -L -n -P -s -E -d -a --max-args --max-procs --max-lines --max-chars --delimiter --arg-file --replace
parallel: -j -a -S -N -n -L --jobs --arg-file --sshlogin --colsep --delay --timeout --joblog
direnv: 1
watch: -n --interval -q --equexit
entr: 
chroot: 1 --userspec --groups
systemd-run: -u -p -E -t --unit --property --setenv --uid --gid --slice --description
dotenv doppler op: -f -e --env-file -p -c --project --config
`

// unwrap returns how many words belong to a program that runs another one, and that other
// command. It reports false for other programs.
func unwrap(name string, words []string) (skip int, rest []string, ok bool) {
	w, ok := wrappers()[name]
	if !ok {
		return 0, nil, false
	}
	i, left := 1, w.skip
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
			if w.valued[a] {
				i++
			}
			i++
		case w.assigned && name != "env" && assigns(a):
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
