package browse

import (
	"context"
	"strings"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// ListOptions selects versioned records.
type ListOptions struct {
	Tenant string
	Kind   record.Kind   // zero means memories
	Class  string        // a memory's type, an entity's type …
	Tag    string        // only with this tag
	Under  string        // only with this key, or a key that begins with it and a slash
	State  catalog.State // empty means live ones
	Status string        // a goal's or an artifact's status …
	// MinConfidence is the minimum confidence of a memory or an artifact.
	MinConfidence float64
	// AnyTime also lists live records that are not valid yet or any more.
	AnyTime bool
	Limit   int    // zero means 50, at most 1000
	After   string // the Next of the previous page
	View    access.View
}

// Page is a part of a list, newest first.
type Page struct {
	Things []*board.Thing
	Next   string // empty at the end
}

// List returns versioned records, newest first.
func (b *Browser) List(ctx context.Context, o ListOptions) (*Page, error) {
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
	err = b.core.ReadAs(ctx, o.Tenant, o.View, func(s board.State) error {
		return ListIn(ctx, b.core, s, o, after, page)
	})
	return page, err
}

// ListIn fills a page with what the view of a state shows.
func ListIn(ctx context.Context, core *board.Board, s board.State, o ListOptions, after []byte, page *Page) error {
	way := catalog.All(o.Kind, o.State)
	if o.State == catalog.Live && o.Under != "" {
		way = catalog.UnderKey(o.Kind, o.Under)
	} else if o.State == catalog.Live && o.Tag != "" {
		way = catalog.Tagged(o.Kind, o.Tag)
	} else if o.State == catalog.Live && o.Class != "" {
		way = catalog.OfClass(o.Kind, o.Class)
	}
	var failed error
	err := catalog.List(s.Reader, s.Tenant.Number, way, after, func(key []byte, d catalog.Thing) bool {
		if failed = ctx.Err(); failed != nil {
			return false
		}
		h, ok, err := catalog.HeadOf(s.Reader, s.Tenant.Number, o.Kind, d)
		if err != nil {
			failed = err
			return false
		}
		if !ok || !o.wants(h, s) {
			return true
		}
		if len(page.Things) == o.Limit {
			page.Next = cursorAt(after)
			return false
		}
		thing, err := core.ThingIn(s, h, 0)
		if fault.CodeOf(err) == fault.Erased {
			return true // erased since the snapshot was taken
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
func (o ListOptions) wants(h *catalog.Head, s board.State) bool {
	now := access.NowOf(s.View, s.Tenant)
	switch {
	case !access.Sees(s.View, h), o.Class != "" && h.Class != o.Class, o.Status != "" && h.Status != o.Status, h.Confidence < o.MinConfidence:
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

// Referrers returns the live records that refer to a record or an event:
// edges, relations, conflicts, feedback, and what was derived from it.
func (b *Browser) Referrers(ctx context.Context, u memory.URI, v access.View) ([]*board.Thing, error) {
	var things []*board.Thing
	err := b.core.ReadAs(ctx, u.Tenant, v, func(s board.State) error {
		var failed error
		err := catalog.Referrers(s.Reader, s.Tenant.Number, u.Head().String(), func(ref catalog.Referrer) bool {
			failed = Collect(b.core, s, ref.Kind, ref.Thing, &things)
			return failed == nil
		})
		return fault.First(failed, err)
	})
	return things, err
}

// Named returns the live records of a kind with a name, ignoring case: an
// entity by its name or an alias.
func (b *Browser) Named(ctx context.Context, tenant string, kind record.Kind, name string, v access.View) ([]*board.Thing, error) {
	var things []*board.Thing
	err := b.core.ReadAs(ctx, tenant, v, func(s board.State) error {
		var failed error
		err := catalog.Named(s.Reader, s.Tenant.Number, kind, name, func(d catalog.Thing) bool {
			failed = Collect(b.core, s, kind, d, &things)
			return failed == nil
		})
		return fault.First(failed, err)
	})
	return things, err
}

// Collect adds a record to a list, if it may be seen.
func Collect(core *board.Board, s board.State, kind record.Kind, d catalog.Thing, things *[]*board.Thing) error {
	h, ok, err := catalog.HeadOf(s.Reader, s.Tenant.Number, kind, d)
	if err != nil || !ok || !access.Sees(s.View, h) {
		return err
	}
	thing, err := core.ThingIn(s, h, 0)
	if fault.CodeOf(err) == fault.Erased {
		return nil // erased since the snapshot was taken
	}
	if err == nil {
		*things = append(*things, thing)
	}
	return err
}
