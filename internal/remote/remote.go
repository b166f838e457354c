// Package remote is a client of external servers: it sends one JSON document with POST and
// receives another.
//
// Guarantees: transient failures are retried with backoff, with the wait that the server
// requests, and at most as often as the options say. A circuit breaker pauses requests to a
// server that keeps failing. No call outlasts its context, no request its timeout, and no more
// of an answer is read than the limit. Redirects are not followed. The key is sent as a bearer
// token and is in no error, whatever the server or the transport return. A [Client] is safe for
// concurrent use.
//
// It does not know the meaning of requests, judge answers, or decide whether the content of a
// request caused a failure. The caller does, with the [Trouble] that it gets.
package remote

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// Client is a client of one server.
type Client struct {
	options   Options // without the key
	endpoint  string
	client    *http.Client
	authorize func(*http.Request)
	redact    func(string) string
	slots     chan struct{}
	breaker   breaker
	last      atomic.Pointer[string] // what the server did at its last failure
}

// New returns a Client. It sends nothing yet. The options must have no [Options.Problems].
func New(o Options) *Client {
	o = o.withDefaults()
	// Only two closures have the key, so that printing a Client never shows it.
	key := string(o.Key)
	o.Key = ""
	client := *o.HTTPClient
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{
		options:  o,
		endpoint: strings.TrimRight(o.BaseURL, "/") + o.Path,
		client:   &client,
		authorize: func(request *http.Request) {
			if key != "" {
				request.Header.Set("Authorization", "Bearer "+key)
			}
		},
		redact: func(text string) string {
			if key == "" {
				return text
			}
			return strings.ReplaceAll(text, key, hiddenKey)
		},
		slots:   make(chan struct{}, o.MaxConcurrent),
		breaker: breaker{limit: o.Breaker.Failures, open: o.Breaker.Open, now: o.Now},
	}
}

// Close closes idle connections.
func (c *Client) Close() { c.client.CloseIdleConnections() }

// MaxConcurrent is the maximum number of concurrent requests.
func (c *Client) MaxConcurrent() int { return c.options.MaxConcurrent }

// At names the server, for errors.
func (c *Client) At() string { return c.options.Service + " at " + c.options.BaseURL }

// Take decodes an answer, or returns what is wrong with it, see [Client.Nonsense].
type Take func(answer []byte) *Trouble

// Try makes attempts until one succeeds or a retry is pointless. With breakdowns, it also
// retries after those.
func (c *Client) Try(ctx context.Context, body []byte, breakdowns bool, take Take) *Trouble {
	for n := 0; ; n++ {
		t := c.Attempt(ctx, body, take)
		if t == nil || !t.mayPass(breakdowns) || n >= c.options.Retries || t.wait > longestWait {
			return t
		}
		if err := c.options.Sleep(ctx, max(t.wait, c.backoff(n))); err != nil {
			return c.gaveUp(ctx, err)
		}
	}
}

// backoff returns how long to wait after failure n: it doubles each time, minus a random part
// of up to a half.
func (c *Client) backoff(n int) time.Duration {
	wait := lastWait
	if n < 16 {
		wait = min(wait, firstWait<<n)
	}
	return wait - time.Duration(c.options.Random()*float64(wait/2))
}

// Attempt sends one request, once there is a slot and if the breaker allows it.
func (c *Client) Attempt(ctx context.Context, body []byte, take Take) *Trouble {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return c.gaveUp(ctx, ctx.Err())
	}
	if err := ctx.Err(); err != nil {
		return c.gaveUp(ctx, err)
	}
	p, ok := c.breaker.enter()
	if !ok {
		did := "has failed several times and is left alone for a while"
		if last := c.last.Load(); last != nil {
			did += "; at last it " + *last
		}
		return c.trouble(shut, did, nil)
	}
	v := unknown
	defer func() { c.breaker.leave(p, v) }() // even if the client panics
	t := c.ask(ctx, body, take)
	if v = t.verdict(); v == ill || v == undecided {
		did := strings.TrimPrefix(t.detail, c.At()+" ")
		c.last.Store(&did)
	}
	return t
}

// Judge evaluates a probe that only shows whether the server works, after another request
// failed in all its attempts. It returns the trouble to report, or nil if the server works, so
// that the other request is the cause.
func (c *Client) Judge(t, probe *Trouble) *Trouble {
	if probe == nil {
		return nil
	}
	if v := probe.verdict(); t.kind == breakdown && (v == ill || v == undecided) {
		c.breaker.blame(1 + max(c.options.Retries, 0)) // those were failures of the server after all
	}
	if probe.kind == canceled {
		return probe
	}
	return t
}
