package torture

import (
	"context"
	"crypto/sha256"
	"fmt"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/notary"
	"lukasa.dev/internal/record"
)

// verdict collects findings.
type verdict struct{ findings []string }

func (v *verdict) find(format string, args ...any) {
	if len(v.findings) < 20 {
		v.findings = append(v.findings, fmt.Sprintf(format, args...))
	}
}

// err returns the findings as an error, or nil.
func (v *verdict) err() error {
	if len(v.findings) == 0 {
		return nil
	}
	text := fmt.Sprintf("%d findings:", len(v.findings))
	for _, f := range v.findings {
		text += "\n  " + f
	}
	return fmt.Errorf("%s", text)
}

// judgement says how a directory is judged.
type judgement struct {
	options engine.Options
	deep    bool
}

// judge opens a directory and compares it with the ledger. Afterwards nothing
// is in doubt. Every finding is an error.
func (l *ledger) judge(dir string, j judgement) error {
	board, err := engine.Open(context.Background(), dir, j.options)
	if err != nil {
		return fmt.Errorf("it cannot be opened: %w", err)
	}
	defer board.Close()
	s, err := readJournal(dir)
	if err != nil {
		return fmt.Errorf("its journal cannot be read: %w", err)
	}
	if err := l.compare(board, s); err != nil {
		return err
	}
	if err := board.Failed(); err != nil {
		return fmt.Errorf("writes are refused: %w", err)
	}
	report, err := board.Verify(context.Background(), engine.VerifyOptions{Deep: j.deep})
	if err != nil {
		return fmt.Errorf("it cannot be verified: %w", err)
	}
	if !report.OK() {
		return fmt.Errorf("verification: %+v", report.Findings)
	}
	if err := board.Close(); err != nil {
		return fmt.Errorf("it cannot be closed: %w", err)
	}
	return nil
}

// compare compares an open board and the bytes of its journal with the ledger.
func (l *ledger) compare(board *engine.Board, s *scan) error {
	v := &verdict{}
	l.compareTrees(v, board, s)
	l.compareNotes(v, board, s)
	known := l.compareItems(v, board, s)
	for id, list := range s.byID {
		r := list[0]
		if (r.Kind == record.Event || r.Kind == record.Memory) && !known[id] {
			v.find("tenant %q, position %d: a %s that nobody wrote", r.Tenant, r.Position, r.Kind)
		}
		if len(list) > 1 {
			v.find("tenant %q: the %s at position %d is there %d times", r.Tenant, r.Kind, r.Position, len(list))
		}
	}
	return v.err()
}

// compareTrees compares sizes and roots with those of the bytes.
func (l *ledger) compareTrees(v *verdict, board *engine.Board, s *scan) {
	seen := 0
	for root, err := range board.Tenants(context.Background()) {
		if err != nil {
			v.find("tenants: %v", err)
			return
		}
		seen++
		leaves := s.leaves[root.Tenant]
		if root.Size != uint64(len(leaves)) || root.Hash != naiveRoot(leaves) {
			v.find("tenant %q: size %d and root %x, but the bytes give %d and %x", root.Tenant, root.Size, root.Hash, len(leaves), naiveRoot(leaves))
		}
		if root.Size < l.sizes[root.Tenant] {
			v.find("tenant %q: size %d, but %d were acknowledged", root.Tenant, root.Size, l.sizes[root.Tenant])
		}
		l.sizes[root.Tenant] = root.Size
	}
	if seen != len(s.leaves) {
		v.find("%d tenants, but the bytes have %d", seen, len(s.leaves))
	}
}

// compareNotes checks every checkpoint that was signed.
func (l *ledger) compareNotes(v *verdict, board *engine.Board, s *scan) {
	type signed struct {
		merkle.Checkpoint
		note []byte
	}
	opened := map[string][]signed{}
	sizes := map[string]map[uint64]bool{}
	for _, n := range l.notes {
		verifier, err := merkle.NewVerifier(l.keys[n.tenant])
		if err != nil {
			v.find("key of tenant %q: %v", n.tenant, err)
			return
		}
		c, err := merkle.OpenCheckpoint(n.note, verifier)
		if err != nil {
			v.find("checkpoint of tenant %q: %v", n.tenant, err)
			continue
		}
		if sizes[n.tenant] == nil {
			sizes[n.tenant] = map[uint64]bool{}
		}
		sizes[n.tenant][c.Size] = true
		opened[n.tenant] = append(opened[n.tenant], signed{c, n.note})
	}
	ctx := context.Background()
	for tenant, list := range opened {
		roots := rootsAt(s.leaves[tenant], sizes[tenant])
		for _, c := range list {
			if roots[c.Size] != c.Root {
				v.find("tenant %q: %d records with root %x were signed, and now they have root %x", tenant, c.Size, c.Root, roots[c.Size])
			}
		}
		if board == nil {
			continue
		}
		now, err := board.Checkpoint(ctx, tenant)
		if err != nil {
			v.find("tenant %q: nothing can be signed any more: %v", tenant, err)
			continue
		}
		last := list[len(list)-1]
		p, err := board.ProveConsistency(ctx, tenant, last.Size, 0)
		if err == nil {
			_, err = notary.VerifyConsistency(p, last.note, now.Note, l.keys[tenant])
		}
		if err != nil {
			v.find("tenant %q: the checkpoint of size %d is not proven: %v", tenant, last.Size, err)
		}
	}
}

// compareItems checks everything that was written, and returns the digests of
// all ids. It settles what was in doubt.
func (l *ledger) compareItems(v *verdict, board *engine.Board, s *scan) map[record.Hash]bool {
	known := make(map[record.Hash]bool, len(l.items))
	for n, it := range l.items {
		state := l.settle(board, n, it)
		for version := 1; version <= len(it.there); version++ {
			if n.kind != record.Event && it.gone[version-1] {
				continue // a tombstone has an id of its own
			}
			id := n.id
			if n.kind != record.Event {
				id = versionName(n.id, uint32(version))
			}
			digest := record.ID(n.tenant, n.kind, id)
			known[digest] = true
			list := s.byID[digest]
			if len(list) != 1 {
				v.find("%s %s is there %d times", n.kind, id, len(list))
				continue
			}
			switch r := list[0]; {
			case it.redacted == yes && r.payload != nil:
				v.find("%s %s was erased, and its payload is on the disk", n.kind, id)
			case it.redacted == no && r.payload == nil:
				v.find("%s %s is blank, and nobody erased it", n.kind, id)
			case r.payload != nil && sha256.Sum256(r.payload) != it.sum(n, version):
				v.find("%s %s has other bytes than were written: %.200s", n.kind, id, r.payload)
			}
		}
		if it.redacted == yes {
			for version := range len(it.there) {
				id := n.id
				if n.kind != record.Event {
					id = versionName(n.id, uint32(version+1))
				}
				if s.marks[id] > 0 {
					v.find("%s %s was erased, and its text is in the journal's files", n.kind, id)
				}
			}
		}
		if state != "" {
			v.find("%s %s of tenant %q: %s", n.kind, n.id, n.tenant, state)
		}
	}
	for n, it := range l.items {
		if len(it.there) == 0 {
			delete(l.items, n)
		}
	}
	return known
}

// settle looks up one item on the board and settles what was in doubt. It
// returns a finding or "". Items that were judged before and not touched since
// are checked only now and then.
func (l *ledger) settle(board *engine.Board, n name, it *item) string {
	if !it.touched && len(n.id)%7 != l.events%7 {
		return ""
	}
	it.touched = false
	var version uint32
	var state catalog.State
	var err error
	if n.kind == record.Event {
		version = 1
		_, err = board.Event(context.Background(), n.tenant, n.id, engine.View{})
	} else {
		var thing *engine.Thing
		thing, err = board.Get(context.Background(), engine.Ref{Tenant: n.tenant, Kind: n.kind, ID: n.id}, engine.View{})
		if err == nil {
			version, state = thing.Version, thing.State
			if m, ok := thing.Body.(*memory.Memory); !ok || m.Text != textOf(versionName(n.id, thing.Content)) {
				return "it says something else"
			}
		}
	}
	last := len(it.there)
	switch code := fault.CodeOf(err); {
	case code == fault.Erased:
		if it.redacted == no {
			return "it is erased, and nobody erased it"
		}
		// No version is in doubt beside a redaction: a writer runs one
		// operation at a time.
		it.redacted = yes
		return ""
	case code == fault.NotFound:
		version = 0
	case err != nil:
		return err.Error()
	}
	if it.redacted == yes {
		return "it was erased, and is still there"
	}
	it.redacted = no
	if last > 0 && it.there[last-1] == maybe {
		if int(version) == last-1 {
			it.there, it.gone, it.sums = it.there[:last-1], it.gone[:last-1], it.sums[:last-1]
			last--
		} else {
			it.there[last-1] = yes
		}
	}
	if int(version) != last {
		return fmt.Sprintf("version %d was acknowledged, but it is at version %d", last, version)
	}
	if n.kind != record.Event && last > 0 {
		if want := it.gone[last-1]; want != (state == catalog.Forgotten) {
			return fmt.Sprintf("it is %v; forgotten should be %v", state, want)
		}
	}
	return ""
}
