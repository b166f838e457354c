package apply

import (
	"fmt"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// BadTarget says that a redaction or an expiry names a record that it cannot
// remove. No such record is ever written.
type BadTarget struct {
	Index    int    // among the targets
	Position uint64 // the position it names
	Rule     string // the rule it breaks
}

// Error names the target and the rule.
func (e *BadTarget) Error() string {
	return fmt.Sprintf("targets[%d]: position %d %s", e.Index, e.Position, e.Rule)
}

// Target is a record that a redaction or an expiry removes.
type Target struct {
	Kind     record.Kind // of the versioned record or event
	Position uint64
	ID       record.Hash // of the versioned record or event; only a redaction has it
	Erases   bool        // its payload is erased
}

// Targets returns the records that a record removes. Every position is below
// the record's own, and none occurs twice; else the error is a [*BadTarget].
func Targets(r *index.Record) ([]Target, error) {
	var list []Target
	switch c := r.Control.(type) {
	case *memory.Redaction:
		for _, t := range c.Targets {
			list = append(list, Target{Kind: t.Kind, Position: t.Position, ID: t.ID, Erases: true})
		}
	case *memory.Expiry:
		for _, t := range c.Targets {
			// An expired versioned record keeps its history.
			list = append(list, Target{Kind: t.Kind, Position: t.Position, Erases: t.Kind == record.Event})
		}
	}
	seen := make(map[uint64]bool, len(list))
	for i, t := range list {
		switch {
		case t.Position >= r.Header.Position:
			return nil, &BadTarget{i, t.Position, fmt.Sprintf("is not before the record itself, which has position %d", r.Header.Position)}
		case seen[t.Position]:
			return nil, &BadTarget{i, t.Position, "is named twice"}
		}
		seen[t.Position] = true
	}
	return list, nil
}

// Fits reports whether the record with that kind and id can be the target of a
// redaction or an expiry; by is the kind of the removing record. It does not
// depend on the payload, so that an erasure does not change the result.
func (t Target) Fits(by, kind record.Kind, id record.Hash) bool {
	if kind == record.Event && by == record.Redaction && t.ID != id {
		return false
	}
	if kind == t.Kind {
		return true
	}
	// A versioned record is redacted with everything recorded about it.
	return by == record.Redaction && (kind == record.Tombstone && t.Kind != record.Event || kind == record.Transition && t.Kind == record.Artifact)
}

// Load fills in the targets of a redaction or an expiry, in its order and as
// far as they can still be read. The targets must be durable. A target that
// cannot be removed is damage that wraps a [*BadTarget].
func (a *Applier) Load(tx kv.Reader, r *index.Record) error {
	r.Targets = nil
	targets, err := Targets(r)
	if err != nil {
		return badRecord(r, err)
	}
	if len(targets) == 0 {
		return nil
	}
	t, ok, err := ledger.Lookup(tx, r.Header.Tenant)
	if err != nil {
		return err
	}
	if !ok {
		return badRecord(r, &BadTarget{0, targets[0].Position, "is of a tenant without records"})
	}
	for i, target := range targets {
		place, ok, err := ledger.At(tx, t.Number, target.Position)
		if err != nil {
			return err
		}
		if !ok {
			return badRecord(r, &BadTarget{i, target.Position, "is not in the ledger"})
		}
		found, err := a.read(place.LSN)
		if err != nil {
			return err
		}
		if !target.Fits(r.Header.Kind, found.Header.Kind, found.Header.ID) {
			return badRecord(r, &BadTarget{i, target.Position, fmt.Sprintf("is another %s than the %s that is named", found.Header.Kind, target.Kind)})
		}
		found.Tenant = t.Number
		// A versioned record is redacted by its id; for events the folds need
		// the decoded content. No fold needs the payload bytes.
		found.Payload = nil
		if r.Header.Kind == record.Redaction {
			found.Body = nil
		}
		r.Targets = append(r.Targets, found)
	}
	return nil
}

func badRecord(r *index.Record, err error) error {
	return fault.Newf(fault.Damaged, "tenant %q: the %s at position %d: %w", r.Header.Tenant, r.Header.Kind, r.Header.Position, err)
}
