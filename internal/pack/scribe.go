package pack

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"runtime"
	"sync"
	"sync/atomic"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
)

// scribe makes the entries of a pack and writes them in canonical form for its digest,
// concurrently with the composer. It reads contenders, which must not change until the caller
// calls finish or stop.
type scribe struct {
	kept    []*contender // in the order of the pack
	entries []hmx.Entry
	parts   []scribed
	next    atomic.Int64 // the next part that no goroutine has taken
	wait    sync.WaitGroup
}

// scribed is a part of the entries in canonical form, with a comma before all but the first.
type scribed struct {
	ready chan struct{} // closed when they are written
	data  *[]byte
	err   error
}

// How many entries make a part, and how many justify a goroutine.
const (
	scribedTogether = 16
	manyEntries     = 48
)

// newScribe starts writing the kept contenders.
func newScribe(kept []*contender) *scribe {
	s := &scribe{kept: kept, entries: make([]hmx.Entry, len(kept)), parts: make([]scribed, (len(kept)+scribedTogether-1)/scribedTogether)}
	for i := range s.parts {
		s.parts[i].ready = make(chan struct{})
	}
	if len(kept) >= manyEntries && runtime.GOMAXPROCS(0) > 1 {
		s.wait.Go(func() {
			for s.write() {
			}
		})
	}
	return s
}

// stop ends the writing, if it has begun. It does nothing on a nil scribe.
func (s *scribe) stop() {
	if s != nil {
		s.next.Store(int64(len(s.parts)))
		s.wait.Wait()
	}
}

// write writes the next part that no goroutine has taken, and reports whether there was one.
func (s *scribe) write() bool {
	n := int(s.next.Add(1)) - 1
	if n >= len(s.parts) {
		return false
	}
	p := &s.parts[n]
	defer close(p.ready)
	p.data = digestRooms.Get().(*[]byte)
	from, to := n*scribedTogether, min((n+1)*scribedTogether, len(s.kept))
	w := entryWriter{data: (*p.data)[:0]}
	p.err = w.write(s.kept[from:to], n == 0, s.entries[from:to])
	*p.data = w.data
	return true
}

// emptyEntries are the entries of an empty pack in canonical form. Within a string a quotation
// mark is escaped, and no earlier member of a pack has that name.
const emptyEntries = `"entries":[]`

// finish gives a pack its entries and returns its digest, which equals that of [Digest].
func (s *scribe) finish(p *hmx.Pack) (string, error) {
	p.Entries = []hmx.Entry{}
	room := digestRooms.Get().(*[]byte)
	defer digestRooms.Put(room)
	var err error
	if *room, err = p.AppendCanonical((*room)[:0]); err != nil {
		return "", fault.Wrap(fault.InvalidDocument, err)
	}
	at := bytes.Index(*room, []byte(emptyEntries))
	if at < 0 {
		return "", fault.New(fault.Internal, "pack: its canonical form has no entries")
	}
	at += len(emptyEntries) - 1
	h := sha256.New()
	h.Write((*room)[:at])
	if err := s.hash(h); err != nil {
		return "", fault.Wrap(fault.InvalidDocument, err)
	}
	h.Write((*room)[at:])
	p.Entries = s.entries
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hash hashes the entries in order. While the next part is not written, it writes others.
func (s *scribe) hash(h hash.Hash) error {
	for i := range s.parts {
		p := &s.parts[i]
		for !p.isReady() && s.write() {
		}
		<-p.ready
		if p.err != nil {
			return p.err
		}
		h.Write(*p.data)
		digestRooms.Put(p.data)
	}
	return nil
}

func (p *scribed) isReady() bool {
	select {
	case <-p.ready:
		return true
	default:
		return false
	}
}
