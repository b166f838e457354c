package timeline

import (
	"bytes"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
)

// Walker looks up what is next to events in their sessions. It is made for many
// questions in a row, is used by one goroutine, and must be closed.
type Walker struct {
	it     *kv.Iter
	tenant uint32
	key    []byte
}

// NewWalker returns a walker over the sessions of a tenant.
func NewWalker(r kv.Reader, tenant uint32) (*Walker, error) {
	prefix := index.NewKey(nil, Prefix, tableSession, tenant)
	it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return nil, err
	}
	return &Walker{it: it, tenant: tenant}, nil
}

// Around appends the positions of the events right before a place of a session and
// of those right behind it, up to so many of each and in the order of the session;
// earlier is how many of them are before. The place's sequence, timestamp and
// position say where it is. It need not be there itself, and is not among them.
// Events with equal sequence and timestamp come in the order of their positions.
func (w *Walker) Around(dst []uint64, session index.Digest, at Place, before, after int) (list []uint64, earlier int, err error) {
	k := index.NewKey(w.key, Prefix, tableSession, w.tenant).Digest(session)
	n := len(k)
	k = k.Int64(at.Sequence).Int64(at.Timestamp).Uint64(at.Position)
	w.key = k
	prefix := k[:n]
	if before > 0 {
		for ok := w.it.SeekBefore(k); ok && earlier < before && bytes.HasPrefix(w.it.Key(), prefix); ok = w.it.Prev() {
			dst = append(dst, number(w.it.Key()))
			earlier++
		}
		for i, j := len(dst)-earlier, len(dst)-1; i < j; i, j = i+1, j-1 {
			dst[i], dst[j] = dst[j], dst[i]
		}
	}
	if after > 0 {
		ok := w.it.Seek(k)
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

// Close ends the walk and returns what went wrong during it.
func (w *Walker) Close() error { return w.it.Close() }
