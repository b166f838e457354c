package act

import (
	"encoding/json"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/english"
	"lukasa.dev/internal/trace"
	"lukasa.dev/internal/trace/shapes"
)

// Action is what is planned: a tool with its arguments, or a command line.
type Action struct {
	Tool      string
	Arguments string // JSON
	Command   string
	// Place is what is known of the working directory.
	Place Place
	// Project is the root of a project: only what is done there is judged. Empty is everything.
	Project string
}

// Step returns the tool and the shape that a trace would have of the action.
func (a *Action) Step() (tool, shape string) {
	ev := hmx.Event{EventID: "planned", EventType: hmx.TypeToolCall}
	content := map[string]any{}
	args := json.RawMessage(a.Arguments)
	if len(a.Arguments) > MaxArguments || !json.Valid(args) {
		args = json.RawMessage("{}")
	}
	switch {
	case a.Tool == "" || a.Command != "":
		ev.EventType = hmx.TypeCommandExec
		content["command"] = english.Clip(a.Command, shapes.MaxLine)
	case deeds[a.Tool] != "":
		ev.EventType = deeds[a.Tool]
		ev.Content = hmx.Raw(args)
	default:
		content["tool_name"], content["arguments"] = a.Tool, args
	}
	if ev.Content == "" {
		data, err := json.Marshal(content)
		if err != nil {
			return a.Tool, ""
		}
		ev.Content = hmx.Raw(data)
	}
	var r trace.Reader
	r.Add(trace.Event{Event: &ev})
	for _, task := range r.Trace().Tasks {
		for i := range task.Steps {
			return task.Steps[i].Tool, task.Steps[i].Shape
		}
	}
	return a.Tool, ""
}

// deeds are the types of the events of acts that are no call of a tool.
var deeds = map[string]hmx.EventType{
	trace.ToolCommand: hmx.TypeCommandExec, trace.ToolEdit: hmx.TypeFileEdit, trace.ToolTest: hmx.TypeTestRun,
	trace.ToolBrowser: hmx.TypeBrowserAction, trace.ToolRequest: hmx.TypeAPIResult,
}

// MaxArguments is how many bytes of arguments are looked at. Longer ones are as if there
// were none.
const MaxArguments = 512 << 10

const OwnProgram = "lukasa"

const MaxQuote = 300
