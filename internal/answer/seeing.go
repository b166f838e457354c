package answer

import (
	"encoding/hex"
	"time"

	"lukasa.dev"
)

// Stats are the statistics of a tenant.
type Stats struct {
	Tenant     string  `json:"tenant"`
	Root       string  `json:"root,omitempty"` // of the records, absent under a scope
	Records    uint64  `json:"records,omitempty"`
	Erased     uint64  `json:"erased"`
	Events     uint64  `json:"events"`
	First      string  `json:"first,omitempty"` // event, by its timestamp
	Last       string  `json:"last,omitempty"`
	EventTypes []Count `json:"event_types"`
	Days       []Day   `json:"days"`
	// When the first and the newest record were written.
	RecordedFrom  string   `json:"recorded_from,omitempty"`
	RecordedUntil string   `json:"recorded_until,omitempty"`
	Memories      []Tally  `json:"memories"`
	Artifacts     []Tally  `json:"artifacts"`
	Conflicts     []Count  `json:"conflicts"`
	Kinds         []Count  `json:"kinds"`
	ToolCount     int      `json:"tool_count"`
	Tools         []Tool   `json:"tools"`
	OtherCalls    uint64   `json:"other_calls,omitempty"` // of tools beyond those listed
	Sessions      int      `json:"sessions"`
	Newest        *Session `json:"newest_session,omitempty"`
	Longest       *Session `json:"longest_session,omitempty"`
	AgentCount    int      `json:"agent_count"`
	Agents        []Active `json:"agents"`
	Storage       *Storage `json:"storage,omitempty"` // of the whole directory, for callers that have it
}

// Count is the number of items of a kind.
type Count struct {
	Name  string `json:"name"`
	Count uint64 `json:"count"`
}

// Tally is the number of items of a type in a state.
type Tally struct {
	Type  string `json:"type"`
	State string `json:"state"`
	Count uint64 `json:"count"`
}

// Day is the growth of one day.
type Day struct {
	Day      string `json:"day"`
	Events   uint64 `json:"events"`
	Memories uint64 `json:"memories"`
}

// Tool is the calls and outcomes of a tool.
type Tool struct {
	Tool   string `json:"tool"`
	Calls  uint64 `json:"calls"`
	OK     uint64 `json:"ok"`
	Failed uint64 `json:"failed"`
}

// Active is an agent with its activity.
type Active struct {
	AgentID string `json:"agent_id"`
	Events  uint64 `json:"events"`
	First   string `json:"first"`
	Last    string `json:"last"`
}

// Storage is the size of a directory, in bytes.
type Storage struct {
	Journal  int64 `json:"journal"`
	Segments int   `json:"segments"`
	Index    int64 `json:"index"`
	Words    int64 `json:"words"`   // of the index
	Vectors  int64 `json:"vectors"` // of the index
	Traces   int64 `json:"traces"`
}

// StorageOf converts the size of a directory.
func StorageOf(s *lukasa.Storage) *Storage {
	return &Storage{s.Journal, s.Segments, s.Index, s.Words, s.Vectors, s.Traces}
}

// StatsOf converts the statistics of a tenant.
func StatsOf(s *lukasa.Stats) *Stats {
	out := &Stats{
		Tenant: s.Tenant, Records: s.Records, Erased: s.Erased, Events: s.Events, First: Instant(s.First), Last: Instant(s.Last),
		EventTypes: countsOf(s.Types), Days: []Day{}, Memories: talliesOf(s.Memories), Artifacts: talliesOf(s.Artifacts), Conflicts: countsOf(s.Conflicts),
		Kinds: countsOf(s.Kinds), ToolCount: s.ToolCount, Tools: []Tool{}, OtherCalls: s.OtherCalls, Sessions: s.Sessions, AgentCount: s.AgentCount, Agents: []Active{},
	}
	if s.Records > 0 {
		out.Root = hex.EncodeToString(s.Root[:])
	}
	out.RecordedFrom, out.RecordedUntil = Instant(s.RecordedFrom), Instant(s.RecordedUntil)
	for _, d := range s.Days {
		out.Days = append(out.Days, Day{d.Day.Format(time.DateOnly), d.Events, d.Memories})
	}
	for _, x := range s.Tools {
		out.Tools = append(out.Tools, Tool{x.Tool, x.Calls, x.OK, x.Wrong})
	}
	for _, x := range s.Agents {
		out.Agents = append(out.Agents, Active{x.ID, x.Events, Instant(x.First), Instant(x.Last)})
	}
	out.Newest, out.Longest = maybeSession(s.Newest), maybeSession(s.Longest)
	return out
}

func maybeSession(i *lukasa.SessionInfo) *Session {
	if i == nil {
		return nil
	}
	s := SessionOf(*i)
	return &s
}

func countsOf(list []lukasa.Count) []Count {
	out := make([]Count, len(list))
	for i, c := range list {
		out[i] = Count{c.Name, c.N}
	}
	return out
}

func talliesOf(list []lukasa.Tally) []Tally {
	out := make([]Tally, len(list))
	for i, x := range list {
		out[i] = Tally{x.Type, x.State, x.N}
	}
	return out
}

// Timeline is the timeline of a session, or a page of it.
type Timeline struct {
	Session Session  `json:"session"`
	Moments []Moment `json:"moments"`
	Made    []Made   `json:"made"` // with the last page
	Next    *string  `json:"next"`
}

// Moment is one moment of a session.
type Moment struct {
	Sort     lukasa.MomentSort `json:"sort"`
	URI      lukasa.URI        `json:"uri"`
	Position uint64            `json:"position"`
	Sequence int64             `json:"sequence"`
	Time     string            `json:"time"`
	GapMS    int64             `json:"gap_ms"` // since the previous moment
	Type     string            `json:"event_type"`
	AgentID  string            `json:"agent_id"`
	Tool     string            `json:"tool,omitempty"`
	Text     string            `json:"text"`
	Content  string            `json:"content,omitempty"`
	Outcome  string            `json:"outcome,omitempty"`
	Result   *MomentResult     `json:"result,omitempty"`
}

// MomentResult is the result of a call.
type MomentResult struct {
	URI      lukasa.URI `json:"uri"`
	Position uint64     `json:"position"`
	Time     string     `json:"time"`
	TookMS   int64      `json:"took_ms"`
	Text     string     `json:"text"`
	Content  string     `json:"content,omitempty"`
}

// Made is a record that a session produced.
type Made struct {
	URI       lukasa.URI  `json:"uri"`
	Kind      lukasa.Kind `json:"kind"`
	Type      string      `json:"type,omitempty"`
	Status    string      `json:"status,omitempty"`
	Text      string      `json:"text"`
	UpdatedAt string      `json:"updated_at"`
}

// TimelineOf converts a page of a timeline.
func TimelineOf(t *lukasa.Timeline) *Timeline {
	out := &Timeline{Session: SessionOf(t.Session), Moments: make([]Moment, len(t.Moments)), Made: make([]Made, len(t.Made)), Next: NextPage(t.Next)}
	for i := range t.Moments {
		out.Moments[i] = MomentOf(&t.Moments[i])
	}
	for i, m := range t.Made {
		out.Made[i] = Made{m.URI, m.URI.Kind, m.Class, m.Status, m.Text, Instant(m.Updated)}
	}
	return out
}

// MomentOf converts a moment.
func MomentOf(m *lukasa.Moment) Moment {
	out := Moment{
		Sort: m.Sort, URI: m.URI, Position: m.Position, Sequence: m.Sequence, Time: Instant(m.Time), GapMS: m.Gap.Milliseconds(), Type: string(m.Type),
		AgentID: m.Agent, Tool: m.Tool, Text: m.Text, Content: m.Content, Outcome: string(m.Outcome),
	}
	if r := m.Result; r != nil {
		out.Result = &MomentResult{r.URI, r.Position, Instant(r.Time), r.Took.Milliseconds(), r.Text, r.Content}
	}
	return out
}

// Graph is records and their connections.
type Graph struct {
	Nodes []Node `json:"nodes"`
	Edges []Link `json:"edges"`
	More  bool   `json:"more"`           // than the limit
	Left  int    `json:"left,omitempty"` // at least this number is left out
}

// Node is a record, an event, or a name that several of them mention.
type Node struct {
	ID    string `json:"id"` // a URI, or name:TYPE:NAME
	Kind  string `json:"kind"`
	Type  string `json:"type,omitempty"`
	Label string `json:"label"`
}

// Link is a connection between two nodes.
type Link struct {
	From string `json:"from"`
	To   string `json:"to"`
	Rel  string `json:"rel"`
	Via  string `json:"via,omitempty"` // the edge, relation or conflict behind it
}

// GraphOf converts a graph.
func GraphOf(g *lukasa.Graph) *Graph {
	out := &Graph{Nodes: make([]Node, len(g.Nodes)), Edges: make([]Link, len(g.Edges)), More: g.More, Left: g.Left}
	for i, n := range g.Nodes {
		out.Nodes[i] = Node{n.ID, n.Kind, n.Class, n.Label}
	}
	for i, e := range g.Edges {
		out.Edges[i] = Link{g.Nodes[e.From].ID, g.Nodes[e.To].ID, e.Rel, e.Via}
	}
	return out
}
