package remote

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"lukasa.dev/internal/fault"
)

// Key is an API key. It does not print itself.
type Key string

const hiddenKey = "[key]"

// String returns a placeholder.
func (Key) String() string { return hiddenKey }

// GoString returns a placeholder.
func (Key) GoString() string { return hiddenKey }

// MarshalText returns a placeholder.
func (Key) MarshalText() ([]byte, error) { return []byte(hiddenKey), nil }

// Breaker configures a circuit breaker.
type Breaker struct {
	// Failures is the number of consecutive failures that open it. 0 means 5.
	Failures int
	// Open is how long no request is sent. After that, one request decides. 0 means 30 seconds.
	Open time.Duration
}

// Options configures a client. Service, BaseURL, Path, MaxAnswer and Unavailable are required;
// the zero value of the rest works.
type Options struct {
	// Service names the server in errors, such as "the embedding service".
	Service string
	// BaseURL is what Path is appended to, such as http://localhost:11434/v1.
	BaseURL string
	// Path is the path of requests, such as /embeddings.
	Path string
	// Key is sent as a bearer token, if there is one. It is never part of an error.
	Key Key
	// Refused says what to check if the server refuses every request.
	Refused string
	// Unavailable is the code of errors of the server or its configuration.
	Unavailable fault.Code
	// MaxAnswer is the maximum size of an answer, in bytes.
	MaxAnswer int64

	// MaxConcurrent is the maximum number of concurrent requests. 0 means 4.
	MaxConcurrent int
	// Timeout is the timeout of one request. 0 means 10 seconds.
	Timeout time.Duration
	// Retries is how often a request is retried after a transient failure. 0 means 3; a
	// negative value means never.
	Retries int
	// Breaker configures the circuit breaker.
	Breaker Breaker

	// HTTPClient sends the requests. Redirects are never followed. Nil means a new client.
	HTTPClient *http.Client
	// Now returns the time. Nil means time.Now.
	Now func() time.Time
	// Sleep waits, or returns the error of the context. Nil means a timer.
	Sleep func(context.Context, time.Duration) error
	// Random returns a number in [0, 1), so that clients do not retry in step. Nil means
	// math/rand.
	Random func() float64
}

// Waits between attempts double from the first to the last. A server may request a longer one,
// up to longestWait; if it requests more, there is no retry.
const (
	firstWait   = 250 * time.Millisecond
	lastWait    = 8 * time.Second
	longestWait = 30 * time.Second
)

// Problems returns what is wrong with the options that users of the program set, each beginning
// with the name of its field.
func (o *Options) Problems() (problems []string) {
	problem := func(field, rule string) { problems = append(problems, field+" "+rule) }
	switch u, err := url.Parse(o.BaseURL); {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		problem("BaseURL", "must be an address such as http://localhost:11434/v1")
	case u.User != nil:
		problem("BaseURL", "must have no name and password; use Key")
	case u.RawQuery != "" || u.Fragment != "":
		problem("BaseURL", "must have no query and no fragment")
	}
	if strings.ContainsFunc(string(o.Key), func(r rune) bool { return r <= ' ' || r > '~' }) {
		problem("Key", "must be of visible ASCII characters without spaces")
	}
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"MaxConcurrent", int64(o.MaxConcurrent)}, {"Timeout", int64(o.Timeout)},
		{"Breaker.Failures", int64(o.Breaker.Failures)}, {"Breaker.Open", int64(o.Breaker.Open)},
	} {
		if f.value < 0 {
			problem(f.name, "must not be negative")
		}
	}
	return problems
}

// withDefaults returns the options with defaults filled in.
func (o Options) withDefaults() Options {
	orElse(&o.MaxConcurrent, 4)
	orElse(&o.Timeout, 10*time.Second)
	orElse(&o.Retries, 3)
	orElse(&o.Breaker.Failures, 5)
	orElse(&o.Breaker.Open, 30*time.Second)
	if o.HTTPClient == nil {
		o.HTTPClient = newClient(o.MaxConcurrent)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	return o
}

func orElse[T comparable](value *T, standard T) {
	var zero T
	if *value == zero {
		*value = standard
	}
}

// newClient returns a client that keeps as many connections as there may be requests.
func newClient(connections int) *http.Client {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return &http.Client{} // it was replaced on purpose
	}
	transport = transport.Clone()
	transport.MaxIdleConnsPerHost = connections
	return &http.Client{Transport: transport}
}

// sleep waits.
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
