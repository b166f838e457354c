package act

import (
	"cmp"
	"path"
	"strings"

	"lukasa.dev/internal/shell"
)

// Place is what is known of the directory where an action would be taken. Paths are absolute and
// have slashes.
type Place struct {
	// Branch is the git branch that is checked out, empty if it is not known.
	Branch string
	// Aliases are the aliases of git, by name.
	Aliases map[string]string
	// Dir is the working directory, Root the project that it belongs to, and Home the user's
	// own directory. All may be empty.
	Dir, Root, Home string
	// Elsewhere is what is known of other directories that commands of the action run in, by
	// path: those of repositories. Commands in a directory that is not among them count as
	// commands of the project at hand.
	Elsewhere map[string]Place

	at func(dir string) (Place, bool)
}

const maxElsewhere = 16 // directories

// Visit finds the directories that commands of the action run in, beside its own, and notes what
// at knows of them in its place. At reports false of a directory that cannot be read or is in no
// repository.
func (a *Action) Visit(at func(dir string) (Place, bool)) {
	found := map[string]Place{}
	a.Place.at = func(dir string) (Place, bool) {
		if p, ok := found[dir]; ok {
			return p, true
		}
		if len(found) >= maxElsewhere {
			return Place{}, false
		}
		p, ok := at(dir)
		if ok {
			found[dir] = p
		}
		return p, ok
	}
	Of(a)
	a.Place.at = nil
	if len(found) > 0 {
		a.Place.Elsewhere = found
	}
}

// options returns what is known of the place for reading a line that begins in a directory of
// it, or in another one.
func (p *Place) options(in string) shell.Options {
	o := shell.Options{Branch: p.Branch, Aliases: p.Aliases, Dir: p.Dir, Root: p.Root, Home: p.Home, In: in}
	at := p.at
	if at == nil && p.Elsewhere != nil {
		at = func(dir string) (Place, bool) {
			other, ok := p.Elsewhere[dir]
			return other, ok
		}
	}
	if at != nil {
		o.At = func(dir string) (shell.Place, bool) {
			other, ok := at(dir)
			return shell.Place{Root: other.Root, Branch: other.Branch, Aliases: other.Aliases}, ok
		}
	}
	return o
}

// InProject returns the acts that are done in the project that the action is judged for: those
// in its directories, also of repositories below them, and those that name a path in it.
func (a *Action) InProject(acts []*Act) []*Act {
	if a.Project == "" {
		return acts
	}
	var out []*Act
	for _, x := range acts {
		if cmp.Or(x.root, a.Place.Root) == a.Project || a.Project == a.Place.Root && x.reaches(&a.Place) {
			out = append(out, x)
		}
	}
	return out
}

// reaches reports whether an act in another project is done below a place, or names a path there.
func (a *Act) reaches(p *Place) bool {
	if isWithin(a.Dir, p.Root) || isWithin(a.Dir, p.Dir) {
		return true
	}
	for _, name := range a.Paths {
		if !strings.HasPrefix(name, "/") {
			if !strings.HasPrefix(name, "../") || a.Dir == "" {
				continue
			}
			name = path.Join(a.Dir, name)
		}
		if isWithin(name, p.Root) || isWithin(name, p.Dir) {
			return true
		}
	}
	return false
}

// isWithin reports whether a path lies in a directory.
func isWithin(name, dir string) bool {
	return dir != "" && (name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/"))
}
