package intake

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lukasa.dev"
	"lukasa.dev/hmx"
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

var epoch = time.Date(2026, 3, 14, 3, 0, 0, 0, time.UTC)

// event returns an event that the board accepts.
func event(tenant, session, id string, sequence int64) *lukasa.Event {
	return &hmx.Event{
		HMXVersion: hmx.Version, EventID: id, EventType: hmx.TypeMessage, AgentID: "a",
		TenantID: tenant, SessionID: session, Timestamp: hmx.TimeOf(epoch.Add(time.Duration(sequence) * time.Second)), Sequence: sequence,
		Content: hmx.Raw(`{"role":"user","text":"hello"}`), Metadata: hmx.Raw("{}"),
	}
}

// memory is a simple journal in memory.
type memory struct {
	mu       sync.Mutex
	recorded map[session][]string // ids in order of recording
	high     map[session]int64
	ids      map[string]bool
	appends  int
	largest  int
	fail     error
	panics   bool
	block    chan struct{} // if set, Append waits for it
}

func newMemory() *memory {
	return &memory{recorded: map[session][]string{}, high: map[session]int64{}, ids: map[string]bool{}}
}

func (m *memory) Append(_ context.Context, _ lukasa.Writer, events ...*lukasa.Event) (*lukasa.AppendResult, error) {
	if m.block != nil {
		<-m.block
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.panics {
		panic("out of order")
	}
	if m.fail != nil {
		return nil, m.fail
	}
	m.appends++
	m.largest = max(m.largest, len(events))
	res := &lukasa.AppendResult{}
	for _, ev := range events {
		key := session{ev.TenantID, ev.SessionID}
		high, known := m.high[key]
		r := lukasa.EventReceipt{Disposition: lukasa.Accepted}
		switch {
		case strings.HasPrefix(ev.EventID, "bad"):
			r.Disposition = lukasa.Refused
		case m.ids[ev.EventID]:
			r.Disposition = lukasa.Duplicate
		default:
			if known && ev.Sequence <= high {
				r.Disposition = lukasa.Late
			}
			m.ids[ev.EventID] = true
			m.recorded[key] = append(m.recorded[key], ev.EventID)
			if !known || ev.Sequence > high {
				m.high[key] = ev.Sequence
			}
		}
		res.Receipts = append(res.Receipts, r)
	}
	return res, nil
}

func (m *memory) Reached(_ context.Context, tenant, id string) (int64, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.panics {
		panic("out of order")
	}
	high, ok := m.high[session{tenant, id}]
	return high, ok, m.fail
}

// answers counts the answers to offers, by name.
type answers struct {
	mu       sync.Mutex
	receipts map[string]lukasa.EventReceipt
	errs     map[string]error
	times    map[string]int
	all      sync.WaitGroup
}

func newAnswers() *answers {
	return &answers{receipts: map[string]lukasa.EventReceipt{}, errs: map[string]error{}, times: map[string]int{}}
}

// to returns the callback of an offer.
func (a *answers) to(name string) func(lukasa.EventReceipt, error) {
	a.all.Add(1)
	return func(r lukasa.EventReceipt, err error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.receipts[name], a.errs[name] = r, err
		if a.times[name]++; a.times[name] == 1 {
			a.all.Done()
		}
	}
}

// once fails unless each of n offers was answered once.
func (a *answers) once(t *testing.T, n int) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.times) != n {
		t.Errorf("%d answers for %d offers", len(a.times), n)
	}
	for name, times := range a.times {
		if times != 1 {
			t.Errorf("%s was answered %d times", name, times)
		}
	}
}
