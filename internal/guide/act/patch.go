package act

import (
	"strings"

	"lukasa.dev/internal/english"
)

const patchBegins = "*** Begin Patch"

// patchNames are the names of arguments that may hold a patch.
var patchNames = english.List("input patch patchText patch_text command cmd diff")

// patched returns what the patches among the arguments do.
func (r *argReader) patched() (list []*Act) {
	for _, text := range r.patches {
		list = append(list, patchActs(text)...)
	}
	return list
}

// patchActs returns what a patch does to files, one act a file. It may be one of apply_patch
// or a unified diff.
func patchActs(text string) (list []*Act) {
	name := ""
	var put, took strings.Builder
	end := func() {
		if a := contentAct(name, "patch "+name, []added{{put.String(), took.String()}}); a != nil && name != "" {
			list = append(list, a)
		}
		put.Reset()
		took.Reset()
	}
	add := func(file, words string) {
		if file = strings.TrimSpace(file); file == "" || file == "/dev/null" || len(list) >= maxActs {
			return
		}
		if file != name {
			end()
		}
		name = file
		a := writeAct(file, "patch "+file)
		AddAll(a.Verbs, english.Folded(words))
		list = append(list, a)
	}
	own := strings.Contains(text, patchBegins)
	for line := range strings.Lines(text) {
		if own {
			if file, ok := strings.CutPrefix(line, "*** Add File: "); ok {
				add(file, "add create")
			} else if file, ok := strings.CutPrefix(line, "*** Update File: "); ok {
				add(file, "")
			} else if file, ok := strings.CutPrefix(line, "*** Delete File: "); ok {
				add(file, "delete remove")
			} else if file, ok := strings.CutPrefix(line, "*** Move to: "); ok {
				add(file, "move rename")
			} else {
				changed(line, &put, &took)
			}
			continue
		}
		if file, ok := strings.CutPrefix(line, "+++ "); ok {
			file, _, _ = strings.Cut(file, "\t")
			add(strings.TrimPrefix(strings.TrimSpace(file), "b/"), "")
		} else if file, ok := strings.CutPrefix(line, "--- a/"); ok {
			file, _, _ = strings.Cut(file, "\t")
			add(file, "")
		} else {
			changed(line, &put, &took)
		}
	}
	end()
	return list
}

// changed notes a line of a patch that is put in or taken out.
func changed(line string, put, took *strings.Builder) {
	switch line[0] {
	case '+':
		put.WriteString(line[1:])
	case '-':
		took.WriteString(line[1:])
	}
}

// patches returns what the patch does that a command is given.
func patches(program string, words []string, input string) []*Act {
	switch program {
	case "apply_patch", "applypatch":
		for _, w := range words {
			if strings.Contains(w, patchBegins) {
				input = w
			}
		}
		return patchActs(input)
	case "patch", "git":
		if program == "patch" || len(words) > 0 && words[0] == "apply" {
			return patchActs(input)
		}
	}
	return nil
}
