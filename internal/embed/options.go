package embed

import (
	"context"
	"net/http"
	"strings"
	"time"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/remote"
)

// Key is a secret that a server wants to see. It does not print itself.
type Key = remote.Key

// Breaker says when a server that fails is left alone.
type Breaker = remote.Breaker

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

// maxAnswer is how long an answer may be, in bytes.
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

// server returns how the server is reached.
func (o *Options) server() remote.Options {
	return remote.Options{
		Service: "the embedding service", BaseURL: o.BaseURL, Path: "/embeddings", Key: o.Key,
		Refused: "check the model, and whether it can shorten vectors", Unavailable: fault.NoEmbedder, MaxAnswer: maxAnswer,
		MaxConcurrent: o.MaxConcurrent, Timeout: o.Timeout, Retries: o.Retries, Breaker: o.Breaker,
		HTTPClient: o.HTTPClient, Now: o.Now, Sleep: o.Sleep, Random: o.Random,
	}
}
