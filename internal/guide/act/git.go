package act

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"lukasa.dev/internal/english"
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
func (a *Act) particular(sub, rest []string) {
	phrase := strings.Join(append([]string{a.Program}, sub...), " ")
	does := func(words string) { AddAll(a.Verbs, english.Folded(words)) }
	switch a.Program {
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
		if a.Has("-delete") {
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
			a.From[english.Exact(w)] = true
		}
	}
	switch {
	case programs.Writers()[a.Program], programs.InPlace()[a.Program] && a.Has("-i", "--in-place", "--inplace"):
		a.writes()
	case programs.Fetchers()[a.Program]:
		a.puts(rest, "-o", "--output", "-O", "--output-document")
		a.requests(rest)
		a.pushesByAPI(rest)
	case programs.LocalPackages()[a.Program]:
		global := a.Has("-g", "--global") || slices.Contains(sub, "global") || slices.Contains(rest, "--location=global")
		if global || (a.Program == "pip" || a.Program == "pip3") && (a.Runs["sudo"] || a.Has("--break-system-packages")) {
			AddAll(a.Nouns, english.Folded("globally global system-wide"))
		}
		if slices.Contains(sub, "global") && len(rest) > 0 && rest[0] == "add" {
			a.noteDone(a.Program + " add")
		}
	case programs.SystemPackages()[a.Program]:
		AddAll(a.Nouns, english.Folded("globally global system-wide"))
	}
	if phrase == "npm version" {
		does("release tag")
	}
}

// puts notes the file that a program puts its output into, by the flag before it.
func (a *Act) puts(rest []string, flags ...string) {
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

// Has reports whether one of some flags is given.
func (a *Act) Has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return a.flags[name] })
}

// git notes what a command of git does beyond its name.
func (a *Act) git(sub string, rest []string) {
	does := func(words string) { AddAll(a.Verbs, english.Folded(words)) }
	switch sub {
	case "push", "send-pack":
		a.pushes(rest)
		a.bypasses(a.Has("--no-verify"))
	case "subtree":
		a.subtree(rest)
	case "config":
		a.configures(rest)
	case "commit":
		if a.Has("--amend") {
			does("amend")
		}
		a.bypasses(a.Has("-n", "--no-verify"))
		a.onBranch(a.At)
	case "add", "stage":
		AddAll(a.Staged, english.Folded("commit check-in"))
	case "merge", "rebase", "cherry-pick", "am", "pull", "revert":
		a.bypasses(a.Has("--no-verify"))
		for _, w := range rest {
			a.From[english.Exact(w)] = true
		}
		a.onBranch(a.At)
	case "reset":
		if a.Has("--hard") {
			does("discard")
			a.Nouns[english.Fold("changes")] = true
		}
		a.onBranch(a.At)
	case "restore":
		if !a.Has("--staged", "-S") || a.Has("--worktree", "-W") {
			does("discard")
			a.writes()
		}
	case "checkout":
		if slices.Contains(rest, "--") || slices.Contains(rest, ".") || a.Has("-f", "--force") {
			does("discard")
			a.writes()
		}
	case "clean":
		if a.Has("-f", "--force", "-d", "-x") {
			does("discard")
		}
	case "stash":
		if len(rest) > 0 && (rest[0] == "drop" || rest[0] == "clear") {
			does("discard delete remove drop")
		}
	case "branch":
		if a.Has("-d", "-D", "--delete") {
			does("delete remove")
		}
		if a.Has("-m", "-M", "--move") {
			does("rename move")
		}
		a.Nouns[english.Fold("branch")] = true
	case "tag":
		if a.Has("-d", "--delete") {
			does("delete remove")
		}
	}
}

func (a *Act) bypasses(it bool) {
	if it {
		AddAll(a.Verbs, english.Folded("bypass skip disable"))
		AddAll(a.Nouns, english.Folded("hook hooks verify check checks"))
	}
}

// onBranch notes the branch that something is done on.
func (a *Act) onBranch(name string) {
	if name == "" {
		a.Branch = true
		return
	}
	a.Where[english.Exact(name)] = true
	a.Targets = append(a.Targets, name)
}

// pushValued are the flags of git push whose value is the next word.
var pushValued = english.List("-o --push-option --receive-pack --exec --repo")

// pushes notes the branches that git pushes to, and what it does to them.
func (a *Act) pushes(rest []string) {
	if a.Has("-n", "--dry-run", "--help") && !a.Has("--no-dry-run") { // it changes nothing
		a.Verbs, a.Nouns = english.FoldSet{}, english.FoldSet{}
		delete(a.Names, english.Fold("push"))
		return
	}
	a.Aimed = true
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
		delete(a.Exact, english.Exact(w))
		for part := range strings.SplitSeq(w, "/") {
			delete(a.Exact, english.Exact(part))
		}
	}
	a.Paths, a.Bases = nil, english.FoldSet{}
	if len(words) > 0 {
		a.Names[english.Fold(words[0])] = true
	}
	if a.Has("-f", "--force", "--force-with-lease", "--mirror") {
		AddAll(a.Verbs, english.Folded("force"))
	}
	if a.Has("-d", "--delete") {
		AddAll(a.Verbs, english.Folded("delete remove"))
	}
	for _, spec := range words[min(1, len(words)):] {
		a.refspec(spec)
	}
	a.Every = a.Every || a.Has("--all", "--mirror", "--branches")
	switch {
	case a.Has("--tags"):
		a.Nouns[english.Fold("tag")] = true
	case len(words) < 2 && !a.Every:
		a.pushTo(a.At)
	}
	AddAll(a.Nouns, english.Folded("branch commit remote"))
}

// subtree notes what git subtree pushes.
func (a *Act) subtree(rest []string) {
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
func (a *Act) configures(rest []string) {
	for i, w := range rest {
		if _, ok := shell.PushRemote(w); ok && i+1 < len(rest) {
			a.noteDone("git push")
			a.Aimed = true
			a.refspec(rest[i+1])
			return
		}
	}
}

// pushesBookmarks notes the branches that other programs push.
func (a *Act) pushesBookmarks(words []string) {
	if len(words) > 0 && words[0] == "git" {
		words = words[1:]
	}
	if len(words) == 0 || words[0] != "push" {
		return
	}
	a.noteDone("git push")
	a.Aimed = true
	for i, w := range words {
		name, value, joined := strings.Cut(w, "=")
		switch name {
		case "-b", "-B", "--bookmark", "--branch", "-c", "--change", "-r":
			if !joined && i+1 < len(words) {
				value = words[i+1]
			}
			a.pushTo(value)
		case "--all", "--tracked":
			a.Every = true
		}
	}
	if len(a.Targets) == 0 && !a.Every {
		a.pushTo(a.At)
	}
}

// pushesByAPI notes the branch that a request to the API of a host changes.
func (a *Act) pushesByAPI(words []string) {
	if a.Keywords["get"] || a.Keywords["head"] {
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
func (a *Act) changesBranch(name string) {
	a.noteDone("git push")
	a.noteDone("git commit")
	a.Versioned, a.Aimed = true, true
	name = strings.TrimPrefix(strings.TrimPrefix(name, "refs/"), "heads/")
	a.pushTo(name)
}

// refspec notes what one refspec pushes to.
func (a *Act) refspec(spec string) {
	if strings.HasPrefix(spec, "+") {
		AddAll(a.Verbs, english.Folded("force"))
		spec = spec[1:]
	}
	from, to, ok := strings.Cut(spec, ":")
	switch {
	case !ok:
		to = from
	case from == "" && to == "":
		a.Every = true // every branch that both sides have
		return
	case from == "":
		AddAll(a.Verbs, english.Folded("delete remove"))
	}
	if name, ok := strings.CutPrefix(to, "refs/tags/"); ok {
		a.Nouns[english.Fold("tag")], a.Exact[english.Exact(name)] = true, true
		return
	}
	to = strings.TrimPrefix(strings.TrimPrefix(to, "refs/"), "heads/")
	switch {
	case to == "HEAD" || to == "@":
		a.pushTo(a.At)
	case strings.Contains(to, "*"):
		a.Every = true
	default:
		a.pushTo(to)
	}
}

// pushTo notes a branch that is pushed to. One that only the running shell knows is none.
func (a *Act) pushTo(name string) {
	if name == "" || strings.ContainsAny(name, "$`") {
		a.Branch = true
		return
	}
	a.Exact[english.Exact(name)] = true
	a.Targets = append(a.Targets, name)
}
