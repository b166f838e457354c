package bench

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	mrand "math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
)

// payloads returns events of a size that differ as real events do: the same names, other ids,
// other words. Payloads that compress better or worse would favour one of the contenders.
func payloads(n, size int) [][]byte {
	chance := mrand.New(mrand.NewPCG(1, 2))
	words := make([]string, 3000)
	for i := range words {
		w := make([]byte, 2+chance.IntN(9))
		for j := range w {
			w[j] = "etaoinshrdlcumwfgypbvk"[min(chance.IntN(22), chance.IntN(22))]
		}
		words[i] = string(w)
	}
	list := make([][]byte, n)
	for i := range list {
		b := fmt.Appendf(nil, `{"hmx_version":"HMX-1.0","event_id":"%016x%016x","event_type":"message","agent_id":"agent-%d","tenant_id":"bench","session_id":"%016x","timestamp":"2026-11-15T05:%02d:%02d.%06dZ","sequence":%d,"content":{"role":"assistant","text":"`,
			chance.Uint64(), chance.Uint64(), i%17, chance.Uint64(), i%60, i%59, chance.IntN(1e6), i)
		for len(b) < size {
			b = append(b, words[min(chance.IntN(len(words)), chance.IntN(len(words)))]...)
			b = append(b, ' ')
		}
		list[i] = b[:size:size]
	}
	return list
}

const distinct = 4096

// machine is the minimum on top of the journal: one tenant's positions and tree.
type machine struct {
	log  *journal.Log
	tree merkle.Range
	room []byte
}

// request is one append: entries whose headers lack a position.
type request struct {
	headers []record.Header
	bodies  [][]byte
	ahead   *record.Ahead // fills in commitments
	err     error
}

// prepare salts payloads and computes their commitments.
func (r *request) prepare(payloads [][]byte, first int, arena []byte) {
	n := len(r.headers)
	size := record.SaltSize + len(payloads[0])
	_, _ = io.ReadFull(rand.Reader, arena[:n*record.SaltSize]) // never fails
	salts := arena[:n*record.SaltSize]
	space := arena[n*record.SaltSize:]
	r.ahead = record.RunAhead(n, func(from, to int) {
		for i := from; i < to; i++ {
			body := space[i*size : (i+1)*size : (i+1)*size]
			copy(body, salts[i*record.SaltSize:(i+1)*record.SaltSize])
			copy(body[record.SaltSize:], payloads[(first+i)%distinct])
			h := &r.headers[i]
			h.Kind, h.Trust, h.Tenant, h.Actor = record.Event, record.Agent, "bench", "bench"
			binary.BigEndian.PutUint64(h.ID[:], uint64(first+i))
			h.Commitment = record.Commit(body)
			r.bodies[i] = body
		}
	})
}

// arenaSize is the memory for n prepared entries.
func arenaSize(n, payload int) int { return n * (2*record.SaltSize + payload) }

// run makes a group durable.
func (m *machine) run(group []*request) {
	now := time.Now().UnixNano()
	var err error
	for _, r := range group {
		for i := range r.headers {
			r.ahead.Wait(i)
			h := &r.headers[i]
			h.Position, h.Time = m.tree.Size(), now
			m.room = h.Append(m.room[:0])
			m.tree.Append(merkle.LeafHash(m.room))
			if _, e := m.log.Append(m.room, r.bodies[i]); e != nil {
				err = e
			}
		}
	}
	if err == nil {
		err = m.log.Commit()
	}
	for _, r := range group {
		r.err = err
	}
}

func openMachine(dir string) (*machine, error) {
	log, err := journal.Open(journal.Options{FS: disk.OS(), Dir: dir})
	return &machine{log: log}, err
}

func oursBatches(size int) contender {
	return func(ctx context.Context, dir string, o Options) (float64, error) {
		m, err := openMachine(dir)
		if err != nil {
			return 0, err
		}
		defer m.log.Close()
		events := payloads(distinct, o.EventBytes)
		r := &request{headers: make([]record.Header, size), bodies: make([][]byte, size)}
		arena := make([]byte, arenaSize(size, o.EventBytes))
		done, start := 0, time.Now()
		for time.Since(start) < o.Turn {
			r.prepare(events, done, arena)
			m.run([]*request{r})
			if r.err != nil {
				return 0, r.err
			}
			done += size
			if err := ctx.Err(); err != nil {
				return 0, err
			}
		}
		return float64(done) / time.Since(start).Seconds(), nil
	}
}

func oursWriters(writers int) contender {
	return func(ctx context.Context, dir string, o Options) (float64, error) {
		m, err := openMachine(dir)
		if err != nil {
			return 0, err
		}
		defer m.log.Close()
		events := payloads(distinct, o.EventBytes)
		queue := journal.NewCommitter(m.run)
		return many(ctx, writers, o.Turn, func() func(i int) error {
			r := &request{headers: make([]record.Header, 1), bodies: make([][]byte, 1)}
			arena := make([]byte, arenaSize(1, o.EventBytes))
			return func(i int) error {
				r.prepare(events, i, arena)
				queue.Do(r)
				return r.err
			}
		})
	}
}

// many runs concurrent writers and counts their appends.
func many(ctx context.Context, writers int, turn time.Duration, writer func() func(i int) error) (float64, error) {
	var done atomic.Int64
	var failed atomic.Value
	var wg sync.WaitGroup
	start := time.Now()
	for w := range writers {
		write := writer()
		wg.Go(func() {
			for i := w << 32; time.Since(start) < turn && ctx.Err() == nil; i++ {
				if err := write(i); err != nil {
					failed.Store(err)
					return
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	if err, ok := failed.Load().(error); ok {
		return 0, err
	}
	return float64(done.Load()) / time.Since(start).Seconds(), ctx.Err()
}

// openPebble opens Pebble with its defaults.
func openPebble(dir string) (*pebble.DB, error) {
	return pebble.Open(dir, &pebble.Options{Logger: silence{}})
}

// silence is a logger that discards everything.
type silence struct{}

func (silence) Infof(string, ...any)  {}
func (silence) Errorf(string, ...any) {}
func (silence) Fatalf(string, ...any) {}

func pebbleKey(i int) []byte {
	return binary.BigEndian.AppendUint64([]byte("bench\x00\x00\x00"), uint64(i))
}

func pebbleBatches(size int) contender {
	return func(ctx context.Context, dir string, o Options) (float64, error) {
		db, err := openPebble(dir)
		if err != nil {
			return 0, err
		}
		defer db.Close()
		events := payloads(distinct, o.EventBytes)
		done, start := 0, time.Now()
		for time.Since(start) < o.Turn {
			b := db.NewBatch()
			for i := range size {
				if err := b.Set(pebbleKey(done+i), events[(done+i)%distinct], nil); err != nil {
					return 0, err
				}
			}
			if err := b.Commit(pebble.Sync); err != nil {
				return 0, err
			}
			if err := b.Close(); err != nil {
				return 0, err
			}
			done += size
			if err := ctx.Err(); err != nil {
				return 0, err
			}
		}
		return float64(done) / time.Since(start).Seconds(), nil
	}
}

func pebbleWriters(writers int) contender {
	return func(ctx context.Context, dir string, o Options) (float64, error) {
		db, err := openPebble(dir)
		if err != nil {
			return 0, err
		}
		defer db.Close()
		events := payloads(distinct, o.EventBytes)
		return many(ctx, writers, o.Turn, func() func(i int) error {
			return func(i int) error { return db.Set(pebbleKey(i), events[i%distinct], pebble.Sync) }
		})
	}
}
