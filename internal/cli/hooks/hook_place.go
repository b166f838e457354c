package hooks

import (
	"path/filepath"

	"lukasa.dev"
	"lukasa.dev/internal/cli/projects"
	"lukasa.dev/internal/guide"
	"lukasa.dev/internal/hook"
	"lukasa.dev/internal/project"
)

// hookPlace is what a hook knows about where an agent acts: its working directory, and other
// directories that commands of the call run in. It travels to a server as JSON.
type hookPlace struct {
	project.Place
	Dir  string `json:"dir,omitempty"`
	Home string `json:"home,omitempty"`
	// Elsewhere are the repositories that commands of the call run in, by directory.
	Elsewhere map[string]otherPlace `json:"elsewhere,omitempty"`
}

// otherPlace is a directory of another repository, with the enforcement of hard rules there.
type otherPlace struct {
	project.Place
	Enforce string `json:"enforce,omitempty"`
}

// judged is a project that a call acts in.
type judged struct {
	place   *project.Place
	enforce string
}

// projects returns the projects that the call acts in, that of the working directory first.
func (h *hooking) projects() []judged {
	list := []judged{{&h.place.Place, h.enforce}}
	seen := map[string]bool{h.place.Root: true}
	for _, p := range h.place.Elsewhere {
		if !seen[p.Root] {
			seen[p.Root] = true
			list = append(list, judged{&p.Place, p.Enforce})
		}
	}
	return list
}

// enforces reports whether rules stop calls in one of the projects that this call acts in.
func (h *hooking) enforces() bool {
	for _, p := range h.projects() {
		if p.enforce != "off" {
			return true
		}
	}
	return false
}

// visit reads the other directories in which commands of the call run. A directory that cannot
// be read, or is in no repository, counts as the working directory.
func (h *hooking) visit(own *projects.OwnSettings) {
	if h.call.Ask != hook.Act {
		return
	}
	a := h.action("")
	a.Visit(func(dir string) (guide.Place, bool) {
		p, ok := projects.RepositoryAt(dir, h.shell.Home())
		if !ok {
			return guide.Place{}, false
		}
		if h.place.Elsewhere == nil {
			h.place.Elsewhere = make(map[string]otherPlace)
		}
		h.place.Elsewhere[dir] = otherPlace{p, h.mode(projects.PolicyAt(&p, own.Of(&p), h.flags.enforce).Enforce)}
		return projects.PlaceFor(&p), true
	})
}

// mode returns the enforcement of hard rules. If there is no user to ask, ask becomes deny.
func (h *hooking) mode(enforce string) string {
	if enforce == "ask" && !h.canAsk() {
		return "deny"
	}
	return enforce
}

// action returns the planned action of the agent and its place. Only its effects in the project
// of root are judged; without a root, all are.
func (h *hooking) action(root string) lukasa.Action {
	a := lukasa.Action{Tool: h.call.Tool, Arguments: h.call.Arguments, Place: projects.PlaceFor(&h.place.Place), Project: filepath.ToSlash(root)}
	a.Place.Dir, a.Place.Home = filepath.ToSlash(h.place.Dir), filepath.ToSlash(h.place.Home)
	for dir, p := range h.place.Elsewhere {
		if a.Place.Elsewhere == nil {
			a.Place.Elsewhere = make(map[string]guide.Place)
		}
		a.Place.Elsewhere[dir] = projects.PlaceFor(&p.Place)
	}
	return a
}

// settle sets the settings of the place of a hook: whether events are recorded, and the
// enforcement of hard rules.
func (h *hooking) settle() {
	own, err := projects.ReadOwnSettings(h.dir)
	if err != nil {
		h.log(err.Error())
	}
	a := projects.PolicyAt(&h.place.Place, own.Of(&h.place.Place), h.flags.enforce)
	for _, problem := range a.Problems {
		h.log(a.File + ", " + problem)
	}
	h.place.Settings = project.Settings{NoRecord: !a.Record} // the server relies on it
	if !a.Record {
		h.call.Events = nil
	}
	h.enforce = h.mode(a.Enforce)
	h.visit(&own)
}
