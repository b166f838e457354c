package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/disk/disktest"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// The model is a tenant in a few lists. It has no files, folds or trees; the
// board must answer like it, whatever happens in between.

type modelEvent struct {
	ev       *hmx.Event
	position uint64
	end      int64 // of its life; 0 for never
	erased   bool
}

type modelChange struct {
	op       string
	position uint64
	time     int64
	text     string
	note     string
}

type modelThing struct {
	id, key, tag string
	ttl          int64 // seconds
	refersTo     string
	created      int64
	state        string
	expires      int64 // of its content; 0 for never
	changes      []modelChange
}

// content returns the version that holds the text.
func (x *modelThing) content() (version int, c modelChange) {
	for i := len(x.changes) - 1; i >= 0; i-- {
		if x.changes[i].op == "put" {
			return i + 1, x.changes[i]
		}
	}
	return 0, modelChange{}
}

func (x *modelThing) digest() []byte {
	d := record.ID("acme", record.Memory, x.id)
	return d[:16]
}

type model struct {
	t      testing.TB
	rng    *rand.Rand
	clock  *clock
	mem    *disk.Mem
	opts   engine.Options
	b      *engine.Board
	size   uint64
	time   int64
	events []*modelEvent
	things []*modelThing
	barred map[string]bool // erased contents
	texts  int
	log    []string
}

// stamp gives a record its position and time.
func (m *model) stamp() (position uint64, at int64) {
	m.time = max(m.time, m.clock.nanos.Load())
	m.size++
	return m.size - 1, m.time
}

func (m *model) said(format string, args ...any) { m.log = append(m.log, fmt.Sprintf(format, args...)) }

func (m *model) fatalf(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("%s\nhistory:\n%s", fmt.Sprintf(format, args...), strings.Join(m.log, "\n"))
}

func (m *model) text() string {
	m.texts++
	return fmt.Sprintf("The text of number %d says something that is long enough.", m.texts)
}

func (m *model) want(err error, code fault.Code, what string) {
	m.t.Helper()
	if fault.CodeOf(err) != code || (err == nil) != (code == "") {
		m.fatalf("%s: got %v, want the code %q", what, err, string(code))
	}
}

func (m *model) step() {
	m.clock.Move(time.Duration(m.rng.IntN(3)) * time.Second)
	switch n := m.rng.IntN(100); {
	case n < 30:
		m.append()
	case n < 55:
		m.put()
	case n < 63:
		m.forget()
	case n < 70:
		m.restore()
	case n < 78:
		m.redact()
	case n < 83:
		m.expire()
	default:
		m.life(n % 7)
	}
}

// append sends a batch of events: new ones, known ones, and known ids with
// other content.
func (m *model) append() {
	var evs []*hmx.Event
	var expect []engine.Disposition
	var accepted []*modelEvent
	last := func(session string) (seq int64, any bool) {
		for _, e := range append(slices.Clone(m.events), accepted...) {
			if !e.erased && e.ev.SessionID == session && (!any || e.ev.Sequence > seq) {
				seq, any = e.ev.Sequence, true
			}
		}
		return seq, any
	}
	for range 1 + m.rng.IntN(4) {
		if len(m.events) > 0 && m.rng.IntN(4) == 0 {
			old := m.events[m.rng.IntN(len(m.events))]
			again := *old.ev
			disposition := engine.Duplicate
			if m.rng.IntN(2) == 0 {
				again.Sequence += 1000
				disposition = engine.Refused
			}
			if old.erased {
				disposition = engine.Refused
			}
			evs, expect = append(evs, &again), append(expect, disposition)
			continue
		}
		session := fmt.Sprint("s", m.rng.IntN(3))
		seq := int64(m.rng.IntN(60))
		more := ""
		if m.rng.IntN(2) == 0 {
			more += fmt.Sprintf(`,"trace_id":"t%d"`, m.rng.IntN(3))
		}
		if m.rng.IntN(2) == 0 {
			more += fmt.Sprintf(`,"correlation_id":"c%d"`, m.rng.IntN(2))
		}
		if m.rng.IntN(3) == 0 {
			more += fmt.Sprintf(`,"parent_event_id":"e%d"`, m.rng.IntN(30))
		}
		ttl := int64(0)
		if m.rng.IntN(5) == 0 {
			ttl = 1 + int64(m.rng.IntN(30))
			more += fmt.Sprintf(`,"ttl_seconds":%d`, ttl)
		}
		text := m.text()
		if m.rng.IntN(8) == 0 {
			for old := range m.barred {
				if strings.HasPrefix(old, "event ") {
					text = strings.TrimPrefix(old, "event ")
					break
				}
			}
		}
		id := fmt.Sprint("e", m.texts, "-", len(m.events)+len(accepted))
		ev, err := decodeEvent("acme", id, session, seq, text, more)
		if err != nil {
			m.fatalf("%v", err)
		}
		ev.AgentID = fmt.Sprint("a", m.rng.IntN(2))
		stamp := time.Date(2026, 1, 1, 0, 0, m.rng.IntN(5), 0, time.UTC)
		if ev.Timestamp, err = hmx.ParseTime(stamp.Format(time.RFC3339)); err != nil {
			m.fatalf("%v", err)
		}
		evs = append(evs, ev)
		if m.barred["event "+text] {
			expect = append(expect, engine.Refused)
			continue
		}
		disposition := engine.Accepted
		if top, any := last(session); any && seq <= top {
			disposition = engine.Late
		}
		expect = append(expect, disposition)
		e := &modelEvent{ev: ev}
		var at int64
		e.position, at = m.stamp()
		if ttl > 0 {
			e.end = at + ttl*1e9
		}
		accepted = append(accepted, e)
	}
	m.said("append %d events", len(evs))
	res, err := m.b.AppendEvents(ctx, user, evs)
	m.want(err, "", "append")
	for i, r := range res.Receipts {
		if r.Disposition != expect[i] {
			m.fatalf("event %d (%s): %+v, want %s", i, evs[i].EventID, r, expect[i])
		}
	}
	m.events = append(m.events, accepted...)
}

func (m *model) pick() *modelThing {
	if len(m.things) == 0 {
		return nil
	}
	return m.things[m.rng.IntN(len(m.things))]
}

// body makes the body of a record with a text.
func (m *model) body(x *modelThing, text string) *memory.Memory {
	body := fact(x.id, x.key, text)
	body.Tags, body.TTLSeconds = []string{x.tag}, x.ttl
	if x.refersTo != "" {
		body.Sources = []memory.URI{{Tenant: "acme", Kind: record.Event, ID: x.refersTo}}
	}
	return body
}

func (m *model) put() {
	x := m.pick()
	if x == nil || m.rng.IntN(2) == 0 {
		n := len(m.things)
		x = &modelThing{id: fmt.Sprint("m", n), key: fmt.Sprint("k/", n), tag: fmt.Sprint("g", n%3)}
		if m.rng.IntN(4) == 0 {
			x.ttl = 1 + int64(m.rng.IntN(40))
		}
		if m.rng.IntN(3) == 0 && len(m.events) > 0 {
			x.refersTo = m.events[m.rng.IntN(len(m.events))].ev.EventID
		}
	}
	text := m.text()
	if m.rng.IntN(6) == 0 && len(x.changes) > 0 {
		_, c := x.content()
		text = c.text
	}
	if m.rng.IntN(10) == 0 {
		for old := range m.barred {
			if strings.HasPrefix(old, "memory ") {
				text = strings.TrimPrefix(old, "memory ")
				break
			}
		}
	}
	expect, wrong := engine.AnyVersion(), false
	switch m.rng.IntN(4) {
	case 0:
		expect = engine.Version(uint32(len(x.changes)))
	case 1:
		expect, wrong = engine.Version(uint32(len(x.changes)+1)), true
	}
	m.write(x, text, expect, wrong)
}

// write puts a version and checks the result.
func (m *model) write(x *modelThing, text string, expect engine.Expect, wrong bool) {
	m.said("put %s %q", x.id, text)
	body := m.body(x, text)
	if len(x.changes) > 0 && x.state != "redacted" && m.rng.IntN(3) == 0 {
		body.ID = "" // by its key
	}
	res, err := m.b.Put(ctx, user, "acme", body, expect)
	version, c := x.content()
	switch {
	case x.state == "redacted":
		m.want(err, fault.Erased, "put of an erased one")
		return
	case wrong:
		m.want(err, fault.VersionConflict, "put with the wrong version")
		return
	case x.state == "live" && c.text == text && x.ttl == 0:
		m.want(err, "", "put of the same")
		if !res.Unchanged || int(res.URI.Version) != len(x.changes) {
			m.fatalf("%+v, version %d", res, version)
		}
		return
	case m.barred["memory "+text]:
		m.want(err, fault.Erased, "put of erased content")
		return
	}
	m.want(err, "", "put")
	m.took(x, text)
	if len(x.changes) == 1 {
		m.things = append(m.things, x)
	}
	if res.Position != m.size-1 || int(res.URI.Version) != len(x.changes) || res.URI.ID != x.id {
		m.fatalf("%+v, want version %d of %s", res, len(x.changes), x.id)
	}
}

// took records a version that was written.
func (m *model) took(x *modelThing, text string) {
	position, at := m.stamp()
	if len(x.changes) == 0 {
		x.created = at
	}
	x.state, x.expires = "live", 0
	if x.ttl > 0 {
		x.expires = at + x.ttl*1e9
	}
	x.changes = append(x.changes, modelChange{"put", position, at, text, ""})
}

func (m *model) forget() {
	x := m.pick()
	if x == nil {
		return
	}
	m.said("forget %s", x.id)
	res, err := m.b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: x.id}, "for a reason", engine.AnyVersion())
	if x.state == "redacted" {
		m.want(err, fault.Erased, "forget")
		return
	}
	m.want(err, "", "forget")
	if res.Unchanged != (x.state != "live") {
		m.fatalf("%+v of one that is %s", res, x.state)
	}
	if x.state == "live" {
		position, at := m.stamp()
		x.changes = append(x.changes, modelChange{"tombstone", position, at, "", "for a reason"})
		x.state = "forgotten"
	}
}

func (m *model) restore() {
	x := m.pick()
	if x == nil {
		return
	}
	version := 1 + m.rng.IntN(len(x.changes))
	if x.changes[version-1].op != "put" {
		return
	}
	text := x.changes[version-1].text
	m.said("restore %s to %d", x.id, version)
	res, err := m.b.Restore(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: x.id, Version: uint32(version)}, engine.AnyVersion())
	_, c := x.content()
	switch {
	case x.state == "redacted":
		m.want(err, fault.Erased, "restore")
	case x.state == "live" && c.text == text && x.ttl == 0:
		m.want(err, "", "restore of the same")
		if !res.Unchanged {
			m.fatalf("%+v", res)
		}
	case m.barred["memory "+text]:
		m.want(err, fault.Erased, "restore")
	default:
		m.want(err, "", "restore")
		m.took(x, text)
	}
}

func (m *model) redact() {
	var uris []memory.URI
	var gone []string
	fresh := false
	if x := m.pick(); x != nil && m.rng.IntN(2) == 0 {
		uris = append(uris, memory.URI{Tenant: "acme", Kind: record.Memory, ID: x.id})
		fresh = fresh || x.state != "redacted"
		for _, c := range x.changes {
			if c.op == "put" {
				gone = append(gone, "memory "+c.text)
			}
		}
		x.state = "redacted"
	}
	for range m.rng.IntN(3) {
		if len(m.events) == 0 {
			break
		}
		e := m.events[m.rng.IntN(len(m.events))]
		uris = append(uris, memory.URI{Tenant: "acme", Kind: record.Event, ID: e.ev.EventID})
		if !e.erased {
			fresh, e.erased = true, true
			var content struct{ Text string }
			if err := jsonText(string(e.ev.Content), &content.Text); err != nil {
				m.fatalf("%v", err)
			}
			gone = append(gone, "event "+content.Text)
		}
	}
	if len(uris) == 0 {
		return
	}
	m.said("redact %v", uris)
	res, err := m.b.Redact(ctx, user, uris)
	m.want(err, "", "redact")
	if res.Written != fresh || res.Unsigned != nil {
		m.fatalf("%+v, fresh %v", res, fresh)
	}
	if fresh {
		m.stamp()
	}
	for _, g := range gone {
		m.barred[g] = true
	}
}

// jsonText takes the text out of the content of a message.
func jsonText(content string, text *string) error {
	_, rest, ok := strings.Cut(content, `"text":"`)
	if !ok {
		return fmt.Errorf("no text in %s", content)
	}
	*text, _, _ = strings.Cut(rest, `"`)
	return nil
}

func (m *model) expire() {
	now := m.clock.nanos.Load()
	any := false
	var ended []*modelThing
	for _, x := range m.things {
		if x.state == "live" && x.expires != 0 && x.expires < now {
			ended, any = append(ended, x), true
		}
	}
	for _, e := range m.events {
		if !e.erased && e.end != 0 && e.end < now {
			e.erased, any = true, true
		}
	}
	m.said("expire")
	_, err := m.b.Expire(ctx, user, "acme", m.clock.Now())
	if m.size == 0 {
		m.want(err, fault.NotFound, "expire")
		return
	}
	m.want(err, "", "expire")
	if any {
		position, at := m.stamp()
		for _, x := range ended {
			x.state = "expired"
			x.changes = append(x.changes, modelChange{"expiry", position, at, "", "ttl"})
		}
	}
}

// life is a random operation on the board. None may change an answer.
func (m *model) life(what int) {
	m.said("life %d", what)
	reopen := func() {
		b, err := engine.Open(ctx, "data", m.opts)
		m.want(err, "", "open")
		m.b = b
	}
	switch what {
	case 0:
		m.want(m.b.Close(), "", "close")
		reopen()
	case 1:
		crashed := m.mem.CrashClone(disktest.CrashConfig{UnsyncedDataPercent: m.rng.IntN(101), RNG: m.rng})
		m.b.Close()
		m.mem, m.opts.FS = crashed, crashed
		reopen()
	case 2:
		m.compare()
		m.want(m.b.Rebuild(ctx, nil), "", "rebuild")
		m.compare()
	case 3:
		m.want(m.b.Purge(ctx), "", "purge")
	case 4: // another format of one fold
		m.want(m.b.Close(), "", "close")
		m.bump([]byte("LCT")[m.rng.IntN(3)])
		reopen()
		m.compare()
	case 5: // an index that is not there
		m.want(m.b.Close(), "", "close")
		m.want(m.mem.RemoveAll("data/index"), "", "remove")
		reopen()
	case 6:
		m.compare()
	}
}

// bump makes the store claim another format of a fold.
func (m *model) bump(prefix byte) {
	s, err := kv.Open(kv.Options{FS: m.mem, Dir: "data/index", CacheBytes: 1 << 20, MemTableBytes: 128 << 10})
	m.want(err, "", "open the index")
	key := []byte{prefix, 0}
	v, ok, err := s.Get(key, nil)
	m.want(err, "", "cursor")
	if ok {
		v[3] ^= 0x40
		tx := s.Begin()
		m.want(tx.Set(key, v), "", "set")
		m.want(tx.Commit(), "", "commit")
	}
	m.want(s.Close(), "", "close the index")
}

// TestModel compares random histories with the model.
func TestModel(t *testing.T) {
	seed := testsize.Seed(t, 1)
	for run := range testsize.Of(t, "histories", 1, 6, 1000) {
		within(t, "a history", func() {
			mem := disktest.NewCrashable()
			m := &model{t: t, rng: rand.New(rand.NewPCG(seed+uint64(run), 6)), clock: newClock(), mem: mem, opts: small(mem), barred: make(map[string]bool)}
			m.opts.Clock = m.clock.Now
			m.said("seed %d", seed+uint64(run))
			m.b = openWith(t, "data", m.opts)
			for range 100 {
				m.step()
			}
			m.compare()
			m.b.Close()
		})
		if t.Failed() {
			return
		}
	}
}
