package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/registry"
)

// StoreOptions configures a store of credentials.
type StoreOptions struct {
	// Bootstrap is the operator's token. Empty means that there is none.
	Bootstrap string
	// Clock decides when a key has expired. Nil means time.Now.
	Clock func() time.Time
}

// Store is the credentials of a server. It is safe for concurrent use. A board has one at a
// time: another would not see its changes before it is opened.
type Store struct {
	board    *lukasa.Board
	registry *registry.Registry
	clock    func() time.Time
	after    func(time.Duration, func()) (stop func() bool)

	bootstrap [sha256.Size]byte
	nobody    [sha256.Size]byte // the hash of no text

	mu   sync.RWMutex
	keys map[string]*entry
}

// entry is a key in memory.
type entry struct {
	key     *Key // immutable; replaced on change
	hash    [sha256.Size]byte
	watches map[*watch]bool
	ended   bool // its revocation is recorded
}

// collection is the registry collection of keys.
const collection = "key"

// kept is the stored form of a key.
type kept struct {
	ID      string   `json:"id"`
	Role    string   `json:"role"`
	Tenant  string   `json:"tenant,omitempty"`
	Agent   string   `json:"agent,omitempty"`
	Rights  []string `json:"rights"`
	Trust   string   `json:"trust"`
	Label   string   `json:"label,omitempty"`
	By      string   `json:"by"`
	Created string   `json:"created"`
	Expires string   `json:"expires,omitempty"`
	SHA256  string   `json:"sha256"`
}

// Open reads the credentials of a board.
func Open(ctx context.Context, board *lukasa.Board, o StoreOptions) (*Store, error) {
	s := &Store{
		board: board, registry: registry.New(board), clock: o.Clock, keys: make(map[string]*entry),
		after: func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop },
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	for _, hash := range []*[sha256.Size]byte{&s.bootstrap, &s.nobody} {
		if _, err := rand.Read(hash[:]); err != nil {
			return nil, err
		}
	}
	if o.Bootstrap != "" {
		s.bootstrap = sha256.Sum256([]byte(o.Bootstrap))
	}
	documents, err := s.registry.All(ctx, collection)
	if err != nil {
		return nil, err
	}
	for _, d := range documents {
		e, err := read(d)
		if err != nil {
			return nil, err
		}
		s.keys[e.key.ID] = e
	}
	return s, nil
}

// read decodes a stored key.
func read(d registry.Document) (*entry, error) {
	var k kept
	damaged := func(err error) (*entry, error) {
		return nil, fault.Newf(fault.Damaged, "key %q cannot be read: %w", d.Name, err).WithFix("use the version of Lukasa that wrote it, or a later one")
	}
	if err := json.Unmarshal(d.Content, &k); err != nil {
		return damaged(err)
	}
	e := &entry{key: &Key{ID: k.ID, Tenant: k.Tenant, Agent: k.Agent, Label: k.Label, By: k.By}, watches: make(map[*watch]bool)}
	var ok bool
	var failed [5]error
	e.key.Role, failed[0] = ParseRole(k.Role)
	e.key.Rights, failed[1] = ParseRights(k.Rights)
	e.key.Created, failed[2] = time.Parse(time.RFC3339Nano, k.Created)
	if k.Expires != "" {
		e.key.Expires, failed[3] = time.Parse(time.RFC3339Nano, k.Expires)
	}
	if e.key.Trust, ok = record.ParseTrust(k.Trust); !ok {
		failed[4] = fault.Newf(fault.InvalidArgument, "there is no tier %q", k.Trust)
	}
	if n, err := hex.Decode(e.hash[:], []byte(k.SHA256)); err != nil || n != len(e.hash) || k.ID != d.Name {
		return damaged(errors.New("its hash or its id is not one"))
	}
	if err := errors.Join(failed[:]...); err != nil {
		return damaged(err)
	}
	if d.Dropped {
		e.key.Revoked, e.key.Reason, e.ended = d.Updated, d.Reason, true
	}
	return e, nil
}

// Create makes a key if the caller may, and returns it with its text, which cannot be shown
// again.
func (s *Store) Create(ctx context.Context, by *Principal, r Request) (*Key, string, error) {
	if err := administers(by); err != nil {
		return nil, "", err
	}
	if by.Role != Operator {
		if r.Tenant == "" {
			r.Tenant = by.Tenant
		}
		if r.Role == Operator || r.Tenant != by.Tenant {
			return nil, "", fault.Newf(fault.NotPermitted, "a key of the tenant %q makes keys of that tenant only", by.Tenant).WithFix("ask the operator of the server")
		}
	}
	now := s.clock().UTC()
	r, err := r.fill(now)
	if err != nil {
		return nil, "", err
	}
	if !by.Rights.Has(r.Rights) || r.Trust > by.Trust {
		return nil, "", fault.New(fault.NotPermitted, "a key cannot have more rights or trust than the key it is made with").WithFix("leave out the rights and the trust that you do not have yourself")
	}
	token, id, err := newToken(r.Role)
	if err != nil {
		return nil, "", err
	}
	e := &entry{
		key: &Key{
			ID: id, Role: r.Role, Tenant: r.Tenant, Agent: r.Agent, Rights: r.Rights, Trust: r.Trust, Label: r.Label,
			By: by.Actor(), Created: now, Expires: r.Expires.UTC(),
		},
		hash: sha256.Sum256([]byte(token)), watches: make(map[*watch]bool),
	}
	if err := s.note(ctx, by, "key.create", e.key, ""); err != nil {
		return nil, "", err
	}
	if err := s.registry.Put(ctx, by.Actor(), collection, id, e.key.line(), e.kept(), true); err != nil {
		return nil, "", err
	}
	s.mu.Lock()
	s.keys[id] = e
	s.mu.Unlock()
	return e.key, token, nil
}

// kept returns the stored form of the key.
func (e *entry) kept() kept {
	k := e.key
	return kept{
		ID: k.ID, Role: k.Role.String(), Tenant: k.Tenant, Agent: k.Agent, Rights: k.Rights.Names(), Trust: k.Trust.String(),
		Label: k.Label, By: k.By, Created: instant(k.Created), Expires: instant(k.Expires), SHA256: hex.EncodeToString(e.hash[:]),
	}
}

// line describes the owner of a key in a few words.
func (k *Key) line() string {
	text := "Key " + k.ID + " of the role " + k.Role.String()
	if k.Agent != "" {
		text += ", agent " + k.Agent
	}
	if k.Tenant != "" {
		text += ", tenant " + k.Tenant
	}
	return text + "."
}

// Get returns a key that the caller may see.
func (s *Store) Get(ctx context.Context, by *Principal, id string) (*Key, error) {
	if err := administers(by); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	e := s.keys[id]
	if e == nil || !by.knows(e.key) {
		return nil, fault.Newf(fault.NotFound, "there is no key %.40q", id).WithFix("`lukasa key list` shows the keys there are")
	}
	return e.key, ctx.Err()
}

// List returns the keys that the caller may see, oldest first. For an operator that names a
// tenant, these are the keys of that tenant.
func (s *Store) List(ctx context.Context, by *Principal) ([]*Key, error) {
	if err := administers(by); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := make([]*Key, 0, len(s.keys))
	for _, e := range s.keys {
		if by.knows(e.key) {
			list = append(list, e.key)
		}
	}
	slices.SortFunc(list, func(a, b *Key) int {
		if c := a.Created.Compare(b.Created); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, ctx.Err()
}

// Revoke ends a key immediately and permanently. A revoked key stays as it is. If the disk
// fails, the key is unusable while this store is open, and the error says that the revocation
// is not recorded.
func (s *Store) Revoke(ctx context.Context, by *Principal, id, reason string) (*Key, error) {
	if _, err := s.Get(ctx, by, id); err != nil {
		return nil, err
	}
	key, recorded := s.end(id, reason)
	if recorded {
		return key, nil
	}
	err := s.note(ctx, by, "key.revoke", key, reason)
	if err == nil {
		err = s.registry.Drop(ctx, by.Actor(), collection, id, reason)
	}
	if err != nil {
		return key, notRecorded(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys[id].ended = true
	return key, nil
}

func notRecorded(err error) error {
	return fault.Newf(fault.CodeOf(err), "the key is refused from now on, but that could not be recorded: %w", err).
		WithFix("revoke it again when the disk is well; after a restart it would be good again")
}

// end stops a key from authenticating, and ends its watches. It reports whether the revocation
// is recorded already.
func (s *Store) end(id, reason string) (ended *Key, recorded bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.keys[id]
	if !e.key.Revoked.IsZero() {
		return e.key, e.ended
	}
	key := *e.key
	key.Revoked, key.Reason = s.clock().UTC(), reason
	e.key = &key
	for w := range e.watches {
		w.end()
	}
	clear(e.watches)
	return e.key, false
}

// administers refuses a caller that may not manage keys.
func administers(by *Principal) error {
	switch {
	case by == nil || !by.Rights.Has(Admin) || by.Role != Operator && by.Role != Member:
		return fault.New(fault.NotPermitted, "keys: this takes the right admin").WithFix("use a key of the operator, or one of the tenant with the right admin")
	case by.Scope != "":
		return fault.New(fault.OutOfScope, "keys: no scope may do this")
	}
	return nil
}

// knows reports whether the caller may see a key.
func (p *Principal) knows(k *Key) bool {
	if p.Role == Operator {
		return p.Tenant == "" || p.Tenant == k.Tenant
	}
	return k.Tenant == p.Tenant && k.Role != Operator
}

// unknown is the error for every invalid bearer.
func unknown() error {
	return fault.New(fault.Unauthenticated, "authorization: there is no credential, or none that is good here")
}

// equal compares hashes in constant time.
func equal(a, b *[sha256.Size]byte) bool { return subtle.ConstantTimeCompare(a[:], b[:]) == 1 }
