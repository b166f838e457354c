package eval

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
)

// Limits of the number of hits.
const (
	// DefaultTop is the default number of hits. What fits into 4,000 tokens is among them,
	// unless events have less than 14 tokens on average.
	DefaultTop = 300
	// MaxTop is the maximum of a search.
	MaxTop = 1000
	// ShownHits is how many hits an [Answer] lists.
	ShownHits = 20
)

// Options configures an evaluation. The zero value works.
type Options struct {
	// Work is the directory for the temporary data directory. Empty means that of temporary
	// files.
	Work string
	// Keep keeps the data directory; the report names it.
	Keep bool
	// Top is the number of hits. Zero means [DefaultTop], and [MaxTop] with Fit. The engine
	// scores at least this many candidates, so the order of the first ones may depend on it.
	Top int
	// Sources limits the sources of candidates. Zero means all.
	Sources lukasa.Sources
	// Limit is how many questions are asked, drawn by the seed. Zero means all.
	Limit int
	Seed  uint64
	// Fit fits the weights of the parts of scores on the questions of all tenants but one, and
	// ranks the candidates of that one by them, for each tenant in turn.
	Fit bool
	// Pack also requests packs of 500, 1000, 2000 and 4000 tokens.
	Pack bool
	// Answer receives the result for each question, in order.
	Answer func(*Answer) error
	// Progress receives what is being done, and how far it is: 0 of 0 if unknown. Calls do not
	// overlap.
	Progress func(what string, done, total int)
}

func (o *Options) tell(what string, done, total int) {
	if o.Progress != nil {
		o.Progress(what, done, total)
	}
}

// The names of rows.
const (
	RowBM25   = "bm25"   // plain BM25 over single events
	RowRecall = "recall" // the engine as it is
	RowFitted = "fitted" // the engine's candidates, weights fitted on other tenants
)

// Report is the result of an evaluation on conversations.
type Report struct {
	Tenants   int      `json:"tenants"`
	Events    int      `json:"events"`
	Top       int      `json:"top"`
	Rows      []Row    `json:"rows"`
	Weights   []Weight `json:"weights,omitempty"`  // of a fit
	Degraded  []string `json:"degraded,omitempty"` // what the engine could not use, in its words
	Directory string   `json:"directory,omitempty"`
}

// Row is the result of one ranking, or of packs.
type Row struct {
	Name       string     `json:"name"`
	All        Figures    `json:"all"`
	Categories []Category `json:"categories"` // in order of first occurrence
}

// Category is the result for the questions of one category.
type Category struct {
	Name string `json:"name"`
	Figures
}

// Answer is the result for one question.
type Answer struct {
	Tenant   string `json:"tenant"`
	Category string `json:"category"`
	Question string `json:"question"`
	// Found is the share of the evidence within 500, 1000, 2000 and 4000 tokens of the engine's
	// hits.
	Found      [len(budgets)]float64 `json:"found"`
	Evidence   []Placed              `json:"evidence"`
	Hits       []Placed              `json:"hits"`       // the first [ShownHits]
	Candidates int                   `json:"candidates"` // that were weighed
}

// Placed is an event with its ranks in the rankings: from 1, and 0 if it is missing.
type Placed struct {
	ID       string             `json:"id"`
	Rank     int                `json:"rank"`
	BM25     int                `json:"rank_bm25"`
	Fitted   int                `json:"rank_fitted,omitempty"`
	Evidence bool               `json:"evidence"`
	Score    float64            `json:"score"`
	Parts    map[string]float64 `json:"parts,omitempty"` // what each adds to the score
	Tokens   int                `json:"tokens"`
	Text     string             `json:"text"`
}

// asked is a question with the rankings for it.
type asked struct {
	*Question
	tenant     *Tenant
	place      int        // index of the tenant
	baseline   []string   // ids, the best first
	hits       []hit      // of the engine
	fitted     []string   // ids
	candidates candidates // for a fit
	packed     measured
	weighed    int
	degraded   []string
}

// hit is a hit of the engine, without unused fields.
type hit struct {
	id    string
	score float64
	parts []lukasa.Part
}

// Run asks the questions of a set, and measures how much of the evidence is found.
func Run(ctx context.Context, s *Set, o Options) (_ *Report, err error) {
	switch {
	case o.Top == 0 && o.Fit:
		o.Top = MaxTop
	case o.Top == 0:
		o.Top = DefaultTop
	}
	if o.Top < 1 || o.Top > MaxTop {
		return nil, fault.Newf(fault.InvalidArgument, "top: %d is not from 1 to %d", o.Top, MaxTop)
	}
	if o.Fit && len(s.Tenants) < 2 {
		return nil, fault.New(fault.InvalidArgument, "fit: there is one tenant only, and none to fit weights on").
			WithFix("give events of two tenants or more")
	}
	b, err := newBoard(ctx, o.Work, o.Keep, s.newest())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	r := &Report{Tenants: len(s.Tenants), Top: o.Top}
	if o.Keep {
		r.Directory = b.dir
	}
	for _, f := range s.files {
		o.tell("recording "+f.path, 0, 0)
		if err := b.ingest(ctx, f.path, bytes.NewReader(f.data), nil); err != nil {
			return nil, err
		}
	}
	questions, err := s.ask(ctx, b, &o)
	if err != nil {
		return nil, err
	}
	for _, t := range s.Tenants {
		r.Events += len(t.Events)
	}
	degraded := make([][]string, len(questions))
	for i, q := range questions {
		degraded[i] = q.degraded
	}
	r.Degraded = distinct(nil, degraded)
	r.Rows = []Row{
		newRow(RowBM25, questions, func(q *asked) measured { return q.measure(q.baseline) }),
		newRow(RowRecall, questions, func(q *asked) measured { return q.measure(q.ids()) }),
	}
	if o.Pack {
		r.Rows = append(r.Rows, newRow(RowPack, questions, func(q *asked) measured { return q.packed }))
	}
	if o.Fit {
		if r.Weights, err = fitAll(ctx, questions, len(s.Tenants), &o); err != nil {
			return nil, err
		}
		r.Rows = append(r.Rows, newRow(RowFitted, questions, func(q *asked) measured { return q.measure(q.fitted) }))
	}
	if o.Answer != nil {
		for _, q := range questions {
			if err := o.Answer(q.answer()); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// newest returns the time of the newest event.
func (s *Set) newest() time.Time {
	var at time.Time
	for _, t := range s.Tenants {
		if t.Newest.After(at) {
			at = t.Newest
		}
	}
	return at
}

// ask asks the questions, with the engine and with BM25.
func (s *Set) ask(ctx context.Context, b *board, o *Options) ([]*asked, error) {
	ranker := make([]*bm25, len(s.Tenants))
	for i, t := range s.Tenants {
		words := make([]string, len(t.Events))
		for k := range t.Events {
			words[k] = t.Events[k].words
		}
		ranker[i] = newBM25(words)
	}
	drawn := sample(len(s.Questions), o.Limit, o.Seed)
	questions := make([]*asked, len(drawn))
	tell := func(done int) { o.tell("asking", done, len(drawn)) }
	err := each(ctx, len(drawn), tell, func(ctx context.Context, i int) error {
		q := &asked{Question: &s.Questions[drawn[i]]}
		questions[i] = q
		q.place = slices.IndexFunc(s.Tenants, func(t *Tenant) bool { return t.Name == q.Tenant })
		q.tenant = s.Tenants[q.place]
		for _, k := range ranker[q.place].rank(q.Question.Question, o.Top) {
			q.baseline = append(q.baseline, q.tenant.Events[k].ID)
		}
		if err := q.search(ctx, b, o); err != nil || !o.Pack {
			return err
		}
		return q.pack(ctx, b)
	})
	return questions, err
}

// search runs the engine's search.
func (q *asked) search(ctx context.Context, b *board, o *Options) error {
	found, err := b.Tenant(q.Tenant, lukasa.Writer{}).Search(ctx, lukasa.SearchOptions{
		Query: q.Question.Question, TopK: o.Top, Sources: o.Sources, View: lukasa.View{Now: q.tenant.Newest},
		Form: lukasa.FormFull, // the other forms take time and are not used
	})
	if err != nil {
		return fault.Newf(fault.CodeOf(err), "question %q of %q: %w", q.Question.Question, q.Tenant, err)
	}
	q.weighed, q.degraded = found.Candidates, found.Degraded
	for i := range found.Hits {
		h := &found.Hits[i]
		if h.URI.Kind == lukasa.EventKind {
			q.hits = append(q.hits, hit{h.URI.ID, h.Score, h.Parts})
		}
	}
	return nil
}

// ids returns the hits of the engine.
func (q *asked) ids() []string {
	ids := make([]string, len(q.hits))
	for i := range q.hits {
		ids[i] = q.hits[i].id
	}
	return ids
}

// event returns an event of the question's tenant.
func (q *asked) event(id string) *Event {
	at, ok := q.tenant.index[id]
	if !ok {
		return &Event{ID: id} // never: the tenant has no others
	}
	return &q.tenant.Events[at]
}

// measure returns the result of a ranking.
func (q *asked) measure(ranked []string) measured {
	tokens := make([]int, len(ranked))
	for i, id := range ranked {
		tokens[i] = q.event(id).Tokens
	}
	return measure(Ranks(ranked, q.Evidence), tokens)
}

// newRow summarises the results of one ranking.
func newRow(name string, questions []*asked, reached func(*asked) measured) Row {
	row := Row{Name: name}
	all := make([]measured, len(questions))
	of := map[string][]measured{}
	var order []string
	for i, q := range questions {
		all[i] = reached(q)
		if len(of[q.Category]) == 0 {
			order = append(order, q.Category)
		}
		of[q.Category] = append(of[q.Category], all[i])
	}
	row.All = mean(all)
	for _, c := range order {
		row.Categories = append(row.Categories, Category{c, mean(of[c])})
	}
	return row
}

// answer returns the result for a question.
func (q *asked) answer() *Answer {
	ids := q.ids()
	a := &Answer{Tenant: q.Tenant, Category: q.Category, Question: q.Question.Question, Candidates: q.weighed}
	for i, x := range q.measure(ids).within {
		a.Found[i] = rounded(x)
	}
	place := func(id string) Placed {
		e := q.event(id)
		at := slices.Index(ids, id)
		p := Placed{
			ID: id, Rank: at + 1, BM25: slices.Index(q.baseline, id) + 1, Fitted: slices.Index(q.fitted, id) + 1,
			Evidence: slices.Contains(q.Evidence, id), Tokens: e.Tokens, Text: e.Text,
		}
		if at >= 0 {
			p.Score = rounded(q.hits[at].score)
			p.Parts = make(map[string]float64, len(q.hits[at].parts))
			for _, part := range q.hits[at].parts {
				p.Parts[part.Name] = rounded(part.Score)
			}
		}
		return p
	}
	for _, id := range q.Evidence {
		a.Evidence = append(a.Evidence, place(id))
	}
	a.Hits = []Placed{}
	for _, id := range ids[:min(ShownHits, len(ids))] {
		a.Hits = append(a.Hits, place(id))
	}
	return a
}
