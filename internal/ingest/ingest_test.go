package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/intake"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// queue is a broker in memory. The next source redelivers unacknowledged messages.
type queue struct {
	mu       sync.Mutex
	waiting  []*Message
	out      []*Message
	acked    []string
	dead     []Dead
	fetched  int
	asked    []int // the sizes of the fetches
	failures int   // number of calls that will fail
	check    func(*Message)
}

var errDown = errors.New("the broker is down")

func (q *queue) publish(bodies ...string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, b := range bodies {
		q.waiting = append(q.waiting, &Message{Body: []byte(b), Subject: "q", Offset: fmt.Sprint(len(q.waiting))})
	}
}

func (q *queue) dial(context.Context) (Source, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.down(); err != nil {
		return nil, err
	}
	q.waiting = append(q.out, q.waiting...)
	q.out = nil
	return q, nil
}

// down reports whether a call fails.
func (q *queue) down() error {
	if q.failures > 0 {
		q.failures--
		return errDown
	}
	return nil
}

func (q *queue) Fetch(ctx context.Context, n int) ([]*Message, error) {
	q.mu.Lock()
	err := q.down()
	n = min(n, len(q.waiting))
	q.asked = append(q.asked, n)
	if err != nil || n == 0 {
		q.mu.Unlock()
		sleep(ctx, time.Millisecond)
		return nil, err
	}
	defer q.mu.Unlock()
	list := slices.Clone(q.waiting[:n])
	q.waiting, q.out = q.waiting[n:], append(q.out, list...)
	q.fetched += n
	return list, nil
}

func (q *queue) settle(m *Message) {
	q.out = slices.DeleteFunc(q.out, func(o *Message) bool { return o == m })
}

func (q *queue) Ack(_ context.Context, done []*Message) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.down(); err != nil {
		return err
	}
	for _, m := range done {
		if q.check != nil {
			q.check(m)
		}
		q.settle(m)
		q.acked = append(q.acked, string(m.Body))
	}
	return nil
}

func (q *queue) Bury(_ context.Context, dead []Dead) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, d := range dead {
		if err := q.down(); err != nil {
			return i, err
		}
		q.settle(d.Message)
		q.dead = append(q.dead, d)
	}
	return len(dead), nil
}

func (q *queue) Working(context.Context, []*Message) error { return nil }
func (q *queue) Heartbeat() time.Duration                  { return 0 }
func (q *queue) Lag(context.Context) (int64, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return int64(len(q.waiting) + len(q.out)), nil
}
func (q *queue) Close() error { return nil }

func event(tenant, id string, sequence int) string {
	return fmt.Sprintf(`{"hmx_version":"HMX-1.0","event_id":%q,"event_type":"message","agent_id":"a1","tenant_id":%q,"session_id":"s",`+
		`"timestamp":"2026-11-15T05:00:00Z","sequence":%d,"content":{"role":"user","text":"hello"},"metadata":{}}`, id, tenant, sequence)
}

func events(n int) (list []string) {
	for i := range n {
		list = append(list, event("acme", fmt.Sprint("e", i), i))
	}
	return list
}

func member() *auth.Principal {
	return &auth.Principal{Key: "k", Role: auth.Member, Tenant: "acme", Rights: auth.Write, Trust: lukasa.Agent}
}

// open returns a new board with a gate.
func open(t *testing.T) (*lukasa.Board, *intake.Gate) {
	t.Helper()
	board, err := lukasa.Open(t.TempDir(), lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	gate := intake.New(board, intake.Options{Window: 20 * time.Millisecond})
	t.Cleanup(func() {
		gate.Close()
		if err := board.Close(); err != nil {
			t.Error(err)
		}
	})
	return board, gate
}

// consume runs a consumer until the broker has nothing left, or until enough returns
// true, and stops it.
func consume(t *testing.T, gate *intake.Gate, q *queue, change func(*Options), enough func(Stats) bool) Stats {
	t.Helper()
	o := Options{Name: "test", Gate: gate, Who: member(), Dial: q.dial, MinBackoff: time.Millisecond, MaxBackoff: 5 * time.Millisecond, LagEvery: time.Millisecond}
	if change != nil {
		change(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if enough == nil {
		enough = func(s Stats) bool { return s.Consumed > 0 && s.Lag == 0 && s.InFlight == 0 }
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { c.Run(ctx) })
	for deadline := time.Now().Add(time.Minute); !enough(c.Stats()); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("it does not come to an end: %+v", c.Stats())
			break
		}
	}
	cancel()
	running.Wait()
	return c.Stats()
}

func size(t *testing.T, b *lukasa.Board, tenant string) uint64 {
	t.Helper()
	root, err := b.Tenant(tenant, lukasa.Writer{}).Root(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return root.Size
}

// Nothing is acknowledged before it is recorded.
func TestAckComesAfterTheRecord(t *testing.T) {
	board, gate := open(t)
	q := &queue{check: func(m *Message) {
		id := strings.Split(string(m.Body), `"`)[7]
		if _, err := board.Tenant("acme", lukasa.Writer{}).Event(context.Background(), id); err != nil {
			t.Errorf("%s is acknowledged: %v", id, err)
		}
	}}
	q.publish(events(300)...)
	s := consume(t, gate, q, nil, nil)
	if s.Recorded != 300 || s.Acked != 300 || len(q.acked) != 300 || s.InFlight != 0 || s.Bytes != 0 {
		t.Errorf("%+v", s)
	}
}

// Whichever calls of the broker fail, everything is recorded once and acknowledged, and
// every invalid message is buried once.
func TestBrokerThatFails(t *testing.T) {
	for _, failures := range []int{0, 1, 2, 3, 4, 5, 6, 9, 14, 23, 38} {
		board, gate := open(t)
		q := &queue{failures: failures}
		q.publish(append(events(20), "garbage", "{}", event("other", "x", 0))...)
		s := consume(t, gate, q, func(o *Options) { o.Batch = 5 }, nil)
		if n := size(t, board, "acme"); n != 20 {
			t.Errorf("%d failures: %d on record", failures, n)
		}
		if n := size(t, board, "other"); n != 0 {
			t.Errorf("%d failures: %d of another tenant", failures, n)
		}
		if len(q.dead) != 3 || len(q.out)+len(q.waiting) != 0 || failures >= 10 && s.LastError != errDown.Error() {
			t.Errorf("%d failures: %d dead, %+v", failures, len(q.dead), s)
		}
	}
}

// The principal of the consumer decides which events are accepted.
func TestWhoMayWriteWhat(t *testing.T) {
	list := []string{event("acme", "e0", 0), event("other", "e0", 0)}
	for _, row := range []struct {
		name        string
		who         auth.Principal
		acme, other uint64
	}{
		{"a member", *member(), 1, 0},
		{"an agent", auth.Principal{Role: auth.Agent, Tenant: "acme", Agent: "a1", Rights: auth.Write, Trust: lukasa.Agent}, 1, 0},
		{"another agent", auth.Principal{Role: auth.Agent, Tenant: "acme", Agent: "a2", Rights: auth.Write, Trust: lukasa.Agent}, 0, 0},
		{"an operator of all", auth.Principal{Role: auth.Operator, Rights: auth.Write, Trust: lukasa.Agent}, 1, 1},
		{"an operator of one", auth.Principal{Role: auth.Operator, Tenant: "other", Rights: auth.Write, Trust: lukasa.Agent}, 0, 1},
	} {
		board, gate := open(t)
		q := &queue{}
		q.publish(list...)
		s := consume(t, gate, q, func(o *Options) { o.Who = &row.who }, nil)
		if a, b := size(t, board, "acme"), size(t, board, "other"); a != row.acme || b != row.other || s.Dead != 2-row.acme-row.other {
			t.Errorf("%s: %d and %d on record, %+v", row.name, a, b, s)
		}
		for _, d := range q.dead {
			if d.Code != string(fault.NotPermitted) {
				t.Errorf("%s: %+v", row.name, d)
			}
		}
	}
}

// A temporary refusal of Admit is retried, a permanent one is buried.
func TestAdmission(t *testing.T) {
	board, gate := open(t)
	q := &queue{}
	q.publish(events(3)...)
	var mu sync.Mutex
	tries := map[string]int{}
	s := consume(t, gate, q, func(o *Options) {
		o.Admit = func(ev *lukasa.Event, bytes int) error {
			mu.Lock()
			defer mu.Unlock()
			tries[ev.EventID]++
			switch {
			case bytes != len(events(1)[0]):
				t.Errorf("%d bytes", bytes)
			case ev.EventID == "e0" && tries["e0"] < 4:
				return fault.New(fault.RateLimited, "slowly")
			case ev.EventID == "e1":
				return fault.New(fault.OverQuota, "too much")
			}
			return nil
		}
	}, nil)
	if s.Recorded != 2 || s.Retried != 3 || s.Dead != 1 || q.dead[0].Code != string(fault.OverQuota) || size(t, board, "acme") != 2 {
		t.Errorf("%+v %+v", s, q.dead)
	}
}

// The messages in flight are limited.
func TestBoundsOfWhatIsInFlight(t *testing.T) {
	_, gate := open(t)
	q := &queue{}
	q.publish(events(100)...)
	body := int64(len(events(1)[0]))
	full := func(*lukasa.Event, int) error { return fault.New(fault.DiskFull, "no room") }
	s := consume(t, gate, q, func(o *Options) { o.InFlight, o.Admit = 7, full }, func(s Stats) bool { return s.Retried > 50 })
	if q.fetched > 7 || s.Acked+s.Dead != 0 || len(q.out) != q.fetched {
		t.Errorf("by number: %d fetched, %+v", q.fetched, s)
	}
	q.fetched, q.waiting, q.out = 0, append(q.out, q.waiting...), nil
	s = consume(t, gate, q, func(o *Options) { o.Batch, o.Bytes, o.Admit = 2, 9*body, full }, func(s Stats) bool { return s.Retried > 50 })
	if q.fetched > 10 || s.Acked+s.Dead != 0 {
		t.Errorf("by bytes: %d fetched, %+v", q.fetched, s)
	}
	s = consume(t, gate, q, nil, nil)
	if s.Recorded != 100 {
		t.Errorf("afterwards: %+v", s)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	if _, err := New(Options{Batch: -1}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("%v", err)
	}
	_, gate := open(t)
	good := Options{Gate: gate, Dial: (&queue{}).dial, Who: member()}
	if _, err := New(good); err != nil {
		t.Error(err)
	}
	for name, who := range map[string]*auth.Principal{
		"reads only": {Role: auth.Member, Tenant: "acme", Rights: auth.Read},
		"no tenant":  {Role: auth.Member, Rights: auth.Write},
	} {
		o := good
		o.Who = who
		if _, err := New(o); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain":               "plain",
		"two\r\nlines\tof it": "two lines of it",
		"\xff bytes":          "\uFFFD bytes",
		"bell\x07 and \x7f":   "bell and ",
		"":                    "",
	} {
		if got := oneLine(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	long := oneLine(strings.Repeat("é", 2000))
	if len(long) > maxDetail || !utf8.ValidString(long) || !strings.HasSuffix(long, "…") {
		t.Errorf("%d bytes, %q at the end", len(long), long[len(long)-8:])
	}
}

func TestBackoff(t *testing.T) {
	b := backoff{min: time.Second, max: 5 * time.Second}
	for _, want := range []time.Duration{1, 2, 4, 5, 5} {
		if d := b.next(); d < want*time.Second/2 || d > want*time.Second {
			t.Errorf("%s, want up to %ds and at least half of it", d, want)
		}
	}
	b.reset()
	if d := b.next(); d > time.Second {
		t.Errorf("%s after a reset", d)
	}
}
