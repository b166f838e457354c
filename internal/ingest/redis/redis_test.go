package redis_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"lukasa.dev/hmx/wire"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/ingest"
	"lukasa.dev/internal/ingest/ingesttest"
	"lukasa.dev/internal/ingest/redis"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// broker is a new server, or the one that LUKASA_REDIS_URL names.
type broker struct {
	url    string
	port   string
	dir    string
	server *exec.Cmd
	c      redis.Config
}

// startServer starts Debian's server on a loopback port, with every write durable
// before it is answered.
func (b *broker) startServer(t *testing.T) {
	t.Helper()
	b.server = exec.Command("redis-server", "--port", b.port, "--bind", "127.0.0.1", "--dir", b.dir,
		"--appendonly", "yes", "--appendfsync", "always", "--save", "", "--daemonize", "no")
	if err := b.server.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute)
	for {
		err := b.with(t, func(ctx context.Context, client *goredis.Client) error { return client.Ping(ctx).Err() })
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server does not come up: %v", err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (b *broker) stopServer() {
	_ = b.server.Process.Signal(os.Interrupt) // it may have ended
	_ = b.server.Wait()
}

func start(t *testing.T, ackWait time.Duration) ingesttest.Broker { return startBroker(t, ackWait) }

func startBroker(t *testing.T, ackWait time.Duration) *broker {
	t.Helper()
	b := &broker{url: os.Getenv("LUKASA_REDIS_URL")}
	if b.url == "" {
		if _, err := exec.LookPath("redis-server"); err != nil {
			t.Skip("there is no redis-server here; install it, or set LUKASA_REDIS_URL")
		}
		b.dir, b.port = t.TempDir(), freePort(t)
		b.url = "redis://127.0.0.1:" + b.port
		b.startServer(t)
		t.Cleanup(b.stopServer)
	}
	name := fmt.Sprint("lukasa-test-", time.Now().UnixNano())
	b.c = redis.Config{URL: b.url, Stream: name, ClaimAfter: ackWait}
	t.Cleanup(func() {
		_ = b.with(t, func(ctx context.Context, client *goredis.Client) error { // the server may be gone
			return client.Del(ctx, name, name+":dead").Err()
		})
	})
	return b
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// with runs f with a new client.
func (b *broker) with(t *testing.T, f func(context.Context, *goredis.Client) error) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	options, err := goredis.ParseURL(b.url)
	if err != nil {
		t.Fatal(err)
	}
	client := goredis.NewClient(options)
	defer func() { _ = client.Close() }()
	return f(ctx, client)
}

func (b *broker) Publish(t *testing.T, msgs ...wire.Message) {
	t.Helper()
	err := b.with(t, func(ctx context.Context, client *goredis.Client) error {
		_, err := client.Pipelined(ctx, func(p goredis.Pipeliner) error {
			for _, m := range msgs {
				p.XAdd(ctx, &goredis.XAddArgs{Stream: b.c.Stream, Values: []any{"event", m.Body, "trace", "kept"}})
			}
			return nil
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (b *broker) Dial(ctx context.Context) (ingest.Source, error) {
	src, err := redis.Open(ctx, b.c)
	if err != nil {
		return nil, err
	}
	return src, nil
}

func (b *broker) Letters(t *testing.T) (list []ingesttest.Letter) {
	t.Helper()
	err := b.with(t, func(ctx context.Context, client *goredis.Client) error {
		entries, err := client.XRange(ctx, b.c.Stream+":dead", "-", "+").Result()
		for _, e := range entries {
			l := ingesttest.Letter{Headers: map[string]string{}}
			for name, value := range e.Values {
				if name == "event" {
					l.Body = value.(string)
				} else {
					l.Headers[name] = value.(string)
				}
			}
			if l.Headers["trace"] != "kept" {
				t.Errorf("a dead letter without its own fields: %v", l.Headers)
			}
			list = append(list, l)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func (b *broker) Restart(t *testing.T) bool {
	if b.server == nil {
		return false
	}
	b.stopServer()
	b.startServer(t)
	return true
}

func TestSuite(t *testing.T) { ingesttest.Run(t, start) }

// Another consumer claims the entries of a killed one, after a while.
func TestClaimsWhatWasLeftBehind(t *testing.T) {
	t.Parallel()
	b := startBroker(t, ingesttest.AckWait)
	b.c.ClaimAfter = time.Millisecond
	b.Publish(t, wire.Message{Body: []byte("one")}, wire.Message{Body: []byte("two")})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	b.c.Consumer = "killed"
	killed, err := redis.Open(ctx, b.c)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := killed.Fetch(ctx, 10); err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	b.c.Consumer = "next"
	next, err := redis.Open(ctx, b.c)
	if err != nil {
		t.Fatal(err)
	}
	var got []*ingest.Message
	for len(got) < 2 {
		list, err := next.Fetch(ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, list...)
	}
	for i, want := range []string{"one", "two"} {
		if string(got[i].Body) != want || !got[i].Again {
			t.Errorf("%+v", got[i])
		}
	}
	if err := next.Ack(ctx, got); err != nil {
		t.Error(err)
	}
	if lag, err := next.Lag(ctx); lag != 0 || err != nil {
		t.Errorf("lag %d %v", lag, err)
	}
	for _, s := range []*redis.Source{killed, next} {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestBadConfig(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for name, c := range map[string]redis.Config{
		"nothing":             {},
		"not a URL":           {URL: "http://secret@x", Stream: "s"},
		"dead letters return": {URL: "redis://127.0.0.1:1", Stream: "s", DeadStream: "s"},
		"negative":            {URL: "redis://127.0.0.1:1", Stream: "s", ClaimAfter: -1},
	} {
		if src, err := redis.Open(ctx, c); fault.CodeOf(err) != fault.BadConfig {
			t.Errorf("%s: %v %v", name, src, err)
		}
	}
	if _, err := redis.Open(ctx, redis.Config{URL: "redis://127.0.0.1:1", Stream: "s"}); fault.CodeOf(err) != fault.NoServer {
		t.Errorf("nobody there: %v", err)
	}
}

// Entries in progress do not look abandoned, however long they take.
func TestWorkingKeepsEntries(t *testing.T) {
	t.Parallel()
	b := startBroker(t, time.Minute)
	b.Publish(t, wire.Message{Body: []byte("one")})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	open := func(name string) *redis.Source {
		b.c.Consumer = name
		s, err := redis.Open(ctx, b.c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
	holder := open("holder")
	list, err := holder.Fetch(ctx, 10)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	// An hour passes.
	err = b.with(t, func(ctx context.Context, client *goredis.Client) error {
		return client.Do(ctx, "XCLAIM", b.c.Stream, redis.DefaultGroup, "holder", 0, list[0].Offset, "IDLE", time.Hour.Milliseconds(), "JUSTID").Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Working(ctx, list); err != nil {
		t.Fatal(err)
	}
	if stolen, err := open("other").Fetch(ctx, 10); err != nil || len(stolen) != 0 {
		t.Errorf("%+v %v", stolen, err)
	}
}
