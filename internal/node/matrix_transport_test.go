package node

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"lukasa.dev/internal/api"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// overHTTP tries every operation over HTTP.
func (r *row) overHTTP() {
	for _, op := range api.Operations() {
		switch op.Name {
		case "ingest":
			r.ingest(op)
		case "tail_events":
			r.try(op, "SSE", func(_ int64, args string) *reply { return r.tail(op, args) })
		case "ingest_ws":
			r.try(op, "WebSocket", func(n int64, _ string) *reply { return r.socket(r.event(n)) })
		case "ingest_traces":
			r.try(op, "OTLP", func(_ int64, args string) *reply { return r.traces(op, args) })
		case "import":
			r.try(op, "POST", func(int64, string) *reply {
				return r.call(r.who, op.Method, op.Path, r.names[r.who.uses()]["export"], "Content-Type", "application/x-ndjson")
			})
		default:
			ask := func(_ int64, args string) *reply {
				method, path, body := overHTTP(r.t, op, args)
				return r.call(r.who, method, path, body)
			}
			r.try(op, op.Method, ask)
		}
		if op.Method != http.MethodGet || op.Name == "ingest_ws" {
			continue
		}
		r.try(op, http.MethodHead, func(_ int64, args string) *reply {
			_, path, _ := overHTTP(r.t, op, args)
			return r.call(r.who, http.MethodHead, path, "")
		})
	}
}

// event returns the event of a cell, as one line.
func (r *row) event(n int64) string {
	text := strings.TrimSuffix(strings.TrimPrefix(asked["ingest"], `{"event":`), "}")
	return r.fill(r.who.uses(), text, n)
}

// ingest sends an event by every transport.
func (r *row) ingest(op *operation.Operation) {
	for _, way := range []struct{ as, media, accept, before, after string }{
		{"one event", "application/json", "", "", ""},
		{"array", "application/json", "", "[", "]"},
		{"lines", "application/x-ndjson", "", "", "\n"},
		{"lines with progress", "application/x-ndjson", "application/x-ndjson", "", "\n"},
	} {
		r.try(op, way.as, func(n int64, _ string) *reply {
			headers := []string{"Content-Type", way.media}
			if way.accept != "" {
				headers = append(headers, "Accept", way.accept)
			}
			got := r.call(r.who, op.Method, op.Path, way.before+r.event(n)+way.after, headers...)
			if got.code == "" {
				got.code = rejected(got.body)
			}
			return got
		})
	}
}

// rejected returns the code of the first event that was not recorded.
func rejected(body string) string {
	_, rest, _ := strings.Cut(body, `"rejected":`)
	_, rest, ok := strings.Cut(rest, `"code":"`)
	if !ok {
		return ""
	}
	code, _, _ := strings.Cut(rest, `"`)
	return code
}

// traces sends spans, and parses a refusal as OTLP/HTTP has it: a status in the encoding of the
// request, in which 400 stands for the 422 of other operations.
func (r *row) traces(op *operation.Operation, args string) *reply {
	method, path, body := overHTTP(r.t, op, args)
	got := r.call(r.who, method, path, body)
	var refusal struct {
		Details []struct{ Reason string }
	}
	if got.status != http.StatusOK && json.Unmarshal([]byte(got.body), &refusal) == nil && len(refusal.Details) == 1 {
		got.code = refusal.Details[0].Reason
	}
	if got.status == http.StatusOK && strings.Contains(got.body, "partialSuccess") {
		got.code = "partial"
	}
	if got.status == http.StatusBadRequest {
		got.status = http.StatusUnprocessableEntity
	}
	return got
}

// tailed is how many events of a stream are read.
const tailed = 5

// tail reads the beginning of the stream of events.
func (r *row) tail(op *operation.Operation, args string) *reply {
	_, path, _ := overHTTP(r.t, op, args)
	ctx, cancel := context.WithCancel(r.t.Context())
	defer cancel()
	res, err := r.http.Do(r.request(r.who, http.MethodGet, path, "").WithContext(ctx))
	if err != nil {
		r.t.Error(err)
		return nil
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		return newReply(res, text)
	}
	var text strings.Builder
	lines, seen := bufio.NewReader(res.Body), 0
	for seen < tailed {
		line, err := lines.ReadString('\n')
		if err != nil {
			r.t.Errorf("after %d events: %v", seen, err)
			break
		}
		text.WriteString(line)
		if strings.HasPrefix(line, "data: ") {
			seen++
		}
	}
	return newReply(res, []byte(text.String()))
}

// dial opens a WebSocket, or returns the refusal.
func (h *house) dial(ctx context.Context, c *credential, headers http.Header) (*websocket.Conn, *reply) {
	if headers == nil {
		headers = http.Header{}
	}
	c.show(headers)
	host := headers.Get("Host")
	headers.Del("Host")
	conn, res, err := websocket.Dial(ctx, h.url+"/v1/ingest/ws", &websocket.DialOptions{HTTPClient: h.http, HTTPHeader: headers, Host: host})
	if err == nil {
		return conn, nil
	}
	if res == nil {
		return nil, &reply{code: err.Error()}
	}
	text, _ := io.ReadAll(res.Body)
	got := newReply(res, text)
	if got.code == "" { // the library keeps only the beginning
		_, rest, _ := strings.Cut(got.body, `"code":"`)
		got.code, _, _ = strings.Cut(rest, `"`)
	}
	return nil, got
}

// socket sends an event over a WebSocket, and returns its acknowledgement.
func (r *row) socket(event string) *reply {
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	conn, refused := r.dial(ctx, r.who, nil)
	if refused != nil {
		return refused
	}
	defer func() { _ = conn.CloseNow() }()
	if err := conn.Write(ctx, websocket.MessageText, []byte(event)); err != nil {
		r.t.Error(err)
		return nil
	}
	_, ack, err := conn.Read(ctx)
	if err != nil {
		r.t.Error(err)
		return nil
	}
	_ = conn.Close(websocket.StatusNormalClosure, "")
	return &reply{status: http.StatusOK, code: codeOf(ack), body: string(ack)}
}

// asking is a request over MCP, and the operation behind it.
type asking struct {
	op             *operation.Operation
	as             string
	method, params string
}

// askings are all requests over MCP.
func askings() []asking {
	var list []asking
	for _, op := range api.Operations() {
		if op.Tool == nil || op.Stream {
			continue
		}
		name := op.Tool.Name
		if name == "" {
			name = op.Name
		}
		list = append(list, asking{op, "tool", "tools/call", `{"name":"` + name + `","arguments":{arguments}}`})
		list = append(list, asking{op, "tool by the library", "tools/call", `{"name":"` + name + `","arguments":{arguments},"task":{}}`})
	}
	for _, x := range []struct{ op, method, params string }{
		{"list_memories", "resources/list", `{}`},
		{"recall", "resources/read", `{"uri":"memory://release/cadence"}`},
		{"list_events", "resources/read", `{"uri":"memory:///sessions/session-2026-11-02-refund-bug"}`},
		{"resolve", "resources/read", `{"uri":"memory:///artifacts/{artifact}"}`},
		{"root", "resources/read", `{"uri":"memory:///root"}`},
		{"context", "prompts/get", `{"name":"start_task","arguments":{"verb":"modify","object":"file=billing/refund.go"}}`},
		{"pack_context", "prompts/get", `{"name":"recall_about","arguments":{"topic":"release"}}`},
		{"recall", "prompts/get", `{"name":"review_memory","arguments":{"key":"release/cadence"}}`},
	} {
		list = append(list, asking{api.Lookup(x.op), x.method, x.method, x.params})
	}
	return list
}

// message is the message of a cell.
func (r *row) message(x asking, n int64, args string) string {
	params := r.fill(r.who.uses(), strings.Replace(x.params, "{arguments}", args, 1), n)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}`, n, x.method, params)
}

// overMCP tries everything over MCP at /mcp.
func (r *row) overMCP() {
	for _, x := range askings() {
		r.try(x.op, x.as+" at /mcp", func(n int64, args string) *reply { return r.mcp(r.who, r.message(x, n, args)) })
	}
}

// mcp sends a message to /mcp.
func (h *house) mcp(c *credential, message string) *reply {
	got := h.call(c, http.MethodPost, "/mcp", message, "Accept", "application/json, text/event-stream")
	if got.status == http.StatusOK {
		got.status, got.code = 0, complained(got.body)
	}
	return got
}

// complained returns the code in an error message.
func complained(message string) string {
	var m struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
		Error *struct {
			Code    int
			Message string
			Data    struct{ Code string }
		}
	}
	if err := json.Unmarshal([]byte(message), &m); err != nil {
		return err.Error()
	}
	switch {
	case m.Error != nil && m.Error.Data.Code != "":
		return m.Error.Data.Code
	case m.Error != nil && strings.Contains(m.Error.Message, "Resource not found"):
		return "not_found"
	case m.Error != nil:
		return fmt.Sprint(m.Error.Code)
	case m.Result.IsError:
		code, _, _ := strings.Cut(m.Result.Content[0].Text, ":")
		return code
	}
	return ""
}

// overStdio tries everything over MCP on standard input, as the principal of the credential.
func (r *row) overStdio() {
	if r.who.raw != nil {
		return // there are no headers
	}
	who, err := r.n.Keys().Authenticate(r.t.Context(), r.who.bearer, r.who.tenant, r.who.scope)
	if err != nil {
		for _, x := range askings() {
			if x.as != "tool by the library" { // it is the only way there
				r.try(x.op, x.as+" on stdin", func(int64, string) *reply { return &reply{code: string(fault.CodeOf(err))} })
			}
		}
		return
	}
	in, send := io.Pipe()
	receive, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- r.stdio.ServeStdio(r.t.Context(), who, in, out)
		_ = out.Close()
	}()
	answers := bufio.NewReader(receive)
	say := func(message string, answered bool) string {
		if _, err := io.WriteString(send, message+"\n"); err != nil {
			r.t.Error(err)
		}
		if !answered {
			return ""
		}
		line, err := answers.ReadString('\n')
		if err != nil {
			r.t.Error(err)
		}
		return line
	}
	say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"matrix","version":"1"}}}`, true)
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, false)
	for _, x := range askings() {
		if x.as == "tool by the library" {
			continue
		}
		r.try(x.op, x.as+" on stdin", func(n int64, args string) *reply {
			text := say(r.message(x, n, args), true)
			return &reply{code: complained(text), body: text}
		})
	}
	_ = send.Close()
	if err := <-ended; err != nil {
		r.t.Error(err)
	}
}
