// Package hook translates the hooks of coding agents: the JSON that an agent passes to a hook
// becomes events, and Lukasa's answer becomes the JSON that this agent expects.
//
// docs/hooks.md says which version of each agent's documentation it follows, and how each event
// is translated.
//
// # What is guaranteed
//
//   - No I/O except the list of what was handed out, see [Options.Own]. The same input at the
//     same time gives the same events with the same ids. An id is a hash of the agent's own id,
//     the same that package migrate uses if a transcript has that id, and otherwise of the
//     session, the time and the text.
//   - Every event obeys the rules of HMX, except that the caller sets its tenant. Long texts are
//     cut, and the metadata says so.
//   - Text that Lukasa itself handed out is removed from everything, see package handout. Calls
//     of its own tools and their results are left out.
//   - Text that no person wrote does not get a person's trust: see [Event.Ceiling].
//   - An unknown hook event is kept as it came, as an event of its own type.
//   - An answer is empty, or uses fields of the agent's documentation. No answer grants a
//     permission.
//
// # What is not
//
// The board detects duplicate events. Events of one session from machines with different clocks
// are ordered by those clocks.
package hook

import (
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/echo"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/project"
	"lukasa.dev/internal/record"
)

// Ask is what an agent requests.
type Ask uint8

// The requests of agents.
const (
	Nothing Ask = iota // no request
	Start              // the bundle, at the start
	Prompt             // a pack for a prompt
	Act                // a check of an action
)

// Event is an event to record.
type Event struct {
	*hmx.Event
	// Ceiling is its maximum trust, regardless of the sender. Zero sets no limit.
	Ceiling record.Trust
}

// Call is one call of a hook.
type Call struct {
	Agent string
	// Name is the agent's own name of the hook event.
	Name string
	// Session is the session of the events, and Directory the agent's working directory.
	Session   string
	Directory string
	// Place is what is known about that directory.
	Place project.Place
	// AgentID is the acting agent or sub-agent.
	AgentID string
	// Events are the events to record, in order. They have no tenant yet.
	Events []Event
	// Ask is the agent's request. Query is the question of a [Prompt]; Tool and Arguments, a
	// JSON object, are the action of an [Act].
	Ask       Ask
	Query     string
	Tool      string
	Arguments string
	// Note is a line for the log, or empty.
	Note string
	// denial is what to record if the action of an [Act] is denied.
	denial []Event
	own    *echo.Marker
}

// Denial returns what to record when Lukasa denies the action of an [Act]: that the call was
// denied, and the URI of the rule if it is known, without the reason, which is Lukasa's own
// text. Agents run no hook for the end of such a call.
func (c *Call) Denial(rule string) []Event {
	for _, e := range c.denial {
		if e.EventType != hmx.TypeToolResult || rule == "" {
			continue
		}
		content := foreign.AsObject(string(e.Content), "result")
		content["rule"] = foreign.Name(rule, "")
		e.Content, _ = foreign.Content(content)
	}
	return c.denial
}

// Options configures decoding.
type Options struct {
	// Now is the time of the call.
	Now time.Time
	// Agent is the id of the acting agent. Empty means the name of the agent.
	Agent string
	// Place returns what is known about a directory. Nil means only its name.
	Place func(dir string) project.Place
	// Cut says that parts of the input were removed before.
	Cut bool
	// Own marks the answer, and removes earlier answers from the input. Nil means that of no
	// board.
	Own *echo.Marker
}

// maxQuery is the maximum length of a query. A longer prompt is a text to work on, with the
// request at its beginning.
const maxQuery = 4 << 10

// Decode decodes the JSON that an agent passes to its hook.
func Decode(agent string, input []byte, o Options) (*Call, error) {
	read, ok := readers()[agent]
	if !ok {
		return nil, fault.Newf(fault.InvalidArgument, "there is no agent %q with hooks", agent).WithFix("use one of " + strings.Join(Agents(), ", "))
	}
	in, err := parse(input)
	if err != nil {
		return nil, err
	}
	c := &call{Call: Call{Agent: agent, own: o.Own}, in: in, now: o.Now, cut: o.Cut, agentID: foreign.Name(o.Agent, agent)}
	c.seen = in.under(seenName)
	delete(in, seenName)
	c.common()
	if o.Place != nil {
		c.Place = o.Place(c.Directory)
		c.Place.Name = foreign.Name(c.Place.Name, "")
	}
	if c.Place.Name == "" {
		c.Place.Name = foreign.Name(base(c.Directory), "")
	}
	if c.Name == "" {
		return nil, fault.New(fault.InvalidDocument, "the input does not say which hook event it is").WithFix("hand over the JSON as the agent wrote it")
	}
	if !c.moment() && !read(c) {
		c.unknown()
	}
	c.Query = strings.TrimSpace(shorten(c.Query, maxQuery))
	if c.Query == "" && c.Ask == Prompt {
		c.Ask = Nothing
	}
	return &c.Call, nil
}

// readers is the table of agents. A reader reports whether it knows an event, among those that
// are specific to the agent.
func readers() map[string]func(*call) bool {
	return map[string]func(*call) bool{
		ClaudeCode: (*call).claude,
		Codex:      (*call).claude,
		VSCode:     (*call).claude,
		Cursor:     (*call).cursor,
		GeminiCLI:  (*call).gemini,
		OpenCode:   (*call).opencode,
	}
}

// call is the state of a decoding.
type call struct {
	Call
	in      fields
	now     time.Time
	cut     bool
	agentID string
	at      hmx.Time
	// turn is the agent's id of the turn, if it has one.
	turn string
	// group links a sub-agent's events to its parent session.
	group   string
	ceiling record.Trust
	// seen is what [Seen] added to the input.
	seen fields
	// piped is input that the user did not type.
	piped string
	// said is the id of the prompt, if the agent has one.
	said string
}

// directory is the agent's working directory.
func (f fields) directory() string {
	dir := f.text("cwd")
	if roots := f.list("workspace_roots"); dir == "" && len(roots) > 0 {
		dir, _ = roots[0].(string)
	}
	return dir
}

// common reads the members common to all events.
func (c *call) common() {
	c.Name = foreign.Name(c.in.text("hook_event_name", "hookEventName"), "")
	c.Directory = c.in.directory()
	c.at = hmx.TimeOf(c.now)
	if at, ok := foreign.When(c.in["timestamp"]); ok {
		c.at = at
	}
	c.turn = c.in.text("prompt_id", "turn_id", "generation_id")
	session := c.in.text("session_id", "sessionId", "conversation_id")
	c.Session = foreign.Name(session, c.Agent+"-"+c.now.UTC().Format(time.DateOnly))
	c.AgentID = c.agentID
	if sub := foreign.Name(c.in.text("agent_id"), ""); sub != "" {
		c.below(sub)
	}
}

// below makes the events those of a sub-agent: it has its own session besides its parent's, and
// its prompts are not from a person.
func (c *call) below(sub string) {
	c.group = c.Session
	c.Session = foreign.Name(c.Session+"/"+sub, c.Session)
	c.AgentID = foreign.Name(c.agentID+"/"+sub, c.agentID)
	c.ceiling = record.Agent
}

// unknown records an undocumented event.
func (c *call) unknown() {
	c.Note = "an event that is not known: " + c.Name
	c.add(hmx.EventType("x-lukasa-hook"), c.madeID(), map[string]any{"subject": c.Name, "input": map[string]any(c.in)}, "")
}
