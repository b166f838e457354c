package hmx

// The typed views of event content. A view is read from an event with the method of its name
// and written with SetContent; unknown fields, fields with a value of another kind, and empty
// texts stay in Extra, so that reading and writing back gives the same content. The fields of
// Message, ToolCall, ToolResult, Decision, Failure and Feedback are normative (HMX-E section 4)
// and checked when an event is decoded. The other seven types have no normative content: their
// views name what agents commonly record.

// EventContent is a typed view of an event's content.
type EventContent interface{ eventType() EventType }

// Message is a message of a user, an assistant or the system.
type Message struct {
	Role        string       `json:"role,omitzero"` // user, assistant or system
	Text        string       `json:"text,omitzero"`
	Attachments []Attachment `json:"attachments,omitzero"`
	Extra       Extra        `json:"-"`
}

// Attachment is an attachment of a message.
type Attachment struct {
	Type  string `json:"type,omitzero"`
	URL   string `json:"url,omitzero"`
	Extra Extra  `json:"-"`
}

// ToolCall is a call of a tool by an agent.
type ToolCall struct {
	ToolName  string `json:"tool_name,omitzero"`
	Arguments Raw    `json:"arguments,omitzero"`
	CallID    string `json:"call_id,omitzero"`
	Extra     Extra  `json:"-"`
}

// ToolResult is the result of a tool.
type ToolResult struct {
	ToolName   string       `json:"tool_name,omitzero"`
	CallID     string       `json:"call_id,omitzero"`
	Result     Raw          `json:"result,omitzero"`
	Success    Opt[bool]    `json:"success,omitzero"`
	DurationMS Opt[float64] `json:"duration_ms,omitzero"`
	Extra      Extra        `json:"-"`
}

// Decision is a decision of the agent.
type Decision struct {
	Question     string       `json:"question,omitzero"`
	ChosenOption string       `json:"chosen_option,omitzero"`
	Alternatives []string     `json:"alternatives,omitzero"`
	Reasoning    string       `json:"reasoning,omitzero"`
	Confidence   Opt[float64] `json:"confidence,omitzero"`
	Extra        Extra        `json:"-"`
}

// Failure is the content of an error event.
type Failure struct {
	ErrorType   string    `json:"error_type,omitzero"`
	Message     string    `json:"message,omitzero"`
	Stack       string    `json:"stack,omitzero"`
	Recoverable Opt[bool] `json:"recoverable,omitzero"`
	Extra       Extra     `json:"-"`
}

// Feedback is a user's signal about what happened.
type Feedback struct {
	Signal        string `json:"signal,omitzero"` // positive, negative or correction
	TargetEventID string `json:"target_event_id,omitzero"`
	Comment       string `json:"comment,omitzero"`
	Extra         Extra  `json:"-"`
}

// FileEdit is a file that was created, changed, moved or removed.
type FileEdit struct {
	Path         string     `json:"path,omitzero"`
	Operation    string     `json:"operation,omitzero"` // create, modify, delete, rename
	OldPath      string     `json:"old_path,omitzero"`
	Diff         string     `json:"diff,omitzero"`
	Language     string     `json:"language,omitzero"`
	LinesAdded   Opt[int64] `json:"lines_added,omitzero"`
	LinesRemoved Opt[int64] `json:"lines_removed,omitzero"`
	Extra        Extra      `json:"-"`
}

// TestRun is a run of tests with its result.
type TestRun struct {
	Command    string       `json:"command,omitzero"`
	Framework  string       `json:"framework,omitzero"`
	Passed     Opt[int64]   `json:"passed,omitzero"`
	Failed     Opt[int64]   `json:"failed,omitzero"`
	Skipped    Opt[int64]   `json:"skipped,omitzero"`
	Failures   []string     `json:"failures,omitzero"`
	Success    Opt[bool]    `json:"success,omitzero"`
	Output     string       `json:"output,omitzero"`
	DurationMS Opt[float64] `json:"duration_ms,omitzero"`
	Extra      Extra        `json:"-"`
}

// CommandExec is a shell command with its result.
type CommandExec struct {
	Command    string       `json:"command,omitzero"`
	Cwd        string       `json:"cwd,omitzero"`
	ExitCode   Opt[int64]   `json:"exit_code,omitzero"`
	Stdout     string       `json:"stdout,omitzero"`
	Stderr     string       `json:"stderr,omitzero"`
	DurationMS Opt[float64] `json:"duration_ms,omitzero"`
	Extra      Extra        `json:"-"`
}

// BrowserAction is a step of browser automation.
type BrowserAction struct {
	Action   string    `json:"action,omitzero"` // navigate, click, type, …
	URL      string    `json:"url,omitzero"`
	Selector string    `json:"selector,omitzero"`
	Value    string    `json:"value,omitzero"`
	Success  Opt[bool] `json:"success,omitzero"`
	Extra    Extra     `json:"-"`
}

// APIResult is the answer of an external API.
type APIResult struct {
	Method     string       `json:"method,omitzero"`
	URL        string       `json:"url,omitzero"`
	StatusCode Opt[int64]   `json:"status_code,omitzero"`
	Success    Opt[bool]    `json:"success,omitzero"`
	Request    Raw          `json:"request,omitzero"`
	Response   Raw          `json:"response,omitzero"`
	DurationMS Opt[float64] `json:"duration_ms,omitzero"`
	Extra      Extra        `json:"-"`
}

// Observation is something the agent noticed without acting.
type Observation struct {
	Subject string `json:"subject,omitzero"`
	Text    string `json:"text,omitzero"`
	Extra   Extra  `json:"-"`
}

// StateChange is a change of some state.
type StateChange struct {
	Subject string `json:"subject,omitzero"`
	From    string `json:"from,omitzero"`
	To      string `json:"to,omitzero"`
	Reason  string `json:"reason,omitzero"`
	Extra   Extra  `json:"-"`
}

func (Message) eventType() EventType       { return TypeMessage }
func (ToolCall) eventType() EventType      { return TypeToolCall }
func (ToolResult) eventType() EventType    { return TypeToolResult }
func (Decision) eventType() EventType      { return TypeDecision }
func (Failure) eventType() EventType       { return TypeError }
func (Feedback) eventType() EventType      { return TypeFeedback }
func (FileEdit) eventType() EventType      { return TypeFileEdit }
func (TestRun) eventType() EventType       { return TypeTestRun }
func (CommandExec) eventType() EventType   { return TypeCommandExec }
func (BrowserAction) eventType() EventType { return TypeBrowserAction }
func (APIResult) eventType() EventType     { return TypeAPIResult }
func (Observation) eventType() EventType   { return TypeObservation }
func (StateChange) eventType() EventType   { return TypeStateChange }

// SetContent makes c the content of the event and sets the event type to match.
func (e *Event) SetContent(c EventContent) error {
	if c == nil {
		return errNoContent
	}
	data, err := encode(nil, c)
	if err != nil {
		return err
	}
	e.EventType, e.Content = c.eventType(), Raw(data)
	return nil
}

// EventContentAs reads the content of e as T. ok is false if e is of another
// type, or was made in Go with content that is not a JSON object.
func EventContentAs[T EventContent](e *Event) (content T, ok bool) {
	if e.EventType != content.eventType() {
		return content, false
	}
	content, err := view[T](e.Content)
	return content, err == nil
}

// Message reads the content of a message event.
func (e *Event) Message() (Message, bool) { return EventContentAs[Message](e) }

// ToolCall reads the content of a tool_call event.
func (e *Event) ToolCall() (ToolCall, bool) { return EventContentAs[ToolCall](e) }

// ToolResult reads the content of a tool_result event.
func (e *Event) ToolResult() (ToolResult, bool) { return EventContentAs[ToolResult](e) }

// Decision reads the content of a decision event.
func (e *Event) Decision() (Decision, bool) { return EventContentAs[Decision](e) }

// Failure reads the content of an error event.
func (e *Event) Failure() (Failure, bool) { return EventContentAs[Failure](e) }

// Feedback reads the content of a feedback event.
func (e *Event) Feedback() (Feedback, bool) { return EventContentAs[Feedback](e) }

// FileEdit reads the content of a file_edit event.
func (e *Event) FileEdit() (FileEdit, bool) { return EventContentAs[FileEdit](e) }

// TestRun reads the content of a test_run event.
func (e *Event) TestRun() (TestRun, bool) { return EventContentAs[TestRun](e) }

// CommandExec reads the content of a command_exec event.
func (e *Event) CommandExec() (CommandExec, bool) { return EventContentAs[CommandExec](e) }

// BrowserAction reads the content of a browser_action event.
func (e *Event) BrowserAction() (BrowserAction, bool) { return EventContentAs[BrowserAction](e) }

// APIResult reads the content of an api_result event.
func (e *Event) APIResult() (APIResult, bool) { return EventContentAs[APIResult](e) }

// Observation reads the content of an observation event.
func (e *Event) Observation() (Observation, bool) { return EventContentAs[Observation](e) }

// StateChange reads the content of a state_change event.
func (e *Event) StateChange() (StateChange, bool) { return EventContentAs[StateChange](e) }
