package quota

// Held returns how many tenants use memory.
func (b *Book) Held() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.buckets)
}
