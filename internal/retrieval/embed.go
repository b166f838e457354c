package retrieval

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/vector"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// MaxEmbedText is how many code points of a text a provider receives. The rest does
// not influence the vector.
const MaxEmbedText = 8000

// maxEmbedProblems is how many texts without a vector are named.
const maxEmbedProblems = 100

// embedBatch is how many texts a provider receives at once, and how many vectors are
// journaled together.
const embedBatch = 128

// EmbedOptions configures a call of Embed.
type EmbedOptions struct {
	Tenant   string
	Provider embed.Provider
	// Dimensions is the required length of each vector. Zero means that of the
	// provider, unless the tenant has vectors by that model already, and all of them
	// have another length.
	Dimensions int
	// Limit is the maximum number of texts that the provider receives. Zero means no
	// limit.
	Limit int
	// Progress receives how many texts were processed. It may be nil.
	Progress func(done, total uint64)
}

// Embedded is the result of Embed.
type Embedded struct {
	Model      string
	Dimensions int // 0 if the provider did not say
	Done       int // vectors journaled
	Failed     int // texts without a vector; a later call retries them
	Left       int // texts that were not processed
	// Problems names the first texts that failed.
	Problems []EmbedProblem
}

// EmbedProblem says why a text has no vector.
type EmbedProblem struct {
	URI memory.URI
	Err error
}

// Embed makes a provider embed everything in a tenant that has no vector by its model:
// events and the current versions of versioned records. Each vector is journaled, so
// that it survives a restart, an export and a rebuild without the provider. Expired
// documents are not sent.
//
// What the provider cannot embed stays for the next call, and is found by its words
// and by the built-in model meanwhile. An error says why the call ended early; the
// result still reports what was done, which stays. Concurrent calls are safe, but the
// provider may embed a text twice.
//
// Embed is refused under a scope. The board opens no connection itself; the provider
// may.
func (b *Retriever) Embed(ctx context.Context, w board.Writer, o EmbedOptions) (*Embedded, error) {
	if err := b.core.RefuseScope(ctx, o.Tenant, w, memory.OpEmbed, "what has no vector"); err != nil {
		return nil, err
	}
	if err := memory.CheckActor(w.Actor); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	e := &embedding{b: b, w: w, o: &o, out: &Embedded{Model: o.Provider.Name()}}
	return e.out, e.run(ctx)
}

// check applies the rules that need no state.
func (o *EmbedOptions) check() error {
	if err := memory.CheckTenant(o.Tenant); err != nil {
		return err
	}
	bad := func(format string, args ...any) *fault.Error {
		return fault.Newf(fault.InvalidArgument, format, args...)
	}
	switch {
	case o.Provider == nil:
		return bad("provider: there is none").WithFix("name the provider of the vectors")
	case o.Limit < 0:
		return bad("limit: is %d, but must not be negative", o.Limit).WithFix("leave it out for no limit")
	case o.Dimensions < 0 || o.Dimensions > hmx.MaxEmbeddings:
		return bad("dimensions: is %d, but must be from 1 to %d", o.Dimensions, hmx.MaxEmbeddings).WithFix("leave it out to take what the model has")
	}
	// The name is in every record.
	probe := memory.NewEmbedding(o.Provider.Name(), memory.URI{Tenant: o.Tenant, Kind: record.Event, ID: "e"}, 0, []float32{1})
	return probe.Validate()
}

// embedding is one call of Embed under way.
type embedding struct {
	b     *Retriever
	w     board.Writer
	o     *EmbedOptions
	out   *Embedded
	until uint64 // later positions are for the next call
	next  uint64 // the first unprocessed position
	total uint64
}

// unembedded is a document without a vector.
type unembedded struct {
	uri      memory.URI
	position uint64
	trust    record.Trust
	ends     int64 // when an event expires
	text     string
}

// run embeds everything, up to the limit.
func (e *embedding) run(ctx context.Context) error {
	err := e.agree(ctx)
	if err != nil {
		return err
	}
	left, err := e.count(ctx)
	if err != nil {
		return err
	}
	e.total = uint64(left)
	if e.o.Limit > 0 {
		e.total = min(e.total, uint64(e.o.Limit))
	}
	untried := 0
	for err == nil && e.next < e.until {
		if err = ctx.Err(); err != nil {
			break
		}
		n := embedBatch
		if e.o.Limit > 0 {
			n = min(n, e.o.Limit-e.out.Done-e.out.Failed)
		}
		if n <= 0 {
			break
		}
		var list []unembedded
		if list, err = e.collect(ctx, n); err == nil && len(list) > 0 {
			untried, err = e.embed(ctx, list)
			e.progress()
		}
	}
	if e.next < e.until {
		left, failed := e.count(context.WithoutCancel(ctx))
		e.out.Left, err = left, fault.First(err, failed)
	}
	e.out.Left += untried
	return err
}

func (e *embedding) progress() {
	if e.o.Progress != nil {
		done := uint64(e.out.Done + e.out.Failed)
		e.o.Progress(done, max(done, e.total))
	}
}

// agree determines the length of a vector. A provider that does not know it yet embeds
// a sample text first.
func (e *embedding) agree(ctx context.Context) error {
	n := e.o.Dimensions
	if n == 0 {
		n = e.o.Provider.Dimensions()
	}
	if n == 0 {
		v, err := embedOne(ctx, e.o.Provider, "hello")
		if err != nil {
			return err
		}
		n = len(v)
	}
	e.out.Dimensions = n
	return e.b.core.Read(ctx, e.o.Tenant, func(s board.State) error {
		e.until = s.Tenant.Size
		if e.o.Dimensions > 0 {
			return nil
		}
		there, err := vector.Open(s.Reader, s.Tenant.Number, s.Tenant.Size, nil).Dimensions(e.out.Model)
		if err != nil || len(there) == 0 || slices.Contains(there, n) {
			return err
		}
		return fault.Newf(fault.WrongDimensions, "model %q makes vectors of %d numbers, but those of it that are here have %s, and they cannot be compared",
			e.out.Model, n, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(there)), ", "), "[]")).
			WithFix("check that it is the same model; if it is meant to have others from now on, give the dimensions")
	})
}

// embedOne returns the vector of one text.
func embedOne(ctx context.Context, p embed.Provider, text string) ([]float32, error) {
	results, err := p.EmbedBatch(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	if len(results) != 1 {
		return nil, fault.Newf(fault.NoEmbedder, "model %q gave %d answers for one text", p.Name(), len(results))
	}
	if v := results[0].Vector; len(v) > 0 && len(v) <= hmx.MaxEmbeddings {
		return v, nil
	} else if results[0].Err == nil {
		return nil, fault.Newf(fault.NoEmbedder, "model %q gave a vector of %d numbers, but must give 1 to %d", p.Name(), len(v), hmx.MaxEmbeddings)
	}
	return nil, results[0].Err
}

// count returns how many texts are left to embed. It reads only those that the
// built-in model has no vector of: they may be blank.
func (e *embedding) count(ctx context.Context) (n int, err error) {
	err = e.missing(ctx, e.next, func(s board.State, position uint64, known bool) (bool, error) {
		if !known {
			u, err := e.read(s, position)
			if err != nil || u == nil {
				return true, err
			}
		}
		n++
		return true, nil
	})
	return n, err
}

// collect returns the next texts, up to n.
func (e *embedding) collect(ctx context.Context, n int) (list []unembedded, err error) {
	next := e.until
	err = e.missing(ctx, e.next, func(s board.State, position uint64, _ bool) (bool, error) {
		u, err := e.read(s, position)
		if err != nil || u == nil {
			return true, err
		}
		list = append(list, *u)
		if len(list) == n {
			next = position + 1
		}
		return len(list) < n, nil
	})
	if err == nil {
		e.next = next
	}
	return list, err
}

// missing calls visit for each document without a vector, from a position on.
func (e *embedding) missing(ctx context.Context, from uint64, visit func(s board.State, position uint64, known bool) (bool, error)) error {
	return e.b.core.Read(ctx, e.o.Tenant, func(s board.State) error {
		return vector.Open(s.Reader, s.Tenant.Number, s.Tenant.Size, nil).Missing(e.out.Model, e.out.Dimensions, from, e.until, func(position uint64, known bool) (bool, error) {
			if position%64 == 0 && ctx.Err() != nil {
				return false, ctx.Err()
			}
			return visit(s, position, known)
		})
	})
}

// read reads the document at a position. It returns nil if there is nothing to embed:
// it is gone, blank, expired or unreadable, or its vector was erased.
func (e *embedding) read(s board.State, position uint64) (*unembedded, error) {
	f, err := e.b.core.FrameAt(s, position)
	if fault.CodeOf(err) == fault.Damaged {
		return nil, nil // Verify reports it
	}
	if err != nil || f.Erased {
		return nil, err
	}
	rec, err := apply.Decode(&f)
	if err != nil {
		return nil, nil // Verify reports it
	}
	text, ok := index.EmbeddedText(&rec)
	if text = cutText(text, MaxEmbedText); !ok || strings.TrimSpace(text) == "" {
		return nil, nil
	}
	u := &unembedded{position: position, trust: rec.Header.Trust, ends: math.MaxInt64, text: text}
	u.uri = memory.URI{Tenant: s.Tenant.Name, Kind: rec.Header.Kind}
	if rec.Event != nil {
		u.uri.ID = rec.Event.EventID
		if end, ok := index.EndOfLife(rec.Header.Time, rec.Event); ok {
			u.ends = end
		}
	} else {
		u.uri.ID, _ = rec.Body.Identity()
	}
	if ok, err := wantsEmbedding(e.b.core, s, u, e.out); err != nil || !ok {
		return nil, err
	}
	return u, nil
}

// wantsEmbedding reports whether a document is current and never had an embedding by
// the model. An erased embedding counts: it must not come back.
func wantsEmbedding(b *board.Board, s board.State, u *unembedded, by *Embedded) (bool, error) {
	if current, err := isCurrent(s, max(b.Now().UnixNano(), s.Tenant.Time), u); err != nil || !current {
		return false, err
	}
	id := memory.NewEmbedding(by.Model, u.uri, u.position, make([]float32, by.Dimensions)).ID
	_, there, err := catalog.HeadOf(s.Reader, s.Tenant.Number, record.Embedding, catalog.ThingOf(s.Tenant.Name, record.Embedding, id))
	return err == nil && !there, err
}

// isCurrent reports whether a record is an existing event, or the content of a live
// versioned record, and not expired.
func isCurrent(s board.State, now int64, u *unembedded) (bool, error) {
	if u.uri.Kind == record.Event {
		_, gone, err := ledger.Erased(s.Reader, s.Tenant.Number, u.position)
		return !gone && u.ends > now, err
	}
	h, ok, err := catalog.HeadOf(s.Reader, s.Tenant.Number, u.uri.Kind, catalog.ThingOf(s.Tenant.Name, u.uri.Kind, u.uri.ID))
	return ok && err == nil && h.State == catalog.Live && h.Position == u.position && h.Expires > now, err
}

// embed has texts embedded and journals the vectors. It returns how many texts got no
// answer for a reason other than the text itself, and that reason.
func (e *embedding) embed(ctx context.Context, list []unembedded) (untried int, err error) {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = list[i].text
	}
	results, err := e.o.Provider.EmbedBatch(ctx, texts)
	if err == nil && len(results) != len(list) {
		err = fault.Newf(fault.NoEmbedder, "model %q gave %d answers for %d texts", e.out.Model, len(results), len(list))
	}
	if len(results) != len(list) {
		return len(list), err
	}
	var made []vectorOf
	textsAlone := err == nil // then a text without a vector is itself the reason
	for i, r := range results {
		one, refused := e.take(&list[i], r)
		switch {
		case refused == nil:
			made = append(made, one)
		case fault.CodeOf(refused) == fault.InvalidArgument || r.Err != nil && textsAlone:
			e.out.Failed++
			if len(e.out.Problems) < maxEmbedProblems {
				e.out.Problems = append(e.out.Problems, EmbedProblem{list[i].uri, refused})
			}
		default:
			untried++
			err = fault.First(err, refused)
		}
	}
	if len(made) == 0 {
		return untried, err
	}
	// The vectors may have cost money, so they are kept even if the caller is gone.
	done, failed := e.journal(context.WithoutCancel(ctx), made)
	if failed != nil {
		return untried + len(made), fault.First(failed, err)
	}
	e.out.Done += done
	return untried, err
}

// vectorOf is a vector to be journaled.
type vectorOf struct {
	of      *unembedded
	body    *memory.Embedding
	payload []byte
}

// take checks the vector of a text.
func (e *embedding) take(u *unembedded, r embed.Result) (vectorOf, error) {
	if r.Err != nil {
		return vectorOf{}, r.Err
	}
	if n := len(r.Vector); n != e.out.Dimensions {
		return vectorOf{}, fault.Newf(fault.WrongDimensions, "model %q gave a vector of %d numbers, must be %d", e.out.Model, n, e.out.Dimensions).
			WithFix("check that it is one model, and the dimensions that are set for it")
	}
	one := vectorOf{of: u, body: memory.NewEmbedding(e.out.Model, u.uri, u.position, r.Vector)}
	if err := one.body.Validate(); err != nil {
		return one, fault.Newf(fault.InvalidArgument, "%w", err)
	}
	var err error
	if one.payload, err = one.body.AppendJSON(nil); err != nil {
		return one, err
	}
	// A replay must accept the payload.
	if _, err := memory.Decode(record.Embedding, one.payload); err != nil {
		return one, fault.Newf(fault.InvalidArgument, "%w", err)
	}
	return one, nil
}

// journal writes vectors and returns how many: not those of documents that have
// changed or gone meanwhile, nor those that a concurrent call wrote first.
func (e *embedding) journal(ctx context.Context, made []vectorOf) (done int, err error) {
	err = e.b.core.Submit(ctx, &board.Request{Indexed: true, Records: len(made), Admit: func(g *board.Group) (err error) {
		done, err = putEmbeddings(g, e.w, e.o.Tenant, e.out, made)
		return err
	}})
	return done, err
}

// putEmbeddings admits vectors in log order. A vector has the trust of its text.
func putEmbeddings(g *board.Group, w board.Writer, tenant string, by *Embedded, made []vectorOf) (int, error) {
	t, err := g.Tenant(tenant)
	if err != nil {
		return 0, err
	}
	var entries []*board.Entry
	for _, one := range made {
		if ok, err := wantsEmbedding(g.Board(), g.State(t), one.of, by); err != nil {
			return 0, g.Stop(err)
		} else if !ok {
			continue
		}
		e, err := g.Board().NewEntry(w, tenant, record.Embedding, one.body.ID+"#1", one.payload)
		if err != nil {
			return 0, err
		}
		e.Header.Trust, e.Record.Body = one.of.trust, one.body
		entries = append(entries, e)
	}
	for _, e := range entries {
		if _, err := g.Put(e); err != nil {
			return 0, err
		}
	}
	return len(entries), nil
}

// cutText returns the first code points of a text, at most most.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for i := range text {
		if most--; most < 0 {
			return text[:i]
		}
	}
	return text
}
