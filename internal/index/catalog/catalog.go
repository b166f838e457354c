// Package catalog is the index of versioned records: memories, edges, entities,
// relations, conflicts, policies, artifacts and feedback. It reads their facets and
// does not depend on their types.
//
// # Tables
//
//	h  tenant, kind, id                    → head: the current state
//	v  tenant, kind, id, version           → entry: what happened at that version
//	k  tenant, kind, key, state, created, id → nothing: holders of a key, and those that held it when they ended
//	a  tenant, kind, state, created, id    → nothing: all records, by age
//	c  tenant, kind, class, created, id    → nothing: live records, by class
//	g  tenant, kind, tag, created, id      → nothing: live records, by tag
//	p  tenant, kind, prefix, created, id   → nothing: live records, by each whole-segment prefix of the key
//	w  tenant, kind, agent, created, id    → nothing: live records, by writer and by the agent they are about
//	s  tenant, kind, session, created, id  → nothing: live records, by session
//	n  tenant, kind, name, id              → nothing: live records, by name
//	l  tenant, target, kind, id, relation  → relation: live records that refer to the target
//	x  tenant, end of life, kind, id       → nothing: live records that will expire
//	u  tenant, time, kind, id              → nothing: live records whose validity begins or ends then
//
// # What is guaranteed
//
// Versions of a record count from 1 without gaps. Every record about it is a version:
// a put, a tombstone, an expiry, a change of status. The head is the newest. After a
// redaction, only the digest of the record and the time of the redaction are left.
//
// # What is not
//
// Texts are not here: an entry names the position of its record. Whether a write is
// allowed is decided before it is recorded.
package catalog

import (
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"strings"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Prefix is the first byte of the catalogue's keys.
const Prefix = 'C'

// format 2 has the tables p, w and s; format 3 has MaxEvidence; format 4 has the table u.
const format = 4

// MaxEvidence is how many of an artifact's source events are in the catalogue, the
// first ones: there may be thousands, and every check whether the artifact is active
// reads the head. The artifact itself names all.
const MaxEvidence = 16

const (
	tableHead    = 'h'
	tableVersion = 'v'
	tableKey     = 'k'
	tableAll     = 'a'
	tableClass   = 'c'
	tableTag     = 'g'
	tablePrefix  = 'p'
	tableAgent   = 'w'
	tableSession = 's'
	tableName    = 'n'
	tableLink    = 'l'
	tableExpiry  = 'x'
	tableValid   = 'u'
)

// State is the state of a versioned record.
type State string

// The states of a versioned record.
const (
	Live      State = "live"
	Forgotten State = "forgotten" // by a tombstone
	Expired   State = "expired"   // by its own time, or by a policy
	Redacted  State = "redacted"  // for good
)

// Op is what happened at a version.
type Op string

// The operations.
const (
	Put        Op = "put"
	Tombstone  Op = "tombstone"
	Expiry     Op = "expiry"
	Transition Op = "transition"
)

// Entry is what happened to a record at one version.
type Entry struct {
	Version  uint32       `json:"version"`
	Op       Op           `json:"op"`
	Position uint64       `json:"position"`
	Time     int64        `json:"time"`
	Actor    string       `json:"actor"`
	Trust    record.Trust `json:"trust"`
	// Note is a tombstone's reason, an expiry's cause, or the status that a
	// transition led to.
	Note string `json:"note,omitempty"`
}

// Head is the current state of a record.
type Head struct {
	Kind  record.Kind `json:"kind"`
	ID    string      `json:"id,omitempty"`
	Key   string      `json:"key,omitempty"`
	State State       `json:"state"`
	// Version is the newest, Content the one that holds the text, which is recorded at
	// Position.
	Version  uint32       `json:"version"`
	Content  uint32       `json:"content"`
	Position uint64       `json:"position"`
	Created  int64        `json:"created"`
	Updated  int64        `json:"updated"`
	Actor    string       `json:"actor,omitempty"` // who wrote the content
	Trust    record.Trust `json:"trust,omitempty"` // of the content
	Note     string       `json:"note,omitempty"`  // why it is forgotten or expired
	// Ended is the trust of the writer who forgot it or changed its status last, which
	// a less trusted one must not undo. It is zero once there is new content.
	Ended record.Trust `json:"ended,omitempty"`

	Class      string            `json:"class,omitempty"`
	Status     string            `json:"status,omitempty"`
	Pin        bool              `json:"pin,omitempty"`
	Tags       []string          `json:"tags,omitempty"`
	Frames     []string          `json:"frames,omitempty"`
	Names      []string          `json:"names,omitempty"`
	Links      []Link            `json:"links,omitempty"`
	ValidFrom  int64             `json:"valid_from"`
	ValidUntil int64             `json:"valid_until"`
	Expires    int64             `json:"expires"` // math.MaxInt64 for never
	Importance float64           `json:"importance"`
	Confidence float64           `json:"confidence"`
	Visibility memory.Visibility `json:"visibility,omitempty"`
	Scoped     bool              `json:"scoped,omitempty"` // a memory with a validity scope
	Agent      string            `json:"agent,omitempty"`
	Session    string            `json:"session,omitempty"`
}

// Link is a reference from a record to another.
type Link struct {
	Rel string `json:"rel"`
	To  string `json:"to"` // URI without a version
}

// Thing is the digest of a record's id, which identifies it in the tables.
type Thing = index.Digest

// ThingOf returns the digest of an id of a kind within a tenant. It is a prefix of the
// digest that a redaction names.
func ThingOf(tenant string, kind record.Kind, id string) Thing {
	sum := record.ID(tenant, kind, id)
	return Thing(sum[:16])
}

// Catalog is the fold. It keeps nothing in memory.
type Catalog struct{}

// New returns the fold.
func New() *Catalog { return &Catalog{} }

// Name is the fold's name.
func (c *Catalog) Name() string { return "catalog" }

// Prefix is the first byte of the fold's keys.
func (c *Catalog) Prefix() byte { return Prefix }

// Format is the number of the fold's layout.
func (c *Catalog) Format() uint32 { return format }

// Reset does nothing.
func (c *Catalog) Reset() {}

// Finish does nothing.
func (c *Catalog) Finish(*kv.Txn) error { return nil }

// Apply folds what a record says about versioned records.
func (c *Catalog) Apply(tx *kv.Txn, r *index.Record) error {
	if r.Body != nil {
		return c.put(tx, r)
	}
	switch control := r.Control.(type) {
	case *memory.Tombstone:
		thing := ThingOf(r.Header.Tenant, control.Target, control.ID)
		return c.end(tx, r, control.Target, thing, Forgotten, Tombstone, control.Reason)
	case *memory.Transition:
		return c.transition(tx, r, control)
	case *memory.Expiry:
		for i := range r.Targets {
			t := &r.Targets[i]
			if t.Body == nil {
				continue
			}
			id, _ := t.Body.Identity()
			thing := ThingOf(r.Header.Tenant, t.Header.Kind, id)
			if err := c.end(tx, r, t.Header.Kind, thing, Expired, Expiry, string(control.Cause)); err != nil {
				return err
			}
		}
	case *memory.Redaction:
		for _, t := range control.Targets {
			if t.Kind == record.Event {
				continue
			}
			if err := c.redact(tx, r, t.Kind, Thing(t.ID[:16])); err != nil {
				return err
			}
		}
	}
	return nil
}

// put folds a new version.
func (c *Catalog) put(tx *kv.Txn, r *index.Record) error {
	id, key := r.Body.Identity()
	kind := r.Header.Kind
	thing := ThingOf(r.Header.Tenant, kind, id)
	old, found, err := HeadOf(tx, r.Tenant, kind, thing)
	if err != nil {
		return err
	}
	h := headOf(r, id, key)
	if found {
		h.Version, h.Created = old.Version+1, old.Created
		if err := c.drop(tx, r.Tenant, thing, old); err != nil {
			return err
		}
	}
	h.Content = h.Version
	if err := c.hang(tx, r.Tenant, thing, h); err != nil {
		return err
	}
	return c.enter(tx, r, kind, thing, h.Version, Put, "")
}

// headOf returns the first head of a record.
func headOf(r *index.Record, id, key string) *Head {
	x := r.Body.Facets()
	h := &Head{
		Kind: r.Header.Kind, ID: strings.Clone(id), Key: strings.Clone(key), State: Live, Version: 1,
		Position: r.Header.Position, Created: r.Header.Time, Updated: r.Header.Time, Actor: r.Header.Actor, Trust: r.Header.Trust,
		Class: x.Class, Status: x.State, Pin: x.Pin, Tags: x.Tags, Names: x.Names,
		ValidFrom: x.ValidFrom, ValidUntil: x.ValidUntil, Expires: math.MaxInt64,
		Importance: x.Importance, Confidence: x.Confidence, Visibility: x.Visibility, Scoped: x.Scoped, Agent: x.Agent, Session: x.Session,
	}
	for _, f := range x.Frames {
		h.Frames = append(h.Frames, f.String())
	}
	evidence := 0
	for _, l := range x.Links {
		if r.Header.Kind == record.Artifact && l.Rel == "derived_from" {
			if evidence++; evidence > MaxEvidence {
				continue
			}
		}
		to := l.To
		if to.Tenant == "" {
			to.Tenant = r.Header.Tenant
		}
		to.Version = 0
		h.Links = append(h.Links, Link{l.Rel, to.String()})
	}
	if x.TTL > 0 && r.Header.Time <= math.MaxInt64-int64(x.TTL) {
		h.Expires = r.Header.Time + int64(x.TTL)
	}
	return h
}

// end folds a record that ends another. A record that the catalogue does not have was
// erased.
func (c *Catalog) end(tx *kv.Txn, r *index.Record, kind record.Kind, thing Thing, state State, op Op, note string) error {
	h, found, err := HeadOf(tx, r.Tenant, kind, thing)
	if err != nil || !found || h.State == Redacted {
		return err
	}
	if err := c.drop(tx, r.Tenant, thing, h); err != nil {
		return err
	}
	h.Version++
	h.State, h.Note, h.Updated = state, note, r.Header.Time
	if op == Tombstone {
		h.Ended = r.Header.Trust
	}
	if err := c.hang(tx, r.Tenant, thing, h); err != nil {
		return err
	}
	return c.enter(tx, r, kind, thing, h.Version, op, note)
}

// transition folds a change of an artifact's status.
func (c *Catalog) transition(tx *kv.Txn, r *index.Record, t *memory.Transition) error {
	thing := ThingOf(r.Header.Tenant, record.Artifact, t.ArtifactID)
	h, found, err := HeadOf(tx, r.Tenant, record.Artifact, thing)
	if err != nil || !found || h.State == Redacted {
		return err
	}
	if err := c.drop(tx, r.Tenant, thing, h); err != nil {
		return err
	}
	h.Version++
	h.Status, h.Updated, h.Ended = string(t.To), r.Header.Time, r.Header.Trust
	if t.SupersededBy != "" {
		to := memory.URI{Tenant: r.Header.Tenant, Kind: record.Artifact, ID: t.SupersededBy}
		h.Links = append(h.Links, Link{"superseded_by", to.String()})
	}
	if err := c.hang(tx, r.Tenant, thing, h); err != nil {
		return err
	}
	return c.enter(tx, r, record.Artifact, thing, h.Version, Transition, string(t.To))
}

// redact removes everything that the catalogue has of a record.
func (c *Catalog) redact(tx *kv.Txn, r *index.Record, kind record.Kind, thing Thing) error {
	h, found, err := HeadOf(tx, r.Tenant, kind, thing)
	if err != nil {
		return err
	}
	if found && h.State == Redacted {
		return nil // another of its versions was named before
	}
	if found {
		if err := c.drop(tx, r.Tenant, thing, h); err != nil {
			return err
		}
	}
	for v := uint32(1); found && v <= h.Version; v++ {
		if err := tx.Delete(versionKey(r.Tenant, kind, thing, v)); err != nil {
			return err
		}
	}
	left := &Head{Kind: kind, State: Redacted, Position: r.Header.Position, Created: r.Header.Time, Updated: r.Header.Time}
	return c.setHead(tx, r.Tenant, thing, left)
}

// enter writes the entry of a version.
func (c *Catalog) enter(tx *kv.Txn, r *index.Record, kind record.Kind, thing Thing, version uint32, op Op, note string) error {
	v, err := json.Marshal(Entry{
		Version: version, Op: op, Position: r.Header.Position, Time: r.Header.Time,
		Actor: r.Header.Actor, Trust: r.Header.Trust, Note: note,
	})
	if err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	return tx.Set(versionKey(r.Tenant, kind, thing, version), v)
}

// setHead writes only a head.
func (c *Catalog) setHead(tx *kv.Txn, tenant uint32, thing Thing, h *Head) error {
	v, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	return tx.Set(headKey(tenant, h.Kind, thing), v)
}

// hang writes a head and all its list keys.
func (c *Catalog) hang(tx *kv.Txn, tenant uint32, thing Thing, h *Head) error {
	if err := c.setHead(tx, tenant, thing, h); err != nil {
		return err
	}
	return c.ways(tenant, thing, h, tx.SetBlind)
}

// drop removes all list keys of a head.
func (c *Catalog) drop(tx *kv.Txn, tenant uint32, thing Thing, h *Head) error {
	return c.ways(tenant, thing, h, func(key, _ []byte) error { return tx.Delete(key) })
}

// ways calls visit with all list keys of a head.
func (c *Catalog) ways(tenant uint32, thing Thing, h *Head, visit func(key, value []byte) error) error {
	if err := visit(allKey(tenant, h.Kind, h.State, h.Created, thing), nil); err != nil {
		return err
	}
	if h.Key != "" {
		if err := visit(append(keyPrefix(tenant, h.Kind, h.Key, h.State), index.Key(nil).Int64(h.Created).Digest(thing)...), nil); err != nil {
			return err
		}
	}
	if h.State != Live {
		return nil
	}
	if h.Class != "" {
		if err := visit(listKey(tableClass, tenant, h.Kind, h.Class, h.Created, thing), nil); err != nil {
			return err
		}
	}
	for _, tag := range h.Tags {
		if err := visit(listKey(tableTag, tenant, h.Kind, tag, h.Created, thing), nil); err != nil {
			return err
		}
	}
	for prefix := range prefixes(h.Key) {
		if err := visit(listKey(tablePrefix, tenant, h.Kind, prefix, h.Created, thing), nil); err != nil {
			return err
		}
	}
	for _, agent := range h.agents() {
		if err := visit(listKey(tableAgent, tenant, h.Kind, agent, h.Created, thing), nil); err != nil {
			return err
		}
	}
	if h.Session != "" {
		if err := visit(listKey(tableSession, tenant, h.Kind, h.Session, h.Created, thing), nil); err != nil {
			return err
		}
	}
	for _, name := range h.Names {
		if err := visit(nameKey(tenant, h.Kind, name, thing), nil); err != nil {
			return err
		}
	}
	for _, l := range h.Links {
		if err := visit(linkKey(tenant, l.To, h.Kind, thing, l.Rel), []byte(l.Rel)); err != nil {
			return err
		}
	}
	if h.Expires != math.MaxInt64 {
		if err := visit(index.NewKey(nil, Prefix, tableExpiry, tenant).Int64(h.Expires).Byte(byte(h.Kind)).Digest(thing), nil); err != nil {
			return err
		}
	}
	for _, at := range [...]int64{h.ValidFrom, h.ValidUntil} {
		if at == math.MinInt64 || at == math.MaxInt64 {
			continue
		}
		if err := visit(index.NewKey(nil, Prefix, tableValid, tenant).Int64(at).Byte(byte(h.Kind)).Digest(thing), nil); err != nil {
			return err
		}
	}
	return nil
}

// MaxSegments is how many segments of a key are in the list of prefixes. The reader
// filters a longer prefix from what its first segments cover.
const MaxSegments = 16

// prefixes returns the whole-segment prefixes of a key, shortest first: release
// and release/cadence of release/cadence.
func prefixes(key string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n, end := 0, 0; n < MaxSegments && end < len(key); n++ {
			next := strings.IndexByte(key[end+1:], '/')
			if next < 0 {
				end = len(key)
			} else {
				end += 1 + next
			}
			if !yield(key[:end]) {
				return
			}
		}
	}
}

// agents returns the writer of a record and the agent it is about, each once.
func (h *Head) agents() []string {
	if h.Agent == "" || h.Agent == h.Actor {
		return []string{h.Actor}
	}
	return []string{h.Actor, h.Agent}
}

// The keys.

func headKey(tenant uint32, kind record.Kind, thing Thing) []byte {
	return index.NewKey(nil, Prefix, tableHead, tenant).Byte(byte(kind)).Digest(thing)
}

func versionKey(tenant uint32, kind record.Kind, thing Thing, version uint32) []byte {
	return index.NewKey(nil, Prefix, tableVersion, tenant).Byte(byte(kind)).Digest(thing).Uint32(version)
}

func keyPrefix(tenant uint32, kind record.Kind, key string, state State) []byte {
	return index.NewKey(nil, Prefix, tableKey, tenant).Byte(byte(kind)).Digest(index.DigestOf(key)).Byte(state[0])
}

func allKey(tenant uint32, kind record.Kind, state State, created int64, thing Thing) []byte {
	return index.NewKey(nil, Prefix, tableAll, tenant).Byte(byte(kind)).Byte(state[0]).Int64(created).Digest(thing)
}

func listKey(table byte, tenant uint32, kind record.Kind, word string, created int64, thing Thing) []byte {
	return index.NewKey(nil, Prefix, table, tenant).Byte(byte(kind)).Digest(index.DigestOf(word)).Int64(created).Digest(thing)
}

func nameKey(tenant uint32, kind record.Kind, name string, thing Thing) []byte {
	folded := index.DigestOf(strings.ToLower(name))
	return index.NewKey(nil, Prefix, tableName, tenant).Byte(byte(kind)).Digest(folded).Digest(thing)
}

func linkKey(tenant uint32, target string, kind record.Kind, thing Thing, rel string) []byte {
	k := index.NewKey(nil, Prefix, tableLink, tenant).Digest(index.DigestOf(target)).Byte(byte(kind)).Digest(thing)
	return append(k, rel...)
}

// damaged says that an entry of the catalogue is unreadable.
func damaged(what string, err error) error {
	return fault.Newf(fault.Damaged, "%s in the catalogue cannot be read: %w", what, err).
		WithFix("`lukasa rebuild` rebuilds the index from the journal")
}

var _ index.Fold = (*Catalog)(nil)
