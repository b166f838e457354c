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
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/disk/disktest"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// The suite: writers, one for each tenant, keep a diary of what they asked for
// and what they were told, each with the moment. Meanwhile crash clones are
// taken. A clone is right if it has everything that was acknowledged before
// the cloning began, nothing that was not asked for before it ended, and of
// what was asked for in between each record whole or not at all.

// never is a moment that does not come.
const never = 1<<63 - 1

// deed is one record that a writer asked for.
type deed struct {
	id      record.Hash // of the header; zero where the engine draws the id
	kind    record.Kind
	payload []byte // as it must be; nil while only the canary is known
	canary  string
	request int // deeds of one request have the same number
	ttl     bool

	issued, acked           int64
	position                uint64
	eraseIssued, eraseAcked int64
}

// diary is what one writer knows of its tenant.
type diary struct {
	suite  *crashSuite
	tenant string
	rng    *rand.Rand

	mu       sync.Mutex
	deeds    []*deed
	signed   map[uint64][]byte // checkpoints, by size
	signedAt map[uint64]int64
	things   map[string]*thingState
	ids      []string
	requests int
	sequence int64
}

// thingState is what a writer knows of a memory.
type thingState struct {
	version int
	gone    bool // forgotten
	erased  bool
	unsure  bool // a write of it failed, and may have been stored
	deeds   []*deed
	texts   []string // by version; empty where it is not a put
}

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

// lockApart keeps locking apart from cloning: in memory, taking a lock while a
// clone is about to be made waits for ever.
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
	return s, s.start(disk.NewCrashable())
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

// clone is a directory as a crash would leave it, and between which moments it
// was taken.
type clone struct {
	fs            *disk.Mem
	before, after int64
}

func (s *crashSuite) crash(rng *rand.Rand) clone {
	s.locking.Lock()
	defer s.locking.Unlock()
	c := clone{before: s.moment()}
	c.fs = s.mem.CrashClone(disk.CrashConfig{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
	c.after = s.moment()
	return c
}

// begin notes that records are asked for.
func (d *diary) begin(kind record.Kind, ids []string, canaries []string) []*deed {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests++
	at := d.suite.moment()
	var made []*deed
	for i := range canaries {
		x := &deed{kind: kind, canary: canaries[i], request: d.requests, issued: at, acked: never, eraseIssued: never, eraseAcked: never}
		if ids[i] != "" {
			x.id = record.ID(d.tenant, kind, ids[i])
		}
		made = append(made, x)
	}
	d.deeds = append(d.deeds, made...)
	return made
}

// done notes that a record is acknowledged.
func (d *diary) done(x *deed, position uint64, payload []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	x.position, x.payload, x.acked = position, payload, d.suite.moment()
}

func (d *diary) canary() string {
	return fmt.Sprintf("canary-%s-%016x-%08x", d.tenant, d.rng.Uint64(), d.rng.Uint32())
}

// step does one random thing.
func (d *diary) step() error {
	b := d.suite.board
	switch n := d.rng.IntN(100); {
	case n < 45:
		return d.events(b)
	case n < 70:
		return d.put(b)
	case n < 76:
		return d.forget(b)
	case n < 82:
		return d.restore(b)
	case n < 91:
		return d.redact(b)
	case n < 94:
		return d.expire(b)
	case n < 98:
		return d.sign(b)
	}
	d.suite.clock.Move(time.Duration(d.rng.IntN(1000)) * time.Millisecond)
	return nil
}

func (d *diary) events(b *engine.Board) error {
	n := 1 + d.rng.IntN(8)
	var ids, canaries []string
	var evs []*hmx.Event
	ttl := d.rng.IntN(5) == 0
	more := ""
	if ttl {
		more = `,"ttl_seconds":60`
	}
	for range n {
		d.sequence++
		c := d.canary()
		id := fmt.Sprintf("event-%d-%s", d.sequence, c)
		ev, err := decodeEvent(d.tenant, id, "s1", d.sequence, c+strings.Repeat(" padding", d.rng.IntN(60)), more)
		if err != nil {
			return err
		}
		ids, canaries, evs = append(ids, id), append(canaries, c), append(evs, ev)
	}
	made := d.begin(record.Event, ids, canaries)
	for _, x := range made {
		x.ttl = ttl
	}
	res, err := b.AppendEvents(ctx, user, evs)
	if err != nil {
		return err
	}
	if res.Accepted != n {
		return fmt.Errorf("%d of %d events accepted: %+v", res.Accepted, n, res.Receipts)
	}
	for i, x := range made {
		js, err := evs[i].AppendJSON(nil)
		if err != nil {
			return err
		}
		d.done(x, res.Receipts[i].Position, js)
	}
	return nil
}

// pick returns a random memory that is not erased.
func (d *diary) pick(gone bool) (string, *thingState) {
	for range 8 {
		if len(d.ids) == 0 {
			break
		}
		id := d.ids[d.rng.IntN(len(d.ids))]
		if st := d.things[id]; !st.erased && !st.unsure && st.gone == gone {
			return id, st
		}
	}
	return "", nil
}

func (d *diary) put(b *engine.Board) error {
	id, st := d.pick(d.rng.IntN(6) == 0)
	if st == nil || d.rng.IntN(2) == 0 {
		id, st = fmt.Sprintf("memory-%d-%s", len(d.ids), d.canary()), &thingState{}
		d.ids = append(d.ids, id)
		d.things[id] = st
	}
	return d.write(b, id, st, d.canary()+strings.Repeat(" more words", d.rng.IntN(40)))
}

// write puts a version of a memory.
func (d *diary) write(b *engine.Board, id string, st *thingState, text string) error {
	body := fact(id, "", text)
	made := d.begin(record.Memory, []string{fmt.Sprintf("%s#%d", id, st.version+1)}, []string{strings.Fields(text)[0]})
	st.deeds, st.unsure = append(st.deeds, made...), true
	res, err := b.Put(ctx, user, d.tenant, body, engine.Version(uint32(st.version)))
	if err != nil {
		return err
	}
	return d.written(st, made[0], body, res, text)
}

func (d *diary) written(st *thingState, x *deed, body memory.Body, res *engine.PutResult, text string) error {
	if int(res.URI.Version) != st.version+1 || res.Unchanged {
		return fmt.Errorf("%+v, but version %d was expected", res, st.version+1)
	}
	js, err := body.AppendJSON(nil)
	if err != nil {
		return err
	}
	st.version, st.gone, st.unsure = st.version+1, false, false
	for len(st.texts) < st.version {
		st.texts = append(st.texts, "")
	}
	st.texts[st.version-1] = text
	d.done(x, res.Position, js)
	return nil
}

func (d *diary) forget(b *engine.Board) error {
	id, st := d.pick(false)
	if st == nil {
		return nil
	}
	made := d.begin(record.Tombstone, []string{""}, []string{id})
	st.deeds, st.unsure = append(st.deeds, made...), true
	res, err := b.Forget(ctx, user, engine.Ref{Tenant: d.tenant, Kind: record.Memory, ID: id}, "no longer so", engine.AnyVersion())
	if err != nil {
		return err
	}
	st.version, st.gone, st.unsure = st.version+1, true, false
	d.done(made[0], res.Position, nil)
	return nil
}

func (d *diary) restore(b *engine.Board) error {
	id, st := d.pick(true)
	if st == nil {
		return nil
	}
	var text string
	version := 0
	for v, x := range st.texts {
		if x != "" {
			text, version = x, v+1
			if d.rng.IntN(3) == 0 {
				break
			}
		}
	}
	made := d.begin(record.Memory, []string{fmt.Sprintf("%s#%d", id, st.version+1)}, []string{strings.Fields(text)[0]})
	st.deeds, st.unsure = append(st.deeds, made...), true
	res, err := b.Restore(ctx, user, engine.Ref{Tenant: d.tenant, Kind: record.Memory, ID: id, Version: uint32(version)}, engine.AnyVersion())
	if err != nil {
		return err
	}
	thing, err := b.Get(ctx, engine.Ref{Tenant: d.tenant, Kind: record.Memory, ID: id}, engine.View{})
	if err != nil {
		return err
	}
	return d.written(st, made[0], thing.Body, res, text)
}

// erasing notes that deeds are being erased.
func (d *diary) erasing(deeds []*deed) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := d.suite.moment()
	for _, x := range deeds {
		x.eraseIssued = min(x.eraseIssued, at)
	}
}

func (d *diary) erased(deeds []*deed) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := d.suite.moment()
	for _, x := range deeds {
		x.eraseAcked = min(x.eraseAcked, at)
	}
}

func (d *diary) redact(b *engine.Board) error {
	var uris []memory.URI
	var gone []*deed
	if id, st := d.pick(d.rng.IntN(2) == 0); st != nil {
		uris = append(uris, memory.URI{Tenant: d.tenant, Kind: record.Memory, ID: id})
		gone = append(gone, st.deeds...)
		st.erased = true
	}
	for range d.rng.IntN(4) {
		if len(d.deeds) == 0 {
			break
		}
		x := d.deeds[d.rng.IntN(len(d.deeds))]
		if x.kind != record.Event || x.eraseIssued != never || x.acked == never {
			continue
		}
		ev, _, err := hmx.DecodeEvent(x.payload)
		if err != nil {
			return err
		}
		uris = append(uris, memory.URI{Tenant: d.tenant, Kind: record.Event, ID: ev.EventID})
		gone = append(gone, x)
		x.eraseIssued = never - 1 // taken
	}
	if len(uris) == 0 {
		return nil
	}
	made := d.begin(record.Redaction, []string{""}, []string{""})
	d.erasing(gone)
	res, err := b.Redact(ctx, user, uris)
	if err != nil {
		return err
	}
	if res.Unsigned != nil || !res.Written || len(res.Receipts) != 1 {
		return fmt.Errorf("erasure: %+v", res)
	}
	d.done(made[0], res.Redaction, nil)
	d.erased(gone)
	return nil
}

func (d *diary) expire(b *engine.Board) error {
	var gone []*deed
	for _, x := range d.deeds {
		if x.ttl && x.eraseIssued == never && x.acked != never {
			gone = append(gone, x)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	made := d.begin(record.Expiry, []string{""}, []string{""})
	d.erasing(gone)
	res, err := b.Expire(ctx, user, d.tenant, d.suite.clock.Now().Add(time.Hour))
	if err != nil {
		return err
	}
	if res.Events != len(gone) {
		return fmt.Errorf("%d events expired, not %d", res.Events, len(gone))
	}
	root, err := b.Root(ctx, d.tenant)
	if err != nil {
		return err
	}
	d.done(made[0], root.Size-1, nil)
	d.erased(gone)
	return nil
}

func (d *diary) sign(b *engine.Board) error {
	root, err := b.Root(ctx, d.tenant)
	if err != nil || root.Size == 0 {
		return err
	}
	signed, err := b.Checkpoint(ctx, d.tenant)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.signed[root.Size]; !ok {
		d.signed[root.Size], d.signedAt[root.Size] = root.Hash[:], d.suite.moment()
	}
	_ = signed
	return nil
}

// check opens a clone and compares it with the diaries.
func (s *crashSuite) check(c clone) error {
	var gone []string
	for _, d := range s.diaries {
		d.mu.Lock()
		for _, x := range d.deeds {
			// A restored text is in two records that go together.
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
	present := make(map[int]int) // of each request, how many of its first records are there
	for _, x := range d.deeds {
		acked, issued := x.acked <= c.before, x.issued <= c.after
		i, ok := at[x.id]
		if x.id == (record.Hash{}) && x.acked != never {
			// Known by its place only.
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

// compare compares one record with what was asked for.
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
	got, err := b.Event(ctx, d.tenant, want.EventID)
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

// maintain does what an operator might.
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

// next goes on where the last round ended: on the same board, on one that was
// closed and opened, or on a crash clone.
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
func crashes(t *testing.T, clones int, wrap func(disk.FS) disk.FS) (checked int, err error) {
	for seed := uint64(knob(t, "LUKASA_SEED", 1)); checked < clones && err == nil; seed++ {
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

// crashRun is one life of a board.
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

// TestCrashClones is the promise that what is acknowledged is there.
func TestCrashClones(t *testing.T) {
	checked, err := crashes(t, knob(t, "LUKASA_CRASH_CLONES", 100), func(fs disk.FS) disk.FS { return fs })
	if err != nil {
		t.Errorf("after %d clones: %v", checked, err)
	}
	t.Logf("%d clones", checked)
}

// journalApart gives the files of the journal to another file system.
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

// TestCrashClonesFindAMissingSync is the test of the test: with syncs that do
// nothing, the suite must not pass.
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
