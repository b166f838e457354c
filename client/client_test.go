package client

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/api"
)

// at returns a client of a server that answers with f.
func at(t *testing.T, f http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	c, err := New(s.URL, Options{Token: "secret", Tenant: "acme", MinWait: time.Millisecond, MaxWait: 2 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func event(i int) *hmx.Event {
	return &hmx.Event{
		HMXVersion: hmx.Version, EventID: fmt.Sprintf("e-%d", i), EventType: "message", AgentID: "a", TenantID: "acme", SessionID: "s",
		Timestamp: hmx.TimeOf(time.Unix(1e9, 0)), Sequence: int64(i), Content: `{"role":"user","text":"hello"}`, Metadata: "{}",
	}
}

// The routes equal those of the table, and every operation that is no stream has one.
func TestRoutesAreThoseOfTheTable(t *testing.T) {
	known := routes()
	for _, op := range api.Operations() {
		if op.Stream {
			continue
		}
		r, ok := known[op.Name]
		if !ok {
			t.Errorf("%s has no route", op.Name)
			continue
		}
		delete(known, op.Name)
		if r.method != op.Method || r.path != op.Path {
			t.Errorf("%s is at %s %s, not at %s %s", op.Name, op.Method, op.Path, r.method, r.path)
		}
		if r.again && op.Wrote {
			t.Errorf("%s writes, and would be done twice", op.Name)
		}
		inQuery := r.method == http.MethodGet || r.method == http.MethodDelete
		for _, f := range reflect.VisibleFields(op.In) {
			if whole := f.Tag.Get("body"); whole != r.whole && whole != "" {
				t.Errorf("%s: %s is the whole body", op.Name, whole)
			}
			if query := f.Tag.Get("query"); query != "" && !inQuery && !slices.Contains(r.query, query) {
				t.Errorf("%s: %s belongs into the query", op.Name, f.Name)
			}
			if name, body := f.Tag.Lookup("json"); body && name != "-" && inQuery {
				t.Errorf("%s: %s belongs into the body", op.Name, f.Name)
			}
		}
	}
	for name := range known {
		t.Errorf("there is no operation %s", name)
	}
}

// Requests have the fields of the table, and answers those of the answers.
func TestShapesAreThoseOfTheTable(t *testing.T) {
	for op, in := range map[string]any{
		"pack": PackRequest{}, "context": ContextRequest{}, "search": SearchRequest{}, "list_events": EventsRequest{}, "feedback": FeedbackRequest{},
		"remember": Memory{}, "list_memories": ListRequest{},
	} {
		allowed := fields(api.Lookup(op).In)
		for _, name := range fields(reflect.TypeOf(in)) {
			if !slices.Contains(allowed, name) {
				t.Errorf("%s takes no %s, but %v", op, name, allowed)
			}
		}
	}
	for _, pair := range [][2]any{
		{Intake{}, answer.Intake{}}, {Rejected{}, answer.Rejected{}}, {Write{}, answer.Write{}}, {Thing{}, answer.Thing{}}, {Things{}, answer.Memories{}},
		{Recorded{}, answer.Event{}}, {Events{}, answer.Events{}}, {Hit{}, answer.SearchHit{}}, {Searched{}, answer.Searched{}}, {Entry{}, answer.Entry{}}, {Bundle{}, answer.Bundle{}}, {State{}, answer.State{}},
	} {
		theirs := fields(reflect.TypeOf(pair[1]))
		for _, name := range fields(reflect.TypeOf(pair[0])) {
			if !slices.Contains(theirs, name) {
				t.Errorf("%T has %s, which no answer has", pair[0], name)
			}
		}
	}
}

// fields are the names of a struct in JSON or in a query.
func fields(t reflect.Type) (list []string) {
	for _, f := range reflect.VisibleFields(t) {
		for _, tag := range []string{"json", "query", "path"} {
			if name, _, _ := strings.Cut(f.Tag.Get(tag), ","); name != "" && name != "-" {
				list = append(list, name)
			}
		}
	}
	return list
}

// refuse answers with a problem.
func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"status":%d,"code":%q,"detail":"told to","fix":"none","field":"query"}`, status, code)
}

// Exactly the calls that are safe to retry are retried.
func TestAttempts(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		code   string
		op     string
		want   int64
	}{
		"overloaded read":  {503, "overloaded", "pack", 5},
		"overloaded write": {503, "overloaded", "remember", 5},
		"limited write":    {429, "rate_limited", "remember", 5},
		"over quota":       {429, "over_quota", "remember", 1},
		"failed read":      {500, "internal", "pack", 5},
		"failed write":     {500, "internal", "remember", 1},
		"refused":          {400, "invalid_argument", "pack", 1},
		"not permitted":    {403, "not_permitted", "pack", 1},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int64
			client := at(t, func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				refuse(w, c.status, c.code)
			})
			err := client.Ask(t.Context(), c.op, map[string]string{"query": "x"}, nil)
			var p *Problem
			if !errors.As(err, &p) || p.Code != c.code || p.Status != c.status || p.Field != "query" || p.Fix != "none" {
				t.Errorf("the error is %+v", err)
			}
			if calls.Load() != c.want {
				t.Errorf("%d attempts, want %d", calls.Load(), c.want)
			}
		})
	}
}

// A call whose answer is lost is retried if that is safe.
func TestLostAnswers(t *testing.T) {
	var calls atomic.Int64
	c := at(t, func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) < 3 {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprint(w, `{"tenant":"acme","size":7,"root":"ab"}`)
	})
	s, err := c.Root(t.Context())
	if err != nil || s.Size != 7 || calls.Load() != 3 {
		t.Errorf("%+v after %d calls, %v", s, calls.Load(), err)
	}
	calls.Store(0)
	if _, err := c.Remember(t.Context(), &Memory{Key: "k", Text: "t"}); err == nil || calls.Load() != 1 {
		t.Errorf("a write of which nobody knows: %v after %d calls", err, calls.Load())
	}
}

// Retry-After is honoured.
func TestRetryAfter(t *testing.T) {
	c := &Client{o: Options{Attempts: 2, MinWait: 1, MaxWait: 1}}
	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "": 0, "soon": 0, "99999999": time.Hour} {
		p := problemOf(&http.Response{StatusCode: 503, Header: http.Header{"Retry-After": {header}}}, []byte(`{"code":"overloaded"}`))
		wait, again := c.again(p, false, 1)
		if !again || wait < want || want > 0 && wait != want {
			t.Errorf("Retry-After %q: wait %v, %v", header, wait, again)
		}
	}
}

// Each call has its credentials; paths are escaped; large bodies are compressed.
func TestRequests(t *testing.T) {
	c := at(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("X-Lukasa-Tenant") != "acme" {
			t.Errorf("headers %v", r.Header)
		}
		switch {
		case r.Method == http.MethodGet:
			if got := r.URL.EscapedPath(); got != "/v1/memories/a%20b/c%3Fd" {
				t.Errorf("path %s", got)
			}
		case r.Header.Get("Content-Encoding") == "gzip":
			z, err := gzip.NewReader(r.Body)
			if err != nil {
				t.Error(err)
				return
			}
			var m Memory
			if err := json.NewDecoder(z).Decode(&m); err != nil || len(m.Text) != 10_000 {
				t.Errorf("%d bytes, %v", len(m.Text), err)
			}
		default:
			t.Error("it is not compressed")
		}
		fmt.Fprint(w, `{}`)
	})
	if _, err := c.Recall(t.Context(), "a b/c?d"); err != nil {
		t.Error(err)
	}
	if _, err := c.Remember(t.Context(), &Memory{Key: "k", Text: strings.Repeat("x", 10_000)}); err != nil {
		t.Error(err)
	}
	if err := c.Ask(t.Context(), "recall", nil, nil); err == nil || !strings.Contains(err.Error(), "key is missing") {
		t.Errorf("without a key: %v", err)
	}
	for _, bad := range []string{"", "127.0.0.1:80", "ftp://x", "http://user:pw@x"} {
		if _, err := New(bad, Options{}); err == nil {
			t.Errorf("%q is taken for an address", bad)
		}
	}
}

// A stream of lines of any length arrives unchanged.
func TestIngestStreams(t *testing.T) {
	var want strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&want, "line %d\n", i)
	}
	c := at(t, func(w http.ResponseWriter, r *http.Request) {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		got, err := io.ReadAll(z)
		if err != nil || string(got) != want.String() || r.Header.Get("Content-Type") != "application/x-ndjson" {
			t.Errorf("%d bytes of %s, %v", len(got), r.Header.Get("Content-Type"), err)
		}
		fmt.Fprint(w, `{"accepted":20000}`)
	})
	in, err := c.Ingest(t.Context(), strings.NewReader(want.String()))
	if err != nil || in.Accepted != 20_000 {
		t.Errorf("%+v, %v", in, err)
	}
}

// A tail resumes where it was when the connection is lost, and delivers each event once.
func TestTailGoesOn(t *testing.T) {
	var calls atomic.Int64
	c := at(t, func(w http.ResponseWriter, r *http.Request) {
		from := 0
		if last := r.Header.Get("Last-Event-ID"); last != "" {
			if _, err := fmt.Sscan(last, &from); err != nil {
				t.Error(err)
			}
			from++
		}
		if r.URL.Query().Get("session") != "s" {
			t.Errorf("query %s", r.URL.RawQuery)
		}
		fmt.Fprint(w, "retry: 1000\n\n")
		for i := from; i < from+3; i++ {
			text, _ := event(i).AppendJSON(nil)
			fmt.Fprintf(w, "id: %d\nevent: event\ndata: %s\n\n", i, text)
		}
		if calls.Add(1)%2 == 0 {
			fmt.Fprintf(w, "event: end\ndata: {\"status\":503,\"code\":\"overloaded\"}\n\n")
		}
	})
	var got []uint64
	stop := errors.New("enough")
	err := c.Tail(t.Context(), TailRequest{Session: "s"}, func(e Tailed) error {
		if e.Event.EventID != fmt.Sprintf("e-%d", e.Position) {
			t.Errorf("position %d is %s", e.Position, e.Event.EventID)
		}
		if got = append(got, e.Position); len(got) == 10 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || !slices.Equal(got, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("%v, %v", got, err)
	}
}

// A socket sends unacknowledged events again, and reports each event once.
func TestSocketResumes(t *testing.T) {
	var mu sync.Mutex
	recorded := map[string]int{}
	c := at(t, func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		var held []string // acknowledged in another order
		for i := 0; ; i++ {
			_, text, err := conn.Read(r.Context())
			if err != nil {
				return
			}
			ev, _, err := hmx.DecodeEvent(text)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			recorded[ev.EventID]++
			n := len(recorded)
			mu.Unlock()
			held = append(held, fmt.Sprintf(`{"index":%d,"event_id":%q,"position":%d,"disposition":"accepted"}`, i, ev.EventID, n))
			if i == 7 && n < 80 {
				return // disconnects with acknowledgements that were not received
			}
			if len(held) == 2 || n >= 99 {
				slices.Reverse(held)
				for _, ack := range held {
					_ = conn.Write(r.Context(), websocket.MessageText, []byte(ack))
				}
				held = nil
			}
		}
	})
	acked := map[string]int{}
	s, err := c.OpenSocket(t.Context(), SocketOptions{InFlight: 10, Acked: func(a Ack) {
		mu.Lock()
		defer mu.Unlock()
		acked[a.EventID]++
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err := s.Send(t.Context(), event(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		id := fmt.Sprintf("e-%d", i)
		if acked[id] != 1 || recorded[id] < 1 {
			t.Errorf("%s was acknowledged %d times and sent %d times", id, acked[id], recorded[id])
		}
	}
	if err := s.Send(context.Background(), event(1)); err == nil {
		t.Error("a closed socket takes more")
	}
}

// Writes state the expected version, reads the ETag that they have, and the ETag is returned.
func TestConditions(t *testing.T) {
	c := at(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"2-abc"`)
		if r.Header.Get("If-None-Match") == `"2-abc"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprintf(w, "%s %s|%s", r.Method, r.Header.Get("If-Match"), r.Header.Get("If-None-Match"))
	})
	for _, tc := range []struct{ match, none, want string }{
		{"", "", "PUT |"}, {"2", "", `PUT "2"|`}, {`"2-abc"`, "", `PUT "2-abc"|`}, {"*", "", "PUT *|"}, {"", "*", "PUT |*"},
	} {
		var said, etag string
		call, err := CallOf("put_memory", map[string]string{"key": "a/b", "text": "x"}, &said)
		if err != nil {
			t.Fatal(err)
		}
		call.IfMatch, call.IfNoneMatch, call.ETag = tc.match, tc.none, &etag
		if err := c.Do(t.Context(), call); err != nil || said != tc.want || etag != `"2-abc"` {
			t.Errorf("%+v: %q, %q, %v", tc, said, etag, err)
		}
	}
	call, err := CallOf("recall", map[string]string{"key": "a/b"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	call.IfNoneMatch = `"2-abc"`
	if err := c.Do(t.Context(), call); !errors.Is(err, ErrNotModified) {
		t.Errorf("not modified: %v", err)
	}
	if _, err := CallOf("nothing", nil, nil); err == nil {
		t.Error("there is no such operation")
	}
}
