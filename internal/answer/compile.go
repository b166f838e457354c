package answer

import "lukasa.dev"

// Compiled says what a compile did, or would do.
type Compiled struct {
	DryRun    bool            `json:"dry_run"`
	Sessions  int             `json:"sessions"`
	Events    int             `json:"events"`
	Tasks     int             `json:"tasks"`
	Changes   []CompileChange `json:"changes"`
	Unchanged int             `json:"unchanged"`
	State
}

// CompileChange is one thing that a compile did.
type CompileChange struct {
	Op     lukasa.CompileOp `json:"op"`
	URI    lukasa.URI       `json:"uri"`
	Class  string           `json:"class,omitempty"`
	Title  string           `json:"title,omitempty"`
	Reason string           `json:"reason,omitempty"`
}

// CompiledOf answers a compile.
func CompiledOf(r *lukasa.CompileReport, dry bool) *Compiled {
	a := &Compiled{
		DryRun: dry, Sessions: r.Sessions, Events: r.Events, Tasks: r.Tasks, Changes: []CompileChange{}, Unchanged: r.Unchanged,
		State: StateOf(r.Root),
	}
	for _, x := range r.Changes {
		a.Changes = append(a.Changes, CompileChange(x))
	}
	return a
}

// Next is what a session may do next.
type Next struct {
	Session     string       `json:"session"`
	Steps       int          `json:"steps"`
	Artifacts   int          `json:"artifacts"`
	Suggestions []Suggestion `json:"suggestions"`
}

// Suggestion is a tool that may come next.
type Suggestion struct {
	Tool        string   `json:"tool"`
	Probability float64  `json:"probability"`
	Reason      string   `json:"reason"`
	Artifacts   []string `json:"artifacts"`
}

// NextOf answers what may come next.
func NextOf(session string, found *lukasa.NextSteps) *Next {
	a := &Next{Session: session, Steps: found.Steps, Artifacts: found.Artifacts, Suggestions: []Suggestion{}}
	for _, x := range found.Suggestions {
		a.Suggestions = append(a.Suggestions, Suggestion{x.Tool, x.Probability, x.Reason, append([]string{}, x.Artifacts...)})
	}
	return a
}
