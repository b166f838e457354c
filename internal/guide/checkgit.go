package guide

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"lukasa.dev/internal/programs"
	"lukasa.dev/internal/shell"
)

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

// particular notes what only some programs do.
func (a *act) particular(sub, rest []string) {
	phrase := strings.Join(append([]string{a.program}, sub...), " ")
	does := func(words string) { addAll(a.verbs, setOf(words)) }
	switch a.program {
	case "git":
		if len(sub) > 0 {
			a.git(sub[0], rest)
		}
	case "jj", "hg", "sl":
		a.pushesBookmarks(slices.Concat(sub, rest))
	case "gh", "glab":
		if len(sub) > 0 && sub[0] == "api" {
			a.requests(rest)
			a.pushesByAPI(rest)
		}
	case "find", "fd":
		if a.has("-delete") {
			a.noteDone("rm")
		}
	case "dd":
		for _, w := range rest {
			if file, ok := strings.CutPrefix(w, "of="); ok {
				a.writes()
				a.path(file)
			}
		}
	case "sort", "openssl":
		a.puts(rest, "-o", "--output", "-out")
	case "docker", "podman":
		for _, w := range rest { // images are no branches
			a.from[exactly(w)] = true
		}
	}
	switch {
	case programs.Writers()[a.program], programs.InPlace()[a.program] && a.has("-i", "--in-place", "--inplace"):
		a.writes()
	case programs.Fetchers()[a.program]:
		a.puts(rest, "-o", "--output", "-O", "--output-document")
		a.requests(rest)
		a.pushesByAPI(rest)
	case programs.LocalPackages()[a.program]:
		global := a.has("-g", "--global") || slices.Contains(sub, "global") || slices.Contains(rest, "--location=global")
		if global || (a.program == "pip" || a.program == "pip3") && (a.runs["sudo"] || a.has("--break-system-packages")) {
			addAll(a.nouns, setOf("globally global system-wide"))
		}
		if slices.Contains(sub, "global") && len(rest) > 0 && rest[0] == "add" {
			a.noteDone(a.program + " add")
		}
	case programs.SystemPackages()[a.program]:
		addAll(a.nouns, setOf("globally global system-wide"))
	}
	if phrase == "npm version" {
		does("release tag")
	}
}

// puts notes the file that a program puts its output into, by the flag before it.
func (a *act) puts(rest []string, flags ...string) {
	for i, w := range rest {
		name, file, joined := strings.Cut(w, "=")
		if !joined && i+1 < len(rest) {
			file = rest[i+1]
		}
		if slices.Contains(flags, name) && file != "" && file[0] != '-' {
			a.writes()
			a.path(file)
		}
	}
}

// has reports whether one of some flags is given.
func (a *act) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return a.flags[name] })
}

// git notes what a command of git does beyond its name.
func (a *act) git(sub string, rest []string) {
	does := func(words string) { addAll(a.verbs, setOf(words)) }
	switch sub {
	case "push", "send-pack":
		a.pushes(rest)
		a.bypasses(a.has("--no-verify"))
	case "subtree":
		a.subtree(rest)
	case "config":
		a.configures(rest)
	case "commit":
		if a.has("--amend") {
			does("amend")
		}
		a.bypasses(a.has("-n", "--no-verify"))
		a.onBranch(a.at)
	case "add", "stage":
		addAll(a.staged, setOf("commit check-in"))
	case "merge", "rebase", "cherry-pick", "am", "pull", "revert":
		a.bypasses(a.has("--no-verify"))
		for _, w := range rest {
			a.from[exactly(w)] = true
		}
		a.onBranch(a.at)
	case "reset":
		if a.has("--hard") {
			does("discard")
			a.nouns[folded("changes")] = true
		}
		a.onBranch(a.at)
	case "restore":
		if !a.has("--staged", "-S") || a.has("--worktree", "-W") {
			does("discard")
			a.writes()
		}
	case "checkout":
		if slices.Contains(rest, "--") || slices.Contains(rest, ".") || a.has("-f", "--force") {
			does("discard")
			a.writes()
		}
	case "clean":
		if a.has("-f", "--force", "-d", "-x") {
			does("discard")
		}
	case "stash":
		if len(rest) > 0 && (rest[0] == "drop" || rest[0] == "clear") {
			does("discard delete remove drop")
		}
	case "branch":
		if a.has("-d", "-D", "--delete") {
			does("delete remove")
		}
		if a.has("-m", "-M", "--move") {
			does("rename move")
		}
		a.nouns[folded("branch")] = true
	case "tag":
		if a.has("-d", "--delete") {
			does("delete remove")
		}
	}
}

func (a *act) bypasses(it bool) {
	if it {
		addAll(a.verbs, setOf("bypass skip disable"))
		addAll(a.nouns, setOf("hook hooks verify check checks"))
	}
}

// onBranch notes the branch that something is done on.
func (a *act) onBranch(name string) {
	if name == "" {
		a.branch = true
		return
	}
	a.where[exactly(name)] = true
	a.targets = append(a.targets, name)
}

// pushValued are the flags of git push whose value is the next word.
var pushValued = rawWords("-o --push-option --receive-pack --exec --repo")

// pushes notes the branches that git pushes to, and what it does to them.
func (a *act) pushes(rest []string) {
	if a.has("-n", "--dry-run", "--help") && !a.has("--no-dry-run") { // it changes nothing
		a.verbs, a.nouns = set{}, set{}
		delete(a.names, folded("push"))
		return
	}
	a.aimed = true
	var words []string
	for i := 0; i < len(rest); i++ {
		switch w := rest[i]; {
		case pushValued()[w]:
			if w == "--repo" && i+1 < len(rest) {
				words = append(words, rest[i+1])
			}
			i++
		case strings.HasPrefix(w, "--repo="):
			words = append(words, w[len("--repo="):])
		case !strings.HasPrefix(w, "-"):
			words = append(words, w)
		}
	}
	for _, w := range words { // none of them is a path
		delete(a.exact, exactly(w))
		for part := range strings.SplitSeq(w, "/") {
			delete(a.exact, exactly(part))
		}
	}
	a.paths, a.bases = nil, set{}
	if len(words) > 0 {
		a.names[folded(words[0])] = true
	}
	if a.has("-f", "--force", "--force-with-lease", "--mirror") {
		addAll(a.verbs, setOf("force"))
	}
	if a.has("-d", "--delete") {
		addAll(a.verbs, setOf("delete remove"))
	}
	for _, spec := range words[min(1, len(words)):] {
		a.refspec(spec)
	}
	a.every = a.every || a.has("--all", "--mirror", "--branches")
	switch {
	case a.has("--tags"):
		a.nouns[folded("tag")] = true
	case len(words) < 2 && !a.every:
		a.pushTo(a.at)
	}
	addAll(a.nouns, setOf("branch commit remote"))
}

// subtree notes what git subtree pushes.
func (a *act) subtree(rest []string) {
	if len(rest) == 0 || rest[0] != "push" {
		return
	}
	var words []string
	for i := 1; i < len(rest); i++ {
		switch w := rest[i]; {
		case w == "--prefix" || w == "-P":
			i++
		case !strings.HasPrefix(w, "-"):
			words = append(words, w)
		}
	}
	a.noteDone("git push")
	a.pushes(words)
}

// configures notes a setting of git that makes a later push go to a branch.
func (a *act) configures(rest []string) {
	for i, w := range rest {
		if _, ok := shell.PushRemote(w); ok && i+1 < len(rest) {
			a.noteDone("git push")
			a.aimed = true
			a.refspec(rest[i+1])
			return
		}
	}
}

// pushesBookmarks notes the branches that other programs push.
func (a *act) pushesBookmarks(words []string) {
	if len(words) > 0 && words[0] == "git" {
		words = words[1:]
	}
	if len(words) == 0 || words[0] != "push" {
		return
	}
	a.noteDone("git push")
	a.aimed = true
	for i, w := range words {
		name, value, joined := strings.Cut(w, "=")
		switch name {
		case "-b", "-B", "--bookmark", "--branch", "-c", "--change", "-r":
			if !joined && i+1 < len(words) {
				value = words[i+1]
			}
			a.pushTo(value)
		case "--all", "--tracked":
			a.every = true
		}
	}
	if len(a.targets) == 0 && !a.every {
		a.pushTo(a.at)
	}
}

// pushesByAPI notes the branch that a request to the API of a host changes.
func (a *act) pushesByAPI(words []string) {
	if a.keywords["get"] || a.keywords["head"] {
		return
	}
	file, branch := false, ""
	for _, w := range words {
		if _, name, ok := strings.Cut(w, "/git/refs/heads/"); ok {
			a.changesBranch(strings.TrimSuffix(name, "/"))
			return
		}
		file = file || strings.Contains(w, "/contents/") || strings.Contains(w, "/repository/files/") || strings.Contains(w, "/repository/commits")
		if name, ok := strings.CutPrefix(w, "branch="); ok {
			branch = name
		} else if m := branchMember().FindStringSubmatch(w); m != nil {
			branch = m[1]
		}
	}
	if file && branch != "" {
		a.changesBranch(branch)
	}
}

// branchMember finds the branch in the JSON of a request.
var branchMember = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"branch"\s*:\s*"([^"]+)"`) })

// changesBranch notes that a branch of the remote repository is changed.
func (a *act) changesBranch(name string) {
	a.noteDone("git push")
	a.noteDone("git commit")
	a.versioned, a.aimed = true, true
	name = strings.TrimPrefix(strings.TrimPrefix(name, "refs/"), "heads/")
	a.pushTo(name)
}

// refspec notes what one refspec pushes to.
func (a *act) refspec(spec string) {
	if strings.HasPrefix(spec, "+") {
		addAll(a.verbs, setOf("force"))
		spec = spec[1:]
	}
	from, to, ok := strings.Cut(spec, ":")
	switch {
	case !ok:
		to = from
	case from == "" && to == "":
		a.every = true // every branch that both sides have
		return
	case from == "":
		addAll(a.verbs, setOf("delete remove"))
	}
	if name, ok := strings.CutPrefix(to, "refs/tags/"); ok {
		a.nouns[folded("tag")], a.exact[exactly(name)] = true, true
		return
	}
	to = strings.TrimPrefix(strings.TrimPrefix(to, "refs/"), "heads/")
	switch {
	case to == "HEAD" || to == "@":
		a.pushTo(a.at)
	case strings.Contains(to, "*"):
		a.every = true
	default:
		a.pushTo(to)
	}
}

// pushTo notes a branch that is pushed to. One that only the running shell knows is none.
func (a *act) pushTo(name string) {
	if name == "" || strings.ContainsAny(name, "$`") {
		a.branch = true
		return
	}
	a.exact[exactly(name)] = true
	a.targets = append(a.targets, name)
}
