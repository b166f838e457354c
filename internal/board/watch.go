package board

import (
	"sync"
	"sync/atomic"
)

// watchers are the channels to notify when a tenant grows. Unwatched tenants cost
// nothing.
type watchers struct {
	any  atomic.Int64 // their number
	mu   sync.Mutex
	list map[string]map[chan struct{}]bool // by tenant
}

// Watch notifies the caller when a tenant gets records: after each group with some of
// it, grew has an item, one for all since it was last received. Records from before the
// call are not notified, so read after it. The caller must call stop.
func (b *Board) Watch(tenant string) (grew <-chan struct{}, stop func()) {
	w := &b.watching
	c := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list == nil {
		w.list = make(map[string]map[chan struct{}]bool)
	}
	if w.list[tenant] == nil {
		w.list[tenant] = make(map[chan struct{}]bool)
	}
	w.list[tenant][c] = true
	w.any.Add(1)
	return c, sync.OnceFunc(func() { w.leave(tenant, c) })
}

// Watched returns how many tenants are watched.
func (b *Board) Watched() int {
	b.watching.mu.Lock()
	defer b.watching.mu.Unlock()
	return len(b.watching.list)
}

// leave removes a watcher.
func (w *watchers) leave(tenant string, c chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.list[tenant], c)
	if len(w.list[tenant]) == 0 {
		delete(w.list, tenant)
	}
	w.any.Add(-1)
}

// tell wakes the watchers of the tenants.
func (w *watchers) tell(tenants []string) {
	if w.any.Load() == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range tenants {
		for c := range w.list[name] {
			select {
			case c <- struct{}{}:
			default: // an item is pending
			}
		}
	}
}
