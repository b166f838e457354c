package tokens

import (
	"bytes"
	"encoding/binary"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table")

// ranks is one more than the highest rank an entry can have.
const ranks = 199_998

// The embedded table equals the library's vocabulary.
func TestTable(t *testing.T) {
	want := makeTable(t)
	if *update {
		if err := os.WriteFile("o200k.table", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal([]byte(table), want) {
		t.Error("o200k.table is not what is made of the library's vocabulary; go test -run TestTable -update rewrites it")
	}
}

// makeTable gets every entry from the library. The separator byte is in no other entry, since
// it is in no UTF-8.
func makeTable(t *testing.T) []byte {
	slots := make([]uint64, 1<<slotBits)
	pairs := make([]int32, 1<<16)
	for i := range pairs {
		pairs[i] = none
	}
	var text []byte
	for rank := range ranks {
		entry, err := library().Decode([]uint{uint(rank)})
		if err != nil || entry == "" {
			t.Fatalf("rank %d is %q: %v", rank, entry, err)
		}
		if len(text)+len(entry) > 1<<startBits || len(entry) >= 1<<sizeBits {
			t.Fatal("the vocabulary is larger than it was")
		}
		if len(entry) == 2 {
			pairs[uint(entry[0])<<8|uint(entry[1])] = int32(rank)
		}
		h := hash(entry)
		at := h >> 16 % (1 << slotBits)
		for slots[at] != 0 {
			at = (at + 1) % (1 << slotBits)
		}
		slots[at] = h>>(64-tagBits)<<(64-tagBits) | uint64(rank+1)<<(startBits+sizeBits) | uint64(len(text))<<sizeBits | uint64(len(entry))
		text = append(append(text, entry...), 0xff)
	}
	out := make([]byte, 0, textAt+len(text))
	for _, x := range slots {
		out = binary.LittleEndian.AppendUint64(out, x)
	}
	for _, x := range pairs {
		out = binary.LittleEndian.AppendUint32(out, uint32(x))
	}
	return append(out, text...)
}
