package node

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"lukasa.dev/internal/fault"
)

// patience is the timeout for what has to happen immediately.
const patience = time.Minute

// open is an open connection, with the message expected at its end.
type open struct {
	name string
	end  chan string
	says string // must be part of the message
}

// Connections of a key end when the key is revoked: event streams, WebSockets, streams of
// lines, agents on standard input. The key no longer authenticates.
func TestRevokedEnds(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, role := range []string{`"role":"tenant"`, `"role":"agent","agent":"coder"`} {
		token, id := h.key("acme", `{`+role+`,"rights":["read","write"]}`)
		who := &credential{bearer: token}
		ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
		defer cancel()
		list := []*open{h.openTail(ctx, who), h.openSocket(ctx, who), h.openLines(ctx, who), h.openStdio(ctx, who)}
		for _, o := range list {
			select {
			case said := <-o.end:
				t.Fatalf("%s ended before it was revoked: %s", o.name, said)
			default:
			}
		}
		h.must("acme", "DELETE", "/v1/keys/"+id, "")
		for _, o := range list {
			select {
			case said := <-o.end:
				if !strings.Contains(said, o.says) {
					t.Errorf("%s ended with %q, which has no %q", o.name, said, o.says)
				}
			case <-time.After(patience):
				t.Errorf("%s goes on", o.name)
			}
		}
		for name, got := range map[string]*reply{
			"HTTP": h.call(who, "GET", "/v1/root", ""), "SSE": h.call(who, "GET", "/v1/events/stream", ""),
			"MCP": h.mcp(who, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`),
		} {
			if got.status != http.StatusUnauthorized || got.code != "unauthenticated" {
				t.Errorf("%s afterwards: %d %s", name, got.status, got.body)
			}
		}
		if _, got := h.dial(ctx, who, nil); got == nil || got.status != http.StatusUnauthorized {
			t.Errorf("a WebSocket afterwards: %v", got)
		}
	}
}

// openTail follows events.
func (h *house) openTail(ctx context.Context, who *credential) *open {
	h.t.Helper()
	res, err := (&http.Client{Transport: h.http.Transport}).Do(h.request(who, "GET", "/v1/events/stream?from=0", "").WithContext(ctx))
	if err != nil || res.StatusCode != http.StatusOK {
		h.t.Fatal(res, err)
	}
	lines := bufio.NewReader(res.Body)
	if _, err := lines.ReadString('\n'); err != nil {
		h.t.Fatal(err)
	}
	o := &open{name: "the stream of events", end: make(chan string, 1), says: `"code":"unauthenticated"`}
	go func() {
		defer func() { _ = res.Body.Close() }()
		text, _ := io.ReadAll(lines)
		o.end <- string(text)
	}()
	return o
}

// openSocket opens a WebSocket, and has an event acknowledged on it.
func (h *house) openSocket(ctx context.Context, who *credential) *open {
	h.t.Helper()
	conn, refused := h.dial(ctx, who, nil)
	if refused != nil {
		h.t.Fatal(refused)
	}
	if err := conn.Write(ctx, websocket.MessageText, []byte("{}")); err != nil {
		h.t.Fatal(err)
	}
	if _, _, err := conn.Read(ctx); err != nil {
		h.t.Fatal(err)
	}
	o := &open{name: "the WebSocket", end: make(chan string, 1), says: "the credential is no longer valid"}
	go func() {
		_, _, err := conn.Read(ctx)
		o.end <- err.Error()
	}()
	return o
}

// openLines begins a stream of lines without an end.
func (h *house) openLines(ctx context.Context, who *credential) *open {
	h.t.Helper()
	body, send := io.Pipe()
	r := h.request(who, "POST", "/v1/events", "", "Content-Type", "application/x-ndjson", "Accept", "application/x-ndjson").WithContext(ctx)
	r.Body, r.ContentLength = body, -1
	res, err := (&http.Client{Transport: h.http.Transport}).Do(r)
	if err != nil || res.StatusCode != http.StatusOK {
		h.t.Fatal(res, err)
	}
	o := &open{name: "the stream of lines", end: make(chan string, 1), says: `"code":"unauthenticated"`}
	go func() {
		defer func() { _, _ = res.Body.Close(), send.Close() }()
		text, _ := io.ReadAll(res.Body)
		o.end <- string(text)
	}()
	return o
}

// openStdio serves an agent on standard input.
func (h *house) openStdio(ctx context.Context, who *credential) *open {
	h.t.Helper()
	p, err := h.n.Keys().Authenticate(ctx, who.bearer, "", "")
	if err != nil {
		h.t.Fatal(err)
	}
	in, send := io.Pipe()
	receive, out := io.Pipe()
	o := &open{name: "the agent", end: make(chan string, 1), says: string(fault.Unauthenticated)}
	go func() {
		err := h.stdio.ServeStdio(ctx, p, in, out)
		_ = in.Close()
		o.end <- string(fault.CodeOf(err))
	}()
	if _, err := io.WriteString(send, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		h.t.Fatal(err)
	}
	if _, err := bufio.NewReader(receive).ReadString('\n'); err != nil {
		h.t.Fatal(err)
	}
	return o
}
