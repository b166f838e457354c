package engine_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// TestEverybodyAtOnce runs sixteen writers, readers and an operator, and closes
// the board meanwhile.
func TestEverybodyAtOnce(t *testing.T) {
	fs := disk.NewMem()
	o := small(fs)
	b := openWith(t, "data", o)
	steps := testsize.Of(t, "concurrent", 4, 10, 60)
	var wg sync.WaitGroup
	var acked sync.Map // event id -> tenant
	var closing atomic.Bool
	fail := func(err error) bool {
		if err == nil {
			return false
		}
		if code := fault.CodeOf(err); code == fault.Closed || code == fault.NotFound || code == fault.Erased || code == fault.VersionConflict {
			return code == fault.Closed
		}
		t.Error(err)
		return true
	}
	for w := range 16 {
		wg.Go(func() {
			tenant := fmt.Sprint("tenant-", w%3)
			for i := range steps {
				id := fmt.Sprintf("e-%d-%d", w, i)
				ev, err := decodeEvent(tenant, id, fmt.Sprint("s", w), int64(i), "said at once by many, "+id, "")
				if fail(err) {
					return
				}
				res, err := b.AppendEvents(ctx, user, []*hmx.Event{ev})
				if fail(err) {
					return
				}
				if res.Accepted == 1 {
					acked.Store(id, tenant)
				}
				_, err = b.Put(ctx, user, tenant, fact("", fmt.Sprint("k/", i%4), fmt.Sprintf("%d says %d.", w, i)), engine.AnyVersion())
				if fail(err) {
					return
				}
				if i%7 == 3 {
					acked.Delete(id) // also if the board is closed before it is done
					_, err := b.Redact(ctx, user, []memory.URI{{Tenant: tenant, Kind: record.Event, ID: id}})
					if fail(err) {
						return
					}
				}
				if w == 0 && i == steps*3/4 {
					closing.Store(true)
				}
			}
		})
	}
	for r := range 4 {
		wg.Go(func() {
			tenant := fmt.Sprint("tenant-", r%3)
			for !closing.Load() {
				_, err := b.Events(ctx, engine.EventQuery{Tenant: tenant, Session: "s1", Limit: 20})
				if fail(err) {
					return
				}
				_, err = b.List(ctx, engine.ListOptions{Tenant: tenant})
				if fail(err) {
					return
				}
				_, _, err = b.History(ctx, engine.Ref{Tenant: tenant, Kind: record.Memory, Key: "k/1"}, engine.View{})
				if fail(err) {
					return
				}
				_, err = b.Search(ctx, engine.SearchOptions{Tenant: tenant, Query: "what many said at once"})
				if fail(err) {
					return
				}
				_, err = b.Checkpoint(ctx, tenant)
				if fail(err) {
					return
				}
				b.Damages()
				for root, err := range b.Tenants(ctx) {
					if fail(err) {
						return
					}
					if _, err := b.Prove(ctx, root.Tenant, engine.ProveOptions{Position: root.Size / 2}); fail(err) {
						return
					}
				}
			}
		})
	}
	wg.Go(func() {
		for i := 0; !closing.Load(); i++ {
			var err error
			switch i % 4 {
			case 0:
				err = b.Purge(ctx)
			case 1:
				_, err = soundness(b)
			case 2:
				err = b.Rebuild(ctx, nil)
			case 3:
				_, err = b.Verify(ctx, engine.VerifyOptions{})
			}
			if fail(err) {
				return
			}
		}
	})
	wg.Go(func() {
		for !closing.Load() {
			if _, err := b.Root(ctx, "tenant-0"); fail(err) {
				return
			}
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	within(t, "everybody at once", wg.Wait)
	b = openWith(t, "data", o)
	acked.Range(func(id, tenant any) bool {
		if _, err := b.Event(ctx, tenant.(string), id.(string), engine.View{}); err != nil {
			t.Error(err)
		}
		return true
	})
	lines, err := readJournal(fs, "data")
	if err != nil {
		t.Fatal(err)
	}
	if err := rootsAgree(b, lines); err != nil {
		t.Fatal(err)
	}
	sound(t, b)
}
