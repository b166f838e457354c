// Package remote asks servers outside the program: one JSON document is sent with
// POST, another comes back.
//
// Guarantees: a request that fails in a way that may pass is sent again, later and
// later, as long as the server asks for, and no more often than the options say. A
// server that keeps failing is left alone for a while. No call outlasts its context,
// no request its timeout, and of an answer no more is read than may come. Redirects
// are not followed. The key is sent as a bearer token and is in no error, whatever the
// server or the transport say. A [Client] may be used by many goroutines at once.
//
// It does not: know what is asked, judge an answer, or decide whether a failure was due
// to what a request said. Its caller does, with the [Trouble] that it is told.
package remote

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// Client asks one server.
type Client struct {
	options   Options // without the key
	endpoint  string
	client    *http.Client
	authorize func(*http.Request)
	redact    func(string) string
	slots     chan struct{}
	breaker   breaker
	last      atomic.Pointer[string] // what the server did when it failed last
}

// New returns a Client. It sends nothing yet. The options must have no [Options.Problems].
func New(o Options) *Client {
	o = o.withDefaults()
	// The key is in two functions and nowhere else, so that no way of printing a
	// Client shows it.
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

// Close lets go of connections that nobody uses.
func (c *Client) Close() { c.client.CloseIdleConnections() }

// MaxConcurrent is how many requests may be under way at once.
func (c *Client) MaxConcurrent() int { return c.options.MaxConcurrent }

// At names the server, for errors.
func (c *Client) At() string { return c.options.Service + " at " + c.options.BaseURL }

// Take reads an answer, or says what is wrong with it, see [Client.Nonsense].
type Take func(answer []byte) *Trouble

// Try makes attempts until one succeeds or there is no point in another. With
// breakdowns, it tries again after those too.
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

// backoff returns how long to wait after failure n: twice as long each time, of which
// a random part of up to a half is left out.
func (c *Client) backoff(n int) time.Duration {
	wait := lastWait
	if n < 16 {
		wait = min(wait, firstWait<<n)
	}
	return wait - time.Duration(c.options.Random()*float64(wait/2))
}

// Attempt sends one request, if there is room and the breaker allows it.
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

// Judge says what came of a request that was only to show whether the server works,
// after another had trouble with it in all its attempts. It returns the trouble that
// counts, or nil if the server works, so that the other request is to blame.
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
