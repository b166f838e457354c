package shell

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// git looks at a command of git: it leaves out global options, follows aliases, and notes
// which branch is checked out afterwards.
func (r *reader) git(words, before, env []string) {
	saved := r.dir.now
	defer func() { r.dir.now = saved }()
	if v := r.gitVar(env); v != "" {
		r.dir.now = r.gitDir(saved, v)
	}
	var set []string // by -c, for this command
	for range maxDepth {
		rest := words[1:]
		for len(rest) > 0 && len(rest[0]) > 1 && rest[0][0] == '-' {
			n := 1
			name, value, joined := strings.Cut(rest[0], "=")
			switch name {
			case "-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source", "--list-cmds", "-c":
				if !joined && len(rest) > 1 {
					n, value = 2, rest[1]
				}
			}
			switch name {
			case "-C":
				r.dir.now = r.join(r.dir.now, value)
			case "--git-dir":
				r.dir.now = r.gitDir(r.dir.now, value)
			case "-c":
				set = append(set, value)
			}
			rest = rest[n:]
		}
		if len(rest) == 0 {
			r.emit(words, before, env, nil)
			return
		}
		place := r.here()
		aliases := place.Aliases
		for _, setting := range set {
			aliases = withAlias(aliases, setting)
		}
		sub := rest[0]
		text, ok := aliases[sub]
		if !ok || builtins()[sub] {
			words = append([]string{"git"}, rest...)
			break
		}
		if line, shell := strings.CutPrefix(text, "!"); shell {
			args, has, old := r.args, r.hasArgs, place.Aliases
			place.Aliases, r.args, r.hasArgs = without(aliases, sub), rest[1:], true
			r.typed(line+` "$@"`, words, before, env)
			place.Aliases, r.args, r.hasArgs = old, args, has
			return
		}
		set = append(set, "alias."+sub+"=") // an alias does not expand itself
		words = slices.Concat([]string{"git"}, strings.Fields(strings.NewReplacer(`"`, "", `'`, "").Replace(text)), rest[1:])
	}
	r.emit(r.withSpecs(words, set), before, env, nil)
	r.after(words[1:])
}

// withSpecs returns a push that names nothing with the refspecs that its settings name.
func (r *reader) withSpecs(words, set []string) []string {
	if len(words) < 2 || words[1] != "push" || len(set) == 0 {
		return words
	}
	plain := 0
	for _, w := range words[2:] {
		if len(w) > 0 && w[0] != '-' {
			plain++
		}
	}
	if plain > 1 {
		return words
	}
	for _, setting := range set {
		key, spec, _ := strings.Cut(setting, "=")
		if remote, ok := PushRemote(key); ok && spec != "" {
			if plain == 0 {
				words = append(slices.Clone(words), remote)
				plain++
			}
			words = append(slices.Clone(words), spec)
		}
	}
	return words
}

// PushRemote returns the remote of a setting of git that says what a push without refspecs
// pushes: origin of remote.origin.push.
func PushRemote(key string) (remote string, ok bool) {
	low := strings.ToLower(key)
	if !strings.HasPrefix(low, "remote.") || !strings.HasSuffix(low, ".push") || len(key) <= len("remote..push") {
		return "", false
	}
	return key[len("remote.") : len(key)-len(".push")], true
}

// withAlias returns aliases with one that alias.NAME=TEXT defines.
func withAlias(aliases map[string]string, setting string) map[string]string {
	key, text, ok := strings.Cut(setting, "=")
	name, is := aliasName(key)
	if !ok || !is {
		return aliases
	}
	out := maps.Clone(aliases)
	if out == nil {
		out = make(map[string]string)
	}
	if out[name] = text; text == "" {
		delete(out, name)
	}
	return out
}

func without(aliases map[string]string, name string) map[string]string {
	out := maps.Clone(aliases)
	delete(out, name)
	return out
}

// aliasName returns the name of the alias that a setting of git defines.
func aliasName(key string) (string, bool) {
	if len(key) <= len("alias.") || !strings.EqualFold(key[:len("alias.")], "alias.") {
		return "", false
	}
	return key[len("alias."):], true
}

// builtins are commands of git, which no alias replaces.
var builtins = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq("add am apply archive bisect blame branch bundle cat-file checkout cherry-pick clean clone commit config describe diff fetch format-patch gc grep init log ls-files ls-remote ls-tree " +
		"merge mv notes pull push range-diff rebase reflog remote reset restore rev-list rev-parse revert rm send-pack shortlog show show-ref stash status submodule subtree switch symbolic-ref tag update-ref version worktree") {
		m[w] = true
	}
	return m
})

// after notes what a command of git changes for those behind it.
func (r *reader) after(words []string) {
	at := r.here()
	var flags, plain []string
	paths := false
	for _, w := range words[1:] {
		switch {
		case w == "--":
			paths = true
		case len(w) > 1 && w[0] == '-':
			flags = append(flags, w)
		case !paths:
			plain = append(plain, w)
		}
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(flags, func(f string) bool { return slices.Contains(names, f) })
	}
	switch words[0] {
	case "checkout", "switch":
		switch {
		case len(plain) == 0:
			if slices.Contains(words[1:], "-") {
				at.Branch = ""
			}
		case has("-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan"):
			at.Branch = plain[0]
		case has("-d", "--detach", "-t", "--track"):
			at.Branch = ""
		case plain[0] == "-" || strings.HasPrefix(plain[0], "@{"):
			at.Branch = ""
		case !paths && len(plain) == 1 && !has("-p", "--patch", "--ours", "--theirs") && !fileLike(plain[0]):
			at.Branch = strings.TrimPrefix(plain[0], "refs/heads/")
			if strings.ContainsAny(at.Branch, "$~^") || at.Branch == "HEAD" {
				at.Branch = ""
			}
		}
	case "branch":
		if has("-m", "-M", "--move") && len(plain) > 0 && (len(plain) == 1 || plain[0] == at.Branch) {
			at.Branch = plain[len(plain)-1]
		}
	case "init":
		for i, w := range words {
			if name, ok := strings.CutPrefix(w, "--initial-branch="); ok {
				at.Branch = name
			} else if (w == "-b" || w == "--initial-branch") && i+1 < len(words) {
				at.Branch = words[i+1]
			}
		}
	case "symbolic-ref":
		if len(plain) == 2 && plain[0] == "HEAD" {
			at.Branch = strings.TrimPrefix(plain[1], "refs/heads/")
		}
	case "config":
		if len(plain) > 0 && plain[0] == "set" {
			plain = plain[1:]
		}
		if len(plain) > 1 {
			at.Aliases = withAlias(at.Aliases, plain[0]+"="+strings.Join(plain[1:], " "))
		}
	}
}

// fileLike reports whether a word is rather a file than a branch.
func fileLike(w string) bool {
	return w == "." || w == ".." || strings.HasPrefix(w, "./") || strings.HasSuffix(w, "/") || strings.ContainsAny(w, "*?:") ||
		strings.Contains(w[strings.LastIndexByte(w, '/')+1:], ".") && !strings.ContainsAny(w, "0123456789")
}

// branchName returns the branch that a command prints, if it prints one that is known.
func (c *Command) branchName() (string, bool) {
	line := strings.Join(c.Words[1:], " ")
	switch line {
	case "branch --show-current", "rev-parse --abbrev-ref HEAD", "rev-parse --abbrev-ref @", "symbolic-ref --short HEAD", "symbolic-ref -q --short HEAD", "symbolic-ref --short -q HEAD":
		return c.Branch, c.Branch != ""
	case "symbolic-ref HEAD", "rev-parse --symbolic-full-name HEAD":
		return "refs/heads/" + c.Branch, c.Branch != ""
	}
	return "", false
}
