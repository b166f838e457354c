package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// fits refuses a record that this board would not have written next. The content of
// erased records is unknown, so nothing is concluded from their absence.
func fits(g *board.Group, t *ledger.Tenant, e *board.Entry) error {
	err := fitsState(g, t, e)
	if bad, ok := errors.AsType[misfit](err); ok {
		return badLine(e.Header.Position+1, bad.Error())
	}
	return err
}

// misfit is a rule that an imported record breaks.
type misfit string

// Error returns the rule.
func (m misfit) Error() string { return string(m) }

func misfitf(format string, args ...any) error { return misfit(fmt.Sprintf(format, args...)) }

func fitsState(g *board.Group, t *ledger.Tenant, e *board.Entry) error {
	h := &e.Header
	switch {
	case h.Position != t.Size:
		return fault.Newf(fault.IDConflict, "tenant %q has %d records, so position %d cannot follow", t.Name, t.Size, h.Position)
	case t.Size > 0 && h.Time < t.Time:
		return misfitf("time: it is before that of the record in front of it")
	}
	if before, taken, err := ledger.Find(g.Tx(), t.Number, &h.ID); err != nil {
		return err
	} else if taken {
		return misfitf("id: the record at position %d has the same id", before)
	}
	switch {
	case e.Record.Event != nil:
		if t.Key == nil {
			return nil
		}
		mac, ok := memory.EventMAC(t.Key, e.Record.Event)
		return fitsContent(g, t, mac, ok)
	case e.Record.Body != nil:
		return fitsBody(g, t, e)
	}
	switch c := e.Record.Control.(type) {
	case *memory.Tombstone:
		head, err := fitsChange(g, t, e, c.Target, c.ID)
		if err == nil && uint64(head.Version) != c.Version {
			err = misfitf("version: the %s is at version %d", c.Target, head.Version)
		}
		return err
	case *memory.Transition:
		return fitsTransition(g, t, e, c)
	case *memory.Redaction, *memory.Expiry:
		return fitsTargets(g, t, e)
	}
	return nil
}

// fitsContent refuses content that was erased.
func fitsContent(g *board.Group, t *ledger.Tenant, mac record.Hash, ok bool) error {
	if !ok {
		return nil
	}
	by, gone, err := ledger.ErasedContent(g.Tx(), t.Number, mac[:])
	if err == nil && gone {
		err = misfitf("payload: content equal to this was erased by the redaction at position %d", by)
	}
	return err
}

// fitsBody is fits for a version of a record.
func fitsBody(g *board.Group, t *ledger.Tenant, e *board.Entry) error {
	id, key := e.Record.Body.Identity()
	kind := e.Header.Kind
	thing := catalog.ThingOf(t.Name, kind, id)
	head, found, err := catalog.HeadOf(g.Tx(), t.Number, kind, thing)
	if err != nil {
		return err
	}
	version := uint64(1)
	if found {
		if head.State == catalog.Redacted {
			return misfitf("payload: this %s was erased by the redaction at position %d", kind, head.Position)
		}
		if board.Immutable(kind) {
			return misfitf("payload: this %s is there already, and a %s never changes", kind, kind)
		}
		version = uint64(head.Version) + 1
	}
	if e.Header.ID != record.ID(t.Name, kind, id+"#"+strconv.FormatUint(version, 10)) {
		return misfitf("id: it is not the digest of version %d of this %s, which comes next", version, kind)
	}
	switch x := e.Record.Body.(type) {
	case *memory.Embedding:
		err = fitsMade(g, t, x.Target, x.Position)
	case *memory.Refinement:
		err = fitsMade(g, t, x.Target, x.Position)
	}
	if err != nil {
		return err
	}
	if key != "" {
		holder, held, err := catalog.Holder(g.Tx(), t.Number, kind, key)
		if err != nil {
			return err
		}
		if held && holder != thing {
			other, _, err := catalog.HeadOf(g.Tx(), t.Number, kind, holder)
			if err != nil {
				return err
			}
			if other != nil && other.State == catalog.Live {
				return misfitf("key: it belongs to another %s", kind)
			}
		}
	}
	if t.Key == nil {
		return nil
	}
	mac, ok := memory.BodyMAC(t.Key, e.Record.Body)
	return fitsContent(g, t, mac, ok)
}

// fitsMade refuses what a model derived from anything but an existing event or the
// content of a live record.
func fitsMade(g *board.Group, t *ledger.Tenant, target memory.URI, at uint64) error {
	if target.Kind == record.Event {
		id := record.ID(t.Name, record.Event, target.ID)
		position, found, err := ledger.Find(g.Tx(), t.Number, &id)
		if err != nil {
			return err
		}
		if !found || position != at {
			return misfitf("target: position %d is not that event", at)
		}
		by, gone, err := ledger.Erased(g.Tx(), t.Number, position)
		if err == nil && gone {
			err = misfitf("target: that event was erased at position %d", by)
		}
		return err
	}
	head, found, err := catalog.HeadOf(g.Tx(), t.Number, target.Kind, catalog.ThingOf(t.Name, target.Kind, target.ID))
	if err == nil && (!found || head.State != catalog.Live || head.Position != at) {
		err = misfitf("target: position %d is not what that %s says, and live", at, target.Kind)
	}
	return err
}

// fitsChange is fits for a control about one record, which must exist.
func fitsChange(g *board.Group, t *ledger.Tenant, e *board.Entry, kind record.Kind, id string) (*catalog.Head, error) {
	head, found, err := catalog.HeadOf(g.Tx(), t.Number, kind, catalog.ThingOf(t.Name, kind, id))
	switch {
	case err != nil:
		return nil, err
	case !found || head.State != catalog.Live:
		return nil, misfitf("payload: the %s that it is about is not there", kind)
	case e.Header.Trust < head.Trust:
		return nil, misfitf("trust: the %s that it is about has tier %s", kind, head.Trust)
	}
	return head, nil
}

// fitsTransition is fits for a change of status.
func fitsTransition(g *board.Group, t *ledger.Tenant, e *board.Entry, c *memory.Transition) error {
	head, err := fitsChange(g, t, e, record.Artifact, c.ArtifactID)
	if err != nil {
		return err
	}
	if head.Status != string(c.From) {
		return misfitf("from: the artifact's status is %s", head.Status)
	}
	if c.SupersededBy == "" {
		return nil
	}
	next, found, err := catalog.HeadOf(g.Tx(), t.Number, record.Artifact, catalog.ThingOf(t.Name, record.Artifact, c.SupersededBy))
	if err == nil && found && next.State != catalog.Live {
		err = misfitf("superseded_by: that artifact is %s", next.State)
	}
	return err
}

// fitsTargets is fits for a record that removes others.
func fitsTargets(g *board.Group, t *ledger.Tenant, e *board.Entry) error {
	r := e.Record
	if err := g.Board().Applier().Load(g.Tx(), &r); err != nil {
		if bad, ok := errors.AsType[*apply.BadTarget](err); ok {
			return misfit(bad.Error())
		}
		return err
	}
	if red, ok := r.Control.(*memory.Redaction); ok && t.Key != nil && red.Key != nil && !bytes.Equal(t.Key, red.Key) {
		return misfitf("key: it is not the one of this tenant's redactions")
	}
	targets, err := apply.Targets(&r)
	if err != nil {
		return err
	}
	named := make(map[uint64]bool, len(targets))
	for _, target := range targets {
		named[target.Position] = true
	}
	things := make(map[record.Hash]bool)
	for i, target := range targets {
		by, gone, err := ledger.Erased(g.Tx(), t.Number, target.Position)
		switch {
		case err != nil:
			return err
		case gone:
			return misfitf("targets[%d]: position %d was erased at position %d", i, target.Position, by)
		case target.Kind == record.Event:
			continue
		case e.Header.Kind == record.Expiry:
			err = fitsExpiry(g, t, &r.Targets[i], i)
		default:
			err = fitsRedaction(g, t, target, &r.Targets[i], i, named, things)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fitsExpiry refuses the expiry of anything but the content of a live record.
func fitsExpiry(g *board.Group, t *ledger.Tenant, target *index.Record, i int) error {
	if target.Body == nil {
		return nil
	}
	id, _ := target.Body.Identity()
	head, found, err := catalog.HeadOf(g.Tx(), t.Number, target.Header.Kind, catalog.ThingOf(t.Name, target.Header.Kind, id))
	if err == nil && (!found || head.State != catalog.Live || head.Position != target.Header.Position) {
		err = misfitf("targets[%d]: position %d is not what a live %s says", i, target.Header.Position, target.Header.Kind)
	}
	return err
}

// fitsRedaction refuses a redaction of another record than it names, of a part of one,
// and of a redacted one.
func fitsRedaction(g *board.Group, t *ledger.Tenant, target apply.Target, r *index.Record, i int, named map[uint64]bool, things map[record.Hash]bool) error {
	kind, id := target.Kind, ""
	switch c := r.Control.(type) {
	case *memory.Tombstone:
		kind, id = c.Target, c.ID
	case *memory.Transition:
		id = c.ArtifactID
	}
	if r.Body != nil {
		id, _ = r.Body.Identity()
	}
	if kind != target.Kind || id != "" && record.ID(t.Name, kind, id) != target.ID {
		return misfitf("targets[%d]: position %d is not about the %s that is named", i, target.Position, target.Kind)
	}
	if things[target.ID] {
		return nil
	}
	things[target.ID] = true
	thing := catalog.Thing(target.ID[:16])
	head, found, err := catalog.HeadOf(g.Tx(), t.Number, kind, thing)
	if err != nil || !found {
		return err
	}
	if head.State == catalog.Redacted {
		return misfitf("targets[%d]: the %s was erased by the redaction at position %d", i, kind, head.Position)
	}
	entries, err := catalog.Entries(g.Tx(), t.Number, kind, thing)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Op != catalog.Expiry && !named[e.Position] {
			return misfitf("targets[%d]: of the same %s, position %d is not named", i, kind, e.Position)
		}
	}
	return nil
}
