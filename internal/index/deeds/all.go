package deeds

import (
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/trace"
)

// All calls visit with every event of a tenant, session by session and each in its
// order, until it returns false. The glance is valid during the call.
func All(r kv.Reader, tenant uint32, visit func(Place, *trace.Glance) bool) error {
	prefix := index.NewKey(nil, Prefix, tableSession, tenant)
	it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	w := Walker{it: it, tenant: tenant}
	for ok := it.First(); ok; ok = it.Next() {
		at := w.at(index.Digest(it.Key()[6:22]))
		v, err := it.Value()
		if err == nil {
			err = readGlance(v, &w.glance)
		}
		if err != nil {
			it.Close()
			return err
		}
		if !visit(at, &w.glance) {
			break
		}
	}
	return it.Close()
}
