package kv

import "github.com/cockroachdb/pebble/v2"

// Iter walks over keys in order. It must be closed, and its error asked for,
// once it is at its end.
type Iter struct {
	it  *pebble.Iterator
	dir string
}

func iterate(r pebble.Reader, dir string, lower, upper []byte) (*Iter, error) {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return nil, explain(dir, err)
	}
	return &Iter{it, dir}, nil
}

// Within lets the iterator go on over the keys in [lower, upper) instead. It is
// nowhere until it is moved. One iterator for several ranges is a good deal
// cheaper than as many iterators.
func (i *Iter) Within(lower, upper []byte) { i.it.SetBounds(lower, upper) }

// First goes to the first key and reports whether there is one.
func (i *Iter) First() bool { return i.it.First() }

// Last goes to the last key and reports whether there is one.
func (i *Iter) Last() bool { return i.it.Last() }

// Next goes to the next key and reports whether there is one.
func (i *Iter) Next() bool { return i.it.Next() }

// Prev goes to the key before and reports whether there is one.
func (i *Iter) Prev() bool { return i.it.Prev() }

// Seek goes to the first key that is not below key.
func (i *Iter) Seek(key []byte) bool { return i.it.SeekGE(key) }

// SeekBefore goes to the last key below key.
func (i *Iter) SeekBefore(key []byte) bool { return i.it.SeekLT(key) }

// Key is the current key, valid until the iterator moves.
func (i *Iter) Key() []byte { return i.it.Key() }

// Value is the current value, valid until the iterator moves.
func (i *Iter) Value() ([]byte, error) {
	v, err := i.it.ValueAndErr()
	return v, explain(i.dir, err)
}

// Err returns what went wrong so far. An iterator that came to its end because of
// it has not seen everything.
func (i *Iter) Err() error { return explain(i.dir, i.it.Error()) }

// Close ends the iteration and returns what went wrong during it. A second call
// does nothing.
func (i *Iter) Close() error {
	if i.it == nil {
		return nil
	}
	err := i.it.Error()
	if e := i.it.Close(); err == nil {
		err = e
	}
	i.it = nil
	return explain(i.dir, err)
}

// PrefixEnd returns the first key behind all that begin with prefix, or nil
// when there is none.
func PrefixEnd(prefix []byte) []byte {
	end := append([]byte{}, prefix...)
	for n := len(end); n > 0; n-- {
		if end[n-1]++; end[n-1] != 0 {
			return end[:n]
		}
	}
	return nil
}
