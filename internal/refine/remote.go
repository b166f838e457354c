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

// Key is a secret that a server wants to see. It does not print itself.
type Key = remote.Key

// Breaker says when a server that fails is left alone.
type Breaker = remote.Breaker

// Options says how to reach a server. BaseURL and Model must be set; the zero value of
// the rest works.
type Options struct {
	// BaseURL is what /chat/completions is appended to, such as
	// http://localhost:11434/v1.
	BaseURL string
	// Model is the name that the server knows the model by.
	Model string
	// Key is sent as a bearer token, if there is one. It is never part of an error.
	Key Key

	// MaxConcurrent is how many requests are under way at once. 0 means 4.
	MaxConcurrent int
	// Timeout is how long one request may take. 0 means 2 minutes.
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
const maxAnswer = 1 << 20

// server returns how the server is reached.
func (o *Options) server() remote.Options {
	timeout := o.Timeout
	if timeout == 0 {
		timeout = 2 * time.Minute // a model on a small machine takes its time
	}
	return remote.Options{
		Service: "the language model", BaseURL: o.BaseURL, Path: "/chat/completions", Key: o.Key,
		Refused: "check the model", Unavailable: fault.NoRefiner, MaxAnswer: maxAnswer,
		MaxConcurrent: o.MaxConcurrent, Timeout: timeout, Retries: o.Retries, Breaker: o.Breaker,
		HTTPClient: o.HTTPClient, Now: o.Now, Sleep: o.Sleep, Random: o.Random,
	}
}

// Remote asks a server for completions of a chat: POST {base}/chat/completions, as
// OpenAI defines it and Ollama, vLLM and the server of llama.cpp speak it.
//
// A request that fails in a way that may pass is sent again, later and later. A server
// that keeps failing is left alone for a while. When the server does not take a request,
// or the model answers with something else than was asked for, a harmless request shows
// whether that is due to what was in it.
type Remote struct {
	model  string
	server *remote.Client
	proven atomic.Bool // the model has answered as it was asked to
	loose  atomic.Bool // the server does not take a wish for JSON
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

// Close lets go of connections that nobody uses.
func (r *Remote) Close() { r.server.Close() }

// harmless is what every model can make a title of.
var harmless = Prompt{
	Task: task,
	Data: `{"type":"decision_policy","title":"What follows open_file","summary":"read_file followed 12 of 12 times","content":{"condition":"after open_file","recommendation":"read_file"}}`,
}

// Refine returns the title and the summary that the model answers with. If the server
// or the model is able to answer and did not do so here, the error has the code
// invalid_argument; otherwise refiner_unavailable or canceled.
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

// prove finds out whether the model can answer as it is asked to. It returns the error
// that counts.
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

// complete gets what a model answers, with as many attempts as it takes, or with one. A
// server that does not take the wish for JSON is asked without it from then on.
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

// question is what a server is asked. Nothing is said of temperature and length: some
// servers refuse what others want.
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

// question returns the body of a request, with the wish for JSON unless it is loose.
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

// taker returns who takes the answer of a server.
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
