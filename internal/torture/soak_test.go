package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"lukasa.dev"
	"lukasa.dev/internal/testsize"
)

// acked is a list of what was acknowledged. Readers use a prefix of it.
type acked struct {
	mu   sync.RWMutex
	list []heir
}

func (a *acked) add(x ...heir) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, x...)
}

func (a *acked) any(rng *rand.Rand) (heir, bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if len(a.list) == 0 {
		return heir{}, false
	}
	// The newest are the most likely to be missing.
	n := len(a.list)
	return a.list[n-1-rng.IntN(1+rng.IntN(n))], true
}

// TestSoak mixes writers and readers: a read that begins after an
// acknowledgement sees what was acknowledged.
func TestSoak(t *testing.T) {
	want := int64(testsize.Of(t, "soak-events", 100, 800, 20_000))
	rng := chance(t)
	dir := filepath.Join(t.TempDir(), "data")
	board, err := lukasa.Open(dir, lukasa.Options{CacheBytes: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer board.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var seen acked
	var acks, reads atomic.Int64
	var work, look sync.WaitGroup
	news := make(chan struct{}, 64) // wakes readers when there is something new
	for w := range 6 {
		h := &soaker{board: board, seen: &seen, acks: &acks, rng: rand.New(rand.NewPCG(rng.Uint64(), 1)), number: w}
		work.Go(func() {
			for acks.Load() < want && ctx.Err() == nil {
				if err := h.write(); err != nil {
					cancel(fmt.Errorf("writer: %w", err))
				}
				select {
				case news <- struct{}{}:
				default: // the readers are busy
				}
			}
		})
	}
	for range 4 {
		h := &soaker{board: board, seen: &seen, acks: &reads, rng: rand.New(rand.NewPCG(rng.Uint64(), 2))}
		look.Go(func() {
			for range news {
				for range 8 {
					if err := h.read(); err != nil {
						cancel(fmt.Errorf("reader: %w", err))
					}
				}
			}
		})
	}
	work.Wait()
	close(news)
	look.Wait()
	if err := context.Cause(ctx); err != nil {
		t.Fatal(err)
	}
	report, err := board.Verify(context.Background(), lukasa.VerifyOptions{Deep: true})
	if err != nil || !report.OK() {
		t.Fatalf("%v %+v", err, report)
	}
	t.Logf("%d acknowledgements, %d reads", acks.Load(), reads.Load())
}

// soaker is one writer or reader.
type soaker struct {
	board  *lukasa.Board
	seen   *acked
	acks   *atomic.Int64
	rng    *rand.Rand
	number int
	count  int
}

func (s *soaker) tenant(name string) *lukasa.Tenant { return s.board.Tenant(name, writer()) }

func (s *soaker) write() error {
	ctx := context.Background()
	all := tenants()
	tenant := all[s.rng.IntN(len(all))]
	s.count++
	id := fmt.Sprintf("w%d-n%d", s.number, s.count)
	defer s.acks.Add(1)
	switch p := s.rng.IntN(100); {
	case p < 60:
		if _, err := s.board.Append(ctx, writer(), eventOf(tenant, id)); err != nil {
			return err
		}
		s.seen.add(heir{Kind: lukasa.EventKind, Tenant: tenant, ID: id})
	case p < 75:
		var batch []*lukasa.Event
		var list []heir
		for i := range 10 {
			x := heir{Kind: lukasa.EventKind, Tenant: tenant, ID: fmt.Sprintf("%s-%d", id, i)}
			list, batch = append(list, x), append(batch, eventOf(tenant, x.ID))
		}
		if _, err := s.board.Append(ctx, writer(), batch...); err != nil {
			return err
		}
		s.seen.add(list...)
	case p < 97:
		for v := range uint32(3) {
			if _, err := s.tenant(tenant).Put(ctx, memoryOf(id, v+1), lukasa.Version(v)); err != nil {
				return err
			}
			s.seen.add(heir{Kind: lukasa.MemoryKind, Tenant: tenant, ID: id, Version: v + 1})
		}
	case p < 99:
		if _, err := s.board.Append(ctx, writer(), eventOf(tenant, id)); err != nil {
			return err
		}
		if _, err := s.tenant(tenant).Redact(ctx, lukasa.URI{Kind: lukasa.EventKind, ID: id}); err != nil {
			return err
		}
		s.seen.add(heir{Kind: lukasa.EventKind, Tenant: tenant, ID: id, Gone: true})
	case s.number == 0:
		if s.rng.IntN(2) == 0 {
			return s.board.Purge(ctx)
		}
		return s.board.Rebuild(ctx, nil)
	default:
		_, err := s.tenant(tenant).Checkpoint(ctx)
		if lukasa.CodeOf(err) == "not_found" {
			return nil
		}
		return err
	}
	return nil
}

func (s *soaker) read() error {
	x, ok := s.seen.any(s.rng)
	if !ok {
		return nil
	}
	s.acks.Add(1)
	ctx := context.Background()
	t := s.tenant(x.Tenant)
	if x.Kind == lukasa.EventKind {
		ev, err := t.Event(ctx, x.ID)
		if x.Gone {
			if lukasa.CodeOf(err) != "erased" {
				return fmt.Errorf("event %s is erased, and is answered with %v", x.ID, err)
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("event %s: %w", x.ID, err)
		}
		got, err := ev.Event.AppendJSON(nil)
		if err != nil || string(got) != string(payloadOf(x.Kind, x.Tenant, x.ID, 0)) {
			return fmt.Errorf("event %s says something else: %w", x.ID, err)
		}
		return nil
	}
	thing, err := t.Get(ctx, lukasa.Ref{Kind: x.Kind, ID: x.ID}, lukasa.View{})
	if err != nil {
		return fmt.Errorf("memory %s: %w", x.ID, err)
	}
	if thing.Version < x.Version || thing.Body.(*lukasa.Memory).Text != textOf(versionName(x.ID, thing.Version)) {
		return fmt.Errorf("memory %s: version %d was acknowledged, version %d is read", x.ID, x.Version, thing.Version)
	}
	old, err := t.Get(ctx, lukasa.Ref{Kind: x.Kind, ID: x.ID, Version: x.Version}, lukasa.View{})
	if err != nil || old.Body.(*lukasa.Memory).Text != textOf(versionName(x.ID, x.Version)) {
		return fmt.Errorf("memory %s#%d: %w", x.ID, x.Version, err)
	}
	return nil
}
