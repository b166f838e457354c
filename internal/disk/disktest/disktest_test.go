package disktest_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/disk/disktest"
)

var errBroken = errors.New("broken")

// write does one of each operation that matters to the sweeps.
func write(fs disk.FS) error {
	if err := disk.MkdirAll(fs, "d"); err != nil {
		return err
	}
	return disk.WriteFile(fs, "d/f", []byte("0123456789"))
}

func TestSweepEnds(t *testing.T) {
	count := disktest.Count(disk.NewMem())
	if err := write(count); err != nil {
		t.Fatal(err)
	}
	if count.Tripped() != "" || count.Ops() == 0 || count.Of(disktest.Rename) != 1 || count.Of(disktest.SyncDir) != 3 {
		t.Errorf("%d operations, %d renames, %d directory syncs, tripped %q",
			count.Ops(), count.Of(disktest.Rename), count.Of(disktest.SyncDir), count.Tripped())
	}
	for n := 1; ; n++ {
		fs := disktest.FailAt(disk.NewMem(), disktest.Fault{N: n, Err: errBroken, After: true})
		err := write(fs)
		if fs.Tripped() == "" {
			if n != count.Ops()+1 || err != nil {
				t.Errorf("the sweep ended at %d of %d with %v", n, count.Ops(), err)
			}
			return
		}
		if !errors.Is(err, errBroken) {
			t.Errorf("%s: error %v", fs.Tripped(), err)
		}
	}
}

func TestShortWrite(t *testing.T) {
	mem := disk.NewMem()
	fs := disktest.FailAt(mem, disktest.Fault{N: 2, Err: errBroken, Short: true})
	f, err := fs.Create("f", disk.General)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.Write([]byte("0123456789")); n != 5 || !errors.Is(err, errBroken) {
		t.Errorf("wrote %d with %v", n, err)
	}
	if _, err := f.Write([]byte("x")); err != nil {
		t.Errorf("only one operation should fail: %v", err)
	}
	if data, err := disk.ReadFile(mem, "f"); string(data) != "01234x" || err != nil {
		t.Errorf("file holds %q, %v", data, err)
	}
}

func TestNoSyncLosesData(t *testing.T) {
	kept := func(wrap func(disk.FS) disk.FS) bool {
		mem := disktest.NewCrashable()
		if err := write(wrap(mem)); err != nil {
			t.Fatal(err)
		}
		clone := mem.CrashClone(disktest.CrashConfig{RNG: rand.New(rand.NewPCG(1, 2))})
		data, err := disk.ReadFile(clone, "d/f")
		return err == nil && string(data) == "0123456789"
	}
	if !kept(func(fs disk.FS) disk.FS { return fs }) {
		t.Error("WriteFile is not durable")
	}
	if kept(disktest.NoSync) {
		t.Error("NoSync syncs")
	}
}
