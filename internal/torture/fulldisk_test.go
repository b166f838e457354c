package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// hangLimit ends a call on a full disk that hangs. Such a call may fail, but
// must not wait until there is space.
const hangLimit = 30 * time.Second

// smallDisk mounts a file system of 32 MB.
func smallDisk(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("a small disk can only be mounted by root, on Linux")
	}
	needs(t, "mount")
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=32m", "lukasa-torture", dir).CombinedOutput(); err != nil {
		t.Skipf("no tmpfs can be mounted here: %s", out)
	}
	t.Cleanup(func() { unmount(t, dir) })
	return dir
}

// fill leaves free bytes of a disk.
func fill(t *testing.T, dir string, free uint64) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "ballast"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	buf := make([]byte, 1<<20)
	for {
		left, err := disk.Usage(disk.OS(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if left <= free {
			return
		}
		if _, err := f.Write(buf[:min(left-free, uint64(len(buf)))]); err != nil {
			return // slightly less than reported
		}
	}
}

// free removes the ballast.
func free(t *testing.T, dir string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, "ballast")); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

// timely runs a call and fails the test if it hangs.
func timely(t *testing.T, what string, call func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-time.After(hangLimit):
		buf := make([]byte, 1<<20)
		t.Fatalf("%s hangs on a full disk\n%s", what, stacks(string(buf[:runtime.Stack(buf, true)])))
		return nil
	}
}

// filler is a board on a small disk, with the ledger of what it acknowledged.
type filler struct {
	t     *testing.T
	disk  string
	dir   string
	board *engine.Board
	l     *ledger
	n     int
}

func newFiller(t *testing.T) *filler {
	d := smallDisk(t)
	f := &filler{t: t, disk: d, dir: filepath.Join(d, "data"), l: newLedger()}
	t.Cleanup(func() {
		if f.board != nil {
			f.board.Close()
		}
	})
	return f
}

// open opens the board, with a small index so that much of it is written.
func (f *filler) open() error {
	return timely(f.t, "Open", func() (err error) {
		f.board, err = engine.Open(context.Background(), f.dir, engine.Options{
			SegmentBytes: 1 << 20, MemTableBytes: 512 << 10, CacheBytes: 4 << 20,
		})
		return err
	})
}

func (f *filler) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// full checks that an error is one of a full disk.
func (f *filler) full(what string, err error) {
	f.t.Helper()
	if code := fault.CodeOf(err); code != fault.DiskFull && code != fault.WriteFailed {
		f.t.Fatalf("%s on a full disk: code %s, error %v", what, code, err)
	}
}

// append appends a batch and records what was acknowledged.
func (f *filler) append() error {
	l := line{Op: opEvents, Kind: record.Event, Tenant: "acme"}
	var batch []*hmx.Event
	for range 50 {
		f.n++
		l.IDs = append(l.IDs, fmt.Sprintf("e%d", f.n))
		batch = append(batch, eventOf("acme", l.IDs[len(l.IDs)-1]))
	}
	err := timely(f.t, "AppendEvents", func() error {
		res, err := f.board.AppendEvents(context.Background(), writer(), batch)
		if err == nil && res.Accepted != len(batch) {
			err = fmt.Errorf("%d of %d were accepted", res.Accepted, len(batch))
		}
		return err
	})
	f.l.note(l, doubtOf(err))
	return err
}

func doubtOf(err error) doubt {
	if err != nil {
		return maybe
	}
	return yes
}

// put writes a memory with a new id, and returns the id.
func (f *filler) put() (string, error) {
	f.n++
	l := line{Op: opPut, Kind: record.Memory, Tenant: "acme", IDs: []string{fmt.Sprintf("m%d", f.n)}, Version: 1}
	err := timely(f.t, "Put", func() error {
		_, err := f.board.Put(context.Background(), writer(), "acme", memoryOf(l.IDs[0], 1), engine.Version(0))
		return err
	})
	f.l.note(l, doubtOf(err))
	return l.IDs[0], err
}

// redact erases something.
func (f *filler) redact(kind record.Kind, id string) error {
	err := timely(f.t, "Redact", func() error {
		_, err := f.board.Redact(context.Background(), writer(), []memory.URI{{Tenant: "acme", Kind: kind, ID: id}})
		return err
	})
	f.l.note(line{Op: opRedact, Kind: kind, Tenant: "acme", IDs: []string{id}}, doubtOf(err))
	return err
}

// reads checks that reads work, whatever the state of the disk.
func (f *filler) reads() {
	f.t.Helper()
	f.must(timely(f.t, "a read", func() error {
		seen := 0
		for n, it := range f.l.items {
			if n.kind != record.Event || it.there[0] != yes || it.redacted != no {
				continue
			}
			ev, err := f.board.Event(context.Background(), n.tenant, n.id, engine.View{})
			if err != nil {
				return fmt.Errorf("event %s: %w", n.id, err)
			}
			if text, ok := ev.Event.Message(); !ok || !strings.HasPrefix(text.Text, mark(n.id)) {
				return fmt.Errorf("event %s says something else", n.id)
			}
			if seen++; seen == 50 {
				return nil
			}
		}
		return nil
	}))
}

// retried repeats a call while it reports a full disk. New space is noticed at
// the next flush of the index, which is retried at least every second.
func retried(call func() error) error {
	for i := 0; ; i++ {
		err := call()
		if fault.CodeOf(err) != fault.DiskFull || i == 200 {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// again continues after space was freed: directly, or after a reopen if the
// board requires one.
func (f *filler) again() {
	f.t.Helper()
	if f.board != nil {
		err := retried(f.append)
		if code := fault.CodeOf(err); code != fault.WriteFailed && code != fault.Closed {
			f.must(err)
			return
		}
		_ = timely(f.t, "Close", f.board.Close) // it has failed before
	}
	f.must(f.open())
	f.must(retried(f.append))
}

// sound closes the board and judges it.
func (f *filler) sound() {
	f.t.Helper()
	if f.board != nil {
		f.must(timely(f.t, "Close", f.board.Close))
	}
	f.board = nil
	f.must(f.l.judge(f.dir, judgement{deep: true, options: engine.Options{CacheBytes: 4 << 20}}))
}

// TestFullDisk fills the disk by writes, and by a foreign file, and frees it.
func TestFullDisk(t *testing.T) {
	rounds := testsize.Of(t, "disk-fills", 2, 8, 20)
	f := newFiller(t)
	f.must(f.open())
	refused, reopened := map[string]int{}, 0
	for round := range rounds {
		// Sometimes almost nothing is left, so that the reserve is used up as
		// well.
		left := []uint64{0, 64 << 10, 1 << 20, 9 << 20, 12 << 20}[round%5]
		if round%2 == 0 {
			f.must(retried(f.append)) // something to be flushed
		}
		fill(t, f.disk, left)
		for i := range 2000 {
			err := f.append()
			if err != nil {
				f.full("append", err)
				refused[string(fault.CodeOf(err))]++
				break
			}
			if i == 1999 {
				t.Fatal("the disk does not fill")
			}
		}
		f.reads()
		board := f.board
		free(t, f.disk)
		f.again()
		if f.board != board {
			reopened++
		}
		f.reads()
		// What was written stays, so that the disk would stay full.
		if left, err := disk.Usage(disk.OS(), f.disk); err != nil || left < 18<<20 {
			f.sound()
			f.must(os.RemoveAll(f.dir))
			f.l = newLedger()
			f.must(f.open())
		}
	}
	f.sound()
	t.Logf("%d rounds, refused with %v, opened anew %d times", rounds, refused, reopened)
}

// TestFullAtOpen: the disk is full when the directory is created or opened.
func TestFullAtOpen(t *testing.T) {
	testsize.OneGoroutine(t)
	for _, left := range []uint64{0, 4 << 10, 64 << 10, 300 << 10, 2 << 20} {
		t.Run(fmt.Sprint(left), func(t *testing.T) {
			f := newFiller(t)
			fill(t, f.disk, left)
			if err := f.open(); err != nil {
				f.full("open", err)
				f.board = nil
			} else if err := f.append(); err != nil {
				f.full("append", err)
			}
			free(t, f.disk)
			f.again()
			f.must(retried(f.append))
			f.must(timely(t, "Close", f.board.Close))
			// The same again with records in it.
			fill(t, f.disk, left)
			if err := f.open(); err != nil {
				f.full("open", err)
				f.board = nil
			} else {
				f.reads()
			}
			free(t, f.disk)
			f.again()
			f.sound()
		})
	}
}

// TestFullWhile fills the disk just before operations that need space: nothing
// acknowledged is lost, and what was not acknowledged succeeds on a retry.
func TestFullWhile(t *testing.T) {
	testsize.OneGoroutine(t)
	work := []struct {
		name string
		do   func(f *filler, id string) error
	}{
		{"rebuild", func(f *filler, _ string) error {
			return timely(f.t, "Rebuild", func() error { return f.board.Rebuild(context.Background(), nil) })
		}},
		{"purge", func(f *filler, _ string) error {
			return timely(f.t, "Purge", func() error { return f.board.Purge(context.Background()) })
		}},
		{"redact event", func(f *filler, _ string) error { return f.redact(record.Event, "e7") }},
		{"redact memory", func(f *filler, id string) error { return f.redact(record.Memory, id) }},
		{"sign", func(f *filler, _ string) error {
			return timely(f.t, "Checkpoint", func() error {
				_, err := f.board.Checkpoint(context.Background(), "acme")
				return err
			})
		}},
		{"export", func(f *filler, _ string) error {
			return timely(f.t, "Export", func() error {
				_, err := f.board.Export(context.Background(), "acme", io.Discard, nil)
				return err
			})
		}},
		{"verify", func(f *filler, _ string) error {
			return timely(f.t, "Verify", func() error {
				_, err := f.board.Verify(context.Background(), engine.VerifyOptions{Deep: true})
				return err
			})
		}},
		{"close", func(f *filler, _ string) error { return timely(f.t, "Close", f.board.Close) }},
	}
	for _, left := range []uint64{0, 300 << 10} {
		for _, w := range work {
			t.Run(fmt.Sprintf("%s/%d", w.name, left), func(t *testing.T) {
				f := newFiller(t)
				f.must(f.open())
				id, err := f.put()
				f.must(err)
				for range 20 {
					f.must(retried(f.append))
				}
				fill(t, f.disk, left)
				if err := w.do(f, id); err != nil {
					f.full(w.name, err)
				}
				closed := w.name == "close"
				if !closed && fault.CodeOf(f.append()) != fault.Closed {
					f.reads()
				} else {
					closed = true
				}
				free(t, f.disk)
				if closed {
					_ = timely(t, "Close", f.board.Close)
					f.board = nil
				}
				f.again()
				if w.name != "close" {
					f.must(retried(func() error { return w.do(f, id) }))
				}
				f.sound()
			})
		}
	}
}
