package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/disk/disktest"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// The suite: writers, one for each tenant, keep a diary of their requests and
// the acknowledgements, each with its moment. Meanwhile crash clones are
// taken. A clone is correct if it has everything that was acknowledged before
// the cloning began, nothing that was requested after it ended, and of the
// requests in between each record whole or not at all.

// crashSuite is one run.
type crashSuite struct {
	now     atomic.Int64 // a count of moments
	clock   *clock
	mem     *disk.Mem
	fs      disk.FS
	board   *engine.Board
	rng     *rand.Rand
	diaries []*diary
	wrap    func(disk.FS) disk.FS
	opts    engine.Options
	locking sync.Mutex
}

// lockApart serializes locking and cloning: in memory, taking a lock while a
// clone is about to be made blocks forever.
type lockApart struct {
	disk.FS
	mu *sync.Mutex
}

func (s *lockApart) Unwrap() disk.FS { return s.FS }

func (s *lockApart) Lock(name string) (io.Closer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.FS.Lock(name)
}

func newCrashSuite(seed uint64, wrap func(disk.FS) disk.FS) (*crashSuite, error) {
	s := &crashSuite{clock: newClock(), rng: rand.New(rand.NewPCG(seed, 1)), wrap: wrap}
	for i := range 3 {
		s.diaries = append(s.diaries, &diary{
			suite: s, tenant: fmt.Sprintf("tenant-%d", i), rng: rand.New(rand.NewPCG(seed, uint64(i)+2)),
			signed: make(map[uint64][]byte), signedAt: make(map[uint64]int64), things: make(map[string]*thingState),
		})
	}
	return s, s.start(disktest.NewCrashable())
}

// start opens the board on a file system.
func (s *crashSuite) start(mem *disk.Mem) (err error) {
	s.mem, s.fs = mem, &lockApart{s.wrap(mem), &s.locking}
	s.opts = small(s.fs)
	s.opts.Clock = s.clock.Now
	s.opts.SegmentBytes = 4<<10 + s.rng.Int64N(60<<10)
	s.board, err = engine.Open(ctx, "data", s.opts)
	return err
}

func (s *crashSuite) moment() int64 { return s.now.Add(1) }

// clone is a directory as after a crash, and the moments between which it was
// taken.
type clone struct {
	fs            *disk.Mem
	before, after int64
}

func (s *crashSuite) crash(rng *rand.Rand) clone {
	s.locking.Lock()
	defer s.locking.Unlock()
	c := clone{before: s.moment()}
	c.fs = s.mem.CrashClone(disktest.CrashConfig{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
	c.after = s.moment()
	return c
}

// check opens a clone and compares it with the diaries.
func (s *crashSuite) check(c clone) error {
	var gone []string
	for _, d := range s.diaries {
		d.mu.Lock()
		for _, x := range d.deeds {
			// A restored text is in two records that are erased together.
			if x.eraseAcked <= c.before && x.canary != "" {
				gone = append(gone, x.canary)
			}
		}
		d.mu.Unlock()
	}
	if path, word, err := grep(c.fs, "data/journal", gone...); err != nil {
		return err
	} else if path != "" {
		return fmt.Errorf("%s was erased, but is in %s", word, path)
	}
	o := s.opts
	o.FS = c.fs
	b, err := engine.Open(ctx, "data", o)
	if err != nil {
		return fmt.Errorf("open the clone: %w", err)
	}
	defer b.Close()
	if len(b.Damages()) > 0 {
		return fmt.Errorf("the clone is damaged: %v", b.Damages())
	}
	lines, err := readJournal(c.fs, "data")
	if err != nil {
		return err
	}
	if err := rootsAgree(b, lines); err != nil {
		return err
	}
	for _, d := range s.diaries {
		if err := d.check(b, c, lines[d.tenant]); err != nil {
			return fmt.Errorf("%s: %w", d.tenant, err)
		}
	}
	if path, word, _ := grep(c.fs, "data/journal", gone...); path != "" {
		return fmt.Errorf("after the start %s, which was erased, is in %s", word, path)
	}
	_, err = soundness(b)
	return err
}

// check compares a tenant's records with its diary.
func (d *diary) check(b *engine.Board, c clone, lines []line) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := make(map[record.Hash]int)
	for i, l := range lines {
		if _, twice := at[l.ID]; twice {
			return fmt.Errorf("position %d repeats a record", i)
		}
		at[l.ID] = i
	}
	claimed := make(map[int]bool)
	present := make(map[int]int) // for each request, how many of its first records exist
	for _, x := range d.deeds {
		acked, issued := x.acked <= c.before, x.issued <= c.after
		i, ok := at[x.id]
		if x.id == (record.Hash{}) && x.acked != never {
			// Known only by its position.
			i, ok = int(x.position), int(x.position) < len(lines) && lines[x.position].Kind == x.kind
		}
		switch {
		case acked && !ok:
			return fmt.Errorf("%s %q, acknowledged for position %d, is lost", x.kind, x.canary, x.position)
		case ok && !issued:
			return fmt.Errorf("%s %q is there before it was asked for", x.kind, x.canary)
		case !ok:
			present[x.request] = -1
			continue
		}
		if present[x.request] < 0 {
			return fmt.Errorf("%s %q is there, but not one before it in the same request", x.kind, x.canary)
		}
		claimed[i] = true
		if acked && uint64(i) != x.position {
			return fmt.Errorf("%s %q is at %d, but was acknowledged for %d", x.kind, x.canary, i, x.position)
		}
		if err := d.compare(b, c, x, &lines[i]); err != nil {
			return fmt.Errorf("%s %q at %d: %w", x.kind, x.canary, i, err)
		}
	}
	for i, l := range lines {
		known := l.Kind == record.Tombstone || l.Kind == record.Redaction || l.Kind == record.Expiry
		if !claimed[i] && !known {
			return fmt.Errorf("nobody asked for the %s at %d", l.Kind, i)
		}
	}
	for size, root := range d.signed {
		if d.signedAt[size] > c.before {
			continue
		}
		got, err := b.RootAt(ctx, d.tenant, size)
		if err != nil || !bytes.Equal(got[:], root) {
			return fmt.Errorf("a checkpoint of size %d was signed over %x, now it is %x: %w", size, root, got, err)
		}
	}
	if len(lines) > 0 {
		if _, err := b.Checkpoint(ctx, d.tenant); err != nil {
			return fmt.Errorf("the clone does not sign: %w", err)
		}
	}
	return nil
}

// compare compares one record with the request.
func (d *diary) compare(b *engine.Board, c clone, x *deed, l *line) error {
	mustBeGone, mayBeGone := x.eraseAcked <= c.before, x.eraseIssued <= c.after
	switch {
	case mustBeGone && !l.Erased:
		return errors.New("it was erased, but its bytes are there")
	case l.Erased && !mayBeGone:
		return errors.New("it is blank, but nobody erased it")
	case x.kind != record.Event && x.kind != record.Memory:
		return nil
	}
	if !l.Erased {
		payload := l.Body[record.SaltSize:]
		if x.payload != nil && !bytes.Equal(payload, x.payload) || !bytes.Contains(payload, []byte(x.canary)) {
			return fmt.Errorf("it has other bytes: %s", payload)
		}
	}
	if x.kind != record.Event || x.payload == nil {
		return nil
	}
	want, _, err := hmx.DecodeEvent(x.payload)
	if err != nil {
		return err
	}
	got, err := b.Event(ctx, d.tenant, want.EventID, engine.View{})
	if l.Erased {
		if fault.CodeOf(err) != fault.Erased {
			return fmt.Errorf("it is erased, but reading it gives %v, %v", got, err)
		}
		return nil
	}
	if err != nil && !(mayBeGone && fault.CodeOf(err) == fault.Erased) {
		return err
	}
	return nil
}

// round lets every writer do some steps, with clones taken meanwhile, and
// returns how many were checked.
func (s *crashSuite) round(steps, clones int) (int, error) {
	var wg sync.WaitGroup
	errs := make(chan error, len(s.diaries)+1)
	running := int64(len(s.diaries))
	for _, d := range s.diaries {
		wg.Go(func() {
			defer atomic.AddInt64(&running, -1)
			for range steps {
				if err := d.step(); err != nil {
					errs <- fmt.Errorf("%s: %w", d.tenant, err)
					return
				}
			}
		})
	}
	maintain := rand.New(rand.NewPCG(s.rng.Uint64(), 9))
	wg.Go(func() {
		for atomic.LoadInt64(&running) > 0 {
			if err := s.maintain(maintain); err != nil {
				errs <- err
				return
			}
		}
	})
	checked := 0
	for checked < clones {
		for range s.rng.IntN(200) {
			runtime.Gosched()
		}
		alone := atomic.LoadInt64(&running) == 0
		if err := s.check(s.crash(s.rng)); err != nil {
			return checked, err
		}
		checked++
		if alone {
			break
		}
	}
	wg.Wait()
	select {
	case err := <-errs:
		return checked, err
	default:
	}
	return checked, nil
}

// maintain runs a random operation of an operator.
func (s *crashSuite) maintain(rng *rand.Rand) error {
	for range rng.IntN(2000) {
		runtime.Gosched()
	}
	switch rng.IntN(40) {
	case 0:
		return s.board.Purge(ctx)
	case 1:
		return s.board.Rebuild(ctx, nil)
	case 2:
		_, err := s.board.Verify(ctx, engine.VerifyOptions{})
		return err
	case 3:
		_, err := soundness(s.board)
		return err
	}
	return nil
}

// next continues after the last round: on the same board, on a reopened one,
// or on a crash clone.
func (s *crashSuite) next() error {
	switch s.rng.IntN(3) {
	case 0:
		if err := s.board.Close(); err != nil {
			return err
		}
		return s.start(s.mem)
	case 1:
		old := s.board
		c := s.crash(s.rng)
		old.Close()
		return s.start(c.fs)
	}
	return nil
}

// crashes runs suites until enough clones were checked.
func crashes(t testing.TB, clones int, wrap func(disk.FS) disk.FS) (checked int, err error) {
	for seed := testsize.Seed(t, 1); checked < clones && err == nil; seed++ {
		within(t, fmt.Sprintf("seed %d", seed), func() {
			var n int
			n, err = crashRun(seed, wrap)
			checked += n
		})
		if err != nil {
			err = fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return checked, err
}

// crashRun is one run of a board.
func crashRun(seed uint64, wrap func(disk.FS) disk.FS) (checked int, err error) {
	s, err := newCrashSuite(seed, wrap)
	if err != nil {
		return 0, err
	}
	defer func() { s.board.Close() }()
	for range 4 {
		n, err := s.round(15, 6)
		checked += n
		if err == nil {
			err = s.next()
		}
		if err != nil {
			return checked, err
		}
	}
	return checked, nil
}

// TestCrashClones checks that acknowledged records survive crashes.
func TestCrashClones(t *testing.T) {
	testsize.OneGoroutine(t)
	checked, err := crashes(t, testsize.Of(t, "crash-clones", 5, 40, 10000), func(fs disk.FS) disk.FS { return fs })
	if err != nil {
		t.Errorf("after %d clones: %v", checked, err)
	}
	t.Logf("%d clones", checked)
}

// journalApart puts the files of the journal on another file system.
type journalApart struct {
	disk.FS
	journal disk.FS
}

func (s *journalApart) of(name string) disk.FS {
	if strings.Contains(name, "/journal") {
		return s.journal
	}
	return s.FS
}

func (s *journalApart) Create(name string, c disk.Category) (disk.File, error) {
	return s.of(name).Create(name, c)
}

func (s *journalApart) OpenReadWrite(name string, c disk.Category, opts ...disk.OpenOption) (disk.File, error) {
	return s.of(name).OpenReadWrite(name, c, opts...)
}

func (s *journalApart) OpenDir(name string) (disk.File, error) { return s.of(name).OpenDir(name) }

// TestCrashClonesFindAMissingSync tests the test: with syncs that do nothing,
// the suite must fail.
func TestCrashClonesFindAMissingSync(t *testing.T) {
	for name, wrap := range map[string]func(disk.FS) disk.FS{
		"everywhere":     disktest.NoSync,
		"in the journal": func(fs disk.FS) disk.FS { return &journalApart{fs, disktest.NoSync(fs)} },
	} {
		t.Run(name, func(t *testing.T) {
			checked, err := crashes(t, 200, wrap)
			if err == nil {
				t.Errorf("%d clones without a sync, and nothing was found", checked)
			}
			t.Logf("found by clone %d: %v", checked+1, err)
		})
	}
}
