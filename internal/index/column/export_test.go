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
