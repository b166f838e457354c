package agents

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// directories are those that install created, which uninstall removes when they are empty. They
// are listed in a file of ours, since a directory does not record its creator. Directories that
// are not listed stay.
type directories struct {
	file string // empty if nothing is recorded
	made []string
}

// loadDirectories reads the list.
func loadDirectories(state string) *directories {
	d := &directories{}
	if state == "" {
		return d
	}
	d.file = filepath.Join(state, "made-directories")
	data, err := os.ReadFile(d.file)
	if err != nil {
		return d
	}
	for line := range strings.Lines(string(data)) {
		if dir := strings.TrimRight(line, "\r\n"); filepath.IsAbs(dir) && !slices.Contains(d.made, dir) {
			d.made = append(d.made, dir)
		}
	}
	return d
}

// note adds created directories.
func (d *directories) note(made []string) {
	before := len(d.made)
	for _, dir := range made {
		if filepath.IsAbs(dir) && !strings.ContainsAny(dir, "\r\n") && !slices.Contains(d.made, dir) {
			d.made = append(d.made, dir)
		}
	}
	if len(d.made) > before {
		d.write()
	}
}

// remove removes directories, the innermost first, and deletes them from the list. One that is
// not empty stays.
func (d *directories) remove(dirs []string) {
	for _, dir := range dirs {
		if os.Remove(dir) == nil {
			d.made = slices.DeleteFunc(d.made, func(m string) bool { return m == dir })
		}
	}
	if len(dirs) > 0 {
		d.write()
	}
}

// write writes the file, or removes it if the list is empty.
func (d *directories) write() {
	if d.file == "" {
		return
	}
	if len(d.made) == 0 {
		_ = os.Remove(d.file)               // at worst an empty list remains
		_ = os.Remove(filepath.Dir(d.file)) // it may contain other files
		return
	}
	if err := os.MkdirAll(filepath.Dir(d.file), 0o700); err != nil {
		return // at worst a directory remains later
	}
	temp, err := write(d.file, []byte(strings.Join(d.made, "\n")+"\n"), 0o600)
	if err == nil && os.Rename(temp, d.file) != nil {
		_ = os.Remove(temp) // at worst an unused file remains
	}
}

// emptied returns the created directories that are empty once some files are gone, the
// innermost first.
func (d *directories) emptied(gone []string) []string {
	var out []string
	for _, file := range gone {
		for dir := filepath.Dir(file); slices.Contains(d.made, dir); dir = filepath.Dir(dir) {
			if !slices.Contains(out, dir) && !onlyHolds(dir, append(out, gone...)) {
				break
			}
			if !slices.Contains(out, dir) {
				out = append(out, dir)
			}
		}
	}
	return out
}

// onlyHolds reports whether a directory contains only the given paths.
func onlyHolds(dir string, paths []string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if !slices.Contains(paths, filepath.Join(dir, e.Name())) {
			return false
		}
	}
	return true
}

// missing returns the missing directories up to dir, the outermost first.
func missing(dir string) []string {
	var out []string
	for !isThere(dir) && filepath.Dir(dir) != dir {
		out = append(out, dir)
		dir = filepath.Dir(dir)
	}
	slices.Reverse(out)
	return out
}
