package embed

import (
	"context"
	"net/http"
	"strings"
	"time"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/remote"
)

// Key is an API key. It does not print itself.
type Key = remote.Key

// Breaker configures the circuit breaker for a failing server.
type Breaker = remote.Breaker

// Options configures a Remote. BaseURL and Model are required; the zero value of the rest
// works.
type Options struct {
	// BaseURL is what /embeddings is appended to, such as http://localhost:11434/v1.
	BaseURL string
	// Model is the server's name of the model.
	Model string
	// Key is sent as a bearer token, if there is one. It is never part of an error.
	Key Key
	// Dimensions is the required length of vectors. 0 means that of the first answer.
	Dimensions int
	// Shorten requests vectors of Dimensions from the server. Not every server and model
	// supports that, and some refuse the request.
	Shorten bool

	// Batch is the maximum number of texts in one request. 0 means 64.
	Batch int
	// BatchBytes is the maximum total length of the texts in one request; a longer text is sent
	// alone. 0 means 256 KiB.
	BatchBytes int
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

// maxAnswer is the maximum size of an answer, in bytes.
const maxAnswer = 64 << 20

// Validate reports every problem of the options at once.
func (o *Options) Validate() error {
	server := o.server()
	problems := server.Problems()
	problem := func(field, rule string) { problems = append(problems, field+" "+rule) }
	if o.Model == "" {
		problem("Model", "must be set")
	}
	for _, f := range []struct {
		name  string
		value int
	}{{"Dimensions", o.Dimensions}, {"Batch", o.Batch}, {"BatchBytes", o.BatchBytes}} {
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

// server returns the connection options.
func (o *Options) server() remote.Options {
	return remote.Options{
		Service: "the embedding service", BaseURL: o.BaseURL, Path: "/embeddings", Key: o.Key,
		Refused: "check the model, and whether it can shorten vectors", Unavailable: fault.NoEmbedder, MaxAnswer: maxAnswer,
		MaxConcurrent: o.MaxConcurrent, Timeout: o.Timeout, Retries: o.Retries, Breaker: o.Breaker,
		HTTPClient: o.HTTPClient, Now: o.Now, Sleep: o.Sleep, Random: o.Random,
	}
}
