package eval

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lukasa.dev/internal/fault"
)

// write makes a directory with files.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const goodEvent = `{"hmx_version":"HMX-1.0","event_id":"e1","event_type":"message","agent_id":"a","tenant_id":"t","session_id":"s","timestamp":"2025-01-02T03:04:05Z","sequence":0,"content":{"role":"user","text":"hello"},"metadata":{}}` + "\n"

func TestLoad(t *testing.T) {
	s := loadTalk(t)
	if len(s.Tenants) != 2 || len(s.Questions) != 8 || s.Tenants[0].Name != "garden" || s.Tenants[1].Name != "ops" {
		t.Errorf("%+v", s)
	}
	e := s.Tenants[0].Events[1]
	if e.ID != "g2" || e.Text != "Tomas: They did, two boxes of tomato seeds and one of basil." || e.Tokens != 15 {
		t.Errorf("%+v", e)
	}
	e = s.Tenants[1].Events[1]
	if e.ID != "o2" || !strings.Contains(e.Text, "no space left") || !strings.Contains(e.words, "backup.log") {
		t.Errorf("%+v", e)
	}
	if got := s.Tenants[0].Newest.Format("2006-01-02"); got != "2025-08-11" {
		t.Error(got)
	}

	// One file with several tenants, and questions elsewhere.
	both := goodEvent + "\n" + strings.Replace(goodEvent, `"t"`, `"u"`, 1)
	other := write(t, map[string]string{"q.json": `[{"tenant":"u","question":"?","category":"c","evidence":["e1"],"answer":42}]`})
	s, err := Load(write(t, map[string]string{"x.ndjson": both}), filepath.Join(other, "q.json"))
	if err != nil || len(s.Tenants) != 2 || len(s.Questions) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// Errors name the file, line and field.
func TestLoadErrors(t *testing.T) {
	question := func(s string) string { return "[\n" + s + "\n]" }
	const q = `{"tenant":"t","question":"?","category":"c","evidence":["e1"]}`
	for name, c := range map[string]struct {
		events, questions string
		want              string
		code              fault.Code
	}{
		"no JSON":             {"{", "", "e.ndjson:1: ", fault.InvalidDocument},
		"no event":            {goodEvent + "\n{}", "", "e.ndjson:3: ", fault.InvalidDocument},
		"field":               {strings.Replace(goodEvent, `"sequence":0`, `"sequence":-1`, 1), "", "sequence", fault.InvalidDocument},
		"twice":               {goodEvent + goodEvent, "", `e.ndjson:2: event_id: "e1" is there twice`, fault.InvalidDocument},
		"no array":            {goodEvent, "{}", "questions.json:1: ", fault.InvalidDocument},
		"nothing":             {goodEvent, "", "questions.json:1: ", fault.InvalidDocument},
		"no questions":        {goodEvent, "[]", "questions.json:1: there are no questions", fault.InvalidDocument},
		"cut":                 {goodEvent, "[" + q, "the array does not end", fault.InvalidDocument},
		"cut inside":          {goodEvent, question(q + `,{"tenant":`), "question 2", fault.InvalidDocument},
		"no comma":            {goodEvent, question(q + "\n" + q), "questions.json:3: ", fault.InvalidDocument},
		"type":                {goodEvent, question(q + ",\n" + `{"tenant":7}`), "questions.json:3: question 2: tenant: a number is no string", fault.InvalidDocument},
		"tenant":              {goodEvent, question(strings.Replace(q, `"t"`, `"u"`, 1)), `questions.json:2: question 1: tenant: no event is of the tenant "u"`, fault.InvalidDocument},
		"question":            {goodEvent, question(strings.Replace(q, `"?"`, `""`, 1)), "question 1: question: it is empty", fault.InvalidDocument},
		"category":            {goodEvent, question(strings.Replace(q, `"c"`, `""`, 1)), "question 1: category: it is empty", fault.InvalidDocument},
		"no evidence":         {goodEvent, question(strings.Replace(q, `"e1"`, ``, 1)), "question 1: evidence: there is none", fault.InvalidDocument},
		"unknown evidence":    {goodEvent, question(strings.Replace(q, `"e1"`, `"e1","e2"`, 1)), `question 1: evidence[1]: "e2" is no event of the tenant "t"`, fault.InvalidDocument},
		"the same once more":  {goodEvent, question(strings.Replace(q, `"e1"`, `"e1","e1"`, 1)), `evidence[1]: "e1" is there twice`, fault.InvalidDocument},
		"evidence of a wrong": {goodEvent, question(strings.Replace(q, `["e1"]`, `"e1"`, 1)), "question 1: evidence: a string is no ", fault.InvalidDocument},
	} {
		dir := write(t, map[string]string{"e.ndjson": c.events, "questions.json": c.questions})
		_, err := Load(dir, "")
		if err == nil || !strings.Contains(err.Error(), c.want) || fault.CodeOf(err) != c.code || !strings.HasPrefix(err.Error(), dir) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if _, err := Load(t.TempDir(), ""); fault.CodeOf(err) != fault.UnreadableInput {
		t.Errorf("an empty directory: %v", err)
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none"), ""); fault.CodeOf(err) != fault.UnreadableInput {
		t.Errorf("no directory: %v", err)
	}
	if _, err := Load(write(t, map[string]string{"e.ndjson": goodEvent}), ""); fault.CodeOf(err) != fault.UnreadableInput || !strings.Contains(err.Error(), "questions.json") {
		t.Errorf("no questions: %v", err)
	}
}

func TestLoadDocumentsErrors(t *testing.T) {
	const corpus = `{"_id":"d","title":"A","text":"b"}`
	const queries = `{"_id":"q","text":"a"}`
	const grades = "query-id\tcorpus-id\tscore\nq\td\t1\n"
	for name, c := range map[string]struct{ corpus, queries, grades, want string }{
		"corpus":         {"{", queries, grades, "corpus.jsonl:1: "},
		"document":       {corpus + "\n\n" + `{"_id":7}`, queries, grades, "corpus.jsonl:3: _id: "},
		"document twice": {corpus + "\n" + corpus, queries, grades, `corpus.jsonl:2: _id: "d" is there twice`},
		"no id":          {`{"title":"A"}`, queries, grades, "corpus.jsonl:1: _id: it is empty"},
		"query":          {corpus, `{"_id":"q","text":[]}`, grades, "queries.jsonl:1: text: "},
		"no text":        {corpus, `{"_id":"q"}`, grades, "queries.jsonl:1: text: it is empty"},
		"query twice":    {corpus, queries + "\n" + queries, grades, `queries.jsonl:2: _id: "q" is there twice`},
		"fields":         {corpus, queries, "q\td\n", "qrels-test.tsv:1: there are 2 fields"},
		"grade":          {corpus, queries, grades + "q\td\tx\n", `qrels-test.tsv:3: grade: "x" is no whole number`},
		"no document":    {corpus, queries, grades + "q\tx\t1\n", `qrels-test.tsv:3: document: "x" is not in the corpus`},
		"no query":       {corpus, queries, grades + "x\td\t1\n", `qrels-test.tsv:3: query: "x" is not in queries.jsonl`},
		"nothing judged": {corpus, queries, "query-id\tcorpus-id\tscore\nq\td\t0\n", "no query has an answer"},
		"long":           {strings.Repeat(" ", maxLine+1), queries, grades, "corpus.jsonl:1: "},
	} {
		dir := write(t, map[string]string{"corpus.jsonl": c.corpus, "queries.jsonl": c.queries, "qrels-test.tsv": c.grades})
		if _, err := LoadDocuments(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	dir := write(t, map[string]string{"corpus.jsonl": corpus, "queries.jsonl": queries})
	if _, err := LoadDocuments(dir); fault.CodeOf(err) != fault.UnreadableInput {
		t.Errorf("nothing is judged: %v", err)
	}
	if HasDocuments(t.TempDir()) || !HasDocuments(dir) {
		t.Error("documents are taken for something else")
	}

	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(corpus))
	_ = z.Close()
	dir = write(t, map[string]string{"corpus.jsonl.gz": packed.String(), "queries.jsonl": queries, "qrels-test.tsv": grades})
	if d, err := LoadDocuments(dir); err != nil || len(d.Documents) != 1 || len(d.Queries) != 1 {
		t.Errorf("%+v, %v", d, err)
	}
	dir = write(t, map[string]string{"corpus.jsonl.gz": corpus})
	if _, err := LoadDocuments(dir); fault.CodeOf(err) != fault.UnreadableInput {
		t.Errorf("no gzip: %v", err)
	}
}

// An event that the engine refuses ends the evaluation.
func TestRefused(t *testing.T) {
	s := loadTalk(t)
	s.files[1].data = append(s.files[1].data, "{}\n"...)
	_, err := Run(t.Context(), s, Options{Work: t.TempDir()})
	if fault.CodeOf(err) != fault.InvalidDocument || !strings.Contains(err.Error(), "ops.ndjson:16: ") {
		t.Error(err)
	}
}
