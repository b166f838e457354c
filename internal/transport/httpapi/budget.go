package httpapi

import (
	"context"
	"sync"
)

// budget is an amount shared by all tenants. A tenant may have as much as it leaves free, which
// is half of it for a single tenant: however many tenants take all they can, some is left for
// the next one.
type budget struct {
	mu    sync.Mutex
	total int64
	used  int64
	by    map[string]int64
	freed chan struct{} // closed when something is returned; nil if no caller waits
}

func newBudget(total int64) *budget {
	return &budget{total: total, by: make(map[string]int64)}
}

// take takes n, or nothing if too little is left. Callers without a tenant share all of it.
func (b *budget) take(tenant string, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.fits(tenant, n)
}

// fits is take for a caller that holds the lock.
func (b *budget) fits(tenant string, n int64) bool {
	free := b.total - b.used - n
	if free < 0 || tenant != "" && b.by[tenant]+n > max(free, 1) {
		return false
	}
	b.used += n
	if tenant != "" {
		b.by[tenant] += n
	}
	return true
}

// give returns what was taken.
func (b *budget) give(tenant string, n int64) {
	if n == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	if tenant != "" {
		if b.by[tenant] -= n; b.by[tenant] == 0 {
			delete(b.by, tenant)
		}
	}
	if b.freed != nil {
		close(b.freed)
		b.freed = nil
	}
}

// wait is take that waits until there is enough, or until ctx is done.
func (b *budget) wait(ctx context.Context, tenant string, n int64) bool {
	for {
		b.mu.Lock()
		if b.fits(tenant, n) {
			b.mu.Unlock()
			return true
		}
		if b.freed == nil {
			b.freed = make(chan struct{})
		}
		freed := b.freed
		b.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return false
		}
	}
}
