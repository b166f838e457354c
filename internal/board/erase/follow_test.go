package erase_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/erase"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// observer records its notifications, and what a read sees at that moment.
type observer struct {
	b      *board.Board
	refuse error // of an erasure

	mu    sync.Mutex
	calls []string
}

func (o *observer) note(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls = append(o.calls, fmt.Sprintf(format, args...))
}

// take returns what arrived since the last call.
func (o *observer) take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := strings.Join(o.calls, " ")
	o.calls = nil
	return text
}

// size returns how many records of the tenant a read sees. It reads the index, since the
// callers of some notifications hold the board.
func (o *observer) size(t testing.TB) uint64 {
	tenant, ok, err := ledger.Lookup(o.b.Store(), "acme")
	if err != nil {
		t.Error(err)
	}
	if !ok {
		return 0
	}
	return tenant.Size
}

// follower is an observer with a test to report errors.
type follower struct {
	*observer
	t testing.TB
}

func (f follower) Writing(h *record.Header) {
	f.note("writing:%d/%d", h.Position, f.size(f.t))
}

func (f follower) Committed(c board.Commit) {
	for _, r := range c.Records {
		f.note("committed:%d/%d", r.Header.Position, f.size(f.t))
	}
}

func (f follower) Erasing() error { f.note("erasing"); return f.refuse }
func (f follower) Rebuilt() error { f.note("rebuilt"); return nil }
func (f follower) Purging() error { f.note("purging"); return nil }
func (f follower) Close() error   { f.note("close"); return nil }

func open(t *testing.T, fs disk.FS, attach func(*board.Board)) *board.Board {
	t.Helper()
	b, err := board.Open(context.Background(), "data", board.Options{FS: fs, CacheBytes: 1 << 20, MemTableBytes: 1 << 20}, attach)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func put(t *testing.T, b *board.Board, id string) {
	t.Helper()
	w := board.Writer{Actor: "tester", Trust: record.User}
	m := &memory.Memory{ID: id, Type: memory.TypeFact, Key: "key/" + id, Text: "What " + id + " says."}
	if _, err := b.Put(context.Background(), w, "acme", m, board.AnyVersion()); err != nil {
		t.Fatal(err)
	}
}

// TestFollowersAreNotifiedInOrder: of a record before a read sees it and of its group after,
// of an erasure before it is acknowledged, of a rebuild, a purge and the end.
func TestFollowersAreNotifiedInOrder(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	seen := &observer{}
	b := open(t, disk.NewMem(), func(b *board.Board) {
		seen.b = b
		b.Follow(board.NopFollower{}, follower{seen, t})
	})
	w := board.Writer{Actor: "tester", Trust: record.User}
	expect := func(what, want string) {
		t.Helper()
		if got := seen.take(); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	expect("open", "")
	put(t, b, "a")
	expect("first record", "writing:0/0 committed:0/1")
	put(t, b, "b")
	expect("second record", "writing:1/1 committed:1/2")

	before := b.Erasures()
	if _, err := erase.New(b).Redact(ctx, w, []memory.URI{{Tenant: "acme", Kind: record.Memory, ID: "a"}}); err != nil {
		t.Fatal(err)
	}
	expect("redaction", "writing:2/2 committed:2/3 erasing")
	if b.Erasures() == before {
		t.Error("the erasure is not counted")
	}

	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(seen.take()); !slices.Contains(got, "rebuilt") {
		t.Errorf("rebuild: %q", got)
	}
	if err := b.Purge(ctx); err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(seen.take()); !slices.Contains(got, "purging") || !slices.Contains(got, "erasing") {
		t.Errorf("purge: %q", got)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	expect("close", "close")
}

// TestErasureWaitsForFollowers: a follower that fails to drop its data prevents the
// acknowledgement of an erasure, and the next opening calls it again.
func TestErasureWaitsForFollowers(t *testing.T) {
	t.Parallel()
	fs := disk.NewMem()
	stuck := errors.New("stuck")
	seen := &observer{refuse: stuck}
	attach := func(b *board.Board) {
		seen.b = b
		b.Follow(follower{seen, t})
	}
	b := open(t, fs, attach)
	put(t, b, "a")
	w := board.Writer{Actor: "tester", Trust: record.User}
	if _, err := erase.New(b).Redact(context.Background(), w, []memory.URI{{Tenant: "acme", Kind: record.Memory, ID: "a"}}); !errors.Is(err, stuck) {
		t.Fatalf("redacted, although a follower keeps what is erased: %v", err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	seen.refuse = nil
	seen.take()
	open(t, fs, attach)
	if got := strings.Fields(seen.take()); !slices.Contains(got, "erasing") {
		t.Errorf("the next opening: %q", got)
	}
}
