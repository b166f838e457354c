package ask

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lukasa.dev/internal/vault"
)

// vaultRoot returns the directory with Markdown files that the command line of an export or an
// import names, or nothing.
func (l *Caller) vaultRoot() string {
	if !slices.Contains(l.Args, "export") && !slices.Contains(l.Args, "import") {
		return ""
	}
	for i, arg := range l.Args {
		if dir, ok := strings.CutPrefix(arg, "--markdown="); ok {
			return dir
		}
		if arg == "--markdown" && i+1 < len(l.Args) {
			return l.Args[i+1]
		}
	}
	return ""
}

// inVault reports whether a file is in that directory, or is it, and not behind a link below.
func (l *Caller) inVault(name string) bool {
	root := l.vaultRoot()
	if root == "" || name == "" {
		return false
	}
	rel, err := filepath.Rel(root, name)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	at := root
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		if part == "." {
			continue
		}
		at = filepath.Join(at, part)
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return false
		}
	}
	return true
}

// vaulted makes a directory of a vault, or takes a file away that is named as a vault names
// its files.
func (l *Caller) vaulted(h *Head) *Head {
	name := string(h.Name)
	if !l.inVault(name) {
		return failure(fs.ErrPermission)
	}
	if h.Op == opMkdir {
		return failure(l.Shell.Files.Mkdir(name))
	}
	rel, err := filepath.Rel(l.vaultRoot(), name)
	if err != nil || !vault.Removable(filepath.ToSlash(rel)) {
		return failure(fs.ErrPermission)
	}
	return failure(l.Shell.Files.Remove(name))
}
