package lukasa

import (
	"context"
	"io"
	"time"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Tenant is a handle on a tenant of a board, with a writer.
type Tenant struct {
	engine *engine.Board
	name   string
	writer Writer // with the scope, if there is one
	scope  string // a token, or empty for none; see [Tenant.Scoped]
}

// Name returns the tenant's name.
func (t *Tenant) Name() string { return t.name }

// URI returns the URI of a record of this tenant.
func (t *Tenant) URI(kind Kind, id string) URI {
	return URI{Tenant: t.name, Kind: kind, ID: id}
}

// AsSystem returns the same tenant with the permission of a key, see [Board.AsSystem].
func (t *Tenant) AsSystem(k board.SystemKey) *Tenant {
	s := *t
	s.engine = t.engine.AsSystem(k)
	return &s
}

// Remember writes a memory: a new one, or the next version of the one with the same id, or with
// the same key if it has no id. Writing the same content again changes nothing.
func (t *Tenant) Remember(ctx context.Context, m *Memory) (*PutResult, error) {
	return t.Put(ctx, m, AnyVersion())
}

// Put writes a version of a record: a memory, an edge, an entity, a relation, a conflict, a
// policy, an artifact or feedback. With an expected version it is refused if another write came
// first.
func (t *Tenant) Put(ctx context.Context, body Body, expect Expect) (*PutResult, error) {
	return t.engine.Put(ctx, t.writer, t.name, body, expect)
}

// Recall returns the live memory with a key. It does not find a forgotten or expired one;
// [Tenant.Get] returns it.
func (t *Tenant) Recall(ctx context.Context, key string) (*Thing, error) {
	thing, err := t.Get(ctx, Ref{Kind: MemoryKind, Key: key}, View{Now: t.engine.Now()})
	if err != nil {
		return nil, err
	}
	if thing.State != Live {
		return nil, fault.Newf(fault.NotFound, "%s is %s: %s", thing.URI, thing.State, thing.Note).
			WithFix("Get and History show it, Restore brings it back")
	}
	return thing, nil
}

// Get returns a record, at a version if the reference names one. A forgotten or expired record
// is returned with its state; an erased one is an error.
func (t *Tenant) Get(ctx context.Context, ref Ref, v View) (*Thing, error) {
	ref, err := t.own(ref)
	if err != nil {
		return nil, err
	}
	return t.engine.Get(ctx, ref, t.view(v))
}

// own fills in this tenant and the kind memory, and refuses a reference to another tenant.
func (t *Tenant) own(ref Ref) (Ref, error) {
	if ref.Kind == 0 {
		ref.Kind = MemoryKind
	}
	u, err := t.ownURI(URI{Tenant: ref.Tenant, Kind: ref.Kind, ID: ref.ID})
	ref.Tenant = u.Tenant
	return ref, err
}

// List returns records, newest first, a page at a time.
func (t *Tenant) List(ctx context.Context, o ListOptions) (*Page, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.List(ctx, o)
}

// History returns every version of a record, oldest first.
func (t *Tenant) History(ctx context.Context, ref Ref, v View) (URI, []Change, error) {
	ref, err := t.own(ref)
	if err != nil {
		return URI{}, nil, err
	}
	return t.engine.History(ctx, ref, t.view(v))
}

// Versions returns the versions of a record, oldest first, a page at a time.
func (t *Tenant) Versions(ctx context.Context, o VersionsOptions) (*VersionsPage, error) {
	var err error
	if o.Ref, err = t.own(o.Ref); err != nil {
		return nil, err
	}
	o.View = t.view(o.View)
	return t.engine.Versions(ctx, o)
}

// Restore writes the content of an earlier version as the newest one. Without a version, it
// restores a forgotten record.
func (t *Tenant) Restore(ctx context.Context, ref Ref, expect Expect) (*PutResult, error) {
	ref, err := t.own(ref)
	if err != nil {
		return nil, err
	}
	return t.engine.Restore(ctx, t.writer, ref, expect)
}

// Forget writes a tombstone for a record. Its history stays.
func (t *Tenant) Forget(ctx context.Context, ref Ref, reason string, expect Expect) (*PutResult, error) {
	ref, err := t.own(ref)
	if err != nil {
		return nil, err
	}
	return t.engine.Forget(ctx, t.writer, ref, reason, expect)
}

// Redact permanently erases records and events, with their whole history, and returns signed
// receipts.
func (t *Tenant) Redact(ctx context.Context, uris ...URI) (*Erasure, error) {
	own := make([]memory.URI, len(uris))
	for i, u := range uris {
		var err error
		if own[i], err = t.ownURI(u); err != nil {
			return nil, err
		}
	}
	return t.engine.Redact(ctx, t.writer, own)
}

// ownURI fills in this tenant, and refuses a URI of another.
func (t *Tenant) ownURI(u URI) (URI, error) {
	if u.Tenant == "" {
		u.Tenant = t.name
	}
	if u.Tenant != t.name {
		return u, fault.Newf(fault.InvalidArgument, "uri: %s belongs to another tenant than %q", u, t.name).
			WithFix("name a thing of this tenant, or use the other tenant's handle")
	}
	return u, nil
}

// Receipt returns the signed receipt of the redaction at a position.
func (t *Tenant) Receipt(ctx context.Context, redaction uint64) (Signed, error) {
	if err := t.unscoped(ctx, "receipt"); err != nil {
		return Signed{}, err
	}
	return t.engine.Receipt(ctx, t.name, redaction)
}

// Expire journals the end of everything that has expired at now.
func (t *Tenant) Expire(ctx context.Context, now time.Time) (*Expired, error) {
	return t.engine.Expire(ctx, t.writer, t.name, now)
}

// Transition changes the status of an artifact, by the rules of HMX-A.
func (t *Tenant) Transition(ctx context.Context, artifactID string, to Status, supersededBy, reason string) (*PutResult, error) {
	ref := Ref{Tenant: t.name, Kind: record.Artifact, ID: artifactID}
	return t.engine.Transition(ctx, t.writer, ref, to, supersededBy, reason, AnyVersion())
}

// Referrers returns what refers to a record or an event: edges, relations, conflicts, feedback,
// and records derived from it.
func (t *Tenant) Referrers(ctx context.Context, u URI, v View) ([]*Thing, error) {
	u, err := t.ownURI(u)
	if err != nil {
		return nil, err
	}
	return t.engine.Referrers(ctx, u, t.view(v))
}

// Named returns the live records of a kind with a name, ignoring case: an entity by its name or
// an alias.
func (t *Tenant) Named(ctx context.Context, kind Kind, name string, v View) ([]*Thing, error) {
	return t.engine.Named(ctx, t.name, kind, name, t.view(v))
}

// Resolve returns what a URI names.
func (t *Tenant) Resolve(ctx context.Context, u URI, v View) (*Resolved, error) {
	u, err := t.ownURI(u)
	if err != nil {
		return nil, err
	}
	return t.engine.Resolve(ctx, u, t.view(v))
}

// URIAt returns the URI of the record at a position: of an event, or of a versioned record
// without its version.
func (t *Tenant) URIAt(ctx context.Context, position uint64, v View) (URI, error) {
	return t.engine.URIAt(ctx, t.name, position, t.view(v))
}

// Event returns an event by its id.
func (t *Tenant) Event(ctx context.Context, id string) (*StoredEvent, error) {
	return t.engine.Event(ctx, t.name, id, t.view(View{}))
}

// EventsOf returns events by their ids, in the order of the ids, from one snapshot. Missing,
// erased and invisible events are nil.
func (t *Tenant) EventsOf(ctx context.Context, ids []string) ([]*StoredEvent, error) {
	return t.engine.EventsOf(ctx, t.name, ids, t.view(View{}))
}

// Events returns the events of a session, an agent, a trace or a correlation,
// or the children of an event, in order, a page at a time.
func (t *Tenant) Events(ctx context.Context, q EventQuery) (*EventPage, error) {
	q.Tenant, q.View = t.name, t.view(q.View)
	return t.engine.Events(ctx, q)
}

// Ancestors returns the chain of parents of an event, nearest first.
func (t *Tenant) Ancestors(ctx context.Context, id string) ([]*StoredEvent, error) {
	return t.engine.Ancestors(ctx, t.name, id, t.view(View{}))
}

// Sessions returns the sessions of the tenant, ordered by id.
func (t *Tenant) Sessions(ctx context.Context) ([]SessionInfo, error) {
	return t.engine.Sessions(ctx, t.name, t.view(View{}))
}

// Agents returns the agents of the tenant, ordered by id.
func (t *Tenant) Agents(ctx context.Context) ([]SessionInfo, error) {
	return t.engine.Agents(ctx, t.name, t.view(View{}))
}

// Root returns the current state of the tenant.
func (t *Tenant) Root(ctx context.Context) (Root, error) {
	if t.scope != "" {
		if _, err := t.engine.CheckScope(ctx, t.name, t.scope); err != nil {
			return Root{}, err
		}
	}
	return t.engine.Root(ctx, t.name)
}

// Checkpoint returns the current state of the tenant, signed.
func (t *Tenant) Checkpoint(ctx context.Context) (Signed, error) {
	if err := t.unscoped(ctx, "checkpoint"); err != nil {
		return Signed{}, err
	}
	return t.engine.Checkpoint(ctx, t.name)
}

// VerifierKey returns the key that verifies the tenant's checkpoints, proofs and receipts.
func (t *Tenant) VerifierKey() string { return t.engine.VerifierKey(t.name) }

// FormerKeys returns the keys that verify what was signed before the current key was made,
// oldest first.
func (t *Tenant) FormerKeys() []string { return t.engine.FormerKeys(t.name) }

// Prove returns a proof that a record is in the tenant's tree.
func (t *Tenant) Prove(ctx context.Context, o ProveOptions) (*Proof, error) {
	if err := t.unscoped(ctx, "prove"); err != nil {
		return nil, err
	}
	return t.engine.Prove(ctx, t.name, o)
}

// ProveConsistency returns a proof that the tree of size to extends that of size from. Zero for
// to means the current tree.
func (t *Tenant) ProveConsistency(ctx context.Context, from, to uint64) (*ConsistencyProof, error) {
	if err := t.unscoped(ctx, "prove"); err != nil {
		return nil, err
	}
	return t.engine.ProveConsistency(ctx, t.name, from, to)
}

// Export writes all records of the tenant as lines of JSON, from which its root can be computed
// again.
func (t *Tenant) Export(ctx context.Context, dst io.Writer, tell func(done, total uint64)) (Root, error) {
	if err := t.unscoped(ctx, "export"); err != nil {
		return Root{}, err
	}
	return t.engine.Export(ctx, t.name, dst, tell)
}

// Salvage writes what can still be read of the tenant in a damaged directory, as lines of JSON
// under a head that says what is missing. [Board.Import] imports them, as a tenant with a root
// of its own.
func (t *Tenant) Salvage(ctx context.Context, dst io.Writer, tell func(done, total uint64)) (*Salvaged, error) {
	if err := t.unscoped(ctx, "salvage"); err != nil {
		return nil, err
	}
	return t.engine.Salvage(ctx, t.name, dst, tell)
}
