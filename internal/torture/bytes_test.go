package torture

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"

	"lukasa.dev/internal/record"
)

// This file reads a journal from its package comment alone, and shares no code
// with the package. Record headers are read with package record.

// scan is a journal as it was read.
type scan struct {
	records []rec
	marks   map[string]int         // how often a name occurs in the bytes of the files
	leaves  map[string][][32]byte  // by tenant, in order
	byID    map[record.Hash][]*rec // records by the digest of their id
}

// rec is one record.
type rec struct {
	record.Header
	payload []byte // nil when erased
}

// readJournal reads all segments of a directory that is not being written to.
func readJournal(dir string) (*scan, error) {
	s := &scan{marks: map[string]int{}, leaves: map[string][][32]byte{}, byID: map[record.Hash][]*rec{}}
	names, err := filepath.Glob(filepath.Join(dir, "journal", "*.seg"))
	if err != nil {
		return nil, err
	}
	// 20 digits sort as the numbers do, and Glob sorts.
	var id []byte
	for i, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s.findMarks(data)
		if len(data) < 64 || string(data[:8]) != "LUKASAJH" {
			return nil, fmt.Errorf("%s: no header", name)
		}
		if id == nil {
			id = bytes.Clone(data[24:40])
		}
		if !bytes.Equal(id, data[24:40]) {
			return nil, fmt.Errorf("%s: of another log", name)
		}
		base := binary.BigEndian.Uint64(data[16:])
		if want := strings.TrimSuffix(filepath.Base(name), ".seg"); fmt.Sprintf("%020d", base) != want {
			return nil, fmt.Errorf("%s: begins at %d", name, base)
		}
		if err := s.readSegment(data, base, binary.BigEndian.Uint64(id), i == len(names)-1); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for i := range s.records {
		r := &s.records[i]
		s.byID[r.ID] = append(s.byID[r.ID], r)
	}
	return s, nil
}

// readSegment reads the frames of one segment.
func (s *scan) readSegment(data []byte, base, key uint64, last bool) error {
	end := len(data)
	trailer := data[len(data)-64:]
	sealed := string(trailer[:8]) == "LUKASAJX"
	if sealed {
		end = int(binary.BigEndian.Uint64(trailer[40:]))
	} else if !last {
		return errors.New("not sealed, and not the last")
	}
	off, frames := 64, uint64(0)
	for ; off+24 <= end; frames++ {
		f := data[off:end]
		if binary.BigEndian.Uint16(f[4:]) != 0x4c66 {
			break
		}
		header, body := int(binary.BigEndian.Uint16(f[6:])), int(binary.BigEndian.Uint32(f[8:]))
		size := (20 + header + 4 + body + 7) &^ 7
		if size > len(f) {
			return fmt.Errorf("offset %d: a frame of %d bytes is cut short", off, size)
		}
		lsn := base + uint64(off)
		if binary.BigEndian.Uint32(f) != check(key, lsn, 0, f[4:20+header]) {
			return fmt.Errorf("offset %d: the head's check is wrong", off)
		}
		if err := s.take(f[20:20+header], f[24+header:24+header+body], binary.BigEndian.Uint32(f[20+header:]), key, lsn); err != nil {
			return fmt.Errorf("offset %d: %w", off, err)
		}
		off += size
	}
	if sealed && (off != end || frames != binary.BigEndian.Uint64(trailer[48:])) {
		return fmt.Errorf("%d frames up to offset %d, but the trailer says otherwise", frames, off)
	}
	if !sealed {
		for _, c := range data[off:] {
			if c != 0 {
				return fmt.Errorf("offset %d: behind the last frame something is not zero", off)
			}
		}
	}
	return nil
}

// check is the CRC-32C of a part of a frame, continued from its seed.
func check(key, lsn uint64, part uint32, b []byte) uint32 {
	seed := uint32((key+lsn)*0x9e3779b97f4a7c15>>32) + part
	return crc32.Update(seed, crc32.MakeTable(crc32.Castagnoli), b)
}

// take takes in one record.
func (s *scan) take(header, body []byte, sum uint32, key, lsn uint64) error {
	h, err := record.ParseHeader(header)
	if err != nil {
		return err
	}
	r := rec{Header: h}
	switch {
	case sum == check(key, lsn, 1, body):
		if sha256.Sum256(body) != h.Commitment {
			return errors.New("the body is not what the header commits to")
		}
		r.payload = body[record.SaltSize:]
	case sum == check(key, lsn, 2, nil) && len(bytes.Trim(body, "\x00")) == 0:
	default:
		return errors.New("the body's check is wrong")
	}
	if at := uint64(len(s.leaves[h.Tenant])); h.Position != at {
		return fmt.Errorf("position %d of tenant %q where %d should be", h.Position, h.Tenant, at)
	}
	s.leaves[h.Tenant] = append(s.leaves[h.Tenant], sha256.Sum256(append([]byte{0}, header...)))
	s.records = append(s.records, r)
	return nil
}

// findMarks counts every name in the raw bytes, wherever they are.
func (s *scan) findMarks(data []byte) {
	for {
		i := bytes.Index(data, []byte(markStart))
		if i < 0 {
			return
		}
		data = data[i+len(markStart):]
		if n := bytes.IndexByte(data[:min(len(data), 64)], markEnd[0]); n > 0 {
			s.marks[string(data[:n])]++
		}
	}
}

// node is the hash of an inner node.
func node(l, r [32]byte) [32]byte {
	b := append(append([]byte{1}, l[:]...), r[:]...)
	return sha256.Sum256(b)
}

// naiveRoot is the root by the definition of RFC 6962.
func naiveRoot(leaves [][32]byte) [32]byte {
	switch len(leaves) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return leaves[0]
	}
	k := 1
	for k*2 < len(leaves) {
		k *= 2
	}
	return node(naiveRoot(leaves[:k]), naiveRoot(leaves[k:]))
}

// rootsAt returns the roots of the requested prefixes. It keeps the complete
// subtrees, largest first, since there may be thousands of prefixes.
func rootsAt(leaves [][32]byte, sizes map[uint64]bool) map[uint64][32]byte {
	roots := make(map[uint64][32]byte, len(sizes))
	var stack [][32]byte
	for i, leaf := range leaves {
		stack = append(stack, leaf)
		for n := i + 1; n%2 == 0; n /= 2 {
			k := len(stack)
			stack = append(stack[:k-2], node(stack[k-2], stack[k-1]))
		}
		size := uint64(i + 1)
		if !sizes[size] {
			continue
		}
		root := stack[len(stack)-1]
		for j := len(stack) - 2; j >= 0; j-- {
			root = node(stack[j], root)
		}
		roots[size] = root
	}
	return roots
}
