package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/mapping"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/lexical"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/text"
)

// The documents and questions for both indexes.
const (
	bleveDocuments = 100_000
	bleveWords     = 41 // per document, which makes about 275 bytes
	bleveBatch     = 1000
	bleveRounds    = 3
	bleveQueries   = 300
	bleveHits      = 10
)

// pairedTimes is the wall and processor time of two contenders for the same work.
type pairedTimes struct {
	ours, bleve       []float64 // seconds
	oursCPU, bleveCPU time.Duration
}

// timed appends the time of a call.
func timed(seconds *[]float64, cpu *time.Duration, do func()) {
	start, worked := time.Now(), processTime()
	do()
	*seconds = append(*seconds, time.Since(start).Seconds())
	*cpu += processTime() - worked
}

// report reports the speedup over bleve.
func (p *pairedTimes) report(b *testing.B) {
	b.ReportMetric(median(p.bleve)/median(p.ours), "ratio")
	b.ReportMetric(float64(p.bleveCPU)/float64(max(p.oursCPU, 1)), "cpu-ratio")
	b.ReportMetric(0, "ns/op") // of both contenders, which is meaningless
}

// bleveCorpus returns texts and their words.
func bleveCorpus(c *corpus, n int) (texts []string, words [][]uint32) {
	e := said{source: rand.NewPCG(5, 5)}
	e.chance = rand.New(e.source)
	for range n {
		e.text, e.words = e.text[:0], e.words[:0]
		texts = append(texts, c.prose(&e, e.chance.Uint64(), bleveWords))
		words = append(words, append([]uint32(nil), e.words...))
	}
	return texts, words
}

// ourWords is our inverted index in a store of its own.
type ourWords struct {
	store *kv.Store
	fold  *lexical.Lexical
	cache *lexical.Cache
	size  uint64
}

// openOurs opens our store, with the given number of documents.
func openOurs(b *testing.B, dir string, size int) *ourWords {
	s, err := kv.Open(kv.Options{FS: disk.OS(), Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	return &ourWords{store: s, fold: lexical.New(), cache: lexical.NewCache(0), size: uint64(size)}
}

func (o *ourWords) close(b *testing.B) {
	if err := o.store.Close(); err != nil {
		b.Fatal(err)
	}
}

// add indexes a batch of texts.
func (o *ourWords) add(b *testing.B, texts []string) {
	tx := o.store.Begin()
	for _, t := range texts {
		r := index.Record{Tenant: 1, Header: record.Header{Kind: record.Event, Position: o.size}}
		r.Document = &index.Document{Kind: record.Event, Text: t, Tokens: text.Analyze(nil, text.FieldText, t)}
		if err := o.fold.Apply(tx, &r); err != nil {
			b.Fatal(err)
		}
		o.size++
	}
	if err := o.fold.Finish(tx); err != nil {
		b.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
}

// search parses and answers a question on a new snapshot, as recall does.
func (o *ourWords) search(b *testing.B, question string) int {
	r := o.store.Snapshot()
	defer r.Close()
	v, err := lexical.Open(r, 1, o.size, o.cache)
	if err != nil {
		b.Fatal(err)
	}
	var q lexical.Query
	for _, t := range text.ParseQuery(question).Terms {
		q.Terms = append(q.Terms, lexical.WeightedTerm{Term: t.Term, Weight: t.Weight})
	}
	found, err := v.Search(context.Background(), q, bleveHits, index.Filter{})
	if err != nil {
		b.Fatal(err)
	}
	return len(found)
}

// newBleve makes a bleve index: scorch on the disk, English, with one field that is not stored.
func newBleve(b *testing.B, dir string) bleve.Index {
	m := mapping.NewIndexMapping()
	f := bleve.NewTextFieldMapping()
	f.Analyzer, f.Store, f.IncludeInAll, f.IncludeTermVectors, f.DocValues = "en", false, false, false, false
	d := bleve.NewDocumentStaticMapping()
	d.AddFieldMappingsAt("text", f)
	m.DefaultMapping = d
	x, err := bleve.New(dir, m)
	if err != nil {
		b.Fatal(err)
	}
	return x
}

// addBleve indexes a batch of texts.
func addBleve(b *testing.B, x bleve.Index, from int, texts []string) {
	batch := x.NewBatch()
	for i, t := range texts {
		if err := batch.Index(strconv.Itoa(from+i), map[string]any{"text": t}); err != nil {
			b.Fatal(err)
		}
	}
	if err := x.Batch(batch); err != nil {
		b.Fatal(err)
	}
}

// searchBleve returns the number of hits and of matching documents.
func searchBleve(b *testing.B, x bleve.Index, question string) (hits, matches int) {
	q := bleve.NewMatchQuery(question)
	q.SetField("text")
	found, err := x.Search(bleve.NewSearchRequestOptions(q, bleveHits, 0, false))
	if err != nil {
		b.Fatal(err)
	}
	return len(found.Hits), int(found.Total)
}

// bleveQuestions returns questions of the given number of words. About two in a hundred
// documents have each word, and one document has all of them.
func bleveQuestions(c *corpus, words [][]uint32, terms int) (questions []string) {
	chance := rand.New(rand.NewPCG(6, uint64(terms)))
	for len(questions) < bleveQueries {
		var list []string
		seen := make(map[uint32]bool)
		for _, w := range words[chance.IntN(len(words))] {
			if len(list) < terms && w >= 100 && w < 500 && len(c.words[w]) > 4 && !seen[w] {
				seen[w] = true
				list = append(list, c.words[w])
			}
		}
		if len(list) == terms {
			questions = append(questions, strings.Join(list, " "))
		}
	}
	return questions
}

// batches calls do for the texts in batches.
func batches(texts []string, do func(from int, batch []string)) {
	for from := 0; from < len(texts); from += bleveBatch {
		do(from, texts[from:min(from+bleveBatch, len(texts))])
	}
}

// BenchmarkBleve indexes the same documents with bleve and with our inverted index,
// alternately, and runs the same questions on both. Ratios are the speedup over bleve: "ratio"
// of the medians in wall time, "cpu-ratio" of all processor time, including background work.
// Goals: 3 for indexing, 5 for questions of three words. Our index has no log of its own, since
// the journal is one; an index is closed within the measured time, so that everything is in
// files.
func BenchmarkBleve(b *testing.B) {
	documents, rounds := setting("LUKASA_BLEVE_DOCUMENTS", bleveDocuments), setting("LUKASA_BLEVE_ROUNDS", bleveRounds)
	c := newCorpus(1)
	texts, words := bleveCorpus(c, documents)
	dir := b.TempDir()
	var p pairedTimes
	bytes := 0
	at := func(name string, round int) string { return filepath.Join(dir, fmt.Sprint(name, round)) }
	for round := range rounds {
		timed(&p.bleve, &p.bleveCPU, func() {
			x := newBleve(b, at("bleve", round))
			batches(texts, func(from int, batch []string) { addBleve(b, x, from, batch) })
			if err := x.Close(); err != nil {
				b.Fatal(err)
			}
		})
		timed(&p.ours, &p.oursCPU, func() {
			x := openOurs(b, at("ours", round), 0)
			batches(texts, func(_ int, batch []string) { x.add(b, batch) })
			if err := x.store.Flush(); err != nil {
				b.Fatal(err)
			}
			x.close(b)
		})
	}
	for _, t := range texts {
		bytes += len(t)
	}
	b.Run("index", func(b *testing.B) {
		n := float64(documents)
		b.ReportMetric(n/median(p.ours), "lukasa-docs/s")
		b.ReportMetric(n/median(p.bleve), "bleve-docs/s")
		b.ReportMetric(n*float64(rounds)/p.oursCPU.Seconds(), "lukasa-docs/cpu-s")
		b.ReportMetric(n*float64(rounds)/p.bleveCPU.Seconds(), "bleve-docs/cpu-s")
		b.ReportMetric(float64(bytes)/n, "bytes/doc")
		p.report(b)
	})
	theirs, err := bleve.Open(at("bleve", 0))
	if err != nil {
		b.Fatal(err)
	}
	defer theirs.Close()
	ours := openOurs(b, at("ours", 0), documents)
	defer ours.close(b)
	for _, terms := range []int{1, 3, 8} {
		b.Run(fmt.Sprintf("terms=%d", terms), func(b *testing.B) {
			questions := bleveQuestions(c, words, terms)
			for _, q := range questions[:bleveQueries/3] { // warm
				searchBleve(b, theirs, q)
				ours.search(b, q)
			}
			var p pairedTimes
			different, matches := 0, 0
			for _, q := range questions {
				here, there, match := 0, 0, 0
				timed(&p.bleve, &p.bleveCPU, func() { there, match = searchBleve(b, theirs, q) })
				matches += match
				timed(&p.ours, &p.oursCPU, func() { here = ours.search(b, q) })
				if here != there {
					different++
				}
			}
			// Stop words and parts of names differ a little.
			if different > len(questions)/10 {
				b.Errorf("%d of %d questions have other numbers of hits here than there", different, len(questions))
			}
			b.ReportMetric(float64(matches)/bleveQueries, "matches")
			b.ReportMetric(1e6*median(p.ours), "lukasa-µs")
			b.ReportMetric(1e6*median(p.bleve), "bleve-µs")
			p.report(b)
		})
	}
}
