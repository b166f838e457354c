package retrieval

import (
	"container/list"
	"context"
	"crypto/sha256"
	"runtime"
	"sync"
	"sync/atomic"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/recall"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// Visibility is computed before the search, so that hidden documents have no part in it.
// Most of it follows from rows of the roster. The rest is read from the journal, once:
// the record at a position never changes, nor does whether a scope or an agent may see
// it. So the result is cached.

// maxSights is approximately the size of the visibility cache in bytes.
const maxSights = 64 << 20

// sights is the visibility cache. It is safe for concurrent use.
type sights struct {
	mu    sync.Mutex
	bytes int
	known map[sightKey]*list.Element
	order *list.List // of *sight, most recently used first

	looked atomic.Int64 // records that were read
}

// sightKey is the key of the cache: the digest of a token or of the name of an agent, and
// the tenant.
type sightKey struct {
	who    [sha256.Size]byte
	tenant uint32
}

// sight is what a view shows of a tenant, as far as it was computed.
type sight struct {
	key     sightKey
	bytes   int           // as counted by sights
	turn    chan struct{} // a semaphore of one: held by the goroutine that computes
	decided []decided     // by chunk
	last    *Visibility   // of the last requested state
}

// decided is the known visibility of the positions of a chunk.
type decided struct{ known, shown [16]uint64 }

func (d *decided) set(offset int, shown bool) {
	word, bit := offset/64, uint64(1)<<(offset%64)
	d.known[word] |= bit
	if shown {
		d.shown[word] |= bit
	}
}

// Visibility is the set of documents of a state that a view shows.
type Visibility struct {
	size  uint64 // of the tenant
	masks [][16]uint64
	hides bool // there are hidden documents
	recall.Visible
}

// retrieved resets the caches of searches when the index is rebuilt.
type retrieved struct {
	board.NopFollower
	b *Retriever
}

func (f retrieved) Rebuilt() error {
	f.b.searcher, f.b.sights = recall.New(f.b.core.Options().RecallBytes), newSights()
	return nil
}

func newSights() *sights { return &sights{known: make(map[sightKey]*list.Element), order: list.New()} }

// of returns the cache entry of a key.
func (s *sights) of(key sightKey) *sight {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.known[key]; e != nil {
		s.order.MoveToFront(e)
		return e.Value.(*sight)
	}
	made := &sight{key: key, turn: make(chan struct{}, 1)}
	made.turn <- struct{}{}
	s.known[key] = s.order.PushFront(made)
	return made
}

// weigh sets the size of an entry, and evicts the least recently used ones if the cache
// is too large.
func (s *sights) weigh(x *sight, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.known[x.key]; e == nil || e.Value != x {
		return // evicted meanwhile
	}
	s.bytes += bytes - x.bytes
	x.bytes = bytes
	for s.bytes > maxSights {
		last := s.order.Remove(s.order.Back()).(*sight)
		s.bytes -= last.bytes
		delete(s.known, last.key)
	}
}

// sightBytes is approximately the size of a sight without its bits.
const sightBytes = 256

// Visible returns which documents a view shows, or nil if it cannot hide any: it has no
// scope, and no agent or nothing private.
func (b *Retriever) Visible(ctx context.Context, st board.State) (*Visibility, error) {
	if access.Of(st.View) == nil && st.View.Agent == "" {
		return nil, nil
	}
	rows, err := b.searcher.Roster(recall.State{Reader: st.Reader, Tenant: st.Tenant.Number, Size: st.Tenant.Size})
	if err != nil {
		return nil, err
	}
	who := "scope\x00" + st.View.Scope
	if access.Of(st.View) == nil {
		if private, err := rows.Private(); err != nil || !private {
			return nil, err
		}
		who = "agent\x00" + st.View.Agent
	}
	s := b.sights.of(sightKey{sha256.Sum256([]byte(who)), st.Tenant.Number})
	select {
	case <-s.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { s.turn <- struct{}{} }()
	seen := s.last
	if seen == nil || seen.size != st.Tenant.Size {
		l := &looker{b: b, r: st.Reader, t: st.Tenant, view: st.View, rows: rows, sight: s}
		seen, err = l.look(ctx)
		b.sights.weigh(s, sightBytes+(256+128)*cap(s.decided))
		if err != nil {
			return nil, err
		}
	}
	if access.Of(st.View) == nil && !seen.hides {
		return nil, nil // everything private is the agent's own
	}
	return seen, nil
}

// looker computes what a view shows of a state.
type looker struct {
	b     *Retriever
	r     kv.Reader
	t     *ledger.Tenant
	view  board.View
	rows  *roster.View
	sight *sight
}

// look decides about what is not decided yet, and returns what is shown.
func (l *looker) look(ctx context.Context) (*Visibility, error) {
	judge, err := access.Of(l.view).Sketcher(scope.Marks{
		Session: func(name string) [16]byte { return index.DigestOf(name) },
		Tag:     func(name string) uint64 { return uint64(roster.TagOf(name)) },
		ID:      l.named,
	})
	if err != nil {
		return nil, err
	}
	s, chunks := l.sight, l.rows.Chunks()
	for len(s.decided) < chunks {
		s.decided = append(s.decided, decided{})
	}
	var unsure []uint64
	for chunk := range chunks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if unsure, err = l.sketch(judge, chunk, unsure); err != nil {
			return nil, err
		}
	}
	gone, err := l.read(ctx, unsure)
	if err != nil {
		return nil, err
	}
	seen := &Visibility{size: l.t.Size, masks: make([][16]uint64, chunks)}
	for chunk := range chunks {
		live, err := l.rows.Live(chunk)
		if err != nil {
			return nil, err
		}
		if live == nil {
			continue
		}
		for i, w := range live {
			shown := w & s.decided[chunk].shown[i]
			seen.masks[chunk][i] = shown
			seen.hides = seen.hides || shown != w
		}
	}
	seen.Mask = seen.MaskOf
	if seen.Documents, seen.Words, err = l.rows.Words(seen.MaskOf); err != nil {
		return nil, err
	}
	// A document that is being erased was not visible to this question, but nothing is
	// cached about it.
	if s.last = seen; gone {
		s.last = nil
	}
	return seen, nil
}

// MaskOf implements index.Filter.
func (x *Visibility) MaskOf(chunk int) (*[16]uint64, error) {
	if chunk < 0 || chunk >= len(x.masks) || x.masks[chunk] == [16]uint64{} {
		return nil, nil
	}
	return &x.masks[chunk], nil
}

// Has reports whether the document at a position is shown.
func (x *Visibility) Has(position uint64) bool {
	chunk := position / 1024
	return chunk < uint64(len(x.masks)) && x.masks[chunk][position%1024/64]>>(position%64)&1 != 0
}

// named returns the positions of the documents with an id.
func (l *looker) named(id string) (list []uint64, err error) {
	for _, k := range record.Kinds() {
		if !index.IsDocument(k) {
			continue
		}
		if k == record.Event {
			digest := record.ID(l.t.Name, k, id)
			position, ok, err := ledger.Find(l.r, l.t.Number, &digest)
			if err != nil {
				return nil, err
			}
			if ok {
				list = append(list, position)
			}
			continue
		}
		h, ok, err := catalog.HeadOf(l.r, l.t.Number, k, catalog.ThingOf(l.t.Name, k, id))
		if err != nil {
			return nil, err
		}
		if ok && h.State == catalog.Live {
			list = append(list, h.Position)
		}
	}
	return list, nil
}

// sketch decides what rows can decide of the documents of a chunk, and appends the
// others.
func (l *looker) sketch(judge *scope.Sketcher, chunk int, unsure []uint64) ([]uint64, error) {
	d := &l.sight.decided[chunk]
	live, err := l.rows.Live(chunk)
	if err != nil || live == nil {
		return unsure, err
	}
	open := uint64(0)
	for i, w := range live {
		open |= w &^ d.known[i]
	}
	if open == 0 {
		return unsure, nil
	}
	err = l.rows.Each(chunk, func(offset int, row *roster.Row) {
		if d.known[offset/64]>>(offset%64)&1 != 0 {
			return
		}
		position := uint64(chunk)*1024 + uint64(offset)
		x := sketchOf(position, row)
		verdict := judge.Judge(&x)
		if verdict == scope.Yes && row.Private && l.view.Agent != "" {
			verdict = scope.Look
		}
		if verdict == scope.Look {
			unsure = append(unsure, position)
			return
		}
		d.set(offset, verdict == scope.Yes)
	})
	return unsure, err
}

// sketchOf returns the part of a row that a scope can judge.
func sketchOf(position uint64, row *roster.Row) scope.Sketch {
	x := scope.Sketch{
		Kind: row.Kind, Session: row.Session, Tags: uint64(row.Tags), Position: position,
		Unpinned: row.Kind == record.Event || row.Trust < record.User,
	}
	switch row.Kind {
	case record.Event:
		x.Type, x.Section = record.Event.String(), EventSections()[row.Class]
	case record.Memory, record.Policy:
		if class, ok := ClassNames()[row.Class]; ok {
			x.Type, x.Section = scope.TypeOf(row.Kind, class), string(scope.SectionOf(row.Kind, class))
		}
	default:
		x.Type, x.Section = scope.TypeOf(row.Kind, ""), string(scope.SectionOf(row.Kind, ""))
	}
	return x
}

// EventSections maps the classes of standard event types to sections.
var EventSections = sync.OnceValue(func() map[roster.Class]string {
	sections := make(map[roster.Class]string)
	for _, t := range hmx.EventTypes() {
		sections[roster.ClassOf(string(t))] = string(kind.Read(&hmx.Event{EventType: t}).Section)
	}
	return sections
})

// ClassNames are the types of memories and the kinds of policies.
var ClassNames = sync.OnceValue(func() map[roster.Class]string {
	names := make(map[roster.Class]string)
	for _, t := range memory.Types() {
		names[roster.ClassOf(string(t))] = string(t)
	}
	for _, k := range []memory.PolicyKind{memory.PolicyConstraint, memory.PolicyInstruction, memory.PolicyRetention} {
		names[roster.ClassOf(string(k))] = string(k)
	}
	return names
})

// lookedTogether is how many records are worth a goroutine.
const lookedTogether = 64

// read decides about documents by what is recorded, and reports whether some of them were
// erased since the snapshot was taken. What is decided before it is cut short stays.
func (l *looker) read(ctx context.Context, positions []uint64) (gone bool, err error) {
	if len(positions) == 0 {
		return false, nil
	}
	verdicts := make([]scope.Verdict, len(positions))
	workers := max(1, min(runtime.GOMAXPROCS(0), len(positions)/lookedTogether))
	errs := make([]error, workers)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			from, to := w*len(positions)/workers, (w+1)*len(positions)/workers
			for i := from; i < to && errs[w] == nil; i++ {
				if errs[w] = ctx.Err(); errs[w] == nil {
					verdicts[i], errs[w] = l.verdict(positions[i])
				}
			}
		})
	}
	wait.Wait()
	for i, v := range verdicts {
		if v == scope.Look {
			gone = true
			continue
		}
		l.sight.decided[positions[i]/1024].set(int(positions[i]%1024), v == scope.Yes)
	}
	for _, e := range errs {
		err = fault.First(err, e)
	}
	return gone, err
}

// verdict says whether the document at a position is shown. It is undecided for one that
// was erased since the snapshot was taken.
func (l *looker) verdict(position uint64) (scope.Verdict, error) {
	l.b.sights.looked.Add(1)
	f, err := l.b.core.FrameAt(board.State{Reader: l.r, Tenant: l.t}, position)
	if err != nil || f.Erased {
		return scope.Look, err
	}
	rec, err := apply.Decode(&f)
	if err != nil {
		return scope.Look, err
	}
	shown := false
	switch {
	case rec.Event != nil:
		shown = access.Of(l.view) == nil || access.Allows(l.view, access.EventSubject(rec.Event))
	case rec.Body != nil:
		k := rec.Body.Kind()
		id, _ := rec.Body.Identity()
		h, ok, err := catalog.HeadOf(l.r, l.t.Number, k, catalog.ThingOf(l.t.Name, k, id))
		if err != nil || !ok || h.Position != position {
			return scope.Look, err
		}
		shown = access.Sees(l.view, h)
	}
	if shown {
		return scope.Yes, nil
	}
	return scope.No, nil
}
