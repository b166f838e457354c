package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// never is a moment that does not come.
const never = 1<<63 - 1

// deed is one record that a writer requested.
type deed struct {
	id      record.Hash // of the header; zero if the engine draws the id
	kind    record.Kind
	payload []byte // the expected bytes; nil while only the canary is known
	canary  string
	request int // deeds of one request have the same number
	ttl     bool

	issued, acked           int64
	position                uint64
	eraseIssued, eraseAcked int64
}

// diary is what one writer knows about its tenant.
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

// thingState is what a writer knows about a memory.
type thingState struct {
	version int
	gone    bool // forgotten
	erased  bool
	unsure  bool // a write of it failed, and may have been stored
	deeds   []*deed
	texts   []string // by version; empty if it is not a put
}

// begin records a request.
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

// done records an acknowledgement.
func (d *diary) done(x *deed, position uint64, payload []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	x.position, x.payload, x.acked = position, payload, d.suite.moment()
}

func (d *diary) canary() string {
	return fmt.Sprintf("canary-%s-%016x-%08x", d.tenant, d.rng.Uint64(), d.rng.Uint32())
}

// step runs a random operation.
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

// erasing records that deeds are being erased.
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
	d.suite.clock.Move(time.Hour)
	res, err := b.Expire(ctx, user, d.tenant, d.suite.clock.Now())
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
