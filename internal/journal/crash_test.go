package journal_test

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/disk/disktest"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/testsize"
)

// crashes simulates a few crashes in a row, each during some operation, and
// verifies after each. Operations of the journal go through wrap.
func crashes(seed uint64, wrap func(disk.FS) disk.FS) error {
	m := newModel(seed)
	mem := disktest.NewCrashable()
	for life := range 4 {
		power := disktest.FailAt(mem, disktest.Fault{
			N: 1 + m.rng.IntN(60), Err: syscall.EIO, Short: m.rng.IntN(2) == 0, After: true,
		})
		opts := m.options(wrap(power))
		l, err := journal.Open(opts)
		if err == nil {
			if err := m.verify(l); err != nil && power.Tripped() == "" {
				return fmt.Errorf("seed %d, life %d: %w", seed, life, err)
			}
			for range 30 {
				if err = m.step(l); err != nil {
					break
				}
			}
			if err == nil && m.rng.IntN(2) == 0 {
				err = l.Close()
			}
		}
		if err != nil && power.Tripped() == "" {
			return fmt.Errorf("seed %d, life %d: %w", seed, life, err)
		}
		if m.rng.IntN(3) == 0 {
			continue // the process was killed, and the machine kept running
		}
		mem = mem.CrashClone(disktest.CrashConfig{UnsyncedDataPercent: m.rng.IntN(101), RNG: m.rng})
	}
	// What an Open has returned must survive the next crash.
	for _, fs := range []*disk.Mem{mem, nil} {
		if fs == nil {
			fs = mem.CrashClone(disktest.CrashConfig{})
		}
		if err := lastLife(m, fs); err != nil {
			return fmt.Errorf("seed %d, at last: %w", seed, err)
		}
	}
	return nil
}

func lastLife(m *model, fs disk.FS) error {
	l, err := journal.Open(m.options(fs))
	if err != nil {
		return err
	}
	if err := m.verify(l); err != nil {
		return err
	}
	found, err := l.Check(context.Background(), nil)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return fmt.Errorf("check: %w", &found[0])
	}
	return nil // left without a Close, as after a kill
}

func TestCrashes(t *testing.T) {
	testsize.OneGoroutine(t)
	for seed := range uint64(testsize.Of(t, "journal-clones", 50, 200, 5000)) {
		if err := crashes(seed, func(fs disk.FS) disk.FS { return fs }); err != nil {
			t.Fatal(err)
		}
	}
}

// The suite above must notice when nothing is synced.
func TestCrashesNeedSync(t *testing.T) {
	for seed := range uint64(50) {
		if crashes(seed, disktest.NoSync) != nil {
			return
		}
	}
	t.Error("200 clones of a log that never syncs, and nothing was lost: the suite tests nothing")
}

// After a failed sync, the system may hold as written what never reached the
// disk. Open writes what it finds again before it relies on it.
func TestUnprovenIsWrittenAgain(t *testing.T) {
	mem := disk.NewMem()
	l := open(t, journal.Options{FS: mem, Ahead: -1})
	put(t, l, "h", "first")
	count := disktest.Count(mem)
	open(t, journal.Options{FS: count, Ahead: -1})
	if count.Of(disktest.WriteAt) == 0 || count.Of(disktest.Sync) == 0 {
		t.Errorf("%d writes, %d syncs", count.Of(disktest.WriteAt), count.Of(disktest.Sync))
	}
}

// Every operation fails once, in every way. What was committed stays.
func TestFaultSweep(t *testing.T) {
	testsize.OneGoroutine(t)
	for _, fail := range []disktest.Fault{
		{Err: syscall.EIO},
		{Err: syscall.EIO, After: true},
		{Err: syscall.ENOSPC, Short: true},
		{Err: syscall.ENOSPC, Short: true, After: true},
	} {
		for n := 1; ; n++ {
			fail.N = n
			mem := disktest.NewCrashable()
			faulty := disktest.FailAt(mem, fail)
			m := newModel(99)
			err := sweepOne(m, mem, faulty)
			if err != nil {
				t.Fatalf("%+v: %s: %v", fail, faulty.Tripped(), err)
			}
			if faulty.Tripped() == "" {
				if n < 50 {
					t.Fatalf("only %d operations", n)
				}
				break
			}
		}
	}
}

func sweepOne(m *model, mem *disk.Mem, faulty *disktest.Faulty) error {
	opts := m.options(faulty)
	opts.Ahead = 4 << 10
	l, err := journal.Open(opts)
	if err == nil {
		for range 25 {
			if err = m.step(l); err != nil {
				break
			}
		}
		if err != nil {
			if err := failedForGood(l, err); err != nil {
				return err
			}
			for _, w := range m.frames {
				f, err := l.Read(w.lsn, nil)
				var d *journal.Damage
				if errors.As(err, &d) && d.Part == journal.PartBody && w.erasing {
					continue
				}
				if err != nil {
					return fmt.Errorf("read on after the failure: %w", err)
				}
				if err := w.same(&f); err != nil {
					return err
				}
			}
		}
		if cerr := l.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil && faulty.Tripped() == "" {
		return err
	}
	// Both without a crash and with the worst one.
	for _, fs := range []*disk.Mem{mem.CrashClone(disktest.CrashConfig{}), mem} {
		after := *m
		after.frames = nil
		for _, w := range m.frames {
			c := *w
			after.frames = append(after.frames, &c)
		}
		opts := m.options(fs)
		l, err := journal.Open(opts)
		if err != nil {
			return fmt.Errorf("open after the failure: %w", err)
		}
		if err := after.verify(l); err != nil {
			return err
		}
		if err := l.Close(); err != nil {
			return err
		}
	}
	return nil
}

// failedForGood checks that a failed log refuses all writes, with the reason.
func failedForGood(l *journal.Log, cause error) error {
	if !errors.Is(cause, fault.WriteFailed) || l.Failed() == nil {
		return fmt.Errorf("failed with %w, and is failed: %w", cause, l.Failed())
	}
	if errors.Is(cause, syscall.ENOSPC) && !errors.Is(cause, fault.DiskFull) {
		return fmt.Errorf("does not say that the disk is full: %w", cause)
	}
	end := l.End()
	if _, err := l.Append(nil, nil); !errors.Is(err, fault.WriteFailed) {
		return fmt.Errorf("append to a failed log: %w", err)
	}
	if err := l.Commit(); !errors.Is(err, fault.WriteFailed) {
		return fmt.Errorf("commit to a failed log: %w", err)
	}
	if err := l.Erase([]journal.LSN{64}); !errors.Is(err, fault.WriteFailed) {
		return fmt.Errorf("erase in a failed log: %w", err)
	}
	if l.End() != end {
		return errors.New("a failed log grew")
	}
	return nil
}

// Open reports why it cannot write, whichever step failed.
func TestOpenSaysWhy(t *testing.T) {
	m, files := specimen(t, false)
	for errno, code := range map[syscall.Errno]fault.Code{syscall.EROFS: fault.ReadOnly, syscall.ENOSPC: fault.DiskFull} {
		for n := 1; ; n++ {
			faulty := disktest.FailAt(restore(t, files), disktest.Fault{N: n, Err: errno, After: true})
			l, err := journal.Open(m.options(faulty))
			if faulty.Tripped() == "" {
				l.Close() // the fault may hit this too
				break
			}
			if fault.CodeOf(err) != code {
				t.Errorf("%s: %s for %v", faulty.Tripped(), string(fault.CodeOf(err)), err)
			}
		}
	}
}
