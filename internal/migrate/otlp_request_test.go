package migrate

import (
	"context"
	"os"
	"testing"
	"time"

	"lukasa.dev/internal/fault"
)

// spans is a sink that counts spans besides.
type spans struct {
	collected
	count int
}

func (s *spans) Span() { s.count++ }

// request reads a request.
func request(body []byte, how TraceEncoding) (*spans, error) {
	s := &spans{}
	err := ReadTraces(context.Background(), body, how, time.Unix(0, 0).UTC(), Options{Tenant: "acme"}, s)
	return s, err
}

// A request gives the events that a file with the same bytes gives.
func TestRequestsAreReadAsFiles(t *testing.T) {
	for file, how := range map[string]TraceEncoding{"traces.pb": TraceProtobuf, "pretty.json": TraceJSON} {
		data, err := os.ReadFile("testdata/fixtures/otlp/" + file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := request(data, how)
		if err != nil {
			t.Fatal(err)
		}
		want, err := readBytes(OTLP, file, data)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.items) != len(want.items) || len(got.items) == 0 || got.count == 0 {
			t.Fatalf("%s: %d events of %d spans, and %d of the file", file, len(got.items), got.count, len(want.items))
		}
		for i, it := range got.items {
			if other := want.items[i]; it.Event.EventID != other.Event.EventID || it.Event.Content != other.Event.Content || it.Ceiling != other.Ceiling {
				t.Errorf("%s: event %d is %+v, and %+v of the file", file, i, it.Event, other.Event)
			}
		}
	}
}

// FuzzTraceRequest holds requests to the promises of files, and to one more: what is none gives
// nothing at all.
func FuzzTraceRequest(f *testing.F) {
	for _, file := range []string{"traces.pb", "cut.pb", "pretty.json"} {
		data, err := os.ReadFile("testdata/fixtures/otlp/" + file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, file != "pretty.json")
	}
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{}]}]}]}`), false)
	f.Add([]byte("\x0a\xff\xff\xff\xff\x0f"), true)
	f.Fuzz(func(t *testing.T, body []byte, proto bool) {
		how := TraceJSON
		if proto {
			how = TraceProtobuf
		}
		s, err := request(body, how)
		if err != nil {
			if fault.CodeOf(err) != fault.InvalidDocument || len(s.items)+len(s.left)+s.count > 0 {
				t.Fatalf("%v, and %d events were taken", err, len(s.items))
			}
			return
		}
		obeys(t, &s.collected)
	})
}
