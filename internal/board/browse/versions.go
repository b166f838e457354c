package browse

import (
	"context"
	"encoding/binary"
	"time"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Change is one version in the history of a record.
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

// History returns every version of a record, oldest first. Versions out of scope are left
// out, with the changes after them.
func (b *Browser) History(ctx context.Context, ref board.Ref, v access.View) (memory.URI, []Change, error) {
	var uri memory.URI
	var changes []Change
	err := b.core.ReadAs(ctx, ref.Tenant, v, func(s board.State) (err error) {
		w := &versionWalk{core: b.core, s: s}
		uri, err = w.walk(ref)
		changes = w.changes
		return err
	})
	return uri, changes, err
}

// VersionsOptions selects the versions of a record.
type VersionsOptions struct {
	Ref   board.Ref
	Limit int    // zero means 50, at most 1000
	After string // the Next of the previous page
	View  access.View
}

// VersionsPage is a part of a record's history, oldest first.
type VersionsPage struct {
	URI     memory.URI
	Changes []Change
	Next    string // empty at the end
}

// Versions returns the versions of a record, oldest first, a page at a time. It shows
// what History shows.
func (b *Browser) Versions(ctx context.Context, o VersionsOptions) (*VersionsPage, error) {
	limit, after, err := PageFrom(o.Limit, 50, 1000, o.After)
	if err != nil {
		return nil, err
	}
	if len(after) > 0 && len(after) != versionCursor {
		return nil, notNext()
	}
	page := &VersionsPage{}
	err = b.core.ReadAs(ctx, o.Ref.Tenant, o.View, func(s board.State) error {
		w := &versionWalk{core: b.core, s: s, limit: limit}
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

// versionCursor is the length of a cursor of versions in bytes.
const versionCursor = 4

// versionWalk walks over the versions of a record.
type versionWalk struct {
	core    *board.Board
	s       board.State
	after   uint32 // only versions beyond this one
	limit   int    // zero for all
	changes []Change
	more    bool // there are more after the last
}

// walk collects the versions of what a reference names.
func (w *versionWalk) walk(ref board.Ref) (memory.URI, error) {
	h, err := board.FindHead(w.s, ref)
	if err != nil {
		return memory.URI{}, err
	}
	uri := memory.URI{Tenant: w.s.Tenant.Name, Kind: h.Kind, ID: h.ID}
	entries, err := catalog.Entries(w.s.Reader, w.s.Tenant.Number, h.Kind, catalog.ThingOf(w.s.Tenant.Name, h.Kind, h.ID))
	if err != nil {
		return uri, err
	}
	from := 0 // the last content before the page decides whether the changes after it are shown
	for i, e := range entries {
		if e.Version <= w.after && e.Op == catalog.Put {
			from = i
		}
	}
	allowed, private := true, false
	for _, e := range entries[from:] {
		c := Change{Version: e.Version, Op: e.Op, Position: e.Position, Time: board.TimeOf(e.Time), Actor: e.Actor, Trust: e.Trust, Note: e.Note}
		full := w.limit > 0 && len(w.changes) == w.limit
		if e.Op == catalog.Put {
			if c.Body, err = w.core.BodyAt(w.s, h.Kind, e.Position); err != nil {
				return uri, err
			}
			allowed = access.AllowsVersion(w.s.View, c.Body)
			if private = access.Hides(w.s.View, c.Body, c.Actor); private {
				c.Body = nil
			}
		}
		if private {
			c.Note = "private" // the changes after it too
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
