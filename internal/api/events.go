package api

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"slices"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// eventOperations ingest and list events.
func eventOperations() []*operation.Operation {
	return []*operation.Operation{
		operation.Define(operation.Operation{
			Name: "ingest", Group: operation.GroupEvents, Short: "Record HMX events: one, an array, or one per line.",
			Long: "The body is an event (application/json), an array of events, or lines of JSON (application/x-ndjson), also as an endless stream. " +
				"Valid events are recorded even if others are refused. The answer lists both, and is sent when the recorded events are on the disk.",
			Method: "POST", Path: "/v1/events", Command: "ingest", Without: "over MCP record_event records what the agent itself does",
			Needs: writes, Wrote: true, Stream: true, AnyTenant: true,
		}, (func(context.Context, *operation.Call, *ingestIn) (*answer.Intake, error))(nil)),
		operation.Define(operation.Operation{
			Name: "record_event", Group: operation.GroupEvents, Short: "Record something that was said or done in a session.",
			Long:   "Fields that are missing are filled in: an id, the current time, the next sequence number of the session, and the caller.",
			Method: "POST", Path: "/v1/sessions/{session_id}/events", Without: "the command line records whole events with ingest",
			Tool: &operation.Tool{
				Default: true, Hooks: true, Run: telling(tellRecordEvent),
				Doc: "Record something that was said or done. Not needed where hooks are installed: they record by themselves.",
			}, Needs: writes, Wrote: true,
		}, runRecordEvent),
		operation.Define(operation.Operation{
			Name: "list_events", Group: operation.GroupEvents, Short: "Show the events of a session, an agent, a trace or a correlation, in order.",
			Method: "GET", Path: "/v1/events", Command: "events", Without: "an agent is given events by search_memories and pack_context",
			Needs: reads,
		}, runListEvents),
		operation.Define(operation.Operation{
			Name: "list_sessions", Group: operation.GroupEvents, Short: "List the sessions, ordered by id.",
			Method: "GET", Path: "/v1/sessions", Command: "events", Without: "an agent is given events by search_memories and pack_context",
			Needs: reads,
		}, runListSessions),
		operation.Define(operation.Operation{
			Name: "tail_events", Group: operation.GroupEvents, Short: "Follow new events as they are recorded (server-sent events).",
			Long:   "The id of each is its position; Last-Event-ID continues after one.",
			Method: "GET", Path: "/v1/events/stream", Command: "tail", Without: "it does not end",
			Needs: reads, Stream: true, Media: "text/event-stream",
		}, (func(context.Context, *operation.Call, *tailIn) (*operation.Text, error))(nil)),
		operation.Define(operation.Operation{
			Name: "ingest_ws", Group: operation.GroupEvents, Short: "Record events over a WebSocket: one event per frame, one acknowledgement per frame.",
			Method: "GET", Path: "/v1/ingest/ws", Without: "it does not end",
			Needs: writes, Wrote: true, Stream: true, AnyTenant: true,
		}, (func(context.Context, *operation.Call, *nothing) (*ack, error))(nil)),
		operation.Define(operation.Operation{
			Name: "ingest_traces", Group: operation.GroupEvents, Short: "Record the spans about generative AI of an OTLP/HTTP export request.",
			Long: "The body is an ExportTraceServiceRequest of OpenTelemetry as application/x-protobuf or application/json, the answer an ExportTraceServiceResponse in the " +
				"same encoding, and a refusal a google.rpc.Status, whose ErrorInfo has the code. Exporters find it with the endpoint /v1/otlp. Other spans are ignored.",
			Method: "POST", Path: "/v1/otlp/v1/traces", Command: "import", Without: "over MCP record_event records what the agent itself does",
			Needs: writes, Wrote: true, Stream: true,
		}, (func(context.Context, *operation.Call, *tracesIn) (*traced, error))(nil)),
	}
}

// tracesIn is a request to export traces.
type tracesIn struct {
	Traces json.RawMessage `body:"traces" doc:"an ExportTraceServiceRequest"`
}

// traced is the result for the spans of a request, as in OTLP.
type traced struct {
	PartialSuccess *partialSuccess `json:"partialSuccess,omitempty"`
}

// partialSuccess is how many spans were rejected, and why the first was.
type partialSuccess struct {
	RejectedSpans string `json:"rejectedSpans"` // a 64-bit number, which is a string in JSON
	ErrorMessage  string `json:"errorMessage"`
}

// ingestIn is one event; arrays and lines of events are accepted as well.
type ingestIn struct {
	Event json.RawMessage `body:"event" doc:"an HMX-E document"`
}

// receipt is the result for one event.
type receipt struct {
	EventID     string             `json:"event_id,omitempty"`
	Disposition lukasa.Disposition `json:"disposition"`
	Position    *uint64            `json:"position,omitempty"` // unless it was refused or is our own text
	Warnings    int                `json:"warnings,omitempty"` // such as for an unknown type
	Scrubbed    int                `json:"scrubbed,omitempty"` // secrets removed from it
	Code        fault.Code         `json:"code,omitempty"`
	Detail      string             `json:"detail,omitempty"`
	Fix         string             `json:"fix,omitempty"`
}

// ack is the result for the event in one frame.
type ack struct {
	Index int `json:"index"` // of the frame, from 0
	receipt
}

// recordIn is an event whose other fields are filled in.
type recordIn struct {
	SessionID string          `path:"session_id"`
	EventType hmx.EventType   `json:"event_type" doc:"message, tool_call, tool_result, file_edit, test_run, command_exec, decision, error, observation, …"`
	Content   json.RawMessage `json:"content" doc:"fields of the type: message {role,text}; tool_call {tool_name,arguments}; tool_result {tool_name,result,success}" type:"object"`

	AgentID       string          `json:"agent_id,omitempty"`
	EventID       string          `json:"event_id,omitempty"`
	Timestamp     hmx.Time        `json:"timestamp,omitempty"`
	Sequence      *int64          `json:"sequence,omitempty" min:"0"`
	ParentEventID string          `json:"parent_event_id,omitempty"`
	TraceID       string          `json:"trace_id,omitempty"`
	CorrelationID string          `json:"correlation_id,omitempty"`
	Source        string          `json:"source,omitempty"`
	Tags          []string        `json:"tags,omitempty"`
	TTLSeconds    *int64          `json:"ttl_seconds,omitempty" min:"1"`
	Metadata      json.RawMessage `json:"metadata,omitempty" type:"object"`
}

// event builds the event that a request describes.
func (in *recordIn) event(ctx context.Context, c *operation.Call) (*hmx.Event, error) {
	ev := &hmx.Event{
		HMXVersion: hmx.Version, EventID: in.EventID, EventType: in.EventType, AgentID: in.AgentID, TenantID: c.Who.Tenant, SessionID: in.SessionID,
		Timestamp: in.Timestamp, Content: hmx.Raw(in.Content), Metadata: "{}", ParentEventID: some(in.ParentEventID), TraceID: some(in.TraceID),
		CorrelationID: some(in.CorrelationID), Source: some(in.Source), Tags: in.Tags,
	}
	if ev.EventID == "" {
		id, err := hmx.NewID(c.Time(), rand.Reader)
		if err != nil {
			return nil, err
		}
		ev.EventID = id
	}
	if ev.AgentID == "" {
		if ev.AgentID = c.Who.Agent; ev.AgentID == "" {
			ev.AgentID = c.Who.Actor()
		}
	}
	if ev.Timestamp.IsZero() {
		ev.Timestamp = hmx.TimeOf(c.Time())
	}
	if in.TTLSeconds != nil {
		ev.TTLSeconds = hmx.Some(*in.TTLSeconds)
	}
	if len(in.Metadata) > 0 {
		ev.Metadata = hmx.Raw(in.Metadata)
	}
	if in.Sequence != nil {
		ev.Sequence = *in.Sequence
		return ev, nil
	}
	last, ok, err := c.Board.Reached(ctx, c.Who.Tenant, in.SessionID)
	if ok {
		ev.Sequence = last + 1
	}
	return ev, err
}

// some returns an option that is set unless the text is empty.
func some(text string) hmx.Opt[string] {
	if text == "" {
		return hmx.Opt[string]{}
	}
	return hmx.Some(text)
}

func runRecordEvent(ctx context.Context, c *operation.Call, in *recordIn) (*receipt, error) {
	ev, err := in.event(ctx, c)
	if err != nil {
		return nil, err
	}
	r, err := recordEvent(ctx, c, ev)
	if c.Ingested != nil {
		became := lukasa.Refused
		if err == nil {
			became = r.Disposition
		}
		c.Ingested(became, ev.Size())
	}
	return r, err
}

// recordEvent records an event and returns its receipt.
func recordEvent(ctx context.Context, c *operation.Call, ev *hmx.Event) (*receipt, error) {
	if err := c.Who.Admit(ev); err != nil {
		return nil, err
	}
	warnings, err := ev.Validate()
	if err != nil {
		return nil, fault.Wrap(fault.InvalidDocument, err)
	}
	result, err := c.Board.Append(ctx, c.Who.Writer(), ev)
	if err != nil {
		return nil, err
	}
	r := result.Receipts[0]
	if r.Fault != nil {
		return nil, r.Fault
	}
	if r.Disposition == lukasa.Own {
		return &receipt{EventID: ev.EventID, Disposition: r.Disposition, Warnings: len(warnings)}, nil
	}
	return &receipt{EventID: ev.EventID, Disposition: r.Disposition, Position: &r.Position, Warnings: len(warnings), Scrubbed: r.Scrubbed}, nil
}

// listEventsIn selects the events to list.
type listEventsIn struct {
	Session     string `query:"session" doc:"those of the session, in its order"`
	Agent       string `query:"agent" doc:"those of this agent, by time"`
	Trace       string `query:"trace" doc:"those of this trace, by time"`
	Correlation string `query:"correlation" doc:"those of this correlation, by time"`
	ChildrenOf  string `query:"children_of" doc:"those whose parent this is"`
	Limit       int    `query:"limit" min:"1" max:"10000" usual:"100"`
	After       string `query:"after" doc:"next of the previous page"`
}

func runListEvents(ctx context.Context, c *operation.Call, in *listEventsIn) (*answer.Events, error) {
	v, err := c.HeadView("", hmx.Time{})
	if err != nil {
		return nil, err
	}
	t := c.Tenant()
	list, next, err := gather(in.Limit, eventsPart, in.After, func(limit int, after string) ([]answer.Event, string, error) {
		page, err := t.Events(ctx, lukasa.EventQuery{
			Session: in.Session, Agent: in.Agent, Trace: in.Trace, Correlation: in.Correlation, ChildrenOf: in.ChildrenOf, Limit: limit, After: after, View: v,
		})
		if err != nil {
			return nil, "", err
		}
		part, err := answer.EventsOf(page)
		if err != nil {
			return nil, "", err
		}
		return part.Events, page.Next, nil
	}, func(e *answer.Event) int { return len(e.Event) })
	if err != nil {
		return nil, err
	}
	return &answer.Events{Events: list, Next: answer.NextPage(next)}, nil
}

// pageIn has the fields of every paged list.
type pageIn struct {
	Limit int    `query:"limit" min:"1" max:"1000" usual:"50"`
	After string `query:"after" doc:"next of the previous page"`
}

func runListSessions(ctx context.Context, c *operation.Call, in *pageIn) (*answer.Sessions, error) {
	list, err := c.Tenant().Sessions(ctx)
	if err != nil {
		return nil, err
	}
	list, next, err := page(list, in, func(i lukasa.SessionInfo) string { return i.ID })
	if err != nil {
		return nil, err
	}
	out := &answer.Sessions{Sessions: []answer.Session{}, Next: next}
	for _, i := range list {
		out.Sessions = append(out.Sessions, answer.SessionOf(i))
	}
	return out, nil
}

// page returns one page of a list that is sorted by name, and the cursor of the next one.
func page[T any](list []T, in *pageIn, name func(T) string) ([]T, *string, error) {
	if in.After != "" {
		last, err := base64.RawURLEncoding.DecodeString(in.After)
		if err != nil {
			return nil, nil, fault.Newf(fault.InvalidArgument, "after: %s is not from a page", operation.Quoted(in.After)).WithFix("use next of the previous page, unchanged")
		}
		from := slices.IndexFunc(list, func(x T) bool { return name(x) > string(last) })
		if from < 0 {
			from = len(list)
		}
		list = list[from:]
	}
	if len(list) <= in.Limit {
		return list, nil, nil
	}
	next := base64.RawURLEncoding.EncodeToString([]byte(name(list[in.Limit-1])))
	return list[:in.Limit], &next, nil
}

// tailIn selects the new events to stream.
type tailIn struct {
	Session string        `query:"session"`
	Agent   string        `query:"agent"`
	Type    hmx.EventType `query:"type"`
	From    *uint64       `query:"from" doc:"the first position; default new events only"`
}
