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
	aliases := r.gitAliases
	for range maxDepth {
		rest := words[1:]
		for len(rest) > 0 && len(rest[0]) > 1 && rest[0][0] == '-' {
			n := 1
			switch rest[0] {
			case "-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source", "--list-cmds":
				n = 2
			case "-c":
				n = 2
				if len(rest) > 1 {
					aliases = withAlias(aliases, rest[1])
				}
			}
			rest = rest[min(n, len(rest)):]
		}
		if len(rest) == 0 {
			r.emit(words, before, env, nil)
			return
		}
		sub := rest[0]
		text, ok := aliases[sub]
		if !ok || builtins()[sub] {
			words = append([]string{"git"}, rest...)
			break
		}
		if line, shell := strings.CutPrefix(text, "!"); shell {
			aliases, saved := without(aliases, sub), r.gitAliases
			args, has := r.args, r.hasArgs
			r.gitAliases, r.args, r.hasArgs = aliases, rest[1:], true
			r.typed(line+` "$@"`, words, before, env)
			r.gitAliases, r.args, r.hasArgs = saved, args, has
			return
		}
		aliases = without(aliases, sub)
		words = slices.Concat([]string{"git"}, strings.Fields(strings.NewReplacer(`"`, "", `'`, "").Replace(text)), rest[1:])
	}
	r.emit(words, before, env, nil)
	r.after(words[1:])
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
	out[name] = text
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
		"merge mv notes pull push range-diff rebase reflog remote reset restore rev-list rev-parse revert rm send-pack shortlog show show-ref stash status submodule switch symbolic-ref tag update-ref version worktree") {
		m[w] = true
	}
	return m
})

// after notes what a command of git changes for those behind it.
func (r *reader) after(words []string) {
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
				r.branch = ""
			}
		case has("-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan"):
			r.branch = plain[0]
		case has("-d", "--detach", "-t", "--track"):
			r.branch = ""
		case plain[0] == "-" || strings.HasPrefix(plain[0], "@{"):
			r.branch = ""
		case !paths && len(plain) == 1 && !has("-p", "--patch", "--ours", "--theirs") && !fileLike(plain[0]):
			r.branch = strings.TrimPrefix(plain[0], "refs/heads/")
			if strings.ContainsAny(r.branch, "$~^") || r.branch == "HEAD" {
				r.branch = ""
			}
		}
	case "branch":
		if has("-m", "-M", "--move") && len(plain) > 0 && (len(plain) == 1 || plain[0] == r.branch) {
			r.branch = plain[len(plain)-1]
		}
	case "init":
		for i, w := range words {
			if name, ok := strings.CutPrefix(w, "--initial-branch="); ok {
				r.branch = name
			} else if (w == "-b" || w == "--initial-branch") && i+1 < len(words) {
				r.branch = words[i+1]
			}
		}
	case "symbolic-ref":
		if len(plain) == 2 && plain[0] == "HEAD" {
			r.branch = strings.TrimPrefix(plain[1], "refs/heads/")
		}
	case "config":
		if len(plain) > 0 && plain[0] == "set" {
			plain = plain[1:]
		}
		if len(plain) > 1 {
			r.gitAliases = withAlias(r.gitAliases, plain[0]+"="+strings.Join(plain[1:], " "))
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
