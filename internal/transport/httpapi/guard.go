package httpapi

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/transport/httpapi/admit"
)

// Caller is who makes a call, and what it may take of the server, for a handler of others.
type Caller struct {
	Who *auth.Principal
	// Turn takes one of the places for calls, for a request that is one and no stream. Done
	// gives it back.
	Turn func() (done func(), err error)
	// Hold takes memory for an answer, until the request is over.
	Hold func(bytes int64) error
}

// caller returns who makes the call.
func (c *call) caller() Caller { return Caller{Who: c.who, Turn: c.turn, Hold: c.holdAnswer} }

// turn takes one of the places for calls.
func (c *call) turn() (done func(), err error) {
	if !c.s.calls.take(c.tenant(), 1) {
		return nil, fault.New(fault.Overloaded, "too many calls are in progress")
	}
	return func() { c.s.calls.give(c.tenant(), 1) }, nil
}

// holdAnswer takes memory for an answer. Small ones are soon gone.
func (c *call) holdAnswer(bytes int64) error {
	if bytes <= keptBody {
		return nil
	}
	return c.hold(bytes)
}

// extra hands a call on to a handler of others.
func (c *call) extra(next func(Caller) http.Handler) {
	if c.r.Method == http.MethodOptions {
		c.options("DELETE, GET, POST, OPTIONS")
		return
	}
	if err := c.inside(); err != nil {
		c.fail(err)
		return
	}
	if err := c.take(c.s.streams); err != nil {
		c.fail(err)
		return
	}
	gone, stop := c.s.keys.Watch(c.who)
	defer stop()
	ctx, cancel := context.WithCancel(c.r.Context())
	defer cancel()
	defer c.s.onStop(cancel)()
	var leave <-chan struct{}
	if c.r.Method == http.MethodGet {
		leave = c.s.leave // a stream, which would not end by itself
	}
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-gone:
			cancel()
		case <-leave:
			cancel()
		case <-ended:
		}
	}()
	r := c.r.WithContext(ctx)
	r.Body = struct {
		io.Reader
		io.Closer
	}{&heldReader{c, c.paced(http.MaxBytesReader(c.w, c.r.Body, c.s.limits.BodyBytes))}, c.r.Body}
	c.patient()
	c.w.timely = c.answerTime
	next(c.caller()).ServeHTTP(c.w, r)
}

// memoryOfMessage is the memory per byte of a body that a foreign handler reads: raw and
// parsed.
const memoryOfMessage = 2

// heldReader reads a body for a foreign handler. It takes what it reads from the budget until
// the call ends.
type heldReader struct {
	c   *call
	src io.Reader
}

func (h *heldReader) Read(b []byte) (int, error) {
	n, err := h.src.Read(b)
	if held := h.c.hold(int64(n) * memoryOfMessage); held != nil {
		return 0, held
	}
	return n, err
}

// patient removes the write deadline that earlier calls on the same connection left.
func (c *call) patient() { _ = c.ctl.SetWriteDeadline(time.Time{}) } // not every writer supports it

// outside checks what holds for every call: host and origin, limits of headers, and no secret
// in the query.
func (c *call) outside() error {
	if err := c.s.near.Check(c.r); err != nil {
		return err
	}
	c.cors()
	if err := c.headers(); err != nil {
		return err
	}
	return admit.SecretInQuery(c.r.URL.RawQuery)
}

// inside checks what holds for every call that needs a credential.
func (c *call) inside() error {
	if err := c.come(); err != nil {
		return err
	}
	who, err := c.authenticate()
	if err != nil {
		return err
	}
	c.who = who
	if c.s.o.Quotas == nil || who.Tenant == "" || c.chore && who.Role == auth.Operator {
		return nil // an operator's calls do not count against the tenant
	}
	return c.s.o.Quotas.Request(who.Tenant)
}

// come admits the call, unless the server is draining.
func (c *call) come() error {
	if c.entered {
		return nil
	}
	if !c.s.enter() {
		c.w.Header().Set("Connection", "close")
		return errDraining()
	}
	c.entered = true
	return nil
}

func errDraining() error {
	return later{fault.New(fault.Overloaded, "the server is shutting down").WithFix("send it again in a moment; what was not acknowledged may be sent again without harm"), drainWait}
}

// take takes one slot of a budget.
func (c *call) take(b *budget) error {
	if !b.take(c.tenant(), 1) {
		return fault.New(fault.Overloaded, "too many calls are in progress")
	}
	c.slot = b
	return nil
}

// authenticate returns the caller.
func (c *call) authenticate() (*auth.Principal, error) {
	h := c.r.Header
	for _, name := range [...]string{"Authorization", "X-Lukasa-Tenant", "X-Lukasa-Scope"} {
		if len(h[name]) > 1 {
			return nil, fault.Newf(fault.Unauthenticated, "%s: it is given %d times", name, len(h[name])).WithFix("send it once")
		}
	}
	bearer := ""
	if line := h.Get("Authorization"); line != "" {
		scheme, token, _ := strings.Cut(line, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return nil, fault.New(fault.Unauthenticated, "Authorization: the scheme is not Bearer")
		}
		bearer = strings.Trim(token, " ")
	}
	return c.s.keys.Authenticate(c.r.Context(), bearer, h.Get("X-Lukasa-Tenant"), h.Get("X-Lukasa-Scope"))
}

// headers refuses headers that are too large or too many.
func (c *call) headers() error {
	count, bytes := 0, len(c.r.RequestURI)
	for name, values := range c.r.Header {
		count += len(values)
		for _, v := range values {
			bytes += len(name) + len(v) + 4
		}
	}
	if l := c.s.limits; count > l.Headers {
		return fault.Newf(fault.TooLarge, "the call has %d headers; at most %d are read", count, l.Headers).WithFix("send fewer")
	} else if bytes > l.HeaderBytes {
		return fault.Newf(fault.TooLarge, "the headers have %d bytes; at most %d are read", bytes, l.HeaderBytes).WithFix("send less, and put long values into the body")
	}
	return nil
}

// cors allows a page of a configured origin to read the answer.
func (c *call) cors() {
	origin := c.r.Header.Get("Origin")
	if origin == "" {
		return
	}
	h := c.w.Header()
	h.Add("Vary", "Origin")
	if !c.s.near.Configured(origin) {
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "ETag, Location, Mcp-Session-Id, Retry-After, X-Request-Id")
}

// options answers an OPTIONS request.
func (c *call) options(allow string) {
	h := c.w.Header()
	h.Set("Allow", allow)
	if h.Get("Access-Control-Allow-Origin") != "" && c.r.Header.Get("Access-Control-Request-Method") != "" {
		h.Set("Access-Control-Allow-Methods", allow)
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Content-Encoding, If-Match, If-None-Match, Last-Event-ID, Mcp-Protocol-Version, Mcp-Session-Id, X-Lukasa-Scope, X-Lukasa-Tenant, X-Request-Id")
		h.Set("Access-Control-Max-Age", "600")
	}
	c.w.WriteHeader(http.StatusNoContent)
}
