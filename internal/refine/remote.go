package refine

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
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
	// BaseURL is what /chat/completions is appended to, such as
	// http://localhost:11434/v1.
	BaseURL string
	// Model is the server's name of the model.
	Model string
	// Key is sent as a bearer token, if there is one. It is never part of an error.
	Key Key

	// MaxConcurrent is the maximum number of concurrent requests. 0 means 4.
	MaxConcurrent int
	// Timeout is the timeout of one request. 0 means 2 minutes.
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
const maxAnswer = 1 << 20

// server returns the connection options.
func (o *Options) server() remote.Options {
	timeout := o.Timeout
	if timeout == 0 {
		timeout = 2 * time.Minute // a model on a small machine is slow
	}
	return remote.Options{
		Service: "the language model", BaseURL: o.BaseURL, Path: "/chat/completions", Key: o.Key,
		Refused: "check the model", Unavailable: fault.NoRefiner, MaxAnswer: maxAnswer,
		MaxConcurrent: o.MaxConcurrent, Timeout: timeout, Retries: o.Retries, Breaker: o.Breaker,
		HTTPClient: o.HTTPClient, Now: o.Now, Sleep: o.Sleep, Random: o.Random,
	}
}

// Remote requests chat completions from a server: POST {base}/chat/completions, as defined by
// OpenAI and implemented by Ollama, vLLM and the server of llama.cpp.
//
// It retries transient failures with backoff. A circuit breaker pauses requests to a server
// that keeps failing. If the server refuses a request, or the model answers in another form, a
// harmless request shows whether the content was the cause.
type Remote struct {
	model  string
	server *remote.Client
	proven atomic.Bool // the model has answered in the right form
	loose  atomic.Bool // the server does not support the JSON format
}

var _ Refiner = (*Remote)(nil)

// NewRemote returns a Remote. It sends nothing yet.
func NewRemote(o Options) (*Remote, error) {
	server := o.server()
	problems := server.Problems()
	if o.Model == "" {
		problems = append(problems, "Model must be set")
	}
	if len(problems) > 0 {
		return nil, fault.New(fault.InvalidArgument, "refiner: "+strings.Join(problems, "; "))
	}
	return &Remote{model: o.Model, server: remote.New(server)}, nil
}

// Name is the name of the model.
func (r *Remote) Name() string { return r.model }

// Close closes idle connections.
func (r *Remote) Close() { r.server.Close() }

// harmless is a prompt that every model can answer.
var harmless = Prompt{
	Task: task,
	Data: `{"type":"decision_policy","title":"What follows open_file","summary":"read_file followed 12 of 12 times","content":{"condition":"after open_file","recommendation":"read_file"}}`,
}

// Refine returns the model's title and summary. If the server and the model work and only this
// prompt failed, the error has the code invalid_argument; otherwise refiner_unavailable or
// canceled.
func (r *Remote) Refine(ctx context.Context, p Prompt) (Text, error) {
	answer, t := r.complete(ctx, p, false)
	if t != nil {
		if !t.MayBeRequest() {
			return Text{}, t.OfServer()
		}
		_, probe := r.complete(ctx, harmless, true)
		if counts := r.server.Judge(t, probe); counts != nil {
			return Text{}, counts.OfServer()
		}
		return Text{}, t.OfRequest("leave it as it is; the model takes others")
	}
	text, err := Parse(answer)
	switch {
	case err == nil:
		r.proven.Store(true)
	case !r.proven.Load():
		return Text{}, r.prove(ctx, err)
	}
	return text, err
}

// prove checks whether the model can answer in the right form. It returns the error to report.
func (r *Remote) prove(ctx context.Context, err error) error {
	answer, t := r.complete(ctx, harmless, false)
	if t != nil {
		return t.OfServer()
	}
	if _, also := Parse(answer); also != nil {
		return fault.Newf(fault.NoRefiner, "%s does not answer as it is asked to, not even when that is easy: %w", r.server.At(), also).
			WithFix("use a model that can answer with JSON")
	}
	r.proven.Store(true)
	return err
}

// complete returns a model's answer, with retries unless once is set. If the server does not
// support the JSON format, it is not requested from then on.
func (r *Remote) complete(ctx context.Context, p Prompt, once bool) (answer string, t *remote.Trouble) {
	take := r.taker(&answer)
	loose := r.loose.Load()
	if body := r.question(p, loose); once {
		t = r.server.Attempt(ctx, body, take)
	} else {
		t = r.server.Try(ctx, body, true, take)
	}
	if t == nil || loose || !t.Refused() {
		return answer, t
	}
	if r.server.Attempt(ctx, r.question(p, true), take) != nil {
		return "", t
	}
	r.loose.Store(true)
	return answer, nil
}

// question is the body of a request. It sets neither temperature nor length: some servers
// refuse what others require.
type question struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
	Format   *format   `json:"response_format,omitempty"`
	Stream   bool      `json:"stream"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type format struct {
	Type string `json:"type"`
}

// question returns the body of a request, with the JSON format unless loose is set.
func (r *Remote) question(p Prompt, loose bool) []byte {
	q := question{Model: r.model, Messages: []message{{"system", p.Task}, {"user", p.Data}}}
	if !loose {
		q.Format = &format{"json_object"}
	}
	body, err := json.Marshal(q)
	if err != nil {
		panic("refine: strings can always be written: " + err.Error())
	}
	return body
}

// taker returns the function that decodes the server's answer.
func (r *Remote) taker(answer *string) remote.Take {
	return func(body []byte) *remote.Trouble {
		var a struct {
			Choices []struct {
				Message struct {
					Content *string `json:"content"`
				} `json:"message"`
			} `json:"choices"`
		}
		if err := json.Unmarshal(body, &a); err != nil {
			return r.server.Nonsense("answered with something else than a completion", err)
		}
		if len(a.Choices) == 0 {
			did := "answered without a choice"
			if words := r.server.Words(body); words != "" {
				did += ": " + words
			}
			return r.server.Nonsense(did, nil)
		}
		*answer = ""
		if c := a.Choices[0].Message.Content; c != nil {
			*answer = *c
		}
		return nil
	}
}
