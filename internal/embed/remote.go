package embed

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"lukasa.dev/internal/fault"
)

// Remote asks a server for vectors: POST {base}/embeddings, as OpenAI defines it and
// Ollama, vLLM and the server of llama.cpp speak it.
//
// A request that fails in a way that may pass is sent again, later and later. A
// server that keeps failing is left alone for a while. A batch that the server does
// not take is halved until the texts that it does not take are alone, so that they
// do not cost the others their vectors.
type Remote struct {
	options    Options // without the key
	endpoint   string
	client     *http.Client
	authorize  func(*http.Request)
	redact     func(string) string
	dimensions atomic.Int64
	slots      chan struct{}
	breaker    breaker
}

var _ Provider = (*Remote)(nil)

// NewRemote returns a Remote. It sends nothing yet.
func NewRemote(o Options) (*Remote, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	// The key is in two functions and nowhere else, so that no way of printing a
	// Remote shows it.
	key := string(o.Key)
	o.Key = ""
	client := *o.HTTPClient
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r := &Remote{
		options:  o,
		endpoint: strings.TrimRight(o.BaseURL, "/") + "/embeddings",
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
	r.dimensions.Store(int64(o.Dimensions))
	return r, nil
}

// Name is the name of the model.
func (r *Remote) Name() string { return r.options.Model }

// Dimensions is what the options say, or what the first vector had, or 0 before
// that.
func (r *Remote) Dimensions() int { return int(r.dimensions.Load()) }

// Close lets go of connections that nobody uses.
func (r *Remote) Close() { r.client.CloseIdleConnections() }

// EmbedBatch returns one result for each text, in order. A text that is blank, that
// the server refuses, or for which it has no sound vector, has an error of code
// invalid_argument. If some text has no vector for another reason, the first such
// error is returned too.
func (r *Remote) EmbedBatch(ctx context.Context, texts []string) ([]Result, error) {
	results := make([]Result, len(texts))
	batches := r.batches(texts, results)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(len(batches), r.options.MaxConcurrent) {
		workers.Go(func() {
			for {
				n := int(next.Add(1)) - 1
				if n >= len(batches) {
					return
				}
				r.fill(ctx, batches[n])
			}
		})
	}
	workers.Wait()
	for i := range results {
		if err := results[i].Err; err != nil && fault.CodeOf(err) != fault.InvalidArgument {
			return results, err
		}
	}
	return results, nil
}

// batch is what one request is about.
type batch struct {
	texts   []string
	results []*Result
}

func (b batch) half() (first, second batch) {
	n := len(b.texts) / 2
	return batch{b.texts[:n], b.results[:n]}, batch{b.texts[n:], b.results[n:]}
}

// set gives all texts of the batch the same error.
func (b batch) set(err error) {
	for _, result := range b.results {
		result.Err = err
	}
}

// batches sorts the texts into requests. Blank ones have their result at once: there
// is nothing in them, and servers refuse them.
func (r *Remote) batches(texts []string, results []Result) []batch {
	var all []batch
	var last batch
	bytes := 0
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			results[i].Err = fault.New(fault.InvalidArgument, "text must not be blank").WithFix("leave it out: there is nothing to make a vector of")
			continue
		}
		if n := len(last.texts); n == r.options.Batch || n > 0 && bytes+len(text) > r.options.BatchBytes {
			all = append(all, last)
			last, bytes = batch{}, 0
		}
		last.texts = append(last.texts, text)
		last.results = append(last.results, &results[i])
		bytes += len(text)
	}
	if len(last.texts) > 0 {
		all = append(all, last)
	}
	return all
}

// harmless is a text that every model can make a vector of.
const harmless = "hello"

// fill gets the results of a batch. When the server does not take it, a harmless
// text shows whether that is due to the texts or to the server.
func (r *Remote) fill(ctx context.Context, b batch) {
	t := r.try(ctx, b, true)
	if t == nil {
		return
	}
	if t.mayBeTexts() {
		var result Result
		probe := r.attempt(ctx, batch{[]string{harmless}, []*Result{&result}})
		if probe == nil {
			r.split(ctx, b, t)
			return
		}
		if v := probe.verdict(); t.kind == breakdown && (v == ill || v == undecided) {
			r.breaker.blame(1 + max(r.options.Retries, 0)) // those were failures of the server after all
		}
		if probe.kind == canceled {
			t = probe
		}
	}
	b.set(t.ofServer())
}

// split gets the results of a batch that the server did not take, though it works.
func (r *Remote) split(ctx context.Context, b batch, t *trouble) {
	if len(b.texts) == 1 {
		b.set(t.ofText())
		return
	}
	first, second := b.half()
	for _, half := range []batch{first, second} {
		switch t := r.try(ctx, half, false); {
		case t == nil:
		case t.mayBeTexts():
			r.split(ctx, half, t)
		default:
			half.set(t.ofServer())
		}
	}
}

// try makes attempts until one succeeds or there is no point in another. With
// breakdowns, it tries again after those too.
func (r *Remote) try(ctx context.Context, b batch, breakdowns bool) *trouble {
	for n := 0; ; n++ {
		t := r.attempt(ctx, b)
		if t == nil || !t.mayPass(breakdowns) || n >= r.options.Retries || t.wait > longestWait {
			return t
		}
		if err := r.options.Sleep(ctx, max(t.wait, r.backoff(n))); err != nil {
			return r.gaveUp(ctx, err)
		}
	}
}

// backoff returns how long to wait after failure n: twice as long each time, of which
// a random part of up to a half is left out.
func (r *Remote) backoff(n int) time.Duration {
	wait := lastWait
	if n < 16 {
		wait = min(wait, firstWait<<n)
	}
	return wait - time.Duration(r.options.Random()*float64(wait/2))
}

// attempt sends one request, if there is room and the breaker allows it.
func (r *Remote) attempt(ctx context.Context, b batch) *trouble {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return r.gaveUp(ctx, ctx.Err())
	}
	if err := ctx.Err(); err != nil {
		return r.gaveUp(ctx, err)
	}
	p, ok := r.breaker.enter()
	if !ok {
		return &trouble{kind: shut, detail: r.at() + " has failed several times and is left alone for a while"}
	}
	v := unknown
	defer func() { r.breaker.leave(p, v) }() // even if the client panics
	t := r.ask(ctx, b)
	v = t.verdict()
	return t
}

// at names the server.
func (r *Remote) at() string { return "the embedding service at " + r.options.BaseURL }
