package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/kind"
)

// Set is conversations and questions about them.
type Set struct {
	Tenants   []*Tenant // in order of first occurrence
	Questions []Question
	files     []file
}

// Tenant is the events of one tenant.
type Tenant struct {
	Name   string
	Events []Event
	Newest time.Time // of the events' times
	index  map[string]int
}

// Event is the content of one event.
type Event struct {
	ID     string
	Text   string // its own
	Tokens int    // of the text
	words  string // title and text, for searches by words
}

// Question is a question and its evidence.
type Question struct {
	Tenant   string   `json:"tenant"`
	Question string   `json:"question"`
	Category string   `json:"category"`
	Evidence []string `json:"evidence"` // ids of events of the tenant
}

// file is a raw file of events.
type file struct {
	path string
	data []byte
}

// QuestionsFile is the name of the file with the questions, beside the events.
const QuestionsFile = "questions.json"

// Load reads the conversations in a directory: *.ndjson with HMX events, one a line, each of
// one or more tenants, and questions.json or another file of questions. Errors name the file,
// line and field; nothing is skipped.
func Load(dir, questions string) (*Set, error) {
	paths, err := filesIn(dir, "", ".ndjson")
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fault.Newf(fault.UnreadableInput, "%q has no *.ndjson files", dir).
			WithFix(wanted)
	}
	s := &Set{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, unreadable(err)
		}
		s.files = append(s.files, file{path, data})
		if err := s.readEvents(path, data); err != nil {
			return nil, err
		}
	}
	if questions == "" {
		questions = filepath.Join(dir, QuestionsFile)
	}
	data, err := os.ReadFile(questions)
	if err != nil {
		return nil, unreadable(err)
	}
	return s, s.readQuestions(questions, data)
}

// filesIn returns the files in a directory with a prefix and a suffix, sorted.
func filesIn(dir, prefix, suffix string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, unreadable(err)
	}
	for _, e := range entries {
		if name := e.Name(); !e.IsDir() && strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths, nil
}

// wanted describes the expected directory.
const wanted = "name a directory with *.ndjson files of HMX events and a " + QuestionsFile + ", or with corpus.jsonl, queries.jsonl and qrels-*.tsv"

func unreadable(err error) error { return fault.Newf(fault.UnreadableInput, "%w", err).WithFix(wanted) }

// invalid is the error for a place in a file.
func invalid(path string, line int, field, format string, args ...any) *fault.Error {
	if field != "" {
		field += ": "
	}
	return fault.Newf(fault.InvalidDocument, "%s:%d: %s%w", path, line, field, fmt.Errorf(format, args...)).
		WithFix("correct it there; nothing is evaluated in part")
}

// readEvents reads a file of events.
func (s *Set) readEvents(path string, data []byte) error {
	line := 0
	for text := range bytes.Lines(data) {
		line++
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		ev, _, err := hmx.DecodeEvent(text)
		if err != nil {
			var wrong *hmx.InvalidError
			if errors.As(err, &wrong) {
				return invalid(path, line, "", "%w", err).WithFix("`lukasa validate " + path + "` shows everything that is wrong with it")
			}
			return invalid(path, line, "", "%w", err)
		}
		t := s.tenant(ev.TenantID)
		if t == nil {
			t = &Tenant{Name: ev.TenantID, index: map[string]int{}}
			s.Tenants = append(s.Tenants, t)
		}
		if _, twice := t.index[ev.EventID]; twice {
			return invalid(path, line, "event_id", "%q is there twice", ev.EventID).WithFix("give every event of a tenant an id of its own")
		}
		t.index[ev.EventID] = len(t.Events)
		t.Events = append(t.Events, readEvent(ev))
		if at := ev.Timestamp.Time(); at.After(t.Newest) {
			t.Newest = at
		}
	}
	return nil
}

// readEvent returns the content of an event.
func readEvent(ev *hmx.Event) Event {
	c := kind.ReadContent(ev)
	e := Event{ID: ev.EventID, Text: c.Text, words: c.Title + "\n" + c.Text}
	if m, ok := hmx.EventContentAs[hmx.Message](ev); ok && m.Text != "" {
		e.Text = m.Text
	}
	e.Tokens = Tokens(e.Text)
	return e
}

// tenant returns the tenant of a name, or nil.
func (s *Set) tenant(name string) *Tenant {
	for _, t := range s.Tenants {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// readQuestions reads a file of questions: an array of objects. It ignores unknown members.
func (s *Set) readQuestions(path string, data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	here := func() int { return 1 + bytes.Count(data[:d.InputOffset()], []byte("\n")) }
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return invalid(path, here(), "", "this is no array of questions").WithFix(`make it [{"tenant": …, "question": …, "category": …, "evidence": [event_id, …]}, …]`)
	}
	for d.More() {
		var q Question
		err := d.Decode(&q)
		line := here()
		number := fmt.Sprintf("question %d", len(s.Questions)+1)
		var syntax *json.SyntaxError
		var of *json.UnmarshalTypeError
		switch {
		case errors.As(err, &of):
			return invalid(path, line, number+": "+of.Field, "a %s is no %s", of.Value, of.Type)
		case errors.As(err, &syntax):
			return invalid(path, 1+bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n")), number, "%w", err)
		case err != nil:
			return invalid(path, line, number, "%w", err)
		}
		if field, err := s.checkQuestion(&q); err != nil {
			return invalid(path, line, number+": "+field, "%w", err)
		}
		s.Questions = append(s.Questions, q)
	}
	if _, err := d.Token(); err != nil {
		return invalid(path, here(), "", "the array does not end: %w", err)
	}
	if len(s.Questions) == 0 {
		return invalid(path, here(), "", "there are no questions")
	}
	return nil
}

// checkQuestion returns what is wrong with a question, and the field.
func (s *Set) checkQuestion(q *Question) (field string, err error) {
	t := s.tenant(q.Tenant)
	switch {
	case t == nil:
		return "tenant", fmt.Errorf("no event is of the tenant %q", q.Tenant)
	case q.Question == "":
		return "question", errors.New("it is empty")
	case q.Category == "":
		return "category", errors.New("it is empty")
	case len(q.Evidence) == 0:
		return "evidence", errors.New("there is none, so nothing can be found")
	}
	for i, id := range q.Evidence {
		if _, ok := t.index[id]; !ok {
			return fmt.Sprintf("evidence[%d]", i), fmt.Errorf("%q is no event of the tenant %q", id, q.Tenant)
		}
		if slices.Contains(q.Evidence[:i], id) {
			return fmt.Sprintf("evidence[%d]", i), fmt.Errorf("%q is there twice", id)
		}
	}
	return "", nil
}

// sample returns n of the numbers below total, sorted, drawn by a seed; all of them if n is 0
// or at least total.
func sample(total, n int, seed uint64) []int {
	if n <= 0 || n >= total {
		n = total
	}
	drawn := rand.New(rand.NewPCG(seed, 0)).Perm(total)[:n]
	slices.Sort(drawn)
	return drawn
}
