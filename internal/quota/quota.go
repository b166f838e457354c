// Package quota bounds what a tenant sends and keeps.
//
// # What is guaranteed
//
//   - A tenant that stays below its rates is never refused; the error for one that
//     exceeds them says by how much, and when to retry.
//   - One tenant's use does not affect another's limits.
//   - A tenant that sends nothing takes no memory.
//   - The limits of a tenant are records: they survive a restart.
//
// # What is not
//
// Rates are per process and are reset when it ends. A tenant may exceed its storage limit by
// what is written concurrently.
package quota

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/registry"
)

// Limits are what a tenant may send and store. For each, zero means the default, and a negative
// number means no limit.
type Limits struct {
	RequestsPerSecond float64 `json:"requests_per_second,omitempty"`
	EventsPerSecond   float64 `json:"events_per_second,omitempty"`
	BytesPerSecond    float64 `json:"bytes_per_second,omitempty"`
	// MaxRecords and MaxBytes limit what a tenant may store.
	MaxRecords int64 `json:"max_records,omitempty"`
	MaxBytes   int64 `json:"max_bytes,omitempty"`
}

// Defaults are the default limits of tenants: far above what two cores can ingest, and no limit
// on records.
func Defaults() Limits {
	return Limits{RequestsPerSecond: 50_000, EventsPerSecond: 500_000, BytesPerSecond: 512 << 20, MaxRecords: -1, MaxBytes: -1}
}

// or returns the limits, with those of other for zero values.
func (l Limits) or(other Limits) Limits {
	if l.RequestsPerSecond == 0 {
		l.RequestsPerSecond = other.RequestsPerSecond
	}
	if l.EventsPerSecond == 0 {
		l.EventsPerSecond = other.EventsPerSecond
	}
	if l.BytesPerSecond == 0 {
		l.BytesPerSecond = other.BytesPerSecond
	}
	if l.MaxRecords == 0 {
		l.MaxRecords = other.MaxRecords
	}
	if l.MaxBytes == 0 {
		l.MaxBytes = other.MaxBytes
	}
	return l
}

// check refuses NaN and infinities.
func (l Limits) check() error {
	for name, v := range map[string]float64{"requests_per_second": l.RequestsPerSecond, "events_per_second": l.EventsPerSecond, "bytes_per_second": l.BytesPerSecond} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fault.Newf(fault.InvalidArgument, "%s: this is not a number", name).WithFix("give a number; a negative one is no limit, and 0 the default")
		}
	}
	return nil
}

// Options configures a book.
type Options struct {
	// Default is for tenants without their own limits; zero values mean [Defaults].
	Default Limits
	// Clock returns the time. Nil means time.Now.
	Clock func() time.Time
}

// Wait says when a refused request may be sent again.
type Wait struct {
	Limit string // the exceeded limit, as in the JSON of Limits
	After time.Duration
}

// Error returns the message.
func (w *Wait) Error() string { return fmt.Sprintf("%s: come back in %v", w.Limit, w.After) }

// Book tracks what tenants sent recently. It is safe for concurrent use.
type Book struct {
	standard Limits
	clock    func() time.Time
	board    *lukasa.Board // nil if sizes are not tracked
	registry *registry.Registry

	mu      sync.Mutex
	own     map[string]Limits
	buckets map[string]*bucket
	swept   time.Time
	weights map[string]*weight
}

// New returns an empty book without a board. [Book.Attach] adds one.
func New(o Options) *Book {
	b := &Book{standard: o.Default.or(Defaults()), clock: o.Clock, own: make(map[string]Limits), buckets: make(map[string]*bucket), weights: make(map[string]*weight)}
	if b.clock == nil {
		b.clock = time.Now
	}
	b.swept = b.clock()
	return b
}

// The rates, in the order of a bucket.
const (
	requests = iota
	events
	bytes
	rates
)

// rateNames are the names of the rates.
var rateNames = [rates]string{"requests_per_second", "events_per_second", "bytes_per_second"}

func (l Limits) rates() [rates]float64 {
	return [rates]float64{l.RequestsPerSecond, l.EventsPerSecond, l.BytesPerSecond}
}

// bucket is what a tenant may still send immediately, by rate. Full buckets are dropped.
type bucket struct {
	levels [rates]float64
	at     time.Time
}

// burst is how many seconds' worth a tenant may send at once.
const burst = 2

// room is the capacity of a bucket: at least one.
func room(rate float64) float64 { return max(float64(rate*burst), 1) }

// fill refills a bucket up to a time, and reports whether it is full.
func (k *bucket) fill(limits [rates]float64, now time.Time) (full bool) {
	passed := max(now.Sub(k.at).Seconds(), 0)
	k.at, full = now, true
	for i, rate := range limits {
		if rate < 0 {
			continue
		}
		k.levels[i] = min(k.levels[i]+float64(rate*passed), room(rate))
		full = full && k.levels[i] == room(rate)
	}
	return full
}

// Request counts a request of a tenant, or refuses it.
func (b *Book) Request(tenant string) error {
	return b.take(tenant, [rates]float64{requests: 1})
}

// Events counts events or other records that a tenant sends, and their bytes, or refuses them
// all. A batch larger than the burst passes if the bucket is full, and the tenant waits for it
// afterwards.
func (b *Book) Events(tenant string, count int, size int64) error {
	if err := b.fits(tenant, int64(count), size); err != nil {
		return err
	}
	if err := b.take(tenant, [rates]float64{events: float64(count), bytes: float64(size)}); err != nil {
		return err
	}
	b.weigh(tenant, size)
	return nil
}

// take takes from the bucket of a tenant, all or nothing.
func (b *Book) take(tenant string, asked [rates]float64) error {
	now := b.clock()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sweep(now)
	limits := b.limits(tenant).rates()
	k := b.buckets[tenant]
	if k == nil {
		k = &bucket{at: now}
		for i, rate := range limits {
			k.levels[i] = room(rate)
		}
	} else {
		k.fill(limits, now)
	}
	for i, rate := range limits {
		need := min(asked[i], room(rate))
		if rate < 0 || asked[i] == 0 || k.levels[i] >= need {
			continue
		}
		return limited(i, rate, asked[i], need-k.levels[i])
	}
	for i, rate := range limits {
		if rate >= 0 {
			k.levels[i] -= asked[i]
		}
	}
	b.buckets[tenant] = k
	return nil
}

// longestWait is the longest wait that a refusal states.
const longestWait = 24 * time.Hour

// limited is the error that names the exceeded limit, the excess, and when to retry.
func limited(which int, rate, asked, missing float64) error {
	wait := &Wait{Limit: rateNames[which], After: longestWait}
	if seconds := missing / rate; seconds < longestWait.Seconds() {
		wait.After = max(time.Duration(math.Ceil(seconds*1000)), 1) * time.Millisecond
	}
	return fault.Newf(fault.RateLimited, "%s: the tenant may send %g, %g were asked for, and less than that is left", wait.Limit, rate, asked).
		WithFix(fmt.Sprintf("come back in %v, or ask the operator of the server for a higher %s", wait.After, wait.Limit)).WithCause(wait)
}

// sweepEvery is the interval at which full buckets are dropped.
const sweepEvery = 10 * time.Second

// sweep drops full buckets from time to time.
func (b *Book) sweep(now time.Time) {
	if passed := now.Sub(b.swept); passed >= 0 && passed < sweepEvery {
		return
	}
	b.swept = now
	for tenant, k := range b.buckets {
		if k.fill(b.limits(tenant).rates(), now) {
			delete(b.buckets, tenant)
		}
	}
}

// limits returns the limits of a tenant. The caller holds the lock.
func (b *Book) limits(tenant string) Limits { return b.own[tenant].or(b.standard) }

// Limits returns the effective limits of a tenant.
func (b *Book) Limits(tenant string) Limits {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limits(tenant)
}

// fits refuses what would exceed the storage limits of a tenant.
func (b *Book) fits(tenant string, count, size int64) error {
	limits := b.Limits(tenant)
	if b.board == nil || limits.MaxRecords < 0 && limits.MaxBytes < 0 {
		return nil
	}
	ctx := context.Background()
	root, err := b.board.Tenant(tenant, lukasa.Writer{}).Root(ctx)
	if err != nil {
		return err
	}
	if most := limits.MaxRecords; most >= 0 && int64(root.Size)+count > most {
		return over("max_records", int64(root.Size), count, most, "records")
	}
	if limits.MaxBytes < 0 {
		return nil
	}
	weight, err := b.weightOf(ctx, tenant)
	if err == nil && weight+size > limits.MaxBytes && b.forgetLater(tenant) {
		weight, err = b.weightOf(ctx, tenant)
	}
	if err != nil {
		return err
	}
	if weight+size > limits.MaxBytes {
		return over("max_bytes", weight, size, limits.MaxBytes, "bytes")
	}
	return nil
}

func over(limit string, have, asked, most int64, what string) error {
	return fault.Newf(fault.OverQuota, "%s: the tenant has %d %s on record and may have %d; %d more were asked for", limit, have, what, most, asked).
		WithFix("ask the operator of the server for a higher " + limit + ", or use another tenant")
}

// notFound reports whether a tenant has no records yet.
func notFound(err error) bool { return errors.Is(err, fault.NotFound) }
