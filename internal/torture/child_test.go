package torture

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// orders are the instructions of a child.
type orders struct {
	Job     string // work, hold or open
	Dir     string
	Round   int
	Seed    uint64
	Writers int
	Ops     int // of each writer; 0 means until killed
	Segment int64
	Table   uint64
	Rebuild bool
	Script  bool   // one writer runs every operation once, on one thread
	Lie     string // what the child lies about
	Heirs   []heir // records of earlier rounds that it may change
}

// heir is an event or a memory that a child may change.
type heir struct {
	Kind    record.Kind
	Tenant  string
	ID      string
	Version uint32 // of a memory
	Gone    bool   // it is forgotten
}

// line is a message of a child.
type line struct {
	Say       string // start, open, begin, done, fail, closing, closed
	Process   int    `json:",omitempty"`
	Writer    int
	Op        string      `json:",omitempty"`
	Kind      record.Kind `json:",omitempty"`
	Tenant    string      `json:",omitempty"`
	IDs       []string    `json:",omitempty"`
	Version   uint32      `json:",omitempty"` // the version that the write makes
	Positions []uint64    `json:",omitempty"`
	Note      []byte      `json:",omitempty"` // signed
	Keys      []string    `json:",omitempty"` // verifier keys, by tenant
	Code      string      `json:",omitempty"`
	Error     string      `json:",omitempty"`
}

// The operations of a child.
const (
	opEvents  = "events"
	opPut     = "put"
	opForget  = "forget"
	opRedact  = "redact"
	opSign    = "sign"
	opPurge   = "purge"
	opRebuild = "rebuild"
	opVerify  = "verify"
)

// tenants are those that children write to.
func tenants() []string { return []string{"acme", "tenant with / and ü"} }

func writer() engine.Writer { return engine.Writer{Actor: "torturer", Trust: record.User} }

// worker is a running child.
type worker struct {
	o     *orders
	board *engine.Board
	out   sync.Mutex
}

// tell writes a line in one piece. If the parent is gone, the child exits.
func (w *worker) tell(l line) {
	text, err := json.Marshal(l)
	if err != nil {
		panic(err)
	}
	w.out.Lock()
	defer w.out.Unlock()
	if _, err := os.Stdout.Write(append(text, '\n')); err != nil {
		os.Exit(9)
	}
}

// Exit codes of a child.
const (
	exitOK     = 0
	exitOpen   = 3 // the board could not be opened
	exitClosed = 4 // it could not be closed cleanly
)

// child runs its orders and returns an exit code.
func child(o *orders) int {
	if o.Script {
		runtime.LockOSThread()
	}
	w := &worker{o: o}
	w.tell(line{Say: "start", Process: os.Getpid()})
	b, err := engine.Open(context.Background(), o.Dir, engine.Options{
		SegmentBytes: o.Segment, MemTableBytes: o.Table, CacheBytes: 8 << 20, Rebuild: o.Rebuild, Note: "tortured",
	})
	if err != nil {
		w.tell(line{Say: "fail", Op: "open", Code: string(fault.CodeOf(err)), Error: err.Error()})
		return exitOpen
	}
	w.board = b
	opened := line{Say: "open"}
	for _, t := range tenants() {
		opened.Keys = append(opened.Keys, b.VerifierKey(t))
	}
	w.tell(opened)
	switch o.Job {
	case "hold":
		_, _ = io.Copy(io.Discard, os.Stdin) // until killed or released
	case "work":
		w.work()
	}
	w.tell(line{Say: "closing"})
	if err := b.Close(); err != nil {
		w.tell(line{Say: "fail", Op: "close", Code: string(fault.CodeOf(err)), Error: err.Error()})
		return exitClosed
	}
	w.tell(line{Say: "closed"})
	return exitOK
}

// work runs the writers.
func (w *worker) work() {
	if w.o.Script {
		h := w.hand(0)
		h.script()
		return
	}
	var wg sync.WaitGroup
	for i := range w.o.Writers {
		wg.Go(func() {
			h := w.hand(i)
			for n := 0; w.o.Ops == 0 || n < w.o.Ops; n++ {
				h.step()
			}
		})
	}
	wg.Wait()
}

// hand is one writer. Only it changes what it has written, so that at most one
// of its operations is uncertain when it dies.
type hand struct {
	*worker
	number int
	rng    *rand.Rand
	count  int
	events []heir
	things []heir
}

func (w *worker) hand(i int) *hand {
	h := &hand{worker: w, number: i, rng: rand.New(rand.NewPCG(w.o.Seed, uint64(i)))}
	for n, heir := range w.o.Heirs {
		switch {
		case n%max(1, w.o.Writers) != i:
		case heir.Kind == record.Event:
			h.events = append(h.events, heir)
		default:
			h.things = append(h.things, heir)
		}
	}
	return h
}

// fresh returns an unused name.
func (h *hand) fresh() string {
	h.count++
	return fmt.Sprintf("r%d-w%d-n%d", h.o.Round, h.number, h.count)
}

func (h *hand) tenant() string {
	all := tenants()
	return all[h.rng.IntN(len(all))]
}

// step runs a random operation.
func (h *hand) step() {
	switch p := h.rng.IntN(1000); {
	case p < 430:
		h.append(1)
	case p < 560:
		h.append(2 + h.rng.IntN(18))
	case p < 680:
		h.put(heir{Kind: record.Memory, Tenant: h.tenant(), ID: h.fresh()})
	case p < 820:
		h.change(h.put)
	case p < 870:
		h.change(h.forget)
	case p < 910 && len(h.events) > 0:
		h.redact(take(h.rng, &h.events))
	case p < 930 && len(h.things) > 0:
		h.redact(take(h.rng, &h.things))
	case p < 990:
		h.sign()
	case p < 996 && h.number == 0:
		h.do(line{Op: opPurge}, func(*line) error { return h.board.Purge(context.Background()) })
	case p < 998 && h.number == 0:
		h.do(line{Op: opRebuild}, func(*line) error { return h.board.Rebuild(context.Background(), nil) })
	}
	if len(h.events) > 200 {
		h.events = h.events[100:]
	}
	if len(h.things) > 100 {
		h.things = h.things[50:]
	}
}

// script runs every operation once, in order.
func (h *hand) script() {
	tenant := tenants()[0]
	h.append(1)
	h.append(5)
	for range 2 {
		h.put(heir{Kind: record.Memory, Tenant: tenant, ID: h.fresh()})
	}
	h.change(h.put)
	h.sign()
	h.change(h.forget)
	if len(h.events) > 2 {
		h.redact(take(h.rng, &h.events))
	}
	h.append(40)
	h.append(40) // a new segment
	if len(h.things) > 0 {
		h.redact(take(h.rng, &h.things))
	}
	h.do(line{Op: opPurge}, func(*line) error { return h.board.Purge(context.Background()) })
	h.append(3)
	h.do(line{Op: opRebuild}, func(*line) error { return h.board.Rebuild(context.Background(), nil) })
	h.sign()
	h.append(1)
	h.recheck()
}

// take removes a random element of the list and returns it.
func take(rng *rand.Rand, list *[]heir) heir {
	l := *list
	i := rng.IntN(len(l))
	x := l[i]
	l[i] = l[len(l)-1]
	*list = l[:len(l)-1]
	return x
}

// do reports what is about to be done, does it, and reports the result.
func (h *hand) do(l line, f func(*line) error) bool {
	l.Writer = h.number
	l.Say = "begin"
	h.tell(l)
	l.Say = "done"
	if h.lies(l) {
		h.tell(l)
		return true
	}
	if err := f(&l); err != nil {
		l.Say, l.Code, l.Error = "fail", string(fault.CodeOf(err)), err.Error()
		h.tell(l)
		if h.o.Ops == 0 && !h.o.Script {
			time.Sleep(time.Millisecond) // limit the rate of failures
		}
		return false
	}
	h.tell(l)
	return true
}

// lies reports whether an operation is to be acknowledged without being done.
func (h *hand) lies(l line) bool {
	if h.o.Lie == "" || h.count < 20 {
		return false
	}
	switch h.o.Lie {
	case "early":
		if l.Op == opEvents {
			l.Say = "done"
			h.tell(l)
			p, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = p.Kill()
			}
			panic(fmt.Sprint("still alive: ", err))
		}
	case l.Op:
		return true
	}
	return false
}

func (h *hand) append(n int) {
	tenant := h.tenant()
	l := line{Op: opEvents, Kind: record.Event, Tenant: tenant}
	batch := make([]*hmx.Event, n)
	for i := range batch {
		id := h.fresh()
		l.IDs = append(l.IDs, id)
		batch[i] = eventOf(tenant, id)
	}
	ok := h.do(l, func(l *line) error {
		res, err := h.board.AppendEvents(context.Background(), writer(), batch)
		if err != nil {
			return err
		}
		for _, r := range res.Receipts {
			if r.Fault != nil {
				return r.Fault
			}
			if r.Disposition == engine.Duplicate {
				return errors.New("a new event is called a duplicate")
			}
			l.Positions = append(l.Positions, r.Position)
		}
		return nil
	})
	if ok {
		h.events = append(h.events, heir{Kind: record.Event, Tenant: tenant, ID: l.IDs[h.rng.IntN(n)]})
	}
}

// change applies an operation to an event or memory, and keeps it if that
// succeeds.
func (h *hand) change(f func(heir)) {
	if len(h.things) > 0 {
		f(take(h.rng, &h.things))
	}
}

func (h *hand) put(x heir) {
	l := line{Op: opPut, Kind: x.Kind, Tenant: x.Tenant, IDs: []string{x.ID}, Version: x.Version + 1}
	ok := h.do(l, func(l *line) error {
		res, err := h.board.Put(context.Background(), writer(), x.Tenant, memoryOf(x.ID, l.Version), engine.Version(x.Version))
		if err == nil {
			l.Positions = []uint64{res.Position}
		}
		return err
	})
	if ok {
		x.Version, x.Gone = x.Version+1, false
		h.things = append(h.things, x)
	}
}

func (h *hand) forget(x heir) {
	if x.Gone {
		h.things = append(h.things, x)
		return
	}
	l := line{Op: opForget, Kind: x.Kind, Tenant: x.Tenant, IDs: []string{x.ID}, Version: x.Version + 1}
	ok := h.do(l, func(l *line) error {
		ref := engine.Ref{Tenant: x.Tenant, Kind: x.Kind, ID: x.ID}
		res, err := h.board.Forget(context.Background(), writer(), ref, mark(versionName(x.ID, l.Version)), engine.Version(x.Version))
		if err == nil {
			l.Positions = []uint64{res.Position}
		}
		return err
	})
	if ok {
		x.Version, x.Gone = x.Version+1, true
		h.things = append(h.things, x)
	}
}

func (h *hand) redact(x heir) {
	l := line{Op: opRedact, Kind: x.Kind, Tenant: x.Tenant, IDs: []string{x.ID}}
	h.do(l, func(l *line) error {
		res, err := h.board.Redact(context.Background(), writer(), []memory.URI{{Tenant: x.Tenant, Kind: x.Kind, ID: x.ID}})
		if err == nil && res.Written {
			l.Positions = []uint64{res.Redaction}
		}
		return err
	})
}

func (h *hand) sign() {
	l := line{Op: opSign, Tenant: h.tenant()}
	h.do(l, func(l *line) error {
		signed, err := h.board.Checkpoint(context.Background(), l.Tenant)
		if fault.CodeOf(err) == fault.NotFound {
			return nil // nothing was written yet
		}
		l.Note = signed.Note
		return err
	})
}

// recheck reads what was acknowledged. Reads work whatever failed before; only
// the fault itself may fail, once in every thread.
func (h *hand) recheck() {
	h.do(line{Op: opVerify}, func(*line) error {
		var err error
		for range 5 {
			if err = h.reads(); err == nil {
				return nil
			}
		}
		return err
	})
}

func (h *hand) reads() error {
	for _, x := range h.events {
		ev, err := h.board.Event(context.Background(), x.Tenant, x.ID, engine.View{})
		if err != nil {
			return fmt.Errorf("event %s: %w", x.ID, err)
		}
		got, err := ev.Event.AppendJSON(nil)
		if err != nil {
			return err
		}
		if string(got) != string(payloadOf(x.Kind, x.Tenant, x.ID, 0)) {
			return fmt.Errorf("event %s says something else", x.ID)
		}
	}
	for _, x := range h.things {
		thing, err := h.board.Get(context.Background(), engine.Ref{Tenant: x.Tenant, Kind: x.Kind, ID: x.ID}, engine.View{})
		if err != nil {
			return fmt.Errorf("memory %s: %w", x.ID, err)
		}
		if thing.Version != x.Version {
			return fmt.Errorf("memory %s is at version %d and not at %d", x.ID, thing.Version, x.Version)
		}
	}
	return nil
}
