package board

import (
	"context"
	"math"
	"time"

	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Ref names a versioned record: by id or, if its kind has keys, by key.
type Ref struct {
	Tenant  string
	Kind    record.Kind
	ID      string
	Key     string
	Version uint32 // 0 is the current one
}

// RefOf returns the reference of a URI.
func RefOf(u memory.URI) Ref {
	return Ref{Tenant: u.Tenant, Kind: u.Kind, ID: u.ID, Version: uint32(min(u.Version, math.MaxUint32))}
}

// Name describes the record of a reference.
func (r Ref) Name() string {
	if r.ID != "" {
		return r.Kind.String() + " " + r.ID
	}
	return r.Kind.String() + " with the key " + r.Key
}

// Thing is a versioned record at one version.
type Thing struct {
	URI      memory.URI // with the version
	State    catalog.State
	Version  uint32
	Content  uint32 // the version of the body
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

// Get returns a versioned record. A forgotten or expired one is returned with
// that state. An erased one is the error erased for an operator; for an agent or
// under a scope it does not exist, since it may have been hidden from them.
func (b *Board) Get(ctx context.Context, ref Ref, v access.View) (*Thing, error) {
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

// FindHead returns the head of a reference.
func FindHead(s State, ref Ref) (*catalog.Head, error) {
	d := catalog.ThingOf(s.Tenant.Name, ref.Kind, ref.ID)
	missing := fault.Newf(fault.NotFound, "tenant %q has no %s", s.Tenant.Name, ref.Name())
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
	if !ok || h.State != catalog.Redacted && !access.Sees(s.View, h) {
		return nil, missing
	}
	if h.State == catalog.Redacted {
		// Nothing is left that would show whether it was in scope, or private to
		// another.
		if s.View.Scope != "" || s.View.Agent != "" {
			return nil, missing
		}
		return nil, fault.Newf(fault.Erased, "%s was erased at %s, by the redaction at position %d", ref.Name(),
			time.Unix(0, h.Updated).UTC().Format(time.RFC3339), h.Position)
	}
	return h, nil
}

// ThingIn reads a version of a record; 0 is the current one.
func (b *Board) ThingIn(s State, h *catalog.Head, version uint32) (*Thing, error) {
	now := access.NowOf(s.View, s.Tenant)
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
		if writer, err = out.turnBack(s, h, version); err != nil {
			return nil, err
		}
	}
	if out.Body, err = b.BodyAt(s, h.Kind, out.Position); err == nil && earlier {
		if access.Hides(s.View, out.Body, writer) || !access.AllowsVersion(s.View, out.Body) {
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

// turnBack sets a record to an earlier version. It returns the writer of the
// content.
func (x *Thing) turnBack(s State, h *catalog.Head, version uint32) (writer string, err error) {
	d := catalog.ThingOf(s.Tenant.Name, h.Kind, h.ID)
	if version > h.Version {
		return "", noVersion(h, version)
	}
	x.Version, x.URI.Version, x.State, x.Note = version, uint64(version), catalog.Live, ""
	x.Status, x.Expires = "", time.Time{} // those of the head; the older content or a transition sets them
	for at := version; at > 0; at-- {
		e, ok, err := catalog.EntryOf(s.Reader, s.Tenant.Number, h.Kind, d, at)
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
func (b *Board) BodyAt(s State, kind record.Kind, position uint64) (memory.Body, error) {
	f, err := b.FrameAt(s, position)
	if err != nil {
		return nil, err
	}
	if f.Erased {
		return nil, fault.Newf(fault.Erased, "position %d of tenant %q was erased", position, s.Tenant.Name)
	}
	return memory.Decode(kind, f.Body[record.SaltSize:])
}
