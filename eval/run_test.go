package eval

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/testsize"
)

func loadTalk(t *testing.T) *Set {
	t.Helper()
	s, err := Load("testdata/talk", "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs an evaluation in a directory of the test, and returns the answers.
func run(t *testing.T, s *Set, o Options) (*Report, []*Answer) {
	t.Helper()
	var answers []*Answer
	o.Work = t.TempDir()
	o.Answer = func(a *Answer) error {
		answers = append(answers, a)
		return nil
	}
	r, err := Run(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(o.Work); len(left) != 0 && !o.Keep {
		t.Errorf("%s was left behind", left[0].Name())
	}
	return r, answers
}

// The baseline's figures follow from ranks that can be counted by hand; the engine finds all
// evidence in two short conversations.
func TestRun(t *testing.T) {
	s := loadTalk(t)
	r, answers := run(t, s, Options{})
	if r.Tenants != 2 || r.Events != 31 || r.Top != DefaultTop || len(r.Rows) != 2 || r.Directory != "" || len(r.Degraded) > 0 {
		t.Errorf("%+v", r)
	}
	ranks := [][]int{{2}, {1, 5}, {9}, {0}, {2, 3}, {3}, {0}, {0}}
	if len(answers) != len(ranks) {
		t.Fatalf("%d answers", len(answers))
	}
	for i, a := range answers {
		var got []int
		for _, e := range a.Evidence {
			got = append(got, e.BM25)
			if !e.Evidence || e.Rank == 0 || e.Tokens != Tokens(e.Text) || len(e.Parts) == 0 {
				t.Errorf("%s: %+v", a.Question, e)
			}
		}
		if !slices.Equal(got, ranks[i]) {
			t.Errorf("%s: BM25 has the evidence at %v, want %v", a.Question, got, ranks[i])
		}
		if a.Question != s.Questions[i].Question || a.Candidates == 0 || len(a.Hits) == 0 || a.Hits[0].Rank != 1 {
			t.Errorf("%+v", a)
		}
	}
	if want := (Figures{8, 0.5, 0.625, 0.625, 0.625, 0.625, 0.625, 0.625}); r.Rows[0].Name != RowBM25 || r.Rows[0].All != want {
		t.Errorf("BM25: %+v", r.Rows[0])
	}
	if want := []Category{
		{"single", Figures{4, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}},
		{"multi", Figures{2, 1, 1, 1, 1, 1, 1, 1}},
		{"when", Figures{2, 0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}},
	}; !slices.Equal(r.Rows[0].Categories, want) {
		t.Errorf("BM25: %+v", r.Rows[0].Categories)
	}
	all := r.Rows[1].All
	if r.Rows[1].Name != RowRecall || all.At5 < 0.8 || all.At10 < all.At5 || all.At20 != 1 || all.Within500 != 1 {
		t.Errorf("recall: %+v", all)
	}
}

// The same data gives the same report, with any options.
func TestRunAgain(t *testing.T) {
	s := loadTalk(t)
	first, _ := run(t, s, Options{Fit: true, Top: 50})
	second, answers := run(t, s, Options{Fit: true, Top: 50})
	a, _ := json.Marshal(first)
	b, _ := json.Marshal(second)
	if string(a) != string(b) {
		t.Errorf("%s\nand then\n%s", a, b)
	}
	if len(first.Rows) != 3 || first.Rows[2].Name != RowFitted || first.Rows[2].All.At20 != 1 || len(first.Weights) < 3 {
		t.Errorf("%s", a)
	}
	for _, w := range first.Weights {
		if len(w.Without) != 2 {
			t.Errorf("%+v", w)
		}
	}
	for _, answer := range answers {
		if answer.Evidence[0].Fitted == 0 {
			t.Errorf("%+v", answer)
		}
	}
}

func TestRunOptions(t *testing.T) {
	s := loadTalk(t)
	r, answers := run(t, s, Options{Limit: 3, Seed: 5, Top: 1, Sources: lukasa.FromWords, Keep: true})
	if r.Rows[1].All.Questions != 3 || len(answers) != 3 || r.Top != 1 {
		t.Errorf("%+v", r)
	}
	for _, a := range answers {
		if len(a.Hits) != 1 {
			t.Errorf("%s: %d hits", a.Question, len(a.Hits))
		}
	}
	b, err := lukasa.Open(r.Directory, lukasa.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := b.CountTenants(t.Context()); n != 2 || err != nil {
		t.Errorf("%d tenants are kept, %v", n, err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}

	for name, o := range map[string]Options{"top": {Top: MaxTop + 1}, "less": {Top: -1}} {
		if _, err := Run(t.Context(), s, o); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	one := &Set{Tenants: s.Tenants[:1], Questions: s.Questions[:1]}
	if _, err := Run(t.Context(), one, Options{Fit: true}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("a fit with one tenant: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, s, Options{Work: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	full := errors.New("full")
	if _, err := Run(t.Context(), s, Options{Work: t.TempDir(), Answer: func(*Answer) error { return full }}); !errors.Is(err, full) {
		t.Errorf("an answer that nobody takes: %v", err)
	}
}

func TestEach(t *testing.T) {
	bad := errors.New("bad")
	done := 0
	err := each(t.Context(), 100, func(n int) { done = n }, func(_ context.Context, i int) error {
		if i == 0 {
			return bad
		}
		return nil
	})
	if !errors.Is(err, bad) {
		t.Errorf("%v after %d", err, done)
	}
	if err := each(t.Context(), 100, func(n int) { done = n }, func(context.Context, int) error { return nil }); err != nil || done != 100 {
		t.Errorf("%v after %d", err, done)
	}
	if err := each(t.Context(), 0, nil, nil); err != nil {
		t.Error(err)
	}
}

func TestRunDocuments(t *testing.T) {
	d, err := LoadDocuments("testdata/papers")
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Documents) != 6 || len(d.Queries) != 3 || d.Queries[1].Grades["d4"] != 2 || len(d.Queries[0].Grades) != 1 {
		t.Errorf("%+v", d)
	}
	r, err := RunDocuments(t.Context(), d, Options{Work: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if r.Documents != 6 || r.Queries != 3 || len(r.Rows) != 4 {
		t.Fatalf("%+v", r)
	}
	for i, name := range []string{RowBM25, RowWords, RowMeaning, RowAll} {
		if row := r.Rows[i]; row.Name != name || row.NDCG10 < 0.9 || row.Recall100 != 1 {
			t.Errorf("%+v", row)
		}
	}
}

// publicData returns a directory of public data beside the repository, and skips the test if it
// is missing.
func publicData(t *testing.T, name string) string {
	dir := filepath.Join("..", "..", "shared", "data", name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("%s is not there; docs/quality.md tells what it is", dir)
	}
	return dir
}

// The minimum quality on public data that is too large for the repository. The reached values
// are in docs/quality.md.
func TestFloors(t *testing.T) {
	testsize.Long(t, "asks a thousand questions")
	data := publicData
	t.Run("conversations", func(t *testing.T) {
		s, err := Load(data(t, "locomo-dev"), "")
		if err != nil {
			t.Fatal(err)
		}
		r, _ := run(t, s, Options{Top: 100})
		row := r.Rows[1]
		least := func(name string, got, want float64) {
			t.Helper()
			if got < want {
				t.Errorf("%s: %.4f, must be %.2f", name, got, want)
			}
		}
		least("within 1000", row.All.Within1000, 0.84)
		least("within 2000", row.All.Within2000, 0.89)
		for _, c := range row.Categories {
			switch c.Name {
			case "multi-hop":
				least(c.Name, c.Within1000, 0.52)
			case "open-domain":
				least(c.Name, c.Within1000, 0.45)
			}
		}
		if r.Rows[0].All.Within1000 >= row.All.Within1000 {
			t.Errorf("plain BM25 reaches %.4f, recall %.4f", r.Rows[0].All.Within1000, row.All.Within1000)
		}
	})
	t.Run("documents", func(t *testing.T) {
		d, err := LoadDocuments(data(t, "scifact"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := RunDocuments(t.Context(), d, Options{Work: t.TempDir(), Top: gainDepth})
		if err != nil {
			t.Fatal(err)
		}
		words, meaning, all := r.Rows[1].NDCG10, r.Rows[2].NDCG10, r.Rows[3].NDCG10
		if words < 0.68 || all < max(words, meaning) {
			t.Errorf("by words %.4f, by meaning %.4f, by all %.4f", words, meaning, all)
		}
	})
}
