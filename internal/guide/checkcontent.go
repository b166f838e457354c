package guide

import (
	"strings"

	"lukasa.dev/internal/shell"
)

// added is a text that an act puts into a file, and the text that it takes out.
type added struct{ put, took string }

// adds reports whether an act puts a name of code into a file more often than it takes it out.
func (a *act) adds(name string) bool {
	put, took := 0, 0
	for _, x := range a.added {
		put += occurrences(x.put, name)
		took += occurrences(x.took, name)
	}
	return put > took
}

// occurrences counts how often a name of code stands in a text, by itself. That of a call ends
// with a parenthesis.
func occurrences(text, name string) int {
	n := 0
	for {
		i := strings.Index(text, name)
		if i < 0 {
			return n
		}
		end := i + len(name)
		if (i == 0 || !nameByte(text[i-1])) && (end == len(text) || !nameByte(text[end]) || name[len(name)-1] == '(') {
			n++
		}
		text = text[end:]
	}
}

func nameByte(c byte) bool { return letterOrDigit(c) || c == '_' || c == '$' }

// contentAct returns the act of putting texts into a file of code. Of a document it is none: it
// may speak of what code must not have.
func contentAct(file, text string, list []added) *act {
	if len(list) == 0 || isDocument(file) {
		return nil
	}
	a := newAct(text)
	addAll(a.verbs, contentVerbs())
	a.added = list
	return a
}

// contentVerbs are the verbs of what puts code into a file.
var contentVerbs = foldedWords("use add write put insert introduce leave include create call")

func isDocument(file string) bool {
	switch low := strings.ToLower(file[strings.LastIndexByte(file, '.')+1:]); low {
	case "md", "markdown", "rst", "txt", "adoc", "org":
		return true
	}
	return false
}

// contents returns the acts of putting text into files that a command does.
func contents(x *shell.Command) (list []*act) {
	text := ""
	files := x.Writes
	if len(x.Words) > 0 {
		switch name := x.Words[0]; name {
		case "echo", "printf":
			text = strings.Join(x.Words[1:], " ")
		case "cat":
			text = x.Input
		case "tee":
			text, files = x.Input, x.Words[1:]
		}
	}
	if text == "" {
		return nil
	}
	for _, file := range files {
		if a := contentAct(file, "> "+file, []added{{put: text}}); a != nil {
			list = append(list, a)
		}
	}
	return list
}

// codeLike reports whether a word of a rule is a name of code, such as console.log, rather than
// a file or a host.
func codeLike(v string) bool {
	dot := strings.LastIndexByte(v, '.')
	if dot <= 0 || dot == len(v)-1 || strings.ContainsAny(v, "/*~:@ ") {
		return false
	}
	for i := range len(v) {
		if !nameByte(v[i]) && v[i] != '.' {
			return false
		}
	}
	return v[0] > '9' && !endings()[strings.ToLower(v[dot+1:])]
}

// endings are those of files and of the names of machines.
var endings = rawWords("py js ts jsx tsx mjs cjs sh bash zsh go rb rs c h cc cpp hpp java kt swift cs php pl lua sql json jsonc yaml yml toml lock md rst txt env cfg ini conf xml html htm css scss vue svelte proto tf csv pdf png jpg svg gz zip tar exe dll so bak tmp out mk gradle sum mod " +
	"com org net io dev ai app cloud internal local example test edu gov de uk eu us co")
