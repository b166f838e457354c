package hmx

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/internal/canon"
	"pgregory.net/rapid"
)

// jsonValue generates strict JSON text, including hostile names.
func jsonValue(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kind := rapid.IntRange(0, 6).Draw(t, "kind")
		if depth == 0 && kind > 4 {
			kind = 4
		}
		switch kind {
		case 0:
			return rapid.SampledFrom([]string{"null", "true", "false", "0", "-0", "1e3", "12345678901234567890", "0.1", "5e-324"}).Draw(t, "scalar")
		case 1, 2:
			f := rapid.Float64().Filter(func(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }).Draw(t, "number")
			return string(canon.AppendNumber(nil, f))
		case 3, 4:
			return string(canon.AppendQuoted(nil, validText().Draw(t, "string")))
		case 5:
			return "[ " + strings.Join(rapid.SliceOfN(jsonValue(depth-1), 0, 4).Draw(t, "items"), " ,\n") + "]"
		}
		return jsonObject(depth-1).Draw(t, "object")
	})
}

func jsonObject(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		names := rapid.SliceOfNDistinct(rapid.OneOf(validText(), rapid.SampledFrom([]string{"role", "text", "", "a/b", "~", "hmx", "id"})), 0, 5, rapid.ID[string]).Draw(t, "names")
		var members []string
		for _, n := range names {
			if n == "role" || n == "text" {
				continue // typed in a message
			}
			members = append(members, string(canon.AppendQuoted(nil, n))+" : "+jsonValue(depth).Draw(t, "member"))
		}
		return "{" + strings.Join(members, ",\t") + "}"
	})
}

func validText() *rapid.Generator[string] {
	return rapid.Map(rapid.String(), func(s string) string { return strings.ToValidUTF8(s, "?") })
}

func optional1[T any](t *rapid.T, g *rapid.Generator[T], name string) Opt[T] {
	if rapid.Bool().Draw(t, name+" set") {
		return Some(g.Draw(t, name))
	}
	return Opt[T]{}
}

// anyEvent generates valid events.
func anyEvent() *rapid.Generator[*Event] {
	return rapid.Custom(func(t *rapid.T) *Event {
		id := rapid.Map(validText(), func(s string) string { return "i" + s })
		e := &Event{
			HMXVersion: Version,
			EventID:    id.Draw(t, "event"),
			EventType:  rapid.SampledFrom(append(EventTypes(), "x-acme-thing")).Draw(t, "type"),
			AgentID:    id.Draw(t, "agent"),
			TenantID:   id.Draw(t, "tenant"),
			SessionID:  id.Draw(t, "session"),
			Timestamp:  TimeOf(time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "time"), rapid.Int64Range(0, 999999999).Draw(t, "ns"))),
			Sequence:   rapid.Int64Range(0, math.MaxInt64).Draw(t, "sequence"),
			Content:    Raw(jsonObject(3).Draw(t, "content")),
			Metadata:   Raw(jsonObject(2).Draw(t, "metadata")),

			TraceID:       optional1(t, validText(), "trace"),
			CorrelationID: optional1(t, validText(), "correlation"),
			ParentEventID: optional1(t, validText(), "parent"),
			Salience:      optional1(t, rapid.Float64Range(0, 1), "salience"),
			Source:        optional1(t, validText(), "source"),
			ProvenanceRef: optional1(t, validText(), "provenance"),
			TTLSeconds:    optional1(t, rapid.Int64Range(0, math.MaxInt64), "ttl"),
		}
		if rapid.Bool().Draw(t, "embedded") {
			e.Embeddings = rapid.SliceOfN(rapid.Float64Range(-1e9, 1e9), 1, 20).Draw(t, "embeddings")
		}
		if rapid.Bool().Draw(t, "tagged") {
			e.Tags = rapid.SliceOfN(validText(), 0, 5).Draw(t, "tags")
		}
		return e
	})
}

// Encoding and decoding an event loses nothing, in either direction.
func TestEventRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvent().Draw(t, "event")
		data, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsAny(data, "\n\r") {
			t.Fatalf("not one line: %q", data)
		}
		got, warnings, err := DecodeEvent(data)
		if err != nil {
			// The generator does not know the rules on normative content.
			if _, normative := err.(*InvalidError); normative && strings.Contains(err.Error(), "HMX-E/4.") {
				return
			}
			t.Fatal(err)
		}
		if warnings != nil {
			t.Fatal(warnings)
		}
		again, err := got.AppendJSON(nil)
		if err != nil || !bytes.Equal(again, data) {
			t.Fatalf("%v\n%s\n%s", err, data, again)
		}
		if CompareEvents(e, got) != 0 || e.Size() < len(e.Content) {
			t.Fatal("a different event came back")
		}
		a, errA := e.Canonical()
		b, errB := got.Canonical()
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Fatalf("%s\n%s", a, b)
		}
	})
}

// The types work with encoding/json, strictly.
func TestStandardMarshalling(t *testing.T) {
	for name, v := range map[string]any{"event-message": new(Event), "pack": new(Pack)} {
		data := example(t, name)
		if err := json.Unmarshal(data, v); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(v)
		if err != nil || !sameJSON(data, again) {
			t.Errorf("%s: %v\n%s", name, err, again)
		}
		if err := json.Unmarshal([]byte(`{"event_id":"x"}`), v); err == nil {
			t.Errorf("%s: unmarshalled from nonsense", name)
		}
	}
	var a Artifact
	if err := json.Unmarshal([]byte(artifactBase), &a); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(&a); err != nil || !sameJSON([]byte(artifactBase), again) {
		t.Errorf("%v %s", err, again)
	}
	var r Raw
	if err := r.UnmarshalJSON([]byte(`{"a":1,"a":2}`)); err == nil {
		t.Error("a Raw with a doubled name")
	}
	if b, err := json.Marshal(Opt[int64]{}); err != nil || string(b) != "null" {
		t.Errorf("absent Opt: %s %v", b, err)
	}
	if b, err := json.Marshal(Some([]string{"<&>"})); err != nil || !sameJSON(b, []byte(`["<&>"]`)) {
		t.Errorf("%s %v", b, err)
	}
	if b, err := json.Marshal(TimeOf(time.Unix(0, 0))); err != nil || string(b) != `"1970-01-01T00:00:00.000Z"` {
		t.Errorf("%s %v", b, err)
	}
}

// The hand-written writer of events agrees with the general one.
func TestEventWriterAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvent().Draw(t, "event")
		ours, err := e.AppendJSON([]byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		general, err := encode([]byte("x"), *e)
		if err != nil || !bytes.Equal(ours, general) {
			t.Fatalf("%v\n%s\n%s", err, ours, general)
		}
	})
	if _, err := (*Event)(nil).AppendJSON(nil); err == nil {
		t.Error("no event was written")
	}
}

// A value without a JSON form is refused with the name of the field, and not changed.
func TestEncodeRefusals(t *testing.T) {
	ok := func() *Event {
		e, _, err := DecodeEvent([]byte(base))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for field, spoil := range map[string]func(*Event){
		"event_id":   func(e *Event) { e.EventID = "\xff" },
		"salience":   func(e *Event) { e.Salience = Some(math.NaN()) },
		"embeddings": func(e *Event) { e.Embeddings = []float64{1, math.Inf(1)} },
		"tags":       func(e *Event) { e.Tags = []string{"\xc3"} },
		"content":    func(e *Event) { e.Content = "{\"a\":1}\n{\"b\":2}" },
		"metadata":   func(e *Event) { e.Metadata = `{"a":1,"a":2}` },
	} {
		e := ok()
		spoil(e)
		dst := []byte("kept")
		out, err := e.AppendJSON(dst)
		if err == nil || !strings.Contains(err.Error(), field) || string(out) != "kept" {
			t.Errorf("%s: %q %v", field, out, err)
		}
	}
	e := ok()
	e.Content, e.Metadata = "", ""
	if out, err := e.AppendJSON(nil); err != nil || !strings.Contains(string(out), `"content":{},"metadata":{}`) {
		t.Errorf("the zero Raw is {}: %s %v", out, err)
	}
}

func TestCompareEvents(t *testing.T) {
	at := func(tenant, session string, seq int64, stamp, id string) *Event {
		ts, err := ParseTime(stamp)
		if err != nil {
			t.Fatal(err)
		}
		return &Event{TenantID: tenant, SessionID: session, Sequence: seq, Timestamp: ts, EventID: id}
	}
	sorted := []*Event{
		at("a", "s", 5, "2026-01-01T00:00:00Z", "x"),
		at("b", "r", 9, "2026-01-01T00:00:00Z", "x"),
		at("b", "s", 1, "2026-01-01T00:00:09Z", "x"),
		at("b", "s", 2, "2026-01-01T02:00:00+02:00", "x"),
		at("b", "s", 2, "2026-01-01T00:00:00.000Z", "y"),
		at("b", "s", 2, "2026-01-01T00:00:00.000000001Z", "a"),
		at("b", "s", 10, "2020-01-01T00:00:00Z", "a"),
	}
	for i, a := range sorted {
		for j, b := range sorted {
			if got := CompareEvents(a, b); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("CompareEvents(%d, %d) = %d", i, j, got)
			}
		}
	}
	shuffled := slices.Clone(sorted)
	slices.Reverse(shuffled)
	slices.SortFunc(shuffled, CompareEvents)
	if !slices.Equal(shuffled, sorted) {
		t.Error("sorting gives another order")
	}
}

// The canonical form is that of AppendJSON.
func TestCanonicalAgreesWithAppendJSON(t *testing.T) {
	e := &Event{EventID: "e"}
	written, err := e.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := e.Canonical(); err != nil || !sameJSON(got, written) {
		t.Errorf("%s %v", got, err)
	}
	for name, call := range map[string]func() ([]byte, error){
		"event": (*Event)(nil).Canonical, "artifact": (*Artifact)(nil).Canonical, "pack": (*Pack)(nil).Canonical,
	} {
		if got, err := call(); err == nil {
			t.Errorf("no %s at all is %s", name, got)
		}
	}
	e.Tags = []string{"a", "\xff"}
	var refused *EncodeError
	if _, err := e.AppendJSON(nil); !errors.As(err, &refused) || refused.Pointer != "/tags/1" || refused.Rule != "HMX-JSON/utf8" {
		t.Errorf("%v", err)
	}
	var invalid *InvalidError
	if _, err := e.Validate(); !errors.As(err, &invalid) || invalid.Problems[0].Pointer != "/tags/1" {
		t.Errorf("%v", err)
	}
	if b, err := json.Marshal(Some(int32(4))); err != nil || string(b) != "4" {
		t.Errorf("%s %v", b, err)
	}
}
