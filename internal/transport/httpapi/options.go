package httpapi

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/api"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/intake"
	"lukasa.dev/internal/quota"
)

// Options says what is served, and to whom.
type Options struct {
	Board *lukasa.Board
	Keys  *auth.Store
	// Quotas bound what tenants send. Nil means that nothing does.
	Quotas *quota.Book
	// Embedder makes vectors of questions. Nil leaves that to the built-in model.
	Embedder lukasa.Embedder
	// Gate is the way in for events that come one by one on a stream. Nil means that
	// they are recorded as they come.
	Gate *intake.Gate
	// Log gets a line for each call. Nil means none.
	Log *slog.Logger
	// Hosts are names that the server is called by, besides loopback names and the
	// address that a connection came to.
	Hosts []string
	// Origins are the pages that may call it, as browsers name them, such as
	// "https://app.example.com". Scripts of these, and no others, may read answers.
	Origins []string
	// Limits bounds what a call may take. The zero value works.
	Limits Limits
	// Extra is served at paths of its own, to whoever has a credential; see
	// [Server.Guard].
	Extra map[string]http.Handler
	// Open is served at paths of its own without a credential.
	Open map[string]http.Handler
	// Observe is told of each call once it is over: by the name of the operation, or of
	// the path where there is none, never by what the caller wrote.
	Observe func(op string, status int, took time.Duration, in, out int64)
	// Ingested is told what became of events, by the way they came.
	Ingested func(by Way, t Taken)
	// Version is that of the program, for /openapi.json.
	Version string

	// operations is the table, for tests.
	operations []*api.Operation
}

// Way is how events come.
type Way string

// The ways.
const (
	ByDocument Way = "http"      // one event or an array of them
	ByLines    Way = "ndjson"    // a stream of lines
	BySocket   Way = "websocket" // one event a frame
	BySpans    Way = "otlp"      // spans of OpenTelemetry, as the events that are made of them
)

// Taken says what became of events that came together.
type Taken struct {
	Accepted, Duplicates, Rejected int
	Bytes                          int64 // of all of them
}

// TakenOne is what became of one event of so many bytes.
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

// ingested tells what became of events, if somebody wants to know.
func (s *Server) ingested(by Way, t Taken) {
	if s.o.Ingested != nil {
		s.o.Ingested(by, t)
	}
}

// Limits are how much a call may take. Zero stands for the default of each.
type Limits struct {
	// BodyBytes is how large a body may be, as it is sent and decompressed. Lines of
	// events may be of any number. Default 8 MiB.
	BodyBytes int64
	// HeldBytes is how much of bodies may be in memory at the same time. A tenant may
	// have half of what others leave. Default 128 MiB.
	HeldBytes int64
	// HeaderBytes and Headers are how large and how many headers may be. Default
	// 64 KiB and 128.
	HeaderBytes, Headers int
	// Calls is how many calls run at the same time, Streams how many streams are open.
	// A tenant may have half of what others leave. Default 256 and 2048.
	Calls, Streams int
	// BodyTime is how long a body may take to come, and a second more for each
	// BodyRate bytes that came. Default 10 s and 16 KiB.
	BodyTime time.Duration
	BodyRate int64
	// StreamIdle is how long a stream of events may be silent. Default 2 min.
	StreamIdle time.Duration
	// WriteTime is how long a reader may leave a piece of an answer unread. Default
	// 30 s.
	WriteTime time.Duration
	// Heartbeat is how often a stream without events says that it is there. Default
	// 15 s.
	Heartbeat time.Duration
	// Ratio is how many times larger than what was sent a stream may be when it is
	// decompressed. Default 100.
	Ratio int64
	// InFlight is how many events of a WebSocket may wait for their acknowledgement.
	// Default 256.
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

// keys is what the server needs of the credentials.
type keys interface {
	Authenticate(ctx context.Context, bearer, tenant, scope string) (*auth.Principal, error)
	Watch(p *auth.Principal) (gone <-chan struct{}, stop func())
}
