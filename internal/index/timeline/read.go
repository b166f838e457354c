package timeline

import (
	"bytes"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/record"
)

// Session calls visit for each event of a session in order, starting after the
// key after, which visit has received before (nil for the start). Events with
// equal sequence and timestamp are ordered by position.
func Session(r kv.Reader, tenant uint32, session string, after []byte, visit func(key []byte, p Place) bool) error {
	prefix := index.NewKey(nil, Prefix, tableSession, tenant).Digest(index.DigestOf(session))
	return walk(r, prefix, after, func(key []byte, value string) bool {
		rest := key[len(prefix):]
		return visit(key, Place{
			Sequence: index.Int64At(rest), Timestamp: index.Int64At(rest[8:]),
			Position: number(key), Type: hmx.EventType(value),
		})
	})
}

// By is the name that a walk by time follows.
type By byte

// The names that events can be followed by.
const (
	ByAgent       By = tableAgent
	ByTrace       By = tableTrace
	ByCorrelation By = tableCorrelation
)

// Follow calls visit for each event of an agent, a trace or a correlation, by
// timestamp.
func Follow(r kv.Reader, tenant uint32, by By, name string, after []byte, visit func(key []byte, p Place) bool) error {
	prefix := index.NewKey(nil, Prefix, byte(by), tenant).Digest(index.DigestOf(name))
	return walk(r, prefix, after, func(key []byte, value string) bool {
		return visit(key, Place{Timestamp: index.Int64At(key[len(prefix):]), Position: number(key), Type: hmx.EventType(value)})
	})
}

// Children calls visit for each event that names the given one as its parent,
// in the order of recording.
func Children(r kv.Reader, tenant uint32, parent *record.Hash, after []byte, visit func(key []byte, p Place) bool) error {
	prefix := index.NewKey(nil, Prefix, tableChildren, tenant).Digest(index.Digest(parent[:16]))
	return walk(r, prefix, after, func(key []byte, value string) bool {
		return visit(key, Place{Position: number(key), Type: hmx.EventType(value)})
	})
}

// Expired calls visit for each event that expired before now.
func Expired(r kv.Reader, tenant uint32, now int64, visit func(p Place) bool) error {
	lower := index.NewKey(nil, Prefix, tableExpiry, tenant)
	upper := index.NewKey(nil, Prefix, tableExpiry, tenant).Int64(now)
	it, err := r.Iter(lower, upper)
	if err != nil {
		return err
	}
	for ok := it.First(); ok && visit(Place{Position: number(it.Key()), Timestamp: index.Int64At(it.Key()[6:])}); ok = it.Next() {
	}
	return it.Close()
}

// LastTurn returns the latest time in (after, until] at which an event expires; ok is false if
// there is none.
func LastTurn(r kv.Reader, tenant uint32, after, until int64) (at int64, ok bool, err error) {
	return index.LastTime(r, index.NewKey(nil, Prefix, tableExpiry, tenant), after, until)
}

// Sessions calls visit with the summary of each session, in no particular
// order.
func Sessions(r kv.Reader, tenant uint32, after []byte, visit func(key []byte, s *Summary) bool) error {
	return summaries(r, tableSessions, tenant, after, visit)
}

// Agents calls visit with the summary of each agent.
func Agents(r kv.Reader, tenant uint32, after []byte, visit func(key []byte, s *Summary) bool) error {
	return summaries(r, tableAgents, tenant, after, visit)
}

// SessionSummary returns the summary of a session.
func SessionSummary(r kv.Reader, tenant uint32, session string) (*Summary, bool, error) {
	return summaryAt(r, tableSessions, tenant, index.DigestOf(session))
}

func summaries(r kv.Reader, table byte, tenant uint32, after []byte, visit func(key []byte, s *Summary) bool) error {
	var bad error
	err := walk(r, index.NewKey(nil, Prefix, table, tenant), after, func(key []byte, value string) bool {
		s, err := decodeSummary([]byte(value))
		if err != nil {
			bad = err
			return false
		}
		return visit(key, s)
	})
	if bad != nil {
		return bad
	}
	return err
}

// walk visits the keys with a prefix, starting after the key after.
func walk(r kv.Reader, prefix, after []byte, visit func(key []byte, value string) bool) error {
	if after != nil && !bytes.HasPrefix(after, prefix) {
		return fault.New(fault.InvalidArgument, "after: this is not the next of this list").
			WithFix("give what the page before had as next, with the same query")
	}
	it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	ok := false
	if after == nil {
		ok = it.First()
	} else {
		ok = it.Seek(append(append([]byte{}, after...), 0))
	}
	for ; ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			it.Close()
			return err
		}
		if !visit(it.Key(), string(v)) {
			break
		}
	}
	return it.Close()
}
