package engine

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/record"
)

// loaded is what was read of a candidate.
type loaded struct {
	taken  atomic.Bool // someone reads it, or has
	done   atomic.Bool
	once   sync.Once
	source pack.Source
	err    error
}

// load is the composer's way to read a candidate.
func (p *packing) load(c *pack.Candidate, s *pack.Source) error {
	if err := p.Ctx.Err(); err != nil {
		return err
	}
	x := p.read(c.Index)
	*s = x.source
	return x.err
}

// read reads the candidate at a place, once. If someone else is about it, others are read
// ahead meanwhile.
func (p *packing) read(i int) *loaded {
	x := &p.loads[i]
	if x.taken.Swap(true) {
		for !x.done.Load() && p.ahead() {
		}
	}
	x.once.Do(func() { p.fill(i, x) })
	return x
}

// fill reads a candidate, and does with it what the composer would.
func (p *packing) fill(i int, x *loaded) {
	defer x.done.Store(true)
	if x.err = p.source(i, &x.source); x.err == nil {
		x.source.Prepare()
		if i < p.counted {
			p.write(i, &x.source)
		}
	}
}

// ahead reads the next candidate that nobody is about, in their order. It reports whether
// there was one that is likely to be wanted. What goes wrong with it is told to whoever
// asks for it.
func (p *packing) ahead() bool {
	// Beyond those that are likely to be kept the best are listed as dropped.
	most := min(len(p.loads), p.counted+hmx.MaxDroppedEntries)
	for i := int(p.reached.Add(1)) - 1; i < most; i = int(p.reached.Add(1)) - 1 {
		if x := &p.loads[i]; !x.taken.Swap(true) {
			x.once.Do(func() { p.fill(i, x) })
			return true
		}
	}
	return false
}

// readAhead reads candidates beside whoever composes, until that ends: it wants most of
// the first and some of the others.
func (p *packing) readAhead() (end func()) {
	if runtime.GOMAXPROCS(0) == 1 {
		return func() {}
	}
	var ended atomic.Bool
	var wait sync.WaitGroup
	wait.Go(func() {
		for !ended.Load() && p.Ctx.Err() == nil && p.ahead() {
		}
	})
	return func() {
		ended.Store(true)
		wait.Wait()
	}
}

// foreseen are events that were read before it was known that they are candidates. What
// went wrong with others is reported to the caller that wants them.
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

// foresee begins to read what is likely to be found, in its order, beside whoever weighs
// it.
func (p *packing) foresee(positions []uint64) {
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
			if f.ended.Load() || p.Ctx.Err() != nil {
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
			quoteEvent(rec.Event, p.Tenant.Name, s)
			s.Prepare()
			f.mu.Lock()
			f.events[position] = s
			f.mu.Unlock()
		}
	})
}

// source reads the candidate at a place.
func (p *packing) source(i int, s *pack.Source) error {
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
			quoteEvent(rec.Event, p.Tenant.Name, s)
		}
	} else if err := p.quoteThing(p.seen[i], s); err != nil {
		return err
	}
	if c.Kind == record.Event {
		s.Tokens = p.count(i, s.Text)
	}
	return nil
}

// damaged says what is known of a candidate whose record cannot be read.
func (p *packing) damaged(i int, s *pack.Source, err error) {
	c := &p.list[i]
	s.Evidence, s.Unproven = 0, "its record cannot be read: "+fault.From(err).Error()
	s.ID = "position:" + strconv.FormatUint(c.Position, 10)
	s.URI = memory.URI{Tenant: p.Tenant.Name, Kind: c.Kind, ID: s.ID}
	if h := p.seen[i].head; h != nil {
		s.ID, s.URI = h.ID, headURI(p.Tenant.Name, h)
	}
}

func headURI(tenant string, h *catalog.Head) memory.URI {
	return memory.URI{Tenant: tenant, Kind: h.Kind, ID: h.ID, Version: uint64(h.Version)}
}

// quoteEvent fills in what an event says.
func quoteEvent(ev *hmx.Event, tenant string, s *pack.Source) {
	q := kind.Quote(ev)
	s.ID, s.URI, s.Type, s.Label = ev.EventID, memory.URI{Tenant: tenant, Kind: record.Event, ID: ev.EventID}, string(ev.EventType), q.Label
	switch {
	case q.Title == "":
		s.Text = q.Text
	case q.Text == "":
		s.Text = q.Title
	default:
		s.Text = q.Title + ": " + q.Text
	}
	if strings.TrimSpace(s.Text) == "" {
		s.Text, s.Label = s.Label, ""
	}
}

// quoteThing fills in what a thing says, and what stands behind it.
func (p *packing) quoteThing(x seen, s *pack.Source) (err error) {
	if x.head == nil || x.body == nil {
		return pack.ErrGone
	}
	s.ID, s.URI, s.Type = x.head.ID, headURI(p.Tenant.Name, x.head), x.head.Class
	if s.Text, err = p.textOf(x); err != nil {
		return err
	}
	if s.Text == "" {
		return pack.ErrGone // all that it says is of others that are not shown
	}
	return p.prove(x.body, s)
}

// textOf returns what a thing says, in its own words.
func (p *packing) textOf(x seen) (string, error) {
	switch b := x.body.(type) {
	case *memory.Memory:
		return b.Render(memory.FormFull), nil
	case *memory.Policy:
		return b.Text, nil
	case *memory.Entity:
		return entityText(b), nil
	case *memory.Relation:
		from, err := p.nameOf(b.From)
		if err != nil {
			return "", err
		}
		to, err := p.nameOf(b.To)
		return from + " " + b.Predicate + " " + to, err
	case *memory.Conflict:
		if b.Summary != "" {
			return b.Summary, nil
		}
		return p.sidesOf(b)
	case *memory.Artifact:
		return artifactText(&b.HMX), nil
	}
	return "", pack.ErrGone
}

// sidesOf returns the names of what a conflict is between, of those that are shown; nothing
// if none is.
func (p *packing) sidesOf(c *memory.Conflict) (string, error) {
	var names []string
	for _, u := range c.Between {
		_, ok, err := p.sourceAt(u)
		if err != nil {
			return "", err
		}
		if ok {
			names = append(names, u.Kind.String()+" "+u.ID)
		}
	}
	return strings.Join(names, " and "), nil
}

// entityText returns who or what an entity is.
func entityText(e *memory.Entity) string {
	in := e.Type
	if len(e.Aliases) > 0 {
		if in != "" {
			in += "; "
		}
		in += strings.Join(e.Aliases, ", ")
	}
	text := e.Name
	if in != "" {
		text += " (" + in + ")"
	}
	if e.Description != "" {
		text += ": " + e.Description
	}
	return text
}

// nameOf returns the name of an entity, or its id if it is not shown.
func (p *packing) nameOf(id string) (string, error) {
	h, ok, err := catalog.HeadOf(p.Reader, p.Tenant.Number, record.Entity, catalog.ThingOf(p.Tenant.Name, record.Entity, id))
	if err != nil || !ok || h.State != catalog.Live || len(h.Names) == 0 {
		return id, err
	}
	if shown, err := p.Shows(h); err != nil || !shown {
		return id, err
	}
	return h.Names[0], nil
}

// artifactText returns what an artifact says: its steps too, and how much it was
// compiled from.
func artifactText(a *hmx.Artifact) string {
	lines := []string{a.Title}
	say := func(name string, values ...string) {
		for _, v := range values {
			if v != "" {
				lines = append(lines, name+v)
			}
		}
	}
	step := func(i int, text string) { say(strconv.Itoa(i+1)+". ", text) }
	list := func(name string, values []string) {
		if len(values) > 0 {
			say(name, strings.Join(values, ", "))
		}
	}
	say("", a.Summary)
	if c, ok := a.TaskSchema(); ok {
		for i, s := range c.Steps {
			step(i, s.Description)
		}
		list("tools: ", c.ToolsUsed)
	} else if c, ok := a.FailurePlaybook(); ok {
		say("failure: ", c.FailurePattern)
		for i, s := range c.RecoverySteps {
			step(i, s)
		}
		say("prevention: ", c.PreventionStrategies...)
	} else if c, ok := a.DecisionPolicy(); ok {
		say("condition: ", c.Condition)
		say("recommendation: ", c.Recommendation)
	} else if c, ok := a.CausalPattern(); ok {
		say("cause: ", c.Cause)
		say("effect: ", c.Effect)
	} else if c, ok := a.StrategyTemplate(); ok {
		say("goal: ", c.Goal)
		for i, ph := range c.Phases {
			step(i, strings.Trim(ph.Name+": "+ph.Description, ": "))
		}
	}
	evidence := fmt.Sprintf("evidence: %d events", len(a.SourceEvents))
	if len(a.SourceEvents) == 1 {
		evidence = "evidence: 1 event"
	}
	return strings.Join(append(lines, evidence), "\n")
}

// maxSourcesProven is how many of the records that a thing names as its sources are
// looked up.
const maxSourcesProven = 64

// sourcesOf returns what a thing was derived from, up to a number, and how many that are.
func sourcesOf(body memory.Body, most int) (list []memory.URI, all int) {
	switch b := body.(type) {
	case *memory.Memory:
		list = b.Sources
	case *memory.Entity:
		list = b.Sources
	case *memory.Relation:
		list = b.Sources
	case *memory.Conflict:
		list = b.Between
	case *memory.Artifact:
		for _, id := range b.HMX.SourceEvents[:min(len(b.HMX.SourceEvents), most)] {
			list = append(list, memory.URI{Kind: record.Event, ID: id})
		}
		rest := min(len(b.HMX.SourceMemoryIDs), most-len(list))
		for _, id := range b.HMX.SourceMemoryIDs[:rest] {
			list = append(list, memory.URI{Kind: record.Memory, ID: id})
		}
		return list, len(b.HMX.SourceEvents) + len(b.HMX.SourceMemoryIDs)
	}
	return list[:min(len(list), most)], len(list)
}

// prove looks up what a thing was derived from: each must be on record.
func (p *packing) prove(body memory.Body, s *pack.Source) error {
	if a, ok := body.(*memory.Artifact); ok {
		if hash, err := hmx.ContentHash(a.HMX.Content); err != nil || hash != a.HMX.ContentHash {
			s.Evidence, s.Unproven = 0, "its content has another hash than it states"
			return nil
		}
	}
	if spoiled, err := p.spoiled(body); err != nil || spoiled {
		s.Evidence, s.Unproven = 0, "what it was derived from is erased"
		return err
	}
	sources, all := sourcesOf(body, maxSourcesProven)
	if len(sources) == 0 {
		return nil
	}
	s.Evidence = 0
	for _, u := range sources {
		_, ok, err := p.sourceAt(u)
		if err != nil {
			return err
		}
		if ok {
			s.Evidence++
		}
	}
	if s.Evidence == 0 {
		s.Unproven = fmt.Sprintf("none of its %d sources is on record", all)
	}
	return nil
}

// sourceAt returns where the record of a source is, and whether it is there still, for
// the caller. Of a thing it is the one that says what it is.
func (p *packing) sourceAt(u memory.URI) (position uint64, ok bool, err error) {
	if u.Tenant != "" && u.Tenant != p.Tenant.Name {
		return 0, false, nil
	}
	if u.Kind == record.Event {
		id := record.ID(p.Tenant.Name, record.Event, u.ID)
		if position, ok, err = ledger.Find(p.Reader, p.Tenant.Number, &id); err != nil || !ok {
			return 0, false, err
		}
	} else {
		h, found, err := catalog.HeadOf(p.Reader, p.Tenant.Number, u.Kind, catalog.ThingOf(p.Tenant.Name, u.Kind, u.ID))
		if err != nil || !found || h.State == catalog.Redacted {
			return 0, false, err
		}
		if shown, err := p.Shows(h); err != nil || !shown {
			return 0, false, err
		}
		position = h.Position
	}
	_, gone, err := ledger.Erased(p.Reader, p.Tenant.Number, position)
	if err == nil && !gone && p.Since != nil {
		var since board.Fate
		since, err = p.Since(position)
		gone = since != board.OnRecord
	}
	if err == nil && !gone && u.Kind == record.Event && board.AccessOf(p.View) != nil {
		shown, err := p.showsEvent(position)
		return position, shown, err
	}
	return position, !gone, err
}

// showsEvent reports whether the caller may see the event at a position. One that
// cannot be read is shown to nobody.
func (p *packing) showsEvent(position uint64) (bool, error) {
	rec, err := p.Record(position)
	if err != nil || rec == nil || rec.Event == nil {
		return false, p.Passed(err)
	}
	return board.SeesEvent(p.View, &board.StoredEvent{Event: rec.Event}), nil
}

// maxCounted is how long a text is that is counted as a whole, in bytes. A longer one is
// never quoted as a whole; one with no more bytes than any text may have tokens always is.
const maxCounted = 32 << 10

// likely returns how many of the first candidates are likely to be kept: those beyond
// are read to be listed, mostly, and not counted.
func (p *packing) likely() int {
	room := p.request.Budget + p.request.Budget/4
	for i := range p.list {
		const around = 8 // tokens around an entry
		if room -= min(p.list[i].Known, max(pack.SpanFloor, p.request.Budget/pack.SpanShare)) + around; room < 0 {
			return i
		}
	}
	return len(p.list)
}

// spanned is how many tokens of a text are quoted at least, if it has as many.
func (p *packing) spanned() int {
	most := max(pack.SpanFloor, p.request.Budget/pack.SpanShare)
	if p.request.Strategy == hmx.StrategyBreadthFirst {
		most /= 2
	}
	return most
}

// count returns how many tokens the text of a candidate that is an event has as it is
// shown, or 0 if nobody knows. What a thing says may depend on others, and is counted
// again each time.
func (p *packing) count(i int, text string) int {
	if len(text) > maxCounted || len(text) <= p.spanned() {
		return 0 // it is never quoted as a whole, or always
	}
	kept := p.kept(i)
	n := kept.get(countText)
	if n == 0 && i < p.counted {
		n = p.counter.Count(pack.Visible(text))
		kept.put(countText, n)
	}
	return n
}

// write writes the lines of a candidate and counts them, unless that is known.
func (p *packing) write(i int, s *pack.Source) {
	kept := p.kept(i)
	kept.put(countLines, s.Write(&p.list[i], p.counter, p.spanned(), kept.get(countLines)))
}

// kept returns what is kept of the counts of a candidate, nil if nothing is.
func (p *packing) kept(i int) *count {
	c := &p.list[i]
	if c.Kind != record.Event || p.counter.Name() != p.From.Core().Tokens().Name() {
		return nil
	}
	return p.engine.counts.of(p.Tenant.Number, c.Position)
}
