package quota

import (
	"slices"
	"strings"
)

// Held returns how many tenants use memory.
func (b *Book) Held() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.buckets)
}

// Own returns the tenants that have limits of their own, by name.
func (b *Book) Own() []TenantLimits {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := make([]TenantLimits, 0, len(b.own))
	for tenant, l := range b.own {
		list = append(list, TenantLimits{tenant, l})
	}
	slices.SortFunc(list, func(x, y TenantLimits) int { return strings.Compare(x.Tenant, y.Tenant) })
	return list
}
