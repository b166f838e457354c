package quota_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/quota"
)

// clock is a fake clock.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time        { return c.now }
func (c *clock) move(by time.Duration) { c.now = c.now.Add(by) }

// waits returns the wait in a refusal, and fails if it is none.
func waits(t *testing.T, err error, limit string) time.Duration {
	t.Helper()
	w, ok := errors.AsType[*quota.Wait](err)
	if !ok || fault.CodeOf(err) != fault.RateLimited || w.Limit != limit || !strings.HasPrefix(err.Error(), limit+": ") {
		t.Fatalf("%v (%+v) is no refusal for %s", err, w, limit)
	}
	return w.After
}

// A tenant may send at most two seconds ahead, and a refusal says when it may continue: then it
// may, and not a moment earlier. Others are not affected.
func TestRates(t *testing.T) {
	c := newClock()
	b := quota.New(quota.Options{Clock: c.Now, Default: quota.Limits{RequestsPerSecond: 10, EventsPerSecond: 100, BytesPerSecond: 1000}})
	for i := range 20 {
		if err := b.Request("acme"); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
	}
	err := b.Request("acme")
	after := waits(t, err, "requests_per_second")
	if after != 100*time.Millisecond || !strings.Contains(err.Error(), "may send 10, 1 were asked for") || !strings.Contains(fault.From(err).Advice(), "come back in 100ms") {
		t.Errorf("%v, %v: %s", err, after, fault.From(err).Advice())
	}
	if err := b.Request("other"); err != nil {
		t.Error(err)
	}
	if err := b.Events("acme", 200, 100); err != nil {
		t.Error(err)
	}
	c.move(after - time.Millisecond)
	waits(t, b.Request("acme"), "requests_per_second")
	c.move(time.Millisecond)
	if err := b.Request("acme"); err != nil {
		t.Error(err)
	}
	waits(t, b.Request("acme"), "requests_per_second")
}

// Events are admitted all or none: refused events are not counted.
func TestAllOrNone(t *testing.T) {
	c := newClock()
	b := quota.New(quota.Options{Clock: c.Now, Default: quota.Limits{EventsPerSecond: 100, BytesPerSecond: 1000}})
	if err := b.Events("acme", 10, 1500); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		waits(t, b.Events("acme", 150, 600), "bytes_per_second")
	}
	if err := b.Events("acme", 190, 500); err != nil {
		t.Errorf("what was refused counts: %v", err)
	}
}

// A batch larger than the burst is admitted if nothing was sent for a while, and paid for
// later.
func TestLargeBatches(t *testing.T) {
	c := newClock()
	b := quota.New(quota.Options{Clock: c.Now, Default: quota.Limits{EventsPerSecond: 100}})
	if err := b.Events("acme", 1000, 1); err != nil {
		t.Fatal(err)
	}
	after := waits(t, b.Events("acme", 1, 1), "events_per_second")
	if after != 8010*time.Millisecond {
		t.Errorf("after %v", after)
	}
	c.move(after)
	if err := b.Events("acme", 1, 1); err != nil {
		t.Error(err)
	}
}

// Over time no tenant gets more than its rate and its burst, and none below its rate is
// refused, for any pattern.
func TestRatesAgainstAModel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		c := newClock()
		rate := float64(1 + r.IntN(50))
		b := quota.New(quota.Options{Clock: c.Now, Default: quota.Limits{RequestsPerSecond: rate}})
		let, begun := 0, c.now
		for range 500 {
			c.move(time.Duration(r.IntN(int(2 * float64(time.Second) / rate))))
			err := b.Request("acme")
			if err == nil {
				let++
			}
			if most := rate*c.now.Sub(begun).Seconds() + max(2*rate, 1) + 0.001; float64(let) > most {
				t.Fatalf("rate %v: %d were let in after %v", rate, let, c.now.Sub(begun))
			}
		}
		c = newClock()
		b = quota.New(quota.Options{Clock: c.Now, Default: quota.Limits{RequestsPerSecond: rate}})
		for i := range 500 {
			c.move(time.Duration(float64(time.Second)/rate) + 1)
			if err := b.Request("acme"); err != nil {
				t.Fatalf("rate %v, request %d: %v", rate, i, err)
			}
		}
	}
}

// Idle tenants use no memory.
func TestIdleTenantsAreForgotten(t *testing.T) {
	c := newClock()
	b := quota.New(quota.Options{Clock: c.Now})
	for i := range 10_000 {
		if err := b.Request(fmt.Sprint("tenant", i)); err != nil {
			t.Fatal(err)
		}
	}
	if n := b.Held(); n == 0 {
		t.Error("nothing is held of tenants that just sent")
	}
	c.move(time.Minute)
	if err := b.Request("acme"); err != nil {
		t.Fatal(err)
	}
	if n := b.Held(); n != 1 {
		t.Errorf("%d tenants are held", n)
	}
	// A clock that is set back loses nothing and does not refuse forever.
	b = quota.New(quota.Options{Clock: c.Now, Default: quota.Limits{RequestsPerSecond: 1}})
	for range 2 {
		if err := b.Request("acme"); err != nil {
			t.Fatal(err)
		}
	}
	c.move(-time.Hour)
	waits(t, b.Request("acme"), "requests_per_second")
	c.move(2 * time.Second)
	if err := b.Request("acme"); err != nil {
		t.Error(err)
	}
}

// The limits of a tenant are its own, take effect immediately, and survive a restart.
func TestOwnLimits(t *testing.T) {
	c := newClock()
	dir := t.TempDir()
	open := func() (*lukasa.Board, *quota.Book) {
		t.Helper()
		board, err := lukasa.Open(dir, lukasa.Options{Clock: c.Now})
		if err != nil {
			t.Fatal(err)
		}
		b := quota.New(quota.Options{Clock: c.Now})
		if err := b.Attach(t.Context(), board); err != nil {
			t.Fatal(err)
		}
		return board, b
	}
	board, b := open()
	slow := quota.Limits{RequestsPerSecond: 1, MaxRecords: 5}
	for _, name := range []string{"acme", "a/b ü", strings.Repeat("x", 255)} {
		if err := b.Set(t.Context(), "operator:bootstrap", name, slow); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Set(t.Context(), "operator:bootstrap", "back", slow); err != nil {
		t.Fatal(err)
	}
	for range 2 { // removing missing limits is no error
		if err := b.Set(t.Context(), "operator:bootstrap", "back", quota.Limits{}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		own := b.Own()
		if len(own) != 3 || own[0].Tenant != "a/b ü" || own[1] != (quota.TenantLimits{Tenant: "acme", Limits: slow}) {
			t.Errorf("%+v", own)
		}
		if got := b.Limits("acme"); got.RequestsPerSecond != 1 || got.EventsPerSecond != quota.Defaults().EventsPerSecond || got.MaxBytes != -1 {
			t.Errorf("%+v", got)
		}
		if got := b.Limits("back"); got != quota.Defaults() {
			t.Errorf("%+v", got)
		}
		for range 2 {
			if err := b.Request("acme"); err != nil {
				t.Error(err)
			}
		}
		waits(t, b.Request("acme"), "requests_per_second")
		if err := board.Close(); err != nil {
			t.Fatal(err)
		}
		board, b = open()
	}
	defer board.Close()
	for _, name := range []string{"", "a\nb", strings.Repeat("x", 256)} {
		if err := b.Set(t.Context(), "x", name, slow); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("limits of %q: %v", name, err)
		}
	}
}

// A tenant stores no more than it may, counted from the journal after a restart.
func TestSizes(t *testing.T) {
	c := newClock()
	dir := t.TempDir()
	board, err := lukasa.Open(dir, lukasa.Options{Clock: c.Now})
	if err != nil {
		t.Fatal(err)
	}
	book := func() *quota.Book {
		t.Helper()
		b := quota.New(quota.Options{Clock: c.Now})
		if err := b.Attach(t.Context(), board); err != nil {
			t.Fatal(err)
		}
		return b
	}
	b := book()
	if err := b.Set(t.Context(), "x", "acme", quota.Limits{MaxRecords: 5}); err != nil {
		t.Fatal(err)
	}
	if err := b.Set(t.Context(), "x", "bytes", quota.Limits{MaxBytes: 3000}); err != nil {
		t.Fatal(err)
	}
	write := func(tenant, id string) error {
		t.Helper()
		ev := &lukasa.Event{HMXVersion: hmx.Version, EventID: id, EventType: hmx.TypeMessage, AgentID: "a", TenantID: tenant, SessionID: "s", Timestamp: hmx.TimeOf(c.Now()), Content: hmx.Raw(`{"role":"user","text":"` + strings.Repeat("x", 600) + `"}`)}
		text, err := ev.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Events(tenant, 1, int64(len(text))); err != nil {
			return err
		}
		res, err := board.Append(t.Context(), lukasa.Writer{}, ev)
		if err != nil || res.Accepted != 1 {
			t.Fatalf("%+v, %v", res, err)
		}
		return nil
	}
	for i := range 5 {
		if err := write("acme", fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	err = write("acme", "6")
	if fault.CodeOf(err) != fault.OverQuota || !strings.Contains(err.Error(), "max_records: the tenant has 5 records on record and may have 5; 1 more") {
		t.Errorf("%v", err)
	}
	for i := 0; ; i++ {
		err := write("bytes", fmt.Sprint(i))
		if fault.CodeOf(err) == fault.OverQuota {
			if i < 3 || !strings.Contains(err.Error(), "max_bytes: ") {
				t.Errorf("after %d events: %v", i, err)
			}
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			b = book() // as after a restart
		}
		if i > 10 {
			t.Fatal("there is no end")
		}
	}
	if err := write("free", "1"); err != nil {
		t.Error(err)
	}
	weight, to, err := board.Weight(t.Context(), "bytes", 0)
	if err != nil || weight > 3000 || to == 0 {
		t.Errorf("%d bytes up to %d, %v", weight, to, err)
	}
	if err := b.Set(t.Context(), "x", "bytes", quota.Limits{}); err != nil {
		t.Fatal(err)
	}
	if err := write("bytes", "more"); err != nil {
		t.Error(err)
	}
	if err := board.Close(); err != nil {
		t.Fatal(err)
	}
}

// What was sent and is not recorded, such as duplicates, does not count.
func TestSizesAreOfWhatIsKept(t *testing.T) {
	board, err := lukasa.Open(t.TempDir(), lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { board.Close() })
	b := quota.New(quota.Options{Default: quota.Limits{MaxBytes: 3000}})
	if err := b.Attach(t.Context(), board); err != nil {
		t.Fatal(err)
	}
	if _, err := board.Tenant("acme", lukasa.Writer{Actor: "x"}).Put(t.Context(), &lukasa.Memory{Type: "fact", Key: "k", Text: "A fact."}, lukasa.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if err := b.Events("acme", 1, 700); err != nil {
			t.Fatalf("after %d times of the same: %v", i, err)
		}
	}
	if err := b.Events("acme", 1, 3000); fault.CodeOf(err) != fault.OverQuota {
		t.Errorf("%v", err)
	}
}

// A negative limit means none.
func TestNoLimit(t *testing.T) {
	b := quota.New(quota.Options{Clock: newClock().Now, Default: quota.Limits{RequestsPerSecond: -1, EventsPerSecond: -1, BytesPerSecond: -1}})
	for range 1000 {
		if err := errors.Join(b.Request("acme"), b.Events("acme", 1<<30, 1<<50)); err != nil {
			t.Fatal(err)
		}
	}
}
