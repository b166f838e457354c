package ledger_test

import (
	"fmt"
	"testing"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

func openStore(t testing.TB) *kv.Store {
	t.Helper()
	s, err := kv.Open(kv.Options{FS: disk.NewMem(), Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func leaf(tenant string, position uint64) merkle.Hash {
	return merkle.LeafHash(fmt.Appendf(nil, "%s %d", tenant, position))
}

// rec returns a record of a tenant.
func rec(tenant string, position uint64) index.Record {
	return index.Record{
		LSN: journal.LSN(1000 + position), Leaf: leaf(tenant, position),
		Header: record.Header{
			Kind: record.Event, Position: position, Tenant: tenant, Time: int64(position),
			ID: record.ID(tenant, record.Event, fmt.Sprint("e", position)),
		},
	}
}

// apply folds records in one group.
func apply(t testing.TB, s *kv.Store, l *ledger.Ledger, records ...index.Record) {
	t.Helper()
	tx := s.Begin()
	for i := range records {
		if err := l.Apply(tx, &records[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Finish(tx); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// TestTree grows a tree from 1 to 600 leaves beside another tenant's, and
// compares every root, every smaller root and proofs with those of merkle.
func TestTree(t *testing.T) {
	testsize.OneGoroutine(t)
	const most = 600
	s, l := openStore(t), ledger.New()
	var tree merkle.Range
	roots := []merkle.Hash{merkle.EmptyRoot()}
	for position := range uint64(most) {
		if position%97 == 50 {
			l = ledger.New() // as after a restart
		}
		records := []index.Record{rec("acme", position)}
		if position%3 == 0 {
			records = append(records, rec("globex", position/3))
		}
		apply(t, s, l, records...)
		tree.Append(leaf("acme", position))
		roots = append(roots, tree.Root())
		size := position + 1
		got, ok, err := ledger.Lookup(s, "acme")
		if err != nil || !ok || got.Size != size || got.Tree.Root() != roots[size] || got.Time != int64(position) {
			t.Fatalf("size %d: %+v %v %v", size, got, ok, err)
		}
		nodes := ledger.Nodes(s, got.Number)
		if root, err := merkle.RootAt(nodes, size); err != nil || root != roots[size] {
			t.Fatalf("size %d: root %x %v", size, root, err)
		}
		at := position * 7 / 11
		path, err := merkle.Inclusion(nodes, at, size)
		if err != nil {
			t.Fatalf("size %d: %v", size, err)
		}
		if err := merkle.VerifyInclusion(leaf("acme", at), at, size, path, roots[size]); err != nil {
			t.Fatalf("size %d: %v", size, err)
		}
	}
	nodes := ledger.Nodes(s, 0)
	for size := uint64(1); size <= most; size++ {
		if root, err := merkle.RootAt(nodes, size); err != nil || root != roots[size] {
			t.Fatalf("looking back at size %d: %x %v", size, root, err)
		}
		path, err := merkle.Consistency(nodes, size, most)
		if err != nil {
			t.Fatal(err)
		}
		if err := merkle.VerifyConsistency(size, most, path, roots[size], roots[most]); err != nil {
			t.Fatal(err)
		}
	}
	for level := uint(0); level < 9; level++ {
		for i := uint64(0); (i+1)<<level <= most; i++ {
			var below merkle.Range
			for p := i << level; p < (i+1)<<level; p++ {
				below.Append(leaf("acme", p))
			}
			if node, err := nodes.Node(level, i); err != nil || node != below.Root() {
				t.Fatalf("node %d of level %d: %x %v", i, level, node, err)
			}
		}
	}
	if _, err := nodes.Node(0, most); fault.CodeOf(err) != fault.Damaged {
		t.Errorf("a leaf that is not there: %v", err)
	}
}

// TestPlacesAndTenants finds records by position and id, and tenants in the
// order of their first records.
func TestPlacesAndTenants(t *testing.T) {
	s, l := openStore(t), ledger.New()
	apply(t, s, l, rec("b", 0), rec("a", 0), rec("b", 1))
	apply(t, s, l, rec("c", 0), rec("a", 1))
	var names []string
	for tenant, err := range ledger.Tenants(s, 0) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, fmt.Sprint(tenant.Number, tenant.Name, tenant.Size))
	}
	if got := fmt.Sprint(names); got != "[0b2 1a2 2c1]" {
		t.Error(got)
	}
	if n, err := ledger.Count(s); err != nil || n != 3 {
		t.Error(n, err)
	}
	if at, ok, err := ledger.At(s, 1, 1); err != nil || !ok || at.LSN != 1001 || at.Leaf != leaf("a", 1) {
		t.Error(at, ok, err)
	}
	if _, ok, err := ledger.At(s, 2, 1); err != nil || ok {
		t.Error(ok, err)
	}
	id := record.ID("b", record.Event, "e1")
	if position, ok, err := ledger.Find(s, 0, &id); err != nil || !ok || position != 1 {
		t.Error(position, ok, err)
	}
	if _, ok, err := ledger.Find(s, 1, &id); err != nil || ok {
		t.Error("another tenant finds it", err)
	}
	if _, ok, err := ledger.Lookup(s, "d"); err != nil || ok {
		t.Error(ok, err)
	}
}

// TestGaps: a record that does not come next is refused.
func TestGaps(t *testing.T) {
	s, l := openStore(t), ledger.New()
	apply(t, s, l, rec("a", 0), rec("a", 1))
	for _, position := range []uint64{0, 1, 3} {
		tx := s.Begin()
		r := rec("a", position)
		if err := l.Apply(tx, &r); fault.CodeOf(err) != fault.Damaged {
			t.Errorf("position %d: %v", position, err)
		}
		l.Reset()
		if err := tx.Discard(); err != nil {
			t.Fatal(err)
		}
	}
	apply(t, s, l, rec("a", 2))
}

// TestErasures: the ledger records what is erased, by what, and what is still
// to be overwritten. An expiry erases only events.
func TestErasures(t *testing.T) {
	s, l := openStore(t), ledger.New()
	apply(t, s, l, rec("a", 0), rec("a", 1), rec("a", 2), rec("a", 3), rec("b", 0))
	if any, err := ledger.AnyErased(s, 0); any || err != nil {
		t.Error(any, err)
	}
	red := rec("a", 4)
	mac := record.Hash{1, 2, 3}
	red.Header.Kind, red.Control = record.Redaction, &memory.Redaction{
		Key:     []byte("0123456789abcdef0123456789abcdef"),
		Targets: []memory.RedactionTarget{{Kind: record.Event, Position: 1, ID: record.Hash{9}, Content: mac}},
	}
	apply(t, s, l, red)
	end := rec("a", 5)
	end.Header.Kind, end.Control = record.Expiry, &memory.Expiry{
		Cause:   memory.CauseTTL,
		Targets: []memory.ExpiryTarget{{Kind: record.Event, Position: 3}, {Kind: record.Memory, Position: 2}},
	}
	apply(t, s, l, end)
	for tenant, want := range []bool{true, false} {
		if any, err := ledger.AnyErased(s, uint32(tenant)); any != want || err != nil {
			t.Error(tenant, any, err)
		}
	}
	for position, want := range []uint64{0, 4, 0, 5} {
		by, ok, err := ledger.Erased(s, 0, uint64(position))
		if err != nil || ok != (want > 0) || by != want {
			t.Errorf("position %d: %d %v %v", position, by, ok, err)
		}
	}
	if by, ok, err := ledger.ErasedContent(s, 0, mac[:]); err != nil || !ok || by != 4 {
		t.Error(by, ok, err)
	}
	if got, _, err := ledger.Lookup(s, "a"); err != nil || len(got.Key) != 32 {
		t.Errorf("%+v %v", got, err)
	}
	undone := func() (list []ledger.UndoneErasure) {
		for u, err := range ledger.Undone(s) {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, u)
		}
		return list
	}
	if got := fmt.Sprint(undone()); got != "[{0 1} {0 3}]" {
		t.Error(got)
	}
	tx := s.Begin()
	if err := ledger.Done(tx, ledger.UndoneErasure{Tenant: 0, Position: 1}); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(undone()); got != "[{0 3}]" {
		t.Error(got)
	}
	if _, ok, _ := ledger.Erased(s, 0, 1); !ok {
		t.Error("what is done is not erased any more")
	}
}
