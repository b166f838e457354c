package embed

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/remote"
)

// Remote requests vectors from a server: POST {base}/embeddings, as defined by OpenAI and
// implemented by Ollama, vLLM and the server of llama.cpp.
//
// It retries transient failures with backoff. A circuit breaker pauses requests to a server
// that keeps failing. A batch that the server refuses is halved until the refused texts are
// isolated, so that the others get their vectors.
type Remote struct {
	options    Options // without the key
	server     *remote.Client
	dimensions atomic.Int64
}

var _ Provider = (*Remote)(nil)

// NewRemote returns a Remote. It sends nothing yet.
func NewRemote(o Options) (*Remote, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r := &Remote{server: remote.New(o.server())}
	o.Key = "" // printing a Remote never shows it
	if o.Batch == 0 {
		o.Batch = 64
	}
	if o.BatchBytes == 0 {
		o.BatchBytes = 256 << 10
	}
	r.options = o
	r.dimensions.Store(int64(o.Dimensions))
	return r, nil
}

// Name is the name of the model.
func (r *Remote) Name() string { return r.options.Model }

// Dimensions is that of the options, or of the first vector, or 0 before that.
func (r *Remote) Dimensions() int { return int(r.dimensions.Load()) }

// Close closes idle connections.
func (r *Remote) Close() { r.server.Close() }

// EmbedBatch returns one result for each text, in order. A text that is blank, that the server
// refuses, or that gets no valid vector has an error with the code invalid_argument. If some
// text has no vector for another reason, the first such error is returned as well.
func (r *Remote) EmbedBatch(ctx context.Context, texts []string) ([]Result, error) {
	results := make([]Result, len(texts))
	batches := r.batches(texts, results)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(len(batches), r.server.MaxConcurrent()) {
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

// batch is the texts of one request.
type batch struct {
	texts   []string
	results []*Result
}

func (b batch) half() (first, second batch) {
	n := len(b.texts) / 2
	return batch{b.texts[:n], b.results[:n]}, batch{b.texts[n:], b.results[n:]}
}

// set sets the same error for all texts of the batch.
func (b batch) set(err error) {
	for _, result := range b.results {
		result.Err = err
	}
}

// batches groups the texts into requests. Blank ones get their result immediately: servers
// refuse them.
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

// harmless is a text that every model can embed.
const harmless = "hello"

// fill gets the results of a batch. If the server refuses it, a harmless text shows whether the
// texts or the server are the cause.
func (r *Remote) fill(ctx context.Context, b batch) {
	t := r.try(ctx, b, true)
	if t == nil {
		return
	}
	if t.MayBeRequest() {
		var result Result
		harmless := batch{[]string{harmless}, []*Result{&result}}
		probe := r.server.Attempt(ctx, r.question(harmless), r.taker(harmless))
		counts := r.server.Judge(t, probe)
		if counts == nil {
			r.split(ctx, b, t)
			return
		}
		t = counts
	}
	b.set(t.OfServer())
}

// split gets the results of a batch that the server refused, though it works.
func (r *Remote) split(ctx context.Context, b batch, t *remote.Trouble) {
	if len(b.texts) == 1 {
		b.set(t.OfRequest("shorten the text or leave it out; the service takes others"))
		return
	}
	first, second := b.half()
	for _, half := range []batch{first, second} {
		switch t := r.try(ctx, half, false); {
		case t == nil:
		case t.MayBeRequest():
			r.split(ctx, half, t)
		default:
			half.set(t.OfServer())
		}
	}
}

// try sends a batch until there is an answer or retrying is pointless. With breakdowns, it also
// retries after those.
func (r *Remote) try(ctx context.Context, b batch, breakdowns bool) *remote.Trouble {
	return r.server.Try(ctx, r.question(b), breakdowns, r.taker(b))
}

// taker returns the function that decodes the answer for a batch.
func (r *Remote) taker(b batch) remote.Take {
	return func(answer []byte) *remote.Trouble { return r.take(answer, b) }
}

// question returns the body of a request.
func (r *Remote) question(b batch) []byte {
	q := question{Model: r.options.Model, Input: b.texts, EncodingFormat: "float"}
	if r.options.Shorten {
		q.Dimensions = r.options.Dimensions
	}
	body, err := json.Marshal(q)
	if err != nil {
		panic("embed: strings and numbers can always be written: " + err.Error())
	}
	return body
}

// question is the body of a request.
type question struct {
	Model          string   `json:"model"`
	Input          []string `json:"input"`
	EncodingFormat string   `json:"encoding_format"`
	Dimensions     int      `json:"dimensions,omitempty"`
}
