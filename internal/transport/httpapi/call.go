package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
)

// call is one request and its answer.
type call struct {
	s     *Server
	w     *answerWriter
	r     *http.Request
	ctl   *http.ResponseController
	id    string
	op    string // for logs and metrics
	who   *auth.Principal
	start time.Time
	chore bool // an operation that only operators may call

	in       atomic.Int64 // bytes of the body
	entered  bool
	slot     *budget
	bodyDone bool
	holding  sync.Mutex
	held     int64 // bytes taken from the budget
	given    bool  // returned to the budget, at the end
	cause    error // why it failed
	broken   bool  // the answer could not be completed
}

// answerWriter counts the bytes of the answer.
type answerWriter struct {
	http.ResponseWriter
	status int
	bytes  int64
	timely func(bytes int) // extends the deadline for what is written; nil if other code does
}

func (w *answerWriter) WriteHeader(status int) {
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *answerWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	if w.timely != nil {
		w.timely(len(p))
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap is for [http.ResponseController].
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush sends what was written. Foreign handlers look for it.
func (w *answerWriter) Flush() { _ = w.FlushError() }

// FlushError is Flush with the error.
func (w *answerWriter) FlushError() error {
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// begin starts a call.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) *call {
	aw := &answerWriter{ResponseWriter: w}
	c := &call{s: s, w: aw, r: r, ctl: http.NewResponseController(w), op: "none", start: time.Now()}
	c.id = requestID(r.Header)
	if c.id == "" {
		c.id = s.prefix + strconv.FormatUint(s.serial.Add(1), 36)
	}
	h := w.Header()
	h.Set("X-Request-Id", c.id)
	h.Set("X-Content-Type-Options", "nosniff")
	return c
}

// requestID returns the id that a client gave its call, or nothing if there is none or it is
// unsafe in a log.
func requestID(h http.Header) string {
	ids := h["X-Request-Id"]
	if len(ids) != 1 || len(ids[0]) > 128 {
		return ""
	}
	for _, c := range []byte(ids[0]) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.', c == ':', c == '/', c == '+', c == '=':
		default:
			return ""
		}
	}
	return ids[0]
}

// end completes a call. It must be deferred directly, so that it can recover from a panic of
// the call and answer.
func (c *call) end() {
	if p := recover(); p != nil {
		c.panicked(p)
	}
	c.release()
	took := time.Since(c.start)
	status := c.w.status
	if status == 0 {
		status = http.StatusOK
	}
	if c.s.o.Observe != nil {
		c.s.o.Observe(c.op, status, took, c.in.Load(), c.w.bytes)
	}
	c.log(status, took)
	if c.broken {
		panic(http.ErrAbortHandler) // cuts the connection, so that a partial answer is not taken for a complete one
	}
}

// panicked answers for a handler that panicked.
func (c *call) panicked(p any) {
	if p == http.ErrAbortHandler {
		c.broken = true
		return
	}
	c.s.o.Log.Error("panic", "request_id", c.id, "op", c.op, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	c.fail(fault.Newf(fault.Internal, "panic: %v", p))
}

// release returns what the call took.
func (c *call) release() {
	c.giveHeld()
	if c.slot != nil {
		c.slot.give(c.tenant(), 1)
		c.slot = nil
	}
	if c.entered {
		c.entered = false
		c.s.exit()
	}
}

// tenant is the tenant that the call's resources are charged to.
func (c *call) tenant() string {
	if c.who == nil {
		return ""
	}
	return c.who.Tenant
}

// log writes the log line of a call. It contains no client input, except names that are
// checked.
func (c *call) log(status int, took time.Duration) {
	level := slog.LevelInfo
	if status >= 500 {
		level = slog.LevelError
	}
	log := c.s.o.Log
	if !log.Enabled(context.Background(), level) {
		return
	}
	attrs := make([]slog.Attr, 0, 12)
	attrs = append(attrs,
		slog.String("request_id", c.id), slog.String("op", c.op), slog.String("method", method(c.r.Method)), slog.Int("status", status),
		slog.Duration("took", took), slog.Int64("in", c.in.Load()), slog.Int64("out", c.w.bytes), slog.String("remote", c.r.RemoteAddr))
	if c.who != nil {
		attrs = append(attrs, slog.String("key", c.who.Key), slog.String("tenant", c.who.Tenant))
	}
	if c.cause != nil {
		code := fault.CodeOf(c.cause)
		attrs = append(attrs, slog.String("code", string(code)))
		if code == fault.Internal {
			attrs = append(attrs, slog.String("cause", c.cause.Error()))
		}
	}
	log.LogAttrs(context.Background(), level, "call", attrs...)
}

// method returns a well-known method, for logs.
func method(m string) string {
	switch m {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return m
	}
	return "other"
}

// hangUp closes the connection after the answer, without waiting for what the client may still
// send.
func (c *call) hangUp() {
	if c.r.ProtoMajor == 1 {
		c.w.Header().Set("Connection", "close")
		_ = c.ctl.SetReadDeadline(time.Now().Add(time.Second)) // not every writer supports it
	}
}

// answerTime sets the deadline for the client to read an answer.
func (c *call) answerTime(bytes int) {
	wait := c.s.limits.WriteTime + time.Duration(int64(bytes)/c.s.limits.BodyRate)*time.Second
	_ = c.ctl.SetWriteDeadline(time.Now().Add(wait)) // not every writer supports it
}

// left reports whether an error only means that the client disconnected.
func left(r *http.Request, err error) bool {
	return errors.Is(err, context.Canceled) && r.Context().Err() != nil
}
