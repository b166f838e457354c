package lexical

import (
	"bytes"
	"cmp"
	"slices"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/text"
)

// View is the index of one tenant when it had a given number of records. It is valid as
// long as its reader, and is for one goroutine at a time: it caches what it has read of
// a term.
type View struct {
	reader   kv.Reader
	tenant   uint32
	size     uint64
	shape    *shape
	cache    *Cache
	stats    statistics
	segments []segment
	from     uint64 // where the tail begins
	tail     *tail  // nil until it is needed
	lists    map[text.Term]*termLists
	bytes    []byte // buffer for bodies
}

// termLists is what a view has read of a term: how many documents have it, and the
// bodies of its postings by segment, nil for none.
type termLists struct {
	documents uint64
	bodies    [][]byte
	tail      postings
}

// Open returns the view of a tenant with size records, which must match the reader. The
// cache may be nil, but then nothing is cached between views.
func Open(r kv.Reader, tenant uint32, size uint64, c *Cache) (*View, error) {
	return openShaped(theShape(), r, tenant, size, c)
}

func openShaped(s *shape, r kv.Reader, tenant uint32, size uint64, c *Cache) (*View, error) {
	if c == nil {
		c = NewCache(0)
	}
	stats, err := readStatistics(r, statisticsKey(nil, tenant))
	if err != nil {
		return nil, err
	}
	return &View{
		reader: r, tenant: tenant, size: size, shape: s, cache: c, stats: stats,
		segments: s.segments(size), from: s.tail(size), lists: make(map[text.Term]*termLists),
	}, nil
}

// Stats returns how many documents there are, and how many tokens they have outside of
// tags.
func (v *View) Stats() (documents, length uint64) { return v.stats.documents, v.stats.length }

// Doc is the index's content of one document.
type Doc struct {
	Length uint32       // tokens outside of tags
	Tokens []text.Token // by field, within it in order
}

// Forward returns a document, or nil if there is none at the position.
func (v *View) Forward(position uint64) (*Doc, error) {
	if position >= v.size {
		return nil, nil
	}
	row, ok, err := v.reader.Get(forwardKey(nil, v.tenant, position), nil)
	if err != nil || !ok {
		return nil, err
	}
	f, err := readForward(row)
	if err != nil {
		return nil, err
	}
	tokens, err := f.tokens()
	if err != nil {
		return nil, err
	}
	return &Doc{Length: f.length, Tokens: tokens}, nil
}

// load fills in the lists of terms.
func (v *View) load(terms []queryTerm) error {
	var missing []text.Term
	for i := range terms {
		t := terms[i].term
		if v.lists[t] != nil {
			continue
		}
		if l := v.cache.terms.get(termKey{v.tenant, v.size, t}); l != nil {
			v.lists[t] = l
		} else {
			missing = append(missing, t)
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		if err := v.read(slices.Compact(missing)); err != nil {
			return err
		}
	}
	for i := range terms {
		terms[i].lists = v.lists[terms[i].term]
	}
	return nil
}

// read reads terms, which are ascending, from every segment and the tail.
func (v *View) read(terms []text.Term) error {
	if v.tail == nil {
		t, err := v.cache.tailOf(v.reader, tailKey{v.tenant, v.size}, v.from)
		if err != nil {
			return err
		}
		v.tail = t
	}
	fresh := make([]termLists, len(terms))
	bodies := make([][]byte, len(terms)*len(v.segments))
	for i, t := range terms {
		l := &fresh[i]
		l.bodies = bodies[i*len(v.segments) : (i+1)*len(v.segments)]
		v.tail.postings(t, &l.tail)
		l.documents = uint64(len(l.tail.offsets))
	}
	if len(v.segments) > 0 && v.stats.documents > 0 {
		if err := v.readSegments(terms, fresh); err != nil {
			return err
		}
	}
	for i, t := range terms {
		v.lists[t] = &fresh[i]
		v.cache.terms.put(termKey{v.tenant, v.size, t}, &fresh[i])
	}
	return nil
}

// readSegments looks up keys in order with one iterator, which is cheaper than many
// Gets, since most keys are adjacent.
func (v *View) readSegments(terms []text.Term, fresh []termLists) error {
	prefix := index.NewKey(nil, Prefix, tableBucket, v.tenant)
	it, err := v.reader.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	defer it.Close()
	key := make([]byte, 0, keyEnd)
	for s := 0; s < len(v.segments); {
		seg, n := v.segments[s], 1
		for seg.level > 0 && s+n < len(v.segments) && v.segments[s+n].level == seg.level {
			n++
		}
		for i, t := range terms {
			key = bucketKey(key, v.tenant, seg, v.shape.bucketOf(seg.level, t))
			for ok := it.Seek(key); ok; ok = it.Next() {
				at := it.Key()
				k := 0
				if seg.level == 0 && !bytes.Equal(at, key) {
					break
				} else if seg.level > 0 {
					if len(at) != keyEnd || !bytes.Equal(at[:keySpan], key[:keySpan]) {
						break
					}
					k = int(spanAt(at[keySpan:]) - seg.span)
				}
				if k >= n {
					return damaged("a bucket")
				}
				row, err := it.Value()
				if err == nil {
					err = v.take(&fresh[i], s+k, row, t)
				}
				if err != nil {
					return err
				}
				if k == n-1 {
					break
				}
			}
			if err := it.Err(); err != nil {
				return err
			}
		}
		s += n
	}
	return it.Close()
}

// bodyRoom is the size of a buffer for bodies.
const bodyRoom = 16 << 10

// take takes the body of a term from the row of a segment.
func (v *View) take(l *termLists, segment int, row []byte, t text.Term) error {
	body, ok := findBody(row, t)
	if !ok {
		return damaged("a bucket")
	}
	if body == nil {
		return nil
	}
	n, _, _, ok := readBody(body, v.shape.spans[v.segments[segment].level])
	if !ok {
		return damaged("a bucket")
	}
	if cap(v.bytes)-len(v.bytes) < len(body) {
		v.bytes = make([]byte, 0, max(len(body), bodyRoom))
	}
	from := len(v.bytes)
	v.bytes = append(v.bytes, body...)
	l.documents += uint64(n)
	l.bodies[segment] = v.bytes[from:len(v.bytes):len(v.bytes)]
	return nil
}

// prepare returns the terms of a query with all data for scoring them. It includes
// terms that no document has.
func (v *View) prepare(q *Query) ([]queryTerm, scorer, error) {
	p, err := q.params()
	if err != nil {
		return nil, scorer{}, err
	}
	terms, err := q.terms()
	if err != nil {
		return nil, scorer{}, err
	}
	if err := v.load(terms); err != nil {
		return nil, scorer{}, err
	}
	for i := range terms {
		t := &terms[i]
		if t.lists.documents > v.stats.documents {
			return nil, scorer{}, damaged("the statistics")
		}
		if t.idf = 1; !q.Flat {
			t.idf = IDF(v.stats.documents, t.lists.documents)
		}
		t.factor = float64(t.weight * t.idf)
	}
	stats := v.stats
	if q.Flat {
		stats = statistics{documents: 1, length: flatLength}
	}
	return terms, newScorer(p, stats), nil
}

// better orders matches: the higher score first, then the lower position.
func better(x, y index.Match) int {
	if x.Score != y.Score {
		return cmp.Compare(y.Score, x.Score)
	}
	return cmp.Compare(x.Position, y.Position)
}
