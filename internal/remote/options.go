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

// Key is a secret that a server wants to see. It does not print itself.
type Key string

const hiddenKey = "[key]"

// String returns a word that stands for the key.
func (Key) String() string { return hiddenKey }

// GoString returns a word that stands for the key.
func (Key) GoString() string { return hiddenKey }

// MarshalText returns a word that stands for the key.
func (Key) MarshalText() ([]byte, error) { return []byte(hiddenKey), nil }

// Breaker says when a server that fails is left alone.
type Breaker struct {
	// Failures in a row open it. 0 means 5.
	Failures int
	// Open is how long no request is sent. After that, one is, and what comes of it
	// decides. 0 means 30 seconds.
	Open time.Duration
}

// Options says how to reach a server. Service, BaseURL, Path, MaxAnswer and
// Unavailable must be set; the zero value of the rest works.
type Options struct {
	// Service is what the server is called in errors, such as "the embedding service".
	Service string
	// BaseURL is what Path is appended to, such as http://localhost:11434/v1.
	BaseURL string
	// Path is where requests go, such as /embeddings.
	Path string
	// Key is sent as a bearer token, if there is one. It is never part of an error.
	Key Key
	// Refused says what to check when the server takes no request at all.
	Refused string
	// Unavailable is the code of errors that are the server's, or of how it is set up.
	Unavailable fault.Code
	// MaxAnswer is how long an answer may be, in bytes.
	MaxAnswer int64

	// MaxConcurrent is how many requests are under way at once. 0 means 4.
	MaxConcurrent int
	// Timeout is how long one request may take. 0 means 10 seconds.
	Timeout time.Duration
	// Retries is how often a request is sent again after a failure that may pass. 0
	// means 3; below 0 means never.
	Retries int
	// Breaker says when the server is left alone.
	Breaker Breaker

	// HTTPClient sends the requests. Redirects are not followed, whatever it says.
	// nil means one of its own.
	HTTPClient *http.Client
	// Now tells the time. nil means time.Now.
	Now func() time.Time
	// Sleep waits, or returns why the context ended. nil means a timer.
	Sleep func(context.Context, time.Duration) error
	// Random returns a number from 0 up to 1, so that many clients do not come back
	// at the same moment. nil means math/rand.
	Random func() float64
}

// Waits between attempts double from the first to the last. A server may ask for a
// longer one, up to longestWait; if it asks for more, it is not asked again.
const (
	firstWait   = 250 * time.Millisecond
	lastWait    = 8 * time.Second
	longestWait = 30 * time.Second
)

// Problems returns what is wrong with the options that callers of the program set,
// each beginning with the name of its field.
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

// withDefaults returns the options with nothing left open.
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
		return &http.Client{} // someone has replaced it, and knows why
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
