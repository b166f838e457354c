package guide

import "strings"

const patchBegins = "*** Begin Patch"

// patchNames are the names of arguments that may hold a patch.
var patchNames = rawWords("input patch patchText patch_text command cmd diff")

// patched returns what the patches among the arguments do.
func (r *argReader) patched() (list []*act) {
	for _, text := range r.patches {
		list = append(list, patchActs(text)...)
	}
	return list
}

// patchActs returns what a patch does to files, one act a file. It may be one of apply_patch
// or a unified diff.
func patchActs(text string) (list []*act) {
	add := func(file, words string) {
		if file = strings.TrimSpace(file); file == "" || file == "/dev/null" || len(list) >= maxActs {
			return
		}
		a := writeAct(file, "patch "+file)
		addAll(a.verbs, setOf(words))
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
			}
			continue
		}
		if file, ok := strings.CutPrefix(line, "+++ "); ok {
			file, _, _ = strings.Cut(file, "\t")
			add(strings.TrimPrefix(strings.TrimSpace(file), "b/"), "")
		} else if file, ok := strings.CutPrefix(line, "--- a/"); ok {
			file, _, _ = strings.Cut(file, "\t")
			add(file, "")
		}
	}
	return list
}

// patches returns what the patch does that a command is given.
func patches(program string, words []string, input string) []*act {
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
