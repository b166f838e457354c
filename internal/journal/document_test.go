package journal_test

import (
	"encoding/binary"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A reader written from docs/formats/journal.md alone, without the package,
// finds the same frames.
func TestReaderFromTheDocument(t *testing.T) {
	m, files := specimen(t, true)
	be := binary.BigEndian
	table := crc32.MakeTable(crc32.Castagnoli)
	n := 0
	var expected uint64
	for _, name := range slices.Sorted(maps.Keys(files)) {
		b := files[name]
		if !strings.HasSuffix(name, ".seg") {
			continue
		}
		if string(b[:8]) != "LUKASAJH" || be.Uint32(b[8:]) != 1 || be.Uint32(b[60:]) != crc32.Checksum(b[:60], table) {
			t.Fatalf("%s: bad header", name)
		}
		base, key := be.Uint64(b[16:]), be.Uint64(b[24:])
		if base != expected || uint64(baseOf(name)) != base {
			t.Fatalf("%s begins at %d, not at %d", name, base, expected)
		}
		expected = base + uint64(len(b))
		seed := func(address uint64, part uint32) uint32 {
			return uint32((key+address)*0x9e3779b97f4a7c15>>32) + part
		}
		end, sealed := uint64(len(b)), false
		trailer := b[len(b)-64:]
		var index []byte
		if string(trailer[:8]) == "LUKASAJX" && be.Uint32(trailer[60:]) == crc32.Checksum(trailer[:60], table) {
			sealed, end = true, be.Uint64(trailer[40:])
			index = b[len(b)-64-int(be.Uint32(trailer[12:])) : len(b)-64]
			if crc32.Update(seed(base, 3), table, index) != be.Uint32(trailer[56:]) {
				t.Fatalf("%s: bad index", name)
			}
		}
		frames, listed := uint64(0), uint64(64)
		for off := uint64(64); off < end; {
			f := b[off:]
			if len(f) < 24 || be.Uint16(f[4:]) != 0x4c66 {
				if sealed {
					t.Fatalf("%s: no frame at %d", name, off)
				}
				break // the end of the log
			}
			h, size := int(be.Uint16(f[6:])), int(be.Uint32(f[8:]))
			address := base + off
			if crc32.Update(seed(address, 0), table, f[4:20+h]) != be.Uint32(f) || be.Uint64(f[12:]) > address {
				t.Fatalf("%s: bad head at %d", name, off)
			}
			header, check, body := f[20:20+h], be.Uint32(f[20+h:]), f[24+h:24+h+size]
			erased := false
			if crc32.Update(seed(address, 1), table, body) != check {
				erased = check == seed(address, 2) && strings.Trim(string(body), "\x00") == ""
				if !erased {
					t.Fatalf("%s: bad body at %d", name, off)
				}
			}
			w := m.frames[n]
			if uint64(w.lsn) != address || string(w.header) != string(header) || w.erased != erased || !erased && string(w.body) != string(body) {
				t.Fatalf("%s: another frame at %d", name, off)
			}
			if sealed {
				d, k := binary.Uvarint(index)
				index = index[k:]
				if listed += d * 8; listed != off {
					t.Fatalf("%s: the index lists %d, not %d", name, listed, off)
				}
			}
			n++
			frames++
			off += (uint64(24+h+size) + 7) / 8 * 8
		}
		if sealed && (frames != be.Uint64(trailer[48:]) || len(index) > 0) {
			t.Errorf("%s: %d frames", name, frames)
		}
	}
	if n != len(m.frames) {
		t.Errorf("%d of %d frames", n, len(m.frames))
	}
	if end := files["END"]; string(end[:8]) != "LUKASAJE" || be.Uint64(end[16:]) != uint64(m.end) {
		t.Error("bad end mark")
	}
}
