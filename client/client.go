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
//   - A call is retried only if that is safe: reads, events (which are identified by
//     their ids), and calls that the server refused without effect. It waits between
//     attempts, longer each time, or as long as the server requests.
//   - A refusal of the server is a [*Problem] with a stable code.
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

// Options configures a client. Only the token is required.
type Options struct {
	// Token is the credential: a key, the operator's token, or a scope token.
	Token string
	// Tenant is the tenant of an operator's calls. Other credentials have a tenant of their
	// own.
	Tenant string
	// Scope is a token that narrows what the client sees and writes, or empty.
	Scope string
	// HTTP sends the requests. Nil means a new client.
	HTTP *http.Client
	// Attempts is the maximum number of attempts of a call. Zero means 5, and 1 never retries.
	Attempts int
	// MinWait and MaxWait bound the waits between attempts, unless the server requests longer.
	// Zero means 100 ms and 10 s.
	MinWait, MaxWait time.Duration
	// Compress is the size from which bodies are compressed. Zero means 4 KiB, and a negative
	// value never.
	Compress int
	// UserAgent is sent with each call, if it is set.
	UserAgent string
}

// ErrNotModified is the error of a read whose answer the caller already has.
var ErrNotModified = errors.New("client: what the caller has still holds")

// maxAnswer is the maximum size of an answer.
const maxAnswer = 256 << 20

// Client calls one server. Make one with [New].
type Client struct {
	base *url.URL
	o    Options
}

// New returns a client of the server at an address such as http://127.0.0.1:8373. It sends
// nothing yet.
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

// transport keeps more idle connections than the default.
func transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 64
	return t
}

// Close closes idle connections.
func (c *Client) Close() { c.o.HTTP.CloseIdleConnections() }

// Call is one call, for operations without a method.
type Call struct {
	Method string
	// Path is the path of the operation, with its names filled in and escaped, such as
	// /v1/artifacts/abc.
	Path  string
	Query url.Values
	// In is sent as JSON, unless it is nil.
	In any
	// Out receives the answer, unless it is nil; a *string receives it as text.
	Out any
	// IfMatch is the version that a write expects, or empty for any: its number, an ETag, or
	// "*" for any existing one.
	IfMatch string
	// IfNoneMatch is, for a read, the ETag that the caller has; if it is still current, the
	// error is [ErrNotModified]. For a write it is "*" for a record that must not exist yet.
	IfNoneMatch string
	// ETag receives the ETag of the answer, unless it is nil.
	ETag *string
	// Again says that the call is idempotent.
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

// decode decodes an answer into out.
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

// exchange sends a body and returns the answer, with retries.
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

// request returns a request without the type of its body.
func (c *Client) request(ctx context.Context, call *Call, body io.Reader) (*http.Request, error) {
	u := *c.base
	u.Path, u.RawQuery = "", call.Query.Encode()
	req, err := http.NewRequestWithContext(ctx, call.Method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	// The path is escaped already; names in it may contain slashes.
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

// quoted returns a version or an ETag in the form of headers.
func quoted(tag string) string {
	if tag == "*" || strings.HasPrefix(tag, `"`) || strings.HasPrefix(tag, `W/"`) {
		return tag
	}
	return strconv.Quote(tag)
}

// authorize adds the credentials.
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

// lost is the error of a call that may or may not have been executed.
type lost struct{ err error }

func (l *lost) Error() string { return "client: no answer: " + l.err.Error() }
func (l *lost) Unwrap() error { return l.err }

// again reports whether to retry, and after which wait.
func (c *Client) again(err error, harmless bool, attempt int) (time.Duration, bool) {
	if attempt >= c.o.Attempts {
		return 0, false
	}
	wait := c.backoff(attempt)
	var p *Problem
	if errors.As(err, &p) {
		// These were refused without effect.
		refused := p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable
		if p.Code == codeOverQuota || !refused && !(harmless && p.Status >= 500) {
			return 0, false
		}
		return max(wait, p.RetryAfter), true
	}
	var l *lost
	return wait, harmless && errors.As(err, &l)
}

// codeOverQuota is a refusal that waiting does not resolve.
const codeOverQuota = "over_quota"

// backoff is the wait after an attempt: it doubles each time and is partly random, so that
// clients do not retry in step.
func (c *Client) backoff(attempt int) time.Duration {
	wait := c.o.MinWait << min(attempt-1, 20)
	if wait > c.o.MaxWait || wait <= 0 {
		wait = c.o.MaxWait
	}
	return wait/2 + rand.N(wait/2+1)
}

// sleep waits, or returns when ctx ends.
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
	_, _ = w.Write(body) // memory accepts everything
	_ = w.Close()
	return b.Bytes()
}
