package timeline

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
)

// Between calls visit for each event of an agent, a trace or a correlation with
// a timestamp in [from, until), by timestamp.
func Between(r kv.Reader, tenant uint32, by By, name string, from, until int64, visit func(p Place) bool) error {
	if from >= until {
		return nil
	}
	key := func() index.Key {
		return index.NewKey(nil, Prefix, byte(by), tenant).Digest(index.DigestOf(name))
	}
	lower, upper := key().Int64(from), kv.PrefixEnd(key())
	if until != 1<<63-1 {
		upper = key().Int64(until)
	}
	it, err := r.Iter(lower, upper)
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			it.Close()
			return err
		}
		k := it.Key()
		if !visit(Place{Timestamp: index.Int64At(k[len(k)-16:]), Position: number(k), Type: hmx.EventType(v)}) {
			break
		}
	}
	return it.Close()
}
