package ledger

import (
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
)

// CountErased returns how many records of a tenant were erased.
func CountErased(r kv.Reader, tenant uint32) (n uint64, err error) {
	prefix := index.NewKey(nil, Prefix, tableErased, tenant)
	it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return 0, err
	}
	for ok := it.First(); ok; ok = it.Next() {
		n++
	}
	return n, it.Close()
}
