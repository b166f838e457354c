package ledger

import (
	"encoding/binary"
	"iter"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
)

// Lookup returns the state of a tenant, and false for one that has no records.
func Lookup(r kv.Reader, name string) (*Tenant, bool, error) {
	v, ok, err := r.Get(numberKey(name), nil)
	if err != nil || !ok {
		return nil, false, err
	}
	if len(v) != 4 {
		return nil, false, errTable("tenant numbers")
	}
	number := binary.BigEndian.Uint32(v)
	v, ok, err = r.Get(index.NewKey(nil, Prefix, tableTenant, number), v[:0])
	if err != nil || !ok {
		return nil, false, err
	}
	t, err := decodeTenant(number, v)
	if err != nil {
		return nil, false, err
	}
	if t.Name != name {
		return nil, false, errState(number)
	}
	return t, true, nil
}

// Tenants iterates over all tenants in the order of their first writes,
// starting with the given number.
func Tenants(r kv.Reader, from uint32) iter.Seq2[*Tenant, error] {
	return func(yield func(*Tenant, error) bool) {
		it, err := r.Iter(index.NewKey(nil, Prefix, tableTenant, from), []byte{Prefix, tableTenant + 1})
		if err != nil {
			yield(nil, err)
			return
		}
		for ok := it.First(); ok; ok = it.Next() {
			v, err := it.Value()
			var t *Tenant
			if err == nil {
				t, err = decodeTenant(binary.BigEndian.Uint32(it.Key()[2:]), v)
			}
			if !yield(t, err) || err != nil {
				it.Close()
				return
			}
		}
		if err := it.Close(); err != nil {
			yield(nil, err)
		}
	}
}

// Count returns how many tenants there are.
func Count(r kv.Reader) (int, error) {
	n, err := countTenants(r)
	return int(n), err
}

// At returns the address of a position of a tenant.
func At(r kv.Reader, tenant uint32, position uint64) (Place, bool, error) {
	v, ok, err := r.Get(index.NewKey(nil, Prefix, tablePosition, tenant).Uint64(position), nil)
	if err != nil || !ok {
		return Place{}, false, err
	}
	return place(v)
}

func place(v []byte) (Place, bool, error) {
	if len(v) != 8+merkle.HashSize {
		return Place{}, false, errTable("positions")
	}
	return Place{LSN: journal.LSN(binary.BigEndian.Uint64(v)), Leaf: merkle.Hash(v[8:])}, true, nil
}

// number reads a value that is a position.
func number(v []byte) (uint64, bool, error) {
	if len(v) != 8 {
		return 0, false, errTable("ids and erasures")
	}
	return binary.BigEndian.Uint64(v), true, nil
}

func errTable(of string) error {
	return fault.Newf(fault.Damaged, "an entry in the ledger's table of %s cannot be read", of).
		WithFix("`lukasa rebuild` rebuilds the index from the journal")
}

// Find returns the position of the record with that id.
func Find(r kv.Reader, tenant uint32, id *record.Hash) (position uint64, ok bool, err error) {
	var room [32]byte
	v, ok, err := r.Get(idKey(nil, tenant, id), room[:0])
	if err != nil || !ok {
		return 0, false, err
	}
	return number(v)
}

// Erased returns the position of the redaction that erased a position.
func Erased(r kv.Reader, tenant uint32, position uint64) (redaction uint64, ok bool, err error) {
	v, ok, err := r.Get(index.NewKey(nil, Prefix, tableErased, tenant).Uint64(position), nil)
	if err != nil || !ok {
		return 0, false, err
	}
	return number(v)
}

// AnyErased reports whether anything of a tenant was erased.
func AnyErased(r kv.Reader, tenant uint32) (bool, error) {
	from := index.NewKey(nil, Prefix, tableErased, tenant)
	it, err := r.Iter(from, kv.PrefixEnd(from))
	if err != nil {
		return false, err
	}
	found := it.First()
	return found, it.Close()
}

// Erasure is an erased payload, and the erasing record.
type Erasure struct {
	Tenant   uint32
	Position uint64
	By       uint64
}

// Erasures iterates over everything that was ever erased.
func Erasures(r kv.Reader) iter.Seq2[Erasure, error] {
	return func(yield func(Erasure, error) bool) {
		it, err := r.Iter([]byte{Prefix, tableErased}, []byte{Prefix, tableErased + 1})
		if err != nil {
			yield(Erasure{}, err)
			return
		}
		defer it.Close()
		for ok := it.First(); ok; ok = it.Next() {
			k := it.Key()
			v, err := it.Value()
			if err == nil && (len(k) != 2+4+8 || len(v) != 8) {
				err = fault.New(fault.Damaged, "an entry of the table of erasures cannot be read")
			}
			if err != nil {
				yield(Erasure{}, err)
				return
			}
			if !yield(Erasure{binary.BigEndian.Uint32(k[2:]), index.Uint64At(k[6:]), binary.BigEndian.Uint64(v)}, nil) {
				return
			}
		}
		if err := it.Close(); err != nil {
			yield(Erasure{}, err)
		}
	}
}

// ErasedContent returns the position of the redaction that erased content with
// that MAC.
func ErasedContent(r kv.Reader, tenant uint32, mac []byte) (redaction uint64, ok bool, err error) {
	v, ok, err := r.Get(contentKey(tenant, mac), nil)
	if err != nil || !ok {
		return 0, false, err
	}
	return number(v)
}

// Undone iterates over the positions whose payload is erased in the index and
// perhaps not yet on the disk.
func Undone(r kv.Reader) iter.Seq2[UndoneErasure, error] {
	return func(yield func(UndoneErasure, error) bool) {
		it, err := r.Iter([]byte{Prefix, tableUndone}, []byte{Prefix, tableUndone + 1})
		if err != nil {
			yield(UndoneErasure{}, err)
			return
		}
		for ok := it.First(); ok; ok = it.Next() {
			k := it.Key()
			u := UndoneErasure{Tenant: binary.BigEndian.Uint32(k[2:]), Position: index.Uint64At(k[6:])}
			if !yield(u, nil) {
				it.Close()
				return
			}
		}
		if err := it.Close(); err != nil {
			yield(UndoneErasure{}, err)
		}
	}
}

// UndoneErasure is a payload that is still to be overwritten.
type UndoneErasure struct {
	Tenant   uint32
	Position uint64
}

// Done removes the note that a payload is still to be overwritten.
func Done(tx *kv.Txn, u UndoneErasure) error {
	return tx.Delete(index.NewKey(nil, Prefix, tableUndone, u.Tenant).Uint64(u.Position))
}

// Nodes returns the nodes of a tenant's tree.
func Nodes(r kv.Reader, tenant uint32) merkle.Nodes { return merkle.NodesOf(tiles{r, tenant}) }

// tiles reads runs of stored hashes.
type tiles struct {
	r      kv.Reader
	tenant uint32
}

// Hashes appends n stored hashes of a level, starting at first.
func (t tiles) Hashes(level uint, first uint64, n int, dst []merkle.Hash) ([]merkle.Hash, error) {
	lower, upper, skip := nodeKey(nil, t.tenant, level, first), nodeKey(nil, t.tenant, level, first+uint64(n)), 0
	if level == 0 {
		lower = index.NewKey(nil, Prefix, tablePosition, t.tenant).Uint64(first)
		upper = index.NewKey(nil, Prefix, tablePosition, t.tenant).Uint64(first + uint64(n))
		skip = 8
	}
	it, err := t.r.Iter(lower, upper)
	if err != nil {
		return dst, err
	}
	got := 0
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			it.Close()
			return dst, err
		}
		if len(v) != skip+merkle.HashSize {
			break
		}
		dst = append(dst, merkle.Hash(v[skip:]))
		got++
	}
	if err := it.Close(); err != nil {
		return dst, err
	}
	if got != n {
		return dst, fault.Newf(fault.Damaged, "the tree of tenant number %d lacks nodes at level %d from %d on", t.tenant, level, first).
			WithFix("`lukasa rebuild` rebuilds the index from the journal")
	}
	return dst, nil
}

// Passing reports whether a key is a note of pending work, which depends on the
// progress of a store and not on the journal alone.
func Passing(key []byte) bool { return len(key) > 1 && key[0] == Prefix && key[1] == tableUndone }
