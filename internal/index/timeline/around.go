package timeline

import (
	"bytes"
	"math"
	"slices"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
)

// Walker looks up the neighbours of events in their sessions. It is for many queries in a
// row and for one goroutine, and must be closed.
type Walker struct {
	it     *kv.Iter
	tenant uint32
	key    []byte // of a place
	from   []byte // where the approach begins
	luck   int    // remaining failures of approach before it is no longer tried
}

// NewWalker returns a walker over the sessions of a tenant.
func NewWalker(r kv.Reader, tenant uint32) (*Walker, error) {
	prefix := index.NewKey(nil, Prefix, tableSession, tenant)
	it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return nil, err
	}
	return &Walker{it: it, tenant: tenant, luck: mostLuck}, nil
}

// Around appends the positions of the events right before a place of a session and right
// after it, up to the given numbers and in session order; earlier is how many of them are
// before. The place's sequence, timestamp and position locate it. It need not exist, and is
// not included. Events with equal sequence and timestamp are ordered by position.
func (w *Walker) Around(dst []uint64, session index.Digest, at Place, before, after int) (list []uint64, earlier int, err error) {
	k := index.NewKey(w.key, Prefix, tableSession, w.tenant).Digest(session)
	n := len(k)
	k = k.Int64(at.Sequence).Int64(at.Timestamp).Uint64(at.Position)
	w.key = k
	prefix := k[:n]
	ok, there := false, false
	if w.luck > 0 && before > 0 && before <= nearBy {
		if dst, earlier, ok, there = w.approach(dst, session, at, before); there {
			w.luck = min(w.luck+1, mostLuck)
		} else {
			w.luck--
		}
	}
	if !there && before > 0 {
		dst, earlier = dst[:len(dst)-earlier], 0
		for ok := w.it.SeekBefore(k); ok && earlier < before && bytes.HasPrefix(w.it.Key(), prefix); ok = w.it.Prev() {
			dst = append(dst, number(w.it.Key()))
			earlier++
		}
		slices.Reverse(dst[len(dst)-earlier:])
	}
	if after > 0 {
		if !there {
			ok = w.it.Seek(k)
		}
		if ok && bytes.Equal(w.it.Key(), k) {
			ok = w.it.Next()
		}
		for ; ok && after > 0 && bytes.HasPrefix(w.it.Key(), prefix); ok = w.it.Next() {
			dst = append(dst, number(w.it.Key()))
			after--
		}
	}
	return dst, earlier, w.it.Err()
}

// nearBy is the maximum number of preceding events for which approach is tried, and how many
// more events may be on the way.
const nearBy = 8

// mostLuck is how often in a row approach may fail.
const mostLuck = 4

// approach moves to a place, whose key is the walker's, from as many sequence numbers before
// it as preceding events are wanted: if the events of a session are numbered one by one, all
// of them are on the way, and one seek finds what is before and after. there reports whether
// they were, and ok whether there is an event at the place or after it, where the iterator
// is then.
func (w *Walker) approach(dst []uint64, session index.Digest, at Place, before int) (list []uint64, earlier int, ok, there bool) {
	if at.Sequence < math.MinInt64+int64(before) {
		return dst, 0, false, false
	}
	w.from = index.NewKey(w.from, Prefix, tableSession, w.tenant).Digest(session).Int64(at.Sequence - int64(before))
	steps := 0
	for ok = w.it.Seek(w.from); ok && bytes.Compare(w.it.Key(), w.key) < 0; ok = w.it.Next() {
		if steps++; steps > before+nearBy {
			return dst, earlier, false, false
		}
		if earlier == before {
			dst = slices.Delete(dst, len(dst)-before, len(dst)-before+1)
			earlier--
		}
		dst = append(dst, number(w.it.Key()))
		earlier++
	}
	return dst, earlier, ok, earlier == before
}

// Close ends the walk and returns its first error.
func (w *Walker) Close() error { return w.it.Close() }
