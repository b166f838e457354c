package retrieval

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/frame"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/index/vector"
	"lukasa.dev/internal/index/weights"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/recall"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/salience"
)

// Limits of a search.
const (
	DefaultSearchHits = 20
	MaxSearchHits     = 1000
	MaxSearchQuery    = 1 << 20 // bytes
	// DefaultEmbedTimeout is how long an embedder may take for a question.
	DefaultEmbedTimeout = 5 * time.Second
)

// SearchOptions is a question and its filters.
type SearchOptions struct {
	Tenant string
	// Query is the question, in words. Documents that contain the parts in double quotes
	// literally score higher; if the query is only quotes, no others are found.
	Query string
	// TopK is the maximum number of hits: 1 to [MaxSearchHits]. Zero means
	// [DefaultSearchHits].
	TopK int

	// The filters: one of these kinds, types, agents, sessions and tags, a time in [since,
	// until), and a minimum trust. An empty filter narrows nothing.
	Kinds        []record.Kind
	Types        []string
	Agents       []string
	Sessions     []string
	NotSessions  []string // events of these are left out
	Tags         []string
	Since, Until time.Time
	MinTrust     record.Trust

	// Vector is the question as a vector, by the model of that name. It is compared with
	// the vectors that events brought with them and with those of [Board.Embed]. Documents
	// without one are compared by the built-in model, if there is a Query.
	Vector []float32
	Model  string
	// Embedder makes the Vector of the Query before anything is read. If it fails, takes
	// longer than EmbedTimeout (zero means [DefaultEmbedTimeout]), or there are no vectors
	// by its model yet, only the built-in model is used, and the answer says so.
	Embedder     embed.Provider
	EmbedTimeout time.Duration
	// Sources restricts the sources of candidates. Zero means all.
	Sources recall.Sources

	// BudgetTokens is the maximum number of tokens of all hits together. The first hit
	// that does not fit ends the answer. Zero means no limit.
	BudgetTokens int
	// Form is how much of each hit is shown. Empty means medium.
	Form memory.Form
	// AsOf is the state to search. Zero means the present.
	AsOf AsOf
	View board.View
}

// Searched is the answer to a search.
type Searched struct {
	Hits []SearchHit
	// Class is how the question was classified.
	Class recall.Class
	// Degraded says, in words, what could not be used.
	Degraded []string
	// Candidates is how many were scored.
	Candidates int
	// Trimmed is how many hits within TopK were left out for the budget.
	Trimmed      int
	TotalTokens  int
	BudgetTokens int // the limit that was applied; zero for none
	Form         memory.Form
	Counter      string     // the counter of the tokens
	Root         board.Root // of the state that was searched
}

// SearchHit is an event or a versioned record that answers the question.
type SearchHit struct {
	URI        memory.URI
	SourceType hmx.SourceType
	Thing      *board.Thing // nil for an event
	Event      *board.StoredEvent
	Score      float64 // 0 to 1
	Parts      []recall.Part
	// DuplicateOf is the earlier hit with nearly the same text; zero for none.
	DuplicateOf memory.URI
	Text        string
	Tokens      int
}

// Search returns the documents that answer a question, best first. It reads one state and
// writes nothing. The same state gives the same answer, bit for bit.
//
// Documents that the scope does not show, and documents private to other agents, have no
// influence on the hits or their scores. The graph is then not used as a source. A caller
// can conclude from that whether others have anything private.
//
// For a past state the answer is that of then, except for what was erased since and what
// the caller may not see now. Inactive artifacts are not found.
func (b *Retriever) Search(ctx context.Context, o SearchOptions) (*Searched, error) {
	// An unauthorized caller causes no call of the embedder.
	var err error
	if o.View, err = b.core.Authorize(o.Tenant, o.View); err != nil {
		return nil, err
	}
	if err := CheckSearch(&o); err != nil {
		return nil, err
	}
	degraded, err := o.embed(ctx, &b.embedCalls)
	if err != nil {
		return nil, err
	}
	var found *Searched
	err = b.core.ReadAs(ctx, o.Tenant, o.View, func(s board.State) (err error) {
		m, letGo, err := b.At(ctx, s, o.AsOf)
		if err != nil {
			return err
		}
		defer letGo()
		if m.Tenant == nil { // before the first record
			found = o.nothing(b, s.View)
			return nil
		}
		a := &Question{Options: &o, View: o.AsOf.View(s.View), Records: make(map[uint64]*index.Record), Keep: keptRecords}
		if err = a.Enter(ctx, m); err == nil {
			found, err = a.run(ctx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	found.Degraded = append(degraded, found.Degraded...)
	return found, nil
}

// nothing is the answer of a tenant without records.
func (o *SearchOptions) nothing(b *Retriever, v board.View) *Searched {
	return &Searched{
		Class: recall.Classify(o.Query, board.TimeOf(access.NowOf(v, &ledger.Tenant{})), nil), Form: o.Form, Counter: b.core.Tokens().Name(),
		BudgetTokens: leastBudget(o.BudgetTokens, access.Of(v).Budget()), Root: board.Root{Tenant: o.Tenant, Hash: merkle.EmptyRoot()},
	}
}

// Question is one running search.
type Question struct {
	From    *Retriever
	Reader  kv.Reader
	Tenant  *ledger.Tenant
	Options *SearchOptions
	View    board.View // with its scope
	Now     int64
	// Shown is what the view shows; nil shows everything.
	Shown *Visibility

	vectors *vector.View
	weights salience.Weights
	used    map[record.Kind]bool // kinds that have feedback

	// Foretell receives the documents that are likely to be found, see [recall.Request].
	// It may be nil.
	Foretell func(positions []uint64)
	// Estimates compares documents by their vectors in memory and reads none: scores are
	// off by about 0.002.
	Estimates bool
	// Room and Most say how much the hits are to fill, and Beside by which measure they
	// are scored, see [recall.Request].
	Room, Most int
	Beside     *recall.Answer
	// IncludeExpired also finds expired documents, and skips unreadable ones.
	IncludeExpired bool
	// For a past state: the fate of a position since; the present of the tenant, unless
	// the visibility of then is wanted; and whether something is hidden now that was not
	// then.
	Since       func(position uint64) (board.Fate, error)
	present     *Presence
	AsThen      bool
	HiddenSince bool
	Rows        *roster.View // nil until it is needed, and for a state without records
	// Whole says that no record of the tenant is erased in this state.
	Whole bool

	active  hmx.Opt[InUse] // unset until it is needed
	mu      sync.Mutex     // guards records and active
	Records map[uint64]*index.Record
	Keep    int // how many of them
}

// State returns the state and the view of the question.
func (a *Question) State() board.State {
	return board.State{Reader: a.Reader, Tenant: a.Tenant, View: a.View}
}

// run asks and shows.
func (a *Question) run(ctx context.Context) (*Searched, error) {
	answer, degraded, err := a.Answer(ctx)
	if err != nil {
		return nil, err
	}
	found := &Searched{
		Class: answer.Class, Candidates: answer.Candidates, Form: a.Options.Form, Counter: a.From.core.Tokens().Name(), Root: board.RootOf(a.Tenant),
		BudgetTokens: leastBudget(a.Options.BudgetTokens, access.Of(a.View).Budget()), Degraded: degraded,
	}
	return found, a.show(ctx, answer.Hits, found)
}

// Answer asks, and says in words what could not be used.
func (a *Question) Answer(ctx context.Context) (*recall.Answer, []string, error) {
	degraded, err := a.open()
	if err != nil {
		return nil, nil, err
	}
	answer, err := a.ask(ctx)
	if errors.Is(err, recall.ErrNoVectors) && strings.TrimSpace(a.Options.Query) != "" {
		degraded = append(degraded, a.builtinAlone())
		answer, err = a.ask(ctx)
	}
	return answer, degraded, err
}

// ask asks.
func (a *Question) ask(ctx context.Context) (*recall.Answer, error) {
	q := recall.Request{
		Query: a.Options.Query, K: a.Options.TopK, Now: a.Now, Where: a.Options.conditions(), Accept: a.accept,
		Each:   len(a.Options.Tags) > 0,
		Vector: a.Options.Vector, Model: a.Options.Model, Exact: a.exact, Sources: a.Options.Sources, Likely: a.Foretell, Salience: a.learned,
	}
	if a.Estimates {
		q.Exact = nil
	}
	q.Room, q.Most, q.Beside = a.Room, a.Most, a.Beside
	if a.Shown != nil {
		q.Visible = &a.Shown.Visible
	}
	return a.From.searcher.Search(ctx, recall.State{Reader: a.Reader, Tenant: a.Tenant.Number, Size: a.Tenant.Size}, q)
}

// leastBudget returns the lower of two budgets; zero means none.
func leastBudget(a, b int) int {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// conditions returns the filters that rows of the roster can decide.
func (o *SearchOptions) conditions() roster.Conditions {
	c := roster.Conditions{
		Kinds: o.Kinds, Classes: o.Types, Agents: o.Agents, Sessions: o.Sessions, NotSessions: o.NotSessions, MinTrust: o.MinTrust, Tags: o.Tags,
	}
	if !o.Since.IsZero() {
		c.From = hmx.Some(index.Nanos(o.Since))
	}
	if n := index.Nanos(o.Until); !o.Until.IsZero() && n < math.MaxInt64 { // no time is later
		c.Until = hmx.Some(n)
	}
	return c
}

// learned returns a function that weighs the best hits by feedback, or nil if there is
// none.
func (a *Question) learned() (recall.Salience, error) {
	var err error
	if a.weights, _, err = weights.For(a.Reader, a.Tenant.Number, a.View.Agent); err != nil {
		return nil, err
	}
	a.used = make(map[record.Kind]bool)
	for _, k := range record.Kinds() {
		if !index.IsDocument(k) {
			continue
		}
		used, err := frame.Used(a.Reader, a.Tenant.Number, k)
		if err != nil {
			return nil, err
		}
		if used {
			a.used[k] = true
		}
	}
	if len(a.used) == 0 {
		return nil, nil
	}
	return a.salience, nil
}

// salience returns how much a document matters to the caller: its importance, and a bonus
// for use. Feedback on other documents has no influence.
func (a *Question) salience(position uint64, row roster.Row) (float64, error) {
	if !a.used[row.Kind] {
		return row.Importance, nil
	}
	rec, err := a.Record(position)
	if err != nil || rec == nil {
		return row.Importance, a.Passed(err)
	}
	id := ""
	if rec.Event != nil {
		id = rec.Event.EventID
	} else if rec.Body != nil {
		id, _ = rec.Body.Identity()
	}
	c := frame.Card{Updated: min(row.Time, a.Now), Importance: row.Importance}
	unused := a.weights.Score(c.Factors(a.Now))
	if c.Uses, c.Wins, c.Losses, err = frame.Usage(a.Reader, a.Tenant.Number, row.Kind, frame.ThingOf(a.Tenant.Name, row.Kind, id)); err != nil || c.Uses == 0 {
		return row.Importance, err
	}
	return row.Importance + (a.weights.Score(c.Factors(a.Now)) - unused), nil
}

// keptRecords is how many records a search caches: the best are read several times.
const keptRecords = 256

// Record reads the record at a position, or nil if it was erased since the snapshot
// was taken. It may be called by several goroutines.
func (a *Question) Record(position uint64) (*index.Record, error) {
	a.mu.Lock()
	rec, kept := a.Records[position]
	a.mu.Unlock()
	if kept {
		return rec, nil
	}
	gone := false
	var err error
	if a.Since != nil {
		since, err := a.Since(position)
		if err != nil {
			return nil, err
		}
		gone = since != board.OnRecord
	}
	var f journal.Frame
	var leaf merkle.Hash
	if !gone {
		if a.Whole {
			f, leaf, err = a.From.core.WholeLeafAt(a.State(), position)
		} else if f, err = a.From.core.FrameAt(a.State(), position); err == nil {
			leaf = merkle.LeafHash(f.Header)
		}
		if err != nil {
			return nil, err
		}
		gone = f.Erased
	}
	if !gone {
		decoded, err := apply.DecodeLeaf(&f, leaf)
		if err != nil {
			return nil, err
		}
		rec = &decoded
	}
	a.mu.Lock()
	if len(a.Records) < a.Keep {
		a.Records[position] = rec
	}
	a.mu.Unlock()
	return rec, nil
}

// accept reports whether a document may be shown, is valid and has the requested tags.
func (a *Question) accept(position uint64, row roster.Row) (bool, error) {
	if row.Kind == record.Event {
		rec, err := a.Record(position)
		if err != nil || rec == nil || rec.Event == nil {
			return false, a.Passed(err)
		}
		if end, ok := index.EndOfLife(rec.Header.Time, rec.Event); ok && end <= a.Now && !a.IncludeExpired {
			return false, nil
		}
		return a.Tagged(rec.Event.Tags) && access.SeesEvent(a.View, rec.Event), nil
	}
	if row.Kind == record.Artifact {
		if ok, err := a.usable(position); err != nil || !ok || !row.Closer && len(a.Options.Tags) == 0 {
			return ok, err
		}
	}
	h, err := a.Head(position)
	if err != nil || h == nil {
		return false, a.Passed(err)
	}
	there := h.State == catalog.Live && (a.IncludeExpired || h.Expires > a.Now && a.Now >= h.ValidFrom && a.Now < h.ValidUntil)
	return there && a.Tagged(h.Tags) && access.Sees(a.View, h), nil
}

// Passed returns err, or nil if it is damage that is skipped.
func (a *Question) Passed(err error) error {
	if a.IncludeExpired && fault.CodeOf(err) == fault.Damaged {
		return nil
	}
	return err
}

func (a *Question) Tagged(tags []string) bool {
	return len(a.Options.Tags) == 0 || slices.ContainsFunc(tags, func(tag string) bool { return slices.Contains(a.Options.Tags, tag) })
}

// Head returns the head of the versioned record whose version is at a position, or nil if
// it is gone.
func (a *Question) Head(position uint64) (*catalog.Head, error) {
	rec, err := a.Record(position)
	if err != nil || rec == nil || rec.Body == nil {
		return nil, err
	}
	id, _ := rec.Body.Identity()
	h, _, err := catalog.HeadOf(a.Reader, a.Tenant.Number, rec.Body.Kind(), catalog.ThingOf(a.Tenant.Name, rec.Body.Kind(), id))
	return h, err
}

// maxExact is the size of the largest record whose vector is computed again for a
// question.
const maxExact = 16 << 10

// exact returns the vector of a document by the model of the question: that of the
// built-in model is computed, others are on record.
func (a *Question) exact(position uint64) ([]float32, error) {
	rec, err := a.Record(position)
	if err != nil || rec == nil {
		return nil, a.Passed(err)
	}
	if a.Options.Vector == nil {
		if len(rec.Payload) > maxExact {
			return nil, nil // an estimate is nearly as good, and free
		}
		return index.Embed(rec).Vector, nil
	}
	if rec.Event != nil && len(rec.Event.Embeddings) == len(a.Options.Vector) && index.ModelOf(rec.Event) == a.Options.Model {
		list := make([]float32, len(rec.Event.Embeddings))
		for i, x := range rec.Event.Embeddings {
			list[i] = float32(x)
		}
		return list, nil
	}
	return a.journaled(position)
}

// shownAtOnce is how many hits are read in parallel before the budget is checked.
const shownAtOnce = 64

// show reads the hits and puts them into the answer, as long as the budget lasts.
func (a *Question) show(ctx context.Context, hits []recall.Hit, found *Searched) error {
	uris := make([]memory.URI, len(hits))
	for from := 0; from < len(hits); from += shownAtOnce {
		some, err := a.readHits(ctx, hits[from:min(from+shownAtOnce, len(hits))])
		if err != nil {
			return err
		}
		for k, h := range some {
			if h == nil {
				continue // erased since the snapshot was taken
			}
			i := from + k
			uris[i] = h.URI
			if hits[i].Duplicate {
				h.DuplicateOf = uris[hits[i].Of]
			}
			if found.BudgetTokens > 0 && found.TotalTokens+h.Tokens > found.BudgetTokens {
				found.Trimmed = len(hits) - i
				return nil
			}
			found.TotalTokens += h.Tokens
			found.Hits = append(found.Hits, *h)
		}
	}
	return nil
}

// readHits reads what hits are, nil for those that were erased.
func (a *Question) readHits(ctx context.Context, hits []recall.Hit) ([]*SearchHit, error) {
	const each = 4 // hits per goroutine
	list := make([]*SearchHit, len(hits))
	err := index.Share(len(hits), index.Parts(len(hits), each), func(_, from, to int) error {
		for i := from; i < to; i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			h, err := a.hit(&hits[i])
			if fault.CodeOf(err) == fault.Erased {
				continue
			}
			if err != nil {
				return err
			}
			if h.Tokens == 0 {
				h.Tokens = a.From.core.Tokens().Count(h.Text)
			}
			list[i] = h
		}
		return nil
	})
	return list, err
}

// hit reads the document of a hit.
func (a *Question) hit(found *recall.Hit) (*SearchHit, error) {
	out := &SearchHit{Score: found.Score, Parts: found.Parts()}
	rec, err := a.Record(found.Position)
	if err != nil {
		return nil, err
	}
	gone := fault.Newf(fault.Erased, "position %d was erased", found.Position)
	if rec == nil {
		return nil, gone
	}
	if rec.Event != nil {
		out.Event = &board.StoredEvent{
			Event: rec.Event, Position: found.Position, Recorded: board.TimeOf(rec.Header.Time), Actor: rec.Header.Actor, Trust: rec.Header.Trust,
		}
		out.URI = memory.URI{Tenant: a.Tenant.Name, Kind: record.Event, ID: rec.Event.EventID}
		out.SourceType = hmx.SourceEpisode
		if a.Options.Form == memory.FormMedium {
			out.Text, out.Tokens = kind.Medium(rec.Event, a.From.core.Tokens())
		} else {
			out.Text = RenderEvent(rec.Event, a.Options.Form, a.From.core.Tokens())
		}
		return out, nil
	}
	h, err := a.Head(found.Position)
	if err != nil {
		return nil, err
	}
	if h == nil {
		return nil, gone
	}
	if out.Thing, err = a.From.core.ThingIn(board.State{Reader: a.Reader, Tenant: a.Tenant, View: a.View}, h, 0); err != nil {
		return nil, err
	}
	out.URI, out.SourceType, out.Text = out.Thing.URI, sourceOf(h.Kind), RenderBody(out.Thing.Body, a.Options.Form, a.From.core.Tokens())
	return out, nil
}

// sourceOf returns the source type of a kind in packs.
func sourceOf(k record.Kind) hmx.SourceType {
	switch k {
	case record.Entity:
		return hmx.SourceEntity
	case record.Relation:
		return hmx.SourceRelation
	case record.Conflict:
		return hmx.SourceConflict
	case record.Policy:
		return hmx.SourcePolicy
	case record.Artifact:
		return hmx.SourceArtifact
	}
	return hmx.SourceMemory
}
