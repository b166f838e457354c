package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/disk/disktest"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/record"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/testsize"
)

// TestFaults fails each operation that changes a file in turn, once or
// permanently, with nothing or half of it written. Whatever was acknowledged
// must exist afterwards, in the files as they are and after a crash; reads must
// work meanwhile, and nothing may hang.
func TestFaults(t *testing.T) {
	testsize.OneGoroutine(t)
	// In a plain run every stride-th operation, with a different start for each
	// kind of fault.
	stride := testsize.Of(t, "fault-stride", 600, 48, 1)
	kinds := []disktest.Fault{
		{Err: syscall.EIO}, {Err: syscall.ENOSPC, Short: true},
		{Err: syscall.EIO, After: true}, {Err: syscall.ENOSPC, Short: true, After: true},
	}
	for i, f := range kinds {
		t.Run(fmt.Sprintf("%v short=%v after=%v", f.Err, f.Short, f.After), func(t *testing.T) {
			n, runs := testsize.Of(t, "fault-from", 1, 1, 1)+i*stride/len(kinds), 0
			for ; ; n += stride {
				f.N = n
				tripped := ""
				within(t, fmt.Sprintf("fault %d", n), func() {
					var err error
					if tripped, err = faultRun(f); err != nil {
						t.Errorf("%+v: %s: %v", f, tripped, err)
					}
				})
				if tripped == "" || t.Failed() {
					break
				}
				runs++
			}
			t.Logf("%d faults, the last at operation %d", runs, n-stride)
		})
	}
}

// faultRun is one run with one fault in it.
func faultRun(f disktest.Fault) (tripped string, err error) {
	var faulty *disktest.Faulty
	first := true
	s, openErr := newCrashSuite(7, func(fs disk.FS) disk.FS {
		if !first {
			return fs
		}
		first = false
		faulty = disktest.FailAt(fs, f)
		return faulty
	})
	s.diaries = s.diaries[:2]
	if openErr == nil {
		err = s.suffer()
	} else if s.board != nil {
		return faulty.Tripped(), fmt.Errorf("open failed with %w and a board", openErr)
	}
	tripped = faulty.Tripped()
	if err != nil {
		return tripped, err
	}
	if openErr != nil && tripped == "" {
		return tripped, openErr
	}
	now := s.moment()
	rng := rand.New(rand.NewPCG(uint64(f.N), 3))
	for _, percent := range []int{0, rng.IntN(101), 100} {
		c := s.mem.CrashClone(disktest.CrashConfig{UnsyncedDataPercent: percent, RNG: rng})
		if err := s.check(clone{c, now, now}); err != nil {
			return tripped, fmt.Errorf("with %d %% of what was not synced: %w", percent, err)
		}
	}
	if err := s.check(clone{s.mem, now, now}); err != nil {
		return tripped, fmt.Errorf("opened again: %w", err)
	}
	return tripped, nil
}

// suffer works with the board until the end, whatever fails. Failed requests
// are in the diaries as not acknowledged.
func (s *crashSuite) suffer() error {
	b := s.board
	for i := range 12 {
		for _, d := range s.diaries {
			err := d.step()
			if err != nil && b.Failed() != nil {
				if code := fault.CodeOf(err); code == fault.Internal {
					return fmt.Errorf("refused with a fault of no name: %w", err)
				}
			}
		}
		switch i {
		case 4:
			_ = b.Purge(ctx)
		case 8:
			if err := b.Rebuild(ctx, nil); err != nil {
				if _, rerr := b.Root(ctx, s.diaries[0].tenant); fault.CodeOf(rerr) == fault.Closed {
					b.Close()
					return nil // it failed permanently, and reports it
				}
			}
		}
		if err := s.readable(); err != nil {
			return err
		}
	}
	if b.Failed() != nil {
		d := s.diaries[0]
		ev, err := decodeEvent(d.tenant, "one more", "s1", 99, "one more", "")
		if err != nil {
			return err
		}
		switch _, err := b.AppendEvents(ctx, user, []*hmx.Event{ev}); fault.CodeOf(err) {
		case fault.WriteFailed, fault.DiskFull, fault.ReadOnly:
		default:
			return fmt.Errorf("the board has failed with %w, but a write gives %w", b.Failed(), err)
		}
	}
	_ = b.Close()
	return nil
}

// readable reads everything that was acknowledged.
func (s *crashSuite) readable() error {
	for _, d := range s.diaries {
		for _, x := range d.deeds {
			if x.kind != record.Event || x.acked == never {
				continue
			}
			want, _, err := hmx.DecodeEvent(x.payload)
			if err != nil {
				return err
			}
			got, err := s.board.Event(ctx, d.tenant, want.EventID, engine.View{})
			switch {
			case fault.CodeOf(err) == fault.Erased && x.eraseIssued != never:
			case err != nil:
				return fmt.Errorf("read %q, which was acknowledged: %w", x.canary, err)
			case got.Position != x.position || got.Event.EventID != want.EventID:
				return fmt.Errorf("read %q: got %+v", x.canary, got)
			case x.eraseAcked != never:
				return fmt.Errorf("%q was erased, but is served", x.canary)
			}
		}
		for id, st := range d.things {
			thing, err := s.board.Get(ctx, engine.Ref{Tenant: d.tenant, Kind: record.Memory, ID: id}, engine.View{})
			if err != nil && !st.erased && st.version > 0 {
				return fmt.Errorf("get %s: %w", id, err)
			}
			if err == nil && int(thing.Version) < st.version {
				return fmt.Errorf("get %s: version %d, but %d was acknowledged", id, thing.Version, st.version)
			}
			if err != nil && errors.Is(err, syscall.EIO) {
				return err
			}
		}
	}
	return nil
}
