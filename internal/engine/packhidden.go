package engine

import (
	"crypto/sha256"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/record"
)

// What could be seen of a past state and may not be seen now has no part in a pack or a
// search of it: neither an entry nor a weight.

// hiddenNow is what of a past state is hidden from one who looks, though it was not
// then.
type hiddenNow struct {
	who  [sha256.Size]byte
	size uint64 // of the present
	list []uint64
}

// hide takes out of what is visible in a past state what is hidden now, unless it is to be
// as it was for whoever looked then.
func (a *asking) hide(x *past) error {
	if board.AccessOf(a.view) == nil && a.view.Agent == "" {
		return nil
	}
	list, err := a.hidden(x)
	a.hiddenSince = len(list) > 0
	if err != nil || len(list) == 0 || a.asThen {
		return err
	}
	seen := &visible{size: a.t.Size, masks: make([][16]uint64, a.rows.Chunks()), hides: true}
	for chunk := range seen.masks {
		live, err := a.rows.Live(chunk)
		if err != nil {
			return err
		}
		switch {
		case a.visible != nil && chunk < len(a.visible.masks):
			seen.masks[chunk] = a.visible.masks[chunk]
		case a.visible == nil && live != nil:
			seen.masks[chunk] = *live
		}
	}
	for _, position := range list {
		seen.masks[position/1024][position%1024/64] &^= 1 << (position % 64)
	}
	seen.Mask = seen.mask
	if seen.Documents, seen.Words, err = a.rows.Words(seen.mask); err != nil {
		return err
	}
	a.visible = seen
	return nil
}

// hidden returns where that is of a past state which is hidden now from whoever looks.
// The last answer is kept with the state.
func (a *asking) hidden(x *past) ([]uint64, error) {
	key := hiddenNow{who: sha256.Sum256([]byte(a.view.Agent + "\x00" + a.view.Scope)), size: a.present.t.Size}
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
		err := catalog.List(a.r, a.t.Number, catalog.All(k, catalog.Live), nil, func(_ []byte, d catalog.Thing) bool {
			if looked++; looked%256 == 0 {
				failed = a.ctx.Err()
			}
			var h *catalog.Head
			if failed == nil {
				h, _, failed = catalog.HeadOf(a.r, a.t.Number, k, d)
			}
			if failed != nil || h == nil || !board.Sees(a.view, h) {
				return failed == nil
			}
			var shown bool
			if shown, failed = a.shows(h); failed == nil && !shown {
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
