package node

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	goredis "github.com/redis/go-redis/v9"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"lukasa.dev"
	"lukasa.dev/client"
	"lukasa.dev/internal/testsize"
)

// broker is a broker of a test: its configuration table, how to publish a message, and how many
// dead letters it has.
type broker struct {
	config string
	send   func(ctx context.Context, body []byte) error
	dead   func(ctx context.Context) (int, error)
}

// startNATS starts a server with a stream.
func startNATS(t *testing.T) *broker {
	s, err := server.NewServer(&server.Options{JetStream: true, StoreDir: t.TempDir(), Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not come up")
	}
	conn, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	for name, subject := range map[string]string{"EVENTS": "events.>", "DEAD": "dead"} {
		if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{subject}}); err != nil {
			t.Fatal(err)
		}
	}
	return &broker{
		config: fmt.Sprintf("kind = \"nats\"\nurls = [%q]\nstream = \"EVENTS\"\nsubjects = [\"events.>\"]\ngroup = \"lukasa\"\ndead = \"dead\"\n", s.ClientURL()),
		send: func(ctx context.Context, body []byte) error {
			_, err := js.Publish(ctx, "events.a", body)
			return err
		},
		dead: func(ctx context.Context) (int, error) {
			stream, err := js.Stream(ctx, "DEAD")
			if err != nil {
				return 0, err
			}
			info, err := stream.Info(ctx)
			if err != nil {
				return 0, err
			}
			return int(info.State.Msgs), nil
		},
	}
}

// startKafka starts a cluster with a topic.
func startKafka(t *testing.T) *broker {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	producer, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(producer.Close)
	admin := kadm.NewClient(producer)
	for _, topic := range []string{"events", "dead"} {
		if _, err := admin.CreateTopic(t.Context(), 3, -1, nil, topic); err != nil {
			t.Fatal(err)
		}
	}
	return &broker{
		config: fmt.Sprintf("kind = \"kafka\"\nurls = [%q]\ntopics = [\"events\"]\ngroup = \"lukasa\"\ndead = \"dead\"\n", strings.Join(cluster.ListenAddrs(), "\", \"")),
		send: func(ctx context.Context, body []byte) error {
			return producer.ProduceSync(ctx, &kgo.Record{Topic: "events", Key: []byte("s"), Value: body}).FirstErr()
		},
		dead: func(ctx context.Context) (int, error) {
			ends, err := admin.ListEndOffsets(ctx, "dead")
			if err != nil {
				return 0, err
			}
			n := 0
			ends.Each(func(o kadm.ListedOffset) { n += int(o.Offset) })
			return n, nil
		},
	}
}

// startRedis starts Debian's server, or skips the test if there is none.
func startRedis(t *testing.T) *broker {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("there is no redis-server here; install it")
	}
	_, port, err := net.SplitHostPort(freeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	process := exec.Command(program, "--port", port, "--bind", "127.0.0.1", "--dir", t.TempDir(), "--save", "", "--daemonize", "no")
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = process.Process.Signal(os.Interrupt) // it may have ended
		_ = process.Wait()
	})
	store := goredis.NewClient(&goredis.Options{Addr: "127.0.0.1:" + port})
	t.Cleanup(func() { _ = store.Close() })
	eventually(t, "the server of Redis", func(ctx context.Context) bool { return store.Ping(ctx).Err() == nil })
	return &broker{
		config: fmt.Sprintf("kind = \"redis\"\nurls = [\"redis://127.0.0.1:%s\"]\nstream = \"events\"\ngroup = \"lukasa\"\ndead = \"dead\"\n", port),
		send: func(ctx context.Context, body []byte) error {
			return store.XAdd(ctx, &goredis.XAddArgs{Stream: "events", Values: []any{"event", body}}).Err()
		},
		dead: func(ctx context.Context) (int, error) {
			n, err := store.XLen(ctx, "dead").Result()
			return int(n), err
		},
	}
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func(ctx context.Context) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for !holds(ctx) {
		select {
		case <-ctx.Done():
			t.Fatalf("%s: it does not come", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// A node that is configured by a file consumes each broker: events are recorded once, although
// they come twice and with garbage between them, and messages that are no valid event of the
// tenant become dead letters; after a restart the node continues where it stopped.
func TestBrokersByConfiguration(t *testing.T) {
	t.Parallel()
	testsize.Long(t, "it starts three brokers")
	for name, begin := range map[string]func(*testing.T) *broker{"nats": startNATS, "kafka": startKafka, "redis": startRedis} {
		t.Run(name, func(t *testing.T) { consumeByConfiguration(t, begin(t)) })
	}
}

func consumeByConfiguration(t *testing.T, b *broker) {
	dir, metrics := t.TempDir(), freeAddress(t)
	file := filepath.Join(dir, "lukasa.toml")
	text := fmt.Sprintf("data = %q\nlisten = \"127.0.0.1:0\"\nmemory = \"256MiB\"\nreorder_window = \"100ms\"\nmetrics = %q\n\n[[broker]]\nname = \"one\"\ntenant = \"acme\"\n%s", filepath.Join(dir, "data"), metrics, b.config)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(Sources{File: file})
	if err != nil {
		t.Fatal(err)
	}
	config := loaded.Config
	foreign := event("foreign", 0)
	foreign.TenantID = "others"
	garbage := [][]byte{[]byte("{"), {0xff, 0, 0xfe}, []byte("null"), []byte(`{"hmx_version":"HMX-9.9"}`), body(t, foreign), []byte(strings.Repeat("[", 5000)), {}}
	const each = 20
	for round := range 2 {
		n := start(t, config, Options{})
		for i := range each {
			message := body(t, event(fmt.Sprint("round-", round), i))
			for _, m := range [][]byte{message, garbage[i%len(garbage)], message} {
				if err := b.send(t.Context(), m); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := uint64((round + 1) * each)
		eventually(t, "events and dead letters", func(ctx context.Context) bool {
			root, err := n.Board().Tenant("acme", lukasa.Writer{}).Root(ctx)
			dead, failed := b.dead(ctx)
			return err == nil && failed == nil && root.Size >= want && dead >= int(want)
		})
		stats := func(context.Context) bool {
			return strings.Contains(scrape(t, metrics), `lukasa_broker_in_flight_messages{broker="one"} 0`)
		}
		eventually(t, "everything to be acknowledged", stats)
		if name := n.consumers[0].kind; round == 0 {
			for _, line := range []string{
				fmt.Sprintf(`lukasa_ingest_events_total{outcome="accepted",transport=%q} %d`, name, each),
				fmt.Sprintf(`lukasa_ingest_events_total{outcome="duplicate",transport=%q} %d`, name, each),
				fmt.Sprintf(`lukasa_ingest_events_total{outcome="rejected",transport=%q} %d`, name, each),
				`lukasa_broker_connected{broker="one"} 1`,
			} {
				if got := scrape(t, metrics); !strings.Contains(got, line) {
					t.Errorf("metrics do not say %s:\n%s", line, about(got, "ingest", "broker"))
				}
			}
		}
		if err := n.Close(); err != nil {
			t.Fatal(err)
		}
	}
	board, err := lukasa.Open(config.Data, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = board.Close() }()
	if root, err := board.Tenant("acme", lukasa.Writer{}).Root(t.Context()); err != nil || root.Size != 2*each {
		t.Errorf("%d records, %v", root.Size, err)
	}
	if dead, err := b.dead(t.Context()); err != nil || dead != 2*each {
		t.Errorf("%d dead letters, %v", dead, err)
	}
}

// scrape reads the metrics of a node.
func scrape(t *testing.T, address string) string {
	t.Helper()
	res, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// about returns the lines of metrics that contain one of the words.
func about(text string, words ...string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		for _, word := range words {
			if strings.Contains(line, word) {
				b.WriteString(line)
				break
			}
		}
	}
	return b.String()
}

// body is the JSON of an event.
func body(t *testing.T, ev *lukasa.Event) []byte {
	t.Helper()
	text, err := ev.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Events of each transport are counted by their disposition.
func TestIngestIsCounted(t *testing.T) {
	t.Parallel()
	config := small(t)
	config.Metrics = freeAddress(t)
	n := start(t, config, Options{})
	ctx, c := t.Context(), caller(t, n, "acme")
	if in, err := c.Ingest(ctx, io.MultiReader(lines(t, "lines", 7), strings.NewReader("garbage\n"), lines(t, "lines", 3))); err != nil || in.Accepted != 7 {
		t.Fatalf("%+v, %v", in, err)
	}
	if _, err := c.Append(ctx, event("array", 0), event("array", 1), event("lines", 0)); err != nil {
		t.Fatal(err)
	}
	s, err := c.OpenSocket(ctx, client.SocketOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 1, 0} {
		if err := s.Send(ctx, event("socket", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(ctx); err != nil {
		t.Fatal(err)
	}
	args := `{"session_id":"agent","event_type":"message","content":{"role":"user","text":"hello"},"event_id":"agent-1","timestamp":"2026-11-01T10:00:00Z","sequence":1}`
	for range 2 {
		if err := c.Ask(ctx, "record_event", json.RawMessage(args), nil); err != nil {
			t.Fatal(err)
		}
	}
	callTool(t, n, "record_event", strings.Replace(args, "agent-1", "agent-2", 1))
	callTool(t, n, "record_event", strings.Replace(args, `"role":"user"`, `"role":7`, 1))
	got := scrape(t, config.Metrics)
	for _, want := range []string{
		`events_total{outcome="accepted",transport="ndjson"} 7`, `events_total{outcome="duplicate",transport="ndjson"} 3`, `events_total{outcome="rejected",transport="ndjson"} 1`,
		`events_total{outcome="accepted",transport="http"} 3`, `events_total{outcome="duplicate",transport="http"} 2`, `events_total{outcome="rejected",transport="http"} 0`,
		`events_total{outcome="accepted",transport="websocket"} 2`, `events_total{outcome="duplicate",transport="websocket"} 1`,
		`events_total{outcome="accepted",transport="mcp"} 1`, `events_total{outcome="rejected",transport="mcp"} 1`,
	} {
		if !strings.Contains(got, "lukasa_ingest_"+want) {
			t.Errorf("metrics do not say %s:\n%s", want, about(got, "lukasa_ingest"))
		}
	}
	for _, way := range []string{"http", "ndjson", "websocket", "mcp"} {
		if strings.Contains(got, `lukasa_ingest_bytes_total{transport="`+way+`"} 0`) {
			t.Errorf("%s has no bytes", way)
		}
	}
}

// The client reads a history in pages.
func TestHistoryInPages(t *testing.T) {
	t.Parallel()
	n := start(t, small(t), Options{})
	ctx, c := t.Context(), caller(t, n, "acme")
	for i := range 5 {
		if _, err := c.Remember(ctx, &client.Memory{Key: "parcel/limit", Text: fmt.Sprint("At most ", i, " kg.")}); err != nil {
			t.Fatal(err)
		}
	}
	var seen []uint32
	for r := (&client.HistoryRequest{Key: "parcel/limit", Limit: 2}); ; {
		page, err := c.History(ctx, r)
		if err != nil || len(page.Versions) > 2 {
			t.Fatalf("%+v, %v", page, err)
		}
		for _, v := range page.Versions {
			seen = append(seen, v.Version)
		}
		if page.Next == nil {
			break
		}
		r.After = *page.Next
	}
	if fmt.Sprint(seen) != "[1 2 3 4 5]" {
		t.Errorf("versions %v", seen)
	}
}

// callTool calls a tool over MCP.
func callTool(t *testing.T, n *Node, name, args string) {
	t.Helper()
	token, err := os.ReadFile(n.TokenFile())
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPost, n.URL()+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`","arguments":`+args+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + strings.TrimSpace(string(token)), "X-Lukasa-Tenant": "acme", "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
	} {
		r.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", name, res.Status)
	}
}
