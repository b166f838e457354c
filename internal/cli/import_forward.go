package cli

import (
	"path/filepath"
	"slices"
	"strings"
)

// listPart is how many files of a directory are told at once.
const listPart = 2000

// below reports whether a file is in a directory that the command line of an import names, and
// not behind a link that leads out of it. The server gets to see no other.
func (l *caller) below(name string) bool {
	if !slices.Contains(l.args, "import") || name == "" {
		return false
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return false
	}
	for _, arg := range l.args {
		if arg == "" || strings.HasPrefix(arg, "-") {
			continue
		}
		root, err := filepath.EvalSymlinks(arg)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// listed tells a part of what is in a directory.
func (l *caller) listed(name string, from int64) *head {
	infos, err := l.shell.files.list(name)
	if err != nil {
		return failure(err)
	}
	h := &head{}
	for _, i := range infos[min(max(from, 0), int64(len(infos))):] {
		if len(h.Infos) == listPart {
			break
		}
		h.Infos = append(h.Infos, packInfo(i))
	}
	return h
}
