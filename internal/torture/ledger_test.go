package torture

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"

	"lukasa.dev/internal/record"
)

// name identifies an event or a memory across tenants.
type name struct {
	kind   record.Kind
	tenant string
	id     string
}

// doubt is whether a fact holds.
type doubt uint8

const (
	no doubt = iota
	maybe
	yes
)

// item is what the parent knows about an event or a memory.
type item struct {
	// there says for each version (an event has one) whether it was
	// acknowledged, and gone whether it was a tombstone. Only the last may be
	// in doubt.
	there    []doubt
	gone     []bool
	sums     [][32]byte // of the payloads, computed when first needed
	redacted doubt
	touched  bool // since it was last judged
}

// checkpoint is a signed note that left the board.
type checkpoint struct {
	tenant string
	note   []byte
}

// ledger is what a board has acknowledged, in a process that survives.
type ledger struct {
	items  map[name]*item
	notes  []checkpoint
	keys   map[string]string // verifier keys, by tenant
	sizes  map[string]uint64 // at least, by tenant
	flying map[int]line      // what each writer has begun

	acks   int
	fails  []line
	opened bool
	closed bool
	events int // all lines, of any kind
}

func newLedger() *ledger {
	return &ledger{items: map[name]*item{}, keys: map[string]string{}, sizes: map[string]uint64{}, flying: map[int]line{}}
}

// listen reads the messages of a child to the end. The last line may be cut
// short: then it does not count. heard is called after each line.
func (l *ledger) listen(r io.Reader, heard func(line)) error {
	l.opened, l.closed, l.fails = false, false, nil
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		text, err := in.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		var told line
		if err := json.Unmarshal(text, &told); err != nil {
			return fmt.Errorf("line %q: %w", text, err)
		}
		if err := l.hear(told); err != nil {
			return err
		}
		if heard != nil {
			heard(told)
		}
	}
	// A dead writer may have completed what it had begun.
	for _, begun := range l.flying {
		l.note(begun, maybe)
	}
	clear(l.flying)
	return nil
}

// hear takes in a line.
func (l *ledger) hear(told line) error {
	l.events++
	switch told.Say {
	case "open":
		l.opened = true
		for i, key := range told.Keys {
			tenant := tenants()[i]
			if old := l.keys[tenant]; old != "" && old != key {
				return fmt.Errorf("tenant %q has another key than before", tenant)
			}
			l.keys[tenant] = key
		}
	case "begin":
		l.flying[told.Writer] = told
	case "fail":
		l.fails = append(l.fails, told)
		if begun, ok := l.flying[told.Writer]; ok {
			l.note(begun, maybe)
		}
		delete(l.flying, told.Writer)
	case "done":
		delete(l.flying, told.Writer)
		l.acks++
		l.note(told, yes)
	case "closed":
		l.closed = true
	}
	return nil
}

// note records what is, or may be.
func (l *ledger) note(told line, how doubt) {
	if how == yes {
		for _, p := range told.Positions {
			l.sizes[told.Tenant] = max(l.sizes[told.Tenant], p+1)
		}
		if told.Op == opSign && told.Note != nil {
			l.notes = append(l.notes, checkpoint{told.Tenant, told.Note})
		}
	}
	for _, id := range told.IDs {
		n := name{told.Kind, told.Tenant, id}
		it := l.items[n]
		if it == nil {
			it = &item{}
			l.items[n] = it
		}
		it.touched = true
		switch told.Op {
		case opEvents, opPut, opForget:
			it.there = append(it.there, how)
			it.gone = append(it.gone, told.Op == opForget)
			it.sums = append(it.sums, [32]byte{})
		case opRedact:
			it.redacted = how
		}
	}
}

// sum returns the hash of what must be stored for a version, from 1.
func (it *item) sum(n name, version int) [32]byte {
	s := &it.sums[version-1]
	if *s == [32]byte{} {
		*s = sha256.Sum256(payloadOf(n.kind, n.tenant, n.id, uint32(version)))
	}
	return *s
}

// heirs picks items that the next child may change. None of them is in doubt.
func (l *ledger) heirs(rng *rand.Rand, limit int) []heir {
	var all []heir
	for n, it := range l.items {
		if len(all) == limit {
			break
		}
		if it.redacted != no || len(it.there) == 0 || it.there[len(it.there)-1] != yes {
			continue
		}
		x := heir{Kind: n.kind, Tenant: n.tenant, ID: n.id}
		if n.kind != record.Event {
			x.Version, x.Gone = uint32(len(it.there)), it.gone[len(it.gone)-1]
		}
		all = append(all, x)
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}
