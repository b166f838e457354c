package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/vector"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/recall"
)

// The limits on running and on abandoned calls of embedders. An abandoned call is one
// that its question no longer waits for and that has not returned. Beyond the limits
// no call is made; otherwise an embedder that never returns would hold a goroutine per
// question.
const (
	maxEmbedCalls = 64
	maxLeftCalls  = 4
)

// embedCalls are the calls of embedders by questions.
type embedCalls struct {
	mu      sync.Mutex
	running int
	left    int // of those that are running
}

// embedCall is one call of an embedder.
type embedCall struct {
	all         *embedCalls
	left, ended bool
}

// begin returns a call, or nil if there are too many.
func (c *embedCalls) begin() *embedCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running >= maxEmbedCalls || c.left >= maxLeftCalls {
		return nil
	}
	c.running++
	return &embedCall{all: c}
}

// leave marks the call as abandoned.
func (c *embedCall) leave() {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	if !c.ended {
		c.left = true
		c.all.left++
	}
}

// end says that the call has returned.
func (c *embedCall) end() {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	c.ended = true
	c.all.running--
	if c.left {
		c.all.left--
	}
}

// EmbedQuestion embeds the question of a search; see embed.
func (b *Retriever) EmbedQuestion(ctx context.Context, o *SearchOptions) (degraded []string, err error) {
	return o.embed(ctx, &b.embedCalls)
}

// embed has the question embedded, if there is an embedder and a use for it. A failure
// is described in words; it is an error only if the caller is gone.
func (o *SearchOptions) embed(ctx context.Context, calls *embedCalls) (degraded []string, err error) {
	if o.Embedder == nil || strings.TrimSpace(o.Query) == "" || o.Sources != 0 && o.Sources&recall.Meaning == 0 {
		return nil, nil
	}
	call := calls.begin()
	if call == nil {
		return []string{fmt.Sprintf("model %q is not asked, as earlier calls of models have not come back; the built-in model is used alone", o.Embedder.Name())}, nil
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(o.EmbedTimeout, DefaultEmbedTimeout))
	defer cancel()
	type answer struct {
		vector []float32
		err    error
	}
	// The embedder is foreign code, and may ignore its context.
	answered := make(chan answer, 1)
	go func(p embed.Provider, text string) {
		v, err := embedOne(limited, p, text)
		answered <- answer{v, err}
		call.end()
	}(o.Embedder, cutText(o.Query, MaxEmbedText))
	var a answer
	select {
	case a = <-answered:
	case <-limited.Done():
		a.err = limited.Err()
		call.leave()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	why := ""
	switch {
	case a.err != nil && limited.Err() != nil:
		why = fmt.Sprintf("did not answer within %v", cmp.Or(o.EmbedTimeout, DefaultEmbedTimeout))
	case a.err != nil:
		why = "has no vector of the question: " + fault.From(a.err).Error()
	default:
		o.Vector, o.Model = a.vector, o.Embedder.Name()
		if err := o.checkVector(); err == nil {
			return nil, nil
		}
		o.Vector, o.Model = nil, ""
		why = "has no usable vector of the question"
	}
	return []string{fmt.Sprintf("model %q %s; the built-in model is used alone", o.Embedder.Name(), why)}, nil
}

// open opens the vectors of the state. If there are no vectors to compare an embedded
// question with, it drops the vector and says so.
func (a *Question) open() (degraded []string, err error) {
	a.vectors = vector.Open(a.Reader, a.Tenant.Number, a.Tenant.Size, nil)
	if a.Options.Embedder == nil || a.Options.Vector == nil || a.Shown != nil {
		return nil, nil // with hidden documents the searcher decides; see builtinAlone
	}
	there, err := a.vectors.Has(a.Options.Model, len(a.Options.Vector))
	if err != nil || there {
		return nil, err
	}
	return []string{a.builtinAlone()}, nil
}

// builtinAlone drops the vector of the question, since there is nothing to compare it
// with, and returns the message.
func (a *Question) builtinAlone() string {
	why := fmt.Sprintf("there are no vectors of model %q with %d dimensions yet; the built-in model is used alone: `lukasa embed` makes them", a.Options.Model, len(a.Options.Vector))
	a.Options.Vector, a.Options.Model = nil, ""
	return why
}

// journaled returns the vector of a document by an external model, or nil if there is
// none on record.
func (a *Question) journaled(position uint64) ([]float32, error) {
	by, ok, err := a.vectors.Embedding(a.Options.Model, len(a.Options.Vector), position)
	if err != nil || !ok {
		return nil, err
	}
	rec, err := a.Record(by)
	if err != nil || rec == nil {
		return nil, err
	}
	e, ok := rec.Body.(*memory.Embedding)
	if !ok || e.Dimensions() != len(a.Options.Vector) {
		return nil, nil
	}
	return e.Floats(), nil
}
