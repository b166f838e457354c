package quota

// Held returns of how many tenants something is held in memory.
func (b *Book) Held() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.buckets)
}
