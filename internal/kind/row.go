package kind

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// row is what the engine makes of one type of event.
type row struct {
	event hmx.EventType
	// trust is the tier of what such an event says, and why the reason.
	trust record.Trust
	why   string
	// importance is that of an event which declares none.
	importance float64
	section    hmx.Section
	// tells says that it reports how something went.
	tells bool
	// verb is what was done, unless choose names the table that says it.
	verb   memory.Verb
	choose choice
}

// choice names a table of verbs.
type choice uint8

const (
	byType    choice = iota // the verb of the type
	byTool                  // toolVerb, or that of the command which the tool ran
	byProgram               // programs
	byAction                // actions
	byMethod                // methods
)

// rows is the table, in the order of HMX-E. A message is looked up by its role
// as well.
var rows = [...]row{
	{hmx.TypeMessage, record.External, "the speaker is unknown, unless the role says", 0.3, hmx.SectionEpisodes, false, memory.VerbNegotiate, byType},
	{hmx.TypeToolCall, record.Agent, "the agent chose tool and arguments", 0.15, hmx.SectionEpisodes, false, memory.VerbBuild, byTool},
	{hmx.TypeToolResult, record.Tool, "what a tool printed", 0.2, hmx.SectionEvidence, true, memory.VerbBuild, byTool},
	{hmx.TypeFileEdit, record.Tool, "the content of a file, by any author", 0.35, hmx.SectionEpisodes, false, memory.VerbModify, byType},
	{hmx.TypeTestRun, record.Tool, "what a test runner printed", 0.4, hmx.SectionEvidence, true, memory.VerbAnalyze, byType},
	{hmx.TypeCommandExec, record.Tool, "what a command printed", 0.25, hmx.SectionEvidence, true, memory.VerbBuild, byProgram},
	{hmx.TypeBrowserAction, record.External, "what a web page shows", 0.15, hmx.SectionEvidence, false, memory.VerbFind, byAction},
	{hmx.TypeAPIResult, record.Tool, "what an interface that the agent was given answered", 0.2, hmx.SectionEvidence, true, memory.VerbFind, byMethod},
	{hmx.TypeDecision, record.Agent, "what the agent concluded", 0.6, hmx.SectionEpisodes, false, memory.VerbAnalyze, byType},
	{hmx.TypeError, record.Tool, "what a program said when it failed", 0.55, hmx.SectionEvidence, true, memory.VerbModify, byType},
	{hmx.TypeObservation, record.External, "what was seen without asking, from anywhere", 0.2, hmx.SectionEvidence, false, memory.VerbMonitor, byType},
	{hmx.TypeStateChange, record.Agent, "what the agent says about itself", 0.2, hmx.SectionEpisodes, false, memory.VerbMonitor, byType},
	{hmx.TypeFeedback, record.User, "what the user thought of it", 0.7, hmx.SectionEpisodes, true, memory.VerbNegotiate, byType},
}

// other is the row of every type that is not in the table: its origin is unknown.
var other = row{
	trust: record.External, why: "a type that the protocol does not know",
	importance: 0.2, section: hmx.SectionEvidence, verb: memory.VerbMonitor,
}

// userImportance is that of a message of a user without a declared importance: requests
// of people matter more than answers.
const userImportance = 0.4

// rowOf returns the row of a type and its place, which is len(rows) for all others.
func rowOf(t hmx.EventType) (*row, int) {
	for i := range rows {
		if rows[i].event == t {
			return &rows[i], i
		}
	}
	return &other, len(rows)
}
