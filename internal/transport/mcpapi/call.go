package mcpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
	"lukasa.dev/internal/quote"
)

// outcome is the result of a tool call.
type outcome struct {
	// text is what the model reads.
	text string
	// data is the answer as JSON, or nil if there is only text.
	data json.RawMessage
	// failed says that text describes an error, and what to do about it.
	failed bool
}

// maxHanded is the largest answer whose lines are remembered as handed out. A model quotes no
// line of a longer one.
const maxHanded = 256 << 10

// serveTool returns a tool's handler for the library.
func (s *connection) serveTool(t *tool) mcp.ToolHandler {
	c := s.caller
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, cancel := until(ctx, c.gone)
		defer cancel()
		var tell progress
		if token := req.Params.GetProgressToken(); token != nil {
			tell = steps(func(done, total uint64, what string) {
				// A client that misses a step still gets the result.
				_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: token, Progress: float64(done), Total: float64(total), Message: what,
				})
			})
		}
		o := s.call(ctx, c, t, req.Params.Arguments, tell)
		res := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: o.text}}, IsError: o.failed}
		if o.data != nil {
			res.StructuredContent = o.data
		}
		return res, nil
	}
}

// call calls a tool. Every error becomes an outcome that tells the agent what to do.
func (s *Server) call(ctx context.Context, c *caller, t *tool, args []byte, tell progress) (o outcome) {
	out, err := s.run(ctx, c, t.op, t.op.Tool.Run, args, tell)
	if err == nil {
		o, err = render(out)
	}
	if err == nil && t.op.ReadOnly() && c.hold != nil {
		err = c.hold(int64(len(o.text) + len(o.data)))
	}
	if err != nil {
		return outcome{text: complaint(s.known(ctx, c, t.op, err)), failed: true}
	}
	if t.op.ReadOnly() && s.o.Board != nil && len(o.text) <= maxHanded {
		s.o.Board.Handout().Hand(o.text)
	}
	return o
}

// writing formats an answer as the text that a model reads.
type writing = func(ctx context.Context, c *operation.Call, in any) (*operation.Text, error)

// run executes one operation for a caller: it authorizes, charges the quota, and decodes the
// arguments. A panic becomes a fault. If write is not nil, the answer is what it returns.
func (s *Server) run(ctx context.Context, c *caller, op *operation.Operation, write writing, args []byte, tell progress) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.ErrorContext(ctx, "an operation panicked", "operation", op.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fault.Newf(fault.Internal, "%s failed with an internal error", op.Name)
		}
	}()
	if err := operation.Allow(op, c.who); err != nil {
		return nil, err
	}
	if c.turn != nil {
		done, err := c.turn()
		if err != nil {
			return nil, err
		}
		defer done()
	}
	if err := s.charge(c, op, len(args)); err != nil {
		return nil, err
	}
	in, err := op.DecodeArguments(args)
	if err != nil {
		return nil, err
	}
	call := &operation.Call{
		Board: s.o.Board, Who: c.who, Keys: s.o.Keys, Quotas: s.o.Quotas, Embedder: s.o.Embedder, Session: s.o.Session, Conditions: s.o.Conditions,
		Progress: tell, Ingested: s.o.Ingested,
	}
	if write == nil {
		return op.Run(ctx, call, in)
	}
	text, err := write(ctx, call, in)
	if err != nil {
		return nil, err // and not a typed nil
	}
	return text, nil
}

// charge counts a call against the quota of the caller's tenant.
func (s *Server) charge(c *caller, op *operation.Operation, size int) error {
	if s.o.Quotas == nil || c.who.Tenant == "" {
		return nil
	}
	if c.paid.Add(-1) < 0 {
		if err := s.o.Quotas.Request(c.who.Tenant); err != nil {
			return err
		}
	}
	if op.Adds() {
		return s.o.Quotas.Events(c.who.Tenant, 1, int64(size))
	}
	return nil
}

// known returns a fault as the agent may see it. Internal errors are only logged, and a tenant
// without records gets its own fault, since an agent cannot change that.
func (s *Server) known(ctx context.Context, c *caller, op *operation.Operation, err error) *fault.Error {
	f := fault.From(err)
	switch {
	case f.Code == fault.Internal:
		s.log.ErrorContext(ctx, "an operation failed", "operation", op.Name, "error", err)
		return fault.New(fault.Internal, fault.Lookup(fault.Internal).Meaning)
	case f.Code == fault.NotFound && c.who.Tenant != "" && s.untouched(ctx, c):
		return fault.New(fault.NotFound, "nothing is remembered yet").WithCause(errUntouched).
			WithFix("continue without it; remember and record_event store what should last")
	}
	return f
}

// errUntouched is the cause of faults of a tenant that has no records yet.
var errUntouched = errors.New("no records yet")

// untouched reports whether the caller's tenant has no records at all.
func (s *Server) untouched(ctx context.Context, c *caller) bool {
	call := &operation.Call{Board: s.o.Board, Who: c.who}
	root, err := call.Tenant().Root(ctx)
	return err == nil && root.Size == 0
}

// complaint describes an error: its code, its detail and the fix.
func complaint(f *fault.Error) string {
	text := string(f.Code) + ": " + f.Error()
	if advice := f.Advice(); advice != "" {
		text += "\nfix: " + advice
	}
	return quote.Visible(text)
}

// render makes an answer into text and data. Hidden characters of stored text are written out
// in both, since a model reads what people do not see.
func render(out any) (outcome, error) {
	if text, ok := out.(*operation.Text); ok {
		return outcome{text: strings.ToValidUTF8(text.Body, "\uFFFD")}, nil
	}
	data, err := encode(out)
	data = quote.VisibleJSON(data)
	return outcome{text: string(data), data: data}, err
}

// encode writes an answer as compact JSON.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fault.Wrap(fault.Internal, err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// progress receives the progress of a long call.
type progress func(done, total uint64, what string)

// tellSteps is about the most steps of a long call that are reported.
const tellSteps = 50

// steps returns a progress that passes on the first step, the last, and a few between them, in
// increasing order.
func steps(tell progress) progress {
	var mu sync.Mutex
	var last uint64
	told := false
	return func(done, total uint64, what string) {
		mu.Lock()
		defer mu.Unlock()
		if told && (done <= last || done < total && done-last < total/tellSteps) {
			return
		}
		told, last = true, done
		tell(done, total, what)
	}
}
