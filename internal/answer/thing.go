package answer

import (
	"encoding/json"

	"lukasa.dev"
	"lukasa.dev/internal/memory"
)

// Thing is a versioned record at a version.
type Thing struct {
	URI       lukasa.URI      `json:"uri"`
	Kind      lukasa.Kind     `json:"kind"`
	Version   uint32          `json:"version"`
	State     lukasa.State    `json:"state"`
	Reason    string          `json:"reason,omitempty"`
	Status    string          `json:"status,omitempty"`
	Trust     lukasa.Trust    `json:"trust"`
	Actor     string          `json:"actor"`
	CreatedAt string          `json:"created_at"`
	UpdatedAt string          `json:"updated_at"`
	ExpiresAt string          `json:"expires_at,omitempty"`
	Valid     bool            `json:"valid"`
	Position  uint64          `json:"position"`
	Form      memory.Form     `json:"form,omitempty"`
	Rendered  string          `json:"rendered,omitempty"`
	Body      json.RawMessage `json:"body"`
}

// ThingOf converts a record.
func ThingOf(t *lukasa.Thing) (Thing, error) {
	body, err := t.Body.AppendJSON(nil)
	return Thing{
		URI: t.URI, Kind: t.URI.Kind, Version: t.Version, State: t.State, Reason: t.Note, Status: t.Status,
		Trust: t.Trust, Actor: t.Actor, CreatedAt: Instant(t.Created), UpdatedAt: Instant(t.Updated),
		ExpiresAt: Instant(t.Expires), Valid: t.Valid, Position: t.Position, Body: body,
	}, err
}

// ThingsOf converts a list of records.
func ThingsOf(list []*lukasa.Thing) ([]Thing, error) {
	out := make([]Thing, len(list))
	for i, t := range list {
		var err error
		if out[i], err = ThingOf(t); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Event is an event as it is recorded.
type Event struct {
	URI        lukasa.URI      `json:"uri"`
	Kind       lukasa.Kind     `json:"kind"`
	Position   uint64          `json:"position"`
	RecordedAt string          `json:"recorded_at"`
	Actor      string          `json:"actor"`
	Trust      lukasa.Trust    `json:"trust"`
	Event      json.RawMessage `json:"event"`
}

// EventOf converts an event.
func EventOf(ev *lukasa.StoredEvent) (Event, error) {
	text, err := ev.Event.AppendJSON(nil)
	return Event{
		URI:  lukasa.URI{Tenant: ev.Event.TenantID, Kind: lukasa.EventKind, ID: ev.Event.EventID},
		Kind: lukasa.EventKind, Position: ev.Position, RecordedAt: Instant(ev.Recorded), Actor: ev.Actor, Trust: ev.Trust, Event: text,
	}, err
}

// Events are events in order.
type Events struct {
	Events []Event `json:"events"`
	Next   *string `json:"next"`
}

// EventsOf converts a page of events.
func EventsOf(page *lukasa.EventPage) (*Events, error) {
	out := &Events{Events: make([]Event, len(page.Events)), Next: NextPage(page.Next)}
	for i, ev := range page.Events {
		var err error
		if out.Events[i], err = EventOf(ev); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Session is a summary of a session.
type Session struct {
	SessionID string `json:"session_id"`
	Events    uint64 `json:"events"`
	First     string `json:"first"`
	Last      string `json:"last"`
}

// SessionOf converts a session.
func SessionOf(i lukasa.SessionInfo) Session {
	return Session{i.ID, i.Events, Instant(i.First), Instant(i.Last)}
}

// Sessions are sessions, ordered by id.
type Sessions struct {
	Sessions []Session `json:"sessions"`
	Next     *string   `json:"next"`
}

// Change is one version in a history.
type Change struct {
	Version  uint32          `json:"version"`
	Op       string          `json:"op"`
	Position uint64          `json:"position"`
	Time     string          `json:"time"`
	Actor    string          `json:"actor"`
	Trust    lukasa.Trust    `json:"trust"`
	Reason   string          `json:"reason,omitempty"` // of a tombstone, an expiry or a transition
	Body     json.RawMessage `json:"body,omitempty"`
}

// History is the versions of a record, oldest first.
type History struct {
	URI      lukasa.URI `json:"uri"`
	Versions []Change   `json:"versions"`
	Next     *string    `json:"next"`
}

// HistoryOf converts a history.
func HistoryOf(uri lukasa.URI, changes []lukasa.Change) (*History, error) {
	out := &History{URI: uri, Versions: make([]Change, len(changes))}
	for i, ch := range changes {
		out.Versions[i] = Change{ch.Version, string(ch.Op), ch.Position, Instant(ch.Time), ch.Actor, ch.Trust, ch.Note, nil}
		if ch.Body == nil {
			continue
		}
		var err error
		if out.Versions[i].Body, err = ch.Body.AppendJSON(nil); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Resolved is what a URI names: a record or an event, distinguished by kind.
type Resolved struct {
	Thing *Thing
	Event *Event
}

// ResolvedOf converts what a URI names.
func ResolvedOf(found *lukasa.Resolved) (*Resolved, error) {
	thing, event, err := either(found.Thing, found.Event)
	return &Resolved{thing, event}, err
}

// MarshalJSON encodes whichever is set.
func (r Resolved) MarshalJSON() ([]byte, error) {
	if r.Thing != nil {
		return json.Marshal(r.Thing)
	}
	return json.Marshal(r.Event)
}
