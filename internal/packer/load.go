package packer

import (
	"context"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/excerpt"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/quote"
	"lukasa.dev/internal/record"
)

// loaded is what was read of a candidate.
type loaded struct {
	taken  atomic.Bool // a goroutine reads it, or has
	done   atomic.Bool
	once   sync.Once
	source pack.Source
	err    error
}

// load is the composer's way to read a candidate.
func (p *Assembly) load(ctx context.Context, c *pack.Candidate, s *pack.Source) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	x := p.read(c.Index)
	*s = x.source
	return x.err
}

// read reads the candidate at an index, once. If another goroutine reads it, others are
// read ahead meanwhile.
func (p *Assembly) read(i int) *loaded {
	x := &p.loads[i]
	if x.taken.Swap(true) {
		for !x.done.Load() && p.ahead() {
		}
	}
	x.once.Do(func() { p.fill(i, x) })
	return x
}

// fill reads a candidate, and does the work of the composer on it.
func (p *Assembly) fill(i int, x *loaded) {
	defer x.done.Store(true)
	if x.err = p.source(i, &x.source); x.err == nil {
		x.source.Prepare()
		if i < p.counted {
			p.write(i, &x.source)
		}
	}
}

// ahead reads the next unread candidate, in order. It reports whether there was one that
// is likely to be needed. Its error goes to the caller that needs it.
func (p *Assembly) ahead() bool {
	// Beyond those that are likely to be kept, the best are listed as dropped.
	most := min(len(p.loads), p.counted+hmx.MaxDroppedEntries)
	for i := int(p.reached.Add(1)) - 1; i < most; i = int(p.reached.Add(1)) - 1 {
		if x := &p.loads[i]; !x.taken.Swap(true) {
			x.once.Do(func() { p.fill(i, x) })
			return true
		}
	}
	return false
}

// readAhead reads candidates beside the composer, until that ends: it wants most of
// the first and some of the others.
func (p *Assembly) readAhead(ctx context.Context) (end func()) {
	if runtime.GOMAXPROCS(0) == 1 {
		return func() {}
	}
	var ended atomic.Bool
	var wait sync.WaitGroup
	wait.Go(func() {
		for !ended.Load() && ctx.Err() == nil && p.ahead() {
		}
	})
	return func() {
		ended.Store(true)
		wait.Wait()
	}
}

// foreseen are events that were read before it was known that they are candidates. An
// error goes to the caller that needs the event.
type foreseen struct {
	wait   sync.WaitGroup
	ended  atomic.Bool
	mu     sync.Mutex
	events map[uint64]*pack.Source
}

// end waits until nothing more is read.
func (f *foreseen) end() {
	f.ended.Store(true)
	f.wait.Wait()
}

// get returns the event at a position, or nil if it was not read.
func (f *foreseen) get(position uint64) *pack.Source {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.events[position]
}

// foresee starts to read the likely hits, in their order, while the caller ranks them.
func (p *Assembly) foresee(ctx context.Context, positions []uint64) {
	f := &p.foreseen
	if runtime.GOMAXPROCS(0) == 1 {
		return
	}
	f.mu.Lock()
	if f.events == nil {
		f.events = make(map[uint64]*pack.Source, len(positions))
	}
	f.mu.Unlock()
	f.wait.Go(func() {
		for _, position := range positions {
			if f.ended.Load() || ctx.Err() != nil {
				return
			}
			if f.get(position) != nil {
				continue // it was likely in a smaller search too
			}
			rec, err := p.Record(position)
			if err != nil || rec == nil || rec.Event == nil {
				continue
			}
			s := new(pack.Source)
			excerpt.QuoteEvent(rec.Event, p.Tenant.Name, s)
			s.Prepare()
			f.mu.Lock()
			f.events[position] = s
			f.mu.Unlock()
		}
	})
}

// source reads the candidate at an index.
func (p *Assembly) source(i int, s *pack.Source) error {
	c := &p.list[i]
	s.Origin, s.Evidence, s.Type = pack.OriginOf(c.Kind), 1, c.Class
	rec, err := p.Record(c.Position)
	switch {
	case fault.CodeOf(err) == fault.Damaged:
		p.damaged(i, s, err)
		return nil
	case err != nil:
		return err
	case rec == nil:
		return pack.ErrGone
	}
	if c.Kind == record.Event {
		if rec.Event == nil {
			return pack.ErrGone
		}
		if early := p.foreseen.get(c.Position); early != nil {
			origin, evidence := s.Origin, s.Evidence
			*s = *early
			s.Origin, s.Evidence = origin, evidence
		} else {
			excerpt.QuoteEvent(rec.Event, p.Tenant.Name, s)
		}
	} else if err := p.Quote(p.seen[i], s); err != nil {
		return err
	}
	if c.Kind == record.Event {
		s.Tokens = p.count(i, s.Text)
	}
	return nil
}

// damaged fills in what is known of a candidate whose record is unreadable.
func (p *Assembly) damaged(i int, s *pack.Source, err error) {
	c := &p.list[i]
	s.Evidence, s.Unproven = 0, "its record cannot be read: "+fault.From(err).Error()
	s.ID = "position:" + strconv.FormatUint(c.Position, 10)
	s.URI = memory.URI{Tenant: p.Tenant.Name, Kind: c.Kind, ID: s.ID}
	if h := p.seen[i].Head; h != nil {
		s.ID, s.URI = h.ID, excerpt.URIOf(p.Tenant.Name, h)
	}
}

// maxCounted is the longest text that is counted as a whole, in bytes. A longer one is
// never quoted as a whole; one with at most as many bytes as a text may have tokens
// always is.
const maxCounted = 32 << 10

// likely returns how many of the first candidates are likely to be kept. The others are
// mostly read to be listed, and not counted.
func (p *Assembly) likely() int {
	room := p.Request.Budget + p.Request.Budget/4
	for i := range p.list {
		const around = 8 // tokens around an entry
		if room -= min(p.list[i].Known, max(pack.SpanFloor, p.Request.Budget/pack.SpanShare)) + around; room < 0 {
			return i
		}
	}
	return len(p.list)
}

// spanned is the minimum number of tokens that are quoted of a text, if it has as many.
func (p *Assembly) spanned() int {
	most := max(pack.SpanFloor, p.Request.Budget/pack.SpanShare)
	if p.Request.Strategy == hmx.StrategyBreadthFirst {
		most /= 2
	}
	return most
}

// count returns the token count of an event's text as it is shown, or 0 if it is unknown.
// The text of other records may depend on others, and is counted each time.
func (p *Assembly) count(i int, text string) int {
	if len(text) > maxCounted || len(text) <= p.spanned() {
		return 0 // it is never quoted as a whole, or always
	}
	kept := p.kept(i)
	n := kept.get(countText)
	if n == 0 && i < p.counted {
		n = p.counter.Count(quote.Visible(text))
		kept.put(countText, n)
	}
	return n
}

// write writes the lines of a candidate and counts them, unless the count is known.
func (p *Assembly) write(i int, s *pack.Source) {
	kept := p.kept(i)
	kept.put(countLines, s.Write(&p.list[i], p.counter, p.spanned(), kept.get(countLines)))
}

// kept returns the cached counts of a candidate, or nil.
func (p *Assembly) kept(i int) *count {
	c := &p.list[i]
	if c.Kind != record.Event || p.counter.Name() != p.From.Core().Tokens().Name() {
		return nil
	}
	return p.packer.counts.of(p.Tenant.Number, c.Position)
}
