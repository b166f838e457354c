package act

import (
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/english"
	"lukasa.dev/internal/shell"
	"lukasa.dev/internal/trace"
	"lukasa.dev/internal/trace/shapes"
)

// argReader reads the arguments of a tool.
type argReader struct {
	tool  string
	act   *Act
	lines []string // command lines
	sql   []string
	// patches are texts that change files.
	patches []string
	// dir is the directory that a command runs in, if it is named, file the file that is
	// written, and added the texts that are put into it.
	dir, file string
	added     []added
	// shell says that the tool is a terminal, codes that it runs programs, and edits that its
	// command is an operation on a file.
	shell, codes, edits bool
	values              int
	doc                 canon.Doc
}

// named notes what the name of a tool says that it does.
func (r *argReader) named(tool string) {
	a := r.act
	a.Names[english.Fold(tool)] = true
	words := NameWords(tool)
	for i, w := range words {
		r.shell = r.shell || terminals()[w]
		r.codes = r.codes || coders()[w]
		a.Versioned = a.Versioned || hosts()[w]
		words[i] = english.Fold(w)
	}
	if i := slices.Index(words, OwnProgram); i >= 0 && (i == 0 || words[0] == "mcp") {
		a.OwnTool = strings.Join(NameWords(tool)[i+1:], "_")
	}
	AddAll(a.Verbs, toolVerbs(words))
	looks := len(a.Verbs) == 1 && slices.ContainsFunc(words, func(w string) bool { return readers()[w] && a.Verbs[w] })
	for _, w := range words {
		if !looks || !english.Deeds()[w] || a.Verbs[w] {
			a.Names[w], a.Nouns[w] = true, true
		}
	}
	if a.Verbs[english.Fold("edit")] || a.Verbs[english.Fold("write")] || a.Verbs[english.Fold("patch")] || strings.Contains(tool, "str_replace") {
		if a.Nouns[english.Fold("file")] || strings.Contains(tool, "str_replace") || a.Nouns["edit"] || len(NameWords(tool)) == 1 {
			a.writes()
		}
	}
	if a.Verbs[english.Fold("read")] || a.Verbs[english.Fold("view")] {
		AddAll(a.Verbs, reading())
	}
	if a.Verbs[english.Fold("delete")] || a.Verbs[english.Fold("remove")] {
		AddAll(a.Verbs, english.Folded("delete remove"))
	}
}

// writes notes that a file is written.
func (a *Act) writes() {
	AddAll(a.Verbs, writing())
	a.Nouns[english.Fold("file")] = true
}

// readers are the verbs of tools that only look.
var readers = english.FoldedList("get list read search find show describe check view lookup look count status history is has fetch query think calculate preview validate")

// toolVerbs returns what a tool does, by the words of its name: the first that is a
// verb, and the last if it is one, unless the tool only looks. If none is, any may be.
func toolVerbs(words []string) english.FoldSet {
	out := english.FoldSet{}
	for _, w := range words {
		if readers()[w] {
			out[w] = true
			return out
		}
		if english.Deeds()[w] && !english.Means()[w] {
			out[w] = true
			if last := words[len(words)-1]; english.Deeds()[last] && !english.Means()[last] {
				out[last] = true
			}
			return out
		}
	}
	for _, w := range words {
		if !english.Means()[w] {
			out[w] = true
		}
	}
	return out
}

// NameWords returns the words of a name: delete and user of delete_user and deleteUser.
func NameWords(name string) []string {
	var words []string
	start := 0
	name = english.Clip(name, shapes.MaxName)
	for i := 0; i <= len(name); i++ {
		end := i == len(name) || !english.LetterOrDigit(name[i])
		if !end && !(i > start && name[i] >= 'A' && name[i] <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z') {
			continue
		}
		if i > start {
			words = append(words, strings.ToLower(name[start:i]))
		}
		start = i
		if end {
			start = i + 1
		}
	}
	return words
}

// read reads arguments that are a JSON object. Others say nothing.
func (r *argReader) read(arguments string) {
	if len(arguments) > MaxArguments || r.doc.Parse([]byte(arguments)) != nil || r.doc.Kind(0) != canon.Object {
		return
	}
	r.edits = strings.IndexByte(r.text1("command"), ' ') < 0 && r.text1(fileNames...) != ""
	r.dir = r.text1("workdir", "cwd", "dir_path", "directory", "working_directory", "working_dir", "workingDirectory", "dirPath")
	r.members(0, 0)
	r.request()
	r.remote()
}

// fileNames are the names of arguments that hold the file that a tool works on.
var fileNames = []string{"file_path", "filePath", "path", "notebook_path", "filename", "file", "target_file", "TargetFile"}

// text1 returns the first of some arguments that is a text.
func (r *argReader) text1(names ...string) string {
	for _, name := range names {
		if c := r.doc.Member(0, name); c != canon.None && r.doc.Kind(c) == canon.String {
			return r.doc.Text(c)
		}
	}
	return ""
}

// terminals are the words in the names of tools whose text is typed into a shell, coders in those
// of tools that run a program, and hosts in those of tools for repositories.
var (
	terminals = english.List("bash sh zsh shell terminal console tty pty stdin tmux powershell pwsh")
	coders    = english.List("exec execute run eval python node javascript js code interpreter repl jupyter sandbox ipython")
	hosts     = english.List("git github gitlab bitbucket gitea forgejo repo repository branch commit commits ref refs")
)

func (r *argReader) members(n canon.Node, depth int) {
	first, end := r.doc.Children(n)
	program, args := r.invocation(n)
	r.replaces(n)
	for c := first; c < end && r.values < maxValues; c = r.doc.After(c) {
		if c != program && c != args {
			r.member(c, string(r.doc.Key(c)), depth)
		}
	}
}

// invocation reads a program and its arguments that stand side by side, and returns both.
func (r *argReader) invocation(n canon.Node) (program, args canon.Node) {
	program, args = canon.None, canon.None
	for _, name := range [...]string{"args", "arguments", "argv", "parameters", "argument_list"} {
		if c := r.doc.Member(n, name); c != canon.None && r.doc.Kind(c) == canon.Array && len(r.strings(c)) > 0 {
			args = c
			break
		}
	}
	if args == canon.None {
		return program, args
	}
	name := ""
	for _, key := range [...]string{"command", "cmd", "program", "executable", "exe", "binary"} {
		if c := r.doc.Member(n, key); c != canon.None && r.doc.Kind(c) == canon.String {
			program, name = c, r.doc.Text(c)
			break
		}
	}
	words := r.strings(args)
	switch low := strings.ToLower(r.tool); {
	case name != "":
		r.lines = append(r.lines, name+" "+shell.Quote(words))
	case string(r.doc.Key(args)) == "argv":
		r.lines = append(r.lines, shell.Quote(words))
	case ProgramNames()[low]:
		r.lines = append(r.lines, low+" "+shell.Quote(words))
	default:
		return canon.None, canon.None
	}
	return program, args
}

// strings returns the texts of a list, or nil if it has anything else.
func (r *argReader) strings(n canon.Node) (list []string) {
	first, end := r.doc.Children(n)
	for x := first; x < end; x = r.doc.After(x) {
		if r.doc.Kind(x) != canon.String {
			return nil
		}
		if len(list) < maxValues {
			list = append(list, r.doc.Text(x))
		}
	}
	return list
}

// replaces notes the texts of an object that are put into a file, and those that are taken out.
func (r *argReader) replaces(n canon.Node) {
	text := func(names ...string) string {
		for _, name := range names {
			if c := r.doc.Member(n, name); c != canon.None && r.doc.Kind(c) == canon.String {
				return r.doc.Text(c)
			}
		}
		return ""
	}
	put := text("new_string", "newString", "new_str", "new_source", "content", "file_text", "insert_text", "contents", "code_edit", "CodeContent")
	if put != "" && len(r.added) < maxValues {
		r.added = append(r.added, added{put: put, took: text("old_string", "oldString", "old_str")})
	}
}

func (r *argReader) member(c canon.Node, key string, depth int) {
	words := NameWords(key)
	r.values++
	switch r.doc.Kind(c) {
	case canon.Number:
		r.number(r.doc.Float(c), words)
	case canon.True:
		for _, w := range words {
			r.act.Names[english.Fold(w)] = true
		}
		r.act.flags["--"+strings.Join(words, "-")] = true
	case canon.String:
		if patchNames()[key] {
			if text := r.doc.Text(c); strings.Contains(text, patchBegins) || (key == "patch" || key == "diff") && strings.Contains(text, "\n+++ ") {
				r.patches = append(r.patches, text)
				return
			}
		}
		if _, size := r.doc.Measure(c); size <= maxValue*8 || lineNames()[key] || codeNames()[key] || inputNames()[key] {
			r.text(r.doc.Text(c), key, words)
		}
	case canon.Array:
		first, end := r.doc.Children(c)
		if lineNames()[key] || listNames()[key] {
			list := r.strings(c)
			switch {
			case len(list) > 0 && !listNames()[key] && !(key == "script" && len(list) > 1) && !strings.ContainsAny(list[0], " \t\n"):
				r.lines = append(r.lines, shell.Quote(list))
				return
			case len(list) > 0:
				r.lines = append(r.lines, strings.Join(list, "\n"))
				return
			}
			for x := first; x < end && r.values < maxValues; x = r.doc.After(x) {
				if words := r.doc.Kind(x) == canon.Array; words {
					r.lines = append(r.lines, shell.Quote(r.strings(x)))
				} else if depth < 4 {
					r.member(x, key, depth+1)
				}
			}
			return
		}
		for x := first; x < end && r.values < maxValues && depth < 4; x = r.doc.After(x) {
			r.member(x, key, depth+1)
		}
	case canon.Object:
		if depth < 4 {
			r.members(c, depth+1)
		}
	}
}

var (
	lineNames  = english.List("command cmd script command_line commandLine chars shell_command shellCommand bash_command CommandLine cmdline")
	listNames  = english.List("commands cmds scripts command_list argv")
	codeNames  = english.List("code source_code")
	inputNames = english.List("text input data keys")
	sqlNames   = english.List("sql query statement q")
	proseNames = english.List("content body text message new_string old_string description title comment prompt note notes subject diff patch summary reason thought file_text new_str old_str insert_text")
	moneyNames = english.FoldedList("amount total price value sum cost fee budget refund payment charge")
)

// number notes a number, in whole units if it is named in cents.
func (r *argReader) number(n float64, key []string) {
	money := false
	for _, w := range key {
		if moneyNames()[english.Fold(w)] {
			money = true
		}
		if w == "cents" || w == "cent" {
			n /= 100
			money = true
		}
	}
	if money && !r.act.money {
		r.act.numbers, r.act.money = nil, true
	}
	if (money || !r.act.money) && len(r.act.numbers) < maxPaths {
		r.act.numbers = append(r.act.numbers, n)
	}
}

// text notes a string among the arguments.
func (r *argReader) text(v, key string, words []string) {
	switch {
	case r.edits && key == "command":
		return
	case lineNames()[key] || listNames()[key] || inputNames()[key] && r.shell:
		r.lines = append(r.lines, v)
		return
	case codeNames()[key] && (r.shell || r.codes):
		if r.lines = append(r.lines, shell.Calls(v)...); r.shell {
			r.lines = append(r.lines, v)
		}
		return
	case proseNames()[key] || codeNames()[key]:
		return
	case sqlNames()[key]:
		if sqlBegins(v) {
			r.sql = append(r.sql, v)
			return
		}
	}
	if n, err := strconv.ParseFloat(strings.TrimLeft(v, "$€£"), 64); err == nil {
		r.number(n, words)
		return
	}
	r.act.value(v)
	if len(words) > 0 && !strings.ContainsAny(v, " \t\r\n") {
		r.act.Nouns[english.Fold(words[len(words)-1])] = true
	}
}

// request notes what a request or an edit does, of tools that make one.
func (r *argReader) request() {
	if address := r.text1("url", "uri", "endpoint"); address != "" {
		method := r.text1("method", "http_method", "verb")
		if method == "" {
			method = "GET"
		}
		r.act.method(method)
	}
	file := r.text1(fileNames...)
	if r.text1("new_string", "newString", "new_str", "new_source") != "" && file != "" {
		r.act.writes() // it puts a text in the place of another
	}
	if r.tool == trace.ToolEdit || file != "" {
		switch op := r.text1("operation", "command", "action"); english.Fold(op) {
		case english.Fold("delete"), english.Fold("remove"):
			AddAll(r.act.Verbs, english.Folded("delete remove touch"))
		case english.Fold("rename"), english.Fold("move"):
			AddAll(r.act.Verbs, english.Folded("rename move touch"))
		case english.Fold("view"), english.Fold("read"):
			for w := range writing() {
				delete(r.act.Verbs, w)
				delete(r.act.Names, w)
			}
		case "creat", "insert", "str_replac":
			r.act.writes()
		}
		r.act.Nouns[english.Fold("file")] = true
	}
	if r.act.Verbs[english.Fold("write")] {
		r.file = file
	}
}

// remote notes the branch of a remote repository that a tool changes: one that is given a
// branch, and what to put there.
func (r *argReader) remote() {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return r.doc.Member(0, name) != canon.None })
	}
	a := r.act
	looks := slices.ContainsFunc(NameWords(r.tool), func(w string) bool { return readers()[english.Fold(w)] })
	branch := r.text1("branch", "branch_name", "target_branch", "branchName")
	switch ref := r.text1("ref"); {
	case looks:
	case branch != "" && (has("content", "contents", "files", "actions", "changes") || has("message", "commit_message", "commitMessage") && has(fileNames...)):
		a.changesBranch(branch)
	case strings.Contains(ref, "heads/") && has("sha", "oid", "newOid", "force"):
		_, name, _ := strings.Cut(ref, "heads/")
		a.changesBranch(name)
	case branch != "":
		a.Versioned = true
	}
}
