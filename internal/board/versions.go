package board

import (
	"context"
	"encoding/binary"
	"time"

	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Change is one version in a thing's history.
type Change struct {
	Version  uint32
	Op       catalog.Op
	Position uint64
	Time     time.Time
	Actor    string
	Trust    record.Trust
	Note     string
	Body     memory.Body // of a put
}

// History returns every version of a thing, oldest first. Versions that are out
// of scope are left out, with what became of them.
func (b *Board) History(ctx context.Context, ref Ref, v View) (memory.URI, []Change, error) {
	var uri memory.URI
	var changes []Change
	err := b.ReadAs(ctx, ref.Tenant, v, func(s State) (err error) {
		w := &versionWalk{b: b, r: s.Reader, t: s.Tenant, view: s.View}
		uri, err = w.walk(ref)
		changes = w.changes
		return err
	})
	return uri, changes, err
}

// VersionsOptions says of what the versions are wanted.
type VersionsOptions struct {
	Ref   Ref
	Limit int    // zero means 50, at most 1000
	After string // the Next of the page before
	View  View
}

// VersionsPage is a part of a thing's history, oldest first.
type VersionsPage struct {
	URI     memory.URI
	Changes []Change
	Next    string // empty at the end
}

// Versions returns the versions of a thing, oldest first, a page at a time. It shows what
// History shows.
func (b *Board) Versions(ctx context.Context, o VersionsOptions) (*VersionsPage, error) {
	limit, after, err := PageFrom(o.Limit, 50, 1000, o.After)
	if err != nil {
		return nil, err
	}
	if len(after) > 0 && len(after) != versionCursor {
		return nil, notNext()
	}
	page := &VersionsPage{}
	err = b.ReadAs(ctx, o.Ref.Tenant, o.View, func(s State) error {
		w := &versionWalk{b: b, r: s.Reader, t: s.Tenant, view: s.View, limit: limit}
		if len(after) > 0 {
			w.after = binary.BigEndian.Uint32(after)
		}
		var err error
		if page.URI, err = w.walk(o.Ref); err != nil {
			return err
		}
		page.Changes = w.changes
		if w.more {
			page.Next = cursorAt(binary.BigEndian.AppendUint32(nil, w.changes[len(w.changes)-1].Version))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return page, nil
}

// versionCursor is how many bytes lead to a next page of versions.
const versionCursor = 4

// versionWalk goes through the versions of a thing.
type versionWalk struct {
	b       *Board
	r       kv.Reader
	t       *ledger.Tenant
	view    View
	after   uint32 // only versions beyond this one
	limit   int    // zero for all
	changes []Change
	more    bool // there are others beyond the last
}

// walk collects the versions of what a reference names.
func (w *versionWalk) walk(ref Ref) (memory.URI, error) {
	h, err := FindHead(State{Reader: w.r, Tenant: w.t, View: w.view}, ref)
	if err != nil {
		return memory.URI{}, err
	}
	uri := memory.URI{Tenant: w.t.Name, Kind: h.Kind, ID: h.ID}
	entries, err := catalog.Entries(w.r, w.t.Number, h.Kind, catalog.ThingOf(w.t.Name, h.Kind, h.ID))
	if err != nil {
		return uri, err
	}
	from := 0 // the last content before the page says whether what became of it is shown
	for i, e := range entries {
		if e.Version <= w.after && e.Op == catalog.Put {
			from = i
		}
	}
	allowed, private := true, false
	for _, e := range entries[from:] {
		c := Change{Version: e.Version, Op: e.Op, Position: e.Position, Time: TimeOf(e.Time), Actor: e.Actor, Trust: e.Trust, Note: e.Note}
		full := w.limit > 0 && len(w.changes) == w.limit
		if e.Op == catalog.Put {
			if c.Body, err = w.b.BodyAt(w.r, w.t, h.Kind, e.Position); err != nil {
				return uri, err
			}
			allowed = w.view.allowsVersion(c.Body)
			if private = w.view.hides(c.Body, c.Actor); private {
				c.Body = nil
			}
		}
		if private {
			c.Note = "private" // what became of it too
		}
		if !allowed || e.Version <= w.after {
			continue
		}
		if w.more = full; full {
			break
		}
		w.changes = append(w.changes, c)
	}
	return uri, nil
}
