package node

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lukasa.dev/client"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/testsize"
)

// small is a configuration for tests.
func small(t *testing.T) Config {
	t.Helper()
	c := Defaults()
	c.Data, c.Listen, c.Memory = filepath.Join(t.TempDir(), "data"), "127.0.0.1:0", 256<<20
	c.Grace = Duration(10 * time.Second)
	return c
}

// start starts a node, and stops it at the end of the test.
func start(t *testing.T, c Config, o Options) *Node {
	t.Helper()
	n, err := Start(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// caller returns a client of a node with the operator's token.
func caller(t *testing.T, n *Node, tenant string) *client.Client {
	t.Helper()
	token, err := os.ReadFile(n.TokenFile())
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(n.URL(), client.Options{Token: strings.TrimSpace(string(token)), Tenant: tenant})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func event(session string, i int) *hmx.Event {
	return &hmx.Event{
		HMXVersion: hmx.Version, EventID: fmt.Sprintf("%s-%d", session, i), EventType: "message", AgentID: "a", TenantID: "acme", SessionID: session,
		Timestamp: hmx.TimeOf(time.Date(2026, 11, 1, 10, 0, i, 0, time.UTC)), Sequence: int64(i), Content: hmx.Raw(fmt.Sprintf(`{"role":"user","text":"parcel %d of %s is fragile"}`, i, session)), Metadata: "{}",
	}
}

func lines(t *testing.T, session string, n int) io.Reader {
	t.Helper()
	var b bytes.Buffer
	for i := range n {
		text, err := event(session, i).AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(text, '\n'))
	}
	return &b
}

// Everything that was acknowledged, over every transport, is there after a restart.
func TestServeStopServe(t *testing.T) {
	t.Parallel()
	config := small(t)
	n := start(t, config, Options{})
	c := caller(t, n, "acme")
	ctx := t.Context()

	if in, err := c.Ingest(ctx, lines(t, "lines", 50)); err != nil || in.Accepted != 50 {
		t.Fatalf("lines: %+v, %v", in, err)
	}
	if in, err := c.Append(ctx, event("array", 0), event("array", 1), event("lines", 3)); err != nil || in.Accepted != 2 || in.Duplicates != 1 {
		t.Fatalf("array: %+v, %v", in, err)
	}
	var acks atomic.Int64
	s, err := c.OpenSocket(ctx, client.SocketOptions{Acked: func(a client.Ack) {
		if a.Disposition == "accepted" {
			acks.Add(1)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if err := s.Send(ctx, event("socket", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(ctx); err != nil || acks.Load() != 20 {
		t.Fatalf("socket: %d acknowledged, %v", acks.Load(), err)
	}
	if put, err := c.Remember(ctx, &client.Memory{Type: "constraint", Key: "parcel/limit", Text: "A parcel weighs 30 kg at most.", Tags: []string{"weight"}}); err != nil || put.Version != 1 {
		t.Fatalf("remember: %+v, %v", put, err)
	}
	from := uint64(0)
	seen, enough := 0, errors.New("enough")
	err = c.Tail(ctx, client.TailRequest{From: &from, Session: "socket"}, func(client.Tailed) error {
		if seen++; seen == 20 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) {
		t.Fatalf("tail: %d seen, %v", seen, err)
	}
	before, err := c.Root(ctx)
	if err != nil {
		t.Fatal(err)
	}
	pack, err := c.Pack(ctx, &client.PackRequest{Query: "how heavy is a parcel", Budget: 500})
	if err != nil || len(pack.Entries) == 0 {
		t.Fatalf("pack: %+v, %v", pack, err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(config.Data); err != nil {
		t.Fatal(err)
	}

	c = caller(t, start(t, config, Options{}), "acme")
	after, err := c.Root(ctx)
	if err != nil || *after != *before {
		t.Fatalf("root %+v, then %+v, %v", before, after, err)
	}
	again, err := c.Pack(ctx, &client.PackRequest{Query: "how heavy is a parcel", Budget: 500})
	if err != nil || again.PackID != pack.PackID {
		t.Errorf("another pack: %v, %v", again, err)
	}
	if thing, err := c.Recall(ctx, "parcel/limit"); err != nil || !strings.Contains(string(thing.Body), "30 kg") {
		t.Errorf("recall: %+v, %v", thing, err)
	}
	if found, err := c.Search(ctx, &client.SearchRequest{Query: "parcel limit"}); err != nil || len(found.Hits) == 0 {
		t.Errorf("search: %+v, %v", found, err)
	}
	if b, err := c.Context(ctx, &client.ContextRequest{Verb: "modify", Objects: map[string]string{"file": "a.go"}}); err != nil || b.Tenant != "acme" {
		t.Errorf("context: %+v, %v", b, err)
	}
	if text, err := c.PackContext(ctx, "parcel", 0); err != nil || !strings.Contains(text, "30 kg") {
		t.Errorf("pack_context: %q, %v", text, err)
	}
	if list, err := c.List(ctx, &client.ListRequest{Tag: "weight"}); err != nil || len(list.Memories) != 1 {
		t.Errorf("list: %+v, %v", list, err)
	}
	if got, err := c.Events(ctx, &client.EventsRequest{Session: "socket"}); err != nil || len(got.Events) != 20 {
		t.Errorf("events: %v", err)
	}
	if _, err := c.Feedback(ctx, &client.FeedbackRequest{Outcome: "success", Cited: []string{"parcel/limit"}, AgentID: "a"}); err != nil {
		t.Errorf("feedback: %v", err)
	}
	if _, err := c.Forget(ctx, "parcel/limit", "it changed"); err != nil {
		t.Errorf("forget: %v", err)
	}
	var p *client.Problem
	if _, err := c.Recall(ctx, "parcel/limit"); !errors.As(err, &p) || p.Code != string(fault.NotFound) {
		t.Errorf("what is forgotten: %v", err)
	}
	if _, err := c.Restore(ctx, "parcel/limit"); err != nil {
		t.Errorf("restore: %v", err)
	}
}

// post sends a message of MCP and returns the answer.
func post(t *testing.T, n *Node, message string) string {
	t.Helper()
	token, err := os.ReadFile(n.TokenFile())
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, n.URL()+"/mcp", strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	req.Header.Set("X-Lukasa-Tenant", "acme")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
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

// Agents are served at /mcp, with the tools that were configured.
func TestServesAgents(t *testing.T) {
	t.Parallel()
	config := small(t)
	config.Tools = "all"
	n := start(t, config, Options{})
	if text := post(t, n, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember","arguments":{"key":"k","text":"Said by an agent."}}}`); !strings.Contains(text, "Remembered: k, version 1.") {
		t.Errorf("remember: %s", text)
	}
	if text := post(t, n, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); !strings.Contains(text, `"memory_history"`) {
		t.Errorf("not all tools are there: %.300s", text)
	}
	if thing, err := caller(t, n, "acme").Recall(t.Context(), "k"); err != nil || !strings.Contains(string(thing.Body), "Said by an agent.") {
		t.Errorf("%+v, %v", thing, err)
	}
}

// No call succeeds without a credential, including on loopback, and no secret is logged.
func TestNobodyWithoutCredential(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var log bytes.Buffer
	config := small(t)
	config.LogLevel, config.LogFormat = "debug", "json"
	n := start(t, config, Options{Log: config.NewLog(&locked{w: &log, mu: &mu}, false)})
	for _, path := range []string{"/v1/root", "/v1/events", "/mcp"} {
		res, err := http.Get(n.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s answers %s", path, res.Status)
		}
	}
	c := caller(t, n, "acme")
	if _, err := c.Root(t.Context()); err != nil {
		t.Fatal(err)
	}
	token, err := os.ReadFile(n.TokenFile())
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if strings.Contains(log.String(), strings.TrimSpace(string(token))) {
		t.Error("the token is in the log")
	}
	for line := range strings.Lines(log.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line of the log is no JSON: %s", line)
		}
	}
}

// locked is a writer that is safe for concurrent use.
type locked struct {
	w  io.Writer
	mu *sync.Mutex
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// A node that never started does not log that it stopped; one that was stopped does, once.
func TestSaysStoppedOnce(t *testing.T) {
	t.Parallel()
	config := small(t)
	var log bytes.Buffer
	o := Options{Log: slog.New(slog.NewTextHandler(&log, nil))}
	bad := config
	bad.Listen = "127.0.0.1:99999"
	if _, err := Start(t.Context(), bad, o); !errors.Is(err, fault.BadConfig) {
		t.Fatal(err)
	}
	if strings.Contains(log.String(), "stopped") {
		t.Errorf("it did not start: %s", log.String())
	}
	n, err := Start(t.Context(), config, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(n.Close(), n.Close()); err != nil || strings.Count(log.String(), "msg=stopped") != 1 {
		t.Errorf("%v: %s", err, log.String())
	}
}

// Metrics and profiles have listeners of their own, and traces go to a collector.
func TestWatched(t *testing.T) {
	t.Parallel()
	var spans atomic.Int64
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" {
			spans.Add(1)
		}
	}))
	defer collector.Close()
	config := small(t)
	config.Metrics, config.Pprof, config.Traces = freeAddress(t), freeAddress(t), collector.URL
	n := start(t, config, Options{})
	if _, err := caller(t, n, "acme").Root(t.Context()); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		config.Metrics + "/metrics":     `lukasa_requests_total{op="root",status="200"} 1`,
		config.Pprof + "/debug/pprof/":  "goroutine",
		config.Metrics + "/metrics?x=1": "lukasa_journal_bytes",
	} {
		res, err := http.Get("http://" + address)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s does not say %s: %v\n%.2000s", address, want, err, text)
		}
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if spans.Load() == 0 {
		t.Error("no span arrived")
	}
}

// freeAddress is a free address.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// With a certificate only HTTPS is served.
func TestTLS(t *testing.T) {
	t.Parallel()
	config := small(t)
	config.TLSCert, config.TLSKey = pair(t, t.TempDir(), "localhost", time.Now())
	n := start(t, config, Options{})
	if !strings.HasPrefix(n.URL(), "https://") {
		t.Errorf("it is at %s", n.URL())
	}
	any := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	res, err := any.Get(n.URL() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK || res.TLS == nil {
		t.Errorf("health: %s", res.Status)
	}
	any.CloseIdleConnections()
}

// Calls that are running when the server stops are answered, and nothing that was acknowledged
// is lost.
func TestStopsInOrder(t *testing.T) {
	t.Parallel()
	testsize.Long(t, "it stops servers under load")
	config := small(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	n, err := Start(t.Context(), config, Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	var acked sync.Map
	var all sync.WaitGroup
	var sent atomic.Int64
	c := caller(t, n, "acme")
	for w := range 8 {
		all.Go(func() {
			for i := 0; ; i++ {
				in, err := c.Append(t.Context(), event(fmt.Sprint("w", w), i))
				if err != nil {
					return // the server is stopping
				}
				if in.Accepted == 1 {
					acked.Store(fmt.Sprintf("w%d-%d", w, i), true)
				}
				if sent.Add(1) == 100 {
					stop()
				}
			}
		})
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	all.Wait()
	again := caller(t, start(t, config, Options{}), "acme")
	there := map[string]int{}
	for w := range 8 {
		for after := ""; ; {
			page, err := again.Events(t.Context(), &client.EventsRequest{Session: fmt.Sprint("w", w), Limit: 1000, After: after})
			if err != nil {
				t.Fatal(err)
			}
			for _, ev := range page.Events {
				there[ev.URI]++
			}
			if page.Next == nil {
				break
			}
			after = *page.Next
		}
	}
	count := 0
	acked.Range(func(id, _ any) bool {
		if count++; there["lukasa://acme/event/"+id.(string)] != 1 {
			t.Errorf("%s is there %d times", id, there["lukasa://acme/event/"+id.(string)])
		}
		return true
	})
	if count < 100 {
		t.Errorf("only %d were acknowledged", count)
	}
}

// A directory has one server, and so has an address.
func TestTaken(t *testing.T) {
	t.Parallel()
	config := small(t)
	n := start(t, config, Options{})
	if _, err := Start(t.Context(), config, Options{}); !errors.Is(err, fault.Locked) {
		t.Errorf("a second server: %v", err)
	}
	other := small(t)
	other.Listen = strings.TrimPrefix(n.URL(), "http://")
	if _, err := Start(t.Context(), other, Options{}); !errors.Is(err, fault.BadConfig) || !strings.Contains(err.Error(), "listen: ") {
		t.Errorf("an address that is taken: %v", err)
	}
	other.Listen = "127.0.0.1:0"
	start(t, other, Options{}) // the failed start released the directory
}
