package memory

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/record"
)

// State says whether a thing is still there.
type State string

// The states.
const (
	StateLive       State = "live"
	StateTombstoned State = "tombstoned" // forgotten on request; history and restore remain
	StateExpired    State = "expired"    // its time is over; history and restore remain
	StateErased     State = "erased"     // the payload is gone for good
)

// States lists the states.
func States() []State { return []State{StateLive, StateTombstoned, StateExpired, StateErased} }

// Stamp is what the engine says about a version of a thing. None of it is ever
// taken from a request.
type Stamp struct {
	Version   uint64       // from 1
	CreatedAt hmx.Time     // of the first version
	UpdatedAt hmx.Time     // of this version
	Agent     string       // who wrote this version
	Trust     record.Trust // of this version: at most its writer's and its sources'
	State     State        // of this version
	Reason    string       // why it is tombstoned
	Position  uint64       // of this version in the tenant's journal
}

func (s *Stamp) fields(c *codec) {
	c.count("version", &s.Version, false)
	word(c, "state", &s.State)
	word(c, "reason", &s.Reason)
	trust := s.Trust.String()
	word(c, "trust", &trust)
	if !c.writing {
		s.Trust, _ = record.ParseTrust(trust)
	}
	word(c, "agent", &s.Agent)
	c.time("created_at", &s.CreatedAt)
	c.time("updated_at", &s.UpdatedAt)
	c.count("position", &s.Position, true)
}

func (s *Stamp) rules(f *faults) {
	if s.Version == 0 {
		f.add("version", "is missing", "give the version, from 1")
	}
	oneOf(f, "state", s.State, "a state", States(), nil)
	if !s.Trust.Known() {
		f.add("trust", "is not a tier of trust", "use one of external, tool, agent, user, operator")
	}
	f.optID("agent", s.Agent)
	f.prose("reason", s.Reason, MaxReason)
}

// Versioned is a body with what the engine says about it. Of an erased version
// there is no body.
type Versioned[B Body] struct {
	URI   URI // of this version
	Stamp Stamp
	Body  B
}

// AppendJSON appends the body under body, beside uri, kind and the fields of
// the stamp.
func (v Versioned[B]) AppendJSON(dst []byte) ([]byte, error) {
	raw := hmx.Raw("")
	if v.Stamp.State != StateErased {
		data, err := v.Body.AppendJSON(nil)
		if err != nil {
			return dst, err
		}
		raw = hmx.Raw(data)
	}
	return encode(dst, "answer", &envelope{uri: v.URI, stamp: v.Stamp, body: raw})
}

// MarshalJSON is AppendJSON for encoding/json.
func (v Versioned[B]) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// DecodeVersioned reads what [Versioned.AppendJSON] writes, strictly. Body is
// nil if the version is erased.
func DecodeVersioned(data []byte) (Versioned[Body], error) {
	var v Versioned[Body]
	if err := tooLarge("answer", len(data), 2*maxInput); err != nil {
		return v, err
	}
	var f faults
	var e envelope
	if decode(&f, data, &e) {
		e.rules(&f)
	}
	if err := f.err("answer"); err != nil {
		return v, err
	}
	if e.body != "" {
		body, err := Decode(e.uri.Kind, []byte(e.body))
		if err != nil {
			return v, err
		}
		if id, _ := body.Identity(); id != e.uri.ID {
			return v, fault.Newf(fault.InvalidArgument, "answer: body has the id %s, but uri the id %s: let the two agree", show(id), show(e.uri.ID))
		}
		v.Body = body
	}
	v.URI, v.Stamp = e.uri, e.stamp
	return v, nil
}

// envelope is the JSON of a Versioned.
type envelope struct {
	uri   URI
	stamp Stamp
	body  hmx.Raw
}

func (e *envelope) fields(c *codec) {
	c.uri("uri", &e.uri)
	kind := e.uri.Kind
	c.kind("kind", &kind)
	if !c.writing && kind != e.uri.Kind {
		c.faults.add("kind", "is not the kind of the uri", "let the two agree")
	}
	e.stamp.fields(c)
	if c.writing {
		c.raw("body", &e.body)
	} else if n, ok := c.member("body", canon.Object); ok {
		e.body = hmx.Raw(c.doc.Raw(n))
	}
}

func (e *envelope) rules(f *faults) {
	f.checkURI("uri", e.uri)
	e.stamp.rules(f)
	if !f.blamed("uri") && e.uri.Version != e.stamp.Version {
		f.add("uri", "does not have the version beside it", "let the two agree")
	}
	if (e.body == "") != (e.stamp.State == StateErased) {
		f.add("body", "is there if and only if the version is not erased", "give the body, or the state erased")
	}
}
