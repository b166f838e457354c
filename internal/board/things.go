package board

import (
	"context"
	"math"
	"strings"
	"time"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// Ref names a thing: by id or, where its kind has keys, by key.
type Ref struct {
	Tenant  string
	Kind    record.Kind
	ID      string
	Key     string
	Version uint32 // 0 is the current one
}

// RefOf returns the reference that a URI is.
func RefOf(u memory.URI) Ref {
	return Ref{Tenant: u.Tenant, Kind: u.Kind, ID: u.ID, Version: uint32(min(u.Version, math.MaxUint32))}
}

func (r Ref) name() string {
	if r.ID != "" {
		return r.Kind.String() + " " + r.ID
	}
	return r.Kind.String() + " with the key " + r.Key
}

// View says who looks, and when.
type View struct {
	// Agent is who looks. What is private to another agent is hidden. Empty
	// means an operator, who sees everything.
	Agent string
	// Now decides what has expired and what is valid. Zero means the time of
	// the tenant's newest record.
	Now time.Time
	// Scope is a token that narrows what is seen: what it does not allow is as
	// if it were not there. Agent is then whom the token was granted to, and
	// may be left out. Empty means no scope.
	Scope string
	// Conditions are what holds for who looks, such as "project: github.com/acme/shop".
	// Reads that act on records ignore those whose validity_scope asks for another value
	// of a name that is stated here. Lists, finds and searches show them all the same.
	Conditions []string

	access *scope.Access // of the scope, once it is verified
}

// NowOf returns the time at which a view judges what holds: when it says, or that of the
// tenant.
func NowOf(v View, t *ledger.Tenant) int64 {
	if v.Now.IsZero() {
		return t.Time
	}
	return index.Nanos(v.Now)
}

// Sees reports whether a thing may be shown. The view must have been looked up:
// a scope that nobody verified shows nothing.
func Sees(v View, h *catalog.Head) bool {
	if v.Agent != "" && h.Visibility == memory.VisiblePrivate && h.Actor != v.Agent {
		return false
	}
	return v.access == nil && v.Scope == "" || Allows(v, subjectOf(h))
}

// hides reports whether a version that an actor wrote is private to others.
func (v View) hides(body memory.Body, actor string) bool {
	return v.Agent != "" && v.Agent != actor && body.Facets().Visibility == memory.VisiblePrivate
}

// allowsVersion reports whether the scope shows a version: what a thing is now
// may be in scope, and what it was before not.
func (v View) allowsVersion(body memory.Body) bool {
	return v.access == nil && v.Scope == "" || Allows(v, subjectOfBody(body))
}

// Thing is a versioned thing as it was at one version.
type Thing struct {
	URI      memory.URI // with the version
	State    catalog.State
	Version  uint32
	Content  uint32 // the version that the body is of
	Position uint64 // of the record that holds the body
	Created  time.Time
	Updated  time.Time
	Actor    string
	Trust    record.Trust
	Note     string // why it is forgotten or expired
	Status   string
	Expires  time.Time // zero for never
	Valid    bool      // at the time of the view
	Body     memory.Body
}

// Get returns a thing. One that is forgotten or expired is returned, and says
// so; one that is erased is the error erased for an operator, and for an agent or
// under a scope the same as one that never was: it may have been hidden from them.
func (b *Board) Get(ctx context.Context, ref Ref, v View) (*Thing, error) {
	var thing *Thing
	err := b.ReadAs(ctx, ref.Tenant, v, func(s State) error {
		h, err := FindHead(s, ref)
		if err != nil {
			return err
		}
		thing, err = b.ThingIn(s, h, ref.Version)
		return err
	})
	return thing, err
}

// FindHead returns the head of what a reference names.
func FindHead(s State, ref Ref) (*catalog.Head, error) {
	d := catalog.ThingOf(s.Tenant.Name, ref.Kind, ref.ID)
	missing := fault.Newf(fault.NotFound, "tenant %q has no %s", s.Tenant.Name, ref.name())
	if ref.ID == "" {
		if ref.Key == "" {
			return nil, fault.New(fault.InvalidArgument, "id, key: one of the two must say what is meant").WithFix("give an id or a key")
		}
		var ok bool
		var err error
		if d, ok, err = catalog.Holder(s.Reader, s.Tenant.Number, ref.Kind, ref.Key); err != nil {
			return nil, err
		} else if !ok {
			return nil, missing
		}
	}
	h, ok, err := catalog.HeadOf(s.Reader, s.Tenant.Number, ref.Kind, d)
	if err != nil {
		return nil, err
	}
	if !ok || h.State != catalog.Redacted && !Sees(s.View, h) {
		return nil, missing
	}
	if h.State == catalog.Redacted {
		// Nothing is left that would tell whether it was in scope, or private to another.
		if s.View.Scope != "" || s.View.Agent != "" {
			return nil, missing
		}
		return nil, fault.Newf(fault.Erased, "%s was erased at %s, by the redaction at position %d", ref.name(),
			time.Unix(0, h.Updated).UTC().Format(time.RFC3339), h.Position)
	}
	return h, nil
}

// ThingIn reads a version of a thing; 0 is the current one.
func (b *Board) ThingIn(s State, h *catalog.Head, version uint32) (*Thing, error) {
	now := NowOf(s.View, s.Tenant)
	out := &Thing{
		URI:   memory.URI{Tenant: s.Tenant.Name, Kind: h.Kind, ID: h.ID, Version: uint64(h.Version)},
		State: h.State, Version: h.Version, Content: h.Content, Position: h.Position,
		Created: TimeOf(h.Created), Updated: TimeOf(h.Updated), Actor: h.Actor, Trust: h.Trust, Note: h.Note, Status: h.Status,
		Valid: h.ValidFrom <= now && now < h.ValidUntil,
	}
	if h.Expires != math.MaxInt64 {
		out.Expires = TimeOf(h.Expires)
		if h.State == catalog.Live && h.Expires <= now {
			out.State, out.Note = catalog.Expired, string(memory.CauseTTL)
		}
	}
	earlier := version != 0 && version != h.Version
	writer := h.Actor
	var err error
	if earlier {
		if writer, err = out.turnBack(s.Reader, s.Tenant, h, version); err != nil {
			return nil, err
		}
	}
	if out.Body, err = b.BodyAt(s.Reader, s.Tenant, h.Kind, out.Position); err == nil && earlier {
		if s.View.hides(out.Body, writer) || !s.View.allowsVersion(out.Body) {
			return nil, noVersion(h, version)
		}
		f := out.Body.Facets()
		out.Valid = f.ValidFrom <= now && now < f.ValidUntil
		if out.Status == "" {
			out.Status = f.State
		}
	}
	return out, err
}

// TimeOf returns a time of a record.
func TimeOf(nanos int64) time.Time { return time.Unix(0, nanos).UTC() }

func noVersion(h *catalog.Head, version uint32) error {
	return fault.Newf(fault.NotFound, "%s %s has no version %d; the newest is %d", h.Kind, h.ID, version, h.Version)
}

// turnBack makes a thing what it was at an earlier version. It returns who
// wrote the content.
func (x *Thing) turnBack(r kv.Reader, t *ledger.Tenant, h *catalog.Head, version uint32) (writer string, err error) {
	d := catalog.ThingOf(t.Name, h.Kind, h.ID)
	if version > h.Version {
		return "", noVersion(h, version)
	}
	x.Version, x.URI.Version, x.State, x.Note = version, uint64(version), catalog.Live, ""
	x.Status, x.Expires = "", time.Time{} // the head's; its own content says it, or a transition
	for at := version; at > 0; at-- {
		e, ok, err := catalog.EntryOf(r, t.Number, h.Kind, d, at)
		if err != nil {
			return "", err
		}
		if !ok {
			return "", fault.Newf(fault.Damaged, "version %d of %s %s is not in the catalogue", at, h.Kind, h.ID)
		}
		if at == version {
			x.Updated, x.Actor, x.Trust = time.Unix(0, e.Time).UTC(), e.Actor, e.Trust
			switch e.Op {
			case catalog.Tombstone:
				x.State, x.Note = catalog.Forgotten, e.Note
			case catalog.Expiry:
				x.State, x.Note = catalog.Expired, e.Note
			}
		}
		if e.Op == catalog.Transition && x.Status == "" {
			x.Status = e.Note
		}
		if e.Op == catalog.Put {
			x.Content, x.Position = at, e.Position
			return e.Actor, nil
		}
	}
	return "", fault.Newf(fault.Damaged, "%s %s has no content", h.Kind, h.ID)
}

// BodyAt decodes the body at a position.
func (b *Board) BodyAt(r kv.Reader, t *ledger.Tenant, kind record.Kind, position uint64) (memory.Body, error) {
	f, err := b.FrameAt(r, t, position)
	if err != nil {
		return nil, err
	}
	if f.Erased {
		return nil, fault.Newf(fault.Erased, "position %d of tenant %q was erased", position, t.Name)
	}
	return memory.Decode(kind, f.Body[record.SaltSize:])
}

// ListOptions says which things are listed.
type ListOptions struct {
	Tenant string
	Kind   record.Kind   // zero means memories
	Class  string        // a memory's type, an entity's type …
	Tag    string        // only with this tag
	Under  string        // only with a key that is this, or begins with it and a slash
	State  catalog.State // empty means live ones
	Status string        // a goal's or an artifact's status …
	// MinConfidence is how sure a memory or an artifact is at least.
	MinConfidence float64
	// AnyTime lists live ones that do not hold yet, or no longer, too.
	AnyTime bool
	Limit   int    // zero means 50, at most 1000
	After   string // the Next of the page before
	View    View
}

// Page is a part of a list, newest first.
type Page struct {
	Things []*Thing
	Next   string // empty at the end
}

// List returns things, newest first.
func (b *Board) List(ctx context.Context, o ListOptions) (*Page, error) {
	if o.Kind == 0 {
		o.Kind = record.Memory
	}
	if o.State == "" {
		o.State = catalog.Live
	}
	limit, after, err := PageFrom(o.Limit, 50, 1000, o.After)
	if err != nil {
		return nil, err
	}
	o.Limit = limit
	page := &Page{}
	err = b.ReadAs(ctx, o.Tenant, o.View, func(s State) error {
		o.View = s.View
		return b.ListIn(ctx, s.Reader, s.Tenant, o, after, page)
	})
	return page, err
}

// ListIn fills a page.
func (b *Board) ListIn(ctx context.Context, r kv.Reader, t *ledger.Tenant, o ListOptions, after []byte, page *Page) error {
	way := catalog.All(o.Kind, o.State)
	if o.State == catalog.Live && o.Under != "" {
		way = catalog.UnderKey(o.Kind, o.Under)
	} else if o.State == catalog.Live && o.Tag != "" {
		way = catalog.Tagged(o.Kind, o.Tag)
	} else if o.State == catalog.Live && o.Class != "" {
		way = catalog.OfClass(o.Kind, o.Class)
	}
	var failed error
	err := catalog.List(r, t.Number, way, after, func(key []byte, d catalog.Thing) bool {
		if failed = ctx.Err(); failed != nil {
			return false
		}
		h, ok, err := catalog.HeadOf(r, t.Number, o.Kind, d)
		if err != nil {
			failed = err
			return false
		}
		if !ok || !o.wants(h, t) {
			return true
		}
		if len(page.Things) == o.Limit {
			page.Next = cursorAt(after)
			return false
		}
		thing, err := b.ThingIn(State{Reader: r, Tenant: t, View: o.View}, h, 0)
		if fault.CodeOf(err) == fault.Erased {
			return true // since the snapshot was taken
		}
		if err != nil {
			failed = err
			return false
		}
		page.Things = append(page.Things, thing)
		after = append(after[:0], key...)
		return true
	})
	if failed != nil {
		return failed
	}
	return err
}

// wants reports whether a head belongs on the list.
func (o ListOptions) wants(h *catalog.Head, t *ledger.Tenant) bool {
	now := NowOf(o.View, t)
	switch {
	case !Sees(o.View, h), o.Class != "" && h.Class != o.Class, o.Status != "" && h.Status != o.Status, h.Confidence < o.MinConfidence:
		return false
	case o.State == catalog.Live && (h.Expires <= now || !o.AnyTime && (now < h.ValidFrom || now >= h.ValidUntil)):
		return false
	case o.Under != "" && h.Key != o.Under && !strings.HasPrefix(h.Key, o.Under+"/"):
		return false
	case o.Tag == "":
		return true
	}
	for _, tag := range h.Tags {
		if tag == o.Tag {
			return true
		}
	}
	return false
}

// Referrers returns what is live and refers to a thing or an event: edges,
// relations, conflicts, feedback, and what was derived from it.
func (b *Board) Referrers(ctx context.Context, u memory.URI, v View) ([]*Thing, error) {
	var things []*Thing
	err := b.ReadAs(ctx, u.Tenant, v, func(s State) error {
		var failed error
		err := catalog.Referrers(s.Reader, s.Tenant.Number, u.Head().String(), func(ref catalog.Referrer) bool {
			failed = b.Collect(s, ref.Kind, ref.Thing, &things)
			return failed == nil
		})
		return fault.First(failed, err)
	})
	return things, err
}

// Named returns what is live of a kind and has a name, whatever its case: an
// entity by its name or an alias.
func (b *Board) Named(ctx context.Context, tenant string, kind record.Kind, name string, v View) ([]*Thing, error) {
	var things []*Thing
	err := b.ReadAs(ctx, tenant, v, func(s State) error {
		var failed error
		err := catalog.Named(s.Reader, s.Tenant.Number, kind, name, func(d catalog.Thing) bool {
			failed = b.Collect(s, kind, d, &things)
			return failed == nil
		})
		return fault.First(failed, err)
	})
	return things, err
}

// Collect adds a thing to a list, if it may be seen.
func (b *Board) Collect(s State, kind record.Kind, d catalog.Thing, things *[]*Thing) error {
	h, ok, err := catalog.HeadOf(s.Reader, s.Tenant.Number, kind, d)
	if err != nil || !ok || !Sees(s.View, h) {
		return err
	}
	thing, err := b.ThingIn(s, h, 0)
	if fault.CodeOf(err) == fault.Erased {
		return nil // since the snapshot was taken
	}
	if err == nil {
		*things = append(*things, thing)
	}
	return err
}
