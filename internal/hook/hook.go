// Package hook understands the hooks of coding agents: what an agent says in the JSON that it
// hands to a hook becomes events, and what Lukasa has to say becomes the JSON that this agent
// expects.
//
// docs/hooks.md says which version of whose documentation it is written to, and what becomes
// of what.
//
// # What is guaranteed
//
//   - Nothing is read or written but what was handed out, see [Options.Own]. The same input at the same time gives the same
//     events with the same ids. An id is a hash of what the agent calls the thing, the same
//     that package migrate gives it where a transcript has that name, and otherwise of the
//     session, the time and the text.
//   - Every event obeys the rules of HMX, but that the caller gives it its tenant. Long texts
//     are cut, and the metadata says so.
//   - What Lukasa itself handed out is cut out of everything, see package handout. Calls of its
//     own tools and what they gave back are left out.
//   - Nothing that people did not say is trusted as if they had: see [Event.Ceiling].
//   - A hook event that is not known is kept as it came, as an event of its own type.
//   - An answer says nothing, or what the agent's documentation has a field for. None of them
//     grants a permission.
//
// # What is not
//
// Whether an event is there already is for the board. Two clocks that disagree order events
// of a session as they tell the time.
package hook

import (
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/echo"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate"
	"lukasa.dev/internal/project"
	"lukasa.dev/internal/record"
)

// Ask is what an agent waits to be told.
type Ask uint8

// What an agent waits to be told.
const (
	Nothing Ask = iota // whatever happens
	Start              // what to know from the beginning: the bundle
	Prompt             // what to know for a question: a pack
	Act                // what speaks against an action
)

// Event is something to record.
type Event struct {
	*hmx.Event
	// Ceiling is how far it may be trusted at most, whoever sends it. Zero sets no bound.
	Ceiling record.Trust
}

// Call is one call of a hook.
type Call struct {
	Agent string
	// Name is the agent's own name of the hook event.
	Name string
	// Session is the session of the events, and Directory where the agent works.
	Session   string
	Directory string
	// Place is what is known about that directory.
	Place project.Place
	// AgentID is who works: the agent, or one that it has sent.
	AgentID string
	// Events are what is to be recorded, in order. They have no tenant yet.
	Events []Event
	// Ask is what the agent waits for. Query is the question of a [Prompt]; Tool and
	// Arguments, a JSON object, are the action of an [Act].
	Ask       Ask
	Query     string
	Tool      string
	Arguments string
	// Note is worth a line in a log, or empty.
	Note string
	// denial is what is to be recorded if the action of an [Act] is denied.
	denial []Event
	own    *echo.Marker
}

// Denial returns what is to be recorded when Lukasa denies the action of an [Act]: that the
// call was denied, and the URI of the rule if it is known, without the reason, which is Lukasa's
// own text. Agents run no hook for the end of such a call.
func (c *Call) Denial(rule string) []Event {
	for _, e := range c.denial {
		if e.EventType != hmx.TypeToolResult || rule == "" {
			continue
		}
		content := migrate.Object(string(e.Content), "result")
		content["rule"] = migrate.Name(rule, "")
		e.Content, _ = migrate.Content(content)
	}
	return c.denial
}

// Options say how a call is read.
type Options struct {
	// Now is when the hook was called.
	Now time.Time
	// Agent is the id of the agent that does all this. Empty means the name of the agent.
	Agent string
	// Place returns what is known about a directory. Nil knows its name alone.
	Place func(dir string) project.Place
	// Cut says that parts of the input were left away before.
	Cut bool
	// Own marks what the answer says, and cuts what earlier ones said from the input. Nil is
	// that of no board.
	Own *echo.Marker
}

// maxQuery is how long a question is at most. A longer prompt is a text to work on, and what
// is wanted stands at its beginning.
const maxQuery = 4 << 10

// Decode reads the JSON that an agent hands to its hook.
func Decode(agent string, input []byte, o Options) (*Call, error) {
	read, ok := readers()[agent]
	if !ok {
		return nil, fault.Newf(fault.InvalidArgument, "there is no agent %q with hooks", agent).WithFix("use one of " + strings.Join(Agents(), ", "))
	}
	in, err := parse(input)
	if err != nil {
		return nil, err
	}
	c := &call{Call: Call{Agent: agent, own: o.Own}, in: in, now: o.Now, cut: o.Cut, agentID: migrate.Name(o.Agent, agent)}
	c.seen = in.under(seenName)
	delete(in, seenName)
	c.common()
	if o.Place != nil {
		c.Place = o.Place(c.Directory)
		c.Place.Name = migrate.Name(c.Place.Name, "")
	}
	if c.Place.Name == "" {
		c.Place.Name = migrate.Name(base(c.Directory), "")
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

// readers is the table of agents. A reader reports whether it knows an event, of those that
// are no moment of all agents.
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

// call is a call that is being read.
type call struct {
	Call
	in      fields
	now     time.Time
	cut     bool
	agentID string
	at      hmx.Time
	// turn is what the agent calls the turn, if it has a name for it.
	turn string
	// group links what a sub-agent does to the session that it works for.
	group   string
	ceiling record.Trust
	// seen is what [Seen] added to the input.
	seen fields
	// piped is input of the agent that is no word of the user.
	piped string
	// said is the id of the prompt, if the agent has a name for it.
	said string
}

// directory is where the agent works.
func (f fields) directory() string {
	dir := f.text("cwd")
	if roots := f.list("workspace_roots"); dir == "" && len(roots) > 0 {
		dir, _ = roots[0].(string)
	}
	return dir
}

// common reads what all events of all agents have.
func (c *call) common() {
	c.Name = migrate.Name(c.in.text("hook_event_name", "hookEventName"), "")
	c.Directory = c.in.directory()
	c.at = hmx.TimeOf(c.now)
	if at, ok := migrate.When(c.in["timestamp"]); ok {
		c.at = at
	}
	c.turn = c.in.text("prompt_id", "turn_id", "generation_id")
	session := c.in.text("session_id", "sessionId", "conversation_id")
	c.Session = migrate.Name(session, c.Agent+"-"+c.now.UTC().Format(time.DateOnly))
	c.AgentID = c.agentID
	if sub := migrate.Name(c.in.text("agent_id"), ""); sub != "" {
		c.below(sub)
	}
}

// below makes the events those of a sub-agent: it has a session of its own beside the one that
// it works for, and who prompts it is no person.
func (c *call) below(sub string) {
	c.group = c.Session
	c.Session = migrate.Name(c.Session+"/"+sub, c.Session)
	c.AgentID = migrate.Name(c.agentID+"/"+sub, c.agentID)
	c.ceiling = record.Agent
}

// unknown keeps an event that nobody described.
func (c *call) unknown() {
	c.Note = "an event that is not known: " + c.Name
	c.add(hmx.EventType("x-lukasa-hook"), c.madeID(), map[string]any{"subject": c.Name, "input": map[string]any(c.in)}, "")
}
