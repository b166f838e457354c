package transfer

import (
	"sort"
	"strconv"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// adapt adapts a record of a salvage to its new place: it updates its positions
// and versions. The error is a [misfit] if that is impossible; rewrote says that
// the payload changed.
func (s *salvaged) adapt(g *board.Group, t *ledger.Tenant, e *board.Entry) (rewrote bool, err error) {
	was := e.Header.Position
	e.Header.Position = t.Size
	if e.Body == nil {
		if !s.erased[was] {
			return false, misfitf("erased: the record that erased it is lost")
		}
		return false, nil
	}
	payload, err := s.adapted(g, t, e)
	if err != nil {
		return false, err
	}
	if payload != nil {
		if err := rewriteEntry(e, payload); err != nil {
			return false, err
		}
	}
	if e.Record.Body != nil {
		err = adaptVersion(g, t, e)
	}
	return payload != nil, err
}

// document is a possible payload.
type document interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// adapted returns the adapted payload of a record, or nil if it is unchanged.
func (s *salvaged) adapted(g *board.Group, t *ledger.Tenant, e *board.Entry) (document, error) {
	switch x := e.Record.Body.(type) {
	case *memory.Memory:
		return adaptKey(g, t, x)
	case *memory.Embedding:
		at, ok := s.moves.to(x.Position)
		if !ok {
			return nil, misfitf("position: what it was made of is lost")
		}
		if at == x.Position {
			return nil, nil
		}
		return memory.NewEmbedding(x.Model, x.Target, at, x.Floats()), nil
	case *memory.Refinement:
		at, ok := s.moves.to(x.Position)
		if !ok {
			return nil, misfitf("position: what it was made of is lost")
		}
		if at == x.Position {
			return nil, nil
		}
		return memory.NewRefinement(x.Model, x.Target, at, x.Title, x.Summary), nil
	}
	switch c := e.Record.Control.(type) {
	case *memory.Tombstone:
		return adaptTombstone(g, t, c)
	case *memory.Transition:
		return adaptTransition(g, t, c)
	case *memory.Redaction:
		return s.adaptRedaction(c)
	case *memory.Expiry:
		return s.adaptExpiry(g, t, c)
	}
	return nil, nil
}

// rewriteEntry gives a record another payload, under the same salt.
func rewriteEntry(e *board.Entry, d document) error {
	body, err := d.AppendJSON(e.Body[:record.SaltSize:record.SaltSize])
	if err != nil {
		return err
	}
	e.Body, e.Header.Commitment = body, record.Commit(body)
	e.Record = index.Record{Header: e.Header, Payload: body[record.SaltSize:]}
	return apply.DecodePayload(&e.Record)
}

// adaptVersion gives a version of a record the next number.
func adaptVersion(g *board.Group, t *ledger.Tenant, e *board.Entry) error {
	id, _ := e.Record.Body.Identity()
	head, found, err := catalog.HeadOf(g.Tx(), t.Number, e.Header.Kind, catalog.ThingOf(t.Name, e.Header.Kind, id))
	if err != nil {
		return err
	}
	version := uint64(1)
	if found {
		version = uint64(head.Version) + 1
	}
	e.Header.ID = record.ID(t.Name, e.Header.Kind, id+"#"+strconv.FormatUint(version, 10))
	return nil
}

// adaptKey removes the key of a memory if another one still has it, whose end is
// lost.
func adaptKey(g *board.Group, t *ledger.Tenant, m *memory.Memory) (document, error) {
	if m.Key == "" {
		return nil, nil
	}
	holder, held, err := catalog.Holder(g.Tx(), t.Number, record.Memory, m.Key)
	if err != nil || !held || holder == catalog.ThingOf(t.Name, record.Memory, m.ID) {
		return nil, err
	}
	other, found, err := catalog.HeadOf(g.Tx(), t.Number, record.Memory, holder)
	if err != nil || !found || other.State != catalog.Live {
		return nil, err
	}
	bare := *m
	bare.Key = ""
	return &bare, nil
}

// adaptTombstone makes a tombstone name the existing version.
func adaptTombstone(g *board.Group, t *ledger.Tenant, c *memory.Tombstone) (document, error) {
	head, found, err := catalog.HeadOf(g.Tx(), t.Number, c.Target, catalog.ThingOf(t.Name, c.Target, c.ID))
	if err != nil || !found || uint64(head.Version) == c.Version {
		return nil, err
	}
	here := *c
	here.Version = uint64(head.Version)
	return &here, nil
}

// adaptTransition makes a change of status begin at the artifact's current status,
// if that is allowed.
func adaptTransition(g *board.Group, t *ledger.Tenant, c *memory.Transition) (document, error) {
	head, found, err := catalog.HeadOf(g.Tx(), t.Number, record.Artifact, catalog.ThingOf(t.Name, record.Artifact, c.ArtifactID))
	if err != nil || !found || head.Status == string(c.From) {
		return nil, err
	}
	here := *c
	here.From = hmx.Status(head.Status)
	if here.Validate() != nil {
		return nil, nil
	}
	return &here, nil
}

// adaptRedaction keeps the targets of a redaction that exist here.
func (s *salvaged) adaptRedaction(c *memory.Redaction) (document, error) {
	here := memory.Redaction{}
	changed, keyed := false, false
	for _, target := range c.Targets {
		at, ok := s.moves.to(target.Position)
		changed = changed || !ok || at != target.Position
		if ok {
			target.Position = at
			here.Targets = append(here.Targets, target)
			keyed = keyed || target.Content != record.Hash{}
		}
	}
	if keyed {
		here.Key = c.Key
	}
	switch {
	case len(here.Targets) == 0:
		return nil, misfitf("targets: what it erased is lost")
	case !changed:
		return nil, nil
	}
	return &here, nil
}

// adaptExpiry keeps the targets of an expiry that exist here: events, and the
// current content of records.
func (s *salvaged) adaptExpiry(g *board.Group, t *ledger.Tenant, c *memory.Expiry) (document, error) {
	here := memory.Expiry{Cause: c.Cause, Policy: c.Policy}
	changed := false
	for _, target := range c.Targets {
		at, ok := s.moves.to(target.Position)
		if ok && target.Kind != record.Event {
			var err error
			if ok, err = currentAt(g, t, target.Kind, at); err != nil {
				return nil, err
			}
		}
		changed = changed || !ok || at != target.Position
		if ok {
			target.Position = at
			here.Targets = append(here.Targets, target)
		}
	}
	switch {
	case len(here.Targets) == 0:
		return nil, misfitf("targets: what was over is lost")
	case !changed:
		return nil, nil
	}
	return &here, nil
}

// currentAt reports whether a position holds the content of a live record.
func currentAt(g *board.Group, t *ledger.Tenant, kind record.Kind, position uint64) (bool, error) {
	payload, erased, err := g.PayloadAt(t, position)
	if err != nil || erased {
		return false, err
	}
	body, err := memory.Decode(kind, payload)
	if err != nil {
		return false, err
	}
	id, _ := body.Identity()
	head, found, err := catalog.HeadOf(g.Tx(), t.Number, kind, catalog.ThingOf(t.Name, kind, id))
	return found && err == nil && head.State == catalog.Live && head.Position == position, err
}

// moves maps old positions to new ones. It takes memory per gap, not per record.
type moves []move

// move is a run of positions that are consecutive before and after.
type move struct{ from, to, n uint64 }

// add maps an old position to a new one. Both grow from call to call.
func (m *moves) add(from, to uint64) {
	if n := len(*m); n > 0 {
		if last := &(*m)[n-1]; last.from+last.n == from && last.to+last.n == to {
			last.n++
			return
		}
	}
	*m = append(*m, move{from, to, 1})
}

// to returns the new position of a record, if it has one.
func (m moves) to(from uint64) (uint64, bool) {
	i := sort.Search(len(m), func(i int) bool { return m[i].from > from }) - 1
	if i < 0 || from-m[i].from >= m[i].n {
		return 0, false
	}
	return m[i].to + from - m[i].from, true
}
