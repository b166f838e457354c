package answer

import "lukasa.dev"

// Compiled is what a compile did, or would do.
type Compiled struct {
	DryRun    bool            `json:"dry_run"`
	Sessions  int             `json:"sessions"`
	Events    int             `json:"events"`
	Tasks     int             `json:"tasks"`
	Changes   []CompileChange `json:"changes"`
	Unchanged int             `json:"unchanged"`
	State
}

// CompileChange is one change of a compile.
type CompileChange struct {
	Op     lukasa.CompileOp `json:"op"`
	URI    lukasa.URI       `json:"uri"`
	Class  string           `json:"class,omitempty"`
	Title  string           `json:"title,omitempty"`
	Reason string           `json:"reason,omitempty"`
}

// CompiledOf converts the report of a compile.
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

// Next is the suggested next steps of a session.
type Next struct {
	Session     string       `json:"session"`
	Steps       int          `json:"steps"`
	Artifacts   int          `json:"artifacts"`
	Suggestions []Suggestion `json:"suggestions"`
}

// Suggestion is a possible next tool.
type Suggestion struct {
	Tool        string   `json:"tool"`
	Probability float64  `json:"probability"`
	Reason      string   `json:"reason"`
	Artifacts   []string `json:"artifacts"`
}

// NextOf converts the suggested next steps.
func NextOf(session string, found *lukasa.NextSteps) *Next {
	a := &Next{Session: session, Steps: found.Steps, Artifacts: found.Artifacts, Suggestions: []Suggestion{}}
	for _, x := range found.Suggestions {
		a.Suggestions = append(a.Suggestions, Suggestion{x.Tool, x.Probability, x.Reason, append([]string{}, x.Artifacts...)})
	}
	return a
}
