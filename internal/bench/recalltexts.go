package bench

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/vector"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/record"
)

const (
	leastTexts = 1000    // fewer are not representative
	longText   = 1 << 20 // maximum length of a line, in bytes
	asideTexts = 50      // one in this many texts is not stored but used as a question
)

// scanTexts compares the vector index with a scan on real texts. One in fifty texts is used as
// a question. If more vectors are wanted than there are texts, the others combine halves of two
// texts.
func scanTexts(ctx context.Context, o *RecallOptions) (*VectorScan, error) {
	texts, err := readTexts(o.Texts)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(o.Dir, "lukasa-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	model := embed.Builtin()
	out := &VectorScan{Vectors: o.Events, Dimensions: model.Dimensions()}
	defer makeRoom(out)()
	var stored, asked []string
	for i, t := range texts {
		if i%asideTexts == 0 {
			asked = append(asked, t)
		} else {
			stored = append(stored, t)
		}
	}
	out.Queries = min(len(asked), o.Queries, textQueries)
	chance := rand.New(rand.NewPCG(corpusSeed, 4))
	chance.Shuffle(len(asked), func(i, j int) { asked[i], asked[j] = asked[j], asked[i] })
	s := vectorScan{dimensions: out.Dimensions, vectors: make([]float32, 0, out.Vectors*out.Dimensions)}
	for i := range out.Vectors {
		if i%1000 == 0 {
			o.Progress("computing vectors of texts", i, out.Vectors)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		text := stored[i%len(stored)]
		if i >= len(stored) {
			text = mixed(text, stored[chance.IntN(len(stored))])
		}
		v := model.Embed(nil, text).Vector
		if len(v) == 0 {
			v = make([]float32, out.Dimensions) // it contains no word
		}
		s.vectors = append(s.vectors, v...)
	}
	store, err := kv.Open(kv.Options{FS: disk.OS(), Dir: filepath.Join(dir, "texts")})
	if err != nil {
		return nil, err
	}
	defer store.Close() // it is removed at the end
	if err := storeVectors(ctx, store, &s, o); err != nil {
		return nil, err
	}
	s.view = vector.Open(store, 0, uint64(out.Vectors), vector.NewCache(1<<30))
	next := 0
	err = s.compare(ctx, out, o, func() []float32 {
		next++
		return model.Embed(nil, asked[next%len(asked)]).Vector
	})
	return out, err
}

// textQueries is the maximum number of questions.
const textQueries = 300

// mixed returns the first half of the words of a text and the second half of another's.
func mixed(a, b string) string {
	x, y := strings.Fields(a), strings.Fields(b)
	return strings.Join(x[:(len(x)+1)/2], " ") + " " + strings.Join(y[len(y)/2:], " ")
}

// storeVectors folds vectors into the index.
func storeVectors(ctx context.Context, store *kv.Store, s *vectorScan, o *RecallOptions) error {
	x := vector.New(embed.Builtin().Name())
	all := len(s.vectors) / s.dimensions
	for i := 0; i < all; {
		o.Progress("storing vectors of texts", i, all)
		if err := ctx.Err(); err != nil {
			return err
		}
		tx := store.Begin()
		for end := min(i+4096, all); i < end; i++ {
			at := uint64(i)
			d := &index.Document{Kind: record.Event, Embedding: embed.Embedding{Vector: s.at(at), Norm: 1, Pieces: 1}}
			r := index.Record{Header: record.Header{Kind: record.Event, Position: at}, Event: &hmx.Event{}, Document: d}
			if err := x.Apply(tx, &r); err != nil {
				return err
			}
		}
		if err := x.Finish(tx); err != nil {
			return err
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	return store.Flush()
}

// readTexts returns the distinct texts of files, in order: the text of a line that is an event,
// the title and text of another JSON object, and otherwise the line. Files that end in .gz are
// decompressed.
func readTexts(files []string) ([]string, error) {
	var texts []string
	seen := make(map[string]bool)
	for _, name := range files {
		err := eachLine(name, func(line []byte) {
			if t := strings.TrimSpace(textOf(line)); len(strings.Fields(t)) > 2 && !seen[t] {
				seen[t] = true
				texts = append(texts, t)
			}
		})
		if err != nil {
			return nil, fault.Newf(fault.InvalidArgument, "texts: %v", err).WithFix("name a file that can be read, with a text, an event or a JSON object a line")
		}
	}
	if len(texts) < leastTexts {
		return nil, fault.Newf(fault.InvalidArgument, "texts: there are %d different ones of three words and more, but must be %d", len(texts), leastTexts).
			WithFix("name more files")
	}
	return texts, nil
}

func eachLine(name string, visit func([]byte)) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() // it is only read
	var src io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if src, err = gzip.NewReader(f); err != nil {
			return err
		}
	}
	lines := bufio.NewScanner(src)
	lines.Buffer(nil, longText)
	for lines.Scan() {
		visit(lines.Bytes())
	}
	return lines.Err()
}

// textOf returns the text of a line.
func textOf(line []byte) string {
	if len(line) == 0 || line[0] != '{' {
		return string(line)
	}
	if ev, _, err := hmx.DecodeEvent(line); err == nil {
		said, _ := index.EmbeddedText(&index.Record{Event: ev})
		return said
	}
	var other struct{ Title, Text string }
	if err := json.Unmarshal(line, &other); err != nil {
		return ""
	}
	return other.Title + " " + other.Text
}
