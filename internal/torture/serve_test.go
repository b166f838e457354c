package torture

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"lukasa.dev"
	"lukasa.dev/client"
	"lukasa.dev/hmx"
	servenode "lukasa.dev/internal/node"
	"lukasa.dev/internal/testsize"
)

// serveEnv carries the configuration of a child that serves.
const serveEnv = "LUKASA_TORTURE_SERVE"

// serveToken is the operator's token of children that serve.
const serveToken = "torture-torture-torture"

// serveTenant is the tenant of the calls.
const serveTenant = "acme"

// serving runs a server until it is killed or its input ends. It prints its address.
func serving(text string) int {
	c := servenode.Defaults()
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		fmt.Fprintln(os.Stderr, "configuration:", err)
		return 2
	}
	c.Token = serveToken // the secret is not passed along
	for i := range c.Brokers {
		c.Brokers[i].URLs = []servenode.Secret{servenode.Secret(os.Getenv(serveEnv + "_NATS"))}
	}
	n, err := servenode.Start(context.Background(), c, servenode.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, "start:", err)
		return 3
	}
	fmt.Println(n.URL())
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // until its end
		stop()
	}()
	if err := n.Run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "stop:", err)
		return 4
	}
	return 0
}

// served is a child that serves.
type served struct {
	cmd *exec.Cmd
	url string
	in  io.Closer
	err *strings.Builder
}

// startServing starts a child and waits until it serves.
func startServing(t *testing.T, dir, natsURL string) *served {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{
		"Data": dir, "Listen": "127.0.0.1:0", "Memory": "256MiB", "ReorderWindow": "50ms", "Grace": "30s", "CompileEvents": 50, "CompileQuiet": "1m",
		"Brokers": []map[string]any{{"Kind": "nats", "Stream": "EVENTS", "Tenant": serveTenant}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &served{cmd: exec.Command(self), err: &strings.Builder{}}
	s.cmd.Env = append(os.Environ(), serveEnv+"="+string(config), serveEnv+"_NATS="+natsURL)
	s.cmd.Stderr = s.err
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = s.cmd.Wait()
		t.Fatalf("the server did not start: %v\n%s", err, s.err)
	}
	s.url = strings.TrimSpace(line)
	return s
}

// book is what servers have acknowledged, in a process that survives.
type book struct {
	mu     sync.Mutex
	sent   map[string]bool // ids of sent events
	acked  map[string]bool // ids of acknowledged events
	kept   map[string]bool // keys of acknowledged memories
	counts map[string]int  // acknowledgements by transport
	seen   chan struct{}   // receives an item after an acknowledgement
}

func (b *book) send(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent[id] = true
}

func (b *book) ack(transport, id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.counts[transport]++
	if transport == "mcp" {
		b.kept[id] = true
	} else {
		b.acked[id] = true
	}
	select {
	case b.seen <- struct{}{}:
	default:
	}
}

// servedEvent is an event of a session.
func servedEvent(session string, i int) *hmx.Event {
	return &hmx.Event{
		HMXVersion: hmx.Version, EventID: fmt.Sprintf("%s-%d", session, i), EventType: "message", AgentID: "a", TenantID: serveTenant, SessionID: session,
		Timestamp: hmx.TimeOf(time.Unix(1_790_000_000+int64(i), 0)), Sequence: int64(i), Content: hmx.Raw(fmt.Sprintf(`{"role":"user","text":"parcel %d of %s"}`, i, session)), Metadata: "{}",
	}
}

// load sends to a server over every transport until ctx is done or the server is gone.
func load(ctx context.Context, t *testing.T, b *book, url string, js jetstream.JetStream, round int) {
	var all sync.WaitGroup
	c, err := client.New(url, client.Options{Token: serveToken, Tenant: serveTenant, Attempts: 1})
	if err != nil {
		t.Error(err)
		return
	}
	defer c.Close()
	for w := range 3 {
		all.Go(func() { // single events and small batches
			session := fmt.Sprintf("http-%d-%d", round, w)
			for i := 0; ctx.Err() == nil; i += w + 1 {
				var batch []*hmx.Event
				for n := range w + 1 {
					ev := servedEvent(session, i+n)
					b.send(ev.EventID)
					batch = append(batch, ev)
				}
				in, err := c.Append(ctx, batch...)
				if err != nil {
					return
				}
				if in.Accepted+in.Late != len(batch) {
					t.Errorf("round %d: new events were taken for %+v", round, in)
					return
				}
				for _, ev := range batch {
					b.ack("http", ev.EventID)
				}
			}
		})
	}
	all.Go(func() {
		s, err := c.OpenSocket(ctx, client.SocketOptions{Acked: func(a client.Ack) {
			if a.Disposition == "accepted" || a.Disposition == "late" {
				b.ack("websocket", a.EventID)
			} else {
				t.Errorf("round %d: over the socket: %+v", round, a)
			}
		}})
		if err != nil {
			return
		}
		for i := 0; ctx.Err() == nil; i++ {
			ev := servedEvent(fmt.Sprintf("ws-%d", round), i)
			b.send(ev.EventID)
			if s.Send(ctx, ev) != nil {
				break
			}
		}
	})
	all.Go(func() { rememberOverMCP(ctx, t, b, url, round) })
	all.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			ev := servedEvent(fmt.Sprintf("nats-%d", round), i)
			text, err := ev.AppendJSON(nil)
			if err != nil {
				t.Error(err)
				return
			}
			b.send(ev.EventID)
			// The broker survives: what it has accepted must be recorded in the end.
			if _, err := js.Publish(context.WithoutCancel(ctx), "events.acme", text); err != nil {
				t.Error(err)
				return
			}
			b.ack("nats", ev.EventID)
			time.Sleep(time.Millisecond)
		}
	})
	all.Wait()
}

// rememberOverMCP records memories with the MCP tool.
func rememberOverMCP(ctx context.Context, t *testing.T, b *book, url string, round int) {
	for i := 0; ctx.Err() == nil; i++ {
		key := fmt.Sprintf("r%d/n%d", round, i)
		message := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"remember","arguments":{"key":%q,"text":"Kept as %s."}}}`, i, key, key)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/mcp", strings.NewReader(message))
		if err != nil {
			t.Error(err)
			return
		}
		req.Header.Set("Authorization", "Bearer "+serveToken)
		req.Header.Set("X-Lukasa-Tenant", serveTenant)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil {
			return
		}
		if res.StatusCode != http.StatusOK || !strings.Contains(string(text), "Remembered: "+key+", version 1.") || strings.Contains(string(text), `"isError":true`) {
			t.Errorf("round %d: over MCP: %s %.300s", round, res.Status, text)
			return
		}
		b.ack("mcp", key)
	}
}

// audit opens the directory and compares it with the book. Messages that the broker
// still has may be missing before the end.
func (b *book) audit(ctx context.Context, dir string, end bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	board, err := lukasa.Open(dir, lukasa.Options{MustExist: true})
	if err != nil {
		return err
	}
	report, err := board.Verify(ctx, lukasa.VerifyOptions{Deep: true})
	if err == nil && !report.OK() {
		err = fmt.Errorf("verification: %+v", report.Findings)
	}
	if err == nil {
		err = b.compare(ctx, board.Tenant(serveTenant, lukasa.Writer{}), end)
	}
	return errors.Join(err, board.Close())
}

// compare compares a tenant with the book.
func (b *book) compare(ctx context.Context, acme *lukasa.Tenant, end bool) error {
	there, err := recorded(ctx, acme)
	if err != nil {
		return err
	}
	v := &verdict{}
	for id, n := range there {
		if n != 1 || !b.sent[id] {
			v.find("%s is there %d times; sent: %v", id, n, b.sent[id])
		}
	}
	for id := range b.acked {
		if there[id] == 0 && (end || !strings.HasPrefix(id, "nats-")) {
			v.find("%s was acknowledged and is lost", id)
		}
	}
	for key := range b.kept {
		if thing, err := acme.Recall(ctx, key); err != nil || thing.Version != 1 {
			v.find("%s was acknowledged: %+v, %v", key, thing, err)
		}
	}
	return v.err()
}

// recorded counts the events of a tenant by their ids.
func recorded(ctx context.Context, acme *lukasa.Tenant) (map[string]int, error) {
	there := map[string]int{}
	sessions, err := acme.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range sessions {
		for after := ""; ; {
			page, err := acme.Events(ctx, lukasa.EventQuery{Session: s.ID, Limit: 1000, After: after})
			if err != nil {
				return nil, err
			}
			for _, ev := range page.Events {
				there[ev.Event.EventID]++
			}
			if after = page.Next; after == "" {
				break
			}
		}
	}
	return there, nil
}

// Servers are killed under load over HTTP, WebSocket, MCP and NATS together. What was
// acknowledged is on record exactly once, at any moment; what the broker accepted is
// recorded exactly once in the end.
func TestServersAreKilled(t *testing.T) {
	rounds := testsize.Of(t, "server-kills", 1, 3, 200)
	rng := chance(t)
	broker, js := startNATS(t)
	b := &book{sent: map[string]bool{}, acked: map[string]bool{}, kept: map[string]bool{}, counts: map[string]int{}, seen: make(chan struct{}, 1)}
	dir := t.TempDir() + "/data"
	for round := range rounds {
		s := startServing(t, dir, broker)
		ctx, cancel := context.WithCancel(t.Context())
		var loading sync.WaitGroup
		loading.Go(func() { load(ctx, t, b, s.url, js, round) })
		b.await(t, rng)
		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cancel()
		loading.Wait()
		_ = s.cmd.Wait() // it was killed
		if strings.Contains(s.err.String(), "panic:") || strings.Contains(s.err.String(), "DATA RACE") {
			t.Fatalf("round %d: %s", round, s.err)
		}
		if err := b.audit(t.Context(), dir, false); err != nil || t.Failed() {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	s := startServing(t, dir, broker)
	for {
		consumer, err := js.Consumer(t.Context(), "EVENTS", "lukasa")
		if err != nil {
			t.Fatal(err)
		}
		info, err := consumer.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if info.NumPending == 0 && info.NumAckPending == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = s.in.Close() // stops the server
	if err := s.cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, s.err)
	}
	if err := b.audit(t.Context(), dir, true); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d kills; acknowledged: %v", rounds, b.counts)
	for _, transport := range []string{"http", "websocket", "mcp", "nats"} {
		if b.counts[transport] == 0 {
			t.Errorf("nothing was acknowledged over %s", transport)
		}
	}
}

// await waits for a number of acknowledgements, and then for a random time.
func (b *book) await(t *testing.T, rng *rand.Rand) {
	t.Helper()
	for n := 20 + rng.IntN(400); n > 0; n-- {
		select {
		case <-b.seen:
		case <-time.After(childLimit):
			t.Error("nothing is acknowledged any more")
			return
		}
	}
	for _, transport := range []string{"http", "websocket", "mcp", "nats"} {
		for hung := time.Now().Add(childLimit); ; time.Sleep(time.Millisecond) {
			b.mu.Lock()
			n := b.counts[transport]
			b.mu.Unlock()
			if n > 0 {
				break
			}
			if time.Now().After(hung) {
				t.Errorf("nothing is acknowledged over %s", transport)
				return
			}
		}
	}
	time.Sleep(time.Duration(rng.IntN(20_000)) * time.Microsecond)
}

// startNATS starts a broker in this process, with a stream of events.
func startNATS(t *testing.T) (url string, js jetstream.JetStream) {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the broker does not come up")
	}
	conn, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		s.Shutdown()
		s.WaitForShutdown()
	})
	js, err = jetstream.New(conn)
	if err == nil {
		_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "EVENTS", Subjects: []string{"events.>"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.ClientURL(), js
}

// An acknowledgement that no server recorded is detected.
func TestLostServedEventsAreNoticed(t *testing.T) {
	dir := t.TempDir() + "/data"
	board, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = board.Append(t.Context(), lukasa.Writer{Actor: "a", Trust: lukasa.Agent}, servedEvent("http-0-0", 0))
	if err := errors.Join(err, board.Close()); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]*book{
		"lost":      {sent: map[string]bool{"http-0-0-0": true}, acked: map[string]bool{"http-0-0-1": true}},
		"lost key":  {sent: map[string]bool{"http-0-0-0": true}, kept: map[string]bool{"k": true}},
		"stranger":  {sent: map[string]bool{}},
		"of broker": {sent: map[string]bool{"http-0-0-0": true}, acked: map[string]bool{"nats-0-1": true}},
	} {
		if err := b.audit(t.Context(), dir, true); err == nil || !strings.Contains(err.Error(), "findings") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
