package shell

import (
	"slices"
	"strings"

	"lukasa.dev/internal/programs"
	"mvdan.cc/sh/v3/syntax"
)

// base returns the name of a program without its path.
func base(w string) string {
	if i := strings.LastIndexAny(w, `/\`); i >= 0 && i+1 < len(w) {
		w = w[i+1:]
	}
	if n := len(w) - len(".exe"); n > 0 && strings.EqualFold(w[n:], ".exe") {
		return strings.ToLower(w[:n])
	}
	return w
}

// emit adds a command.
func (r *reader) emit(words, before, env, from []string) {
	if r.full() || len(words) == 0 {
		return
	}
	for name, v := range r.vars {
		if v.exported && len(env) < maxWords {
			env = append(env, name+"="+v.String())
		}
	}
	slices.Sort(env)
	if from == nil {
		from = r.from
	}
	r.out = append(r.out, r.placed(Command{Words: words, Before: before, Env: env, From: from, Input: r.input}))
}

// placed returns a command with where it runs.
func (r *reader) placed(c Command) Command {
	at := r.here()
	c.Branch, c.Dir, c.Root = at.Branch, r.dir.now, at.Root
	return c
}

// run follows a command through the programs that run another one, and adds what runs in
// the end.
func (r *reader) run(words, before, env []string) {
	dir := r.dir.now
	moved := false
	for range 2 * maxDepth {
		if len(words) == 0 || r.full() {
			return
		}
		name := base(words[0])
		if r.named(words, name) {
			return
		}
		skip, rest, ok := unwrap(name, words)
		if !ok {
			break
		}
		if len(rest) == 0 {
			r.emit(words, before, env, nil)
			return
		}
		before = append(slices.Clone(before), words[:skip]...)
		if to, ok := r.workDir(name, words[1:skip]); ok {
			r.dir.now, moved = to, true
		}
		switch name {
		case "env":
			for len(rest) > 0 && assigns(rest[0]) {
				env = append(slices.Clone(env), rest[0])
				rest = rest[1:]
			}
		case "xargs", "parallel":
			rest = r.given(rest, words[1:skip])
		}
		switch name {
		case "watch", "parallel", "entr":
			if strings.ContainsAny(rest[0], " \t;&|") { // it gives its words to a shell
				r.typed(strings.Join(rest, " "), rest, before, env)
				return
			}
		}
		words = rest
	}
	r.final(words, before, env)
	if moved {
		r.dir.now = dir
	}
}

// named follows what the line itself defined: aliases and functions. It reports whether it
// did.
func (r *reader) named(words []string, name string) bool {
	if r.depth >= maxDepth {
		return false
	}
	if text, ok := r.aliases[words[0]]; ok {
		delete(r.aliases, words[0]) // an alias does not expand itself
		r.inner(text + " " + quoted(words[1:]))
		r.aliases[words[0]] = text
		return true
	}
	body, ok := r.funcs[name]
	if !ok {
		return false
	}
	args, has := r.args, r.hasArgs
	r.args, r.hasArgs = words[1:], true
	delete(r.funcs, name) // what it calls by its own name is the program
	r.depth++
	r.stmt(body)
	r.depth--
	r.funcs[name] = body
	r.args, r.hasArgs = args, has
	return true
}

// Words returns the words of a simple command without their quotes.
func Words(line string) []string {
	list, _ := Read(": "+line, Options{}) // of what is no bash it has what comes before
	if len(list) == 0 {
		return nil
	}
	return list[0].Words[1:]
}

// Quote returns words as a line that has them unchanged.
func Quote(words []string) string { return quoted(words) }

func quoted(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("'" + strings.ReplaceAll(w, "'", `'\''`) + "'")
	}
	return b.String()
}

// final looks at a command that no other one runs.
func (r *reader) final(words, before, env []string) {
	name := base(words[0])
	rest := words[1:]
	if sub, ok := strings.CutPrefix(name, "git-"); ok && builtins()[sub] {
		name, words = "git", slices.Concat([]string{"git", sub}, rest)
	}
	if programs.Shells()[name] || name == "ash" || name == "busybox" {
		r.shell(words, before, env)
		return
	}
	switch name {
	case "git":
		r.git(words, before, env)
		return
	case "powershell", "pwsh", "cmd", "wsl", "invoke-expression", "iex", "start-process", "saps":
		if r.windows(name, words, before, env) {
			return
		}
	case "eval":
		r.typed(strings.Join(rest, " "), words, before, env)
		return
	case "source", ".":
		if len(rest) > 0 && strings.HasPrefix(rest[0], "/dev/fd/") && r.piped != "" {
			r.typed(r.piped, words, before, env)
			return
		}
	}
	if r.defines(name, rest) {
		return
	}
	dir := r.dir.now
	if to, ok := r.workDir(name, rest); ok {
		r.dir.now = to
	}
	r.emit(words, before, env, nil)
	if r.depth < maxDepth {
		r.handed(name, rest)
	}
	r.dir.now = dir
	switch name {
	case "cd", "chdir", "pushd", "popd":
		r.changes(name, rest)
	}
}

// defines follows what sets variables, parameters and aliases. It reports whether the command
// does nothing else.
func (r *reader) defines(name string, rest []string) bool {
	switch name {
	case "alias":
		for _, w := range rest {
			if alias, text, ok := strings.Cut(w, "="); ok {
				if r.aliases == nil {
					r.aliases = make(map[string]string)
				}
				r.aliases[alias] = text
			}
		}
		return true
	case "unalias":
		for _, w := range rest {
			delete(r.aliases, w)
		}
		return true
	case "export", "declare", "typeset", "readonly", "local":
		for _, w := range rest {
			if key, text, ok := strings.Cut(w, "="); ok {
				r.set(key, value{list: []string{text}, exported: name == "export"})
			}
		}
		return true
	case "set":
		for i, w := range rest {
			if w == "--" {
				r.args, r.hasArgs = rest[i+1:], true
			}
		}
	case "unset":
		for _, w := range rest {
			delete(r.vars, w)
		}
	case "read":
		r.reads(rest)
	case "mapfile", "readarray":
		for _, w := range rest {
			delete(r.vars, w)
		}
	}
	return false
}

// reads sets the variables that read is given, from what it reads as far as the line has it.
func (r *reader) reads(words []string) {
	var names []string
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "-p" || w == "-t" || w == "-n" || w == "-N" || w == "-d" || w == "-u" || w == "-i":
			i++
		case len(w) > 1 && w[0] == '-':
		default:
			names = append(names, w)
		}
	}
	line, _, _ := strings.Cut(strings.TrimLeft(r.input, "\n"), "\n")
	fields := strings.Fields(line)
	if len(names) == 0 {
		names = []string{"REPLY"}
	}
	for i, name := range names {
		switch {
		case len(line) == 0 || len(line) > maxValue || !syntax.ValidName(name):
			delete(r.vars, name)
		case i >= len(fields):
			r.set(name, value{list: []string{""}})
		case i == len(names)-1:
			r.set(name, value{list: []string{strings.Join(fields[i:], " ")}})
		default:
			r.set(name, value{list: []string{fields[i]}})
		}
	}
}

// shell reads what a shell is given to run. What it reads from a pipe or a substitution
// without the line having it is a command with that source.
func (r *reader) shell(words, before, env []string) {
	rest := words[1:]
	if base(words[0]) == "busybox" && len(rest) > 0 {
		r.run(rest, append(slices.Clone(before), words[0]), env)
		return
	}
	for i := 0; i < len(rest); i++ {
		w := rest[i]
		switch {
		case w == "-s" || w == "-" || w == "--":
			continue
		case w == "-o" || w == "+o" || w == "-O" || w == "+O" || w == "--rcfile" || w == "--init-file":
			i++
		case len(w) > 1 && (w[0] == '-' || w[0] == '+'):
			if w[1] != '-' && w[len(w)-1] == 'o' && !strings.Contains(w, "c") {
				i++ // the name of an option
				continue
			}
			if w[0] == '-' && w[1] != '-' && strings.IndexByte(w, 'c') > 0 && i+1 < len(rest) {
				args, has := r.args, r.hasArgs
				text := rest[i+1]
				r.args, r.hasArgs = rest[min(i+3, len(rest)):], len(rest) > i+2
				r.typed(text, words, before, env)
				r.args, r.hasArgs = args, has
				return
			}
		case strings.HasPrefix(w, "/dev/fd/") && r.piped != "":
			r.typed(r.piped, words, before, env)
			return
		case strings.HasPrefix(w, "/dev/fd/") || w == "/dev/stdin":
			r.emit(words, before, env, slices.Concat(r.from, r.substituted))
			return
		default:
			r.emit(words, before, env, nil) // a script
			return
		}
	}
	text := r.input
	r.emit(words, before, env, nil)
	if text != "" {
		r.input = ""
		r.inner(text)
		r.input = text
	}
}

// typed reads a line that a shell is given as a word.
func (r *reader) typed(text string, words, before, env []string) {
	if strings.Contains(text, "$()") && len(r.substituted) > 0 {
		r.emit([]string{words[0]}, before, env, slices.Clone(r.substituted))
		if strings.TrimSpace(text) == "$()" {
			return
		}
	}
	saved := r.vars
	if len(env) > 0 {
		r.vars = make(map[string]value, len(saved)+len(env))
		for k, v := range saved {
			r.vars[k] = v
		}
		for _, e := range env {
			k, v, _ := strings.Cut(e, "=")
			r.vars[k] = value{list: []string{v}, exported: true}
		}
	}
	first := len(r.out)
	dir := r.dir
	r.inner(text)
	if name := base(words[0]); name != "eval" && name != "source" && name != "." {
		r.dir = dir
	}
	for i := first; i < len(r.out); i++ {
		r.out[i].Before = append(slices.Clone(before), r.out[i].Before...)
	}
	if len(env) > 0 {
		r.vars = saved
	}
}

// given returns a command with the words that xargs or parallel adds to it.
func (r *reader) given(words, flags []string) []string {
	values := strings.Fields(r.input)
	for i, w := range words {
		if w == ":::" {
			values, words = words[i+1:], words[:i]
			break
		}
	}
	values = values[:min(len(values), maxRounds)]
	mark := "{}"
	for i, f := range flags {
		if f == "-I" && i+1 < len(flags) {
			mark = flags[i+1]
		} else if strings.HasPrefix(f, "-I") && len(f) > 2 {
			mark = f[2:]
		}
	}
	var out []string
	replaced := false
	for _, w := range words {
		if strings.Contains(w, mark) {
			replaced = true
			if len(values) > 0 {
				w = strings.ReplaceAll(w, mark, strings.Join(values, " "))
			}
		}
		out = append(out, w)
	}
	if !replaced {
		if out = append(out, values...); len(values) == 0 {
			out = append(out, "$()")
		}
	}
	return out[:min(len(out), maxWords)]
}

// handed reads the lines that a program is given as arguments.
func (r *reader) handed(name string, rest []string) {
	switch name {
	case "trap":
		if len(rest) > 1 {
			r.inner(rest[0])
		}
	case "find", "fd":
		for i := 0; i < len(rest); i++ {
			switch rest[i] {
			case "-exec", "-execdir", "-ok", "-okdir", "-x", "--exec", "-X", "--exec-batch":
				end := i + 1
				for end < len(rest) && rest[end] != ";" && rest[end] != "+" {
					end++
				}
				r.run(rest[i+1:end], []string{name}, nil)
				i = end
			}
		}
	case "ssh":
		if words := behindHost(rest); len(words) > 0 {
			r.elsewhere(strings.Join(words, " "))
		}
	case "su", "script", "runuser":
		for i, w := range rest {
			if (w == "-c" || w == "--command" || w == "-qc") && i+1 < len(rest) {
				r.inner(rest[i+1])
			}
		}
	case "tmux", "screen":
		for _, w := range rest {
			if strings.ContainsAny(w, " \t") {
				r.inner(w)
			}
		}
		if i := slices.IndexFunc(rest, func(w string) bool { return len(w) > 0 && w[0] != '-' }); name == "screen" && i > 0 {
			r.run(rest[i:], []string{name}, nil)
		}
	case "at", "batch":
		if text := r.input; text != "" {
			r.input = ""
			r.inner(text)
			r.input = text
		}
	case "expect":
		for i, w := range rest {
			if w == "-c" && i+1 < len(rest) {
				r.inner(strings.NewReplacer("spawn ", "", "{", " ", "}", " ").Replace(rest[i+1]))
			}
		}
	default:
		switch {
		case programs.Launchers()[name]:
			if words := behindRun(name, rest); len(words) > 0 {
				r.run(words, []string{name, rest[0]}, nil)
			}
		case programs.Containers()[name]:
			if words := inContainer(name, rest); len(words) > 0 {
				r.elsewhere(quoted(words))
			}
		default:
			r.coded(name, rest)
		}
	}
}

// elsewhere reads a line that runs on another machine, where the branch is not known.
func (r *reader) elsewhere(text string) {
	own, dir, at := r.own, r.dir, r.at
	r.own, r.dir, r.at = &Place{Root: own.Root, Aliases: own.Aliases}, dirs{}, nil
	r.inner(text)
	r.own, r.dir, r.at = own, dir, at
}

// assigns reports whether a word is the assignment of a variable.
func assigns(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	return ok && syntax.ValidName(name)
}
