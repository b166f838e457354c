package project

import (
	"fmt"
	"path/filepath"
	"strings"
)

// SettingsFile is the name of the file with a user's settings for a project.
const SettingsFile = ".lukasa"

// Settings are a user's settings for a project. The zero value sets nothing.
type Settings struct {
	// NoRecord says that nothing in the project is recorded.
	NoRecord bool `json:"no_record,omitempty"`
	// Enforce is the enforcement of hard rules: off, ask or deny. Empty means the setting of
	// the agent's installation.
	Enforce string `json:"enforce,omitempty"`
	// File is the settings file; empty if there is none.
	File string `json:"file,omitempty"`
	// Problems are the invalid lines of the file, with the reasons.
	Problems []string `json:"problems,omitempty"`
}

// Enforcements are the values of the setting enforce.
func Enforcements() []string { return []string{"off", "ask", "deny"} }

// ParseSettings parses a settings file: lines of the form name = value.
//
//	# nothing that happens here is recorded
//	record = off
//	enforce = deny
//
// A file is part of its repository, and an agent can write it. So it may end recording and make
// rules stricter, but it cannot switch a user's rules off: that is for `lukasa project`.
func ParseSettings(text string) Settings {
	var s Settings
	n := 0
	for line := range strings.Lines(text) {
		n++
		if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) == "" {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.ToLower(strings.Trim(strings.TrimSpace(value), `"'`))
		switch {
		case !ok:
			s.problem(n, "is not of the form name = value")
		case name == "record" && (value == "on" || value == "true" || value == "yes"):
			s.NoRecord = false
		case name == "record" && (value == "off" || value == "false" || value == "no"):
			s.NoRecord = true
		case name == "record":
			s.problem(n, fmt.Sprintf("record is %q, and may be on or off", value))
		case name == "enforce" && (value == "ask" || value == "deny"):
			s.Enforce = value
		case name == "enforce" && value == "off":
			s.problem(n, "a file of the project cannot switch rules off: run `lukasa project --enforce off` there")
		case name == "enforce":
			s.problem(n, fmt.Sprintf("enforce is %q, and may be ask or deny", value))
		default:
			s.problem(n, fmt.Sprintf("%q is no setting: use record or enforce", name))
		}
		if len(s.Problems) >= 8 {
			break // it is some other file
		}
	}
	return s
}

func (s *Settings) problem(line int, what string) {
	s.Problems = append(s.Problems, fmt.Sprintf("line %d: %s", line, what))
}

// settingsAbove returns the settings for a directory: those of the nearest file at or above it,
// up to its working tree, and otherwise of the project's root.
func settingsAbove(dir, root, tree string) Settings {
	last := tree
	if last == "" {
		last = root
	}
	for at, n := dir, 0; n < maxUp; n++ {
		if s, ok := settingsIn(at); ok {
			return s
		}
		up := filepath.Dir(at)
		if at == last || up == at {
			break
		}
		at = up
	}
	if root != last {
		if s, ok := settingsIn(root); ok {
			return s
		}
	}
	return Settings{}
}

func settingsIn(dir string) (Settings, bool) {
	name := filepath.Join(dir, SettingsFile)
	text := readFile(name)
	if text == nil {
		return Settings{}, false
	}
	s := ParseSettings(string(text))
	s.File = name
	return s, true
}
