package column

// Offset returns the offset within the chunk of the document that has row i.
func (c *Chunk) Offset(i int) int {
	for offset := range ChunkDocs {
		if c.Live.Has(offset) {
			if i == 0 {
				return offset
			}
			i--
		}
	}
	return -1
}

// Bytes is about how many bytes the cache holds.
func (c *Cache) Bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used
}

// Row returns the row of a document, or nil if it is not there. It must not be
// changed.
func (v *View) Row(position uint64) ([]byte, error) {
	if position >= v.state.size {
		return nil, nil
	}
	c, err := v.Chunk(int(position / ChunkDocs))
	if err != nil || c == nil {
		return nil, err
	}
	i := c.Index(int(position % ChunkDocs))
	if i < 0 {
		return nil, nil
	}
	return c.Row(i), nil
}
