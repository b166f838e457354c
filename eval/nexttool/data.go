package nexttool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
)

// SessionsFile is the name of the file that maps sessions to tasks, beside the events.
const SessionsFile = "sessions.json"

const wanted = "name a directory with *.ndjson files of HMX events and a " + SessionsFile

// Set is sessions of agents with their tasks.
type Set struct {
	Sessions []Session // in order of first occurrence
	Events   int
}

// Session is what one session did.
type Session struct {
	Name   string
	Fold   int
	Events []*hmx.Event // in the order of the file
}

// listed is an entry of the file of sessions, without unused members.
type listed struct {
	Session string `json:"session"`
	Task    string `json:"task"`
}

// Load reads the sessions in a directory. Errors name the file and line; nothing is skipped.
// Sessions of the same task are in the same fold: that of the task's number, or of its place in
// the file if it has none.
func Load(dir string) (*Set, error) {
	folds, err := readFolds(filepath.Join(dir, SessionsFile))
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.ndjson"))
	if err != nil || len(paths) == 0 {
		return nil, fault.Newf(fault.UnreadableInput, "%q has no *.ndjson files", dir).WithFix(wanted)
	}
	slices.Sort(paths)
	s := &Set{}
	places := make(map[string]int)
	for _, path := range paths {
		if err := s.read(path, folds, places); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func readFolds(path string) (map[string]int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Newf(fault.UnreadableInput, "%w", err).WithFix(wanted)
	}
	var sessions []listed
	if err := json.Unmarshal(data, &sessions); err != nil {
		return nil, fault.Newf(fault.InvalidDocument, "%s: %w", path, err).WithFix("write an array of objects with session and task")
	}
	folds, tasks := make(map[string]int), make(map[string]int)
	for _, l := range sessions {
		task, known := tasks[l.Task]
		if !known {
			if task, err = strconv.Atoi(l.Task); err != nil || task < 0 {
				task = len(tasks)
			}
			tasks[l.Task] = task
		}
		folds[l.Session] = task % Folds
	}
	return folds, nil
}

func (s *Set) read(path string, folds, places map[string]int) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fault.Newf(fault.UnreadableInput, "%w", err).WithFix(wanted)
	}
	line := 0
	for text := range bytes.Lines(data) {
		line++
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		ev, _, err := hmx.DecodeEvent(text)
		if err != nil {
			return invalid(path, line, err)
		}
		name := ev.SessionID
		fold, known := folds[name]
		if !known {
			return invalid(path, line, fmt.Errorf("session_id: %q is not in %s", name, SessionsFile))
		}
		at, known := places[name]
		if !known {
			at = len(s.Sessions)
			places[name] = at
			s.Sessions = append(s.Sessions, Session{Name: name, Fold: fold})
		}
		s.Sessions[at].Events = append(s.Sessions[at].Events, ev)
		s.Events++
	}
	return nil
}

func invalid(path string, line int, err error) error {
	wrong := fault.Newf(fault.InvalidDocument, "%s:%d: %w", path, line, err)
	var document *hmx.InvalidError
	if errors.As(err, &document) {
		return wrong.WithFix("`lukasa validate " + path + "` shows everything that is wrong with it")
	}
	return wrong.WithFix("correct it there; nothing is evaluated in part")
}
