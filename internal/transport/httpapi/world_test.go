package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/intake"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// bootstrap is the operator's token in tests.
const bootstrap = "the operator's own token"

// world is a server that is called over the network.
type world struct {
	t     testing.TB
	board *lukasa.Board
	keys  *auth.Store
	gate  *intake.Gate
	s     *Server
	http  *http.Server
	url   string
	log   *lockedBuffer
	// token is a key of tenant acme with all rights.
	token string
}

// lockedBuffer is a buffer for many writers.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// newWorld starts a server. change may be nil.
func newWorld(t testing.TB, change func(*Options)) *world {
	t.Helper()
	w := &world{t: t, log: &lockedBuffer{}}
	var err error
	if w.board, err = lukasa.Open(t.TempDir(), lukasa.Options{}); err != nil {
		t.Fatal(err)
	}
	if w.keys, err = auth.Open(ctx, w.board, auth.StoreOptions{Bootstrap: bootstrap}); err != nil {
		t.Fatal(err)
	}
	w.gate = intake.New(w.board, intake.Options{Window: 200 * time.Millisecond})
	o := Options{Board: w.board, Keys: w.keys, Gate: w.gate, Log: slog.New(slog.NewJSONHandler(w.log, nil)), Version: "1.2.3"}
	if change != nil {
		change(&o)
	}
	w.s = New(o)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.http, w.url = w.s.HTTP(), "http://"+l.Addr().String()
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = w.http.Serve(w.s.Listener(l))
	}()
	t.Cleanup(func() {
		drained, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		if err := w.s.Drain(drained); err != nil {
			t.Errorf("drain: %v", err)
		}
		_ = w.http.Close()
		<-served
		w.gate.Close()
		if err := w.board.Close(); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	w.token = w.key(auth.Request{Role: auth.Member, Tenant: "acme", Rights: auth.Read | auth.Write | auth.Admin})
	return w
}

// operator is the operator of the server.
func (w *world) operator() *auth.Principal {
	w.t.Helper()
	p, err := w.keys.Authenticate(ctx, bootstrap, "", "")
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// key makes a key.
func (w *world) key(r auth.Request) string {
	w.t.Helper()
	_, token, err := w.keys.Create(ctx, w.operator(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

// reply is an answer that was read.
type reply struct {
	status int
	header http.Header
	body   string
}

// problem returns the answer as a problem.
func (r *reply) problem(t testing.TB) *problem {
	t.Helper()
	p := &problem{}
	if ct := r.header.Get("Content-Type"); ct != problemType {
		t.Fatalf("%d: the answer is %q and no problem: %s", r.status, ct, r.body)
	}
	if err := json.Unmarshal([]byte(r.body), p); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	if p.Status != r.status {
		t.Errorf("the problem says %d, the status is %d", p.Status, r.status)
	}
	if p.Title == "" || p.Detail == "" || p.Fix == "" || p.Type != "https://lukasa.dev/docs/errors#"+string(p.Code) || p.RequestID != r.header.Get("X-Request-Id") || p.RequestID == "" {
		t.Errorf("the problem lacks something: %s", r.body)
	}
	return p
}

// want fails unless the answer is a problem with a status and a code.
func (r *reply) want(t testing.TB, status int, code fault.Code) *problem {
	t.Helper()
	if r.status != status {
		t.Fatalf("status %d, want %d: %s", r.status, status, r.body)
	}
	p := r.problem(t)
	if p.Code != code {
		t.Errorf("code %s, want %s: %s", p.Code, code, r.body)
	}
	return p
}

// good fails unless the answer is a success, and decodes it into v.
func (r *reply) good(t testing.TB, v any) {
	t.Helper()
	if r.status != http.StatusOK {
		t.Fatalf("status %d: %s", r.status, r.body)
	}
	if v != nil {
		if err := json.Unmarshal([]byte(r.body), v); err != nil {
			t.Fatalf("%v: %s", err, r.body)
		}
	}
}

// call calls the server. Headers are given by name and value; Host is one of them.
func (w *world) call(method, path, body string, headers ...string) *reply {
	w.t.Helper()
	return w.callReader(method, path, strings.NewReader(body), headers...)
}

// callReader is call with a body from a reader.
func (w *world) callReader(method, path string, body io.Reader, headers ...string) *reply {
	w.t.Helper()
	r, err := http.NewRequest(method, w.url+path, body)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.token)
	if method == http.MethodPost || method == http.MethodPut {
		r.Header.Set("Content-Type", mediaJSON)
	}
	for i := 0; i < len(headers); i += 2 {
		switch {
		case headers[i] == "Host":
			r.Host = headers[i+1]
		case headers[i+1] == "":
			r.Header.Del(headers[i])
		default:
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	answer := &reply{res.StatusCode, res.Header, string(text)}
	w.described(r, answer)
	return answer
}

// raw sends raw bytes, and returns everything that the server sends until it closes.
func (w *world) raw(text string) string {
	w.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil {
		w.t.Logf("written in part: %v", err)
	}
	if half, ok := conn.(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	answer, _ := io.ReadAll(conn)
	return string(answer)
}

// event is an event of tenant acme as JSON.
func event(i int) string { return eventOf("acme", "s-1", fmt.Sprintf("e-%06d", i), i) }

// eventOf is an event as JSON.
func eventOf(tenant, session, id string, sequence int) string {
	return fmt.Sprintf(`{"hmx_version":"HMX-1.0","event_id":%q,"event_type":"message","agent_id":"bot","tenant_id":%q,"session_id":%q,`+
		`"timestamp":"2026-03-14T03:00:00.000Z","sequence":%d,"content":{"role":"user","text":"deploy staging %d"},"metadata":{}}`, id, tenant, session, sequence, sequence)
}

// events are the events from from to to, one per line.
func events(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		b.WriteString(event(i))
		b.WriteByte('\n')
	}
	return b.String()
}

// size is the number of records of tenant acme.
func (w *world) size() uint64 {
	w.t.Helper()
	root, err := w.board.Tenant("acme", lukasa.Writer{}).Root(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	return root.Size
}
