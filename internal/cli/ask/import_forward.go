package ask

import (
	"path/filepath"
	"slices"
	"strings"
)

// listPart is how many files of a directory one message lists.
const listPart = 2000

// below reports whether a file is in a directory that the command line of an import names, and
// not behind a link that leads out of it. The server gets to see no other.
func (l *Caller) below(name string) bool {
	if !slices.Contains(l.Args, "import") || name == "" {
		return false
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return false
	}
	for _, arg := range l.Args {
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
func (l *Caller) listed(name string, from int64) *Head {
	infos, err := l.Shell.Files.List(name)
	if err != nil {
		return failure(err)
	}
	h := &Head{}
	for _, i := range infos[min(max(from, 0), int64(len(infos))):] {
		if len(h.Infos) == listPart {
			break
		}
		h.Infos = append(h.Infos, packInfo(i))
	}
	return h
}
