package agents

import (
	"os"
	"path/filepath"
	"strings"
)

// World is the machine, as far as it determines where the files of agents are.
type World struct {
	// Lookup returns an environment variable, as [os.LookupEnv] does.
	Lookup func(string) (string, bool)
	// OS is the operating system as in Go.
	OS string
	// Home is the home directory.
	Home string
	// State is where Lukasa records what it did on this machine; empty means nowhere.
	State string
	// Project is the directory of a project whose settings are edited; empty means those of the
	// user.
	Project string
}

func (w *World) env(name string) string {
	value, _ := w.Lookup(name)
	return value
}

// config is the configuration directory by the convention of Unix.
func (w *World) config() string {
	if dir := w.env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(w.Home, ".config")
}

// appData is the settings directory of desktop applications.
func (w *World) appData() string {
	switch w.OS {
	case "darwin":
		return filepath.Join(w.Home, "Library", "Application Support")
	case "windows":
		if dir := w.env("APPDATA"); dir != "" {
			return dir
		}
		return filepath.Join(w.Home, "AppData", "Roaming")
	}
	return w.config()
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// OnPath returns the path of a program on the search path, or nothing. It does not run it.
func (w *World) OnPath(program string) string {
	names := []string{program}
	if w.OS == "windows" {
		names = []string{program + ".exe", program + ".cmd", program + ".bat"}
	}
	for _, dir := range filepath.SplitList(w.env("PATH")) {
		for _, name := range names {
			path := filepath.Join(dir, name)
			info, err := os.Stat(path)
			if err == nil && filepath.IsAbs(path) && info.Mode().IsRegular() && (w.OS == "windows" || info.Mode()&0o111 != 0) {
				return path
			}
		}
	}
	return ""
}

// Found returns what indicates that an agent is installed: its existing directories, and its
// program on the search path.
func (a *Agent) Found(w *World) []string {
	var found []string
	for _, mark := range a.marks(w) {
		if isThere(mark) {
			found = append(found, mark)
		}
	}
	for _, program := range a.programs {
		if path := w.OnPath(program); path != "" {
			found = append(found, path)
		}
	}
	return found
}

// absence says where an agent was searched.
func (a *Agent) absence(w *World) string {
	var places []string
	places = append(places, a.marks(w)...)
	for _, program := range a.programs {
		places = append(places, "`"+program+"` on the search path")
	}
	return strings.Join(places, ", ")
}
