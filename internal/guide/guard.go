package guide

import (
	"path"
	"slices"
	"strings"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/guide/act"
)

// Rules would be worth little if the agent that they bind could switch them off. While a hard
// rule holds, a call that ends rules, their enforcement or the hooks is for a person.

// guards returns what an act would switch off, empty if it does not.
func guards(a *act.Act) string {
	if a.Program == act.OwnProgram {
		return ownCommand(a)
	}
	if a.Program == "" && a.OwnTool != "" {
		switch a.OwnTool {
		case "forget", "redact_memory", "restore_memory":
			return "a tool of Lukasa that ends or changes rules"
		}
		return ""
	}
	for _, p := range a.Paths {
		if path.Base(p) == "TOKEN" && path.Base(path.Dir(p)) == ".lukasa" {
			return "what the token of Lukasa's server gives access to"
		}
	}
	if !a.ChangesFiles() {
		return ""
	}
	gone := a.Verbs[english.Fold("delete")] || a.Verbs[english.Fold("move")]
	for _, p := range a.Paths {
		if a.Dir != "" && p[0] != '/' && p[0] != '~' {
			p = path.Join(a.Dir, p)
		}
		if what := guardedPath(p, gone); what != "" {
			return what
		}
	}
	return ""
}

// ownCommand returns what a command of Lukasa would switch off.
func ownCommand(a *act.Act) string {
	if a.Has("--help", "-h", "--print", "--dry-run") {
		return ""
	}
	words := ownWords(a.Argv)
	sub := ""
	if len(words) > 0 {
		sub = words[0]
	}
	switch sub {
	case "forget", "redact", "restore", "hook", "ingest", "import", "uninstall":
		return "`lukasa " + sub + "`"
	case "project":
		if a.Has("--enforce", "--record") {
			return "`lukasa project`"
		}
	case "install":
		if a.Has("--enforce") {
			return "`lukasa install --enforce`"
		}
	case "remember":
		if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "said/") }) {
			return "`lukasa remember` of what a user said"
		}
	case "conflicts":
		if slices.Contains(words, "resolve") {
			return "`lukasa conflicts resolve`"
		}
	}
	return ""
}

// ownWords returns the words of a command of Lukasa without its flags and the values of those
// that may stand before the subcommand.
func ownWords(argv []string) (words []string) {
	for i := 0; i < len(argv); i++ {
		switch w := argv[i]; {
		case w == "--data" || w == "--tenant" || w == "--scope" || w == "--wait" || w == "--config":
			i++
		case len(w) > 0 && w[0] != '-':
			words = append(words, w)
		}
	}
	return words
}

// guardedDirs are directories that hold settings of hooks, or the data directory.
var guardedDirs = english.List(".lukasa .claude .codex .gemini .cursor .opencode")

// guardedPath returns what a path holds that an agent must not change, empty if nothing. Gone says
// that the path is removed or moved, with what is below it.
//
// These are the files that `lukasa install` writes hooks to, and those that switch hooks off.
func guardedPath(p string, gone bool) string {
	p = strings.TrimSuffix(p, "/")
	dir, name := path.Base(path.Dir(p)), path.Base(p)
	const settings = "the settings of the agent that hold Lukasa's hooks"
	switch {
	case name == ".lukasa" || slices.Contains(strings.Split(p, "/"), ".lukasa"):
		return "the settings of Lukasa"
	case dir == ".claude" && (name == "settings.json" || name == "settings.local.json"),
		dir == ".codex" && (name == "hooks.json" || name == "config.toml"),
		dir == ".gemini" && name == "settings.json",
		dir == ".cursor" && name == "hooks.json",
		strings.HasSuffix(p, ".github/hooks/lukasa.json"), strings.HasSuffix(p, ".copilot/hooks/lukasa.json"),
		(dir == "plugin" || dir == "plugins") && name == "lukasa.js",
		gone && guardedDirs()[name]:
		return settings
	}
	return ""
}

// Guarded reports whether a file holds settings that an agent must not change while a hard rule
// holds.
func Guarded(file string) bool { return guardedPath(strings.ReplaceAll(file, `\`, "/"), false) != "" }

// guard adds a reason to stop for what would switch off the rules, while a hard one holds.
func (k *checking) guard() {
	if !k.hard {
		return
	}
	for _, a := range k.all {
		if what := guards(a); what != "" {
			k.ruled = true
			k.add(Stop, "", "", "a hard rule holds here, and only a person may change %s: %s", what, a.Text)
			k.v.Reasons[len(k.v.Reasons)-1].Guards = what
			return
		}
	}
}
