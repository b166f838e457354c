package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/hmx/wire"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
)

// sse reads a stream of Server-Sent Events.
type sse struct {
	t    testing.TB
	d    *wire.Decoder
	body io.Closer
	end  context.CancelFunc
}

// follow opens a stream.
func (w *world) follow(query string, headers ...string) *sse {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	r, err := http.NewRequestWithContext(ctx, "GET", w.url+"/v1/events/stream"+query, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.token)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	if ct := res.Header.Get("Content-Type"); res.StatusCode != 200 || ct != wire.ContentType {
		text, _ := io.ReadAll(res.Body)
		w.t.Fatalf("%d %s %s", res.StatusCode, ct, text)
	}
	s := &sse{w.t, wire.NewDecoder(res.Body, wire.Options{}), res.Body, cancel}
	w.t.Cleanup(s.close)
	return s
}

func (s *sse) close() {
	s.end()
	_ = s.body.Close()
}

// next returns the id and the text of the next event.
func (s *sse) next() (id, text, kind string) {
	s.t.Helper()
	block, err := s.d.Next()
	if err != nil {
		s.t.Fatal(err)
	}
	return s.d.LastEventID(), string(block.Data), block.Type
}

// want reads events and compares their ids.
func (s *sse) want(ids ...string) (last string) {
	s.t.Helper()
	for _, want := range ids {
		id, text, kind := s.next()
		ev, _, err := hmx.DecodeEvent([]byte(text))
		if err != nil || kind != wire.EventType {
			s.t.Fatalf("%s %s: %v", kind, text, err)
		}
		if ev.EventID != want {
			s.t.Fatalf("got %s, want %s", ev.EventID, want)
		}
		last = id
	}
	return last
}

// TestTail streams new events in the order in which they are recorded, however they came, and
// resumes where it was.
func TestTail(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Limits.Heartbeat = 20 * time.Millisecond })
	empty := w.follow("")
	w.call("POST", "/v1/events", event(0)).good(t, nil)
	empty.want("e-000000")
	w.call("POST", "/v1/events", events(1, 100), "Content-Type", mediaNDJSON).good(t, nil)
	for i := 1; i < 50; i++ {
		if last := empty.want(fmt.Sprintf("e-%06d", i)); last != strconv.Itoa(i) {
			t.Fatalf("the id is %s, want the position %d", last, i)
		}
	}
	empty.close()
	again := w.follow("", "Last-Event-ID", "49")
	again.want("e-000050", "e-000051")
	again.close()
	start := w.follow("?from=0")
	start.want("e-000000", "e-000001")
	start.close()

	// Only new ones by default; filtered by session, agent or type.
	filtered := []*sse{w.follow("?session=s-2"), w.follow("?agent=bot2"), w.follow("?type=tool_call"), w.follow("?from=99999", "Last-Event-ID", "99999")}
	other := strings.NewReplacer(`"agent_id":"bot"`, `"agent_id":"bot2"`)
	call := strings.NewReplacer(`"message"`, `"tool_call"`, `"role":"user","text":"deploy staging 3"`, `"tool_name":"exec","arguments":{}`)
	for _, body := range []string{event(200), eventOf("acme", "s-2", "in s-2", 1), other.Replace(eventOf("acme", "s-3", "of bot2", 2)), call.Replace(eventOf("acme", "s-4", "a call", 3))} {
		w.call("POST", "/v1/events", body).good(t, nil)
	}
	for i, want := range []string{"in s-2", "of bot2", "a call", "e-000200"} {
		filtered[i].want(want)
	}
	// A heartbeat advances the position, so that a reader that reconnects is not sent events
	// that do not match.
	waitFor(t, func() bool { return filtered[1].d.LastEventID() == "102" })
	for _, bad := range []string{"x", "-1", "1.5", "18446744073709551616"} {
		w.call("GET", "/v1/events/stream", "", "Last-Event-ID", bad).want(t, 422, fault.InvalidArgument)
	}
	w.call("GET", "/v1/events/stream?from=x", "").want(t, 422, fault.InvalidArgument)
	w.call("GET", "/v1/events/stream?what=x", "").want(t, 422, fault.InvalidArgument)
	if r := w.call("HEAD", "/v1/events/stream", ""); r.status != 200 {
		t.Errorf("HEAD: %d", r.status)
	}
}

// waitFor polls until something holds. Nothing signals when it does.
func waitFor(t testing.TB, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it is not so")
		}
	}
}

// TestTailScoped shows a scope what it may see, and ends with it.
func TestTailScoped(t *testing.T) {
	w := newWorld(t, nil)
	w.call("POST", "/v1/events", event(0)).good(t, nil)
	token, err := w.board.Tenant("acme", lukasa.Writer{Actor: "boss", Trust: lukasa.User}).MintScope(ctx, lukasa.Grant{
		To: "reader", Expires: time.Now().Add(time.Hour), Include: lukasa.Selectors{Sessions: []string{"s-2"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := w.follow("?from=0", "Authorization", "Bearer "+token)
	w.call("POST", "/v1/events", eventOf("acme", "s-2", "seen", 1)).good(t, nil)
	s.want("seen")
}

// TestTailRevoked ends a stream with its credential, immediately.
func TestTailRevoked(t *testing.T) {
	w := newWorld(t, nil)
	key, token, err := w.keys.Create(ctx, w.operator(), auth.Request{Role: auth.Member, Tenant: "acme"})
	if err != nil {
		t.Fatal(err)
	}
	s := w.follow("", "Authorization", "Bearer "+token)
	if _, err := w.keys.Revoke(ctx, w.operator(), key.ID, "lost"); err != nil {
		t.Fatal(err)
	}
	_, text, kind := s.next()
	if kind != "end" || !strings.Contains(text, `"unauthenticated"`) {
		t.Errorf("%s %s", kind, text)
	}
	if _, err := s.d.Next(); err != io.EOF {
		t.Errorf("it goes on: %v", err)
	}
}

// socketOf opens a WebSocket.
func (w *world) socketOf(token string) *websocket.Conn {
	w.t.Helper()
	conn, _, err := websocket.Dial(ctx, w.url+"/v1/ingest/ws", &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

// acked is an acknowledgement as a client reads it.
type acked struct {
	Index       int
	EventID     string `json:"event_id"`
	Position    *uint64
	Disposition lukasa.Disposition
	Code        fault.Code
	Detail      string
	Warnings    int
	Scrubbed    int
}

// ack reads an acknowledgement.
func ackOf(t testing.TB, conn *websocket.Conn) acked {
	t.Helper()
	timed, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	_, text, err := conn.Read(timed)
	if err != nil {
		t.Fatal(err)
	}
	var a acked
	if err := json.Unmarshal(text, &a); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return a
}

// send sends a frame.
func send(t testing.TB, conn *websocket.Conn, kind websocket.MessageType, text string) {
	t.Helper()
	if err := conn.Write(ctx, kind, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// TestSocket acknowledges each frame, including bad ones, and recognises duplicates.
func TestSocket(t *testing.T) {
	w := newWorld(t, nil)
	conn := w.socketOf(w.token)
	for i := range 1000 {
		send(t, conn, websocket.MessageText, event(i))
		if i%100 == 99 {
			for range 100 {
				if a := ackOf(t, conn); a.Disposition != lukasa.Accepted || a.Position == nil || a.EventID != fmt.Sprintf("e-%06d", a.Index) {
					t.Fatalf("%+v", a)
				}
			}
		}
	}
	if n := w.size(); n != 1000 {
		t.Errorf("%d records", n)
	}
	for i, c := range []struct {
		kind websocket.MessageType
		text string
		code fault.Code
	}{
		{websocket.MessageText, "no event", fault.InvalidDocument},
		{websocket.MessageBinary, event(1), fault.WrongMedia},
		{websocket.MessageText, eventOf("other", "s", "x", 1), fault.NotPermitted},
		{websocket.MessageText, strings.Replace(event(1), "deploy", "destroy", 1), fault.IDConflict},
		{websocket.MessageText, strings.Repeat(" ", wire.DefaultMaxBytes) + event(1), fault.TooLarge},
		{websocket.MessageText, "", fault.InvalidDocument},
		{websocket.MessageText, strings.Repeat("[", 1<<20), fault.InvalidDocument},
	} {
		send(t, conn, c.kind, c.text)
		if a := ackOf(t, conn); a.Disposition != lukasa.Refused || a.Code != c.code || a.Index != 1000+i || a.Detail == "" || a.Position != nil {
			t.Errorf("%.40q: %+v", c.text, a)
		}
	}
	// The connection is lost, and unacknowledged events are sent again.
	_ = conn.CloseNow()
	conn = w.socketOf(w.token)
	send(t, conn, websocket.MessageText, event(999))
	if a := ackOf(t, conn); a.Disposition != lukasa.Duplicate || *a.Position != 999 || a.Index != 0 {
		t.Errorf("%+v", a)
	}
	// An event after a gap waits for what fills the gap, even if that comes by another way.
	send(t, conn, websocket.MessageText, event(1001))
	w.call("POST", "/v1/events", event(1000)).good(t, nil)
	if a := ackOf(t, conn); a.Disposition != lukasa.Accepted {
		t.Errorf("%+v", a)
	}
	if err := conn.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Errorf("%v", err)
	}
}

// TestSocketInFlight slows down a client that sends faster than events are acknowledged.
func TestSocketInFlight(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Limits.InFlight = 4 })
	conn := w.socketOf(w.token)
	done := make(chan error, 1)
	go func() {
		for i := range 200 {
			if err := conn.Write(ctx, websocket.MessageText, []byte(event(i))); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for i := range 200 {
		if a := ackOf(t, conn); a.Disposition != lukasa.Accepted {
			t.Fatalf("%d: %+v", i, a)
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// TestSocketRevoked ends a connection with its credential, immediately.
func TestSocketRevoked(t *testing.T) {
	w := newWorld(t, nil)
	key, token, err := w.keys.Create(ctx, w.operator(), auth.Request{Role: auth.Member, Tenant: "acme"})
	if err != nil {
		t.Fatal(err)
	}
	conn := w.socketOf(token)
	send(t, conn, websocket.MessageText, event(0))
	ackOf(t, conn)
	if _, err := w.keys.Revoke(ctx, w.operator(), key.ID, "lost"); err != nil {
		t.Fatal(err)
	}
	_ = conn.Write(ctx, websocket.MessageText, []byte(event(1)))
	if _, text, err := conn.Read(ctx); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("%s, %v", text, err)
	}
	if n := w.size(); n != 1 {
		t.Errorf("%d records", n)
	}
}

// TestLinesRevoked ends a stream of lines with its credential, and keeps what came before.
func TestLinesRevoked(t *testing.T) {
	w := newWorld(t, nil)
	key, token, err := w.keys.Create(ctx, w.operator(), auth.Request{Role: auth.Member, Tenant: "acme"})
	if err != nil {
		t.Fatal(err)
	}
	body, in := io.Pipe()
	answered := make(chan *reply, 1)
	go func() {
		answered <- w.callReader("POST", "/v1/events", body, "Content-Type", mediaNDJSON, "Authorization", "Bearer "+token)
	}()
	if _, err := io.WriteString(in, events(0, 3)); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return w.size() == 3 })
	if _, err := w.keys.Revoke(ctx, w.operator(), key.ID, "lost"); err != nil {
		t.Fatal(err)
	}
	r := <-answered
	r.want(t, 401, fault.Unauthenticated)
	if !strings.Contains(r.body, `"accepted":3,`) {
		t.Errorf("%s", r.body)
	}
	_ = in.Close()
}

// TestDrain admits no calls, ends streams, and loses no complete event.
func TestDrain(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Extra = map[string]func(Caller) http.Handler{"/mcp": echo} })
	tail := w.follow("")
	conn := w.socketOf(w.token)
	body, in := io.Pipe()
	answered := make(chan *reply, 1)
	go func() { answered <- w.callReader("POST", "/v1/events", body, "Content-Type", mediaNDJSON) }()
	if _, err := io.WriteString(in, events(0, 3)+event(9)[:40]); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return w.size() == 3 })
	tail.want("e-000000", "e-000001", "e-000002")
	// An event that waits for a gap is acknowledged before the connection ends.
	send(t, conn, websocket.MessageText, event(50))
	waitFor(t, func() bool { return w.gate.Stats().Offered == 1 })
	drained := make(chan error, 1)
	go func() { drained <- w.s.Drain(ctx) }()
	if a := ackOf(t, conn); a.Disposition != lukasa.Accepted || a.EventID != "e-000050" {
		t.Errorf("%+v", a)
	}
	if _, _, err := conn.Read(ctx); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("%v", err)
	}
	r := <-answered
	r.want(t, 503, fault.Overloaded)
	if !strings.Contains(r.body, `"accepted":3,`) || r.header.Get("Retry-After") == "" {
		t.Errorf("%s", r.body)
	}
	_ = in.Close()
	for {
		_, _, kind := tail.next()
		if kind == "end" {
			break
		}
	}
	if err := <-drained; err != nil {
		t.Fatal(err)
	}
	for _, a := range []struct{ method, path string }{{"GET", "/v1/root"}, {"POST", "/v1/events"}, {"GET", "/v1/events/stream"}, {"GET", "/v1/ingest/ws"}, {"POST", "/mcp"}, {"GET", "/readyz"}} {
		r := w.call(a.method, a.path, "")
		r.want(t, 503, fault.Overloaded)
		if r.header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", a.path)
		}
	}
	w.call("GET", "/healthz", "").good(t, nil)
	if n := w.size(); n != 4 {
		t.Errorf("%d records", n)
	}
}

// TestDrainGivesUp does not wait forever.
func TestDrainGivesUp(t *testing.T) {
	began, end := make(chan struct{}), make(chan struct{})
	w := newWorld(t, func(o *Options) {
		o.Extra = map[string]func(Caller) http.Handler{"/mcp": anyone(func(_ http.ResponseWriter, r *http.Request) {
			close(began)
			<-r.Context().Done()
			close(end)
		})}
	})
	go func() {
		r, _ := http.NewRequest("POST", w.url+"/mcp", nil)
		r.Header.Set("Authorization", "Bearer "+w.token)
		if res, err := http.DefaultClient.Do(r); err == nil {
			res.Body.Close()
		}
	}()
	<-began
	over, cancel := context.WithCancel(ctx)
	cancel()
	if err := w.s.Drain(over); err == nil {
		t.Error("it says that all is done")
	}
	<-end
}
