package retrieval

import (
	"context"
	"crypto/sha256"

	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/record"
)

// A record that was visible in a past state and is hidden now has no part in a pack or a
// search of that state: neither an entry nor an influence on weights.

// hiddenNow is the positions of a past state that were visible to a view then and are
// hidden from it now.
type hiddenNow struct {
	who  [sha256.Size]byte
	size uint64 // of the present
	list []uint64
}

// hide takes out of what is visible in a past state what is hidden now, unless it is to be
// as it was for the caller then.
func (a *Question) hide(ctx context.Context, x *past) error {
	if access.Of(a.View) == nil && a.View.Agent == "" {
		return nil
	}
	list, err := a.hidden(ctx, x)
	a.HiddenSince = len(list) > 0
	if err != nil || len(list) == 0 || a.AsThen {
		return err
	}
	seen := &Visibility{size: a.Tenant.Size, masks: make([][16]uint64, a.Rows.Chunks()), hides: true}
	for chunk := range seen.masks {
		live, err := a.Rows.Live(chunk)
		if err != nil {
			return err
		}
		switch {
		case a.Shown != nil && chunk < len(a.Shown.masks):
			seen.masks[chunk] = a.Shown.masks[chunk]
		case a.Shown == nil && live != nil:
			seen.masks[chunk] = *live
		}
	}
	for _, position := range list {
		seen.masks[position/1024][position%1024/64] &^= 1 << (position % 64)
	}
	seen.Mask = seen.MaskOf
	if seen.Documents, seen.Words, err = a.Rows.Words(seen.MaskOf); err != nil {
		return err
	}
	a.Shown = seen
	return nil
}

// hidden returns where that is of a past state which is hidden now from the caller.
// The last answer is kept with the state.
func (a *Question) hidden(ctx context.Context, x *past) ([]uint64, error) {
	key := hiddenNow{who: sha256.Sum256([]byte(a.View.Agent + "\x00" + a.View.Scope)), size: a.present.t.Size}
	x.all.mu.Lock()
	known := x.hidden
	x.all.mu.Unlock()
	if known != nil && known.who == key.who && known.size == key.size {
		return known.list, nil
	}
	for _, k := range record.Kinds() {
		if k == record.Event || !index.IsDocument(k) {
			continue
		}
		var failed error
		looked := 0
		err := catalog.List(a.Reader, a.Tenant.Number, catalog.All(k, catalog.Live), nil, func(_ []byte, d catalog.Thing) bool {
			if looked++; looked%256 == 0 {
				failed = ctx.Err()
			}
			var h *catalog.Head
			if failed == nil {
				h, _, failed = catalog.HeadOf(a.Reader, a.Tenant.Number, k, d)
			}
			if failed != nil || h == nil || !access.Sees(a.View, h) {
				return failed == nil
			}
			var shown bool
			if shown, failed = a.Shows(h); failed == nil && !shown {
				key.list = append(key.list, h.Position)
			}
			return failed == nil
		})
		if err := fault.First(failed, err); err != nil {
			return nil, err
		}
	}
	x.all.mu.Lock()
	x.hidden = &key
	x.all.mu.Unlock()
	return key.list, nil
}
