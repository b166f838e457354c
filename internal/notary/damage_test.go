package notary

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/disk/disktest"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/testsize"
)

// written returns the content of the keys directory after a few signatures for
// two tenants: 7 and 8 records for acme, 3 for other.
func written(t testing.TB, g *grove) map[string][]byte {
	t.Helper()
	fs := disk.NewMem()
	n := open(t, optionsOn(fs, 1))
	mustSign(t, n, "acme", g.at(7))
	mustSign(t, n, "other", g.at(3))
	mustSign(t, n, "acme", g.at(8))
	_ = n.Close()
	files := map[string][]byte{}
	for _, name := range []string{keyFile, pubFile, memoryFile} {
		data, err := disk.ReadFile(fs, "data/keys/"+name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	return files
}

// with returns a file system with these files, one of them replaced.
func with(t testing.TB, files map[string][]byte, name string, data []byte) disk.FS {
	t.Helper()
	fs := disk.NewMem()
	if err := disk.MkdirAll(fs, "data/keys"); err != nil {
		t.Fatal(err)
	}
	for k, v := range files {
		if k == name {
			v = data
		}
		if err := disk.WriteFile(fs, "data/keys/"+k, v); err != nil {
			t.Fatal(err)
		}
	}
	return fs
}

// TestEveryBitFlip: with a bit of a file flipped, the notary reports it or still
// knows everything.
func TestEveryBitFlip(t *testing.T) {
	testsize.OneGoroutine(t)
	g := newGrove("a", 10)
	files := written(t, g)
	whole := open(t, optionsOn(with(t, files, "", nil), 2))
	key := whole.DirectoryKey()
	for name, data := range files {
		stride := 1
		if name != memoryFile {
			stride = 5 // one line of one kind
		}
		for bit := 0; bit < 8*len(data); bit += stride {
			bad := bytes.Clone(data)
			bad[bit/8] ^= 1 << (bit % 8)
			n, err := Open(optionsOn(with(t, files, name, bad), 2))
			if err != nil {
				t.Fatalf("%s, bit %d: %v", name, bit, err)
			}
			if err := n.Check(); err != nil {
				if c := fault.CodeOf(err); c != fault.Damaged && c != fault.NewerFormat {
					t.Fatalf("%s, bit %d: %v", name, bit, err)
				}
				continue
			}
			if n.DirectoryKey() != key {
				t.Fatalf("%s, bit %d: another key", name, bit)
			}
			if _, err := n.Sign("acme", g.at(7)); fault.CodeOf(err) != fault.RolledBack {
				t.Fatalf("%s, bit %d of %q: a rollback was signed, %v", name, bit, data, err)
			}
			_ = n.Close()
		}
	}
}

// TestEveryTruncation: what a crash may have cut is dropped, and nothing panics.
// Lines before the cut are still known.
func TestEveryTruncation(t *testing.T) {
	g := newGrove("a", 10)
	files := written(t, g)
	for name, data := range files {
		for size := range len(data) {
			n, err := Open(optionsOn(with(t, files, name, data[:size]), 2))
			if err != nil {
				t.Fatalf("%s, %d bytes: %v", name, size, err)
			}
			if n.Check() != nil {
				continue
			}
			lines := 9 // a missing public key is derived again, and all is known
			switch name {
			case memoryFile:
				lines = bytes.Count(data[:size], []byte("\n"))
			case keyFile:
				t.Fatalf("%s, %d bytes: it was not noticed", name, size)
			}
			_, err = n.Sign("acme", g.at(6))
			if refused := fault.CodeOf(err) == fault.RolledBack; refused != (lines > 1) {
				t.Fatalf("%s, %d bytes, %d lines: %v", name, size, lines, err)
			}
			_ = n.Close()
		}
	}
}

// TestZeroedTail: a crash may leave zeros where the last line should be.
func TestZeroedTail(t *testing.T) {
	g := newGrove("a", 10)
	files := written(t, g)
	data := files[memoryFile]
	for _, tail := range [][]byte{make([]byte, 8), make([]byte, 5000), append(make([]byte, 40), "acme\n"...)} {
		fs := with(t, files, memoryFile, append(bytes.Clone(data), tail...))
		n := open(t, optionsOn(fs, 2))
		if err := n.Check(); err != nil {
			t.Fatal(err)
		}
		mustSign(t, n, "acme", g.at(9))
		_ = n.Close()
		n = open(t, optionsOn(fs, 2))
		_, err := n.Sign("acme", g.at(8))
		wants(t, err, fault.RolledBack)
		_, err = n.Sign("other", g.at(2))
		wants(t, err, fault.RolledBack)
	}
}

// TestCrashes clones the disk as after a crash, at every step of a random
// history. What was signed before the crash is known after it.
func TestCrashes(t *testing.T) {
	testsize.OneGoroutine(t)
	const rounds = 60
	for seed := range uint64(rounds) {
		rng := rand.New(rand.NewPCG(seed, 1))
		fs := disktest.NewCrashable()
		g := newGrove("a", 60)
		opts := optionsOn(fs, byte(seed))
		n := open(t, opts)
		signed := map[string]uint64{} // by the key that signed
		key := n.DirectoryKey()
		size := uint64(0)
		for range 20 {
			switch rng.IntN(8) {
			case 0:
				if err := n.Rekey(); err != nil {
					t.Fatal(err)
				}
				key = n.DirectoryKey()
			default:
				size = min(size+rng.Uint64N(4), 60)
				mustSign(t, n, "acme", g.at(size))
				signed[key] = size
			}
			clone := fs.CrashClone(disktest.CrashConfig{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
			opts.FS = clone
			after := open(t, opts)
			if err := after.Check(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if after.DirectoryKey() != key {
				t.Fatalf("seed %d: the key was lost", seed)
			}
			if s := signed[key]; s > 0 {
				if _, err := after.Sign("acme", g.at(s-1)); fault.CodeOf(err) != fault.RolledBack {
					t.Fatalf("seed %d: forgot that %d were signed: %v", seed, s, err)
				}
			}
			_ = after.Close()
		}
	}
}

// errInjected is the error of the failing disk.
var errInjected = errors.New("injected")

// failing fails the n-th operation that changes something, and all later ones if
// forever is set.
type failing struct {
	disk.FS
	left    int // operations until one fails
	forever bool
	short   bool // write half before failing
	hit     bool
}

func (f *failing) step() error {
	f.left--
	if f.left == 0 || f.forever && f.left < 0 {
		f.hit = true
		return errInjected
	}
	return nil
}

func (f *failing) Create(name string, c disk.Category) (disk.File, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	file, err := f.FS.Create(name, c)
	return failingFile{file, f}, err
}

func (f *failing) OpenReadWrite(name string, c disk.Category, o ...disk.OpenOption) (disk.File, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	file, err := f.FS.OpenReadWrite(name, c, o...)
	return failingFile{file, f}, err
}

func (f *failing) OpenDir(name string) (disk.File, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	file, err := f.FS.OpenDir(name)
	return failingFile{file, f}, err
}

func (f *failing) Rename(a, b string) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.FS.Rename(a, b)
}

type failingFile struct {
	disk.File
	fs *failing
}

func (f failingFile) Write(b []byte) (int, error) {
	if err := f.fs.step(); err != nil {
		if f.fs.short {
			n, _ := f.File.Write(b[:len(b)/2])
			return n, err
		}
		return 0, err
	}
	return f.File.Write(b)
}

func (f failingFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.fs.step(); err != nil {
		if f.fs.short {
			n, _ := f.File.WriteAt(b[:len(b)/2], at)
			return n, err
		}
		return 0, err
	}
	return f.File.WriteAt(b, at)
}

func (f failingFile) Sync() error {
	if err := f.fs.step(); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f failingFile) SyncData() error {
	if err := f.fs.step(); err != nil {
		return err
	}
	return f.File.SyncData()
}

// TestEveryFailure fails every operation of a history in turn, once or from then
// on, and crashes afterwards. A released signature is never contradicted.
func TestEveryFailure(t *testing.T) {
	testsize.OneGoroutine(t)
	g := newGrove("a", 30)
	for _, forever := range []bool{false, true} {
		for _, short := range []bool{false, true} {
			for step := 1; ; step++ {
				name := fmt.Sprintf("step %d, forever %v, short %v", step, forever, short)
				under := disktest.NewCrashable()
				fs := &failing{FS: under, left: step, forever: forever, short: short}
				released := map[string]uint64{}
				history(t, name, fs, g, released)
				rng := rand.New(rand.NewPCG(uint64(step), 7))
				clone := under.CrashClone(disktest.CrashConfig{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
				n := open(t, optionsOn(clone, 5))
				if err := n.Check(); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if s := released[n.DirectoryKey()]; s > 0 {
					if _, err := n.Sign("acme", g.at(s-1)); fault.CodeOf(err) != fault.RolledBack {
						t.Fatalf("%s: forgot that %d were signed: %v", name, s, err)
					}
				}
				if _, err := n.Sign("acme", g.at(30)); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				_ = n.Close()
				if !fs.hit {
					break
				}
			}
		}
	}
}

// history signs and changes keys, and records which sizes were released under
// which key.
func history(t *testing.T, name string, fs disk.FS, g *grove, released map[string]uint64) {
	t.Helper()
	n, err := Open(optionsOn(fs, 3))
	if err != nil {
		return
	}
	defer n.Close()
	for size := uint64(1); size <= 12; size++ {
		if size == 7 {
			_ = n.Rekey()
		}
		s, err := n.Sign("acme", g.at(size))
		if err != nil {
			continue
		}
		v, err := merkle.NewVerifier(n.VerifierKey("acme"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := merkle.OpenCheckpoint(s.Note, v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		released[n.DirectoryKey()] = size
	}
}

func TestFailedSyncIsForGood(t *testing.T) {
	fs := &failing{FS: disk.NewMem()}
	n := open(t, optionsOn(fs, 1))
	g := newGrove("a", 9)
	fs.left = 3 // open, write, sync
	_, err := n.Sign("acme", g.at(3))
	wants(t, err, fault.WriteFailed, "injected")
	_, err = n.Sign("acme", g.at(4))
	wants(t, err, fault.WriteFailed)
	_ = n.Close()
	mustSign(t, open(t, optionsOn(fs, 1)), "acme", g.at(3))
}

func FuzzLoadMemory(f *testing.F) {
	for _, data := range written(f, newGrove("a", 10)) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, lenient := range []bool{false, true} {
			fs := disk.NewMem()
			if err := disk.WriteFile(fs, "m", data); err != nil {
				t.Fatal(err)
			}
			m, err := loadMemory(fs, "m", lenient)
			if err != nil {
				continue
			}
			before := len(m.last)
			if err := m.remember("log", Seen{Size: merkle.MaxSize, Time: clock()}); err != nil {
				t.Fatal(err)
			}
			m.close()
			again, err := loadMemory(fs, "m", lenient)
			if lenient && m.owner == "" {
				continue // no key to sign with
			}
			if err != nil || len(again.last) < before || again.last["log"].Size != merkle.MaxSize {
				t.Fatalf("what was remembered is not there: %v", err)
			}
		}
	})
}
