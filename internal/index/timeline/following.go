package timeline

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
)

// Following calls visit for each event of a session after a place of it, in order.
// The place's sequence, timestamp and position locate it.
func Following(r kv.Reader, tenant uint32, session string, behind Place, visit func(p Place) bool) error {
	prefix := index.NewKey(make([]byte, 0, 64), Prefix, tableSession, tenant).Digest(index.DigestOf(session))
	n := len(prefix)
	lower := prefix.Int64(behind.Sequence).Int64(behind.Timestamp).Uint64(behind.Position)
	it, err := r.Iter(lower, kv.PrefixEnd(prefix[:n]))
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		rest := it.Key()[n:]
		p := Place{Sequence: index.Int64At(rest), Timestamp: index.Int64At(rest[8:]), Position: number(it.Key())}
		if p.Position == behind.Position {
			continue
		}
		v, err := it.Value()
		if err != nil {
			it.Close()
			return err
		}
		p.Type = hmx.EventType(v)
		if !visit(p) {
			break
		}
	}
	return it.Close()
}

// Back returns the place of a session that has that many events after it; ok is false
// if there is none.
func Back(r kv.Reader, tenant uint32, session string, behind uint64) (p Place, ok bool, err error) {
	prefix := index.NewKey(nil, Prefix, tableSession, tenant).Digest(index.DigestOf(session))
	it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return Place{}, false, err
	}
	for ok = it.Last(); ok && behind > 0; ok = it.Prev() {
		behind--
	}
	if ok {
		rest := it.Key()[len(prefix):]
		p = Place{Sequence: index.Int64At(rest), Timestamp: index.Int64At(rest[8:]), Position: number(it.Key())}
		var v []byte
		if v, err = it.Value(); err == nil {
			p.Type = hmx.EventType(v)
		}
	}
	if closed := it.Close(); err == nil {
		err = closed
	}
	return p, ok && err == nil, err
}
