// Package client talks to a Lukasa server over HTTP.
//
//	c, err := client.New("http://127.0.0.1:8373", client.Options{Token: token, Tenant: "acme"})
//	if err != nil { … }
//	put, err := c.Remember(ctx, &client.Memory{Type: "fact", Key: "release/cadence", Text: "Every second Tuesday."})
//	pack, err := c.Pack(ctx, &client.PackRequest{Query: "when are releases cut", Budget: 2000})
//
// # What is guaranteed
//
//   - A call that returned without an error was answered. What it wrote is on the
//     server's disk, and every later read sees it.
//   - A call is repeated by itself only where that does no harm: reads, events (which
//     are known by their ids), and what the server has refused without doing anything.
//     It waits between attempts, longer each time, and as long as the server asks for.
//   - What the server refuses comes back as a [*Problem] with a stable code.
//
// A client is safe for concurrent use.
package client

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Options says how a server is called. The zero value works, but for the token.
type Options struct {
	// Token is the credential: a key, the operator's own token, or a scope token.
	Token string
	// Tenant is the one that an operator deals with. Other credentials have one of
	// their own.
	Tenant string
	// Scope is a token that narrows what is seen and written, or empty.
	Scope string
	// HTTP does the calls. Nil means a client of its own.
	HTTP *http.Client
	// Attempts is how often a call is tried at most. Zero means 5, 1 never repeats.
	Attempts int
	// MinWait and MaxWait bound the waits between attempts, unless the server asks for
	// longer. Zero means 100 ms and 10 s.
	MinWait, MaxWait time.Duration
	// Compress is from which size on bodies are compressed. Zero means 4 KiB, less than
	// zero never.
	Compress int
	// UserAgent is sent with each call, if it is set.
	UserAgent string
}

// ErrNotModified is the error of a read whose answer the caller has already.
var ErrNotModified = errors.New("client: what the caller has still holds")

// maxAnswer is how much of an answer is read.
const maxAnswer = 256 << 20

// Client calls one server. Make one with [New].
type Client struct {
	base *url.URL
	o    Options
}

// New returns a client of the server at an address such as http://127.0.0.1:8373.
// Nothing is sent yet.
func New(address string, o Options) (*Client, error) {
	base, err := url.Parse(address)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("client: %q is not an address such as http://127.0.0.1:8373", address)
	}
	if base.User != nil || base.RawQuery != "" {
		return nil, errors.New("client: a credential does not belong into the address; use Token")
	}
	if o.HTTP == nil {
		o.HTTP = &http.Client{Transport: transport()}
	}
	if o.Attempts == 0 {
		o.Attempts = 5
	}
	if o.MinWait == 0 {
		o.MinWait = 100 * time.Millisecond
	}
	if o.MaxWait == 0 {
		o.MaxWait = 10 * time.Second
	}
	if o.Compress == 0 {
		o.Compress = 4 << 10
	}
	base.Path = strings.TrimSuffix(base.Path, "/")
	return &Client{base: base, o: o}, nil
}

// transport keeps more connections open than the default does.
func transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 64
	return t
}

// Close lets go of connections that are not in use.
func (c *Client) Close() { c.o.HTTP.CloseIdleConnections() }

// Call is one call, for what has no method of its own.
type Call struct {
	Method string
	// Path is that of the operation, with its names filled in and escaped, such as
	// /v1/artifacts/abc.
	Path  string
	Query url.Values
	// In is sent as JSON, unless it is nil.
	In any
	// Out is filled from the answer, unless it is nil; a *string takes it as text.
	Out any
	// IfMatch is the version that a write expects, or empty for any: its number, an ETag, or
	// * for any that there is.
	IfMatch string
	// IfNoneMatch is, of a read, the ETag of what the caller has; if it still holds, the error
	// is [ErrNotModified]. Of a write it is * for what must not be there yet.
	IfNoneMatch string
	// ETag is filled with the ETag of the answer, unless it is nil.
	ETag *string
	// Again says that doing it twice is the same as doing it once.
	Again bool
}

// Do makes a call.
func (c *Client) Do(ctx context.Context, call Call) error {
	var body []byte
	if call.In != nil {
		var err error
		if body, err = json.Marshal(call.In); err != nil {
			return fmt.Errorf("client: the request has no JSON form: %w", err)
		}
	}
	answer, err := c.exchange(ctx, &call, body, "application/json")
	if err != nil {
		return err
	}
	return decode(answer, call.Out)
}

// decode fills out from an answer.
func decode(answer []byte, out any) error {
	switch out := out.(type) {
	case nil:
		return nil
	case *string:
		*out = string(answer)
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("client: the answer cannot be read: %w", err)
	}
	return nil
}

// exchange sends a body and returns the answer, after as many attempts as it takes.
func (c *Client) exchange(ctx context.Context, call *Call, body []byte, media string) ([]byte, error) {
	packed := false
	if c.o.Compress > 0 && len(body) >= c.o.Compress {
		body, packed = pack(body), true
	}
	for attempt := 1; ; attempt++ {
		answer, err := c.once(ctx, call, body, media, packed)
		if err == nil {
			return answer, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		wait, again := c.again(err, call.Again, attempt)
		if !again {
			return nil, err
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// once makes one attempt.
func (c *Client) once(ctx context.Context, call *Call, body []byte, media string, packed bool) ([]byte, error) {
	req, err := c.request(ctx, call, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body == nil {
		req.Body, req.ContentLength = nil, 0
	} else {
		req.Header.Set("Content-Type", media)
	}
	if packed {
		req.Header.Set("Content-Encoding", "gzip")
	}
	res, err := c.o.HTTP.Do(req)
	if err != nil {
		return nil, &lost{err}
	}
	defer func() { _ = res.Body.Close() }() // it was read to its end
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, &lost{err}
	case len(answer) > maxAnswer:
		return nil, fmt.Errorf("client: the answer has more than %d bytes", maxAnswer)
	case res.StatusCode == http.StatusNotModified:
		return nil, ErrNotModified
	case res.StatusCode >= 300:
		return nil, problemOf(res, answer)
	}
	if call.ETag != nil {
		*call.ETag = res.Header.Get("ETag")
	}
	return answer, nil
}

// request returns a request with everything but its body's type.
func (c *Client) request(ctx context.Context, call *Call, body io.Reader) (*http.Request, error) {
	u := *c.base
	u.Path, u.RawQuery = "", call.Query.Encode()
	req, err := http.NewRequestWithContext(ctx, call.Method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	// The path is escaped already; names in it may have slashes.
	req.URL.Opaque = ""
	full := c.base.EscapedPath() + call.Path
	if req.URL.Path, err = url.PathUnescape(full); err != nil {
		return nil, fmt.Errorf("client: path %q: %w", call.Path, err)
	}
	req.URL.RawPath = full
	h := req.Header
	c.authorize(h)
	for name, tag := range map[string]string{"If-Match": call.IfMatch, "If-None-Match": call.IfNoneMatch} {
		if tag != "" {
			h.Set(name, quoted(tag))
		}
	}
	return req, nil
}

// quoted is a version or an ETag as headers have it.
func quoted(tag string) string {
	if tag == "*" || strings.HasPrefix(tag, `"`) || strings.HasPrefix(tag, `W/"`) {
		return tag
	}
	return strconv.Quote(tag)
}

// authorize says who calls.
func (c *Client) authorize(h http.Header) {
	if c.o.Token != "" {
		h.Set("Authorization", "Bearer "+c.o.Token)
	}
	if c.o.Tenant != "" {
		h.Set("X-Lukasa-Tenant", c.o.Tenant)
	}
	if c.o.Scope != "" {
		h.Set("X-Lukasa-Scope", c.o.Scope)
	}
	if c.o.UserAgent != "" {
		h.Set("User-Agent", c.o.UserAgent)
	}
}

// lost is the error of a call of which nobody knows whether it was done.
type lost struct{ err error }

func (l *lost) Error() string { return "client: no answer: " + l.err.Error() }
func (l *lost) Unwrap() error { return l.err }

// again says whether to try once more, and after which wait.
func (c *Client) again(err error, harmless bool, attempt int) (time.Duration, bool) {
	if attempt >= c.o.Attempts {
		return 0, false
	}
	wait := c.backoff(attempt)
	var p *Problem
	if errors.As(err, &p) {
		// These were refused before anything was done.
		refused := p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable
		if p.Code == codeOverQuota || !refused && !(harmless && p.Status >= 500) {
			return 0, false
		}
		return max(wait, p.RetryAfter), true
	}
	var l *lost
	return wait, harmless && errors.As(err, &l)
}

// codeOverQuota is of what no waiting helps against.
const codeOverQuota = "over_quota"

// backoff is how long to wait after an attempt: twice as long as after the one before,
// and a part of that at random, so that many clients do not come at once.
func (c *Client) backoff(attempt int) time.Duration {
	wait := c.o.MinWait << min(attempt-1, 20)
	if wait > c.o.MaxWait || wait <= 0 {
		wait = c.o.MaxWait
	}
	return wait/2 + rand.N(wait/2+1)
}

// sleep waits, or ends with ctx.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pack compresses a body.
func pack(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(body) // memory takes everything
	_ = w.Close()
	return b.Bytes()
}
