package column

import (
	"bytes"
	"testing"
)

// FuzzChunk parses values that may be damaged. What can be read encodes to the same
// bytes.
func FuzzChunk(f *testing.F) {
	var live Live
	live.set(0)
	live.set(700)
	f.Add(appendChunk(nil, &live, []byte{1, 2, 3, 4}), 2)
	f.Add([]byte{}, 1)
	f.Add(make([]byte, liveBytes), 0)
	f.Fuzz(func(t *testing.T, v []byte, width int) {
		width = width & 0xfff
		live, rows, ok := parseChunk(v, width)
		if !ok {
			return
		}
		if again := appendChunk(nil, &live, rows); !bytes.Equal(again, v) {
			t.Fatalf("%x is written as %x", v, again)
		}
		c := Column{Width: width}.newChunk(&live, rows)
		for i := range c.Len() {
			if c.Index(c.Offset(i)) != i || len(c.Row(i)) != width {
				t.Fatalf("row %d is lost", i)
			}
		}
	})
}

// FuzzStamps parses lists of stamps that may be damaged.
func FuzzStamps(f *testing.F) {
	f.Add(appendStamps(nil, []stamp{{0, 1}, {1, 1 << 60}, {1023, 5}}))
	f.Add([]byte{0, 0})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 1})
	f.Fuzz(func(t *testing.T, v []byte) {
		list, ok := parseStamps(nil, v)
		if !ok {
			return
		}
		for i, s := range list {
			if s.by == 0 || s.chunk >= ChunkDocs || i > 0 && list[i-1].chunk >= s.chunk {
				t.Fatalf("%v", list)
			}
		}
		again, ok := parseStamps(nil, appendStamps(nil, list))
		if !ok || len(again) != len(list) {
			t.Fatalf("%v is read as %v", list, again)
		}
	})
}
