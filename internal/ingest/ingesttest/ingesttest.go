// Package ingesttest is the conformance suite of event sources: valid messages and
// garbage, duplicates and disorder, brokers that restart and consumers that stop or
// fail at the worst moment.
//
// [Run] runs the suite against a broker, with a real board. It does not depend on the
// speed of the machine.
package ingesttest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx/wire"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/ingest"
	"lukasa.dev/internal/intake"
)

// Broker is a broker with one empty stream of messages, for one test.
type Broker interface {
	// Publish sends messages in order and returns when the broker has them.
	Publish(t *testing.T, msgs ...wire.Message)
	// Dial connects a consumer. All connections share the messages.
	Dial(ctx context.Context) (ingest.Source, error)
	// Letters returns the dead letters.
	Letters(t *testing.T) []Letter
	// Restart restarts the broker with its stored messages. It reports whether it
	// could.
	Restart(t *testing.T) bool
}

// Letter is a dead letter.
type Letter struct {
	Body    string
	Headers map[string]string
}

// Tenant is the tenant of the consumers.
const Tenant = "acme"

// patience limits the wait for a condition. Only a failing test uses it up.
const patience = 2 * time.Minute

// world is a board with a gate, and a broker.
type world struct {
	t      *testing.T
	broker Broker
	board  *lukasa.Board
	gate   *intake.Gate
}

func newWorld(t *testing.T, broker Broker, o intake.Options) *world {
	t.Helper()
	w := &world{t: t, broker: broker}
	var err error
	if w.board, err = lukasa.Open(t.TempDir(), lukasa.Options{}); err != nil {
		t.Fatal(err)
	}
	w.gate = intake.New(w.board, o)
	t.Cleanup(func() {
		w.gate.Close()
		if err := w.board.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// consumer is a running consumer.
type consumer struct {
	*ingest.Consumer
	stop func()
}

// consume starts a consumer. It ends with the test, or by its stop.
func (w *world) consume(change func(*ingest.Options)) *consumer {
	w.t.Helper()
	o := ingest.Options{
		Name: w.t.Name(), Gate: w.gate, Dial: w.broker.Dial,
		Who:        &auth.Principal{Key: "test", Role: auth.Member, Tenant: Tenant, Rights: auth.Write, Trust: lukasa.Agent},
		MinBackoff: 5 * time.Millisecond, MaxBackoff: 250 * time.Millisecond, LagEvery: 20 * time.Millisecond,
	}
	if change != nil {
		change(&o)
	}
	c, err := ingest.New(o)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { c.Run(ctx) })
	stop := func() {
		cancel()
		running.Wait()
	}
	w.t.Cleanup(stop)
	return &consumer{c, stop}
}

// until waits for a condition.
func until(t *testing.T, what string, reached func() bool, explain func() any) {
	t.Helper()
	for deadline := time.Now().Add(patience); !reached(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never came that %s: %+v", what, explain())
		}
	}
}

// settled waits until the broker has nothing left for a consumer.
func (c *consumer) settled(t *testing.T, consumed int) {
	t.Helper()
	until(t, fmt.Sprintf("%d messages are settled and the lag is 0", consumed), func() bool {
		s := c.Stats()
		return s.Acked+s.Dead >= uint64(consumed) && s.InFlight == 0 && s.Lag == 0
	}, func() any { return c.Stats() })
}

// session returns the ids on record of a session, in the order of recording.
func (w *world) session(id string) []string {
	w.t.Helper()
	var list []*lukasa.StoredEvent
	tenant := w.board.Tenant(Tenant, lukasa.Writer{})
	for after := ""; ; {
		page, err := tenant.Events(context.Background(), lukasa.EventQuery{Session: id, After: after, Limit: 1000})
		if fault.CodeOf(err) == fault.NotFound {
			return nil // the tenant has no records yet
		}
		if err != nil {
			w.t.Fatal(err)
		}
		list = append(list, page.Events...)
		if after = page.Next; after == "" {
			break
		}
	}
	slices.SortFunc(list, func(a, b *lukasa.StoredEvent) int { return int(a.Position) - int(b.Position) })
	ids := make([]string, len(list))
	for i, ev := range list {
		ids[i] = ev.Event.EventID
	}
	return ids
}

// recorded fails unless the board has exactly n records and is sound.
func (w *world) recorded(n int) {
	w.t.Helper()
	root, err := w.board.Tenant(Tenant, lukasa.Writer{}).Root(context.Background())
	if err != nil || root.Size != uint64(n) {
		w.t.Errorf("%d records, want %d: %v", root.Size, n, err)
	}
	report, err := w.board.Verify(context.Background(), lukasa.VerifyOptions{Deep: true})
	if err != nil || !report.OK() {
		w.t.Errorf("%+v %v", report, err)
	}
}

// message returns an event in its wire form.
func message(session string, sequence int64) wire.Message {
	return text(Tenant, session, eventID(session, sequence), sequence, "hello")
}

func eventID(session string, sequence int64) string { return fmt.Sprint(session, "-", sequence) }

func text(tenant, session, id string, sequence int64, says string) wire.Message {
	quote := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			panic(err) // unreachable: strings always encode
		}
		return string(b)
	}
	return wire.Message{Key: wire.Key(tenant, session), Body: fmt.Appendf(nil,
		`{"hmx_version":"HMX-1.0","event_id":%s,"event_type":"message","agent_id":"a1","tenant_id":%s,"session_id":%s,`+
			`"timestamp":"2026-11-15T05:00:00Z","sequence":%d,"content":{"role":"user","text":%s},"metadata":{}}`,
		quote(id), quote(tenant), quote(session), sequence, quote(says))}
}

// run returns the messages of a session in order.
func run(session string, from, to int64) []wire.Message {
	var list []wire.Message
	for i := from; i < to; i++ {
		list = append(list, message(session, i))
	}
	return list
}

// ids returns the ids of the events of a session.
func ids(session string, from, to int64) []string {
	var list []string
	for i := from; i < to; i++ {
		list = append(list, eventID(session, i))
	}
	return list
}

// garbage returns invalid messages of every kind, with the error code of each.
func garbage() map[string]wire.Message {
	good := string(message("g", 0).Body)
	raw := func(s string) wire.Message { return wire.Message{Key: "g", Body: []byte(s)} }
	return map[string]wire.Message{
		"empty":          raw(""),
		"blank":          raw(" \n"),
		"binary":         raw("\x00\xff\xfe\x80 binary"),
		"not JSON":       raw("hello"),
		"cut short":      raw(good[:len(good)/2]),
		"two at once":    raw(good + "\n" + good),
		"an array":       raw("[" + good + "]"),
		"no fields":      raw("{}"),
		"unknown field":  raw(strings.Replace(good, `"metadata":{}`, `"metadata":{},"extra":1`, 1)),
		"doubled field":  raw(strings.Replace(good, `"sequence":0`, `"sequence":0,"sequence":1`, 1)),
		"negative":       raw(strings.Replace(good, `"sequence":0`, `"sequence":-1`, 1)),
		"bad time":       raw(strings.Replace(good, "2026-11-15T05:00:00Z", "yesterday", 1)),
		"wrong UTF-8":    raw(strings.Replace(good, "hello", "\xc3\x28", 1)),
		"deep":           raw(strings.Repeat("[", 10_000)),
		"too large":      text(Tenant, "g", "large", 0, strings.Repeat("x", 700<<10)),
		"another tenant": text("other", "g", "foreign", 0, "hello"),
	}
}
