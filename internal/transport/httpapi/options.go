package httpapi

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/intake"
	"lukasa.dev/internal/operation"
	"lukasa.dev/internal/quota"
)

// Options configures a server.
type Options struct {
	Board *lukasa.Board
	Keys  *auth.Store
	// Quotas are the limits of tenants. Nil means none.
	Quotas *quota.Book
	// Embedder embeds questions. Nil means the built-in model.
	Embedder lukasa.Embedder
	// Gate orders events that arrive one by one on a stream. Nil means that they are recorded
	// as they arrive.
	Gate *intake.Gate
	// Log receives a line for each call. Nil means none.
	Log *slog.Logger
	// Hosts are host names of the server, in addition to loopback names and the address of the
	// connection.
	Hosts []string
	// Origins are the origins of pages that may call the server, such as
	// "https://app.example.com". Only their scripts may read answers.
	Origins []string
	// Limits bounds the resources of a call. The zero value works.
	Limits Limits
	// Extra is served at paths of its own to callers with a credential, within the rate of their
	// tenants: a handler for each call, made for its caller.
	Extra map[string]func(Caller) http.Handler
	// Open are handlers at paths of their own that need no credential.
	Open map[string]http.Handler
	// Observe receives each call once it is over: the name of the operation, or of the path if
	// there is none, never client input.
	Observe func(op string, status int, took time.Duration, in, out int64)
	// Ingested receives the result for events, and the way they came.
	Ingested func(by Way, t Taken)
	// Version is the version of the program, for /openapi.json.
	Version string

	// operations is the table, for tests.
	operations []*operation.Operation
}

// Way is how events come.
type Way string

// The ways.
const (
	ByDocument Way = "http"      // one event or an array of them
	ByLines    Way = "ndjson"    // a stream of lines
	BySocket   Way = "websocket" // one event a frame
	BySpans    Way = "otlp"      // spans of OpenTelemetry, as the events made from them
)

// Taken is the result for a batch of events.
type Taken struct {
	Accepted, Duplicates, Rejected int
	Bytes                          int64 // of all events
}

// TakenOne is the result for one event.
func TakenOne(became lukasa.Disposition, bytes int) Taken {
	t := Taken{Bytes: int64(bytes)}
	switch became {
	case lukasa.Accepted, lukasa.Late:
		t.Accepted = 1
	case lukasa.Duplicate:
		t.Duplicates = 1
	case lukasa.Own:
	default:
		t.Rejected = 1
	}
	return t
}

// ingested calls Ingested, if it is set.
func (s *Server) ingested(by Way, t Taken) {
	if s.o.Ingested != nil {
		s.o.Ingested(by, t)
	}
}

// Limits are the limits of a call. Zero means the default of each.
type Limits struct {
	// BodyBytes is the maximum size of a body, both compressed and decompressed. Streams of
	// lines may be longer. Default 8 MiB.
	BodyBytes int64
	// HeldBytes is how many bytes of bodies may be in memory at the same time. A tenant may
	// have half of what others leave. Default 128 MiB.
	HeldBytes int64
	// HeaderBytes and Headers limit the size and the number of headers. Default 64 KiB and 128.
	HeaderBytes, Headers int
	// Calls limits concurrent calls, and Streams open streams. A tenant may have half of what
	// others leave. Default 256 and 2048.
	Calls, Streams int
	// BodyTime is how long a body may take, plus a second for each BodyRate bytes received.
	// Default 10 s and 16 KiB.
	BodyTime time.Duration
	BodyRate int64
	// StreamIdle is how long a stream of events may be silent. Default 2 min.
	StreamIdle time.Duration
	// WriteTime is how long a client may leave a piece of an answer unread. Default 30 s.
	WriteTime time.Duration
	// Heartbeat is the interval of heartbeats on a stream without events. Default 15 s.
	Heartbeat time.Duration
	// Ratio limits the compression ratio of a stream. Default 100.
	Ratio int64
	// InFlight limits the unacknowledged events of a WebSocket. Default 256.
	InFlight int
}

func (l Limits) withDefaults() Limits {
	l.BodyBytes = cmp.Or(l.BodyBytes, 8<<20)
	l.HeldBytes = cmp.Or(l.HeldBytes, 128<<20)
	l.HeaderBytes = cmp.Or(l.HeaderBytes, 64<<10)
	l.Headers = cmp.Or(l.Headers, 128)
	l.Calls = cmp.Or(l.Calls, 256)
	l.Streams = cmp.Or(l.Streams, 2048)
	l.BodyTime = cmp.Or(l.BodyTime, 10*time.Second)
	l.BodyRate = cmp.Or(l.BodyRate, 16<<10)
	l.StreamIdle = cmp.Or(l.StreamIdle, 2*time.Minute)
	l.WriteTime = cmp.Or(l.WriteTime, 30*time.Second)
	l.Heartbeat = cmp.Or(l.Heartbeat, 15*time.Second)
	l.Ratio = cmp.Or(l.Ratio, 100)
	l.InFlight = cmp.Or(l.InFlight, 256)
	return l
}

// keys is what the server needs from the store of credentials.
type keys interface {
	Authenticate(ctx context.Context, bearer, tenant, scope string) (*auth.Principal, error)
	Watch(p *auth.Principal) (gone <-chan struct{}, stop func())
}
