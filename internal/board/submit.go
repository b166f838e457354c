package board

import (
	"context"
	"fmt"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
)

// Request is one caller in the queue.
type Request struct {
	// gaveUp returns why its caller no longer waits, or nil; system says that the caller may
	// write to the system's tenant.
	gaveUp func() error
	system bool
	// Admit runs on the leader, in log order. It checks first and puts
	// afterwards: once it has put a record, it must not refuse, unless that
	// record is the refusal.
	Admit func(g *Group) error
	// Indexed requests a transaction whose iterators see its own writes.
	Indexed bool
	// Alone requests a group without other requests.
	Alone bool
	// Records is approximately how many it will write.
	Records int
	err     error
}

// maxGroup is the maximum number of records written together, unless a single
// request has more.
const maxGroup = 1 << 14

// Submit queues a request and waits until it is durable or refused.
func (b *Board) Submit(ctx context.Context, r *Request) error {
	if err := b.Enter(ctx); err != nil {
		return err
	}
	defer b.Leave()
	r.gaveUp, r.system = ctx.Err, b.system
	b.queue.Do(r)
	return r.err
}

// Group is a set of records that are written together.
type Group struct {
	b    *Board
	tx   *kv.Txn
	puts int
	// bodies are the records of this group, which cannot be read from the
	// journal before it is durable.
	bodies  map[place][]byte
	broken  error
	erases  bool            // one of its records removes others
	records []*index.Record // without imported ones
	system  bool            // the current request may write to the system tenant
	grown   []string        // the tenants of its records, in order
	room    []byte
}

// Board returns the board that the group is written to.
func (g *Group) Board() *Board { return g.b }

// Tx returns the transaction that the records are folded into.
func (g *Group) Tx() *kv.Txn { return g.tx }

// State returns a tenant as the group sees it, for readers.
func (g *Group) State(t *ledger.Tenant) State { return State{Reader: g.tx, Tenant: t} }

// Broken returns the error that ended the group, or nil.
func (g *Group) Broken() error { return g.broken }

// place is a position of a tenant.
type place struct {
	tenant   uint32
	position uint64
}

// run is the leader's work: all waiting requests, in order.
func (b *Board) run(reqs []*Request) {
	for len(reqs) > 0 {
		n, records := 1, reqs[0].Records
		if !reqs[0].Alone {
			for n < len(reqs) && !reqs[n].Alone && reqs[n].Indexed == reqs[0].Indexed && records+reqs[n].Records <= maxGroup {
				records += reqs[n].Records
				n++
			}
		}
		b.runGroup(reqs[:n])
		reqs = reqs[n:]
	}
}

// runGroup admits a group, makes it durable and visible, and only then reports
// success to its requests.
func (b *Board) runGroup(reqs []*Request) {
	refuse := func(err error) {
		for _, r := range reqs {
			r.err = err
		}
	}
	if err := b.writable(); err != nil {
		refuse(err)
		return
	}
	g := &Group{b: b, bodies: make(map[place][]byte)}
	if reqs[0].Indexed || reqs[0].Alone {
		g.tx = b.store.BeginIndexed()
	} else {
		g.tx = b.store.Begin()
	}
	defer func() {
		// The committer passes a panic on to the callers and continues. Half a
		// group must not be in the next one.
		if p := recover(); p != nil {
			b.log.Abort()
			b.applier.Discard(g.tx)
			_ = b.fail(fmt.Errorf("panic: %v", p))
			panic(p)
		}
	}()
	for _, r := range reqs {
		if r.err = r.gaveUp(); r.err != nil {
			continue // cancelled before its turn
		}
		g.system = r.system
		r.err = r.Admit(g)
		if g.broken != nil {
			break
		}
	}
	if g.broken == nil && g.puts == 0 {
		_ = g.tx.Discard() // nothing was written
		return
	}
	if err := g.commit(); err != nil {
		refuse(err)
	}
}

// commit makes the group durable, then visible.
func (g *Group) commit() error {
	b := g.b
	if g.broken != nil {
		b.log.Abort()
		b.applier.Discard(g.tx)
		return g.broken
	}
	// The folds finish while the disk works. What they write is only in the
	// transaction.
	var synced, err error
	_ = index.Share(2, 2, func(part, _, _ int) error {
		if part == 0 {
			synced = b.log.Commit()
		} else {
			err = b.applier.Settle(g.tx)
		}
		return nil
	})
	if synced != nil {
		b.applier.Discard(g.tx)
		return synced
	}
	// From here on the records are in the journal. If the index cannot follow, no
	// caller is acknowledged, and nothing more is written; opening the directory
	// again finds them.
	if err == nil {
		err = b.applier.Advance(g.tx, b.log.End())
	}
	if err == nil {
		err = g.tx.Commit()
	}
	if err != nil {
		b.applier.Discard(g.tx)
		return b.fail(err)
	}
	if g.erases {
		b.erasures.Add(1)
	}
	for _, f := range b.followers {
		f.Committed(Commit{g.records})
	}
	b.watching.tell(g.grown)
	return nil
}

// fail stops all writes permanently.
func (b *Board) fail(err error) error {
	e := fault.Newf(fault.WriteFailed, "the index could not follow the journal: %w", err)
	b.failed.CompareAndSwap(nil, e)
	return e
}

// checkRoomEvery is how many bytes are written between two checks of the free disk
// space.
const checkRoomEvery = 1 << 20

// writable reports whether a group may be written at all.
func (b *Board) writable() error {
	if err := b.Failed(); err != nil {
		return err
	}
	if err := b.store.Failed(); err != nil {
		return err
	}
	if b.unchecked > 0 && b.unchecked < checkRoomEvery {
		return nil
	}
	b.unchecked = 1
	free, err := disk.Usage(b.o.FS, b.dir)
	if err != nil {
		return nil // if the file system does not know, writes are allowed
	}
	reserve := b.o.Reserve
	if reserve == 0 {
		reserve = 8<<20 + 2*b.store.PendingBytes()
	}
	if free < reserve {
		b.unchecked = 0 // check again next time
		return fault.Newf(fault.DiskFull, "%s has %d KiB left, less than the %d KiB that are reserved for repairs", b.dir, free>>10, reserve>>10)
	}
	return nil
}

// Tenant returns the state of a tenant as the group sees it.
func (g *Group) Tenant(name string) (*ledger.Tenant, error) {
	if name == SystemTenant && !g.system {
		return nil, notYours()
	}
	t, err := g.b.applier.Ledger.For(g.tx, name)
	if err != nil {
		g.broken = err
	}
	return t, err
}

// Entry is a record to be written. The group sets position and time of the header.
type Entry struct {
	Header record.Header
	Body   []byte // salt and payload
	Record index.Record
}

// Put adds a record to the group and folds it. It returns the position.
func (g *Group) Put(e *Entry) (uint64, error) {
	t, err := g.Tenant(e.Header.Tenant)
	if err != nil {
		return 0, err
	}
	e.Header.Position = t.Size
	// A clock that runs backwards does not turn the tenant's time back.
	e.Header.Time = max(g.b.o.Clock().UnixNano(), t.Time)
	if err := g.PutVerbatim(e); err != nil {
		return 0, err
	}
	g.records = append(g.records, &e.Record)
	return e.Header.Position, nil
}

// PutVerbatim adds a record whose header is complete.
func (g *Group) PutVerbatim(e *Entry) error {
	g.room = e.Header.Append(g.room[:0])
	lsn, err := g.b.log.Append(g.room, e.Body)
	if err != nil {
		g.broken = err
		return err
	}
	r := &e.Record
	r.LSN, r.Header, r.Leaf = lsn, e.Header, merkle.LeafHash(g.room)
	if r.Payload == nil && len(e.Body) > record.SaltSize {
		r.Payload = e.Body[record.SaltSize:]
	}
	if apply.Alone(e.Header.Kind) {
		if err := g.b.applier.Load(g.tx, r); err != nil {
			g.broken = err
			return err
		}
		g.erases = true
	}
	if err := g.b.applier.Apply(g.tx, r); err != nil {
		g.broken = err
		return err
	}
	for _, f := range g.b.followers {
		f.Writing(&e.Header)
	}
	g.bodies[place{r.Tenant, e.Header.Position}] = e.Body
	if n := len(g.grown); n == 0 || g.grown[n-1] != e.Header.Tenant {
		g.grown = append(g.grown, e.Header.Tenant)
	}
	g.puts++
	g.b.unchecked += len(e.Body) + len(g.room)
	return nil
}

// PayloadAt returns the payload of a record that is in the journal or in this
// group, unless it was erased.
func (g *Group) PayloadAt(t *ledger.Tenant, position uint64) (payload []byte, erased bool, err error) {
	if body, ok := g.bodies[place{t.Number, position}]; ok {
		return body[record.SaltSize:], false, nil
	}
	f, err := g.b.FrameAt(g.State(t), position)
	if err != nil {
		return nil, false, err
	}
	if f.Erased {
		return nil, true, nil
	}
	return f.Body[record.SaltSize:], false, nil
}
