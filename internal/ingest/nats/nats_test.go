package nats_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"lukasa.dev/hmx/wire"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/ingest"
	"lukasa.dev/internal/ingest/ingesttest"
	"lukasa.dev/internal/ingest/nats"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// The embedded server keeps these for the lifetime of the process.
		goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.init.0.func1"),
	)
}

// broker is a new server, or the one that LUKASA_NATS_URL names.
type broker struct {
	url    string
	server *server.Server
	o      *server.Options
	c      nats.Config
}

func startServer(t *testing.T, o *server.Options) *server.Server {
	t.Helper()
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not come up")
	}
	return s
}

func start(t *testing.T, ackWait time.Duration) ingesttest.Broker { return startBroker(t, ackWait) }

func startBroker(t *testing.T, ackWait time.Duration) *broker {
	t.Helper()
	b := &broker{url: os.Getenv("LUKASA_NATS_URL")}
	if b.url == "" {
		b.o = &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true}
		b.server = startServer(t, b.o)
		b.url = b.server.ClientURL()
		b.o.Port = b.server.Addr().(*net.TCPAddr).Port // keep the port across restarts
		t.Cleanup(func() { stopServer(b.server) })
	}
	name := fmt.Sprint("lukasa-test-", time.Now().UnixNano())
	b.c = nats.Config{URL: b.url, Stream: name, AckWait: ackWait}
	b.with(t, func(ctx context.Context, js jetstream.JetStream) {
		if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: name, Subjects: []string{name + ".in.>"}}); err != nil {
			t.Fatal(err)
		}
	})
	if b.server == nil {
		t.Cleanup(func() {
			b.with(t, func(ctx context.Context, js jetstream.JetStream) {
				for _, stream := range []string{name, name + "-dead"} {
					_ = js.DeleteStream(ctx, stream) // the second may not exist
				}
			})
		})
	}
	return b
}

func stopServer(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// with runs f with a new connection.
func (b *broker) with(t *testing.T, f func(context.Context, jetstream.JetStream)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := natsgo.Connect(b.url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	f(ctx, js)
}

func (b *broker) Publish(t *testing.T, msgs ...wire.Message) {
	t.Helper()
	b.with(t, func(ctx context.Context, js jetstream.JetStream) {
		for _, m := range msgs {
			if _, err := js.PublishMsg(ctx, &natsgo.Msg{Subject: b.c.Stream + ".in.events", Data: m.Body, Header: natsgo.Header{"Trace": {"kept"}}}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func (b *broker) Dial(ctx context.Context) (ingest.Source, error) {
	src, err := nats.Open(ctx, b.c)
	if err != nil {
		return nil, err
	}
	return src, nil
}

func (b *broker) Letters(t *testing.T) (list []ingesttest.Letter) {
	t.Helper()
	b.with(t, func(ctx context.Context, js jetstream.JetStream) {
		stream, err := js.Stream(ctx, b.c.Stream+"-dead")
		if err != nil {
			t.Fatal(err)
		}
		for i := range stream.CachedInfo().State.Msgs {
			m, err := stream.GetMsg(ctx, i+1)
			if err != nil {
				t.Fatal(err)
			}
			if m.Header.Get("Trace") != "kept" {
				t.Errorf("a dead letter without its own headers: %v", m.Header)
			}
			l := ingesttest.Letter{Body: string(m.Data), Headers: map[string]string{}}
			for name := range m.Header {
				l.Headers[name] = m.Header.Get(name)
			}
			list = append(list, l)
		}
	})
	return list
}

func (b *broker) Restart(t *testing.T) bool {
	if b.server == nil {
		return false
	}
	stopServer(b.server)
	b.server = startServer(t, b.o)
	return true
}

func TestSuite(t *testing.T) { ingesttest.Run(t, start) }

// TestCloseHandsBack: whatever the server sent to a source that closes, read or not, goes
// to the next source at once.
func TestCloseHandsBack(t *testing.T) {
	t.Parallel()
	b := startBroker(t, time.Minute)
	const n = 200
	b.Publish(t, make([]wire.Message, n)...)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // less than AckWait
	defer cancel()
	for round := range 30 {
		src, err := nats.Open(ctx, b.c)
		if err != nil {
			t.Fatal(err)
		}
		if round%3 == 0 {
			// A fetch that is not waited for leaves everything under way.
			brief, stop := context.WithTimeout(ctx, time.Duration(round)*10*time.Microsecond)
			_, err = src.Fetch(brief, n/2)
			stop()
		} else {
			var list []*ingest.Message
			for seen := map[string]bool{}; len(seen) < n && err == nil; {
				list, err = src.Fetch(ctx, n/2)
				for _, m := range list {
					seen[m.Offset] = true
				}
				if ctx.Err() != nil {
					t.Fatalf("round %d: only %d of %d messages came back in time", round, len(seen), n)
				}
			}
		}
		if err == nil {
			err = src.Close()
		}
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}

func TestBadConfig(t *testing.T) {
	t.Parallel()
	b := startBroker(t, ingesttest.AckWait)
	b.with(t, func(ctx context.Context, js jetstream.JetStream) {
		for name, c := range map[string]nats.Config{
			"nothing":             {},
			"no such stream":      {URL: b.url, Stream: "none"},
			"dead letters return": {URL: b.url, Stream: b.c.Stream, DeadSubject: b.c.Stream + ".in.dead"},
			"negative":            {URL: b.url, Stream: b.c.Stream, AckLimit: -1},
		} {
			if src, err := nats.Open(ctx, c); fault.CodeOf(err) != fault.BadConfig {
				t.Errorf("%s: %v %v", name, src, err)
			}
		}
		if _, err := nats.Open(ctx, nats.Config{URL: "nats://127.0.0.1:1", Stream: "s"}); fault.CodeOf(err) != fault.NoServer {
			t.Errorf("nobody there: %v", err)
		}
	})
}
