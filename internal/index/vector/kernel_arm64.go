//go:build !purego

package vector

// quickest returns the best kernels that the processor has.
func quickest() kernels {
	all := available()
	return all[len(all)-1]
}

// available returns all kernels that there are here, the slowest first.
func available() []kernels {
	with := plain()
	with.name, with.near, with.bytes = "NEON", nearNEON, false
	return []kernels{plain(), with}
}

func nearNEON(distances []uint16, near []byte, blocks []byte, t *table, limit int) {
	count := len(near) / (blockRows / 8)
	if count == 0 {
		return
	}
	// The kernel relies on that.
	_, _ = distances[count*blockRows-1], blocks[count*blockRows*t.width()-1]
	lookNEON(&distances[0], &blocks[0], count, &t.nibbles[0][0][0], t.width())
	mark(near, distances, limit)
}

// lookNEON computes the distances of count blocks, one or more, whose codes have a
// multiple of four bytes.
//
//go:noescape
func lookNEON(distances *uint16, blocks *byte, count int, table *byte, width int)

// fetch does nothing: when a row is near enough is left to the processor.
func fetch([]byte) {}
