package embed

import (
	"context"
	"fmt"
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

// Options says how to reach a server for embeddings. BaseURL and Model must be set;
// the zero value of the rest works.
type Options struct {
	// BaseURL is what /embeddings is appended to, such as http://localhost:11434/v1.
	BaseURL string
	// Model is the name that the server knows the model by.
	Model string
	// Key is sent as a bearer token, if there is one. It is never part of an error.
	Key Key
	// Dimensions is how many numbers each vector must have. 0 takes what the first
	// answer has.
	Dimensions int
	// Shorten asks the server for vectors of Dimensions. Not every server and model
	// can do that, and some refuse a request that asks for it.
	Shorten bool

	// Batch is how many texts one request has at most. 0 means 64.
	Batch int
	// BatchBytes is how long the texts of one request may be together; a longer text
	// goes alone. 0 means 256 KiB.
	BatchBytes int
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

// Breaker says when a server that fails is left alone.
type Breaker struct {
	// Failures in a row open it. 0 means 5.
	Failures int
	// Open is how long no request is sent. After that, one is, and what comes of it
	// decides. 0 means 30 seconds.
	Open time.Duration
}

// maxAnswer is how long an answer may be, in bytes.
const maxAnswer = 64 << 20

// Waits between attempts double from the first to the last. A server may ask for a
// longer one, up to longestWait; if it asks for more, it is not asked again.
const (
	firstWait   = 250 * time.Millisecond
	lastWait    = 8 * time.Second
	longestWait = 30 * time.Second
)

// Validate reports every problem of the options at once.
func (o *Options) Validate() error {
	var problems []string
	problem := func(field, format string, args ...any) {
		problems = append(problems, field+" "+fmt.Sprintf(format, args...))
	}
	switch u, err := url.Parse(o.BaseURL); {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		problem("BaseURL", "must be an address such as http://localhost:11434/v1")
	case u.User != nil:
		problem("BaseURL", "must have no name and password; use Key")
	case u.RawQuery != "" || u.Fragment != "":
		problem("BaseURL", "must have no query and no fragment")
	}
	if o.Model == "" {
		problem("Model", "must be set")
	}
	if strings.ContainsFunc(string(o.Key), func(r rune) bool { return r <= ' ' || r > '~' }) {
		problem("Key", "must be of visible ASCII characters without spaces")
	}
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"Dimensions", int64(o.Dimensions)}, {"Batch", int64(o.Batch)}, {"BatchBytes", int64(o.BatchBytes)}, {"MaxConcurrent", int64(o.MaxConcurrent)},
		{"Timeout", int64(o.Timeout)}, {"Breaker.Failures", int64(o.Breaker.Failures)}, {"Breaker.Open", int64(o.Breaker.Open)},
	} {
		if f.value < 0 {
			problem(f.name, "must not be negative")
		}
	}
	if o.Shorten && o.Dimensions == 0 {
		problem("Shorten", "needs Dimensions")
	}
	if len(problems) == 0 {
		return nil
	}
	return fault.New(fault.InvalidArgument, "embedder: "+strings.Join(problems, "; "))
}

// withDefaults returns the options with nothing left open.
func (o Options) withDefaults() Options {
	orElse(&o.Batch, 64)
	orElse(&o.BatchBytes, 256<<10)
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
