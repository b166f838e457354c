package journal_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/disk/disktest"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/journal"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// zeros is an endless source of zeros.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func open(t testing.TB, o journal.Options) *journal.Log {
	t.Helper()
	if o.Dir == "" {
		o.Dir = "j"
	}
	if o.FS == nil {
		o.FS = disk.NewMem()
	}
	l, err := journal.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func put(t testing.TB, l *journal.Log, header, body string) journal.LSN {
	t.Helper()
	lsn, err := l.Append([]byte(header), []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Commit(); err != nil {
		t.Fatal(err)
	}
	return lsn
}

// The bytes are a contract: old logs are read by new programs.
func TestGolden(t *testing.T) {
	mem := disk.NewMem()
	l := open(t, journal.Options{FS: mem, SegmentBytes: 256, Ahead: -1, Rand: bytes.NewReader([]byte("0123456789abcdef"))})
	put(t, l, "header one", "salt and payload")
	put(t, l, "", "")
	erased := put(t, l, "header three", "this will be erased")
	put(t, l, "h", strings.Repeat("x", 100))
	put(t, l, "first of the next segment", "body")
	if err := l.Erase([]journal.LSN{erased}); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	files := contents(t, mem)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&got, "%s\n%s\n", name, hex.Dump(files[name]))
	}
	golden := filepath.Join("testdata", "log.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("the bytes changed; got\n%s", got.String())
	}
}

func TestNothingWrittenIsNothingRead(t *testing.T) {
	l := open(t, journal.Options{})
	if err := l.Commit(); err != nil {
		t.Fatal(err)
	}
	s := l.Scan(0)
	defer s.Close()
	if err := s.Next(new(journal.Frame)); !errors.Is(err, io.EOF) {
		t.Errorf("an empty log gives %v", err)
	}
	lsn, err := l.Append([]byte("h"), []byte("b"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Read(lsn, nil); !errors.Is(err, fault.Damaged) {
		t.Errorf("what is not committed was read: %v", err)
	}
	if err := l.Commit(); err != nil {
		t.Fatal(err)
	}
	// A scanner at the end continues once there is more.
	var f journal.Frame
	if err := s.Next(&f); err != nil || string(f.Body) != "b" || f.LSN != lsn || f.Next != l.End() {
		t.Errorf("%+v, %v", f, err)
	}
	if err := s.Next(&f); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

func TestLimits(t *testing.T) {
	l := open(t, journal.Options{})
	if _, err := l.Append(make([]byte, journal.MaxHeader+1), nil); !errors.Is(err, fault.TooLarge) {
		t.Errorf("header: %v", err)
	}
	if _, err := l.Append(nil, make([]byte, journal.MaxBody+1)); !errors.Is(err, fault.TooLarge) {
		t.Errorf("body: %v", err)
	}
	header, body := bytes.Repeat([]byte{1}, journal.MaxHeader), bytes.Repeat([]byte{2}, 3<<20)
	lsn := put(t, l, string(header), string(body))
	if f, err := l.Read(lsn, nil); err != nil || !bytes.Equal(f.Header, header) || !bytes.Equal(f.Body, body) {
		t.Errorf("a large frame comes back otherwise: %v", err)
	}
	s := l.Scan(lsn)
	defer s.Close()
	var f journal.Frame
	if err := s.Next(&f); err != nil || !bytes.Equal(f.Body, body) {
		t.Errorf("a large frame is scanned otherwise: %v", err)
	}
}

// A log that was left during the start of a segment can be read without repair.
func TestReadOnlyWithBlankSegment(t *testing.T) {
	mem := disk.NewMem()
	l := open(t, journal.Options{FS: mem, SegmentBytes: 128, Ahead: -1})
	put(t, l, "h", strings.Repeat("x", 200))
	lsn := put(t, l, "h", "in the second segment")
	l.Close()
	files := contents(t, mem)
	delete(files, "END")
	second := l.Segments()[1].Name
	for _, blank := range [][]byte{nil, make([]byte, 20), make([]byte, 1000)} {
		files[second] = blank
		l := open(t, journal.Options{FS: restore(t, files), ReadOnly: true})
		s := l.Scan(0)
		var f journal.Frame
		if err := s.Next(&f); err != nil || len(f.Body) != 200 {
			t.Errorf("%q, %v", f.Body, err)
		}
		if err := s.Next(&f); !errors.Is(err, io.EOF) {
			t.Error(err)
		}
		s.Close()
		l = open(t, journal.Options{FS: restore(t, files), SegmentBytes: 128})
		if again := put(t, l, "h", "once more"); again != lsn || len(l.Damages()) > 0 {
			t.Errorf("goes on at %d, not %d; %v", again, lsn, l.Damages())
		}
		if f, err := l.Read(lsn, nil); err != nil || string(f.Body) != "once more" {
			t.Errorf("%q, %v", f.Body, err)
		}
		l = open(t, journal.Options{FS: restore(t, files), AtLeast: lsn + 8})
		if len(l.Damages()) == 0 {
			t.Error("a blank segment is no damage, although it was not blank")
		}
	}
}

// A scan can begin wherever a commit ended, also behind a segment's last frame.
func TestScanFromEveryEnd(t *testing.T) {
	l := open(t, journal.Options{SegmentBytes: 512, Ahead: -1, OpenFiles: 1})
	ends := []journal.LSN{0}
	for i := range 60 {
		put(t, l, "h", fmt.Sprint("body ", i))
		ends = append(ends, l.End())
	}
	if n := len(l.Segments()); n < 4 {
		t.Fatalf("%d segments", n)
	}
	for i, from := range ends {
		s := l.Scan(from)
		var f journal.Frame
		for j := i; j < 60; j++ {
			if err := s.Next(&f); err != nil || string(f.Body) != fmt.Sprint("body ", j) {
				t.Fatalf("from %d: %q, %v", from, f.Body, err)
			}
		}
		if err := s.Next(&f); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		s.Close()
	}
}

// One commit is one write and one sync, whatever it holds.
func TestOneSyncPerCommit(t *testing.T) {
	fs := disktest.Count(disk.NewMem())
	l := open(t, journal.Options{FS: fs})
	put(t, l, "h", "b")
	writes, syncs, all := fs.Of(disktest.WriteAt), fs.Of(disktest.SyncData), fs.Ops()
	for range 100 {
		if _, err := l.Append([]byte("h"), []byte("b")); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Commit(); err != nil {
		t.Fatal(err)
	}
	if fs.Of(disktest.WriteAt) != writes+1 || fs.Of(disktest.SyncData) != syncs+1 || fs.Ops() != all+2 {
		t.Errorf("%d operations", fs.Ops()-all)
	}
}

func TestReadOnlyChangesNothing(t *testing.T) {
	m, files := specimen(t, false)
	fs := disktest.Count(restore(t, files))
	opts := m.options(fs)
	opts.ReadOnly = true
	l := open(t, opts)
	if err := m.verify(l); err != nil {
		t.Error(err)
	}
	if _, err := l.Append(nil, nil); !errors.Is(err, fault.ReadOnly) {
		t.Errorf("append: %v", err)
	}
	if err := l.Erase([]journal.LSN{m.frames[0].lsn}); !errors.Is(err, fault.ReadOnly) {
		t.Errorf("erase: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if fs.Ops() != 0 {
		t.Errorf("%d operations changed something", fs.Ops())
	}
	opts.Dir = "none"
	if _, err := journal.Open(opts); err == nil {
		t.Error("a log that is not there was opened for reading")
	}
}

func TestClosed(t *testing.T) {
	l := open(t, journal.Options{})
	lsn := put(t, l, "h", "b")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	_, appendErr := l.Append(nil, nil)
	_, readErr := l.Read(lsn, nil)
	s := l.Scan(0)
	defer s.Close()
	for name, err := range map[string]error{
		"append": appendErr, "commit": l.Commit(), "read": readErr,
		"erase": l.Erase([]journal.LSN{lsn}), "scan": s.Next(new(journal.Frame)),
	} {
		if !errors.Is(err, fault.Closed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNewerFormatIsRefused(t *testing.T) {
	for _, name := range []string{"00000000000000000000.seg", "END"} {
		mem := disk.NewMem()
		l := open(t, journal.Options{FS: mem})
		put(t, l, "h", "b")
		l.Close()
		data, err := disk.ReadFile(mem, "j/"+name)
		if err != nil {
			t.Fatal(err)
		}
		binary.BigEndian.PutUint32(data[8:], journal.Format+1)
		binary.BigEndian.PutUint32(data[60:], crc32.Checksum(data[:60], crc32.MakeTable(crc32.Castagnoli)))
		if err := disk.WriteFile(mem, "j/"+name, data); err != nil {
			t.Fatal(err)
		}
		_, err = journal.Open(journal.Options{FS: mem, Dir: "j"})
		if !errors.Is(err, fault.NewerFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEraseFindsNothing(t *testing.T) {
	l := open(t, journal.Options{})
	a := put(t, l, "a", "body of a")
	b := put(t, l, "b", "body of b")
	err := l.Erase([]journal.LSN{b, a + 8, a, a, l.End() + 800})
	if !errors.Is(err, fault.Damaged) {
		t.Errorf("error %v", err)
	}
	for _, lsn := range []journal.LSN{a, b} {
		if f, err := l.Read(lsn, nil); err != nil || !f.Erased || f.Body != nil || len(f.Header) != 1 {
			t.Errorf("%+v, %v", f, err)
		}
	}
	if err := l.Erase(nil); err != nil {
		t.Error(err)
	}
	if l.Failed() != nil {
		t.Errorf("failed: %v", l.Failed())
	}
}

// Erased bytes are gone from every file.
func TestErasedBytesAreGone(t *testing.T) {
	mem := disk.NewMem()
	l := open(t, journal.Options{FS: mem, SegmentBytes: 4096})
	var lsns []journal.LSN
	for i := range 200 {
		lsns = append(lsns, put(t, l, "header", fmt.Sprintf("canary %d", i)))
	}
	if err := l.Erase(lsns); err != nil {
		t.Fatal(err)
	}
	for name, data := range contents(t, mem) {
		if bytes.Contains(data, []byte("canary")) {
			t.Errorf("%s still holds one", name)
		}
	}
	if found, err := l.Check(context.Background(), nil); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}

func TestCheckStops(t *testing.T) {
	l := open(t, journal.Options{})
	put(t, l, "h", "b")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Check(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Readers, scanners, an eraser and a checker run concurrently with the writer.
func TestAllAtOnce(t *testing.T) {
	fs := disktest.Piecemeal(disk.NewMem(), 256)
	l := open(t, journal.Options{FS: fs, SegmentBytes: 32 << 10, Ahead: 4 << 10, OpenFiles: 3})
	body := func(lsn journal.LSN) []byte {
		return bytes.Repeat(binary.BigEndian.AppendUint64(nil, uint64(lsn)), 1+int(lsn/8%200))
	}
	var mu sync.Mutex
	var all []journal.LSN
	var stop atomic.Bool
	pick := func(rng *rand.Rand) (journal.LSN, bool) {
		mu.Lock()
		defer mu.Unlock()
		if len(all) == 0 {
			return 0, false
		}
		return all[rng.IntN(len(all))], true
	}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 3))
			var buf []byte
			for !stop.Load() {
				lsn, ok := pick(rng)
				if !ok {
					continue
				}
				f, err := l.Read(lsn, buf)
				if err != nil || !f.Erased && !bytes.Equal(f.Body, f.Header) {
					t.Errorf("read %d: %v", lsn, err)
					return
				}
				buf = f.Buffer()
			}
		})
	}
	wg.Go(func() {
		for !stop.Load() {
			s := l.Scan(0)
			var f journal.Frame
			var err error
			for err = s.Next(&f); err == nil; err = s.Next(&f) {
				if !f.Erased && !bytes.Equal(f.Body, f.Header) {
					t.Errorf("scan %d: body differs", f.LSN)
				}
			}
			if !errors.Is(err, io.EOF) {
				t.Error(err)
			}
			s.Close()
			if found, err := l.Check(context.Background(), nil); err != nil || len(found) > 0 {
				t.Errorf("check: %v, %v", found, err)
			}
		}
	})
	wg.Go(func() {
		rng := rand.New(rand.NewPCG(9, 9))
		for !stop.Load() {
			if lsn, ok := pick(rng); ok {
				if err := l.Erase([]journal.LSN{lsn}); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for range 400 {
		var group []journal.LSN
		for range 5 {
			b := body(l.End() + journal.LSN(len(group)))
			lsn, err := l.Append(b, b)
			if err != nil {
				t.Fatal(err)
			}
			group = append(group, lsn)
		}
		if err := l.Commit(); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		all = append(all, group...)
		mu.Unlock()
	}
	stop.Store(true)
	wg.Wait()
}
