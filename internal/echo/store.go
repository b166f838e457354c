package echo

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"time"

	"lukasa.dev/internal/disk"
)

// The format of the files: records of 16 bytes, the first of which is a head.
//
//	head     "LKHANDED" and eight random bytes, which tell generations apart
//	record   digest, 8 bytes; when it was first handed out, seconds since 1970, 4 bytes; check,
//	         4 bytes; all little-endian
const (
	magic      = "LKHANDED"
	recordSize = 16
)

// maxGeneration is the size of HANDED at which a new generation begins. Two of them hold some
// 260,000 digests.
const maxGeneration = 2 << 20

// check is the checksum of a record: after a torn one it identifies the next.
func check(digest uint64, at uint32) uint32 {
	h := (digest ^ uint64(at)<<17 ^ 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
	return uint32(h >> 32)
}

func appendRecord(to []byte, digest uint64, at uint32) []byte {
	to = binary.LittleEndian.AppendUint64(to, digest)
	to = binary.LittleEndian.AppendUint32(to, at)
	return binary.LittleEndian.AppendUint32(to, check(digest, at))
}

// store is the digests in the files of a directory. It is not safe for concurrent use.
type store struct {
	fs              disk.FS
	path, old, lock string
	now, before     generation
	// asked counts lookups. A store with many lookups keeps a table.
	asked int
	table map[uint64]uint32 // when each was first handed out
}

// generation is the content read from one file.
type generation struct {
	data    []byte // whole records, as far as they were read
	at      time.Time
	tabled  int // how much of data is in the table
	skipped int // bytes after data that are no complete record yet
}

// tableAfter is how many lookups scan everything, which is faster for a short-lived process.
const tableAfter = 8

// refresh reads new data of the files.
func (s *store) refresh() error {
	changed, err := s.read(&s.before, s.old)
	if err != nil {
		return err
	}
	fresh, err := s.read(&s.now, s.path)
	if err != nil {
		return err
	}
	if changed || fresh {
		s.table = nil
		s.now.tabled, s.before.tabled = 0, 0
	}
	return nil
}

// read reads new data of a file, and reports whether it is another file than before.
func (s *store) read(g *generation, path string) (other bool, err error) {
	info, err := s.fs.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		other = len(g.data) > 0
		*g = generation{}
		return other, nil
	}
	if err != nil {
		return false, err
	}
	if info.Size() == int64(len(g.data)+g.skipped) && info.ModTime().Equal(g.at) {
		return false, nil
	}
	f, err := s.fs.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var head [recordSize]byte
	if n, err := f.ReadAt(head[:], 0); n < len(head) {
		if err == io.EOF {
			err = nil // it is being created
		}
		return false, err
	}
	if len(g.data) < recordSize || !bytes.Equal(g.data[:recordSize], head[:]) || info.Size() < int64(len(g.data)) {
		other = len(g.data) > 0
		*g = generation{}
	}
	size := min(info.Size(), 2*maxGeneration) - int64(len(g.data))
	more := make([]byte, max(size, 0))
	n, err := f.ReadAt(more, int64(len(g.data)))
	if err != nil && err != io.EOF {
		return other, err
	}
	more = more[:n]
	whole := n - n%recordSize
	g.data, g.skipped, g.at = append(g.data, more[:whole]...), n-whole, info.ModTime()
	return other, nil
}

// records calls a function with every record after an offset, and returns where it ended: an
// incomplete record may follow.
func records(data []byte, from int, visit func(digest uint64, at uint32)) int {
	i := from
	for i+recordSize <= len(data) {
		digest, at := binary.LittleEndian.Uint64(data[i:]), binary.LittleEndian.Uint32(data[i+8:])
		switch {
		case binary.LittleEndian.Uint32(data[i+12:]) == check(digest, at):
			visit(digest, at)
			i += recordSize
		case bytes.HasPrefix(data[i:], []byte(magic)):
			i += recordSize
		default:
			i++ // torn: search for the next complete one
		}
	}
	return i
}

// lookup sets the digests to true that were handed out by a given time.
func (s *store) lookup(want map[uint64]bool, at uint32) error {
	err := s.refresh()
	found := func(digest uint64, when uint32) {
		if when <= at {
			want[digest] = true
		}
	}
	s.find(want, found)
	return err
}

// find calls a function with the digests that exist, perhaps more than once.
func (s *store) find(want map[uint64]bool, found func(digest uint64, at uint32)) {
	if s.asked++; s.asked > tableAfter {
		s.fill()
		for digest := range want {
			if when, ok := s.table[digest]; ok {
				found(digest, when)
			}
		}
		return
	}
	// One bit rules out most records.
	const bits = 1 << 18
	var wanted [bits / 64]uint64
	for digest := range want {
		wanted[digest>>8%bits/64] |= 1 << (digest >> 8 % 64)
	}
	for _, g := range [...]*generation{&s.before, &s.now} {
		records(g.data, 0, func(digest uint64, when uint32) {
			if wanted[digest>>8%bits/64]&(1<<(digest>>8%64)) == 0 {
				return
			}
			if _, ok := want[digest]; ok {
				found(digest, when)
			}
		})
	}
}

// fill updates the table.
func (s *store) fill() {
	if s.table == nil {
		s.table = make(map[uint64]uint32, (len(s.now.data)+len(s.before.data))/recordSize)
	}
	for _, g := range [...]*generation{&s.before, &s.now} {
		g.tabled = records(g.data, g.tabled, func(digest uint64, when uint32) {
			if first, ok := s.table[digest]; !ok || when < first {
				s.table[digest] = when
			}
		})
	}
}

// add stores new digests. A digest that only the previous generation has is stored again, with
// its time.
func (s *store) add(digests []uint64, at uint32) error {
	if err := s.refresh(); err != nil {
		return err
	}
	want := make(map[uint64]bool, len(digests))
	for _, d := range digests {
		want[d] = false
	}
	first, current := map[uint64]uint32{}, map[uint64]bool{}
	records(s.before.data, 0, func(digest uint64, when uint32) {
		if _, ok := want[digest]; ok {
			if t, ok := first[digest]; !ok || when < t {
				first[digest] = when
			}
		}
	})
	records(s.now.data, 0, func(digest uint64, _ uint32) {
		if _, ok := want[digest]; ok {
			current[digest] = true
		}
	})
	var out []byte
	for _, d := range digests {
		if current[d] {
			continue
		}
		current[d] = true
		when, ok := first[d]
		if !ok {
			when = at
		}
		out = appendRecord(out, d, when)
	}
	if len(out) == 0 {
		return nil
	}
	if len(s.now.data) == 0 {
		var id [recordSize - len(magic)]byte
		_, _ = rand.Read(id[:]) // never fails
		out = append(append([]byte(magic), id[:]...), out...)
	}
	if err := disk.Append(s.fs, s.path, out); err != nil {
		return err
	}
	if len(s.now.data)+len(out) >= maxGeneration {
		return s.rotate()
	}
	return nil
}

// rotate begins a new generation, unless another process does.
func (s *store) rotate() error {
	held, err := s.fs.Lock(s.lock)
	if err != nil {
		return nil // another process does it
	}
	defer held.Close()
	if info, err := s.fs.Stat(s.path); err != nil || info.Size() < maxGeneration {
		return nil // already done
	}
	return s.fs.Rename(s.path, s.old)
}

// any reports whether anything was handed out.
func (s *store) any() bool {
	_ = s.refresh() // a lookup reports the error
	return len(s.now.data) > 0 || len(s.before.data) > 0
}
