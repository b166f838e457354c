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

// How many calls of embedders may be under way, and how many of them may have been
// left behind: their questions did not wait for them any longer, and they have not
// come back. Beyond that nobody is asked, or an embedder that never returns would keep
// a goroutine for each question.
const (
	maxEmbedCalls = 64
	maxLeftCalls  = 4
)

// embedCalls are the calls of embedders that questions made.
type embedCalls struct {
	mu      sync.Mutex
	running int
	left    int // of those that are running
}

// embedCall is one of them.
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

// leave says that nobody waits for the call any more.
func (c *embedCall) leave() {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	if !c.ended {
		c.left = true
		c.all.left++
	}
}

// end says that the call has come back.
func (c *embedCall) end() {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	c.ended = true
	c.all.running--
	if c.left {
		c.all.left--
	}
}

// EmbedQuestion has the question of a search embedded; see embed.
func (b *Retriever) EmbedQuestion(ctx context.Context, o *SearchOptions) (degraded []string, err error) {
	return o.embed(ctx, &b.embedCalls)
}

// embed has the question embedded, if there is an embedder and a use for it. What goes
// wrong is said in words. It is an error only if nobody waits for the answer any more.
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
	// The embedder may be anybody's, and may not know when to stop.
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

// open opens the vectors of the state. A question that was embedded is not compared
// with vectors that are not there, which is said in words.
func (a *Question) open() (degraded []string, err error) {
	a.vectors = vector.Open(a.Reader, a.Tenant.Number, a.Tenant.Size, nil)
	if a.Options.Embedder == nil || a.Options.Vector == nil || a.Shown != nil {
		return nil, nil // where some are hidden it is told from the others, see builtinAlone
	}
	there, err := a.vectors.Has(a.Options.Model, len(a.Options.Vector))
	if err != nil || there {
		return nil, err
	}
	return []string{a.builtinAlone()}, nil
}

// builtinAlone leaves out the vector of the question, since there is nothing that it
// could be compared with, and says so.
func (a *Question) builtinAlone() string {
	why := fmt.Sprintf("there are no vectors of model %q with %d dimensions yet; the built-in model is used alone: `lukasa embed` makes them", a.Options.Model, len(a.Options.Vector))
	a.Options.Vector, a.Options.Model = nil, ""
	return why
}

// journaled returns the vector of a document that a model outside the program made, or
// nil if there is none on record.
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
