package traces

import (
	"context"
	"os"
	"testing"
	"time"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/sourcetest"
)

// spans is a sink that counts spans besides.
type spans struct {
	sourcetest.Sink
	count int
}

func (s *spans) Span() { s.count++ }

// request reads a request.
func request(body []byte, how Encoding) (*spans, error) {
	s := &spans{}
	err := Read(context.Background(), body, how, time.Unix(0, 0).UTC(), source.Options{Tenant: "acme"}, s)
	return s, err
}

// A request gives the events that a file with the same bytes gives.
func TestRequestsAreReadAsFiles(t *testing.T) {
	for file, how := range map[string]Encoding{"traces.pb": Protobuf, "pretty.json": JSON} {
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
		if len(got.Items) != len(want.Items) || len(got.Items) == 0 || got.count == 0 {
			t.Fatalf("%s: %d events of %d spans, and %d of the file", file, len(got.Items), got.count, len(want.Items))
		}
		for i, it := range got.Items {
			if other := want.Items[i]; it.Event.EventID != other.Event.EventID || it.Event.Content != other.Event.Content || it.Ceiling != other.Ceiling {
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
		how := JSON
		if proto {
			how = Protobuf
		}
		s, err := request(body, how)
		if err != nil {
			if fault.CodeOf(err) != fault.InvalidDocument || len(s.Items)+len(s.Left)+s.count > 0 {
				t.Fatalf("%v, and %d events were taken", err, len(s.Items))
			}
			return
		}
		sourcetest.Obeys(t, &s.Sink)
	})
}
