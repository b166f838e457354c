//go:build !purego

package vector

import "golang.org/x/sys/cpu"

// available returns all kernels that the processor supports, slowest first.
func available() []kernels {
	all := []kernels{plain()}
	if !cpu.X86.HasAVX2 {
		return all
	}
	return append(all, kernels{"AVX2", nearAVX2, false, addAVX2, dotAVX2, codeAVX2, topAVX2, roundAVX2})
}

func nearAVX2(distances []uint16, near []byte, blocks []byte, t *table, limit int) {
	if count := countBlocks(distances, near, blocks, t); count > 0 {
		lookAVX2(&distances[0], &near[0], &blocks[0], count, &t.nibbles[0][0][0], t.width(), limit)
	}
}

func addAVX2(sums []float32, values []byte, scale, factor float32) {
	sums = sums[:len(values)]
	const step = 8
	n := len(values) / step * step
	if n > 0 {
		timesAVX2(&sums[0], &values[0], n, scale, factor)
	}
	plainAdd(sums[n:], values[n:], scale, factor)
}

func dotAVX2(values []byte, query []int16) int32 {
	query = query[:len(values)]
	const step = 16
	n := len(values) / step * step
	sum := int32(0)
	if n > 0 {
		sum = productAVX2(&values[0], &query[0], n)
	}
	return sum + plainDot(values[n:], query[n:])
}

func codeAVX2(dst []uint64, v []int32) {
	v = v[:64*len(dst)]
	if len(v) == 0 {
		return
	}
	f := flips()
	turnAVX2(&v[0], &f[0][:len(v)][0], len(v))
	turnAVX2(&v[0], &f[1][:len(v)][0], len(v))
	signsAVX2(&dst[0], &v[0], len(v))
}

func topAVX2(vector []float32) uint32 {
	const step = 8
	n := len(vector) / step * step
	top := plainTop(vector[n:])
	if n > 0 {
		top = max(top, largestAVX2(&vector[0], n))
	}
	return top
}

func roundAVX2(to []int8, squares []float64, vector []float32, top, limit float64) {
	to, squares = to[:len(vector)], squares[:len(vector)]
	const step = 4
	n := len(vector) / step * step
	if n > 0 {
		nearestAVX2(&to[0], &squares[0], &vector[0], n, top, limit)
	}
	plainRound(to[n:], squares[n:], vector[n:], top, limit)
}

// lookAVX2 is the near kernel of count blocks, one or more, whose codes have a multiple of
// four bytes.
//
//go:noescape
func lookAVX2(distances *uint16, near, blocks *byte, count int, table *byte, width, limit int)

// timesAVX2 is the add kernel of n numbers, a multiple of 8 above 0.
//
//go:noescape
func timesAVX2(sums *float32, values *byte, n int, scale, factor float32)

// productAVX2 is the dot kernel of n numbers, a multiple of 16 above 0.
//
//go:noescape
func productAVX2(values *byte, query *int16, n int) int32

// turnAVX2 gives n numbers their signs and replaces them by their Hadamard transform. N
// is a power of two, 8 at least, and flips has -1 for a number that changes its sign, else
// 0.
//
//go:noescape
func turnAVX2(v, flips *int32, n int)

// signsAVX2 sets a bit for each of n numbers that is above zero. N is a multiple of 8 above
// 0.
//
//go:noescape
func signsAVX2(code *uint64, v *int32, n int)

// largestAVX2 is the top kernel of n numbers, a multiple of 8 above 0.
//
//go:noescape
func largestAVX2(vector *float32, n int) uint32

// nearestAVX2 is the round kernel of n numbers, a multiple of 4 above 0.
//
//go:noescape
func nearestAVX2(to *int8, squares *float64, vector *float32, n int, top, limit float64)

// fetch prefetches a row.
func fetch(row []byte) {
	if len(row) > 0 {
		fetchLines(&row[0], len(row))
	}
}

// fetchLines is fetch for n bytes, one or more.
//
//go:noescape
func fetchLines(values *byte, n int)
