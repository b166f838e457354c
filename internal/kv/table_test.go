package kv

import (
	"bytes"
	"io"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/internal/disk"
)

// A table holds what was written to it, in order, after each sync and after Close.
func TestTable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		fs := &seat{FS: disk.NewMem(), watch: newWatch()}
		f, err := fs.Create("000001.sst", disk.General)
		if err != nil {
			rt.Fatal(err)
		}
		if _, ok := f.(*table); !ok {
			rt.Fatalf("it is a %T", f)
		}
		var want []byte
		check := func(after string) {
			in, err := fs.Open("000001.sst")
			if err != nil {
				rt.Fatal(err)
			}
			defer in.Close()
			if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, want) {
				rt.Fatalf("after %s there are %d bytes, want %d: %v", after, len(got), len(want), err)
			}
		}
		for i := range rapid.IntRange(0, 30).Draw(rt, "steps") {
			switch step := rapid.IntRange(0, 9).Draw(rt, "step"); step {
			case 0:
				err = f.Sync()
				check("a sync")
			case 1:
				err = f.SyncData()
				check("a sync of data")
			case 2:
				_, err = f.SyncTo(int64(len(want)))
				check("a sync of a part")
			default:
				size := rapid.SampledFrom([]int{0, 1, 4096, tableRoom - 1, tableRoom, tableRoom + 1}).Draw(rt, "size")
				p := bytes.Repeat([]byte{byte(i + 1)}, size)
				want = append(want, p...)
				var n int
				if n, err = f.Write(p); n != size {
					rt.Fatalf("%d of %d bytes were written", n, size)
				}
			}
			if err != nil {
				rt.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			rt.Fatal(err)
		}
		check("the end")
	})
}
