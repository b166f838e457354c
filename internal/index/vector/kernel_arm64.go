//go:build !purego

package vector

// available returns all kernels of this platform, slowest first.
func available() []kernels {
	with := plain()
	with.name, with.near, with.bytes = "NEON", nearNEON, false
	return []kernels{plain(), with}
}

func nearNEON(distances []uint16, near []byte, blocks []byte, t *table, limit int) {
	if count := countBlocks(distances, near, blocks, t); count > 0 {
		lookNEON(&distances[0], &blocks[0], count, &t.nibbles[0][0][0], t.width())
		mark(near, distances, limit)
	}
}

// lookNEON computes the distances of count blocks, one or more, whose codes have a
// multiple of four bytes.
//
//go:noescape
func lookNEON(distances *uint16, blocks *byte, count int, table *byte, width int)
