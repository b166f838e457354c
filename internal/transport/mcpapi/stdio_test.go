package mcpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"

	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
)

// pipe is a client of ServeStdio that writes and reads lines.
type pipe struct {
	t     testing.TB
	in    *io.PipeWriter
	out   *bufio.Reader
	ended chan error
}

func newPipe(ctx context.Context, t testing.TB, s *Server, who *auth.Principal) *pipe {
	in, w := io.Pipe()
	r, out := io.Pipe()
	p := &pipe{t: t, in: w, out: bufio.NewReaderSize(r, 1<<20), ended: make(chan error, 1)}
	go func() {
		p.ended <- s.ServeStdio(ctx, who, in, out)
		out.Close()
	}()
	return p
}

func (p *pipe) send(lines ...string) {
	p.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(p.in, line+"\n"); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *pipe) next() string {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	return line
}

const (
	hello  = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	thanks = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

func started(ctx context.Context, t testing.TB, s *Server) *pipe {
	t.Helper()
	p := newPipe(ctx, t, s, member("acme"))
	p.send(hello)
	if a := parsed(t, p.next()); a.ID != "hello" || a.Error != nil {
		t.Fatalf("hello: %+v", a)
	}
	p.send(thanks)
	return p
}

// TestBrokenLineCostsOneAnswer sends malformed lines between messages.
func TestBrokenLineCostsOneAnswer(t *testing.T) {
	s := newServer(Options{Board: openBoard(t)}, newTrial().table())
	p := started(t.Context(), t, s)
	deep := strings.Repeat(`[`, 100000)
	for _, x := range []struct {
		line string
		code int
	}{
		{`{`, -32700}, {`nonsense`, -32700}, {"{\"a\":\"\xff\"}", -32700}, {`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, -32700},
		{deep, -32700}, {`{"jsonrpc":"2.0","id":1,"method":"ping"} x`, -32700}, {"\ufeff{}", -32700},
		{`7`, -32600}, {`null`, -32600}, {`"text"`, -32600}, {`{}`, -32600}, {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600}, {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":[1],"method":"ping"}`, -32600}, {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":true,"method":"ping"}`, -32600}, {`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, -32600}, {`[]`, -32600}, {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","pad":"` + strings.Repeat("x", maxMessage) + `"}`, -32600},
	} {
		p.send(x.line)
		if a := parsed(t, p.next()); a.Error == nil || a.Error.Code != x.code || a.ID != nil {
			t.Errorf("%s: %+v", brief([]byte(x.line)), a)
		}
		p.send("", "  ", `{"jsonrpc":"2.0","id":"after","method":"ping"}`)
		if a := parsed(t, p.next()); a.ID != "after" || a.Error != nil {
			t.Fatalf("after %s: %+v", brief([]byte(x.line)), a)
		}
	}
	p.in.Close()
	if err := receive(t, p.ended); err != nil {
		t.Error(err)
	}
}

// TestEndOfInputAnswersWhatIsAsked ends the input while calls are running, and with a line that
// has no end.
func TestEndOfInputAnswersWhatIsAsked(t *testing.T) {
	x := newTrial()
	s := newServer(Options{Board: openBoard(t)}, x.table())
	p := started(t.Context(), t, s)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait"}}`)
	receive(t, x.started)
	receive(t, x.started)
	if _, err := io.WriteString(p.in, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wait"}}`); err != nil {
		t.Fatal(err)
	}
	p.in.Close()
	receive(t, x.started)
	close(x.release)
	got := map[any]bool{}
	for range 3 {
		a := parsed(t, p.next())
		if a.Error != nil || !strings.Contains(string(a.Result), `"done":true`) {
			t.Errorf("%+v", a)
		}
		got[a.ID] = true
	}
	if !got[1.0] || !got[2.0] || !got[3.0] {
		t.Errorf("answered %v", got)
	}
	if err := receive(t, p.ended); err != nil {
		t.Error(err)
	}
}

// TestCancellation cancels a call by its id, and the context of a connection.
func TestCancellation(t *testing.T) {
	x := newTrial()
	s := newServer(Options{Board: openBoard(t)}, x.table())
	ctx, cancel := context.WithCancel(t.Context())
	p := started(ctx, t, s)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`)
	receive(t, x.started)
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}`)
	if got := receive(t, x.started); got != "cancelled" {
		t.Error(got)
	}
	if a := parsed(t, p.next()); a.ID != 1.0 {
		t.Errorf("%+v", a)
	}
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait"}}`)
	receive(t, x.started)
	cancel()
	if got := receive(t, x.started); got != "cancelled" {
		t.Error(got)
	}
	go io.Copy(io.Discard, p.out)
	if err := receive(t, p.ended); err != context.Canceled {
		t.Errorf("%v", err)
	}
}

// TestArraysOfMessages: arrays are answered together in the one revision that has them.
func TestArraysOfMessages(t *testing.T) {
	s := newServer(Options{Board: openBoard(t)}, newTrial().table())
	p := newPipe(t.Context(), t, s, member("acme"))
	p.send(strings.Replace(hello, "2025-06-18", "2025-03-26", 1))
	p.next()
	p.send(thanks)
	p.send(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/roots/list_changed"},` +
		`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"},{"jsonrpc":"2.0","id":1,"method":"ping"},7,` +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"say","arguments":{"text":"x"}}}]`)
	var list []answer
	if err := json.Unmarshal([]byte(p.next()), &list); err != nil {
		t.Fatal(err)
	}
	good, bad := 0, 0
	for _, a := range list {
		if a.Error == nil {
			good++
		} else if a.Error.Code == -32600 && a.ID == nil {
			bad++
		}
	}
	if good != 2 || bad != 2 || len(list) != 4 {
		t.Errorf("%d good, %d bad of %d", good, bad, len(list))
	}
	p.send(`[{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]`, `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	if a := parsed(t, p.next()); a.ID != 3.0 {
		t.Errorf("an array of notifications was answered: %+v", a)
	}
	p.send("[" + strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"},`, maxArray) + `{"jsonrpc":"2.0","id":4,"method":"ping"}]`)
	if a := parsed(t, p.next()); a.ID != nil || a.Error == nil || a.Error.Code != -32600 {
		t.Errorf("too long an array: %+v", a)
	}
	p.in.Close()
	if err := receive(t, p.ended); err != nil {
		t.Error(err)
	}
}

// TestSameIDTwice refuses a call whose id is in use, and does not affect the first.
func TestSameIDTwice(t *testing.T) {
	x := newTrial()
	s := newServer(Options{Board: openBoard(t)}, x.table())
	p := started(t.Context(), t, s)
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`
	p.send(call)
	receive(t, x.started)
	p.send(call)
	if a := parsed(t, p.next()); a.Error == nil || a.ID != nil {
		t.Errorf("%+v", a)
	}
	close(x.release)
	if a := parsed(t, p.next()); a.ID != 1.0 || a.Error != nil {
		t.Errorf("%+v", a)
	}
	p.in.Close()
	receive(t, p.ended)
}

// brokenPipe fails after some writes.
type brokenPipe struct {
	mu   sync.Mutex
	left int
}

func (b *brokenPipe) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left--; b.left < 0 {
		return 0, errClosed
	}
	return len(p), nil
}

// TestReaderLeaves: serving ends when the client stops reading.
func TestReaderLeaves(t *testing.T) {
	s := newServer(Options{Board: openBoard(t)}, newTrial().table())
	in := strings.NewReader(hello + "\n" + thanks + "\n" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n", 1) +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"say","arguments":{"text":"x"}}}` + "\n")
	err := s.ServeStdio(t.Context(), member("acme"), in, &brokenPipe{left: 1})
	if fault.CodeOf(err) != fault.OutputFailed {
		t.Errorf("%v", err)
	}
	if err := s.ServeStdio(t.Context(), nil, in, io.Discard); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("nobody: %v", err)
	}
}
