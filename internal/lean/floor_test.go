package lean_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lukasa.dev"
	"lukasa.dev/internal/lean"
	"lukasa.dev/internal/testsize"
)

// measured is the effect of a floor on the hits of questions.
type measured struct {
	questions         int
	recallAll, recall float64 // of the evidence among the first 20 hits, without and with the floor
	own, strangers    float64 // hits per question, in its own conversation and in another
	silentOwn, silent float64 // share of questions without hits
}

// floorOf searches for questions in their own conversation, and in the next one, which is
// unrelated.
func floorOf(t *testing.T, dir string, every int) (m measured) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.ndjson"))
	if err != nil || len(files) == 0 {
		t.Skip("the conversations are not here")
	}
	b := openBoard(t)
	var tenants []string
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Ingest(t.Context(), f, lukasa.IngestOptions{Writer: lukasa.Writer{Actor: "t"}}); err != nil {
			t.Fatal(err)
		}
		_ = f.Close() // it was only read
	}
	for root, err := range b.Tenants(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		tenants = append(tenants, root.Tenant)
	}
	data, err := os.ReadFile(filepath.Join(dir, "questions.json"))
	if err != nil {
		t.Fatal(err)
	}
	var questions []struct {
		Tenant, Question string
		Evidence         []string
	}
	if err := json.Unmarshal(data, &questions); err != nil {
		t.Fatal(err)
	}
	for i, q := range questions {
		if i%every != 0 || len(q.Evidence) == 0 {
			continue
		}
		m.questions++
		at := slices.Index(tenants, q.Tenant)
		all := found(t, b, q.Tenant, q.Question)
		kept := lean.Choose(q.Question, all[:min(len(all), 20)])
		m.recallAll += share(all[:min(len(all), 20)], q.Evidence)
		m.recall += share(kept, q.Evidence)
		m.own += float64(len(kept))
		other := found(t, b, tenants[(at+1)%len(tenants)], q.Question)
		strange := lean.Choose(q.Question, other[:min(len(other), 20)])
		m.strangers += float64(len(strange))
		if len(kept) == 0 {
			m.silentOwn++
		}
		if len(strange) == 0 {
			m.silent++
		}
	}
	for _, x := range []*float64{&m.recallAll, &m.recall, &m.own, &m.strangers, &m.silentOwn, &m.silent} {
		*x /= float64(m.questions)
	}
	t.Logf("%d questions: recall %.3f without the floor and %.3f with it; %.1f of 20 hits kept, of another conversation %.1f; nothing found for %.3f, in another conversation for %.3f",
		m.questions, m.recallAll, m.recall, m.own, m.strangers, m.silentOwn, m.silent)
	return m
}

// share is the share of the evidence among hits.
func share(hits []lukasa.SearchHit, evidence []string) float64 {
	n := 0
	for _, h := range hits {
		if slices.Contains(evidence, h.URI.ID) {
			n++
		}
	}
	return float64(n) / float64(len(evidence))
}

// every is the stride over the questions: all of them in a full run. Fewer than a quarter say
// nothing about a share, so a short run leaves the measurement out.
func every(tb testing.TB) int {
	testsize.Long(tb, "it measures shares of hundreds of questions")
	return testsize.Of(tb, "floor-stride", 4, 4, 1)
}

// The floor keeps nearly all evidence, and admits little of an unrelated conversation.
// docs/decisions/0040-a-floor-under-what-is-found.md has the figures of all questions.
func TestFloor(t *testing.T) {
	t.Parallel()
	const data = "../../../shared/data/"
	m := floorOf(t, data+"locomo-dev", every(t))
	if m.recall < m.recallAll-0.04 || m.strangers > 4 || m.silentOwn > 0.02 || m.silent < 0.7 {
		t.Errorf("%+v", m)
	}
}

// The same for long messages, of conversations that share many words.
func TestFloorOfLongTexts(t *testing.T) {
	t.Parallel()
	m := floorOf(t, "../../../shared/data/beam-dev", every(t))
	if m.recall < m.recallAll-0.06 || m.strangers > 12 || m.silentOwn > 0.06 {
		t.Errorf("%+v", m)
	}
}
