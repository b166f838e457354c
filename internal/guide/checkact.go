package guide

import (
	"strconv"
	"strings"
	"sync"

	"lukasa.dev/internal/trace"
)

// MaxArguments is how many bytes of arguments are looked at. Longer ones are as if there
// were none.
const MaxArguments = 256 << 10

// The bounds of what is looked at in an action.
const (
	maxValues = 256     // strings in arguments
	maxValue  = 8 << 10 // bytes of one that are looked at
	maxActs   = 96
	maxPaths  = 64
)

// act is one thing that an action does, in the words that rules use. Words are folded.
type act struct {
	verbs set
	// names are what does it: the program, the tool, the flags, where it runs.
	names set
	// nouns are what it is done to.
	nouns set
	// exact are values and parts of paths that it is done to, not folded.
	exact set
	// bases are names of files without their endings, not folded.
	bases set
	// where are words that count only for where a rule says that something is done.
	where set
	// keywords are the first word of a statement of SQL, and the method of a request.
	keywords map[string]bool
	flags    map[string]bool // as written; those of one letter one by one
	paths    []string
	// numbers are the numbers among the arguments, and money says that they are named
	// as amounts.
	numbers []float64
	money   bool
	program string
	// runs are the programs that run: the program, what stands before it, and what it runs.
	runs map[string]bool
	// branch says that it is done to a branch which is not named.
	branch bool
	// text is the act as it was written, for reasons.
	text string
}

func newAct(text string) *act {
	return &act{verbs: set{}, names: set{}, nouns: set{}, exact: set{}, bases: set{}, where: set{}, keywords: map[string]bool{}, flags: map[string]bool{}, runs: map[string]bool{}, text: clip(text, maxQuote)}
}

func addAll(to, from set) {
	for w := range from {
		to[w] = true
	}
}

// actsOf returns what an action does.
func actsOf(a *Action) []*act {
	if a.Tool == "" || a.Command != "" {
		return commandActs(a.Command)
	}
	r := argReader{tool: a.Tool, act: newAct(a.Tool)}
	r.named(a.Tool)
	r.read(a.Arguments)
	list := []*act{r.act}
	for _, line := range r.lines {
		list = append(list, commandActs(line)...)
	}
	if len(r.lines) > 0 && len(list) > 1 {
		list = list[1:] // the tool is a shell
	}
	for _, text := range r.sql {
		list = append(list, sqlActs(text, r.act)...)
	}
	return list[:min(len(list), maxActs)]
}

// commandActs returns what a command line does, one act a command.
func commandActs(line string) []*act {
	var list []*act
	for _, c := range trace.Commands(line) {
		a := commandAct(&c)
		if n := len(list); c.Piped && n > 0 && list[n-1].program != "" {
			a.verbs[folded("pipe")], a.names[folded(list[n-1].program)], a.runs[list[n-1].program] = true, true, true
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

// commandAct returns what one command does.
func commandAct(c *trace.Command) *act {
	a := newAct(strings.Join(append(append([]string{}, c.Before...), c.Words...), " "))
	a.program = strings.ToLower(c.Program)
	a.names[folded(a.program)], a.runs[a.program] = true, true
	for _, w := range c.Before {
		if !strings.Contains(w, "=") {
			a.names[folded(w)], a.runs[strings.ToLower(w)] = true, true
		}
	}
	rest := c.Words[1:]
	sub := c.Sub
	if a.program == "git" {
		rest, sub = gitWords(rest)
	} else {
		rest = rest[len(sub):]
	}
	if len(sub) > 1 && (sub[0] == "run" || sub[0] == "exec") {
		a.runs[sub[1]] = true
	}
	a.does(sub)
	if len(sub) == 0 && len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		a.doesBehindFlags(rest)
	}
	if script := scriptWords(c.Words[0]); len(script) > 0 {
		for _, w := range script {
			a.verbs[folded(w)], a.names[folded(w)] = true, true
		}
	}
	a.words(rest)
	a.particular(sub, rest)
	return a
}

// gitWords returns the words of git behind the subcommand, and the subcommand.
func gitWords(words []string) (rest, sub []string) {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		if (words[0] == "-C" || words[0] == "-c" || words[0] == "--git-dir" || words[0] == "--work-tree") && len(words) > 1 {
			words = words[1:]
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return nil, nil
	}
	return words[1:], words[:1]
}

// does notes what the program and its subcommand do.
func (a *act) does(sub []string) {
	phrase := a.program
	note := func(phrase string) {
		if known, ok := done()[phrase]; ok {
			addAll(a.verbs, known[0])
			addAll(a.nouns, known[1])
		}
	}
	note(phrase)
	for _, w := range sub {
		phrase += " " + w
		note(phrase)
		for _, part := range strings.FieldsFunc(w, func(r rune) bool { return r == ':' || r == '_' || r == '-' }) {
			a.verbs[folded(part)], a.names[folded(part)] = true, true
		}
		a.verbs[folded(w)], a.names[folded(w)] = true, true
	}
}

// doesBehindFlags notes what a program does whose subcommand stands behind flags.
func (a *act) doesBehindFlags(words []string) {
	seen := 0
	for _, w := range words {
		if strings.HasPrefix(w, "-") {
			continue
		}
		if known, ok := done()[a.program+" "+w]; ok {
			addAll(a.verbs, known[0])
			addAll(a.nouns, known[1])
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
func (a *act) words(words []string) {
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
			}
		default:
			a.value(w)
		}
	}
}

// takesText reports whether the value of a flag is somebody's own words.
func (a *act) takesText(flag string) bool {
	switch a.program {
	case "git", "gh", "glab", "hg", "jj", "svn":
		return flag == "-m" || flag == "--message" || flag == "--title" || flag == "--body" || flag == "--notes" || flag == "-am" || flag == "--description"
	}
	return false
}

func (a *act) flag(name string) {
	a.flags[name] = true
	if name[1] == '-' {
		a.names[folded(name[2:])] = true
		for part := range strings.SplitSeq(name[2:], "-") {
			if len(part) > 2 {
				a.nouns[folded(part)] = true
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

// value notes one argument. Sentences say nothing about what is done.
func (a *act) value(v string) {
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
	if strings.ContainsAny(v, "/\\") || strings.Contains(v, ".") || v == "~" {
		a.path(v)
		return
	}
	a.exact[exactly(v)] = true
	for part := range strings.SplitSeq(v, "_") {
		a.exact[exactly(part)] = true
	}
	a.environment(v)
}

// environment notes production and its like inside a name such as prod-db.
func (a *act) environment(v string) {
	for part := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == '-' || r == '_' || r == ':' || r == '.' }) {
		if w := folded(part); environments()[w] && a.program != "git" {
			a.nouns[w], a.names[w] = true, true
		}
	}
}

// addressOf takes an address apart.
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
func (a *act) hostNamed(host string) {
	host, _, _ = strings.Cut(host, ":")
	a.names[folded(host)] = true
	parts := strings.Split(host, ".")
	for _, part := range parts[:max(0, len(parts)-1)] {
		a.names[folded(part)], a.nouns[folded(part)] = true, true
		a.environment(part)
	}
}

// path notes a path, and its parts as what something is done to.
func (a *act) path(v string) {
	v = strings.ReplaceAll(v, `\`, "/")
	if len(a.paths) == maxPaths || v == "" {
		return
	}
	a.paths = append(a.paths, v)
	parts := strings.Split(v, "/")
	parts = parts[max(0, len(parts)-32):]
	for i, part := range parts {
		if part == "" || part == "." || part == ".." {
			continue
		}
		a.exact[exactly(part)] = true
		if base, _, ok := strings.Cut(part, "."); ok && base != "" && i == len(parts)-1 {
			a.bases[exactly(base)] = true
		}
	}
}

// particular notes what only some programs do.
func (a *act) particular(sub, rest []string) {
	phrase := strings.Join(append([]string{a.program}, sub...), " ")
	has := func(names ...string) bool {
		for _, name := range names {
			if a.flags[name] {
				return true
			}
		}
		return false
	}
	does := func(words string) { addAll(a.verbs, setOf(words)) }
	switch phrase {
	case "git push":
		a.pushes(rest)
		if has("-f", "--force", "--force-with-lease") {
			does("force")
		}
		if has("-d", "--delete") {
			does("delete remove")
		}
	case "git commit":
		if has("--amend") {
			does("amend")
		}
		a.bypasses(has("-n", "--no-verify"))
	case "git reset":
		if has("--hard") {
			does("discard")
			a.nouns[folded("changes")] = true
		}
	case "git branch":
		if has("-d", "-D", "--delete") {
			does("delete remove")
		}
		a.nouns[folded("branch")] = true
	case "git tag":
		if has("-d", "--delete") {
			does("delete remove")
		}
	case "sed":
		if has("-i", "--in-place") {
			does("modify change write edit")
			a.nouns[folded("file")] = true
		}
	case "curl", "wget", "http", "https":
		a.requests(rest)
	case "npm version":
		does("release tag")
	}
	if a.verbs[folded("push")] && a.program == "git" {
		a.bypasses(has("--no-verify"))
	}
}

func (a *act) bypasses(it bool) {
	if it {
		addAll(a.verbs, setOf("bypass skip disable"))
		addAll(a.nouns, setOf("hook hooks verify check checks"))
	}
}

// pushes notes the branches that git pushes to.
func (a *act) pushes(rest []string) {
	var words []string
	for _, w := range rest {
		if !strings.HasPrefix(w, "-") {
			words = append(words, w)
		}
	}
	for _, w := range words { // none of them is a path
		delete(a.exact, exactly(w))
		for part := range strings.SplitSeq(w, "/") {
			delete(a.exact, exactly(part))
		}
	}
	a.paths = nil
	if len(words) > 0 {
		a.names[folded(words[0])] = true
	}
	for _, spec := range words[min(1, len(words)):] {
		spec = strings.TrimPrefix(spec, "+")
		from, to, ok := strings.Cut(spec, ":")
		if !ok {
			to = from
		} else if from == "" {
			addAll(a.verbs, setOf("delete remove"))
		}
		to = strings.TrimPrefix(to, "refs/heads/")
		if to == "HEAD" {
			a.branch = true
			continue
		}
		a.exact[exactly(to)] = true
	}
	if len(words) < 2 && !a.flags["--tags"] {
		a.branch = true
	}
	addAll(a.nouns, setOf("branch commit remote"))
}

// requests notes the method of a request that a program makes.
func (a *act) requests(rest []string) {
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
		case i == 0 && a.program != "curl" && a.program != "wget" && strings.ToUpper(w) == w && len(w) < 8:
			method = w
		}
	}
	a.method(method)
}

// method notes what a request does.
func (a *act) method(name string) {
	name = strings.ToUpper(name)
	if doing, ok := methods()[name]; ok {
		addAll(a.verbs, doing)
	}
	a.keywords[strings.ToLower(name)] = true
	addAll(a.verbs, setOf("call request"))
	addAll(a.nouns, setOf("request url api"))
}

// methods are what the methods of requests do.
var methods = sync.OnceValue(func() map[string]set {
	return map[string]set{
		"GET": setOf("get fetch read"), "HEAD": setOf("get fetch"), "POST": setOf("post create send"), "PUT": setOf("put update replace write modify change"),
		"PATCH": setOf("patch update modify change"), "DELETE": setOf("delete remove"),
	}
})
