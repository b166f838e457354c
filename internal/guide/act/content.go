package act

import (
	"strings"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/shell"
)

// added is a text that an act puts into a file, and the text that it takes out.
type added struct{ put, took string }

// Adds reports whether an act puts a name of code into a file more often than it takes it out.
func (a *Act) Adds(name string) bool {
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
		if (i == 0 || !english.NameByte(text[i-1])) && (end == len(text) || !english.NameByte(text[end]) || name[len(name)-1] == '(') {
			n++
		}
		text = text[end:]
	}
}

// contentAct returns the act of adding texts to a file of code. For a document it returns nil,
// since a document may mention what code must not contain.
func contentAct(file, text string, list []added) *Act {
	if len(list) == 0 || isDocument(file) {
		return nil
	}
	a := New(text)
	AddAll(a.Verbs, contentVerbs())
	a.added = list
	return a
}

// contentVerbs are the verbs of what puts code into a file.
var contentVerbs = english.FoldedList("use add write put insert introduce leave include create call")

func isDocument(file string) bool {
	switch low := strings.ToLower(file[strings.LastIndexByte(file, '.')+1:]); low {
	case "md", "markdown", "rst", "txt", "adoc", "org":
		return true
	}
	return false
}

// contents returns the acts of putting text into files that a command does.
func contents(x *shell.Command) (list []*Act) {
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
