package concern

import (
	"bufio"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// talks is the directory of conversations and questions about them.
const talks = "../../../shared/data/locomo-dev"

// strangers is how many turns of an unrelated conversation are compared with a question: those
// that are most similar, as a search would find them.
const strangers = 20

// everyOf selects one in this many questions.
const everyOf = 10

// turn is a turn of a conversation.
type turn struct {
	id, text string
}

// readTalks returns the turns of conversations by name, and turns by id.
func readTalks(t *testing.T) (map[string][]turn, map[string]turn) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(talks, "*.ndjson"))
	if err != nil || len(files) == 0 {
		t.Skip("the conversations are not here")
	}
	by, all := map[string][]turn{}, map[string]turn{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var e struct {
				ID      string                `json:"event_id"`
				Tenant  string                `json:"tenant_id"`
				Content struct{ Text string } `json:"content"`
			}
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Fatal(err)
			}
			by[e.Tenant] = append(by[e.Tenant], turn{e.ID, e.Content.Text})
			all[e.ID] = turn{e.ID, e.Content.Text}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
		_ = f.Close() // it was only read
	}
	return by, all
}

// Most turns that answer a question concern it, and few of another conversation do, though they
// are the most similar ones in it. docs/hooks.md has the figures.
func TestConcernsFloor(t *testing.T) {
	by, all := readTalks(t)
	data, err := os.ReadFile(filepath.Join(talks, "questions.json"))
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
	var names []string
	for name := range by {
		names = append(names, name)
	}
	slices.Sort(names)
	var answers, kept, foreign, let int
	for i, asked := range questions {
		if i%everyOf != 0 {
			continue
		}
		q := About(asked.Question)
		for _, id := range asked.Evidence {
			if x, ok := all[id]; ok {
				answers++
				if q.Concerns(x.text) {
					kept++
				}
			}
		}
		if q.Empty() {
			continue
		}
		other := by[names[(slices.Index(names, asked.Tenant)+1)%len(names)]]
		for _, score := range nearest(q, other) {
			foreign++
			if score >= Enough {
				let++
			}
		}
	}
	keeps, lets := float64(kept)/float64(answers), float64(let)/float64(foreign)
	t.Logf("of %d answers %.3f are kept, of %d other turns %.3f", answers, keeps, foreign, lets)
	if keeps < 0.85 || lets > 0.125 {
		t.Errorf("of what answers %.3f are kept, and of what does not %.3f", keeps, lets)
	}
}

// nearest returns the scores of the turns most similar to a question.
func nearest(q *Question, turns []turn) []float64 {
	scores := make([]float64, len(turns))
	for i, x := range turns {
		scores[i] = q.shared(x.text) + q.near(x.text)
	}
	slices.SortFunc(scores, func(a, b float64) int { return cmp.Compare(b, a) })
	return scores[:min(len(scores), strangers)]
}
