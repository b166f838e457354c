package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"lukasa.dev/internal/fault"
)

// Documents is a collection of documents with judged queries, in the form of BEIR.
type Documents struct {
	Documents []Document
	Queries   []Query // those with an answer, in the order of their first judgement
}

// Document is one of the collection.
type Document struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Query is a query, with the grades of documents.
type Query struct {
	ID     string         `json:"_id"`
	Text   string         `json:"text"`
	Grades map[string]int `json:"-"` // above 0, by the ids of documents
}

// HasDocuments reports whether a directory has the files of a collection.
func HasDocuments(dir string) bool { return corpusFile(dir) != "" }

// corpusFile returns the file of documents in a directory, or nothing.
func corpusFile(dir string) string {
	for _, name := range []string{"corpus.jsonl", "corpus.jsonl.gz"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return filepath.Join(dir, name)
		}
	}
	return ""
}

// LoadDocuments reads the collection in a directory: corpus.jsonl or corpus.jsonl.gz with {_id,
// title, text} per line, queries.jsonl with {_id, text}, and qrels-*.tsv with query, document
// and grade below a heading. Queries without judgements or answers are left out.
func LoadDocuments(dir string) (*Documents, error) {
	d := &Documents{}
	known := map[string]bool{}
	err := jsonLines(corpusFile(dir), func(line []byte) (field string, err error) {
		var doc Document
		if err := json.Unmarshal(line, &doc); err != nil {
			return fieldOf(err), err
		}
		if err := checkID(doc.ID, known); err != nil {
			return "_id", err
		}
		d.Documents = append(d.Documents, doc)
		return "", nil
	})
	if err != nil {
		return nil, err
	}
	queries, texts := map[string]bool{}, map[string]string{}
	err = jsonLines(filepath.Join(dir, "queries.jsonl"), func(line []byte) (field string, err error) {
		var q Query
		if err := json.Unmarshal(line, &q); err != nil {
			return fieldOf(err), err
		}
		if err := checkID(q.ID, queries); err != nil {
			return "_id", err
		}
		if strings.TrimSpace(q.Text) == "" {
			return "text", errors.New("it is empty")
		}
		texts[q.ID] = q.Text
		return "", nil
	})
	if err != nil {
		return nil, err
	}
	return d, d.readGrades(dir, known, texts)
}

// checkID returns what is wrong with an id.
func checkID(id string, known map[string]bool) error {
	switch {
	case id == "":
		return errors.New("it is empty")
	case known[id]:
		return fmt.Errorf("%q is there twice", id)
	}
	known[id] = true
	return nil
}

// readGrades reads every file of judgements.
func (d *Documents) readGrades(dir string, documents map[string]bool, texts map[string]string) error {
	paths, err := filesIn(dir, "qrels-", ".tsv")
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fault.Newf(fault.UnreadableInput, "%q has no qrels-*.tsv next to the corpus", dir).
			WithFix("add a file with query, document and grade, a tab between, below a line of headings")
	}
	at := map[string]int{}
	for _, path := range paths {
		err := fileLines(path, func(number int, line []byte) (field string, err error) {
			fields := strings.Split(string(line), "\t")
			if len(fields) != 3 {
				return "", fmt.Errorf("there are %d fields, not 3 with a tab between", len(fields))
			}
			grade, err := strconv.Atoi(fields[2])
			switch {
			case err != nil && number == 1:
				return "", nil // headings
			case err != nil:
				return "grade", fmt.Errorf("%q is no whole number", fields[2])
			case !documents[fields[1]]:
				return "document", fmt.Errorf("%q is not in the corpus", fields[1])
			}
			text, ok := texts[fields[0]]
			if !ok {
				return "query", fmt.Errorf("%q is not in queries.jsonl", fields[0])
			}
			if grade <= 0 {
				return "", nil
			}
			i, ok := at[fields[0]]
			if !ok {
				i = len(d.Queries)
				at[fields[0]] = i
				d.Queries = append(d.Queries, Query{ID: fields[0], Text: text, Grades: map[string]int{}})
			}
			d.Queries[i].Grades[fields[1]] = grade
			return "", nil
		})
		if err != nil {
			return err
		}
	}
	if len(d.Queries) == 0 {
		return fault.Newf(fault.InvalidDocument, "%s: no query has an answer", strings.Join(paths, ", "))
	}
	return nil
}

// fieldOf returns the field of a JSON error, if it names one.
func fieldOf(err error) string {
	var of *json.UnmarshalTypeError
	if errors.As(err, &of) {
		return of.Field
	}
	return ""
}

// jsonLines calls take with each line of a file.
func jsonLines(path string, take func(line []byte) (field string, err error)) error {
	return fileLines(path, func(_ int, line []byte) (string, error) { return take(line) })
}

// fileLines calls take with the number, from 1, and the text of each line of a file, which may
// be gzip. It skips blank lines.
func fileLines(path string, take func(number int, line []byte) (field string, err error)) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return unreadable(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	var src io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if src, err = gzip.NewReader(f); err != nil {
			return fault.Newf(fault.UnreadableInput, "%s: %w", path, err)
		}
	}
	lines := bufio.NewScanner(src)
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if field, err := take(number, line); err != nil {
			return invalid(path, number, field, "%w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fault.Newf(fault.UnreadableInput, "%s:%d: %w", path, number+1, err)
	}
	return nil
}

// maxLine is the maximum length of a line, in bytes.
const maxLine = 4 << 20
