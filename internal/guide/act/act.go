// Package act parses a planned action into acts, in the words that rules use: the verb, the means
// (program, tool, flags, host) and the objects (arguments, paths, branches, tables).
//
// An [Action] is a command line or a tool with its arguments. [Of] splits it: a line into the
// commands that finally run, SQL into statements, a patch into files, a request into its method
// and address. Words are folded as internal/english folds those of rules, so that both can be
// compared. What only the running program knows is unknown here.
//
// It never fails, and its work is linear in the size of its input, of which long texts are cut.
package act

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/programs"
	"lukasa.dev/internal/shell"
	"lukasa.dev/internal/trace/shapes"
)

// The bounds of what is read of an action.
const (
	maxValues = 256     // strings in arguments
	maxValue  = 8 << 10 // bytes of one that are read
	maxActs   = 2048
	maxPaths  = 1024
)

// Act is one effect of an action, in the words that rules use. Words are folded.
type Act struct {
	Verbs english.FoldSet
	// Names are the means: the program, the tool, the flags, the machine.
	Names english.FoldSet
	// Nouns are the objects.
	Nouns english.FoldSet
	// Exact are the values and parts of paths among the objects, not folded.
	Exact english.FoldSet
	// Bases are names of files without their extensions, not folded.
	Bases english.FoldSet
	// Where are words that match only the place in a rule.
	Where english.FoldSet
	// Keywords are the first word of a statement of SQL, and the method of a request.
	Keywords map[string]bool
	flags    map[string]bool // as written; combined ones of one letter are split
	Paths    []string
	// numbers are the numbers among the arguments, and money says that they are named
	// as amounts.
	numbers []float64
	money   bool
	Program string
	// Runs are the programs that run: the program, its wrappers, and the programs that it runs.
	Runs map[string]bool
	// Branch says that the object is an unknown branch, and Every that it is every branch.
	Branch, Every bool
	// At is the branch that is checked out, and Targets are the branches among the objects;
	// both may be unknown.
	At      string
	Targets []string
	// From are the names of sources, not folded.
	From english.FoldSet
	// Staged are verbs that count if a rule also names a path or a name of the act: a staged
	// file is about to be committed.
	Staged english.FoldSet
	// Versioned says that names of branches among the objects are branches, and Aimed that
	// Targets has all of them.
	Versioned, Aimed bool
	// added are the texts that it puts into files.
	added []added
	// Dir is the working directory and root its project; empty means those of the action.
	Dir, root string
	// Argv are the words of a command behind the program, and OwnTool is the name of a tool of
	// Lukasa without the prefix of agents.
	Argv    []string
	OwnTool string
	// Text is the act as it was written, for reasons.
	Text string
}

func New(text string) *Act {
	return &Act{Verbs: english.FoldSet{}, Names: english.FoldSet{}, Nouns: english.FoldSet{}, Exact: english.FoldSet{}, Bases: english.FoldSet{}, Where: english.FoldSet{}, From: english.FoldSet{}, Staged: english.FoldSet{}, Keywords: map[string]bool{}, flags: map[string]bool{}, Runs: map[string]bool{}, Text: english.Clip(text, MaxQuote)}
}

func AddAll(to, from english.FoldSet) {
	for w := range from {
		to[w] = true
	}
}

// Of returns what an action does.
func Of(a *Action) []*Act {
	if a.Tool == "" || a.Command != "" {
		return commandActs(a.Command, &a.Place, "")
	}
	r := argReader{tool: a.Tool, act: New(a.Tool)}
	r.named(a.Tool)
	r.read(a.Arguments)
	list := []*Act{r.act}
	for _, line := range r.lines {
		list = append(list, commandActs(line, &a.Place, r.dir)...)
	}
	if len(r.lines) > 0 && len(list) > 1 {
		list = list[1:] // the tool is a shell
	}
	if c := contentAct(r.file, a.Tool+" "+r.file, r.added); c != nil && r.file != "" {
		list = append(list, c)
	}
	for _, text := range r.sql {
		list = append(list, sqlActs(text, r.act)...)
	}
	list = append(list, r.patched()...)
	return list[:min(len(list), maxActs)]
}

// commandActs returns the acts of a command line, one per command. It reads a line that is not
// valid shell word by word. In is the directory in which it starts, if that is another one.
func commandActs(line string, p *Place, in string) []*Act {
	var list []*Act
	commands, err := shell.Read(line, p.options(in))
	for i := range commands {
		if list = append(list, shellActs(&commands[i])...); len(list) >= maxActs {
			return list[:maxActs]
		}
	}
	if err != nil {
		list = append(list, OfLine(line, p)...)
	}
	return list[:min(len(list), maxActs)]
}

// OfLine returns the acts of a line that is only split at the operators between commands, such
// as the shape of a line.
func OfLine(line string, p *Place) []*Act {
	var list []*Act
	for _, c := range shapes.Commands(line) {
		a := commandAct(&c, p.Branch)
		if n := len(list); c.Piped && n > 0 && list[n-1].Program != "" {
			a.pipedFrom(list[n-1].Program)
		}
		list = append(list, a)
		for _, text := range a.sqlIn(&c) {
			list = append(list, sqlActs(text, a)...)
		}
		if len(list) >= maxActs {
			break
		}
	}
	return list[:min(len(list), maxActs)]
}

// shellActs returns what one command of a line does.
func shellActs(x *shell.Command) []*Act {
	var list []*Act
	if len(x.Words) > 0 {
		c := shapes.CommandOf(x.Words, x.Before, len(x.From) > 0)
		for _, words := range transfers(&c) {
			one := c
			one.Words = words
			a := commandAct(&one, x.Branch)
			for _, e := range x.Env {
				_, value, _ := strings.Cut(e, "=")
				a.surroundings(value)
			}
			for _, program := range x.From {
				a.pipedFrom(strings.ToLower(program))
			}
			list = append(list, a)
			for _, text := range a.sqlIn(&one) {
				list = append(list, sqlActs(text, a)...)
			}
			if programs.Databases()[a.Program] && sqlBegins(x.Input) {
				list = append(list, sqlActs(x.Input, a)...)
			}
			list = append(list, patches(a.Program, words[1:], x.Input)...)
		}
		list[0].transferred(len(list) > 1, false)
		list[len(list)-1].transferred(len(list) > 1, true)
	}
	for _, file := range x.Writes {
		list = append(list, writeAct(file, "> "+file))
	}
	list = append(list, contents(x)...)
	for _, a := range list {
		a.Dir, a.root = x.Dir, x.Root
		a.below()
	}
	return list
}

// below adds the paths of an act in a directory of its project with that directory in front: an
// act on 1.sql in db/migrations is an act on db/migrations/1.sql.
func (a *Act) below() {
	dir, ok := strings.CutPrefix(a.Dir, strings.TrimSuffix(a.root, "/")+"/")
	if !ok || a.root == "" || dir == "" {
		return
	}
	for _, p := range slices.Clone(a.Paths) {
		if p[0] != '/' && p[0] != '~' {
			a.path(path.Join(dir, p))
		}
	}
}

// writeAct returns the act of writing a file.
func writeAct(file, text string) *Act {
	a := New(text)
	AddAll(a.Verbs, writing())
	a.Nouns[english.Fold("file")] = true
	a.path(file)
	return a
}

// writing are the verbs of acts that change a file.
var writing = english.FoldedList("edit modify change alter write touch overwrite create update")

// reading are the verbs of acts that read a file.
var reading = english.FoldedList("read open view show print look access display output cat")

// transfers returns the words of a command. For one that copies or moves files it returns two
// lists: one with the sources, and one with the destination.
func transfers(c *shapes.Command) [][]string {
	if !programs.Transfers()[c.Program] {
		return [][]string{c.Words}
	}
	var flags, plain []string
	for _, w := range c.Words[1:] {
		if len(w) > 1 && w[0] == '-' {
			flags = append(flags, w)
		} else {
			plain = append(plain, w)
		}
	}
	if len(plain) < 2 {
		return [][]string{c.Words}
	}
	last := len(plain) - 1
	head := append([]string{c.Words[0]}, flags...)
	return [][]string{slices.Concat(head, plain[:last]), slices.Concat(head, plain[last:])}
}

// transferred sets the verbs of a copy or a move for its sources, or for its destination.
func (a *Act) transferred(both, put bool) {
	if !programs.Transfers()[a.Program] {
		return
	}
	switch {
	case put:
		AddAll(a.Verbs, writing())
	case both && a.Program == "mv":
		AddAll(a.Verbs, english.Folded("touch modify change edit alter"))
	case both:
		for w := range english.Folded("write overwrite") {
			delete(a.Verbs, w)
		}
		a.Verbs[english.Fold("read")] = true
	}
}

// pipedFrom notes a program whose output the act reads.
func (a *Act) pipedFrom(program string) {
	a.Verbs[english.Fold("pipe")], a.Names[english.Fold(program)], a.Runs[program] = true, true, true
	if !programs.Shells()[a.Program] {
		return
	}
	for w := range programs.Shells() {
		a.Names[english.Fold(w)] = true
	}
	if program == "curl" || program == "wget" {
		for _, w := range [...]string{"curl", "wget"} {
			a.Names[w], a.Runs[w] = true, true
		}
	}
}

// interprets reports whether a program runs the script that is its first word.
func interprets(program string) bool {
	return programs.Interpreters()[program] || program == "deno" || program == "source" || program == "."
}

// commandAct returns what one command does, where branch is checked out if it is known.
func commandAct(c *shapes.Command, branch string) *Act {
	a := New(strings.Join(slices.Concat(c.Before, c.Words), " "))
	a.Program, a.At, a.Argv = strings.ToLower(c.Program), branch, c.Words[1:]
	a.Versioned = programs.Versioners()[a.Program]
	a.Names[english.Fold(a.Program)], a.Runs[a.Program] = true, true
	for _, w := range c.Before {
		if !strings.Contains(w, "=") {
			a.Names[english.Fold(w)], a.Runs[strings.ToLower(w)] = true, true
		}
	}
	rest := c.Words[1:]
	sub := c.Sub
	if a.Program == "git" {
		rest, sub = gitWords(rest)
	} else {
		rest = rest[min(len(sub), len(rest)):]
	}
	if len(sub) > 1 && (sub[0] == "run" || sub[0] == "exec") {
		a.Runs[sub[1]] = true
	}
	a.does(sub)
	if len(sub) == 0 && len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		a.doesBehindFlags(rest)
	}
	if programs.Viewers()[a.Program] {
		AddAll(a.Verbs, reading())
	}
	a.script(c.Words[0])
	if interprets(a.Program) {
		a.interprets(rest)
	}
	a.words(rest)
	a.particular(sub, rest)
	return a
}

// script adds the verbs in the name of a script.
func (a *Act) script(path string) {
	list := scriptWords(path)
	for _, w := range list {
		a.Verbs[english.Fold(w)], a.Names[english.Fold(w)] = true, true
	}
	if len(list) > 0 {
		a.Nouns[english.Fold("script")] = true
		a.Versioned = true // it may be: its words say what it does
	}
}

// interprets notes what a script or a module does that an interpreter runs, and the first word
// that it is given, if that is a verb.
func (a *Act) interprets(words []string) {
	for i, w := range words {
		switch {
		case w == "-m" && i+1 < len(words):
			a.Runs[words[i+1]], a.Names[english.Fold(words[i+1])] = true, true
			a.noteDone(words[i+1])
			a.given(words[i+2:])
			return
		case strings.HasPrefix(w, "-"):
			continue
		}
		a.script(w)
		a.given(words[i+1:])
		return
	}
}

// given notes the first word that a script is given, if it says what is done.
func (a *Act) given(words []string) {
	for _, w := range words {
		if strings.HasPrefix(w, "-") {
			continue
		}
		for _, part := range strings.FieldsFunc(w, func(r rune) bool { return r == ':' || r == '_' || r == '-' }) {
			if f := english.Fold(part); english.Deeds()[f] && !english.Means()[f] {
				a.Verbs[f], a.Nouns[f] = true, true
			}
		}
		return
	}
}

// noteDone notes what a program, or one with its subcommand, does.
func (a *Act) noteDone(phrase string) {
	if doing, to, ok := done(phrase); ok {
		AddAll(a.Verbs, doing)
		AddAll(a.Nouns, to)
	}
}

// does notes what the program and its subcommand do.
func (a *Act) does(sub []string) {
	phrase := a.Program
	a.noteDone(phrase)
	for _, w := range sub {
		phrase += " " + w
		a.noteDone(phrase)
		for _, part := range strings.FieldsFunc(w, func(r rune) bool { return r == ':' || r == '_' || r == '-' }) {
			a.Verbs[english.Fold(part)], a.Names[english.Fold(part)] = true, true
		}
		a.Verbs[english.Fold(w)], a.Names[english.Fold(w)] = true, true
	}
}

// doesBehindFlags notes what a program does whose subcommand stands behind flags.
func (a *Act) doesBehindFlags(words []string) {
	seen := 0
	for _, w := range words {
		if strings.HasPrefix(w, "-") {
			continue
		}
		if phrase := a.Program + " " + w; programs.Known(phrase) {
			a.noteDone(phrase)
			return
		}
		if seen++; seen == 3 {
			return
		}
	}
}

// scriptWords returns the words of the name of a script: deploy of ./bin/deploy.sh.
func scriptWords(path string) []string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	base, ext, ok := strings.Cut(name, ".")
	if !ok && !strings.Contains(path, "/") || strings.HasPrefix(path, "/usr/") || strings.HasPrefix(path, "/bin/") {
		return nil
	}
	switch ext {
	case "", "sh", "py", "js", "ts", "rb", "pl", "bash", "mjs":
		return strings.FieldsFunc(base, func(r rune) bool { return r == '_' || r == '-' })
	}
	return nil
}

// words notes the flags and the arguments of a command.
func (a *Act) words(words []string) {
	said := false // the next word is a text
	for _, w := range words {
		switch name, value, has := strings.Cut(w, "="); {
		case said:
			said = false
		case len(w) > 1 && w[0] == '-':
			a.flag(name)
			said = a.takesText(name) && !has
			if has && !a.takesText(name) {
				a.value(value)
				a.surroundings(value)
			}
		default:
			a.value(w)
		}
	}
}

// takesText reports whether the value of a flag is free text.
func (a *Act) takesText(flag string) bool {
	switch a.Program {
	case "git", "gh", "glab", "hg", "jj", "svn":
		return flag == "-m" || flag == "--message" || flag == "--title" || flag == "--body" || flag == "--notes" || flag == "-am" || flag == "--description"
	}
	return false
}

func (a *Act) flag(name string) {
	a.flags[name] = true
	if name[1] == '-' {
		a.Names[english.Fold(name[2:])] = true
		for part := range strings.SplitSeq(name[2:], "-") {
			if len(part) > 2 {
				a.Nouns[english.Fold(part)] = true
			}
		}
		return
	}
	if len(name) <= 6 {
		for _, letter := range name[1:] {
			a.flags["-"+string(letter)] = true
		}
	}
}

// value adds one argument. It ignores sentences, which do not describe the act.
func (a *Act) value(v string) {
	if len(v) > maxValue || v == "" || strings.ContainsAny(v, " \t\r\n") {
		return
	}
	if n, err := strconv.ParseFloat(strings.TrimLeft(v, "$€£"), 64); err == nil {
		if len(a.numbers) < maxPaths {
			a.numbers = append(a.numbers, n)
		}
		return
	}
	if host, path, ok := addressOf(v); ok {
		a.hostNamed(host)
		a.path(path)
		return
	}
	if v == "." {
		a.Exact[v] = true
	}
	if strings.ContainsAny(v, "/\\") || strings.Contains(v, ".") || v == "~" {
		a.path(v)
		return
	}
	a.Exact[english.Exact(v)] = true
	for part := range strings.SplitSeq(v, "_") {
		a.Exact[english.Exact(part)] = true
	}
	a.environment(v)
}

// environment adds production and similar names inside a name such as prod-db.
func (a *Act) environment(v string) {
	for part := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == '-' || r == '_' || r == ':' || r == '.' }) {
		if w := english.Fold(part); english.Environments()[w] && a.Program != "git" {
			a.Nouns[w], a.Names[w] = true, true
		}
	}
}

// surroundings adds production and similar names from the value of a variable of the act.
func (a *Act) surroundings(v string) {
	if len(v) > maxValue || strings.ContainsAny(v, " \t\n") {
		return
	}
	if host, _, ok := addressOf(v); ok {
		v = host
	}
	a.environment(v)
}

// addressOf returns the host and the path of an address.
func addressOf(v string) (host, path string, ok bool) {
	_, rest, ok := strings.Cut(v, "://")
	if !ok {
		return "", "", false
	}
	host, path, _ = strings.Cut(rest, "/")
	path, _, _ = strings.Cut(path, "?")
	return strings.ToLower(host[strings.LastIndexByte(host, '@')+1:]), path, true
}

// hostNamed notes the parts of the name of a machine.
func (a *Act) hostNamed(host string) {
	host, _, _ = strings.Cut(host, ":")
	a.Names[english.Fold(host)] = true
	parts := strings.Split(host, ".")
	for _, part := range parts[:max(0, len(parts)-1)] {
		a.Names[english.Fold(part)], a.Nouns[english.Fold(part)] = true, true
		a.environment(part)
	}
}

// path notes a path, and its parts as what something is done to.
func (a *Act) path(v string) {
	v = strings.ReplaceAll(v, `\`, "/")
	if len(a.Paths) == maxPaths || v == "" {
		return
	}
	a.Paths = append(a.Paths, v)
	parts := strings.Split(v, "/")
	parts = parts[max(0, len(parts)-32):]
	for i, part := range parts {
		if part == "" || part == "." || part == ".." {
			continue
		}
		a.Exact[english.Exact(part)] = true
		if base, _, ok := strings.Cut(part, "."); ok && base != "" && i == len(parts)-1 {
			a.Bases[english.Exact(base)] = true
		}
	}
	if isGenerated(v) {
		a.Exact["generated"] = true
	}
}

// isGenerated reports whether the name of a file says that a program wrote it.
func isGenerated(path string) bool {
	name := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	for _, mark := range [...]string{"_generated.", ".generated.", "zz_generated", ".gen.", "_gen.", ".pb.", "_pb2.", ".g.dart", ".freezed.dart", ".min.js"} {
		if strings.Contains(name, mark) {
			return true
		}
	}
	return false
}

// requests notes the method of a request that a program makes.
func (a *Act) requests(rest []string) {
	method := "GET"
	for i, w := range rest {
		switch {
		case (w == "-X" || w == "--request" || w == "--method") && i+1 < len(rest):
			method = rest[i+1]
		case strings.HasPrefix(w, "--request=") || strings.HasPrefix(w, "--method="):
			_, method, _ = strings.Cut(w, "=")
		case strings.HasPrefix(w, "-X") && len(w) > 2:
			method = w[2:]
		case (w == "-d" || strings.HasPrefix(w, "--data") || w == "-F" || w == "--json") && method == "GET":
			method = "POST"
		case i == 0 && a.Program != "curl" && a.Program != "wget" && strings.ToUpper(w) == w && len(w) < 8:
			method = w
		}
	}
	a.method(method)
}

// method notes what a request does.
func (a *Act) method(name string) {
	name = strings.ToUpper(name)
	AddAll(a.Verbs, english.Folded(programs.Methods()[name]))
	a.Keywords[strings.ToLower(name)] = true
	AddAll(a.Verbs, english.Folded("call request"))
	AddAll(a.Nouns, english.Folded("request url api"))
}
