package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
)

// documentTenant is the tenant of a collection.
const documentTenant = "eval-documents"

// Depths of the figures of documents.
const (
	gainDepth   = 10
	recallDepth = 100
)

// DocumentReport is the result of an evaluation on documents.
type DocumentReport struct {
	Documents int           `json:"documents"`
	Queries   int           `json:"queries"`
	Rows      []DocumentRow `json:"rows"`
	Degraded  []string      `json:"degraded,omitempty"`
	Directory string        `json:"directory,omitempty"`
}

// DocumentRow is the result of one ranking, as means over queries.
type DocumentRow struct {
	Name      string  `json:"name"` // bm25, words, meaning, all
	NDCG10    float64 `json:"ndcg_at_10"`
	Recall100 float64 `json:"recall_at_100"`
}

// The names of rows of documents, besides [RowBM25].
const (
	RowWords   = "words"
	RowMeaning = "meaning"
	RowAll     = "all"
)

// RunDocuments puts each document into one tenant as an event of its own session, runs the
// queries with candidates from words, from meaning and from everything, and measures the
// answers. It uses the options Work, Keep, Top, Limit, Seed and Progress. Top is 100 if it is
// zero; with less, the recall is that of fewer hits.
func RunDocuments(ctx context.Context, d *Documents, o Options) (_ *DocumentReport, err error) {
	if o.Top == 0 {
		o.Top = recallDepth
	}
	if o.Top < 1 || o.Top > MaxTop {
		return nil, fault.Newf(fault.InvalidArgument, "top: %d is not from 1 to %d", o.Top, MaxTop)
	}
	at := time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)
	b, err := newBoard(ctx, o.Work, o.Keep, at)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	r := &DocumentReport{Documents: len(d.Documents)}
	if o.Keep {
		r.Directory = b.dir
	}
	stream, err := d.events(at)
	if err != nil {
		return nil, err
	}
	tell := func(in lukasa.IngestReport) { o.tell("recording", in.Accepted, len(d.Documents)) }
	if err := b.ingest(ctx, "document", bytes.NewReader(stream), tell); err != nil {
		return nil, err
	}
	var queries []*Query
	for _, i := range sample(len(d.Queries), o.Limit, o.Seed) {
		queries = append(queries, &d.Queries[i])
	}
	r.Queries = len(queries)
	tenant := b.Tenant(documentTenant, lukasa.Writer{})
	base := newBM25(d.words())
	for _, way := range []struct {
		name    string
		sources lukasa.Sources
	}{{RowBM25, 0}, {RowWords, lukasa.FromWords}, {RowMeaning, lukasa.FromMeaning}, {RowAll, 0}} {
		ranked := make([][]string, len(queries))
		degraded := make([][]string, len(queries))
		tell := func(done int) { o.tell("asking, "+way.name, done, len(queries)) }
		err := each(ctx, len(queries), tell, func(ctx context.Context, i int) error {
			if way.name == RowBM25 {
				for _, doc := range base.rank(queries[i].Text, o.Top) {
					ranked[i] = append(ranked[i], d.Documents[doc].ID)
				}
				return nil
			}
			found, err := tenant.Search(ctx, lukasa.SearchOptions{
				Query: queries[i].Text, TopK: o.Top, Sources: way.sources, View: lukasa.View{Now: at}, Form: lukasa.FormFull,
			})
			if err != nil {
				return fault.Newf(fault.CodeOf(err), "query %q: %w", queries[i].ID, err)
			}
			degraded[i] = found.Degraded
			for k := range found.Hits {
				ranked[i] = append(ranked[i], found.Hits[k].URI.ID)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		r.Rows = append(r.Rows, newDocumentRow(way.name, queries, ranked))
		r.Degraded = distinct(r.Degraded, degraded)
	}
	return r, nil
}

// newDocumentRow measures rankings.
func newDocumentRow(name string, queries []*Query, ranked [][]string) DocumentRow {
	row := DocumentRow{Name: name}
	for i, q := range queries {
		row.NDCG10 += NDCG(ranked[i], q.Grades, gainDepth)
		found := 0
		for _, id := range ranked[i][:min(recallDepth, len(ranked[i]))] {
			if q.Grades[id] > 0 {
				found++
			}
		}
		row.Recall100 += float64(found) / float64(len(q.Grades))
	}
	n := float64(max(1, len(queries)))
	row.NDCG10, row.Recall100 = rounded(row.NDCG10/n), rounded(row.Recall100/n)
	return row
}

// words returns the searched text of each document.
func (d *Documents) words() []string {
	list := make([]string, len(d.Documents))
	for i, doc := range d.Documents {
		list[i] = doc.Title + "\n" + doc.Text
	}
	return list
}

// events returns the documents as lines of events. The id of a document is that of its event.
func (d *Documents) events(at time.Time) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for _, doc := range d.Documents {
		err := enc.Encode(map[string]any{
			"hmx_version": hmx.Version, "event_id": doc.ID, "event_type": "x-eval-document", "agent_id": "eval",
			"tenant_id": documentTenant, "session_id": "document-" + doc.ID, "timestamp": at.Format(time.RFC3339), "sequence": 0,
			"content":  map[string]string{"title": doc.Title, "text": doc.Text},
			"metadata": map[string]string{},
		})
		if err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// distinct appends what is new.
func distinct(have []string, lists [][]string) []string {
	seen := map[string]bool{}
	for _, s := range have {
		seen[s] = true
	}
	for _, list := range lists {
		for _, s := range list {
			if !seen[s] {
				seen[s] = true
				have = append(have, s)
			}
		}
	}
	return have
}
