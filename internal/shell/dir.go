package shell

import (
	"path"
	"slices"
	"strings"

	"lukasa.dev/internal/programs"
)

// Place is what is known of a directory.
type Place struct {
	// Root is the project that it belongs to.
	Root string
	// Branch is the git branch that is checked out there, empty if it is not known.
	Branch string
	// Aliases are the aliases of git there, by name.
	Aliases map[string]string
}

// dirs is where a line is: the directory of the command at hand, and those it may return to.
// An empty path is a directory that is not known.
type dirs struct {
	now, last string
	stack     []string
}

// placeAt returns what is known of a directory. Of one that is not known, or cannot be read, it
// is what is known of the one that the line begins in.
func (r *reader) placeAt(dir string) *Place {
	if dir == "" || dir == r.begins || r.at == nil {
		return r.own
	}
	if p, ok := r.seen[dir]; ok {
		return p
	}
	p := r.own
	if found, ok := r.at(dir); ok {
		key := found.Root + "\x00" + found.Branch
		if r.places == nil {
			r.places, r.seen = map[string]*Place{r.ownKey: r.own}, map[string]*Place{}
		}
		if p, ok = r.places[key]; !ok { // a branch is checked out in one working tree only
			p = &found
			r.places[key] = p
		}
	}
	if r.seen == nil {
		r.seen = map[string]*Place{}
	}
	r.seen[dir] = p
	return p
}

// here returns what is known of the directory at hand.
func (r *reader) here() *Place { return r.placeAt(r.dir.now) }

// join returns a path as seen from a directory, empty if that cannot be known.
func (r *reader) join(dir, name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if name == "~" || strings.HasPrefix(name, "~/") {
		if r.home == "" {
			return ""
		}
		return path.Join(r.home, name[1:])
	}
	switch {
	case name == "" || strings.ContainsAny(name, "$`*?") || name[0] == '~':
		return ""
	case name[0] == '/' || len(name) > 2 && name[1] == ':' && name[2] == '/':
		return path.Clean(name)
	case dir == "":
		return ""
	}
	return path.Join(dir, name)
}

// enter goes to a directory.
func (r *reader) enter(dir string) { r.dir.last, r.dir.now = r.dir.now, dir }

// changes follows cd, pushd and popd. It reports whether it did.
func (r *reader) changes(name string, words []string) {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return len(w) > 1 && w[0] == '-' })
	switch name {
	case "cd", "chdir", "set-location":
		switch {
		case len(words) == 0:
			r.enter(r.home)
		case words[0] == "-":
			r.enter(r.dir.last)
		default:
			r.enter(r.join(r.dir.now, words[0]))
		}
	case "pushd":
		n := len(r.dir.stack)
		switch {
		case len(words) > 0 && words[0][0] != '+':
			if n < maxWords {
				r.dir.stack = append(slices.Clone(r.dir.stack), r.dir.now)
			}
			r.enter(r.join(r.dir.now, words[0]))
		case len(words) == 0 && n > 0:
			r.dir.stack = slices.Clone(r.dir.stack)
			top := r.dir.stack[n-1]
			r.dir.stack[n-1] = r.dir.now
			r.enter(top)
		default:
			r.enter("")
		}
	case "popd":
		if n := len(r.dir.stack); n > 0 {
			r.enter(r.dir.stack[n-1])
			r.dir.stack = r.dir.stack[:n-1]
		}
	}
}

// workDir returns the directory that a program is given to work in by its flags, and whether it
// is given one.
func (r *reader) workDir(name string, words []string) (dir string, ok bool) {
	flags := programs.DirFlags(name)
	if flags == nil {
		return "", false
	}
	for i, w := range words {
		key, value, joined := strings.Cut(w, "=")
		if !slices.Contains(flags, key) {
			continue
		}
		if !joined {
			if i+1 == len(words) {
				return "", false
			}
			value = words[i+1]
		}
		return r.join(r.dir.now, value), true
	}
	return "", false
}

// gitDir returns the directory whose repository a path of git's own files belongs to.
func (r *reader) gitDir(dir, name string) string {
	p := r.join(dir, name)
	if path.Base(p) == ".git" {
		return path.Dir(p)
	}
	return p
}

// gitVar returns the value of GIT_DIR that holds for a command.
func (r *reader) gitVar(env []string) string {
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "GIT_DIR="); ok {
			return v
		}
	}
	if v := r.vars["GIT_DIR"]; v.exported {
		return v.String()
	}
	return ""
}
