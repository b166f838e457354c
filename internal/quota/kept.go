package quota

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/registry"
)

// Registry collections.
const (
	limitsCollection = "quota"
	weightCollection = "weight"
)

// TenantLimits are the limits of one tenant.
type TenantLimits struct {
	Tenant string `json:"tenant"`
	Limits
}

// weight is how many bytes of a tenant are recorded, as far as they were counted.
type weight struct {
	Tenant string `json:"tenant"`
	Bytes  int64  `json:"bytes"`
	To     uint64 `json:"to"` // the first position not counted
	later  int64  // bytes sent since
}

// Attach makes the book read limits from a board, store new ones there, and check the recorded
// size of tenants.
func (b *Book) Attach(ctx context.Context, board *lukasa.Board) error {
	r := registry.New(board)
	documents, err := r.All(ctx, limitsCollection)
	if err != nil {
		return err
	}
	weights, err := r.All(ctx, weightCollection)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.board, b.registry = board, r
	for _, d := range documents {
		var l TenantLimits
		if err := json.Unmarshal(d.Content, &l); err != nil {
			return fault.Newf(fault.Damaged, "limits %q cannot be read: %w", d.Name, err)
		}
		if !d.Dropped {
			b.own[l.Tenant] = l.Limits
		}
	}
	for _, d := range weights {
		w := &weight{}
		if err := json.Unmarshal(d.Content, w); err != nil {
			return fault.Newf(fault.Damaged, "weight %q cannot be read: %w", d.Name, err)
		}
		w.later = -1 // unknown until requested
		b.weights[w.Tenant] = w
	}
	return nil
}

// documentOf is the document name of a tenant. Tenants may have any name, so it is a hash.
func documentOf(tenant string) string {
	sum := sha256.Sum256([]byte(tenant))
	return hex.EncodeToString(sum[:16])
}

// Set gives a tenant its own limits, immediately and permanently, or removes them if they are
// zero. by is the actor.
func (b *Book) Set(ctx context.Context, by, tenant string, l Limits) error {
	if err := memory.CheckTenant(tenant); err != nil {
		return err
	}
	if err := l.check(); err != nil {
		return err
	}
	if b.registry != nil {
		if err := b.keep(ctx, by, tenant, l); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.buckets, tenant) // its balance is by the former limits
	if l == (Limits{}) {
		delete(b.own, tenant)
	} else {
		b.own[tenant] = l
	}
	return nil
}

// keep stores the limits of a tenant.
func (b *Book) keep(ctx context.Context, by, tenant string, l Limits) error {
	name := documentOf(tenant)
	if l == (Limits{}) {
		err := b.registry.Drop(ctx, by, limitsCollection, name, "back to the defaults")
		if notFound(err) {
			return nil
		}
		return err
	}
	return b.registry.Put(ctx, by, limitsCollection, name, "Limits of the tenant "+tenant+".", TenantLimits{tenant, l}, false)
}

// weightOf returns how many bytes of a tenant are recorded. The count is stored, so that after
// a restart only newer records are read.
func (b *Book) weightOf(ctx context.Context, tenant string) (int64, error) {
	b.mu.Lock()
	w := b.weights[tenant]
	if w != nil && w.later >= 0 {
		defer b.mu.Unlock()
		return w.Bytes + w.later, nil
	}
	b.mu.Unlock()
	next := weight{Tenant: tenant}
	if w != nil {
		next.Bytes, next.To = w.Bytes, w.To
	}
	more, to, err := b.board.Weight(ctx, tenant, next.To)
	if notFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	next.Bytes, next.To = next.Bytes+more, to
	if err := b.registry.Put(ctx, "quota", weightCollection, documentOf(tenant), "Bytes of the tenant "+tenant+".", next, false); err != nil {
		return 0, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.weights[tenant] = &next
	return next.Bytes, nil
}

// forgetLater makes what a tenant sent since the last count be counted again from the records:
// duplicates and refused events are not recorded. It reports whether there is any.
func (b *Book) forgetLater(tenant string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.weights[tenant]
	if w == nil || w.later <= 0 {
		return false
	}
	w.later = -1
	return true
}

// weigh adds what a tenant sent to its recorded size, if that is tracked.
func (b *Book) weigh(tenant string, size int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if w := b.weights[tenant]; w != nil && w.later >= 0 {
		w.later += size
	}
}
