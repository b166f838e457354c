//go:build !purego

package vector

import "golang.org/x/sys/cpu"

// quickest returns the best kernels that the processor has.
func quickest() kernels {
	all := available()
	return all[len(all)-1]
}

// available returns all kernels that the processor has, the slowest first.
func available() []kernels {
	all := []kernels{plain()}
	if !cpu.X86.HasAVX2 || !cpu.X86.HasPOPCNT {
		return all
	}
	with := kernels{"AVX2", hammingAVX2, weightAVX2, addAVX2, dotAVX2, codeAVX2, topAVX2, roundAVX2}
	all = append(all, with)
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VPOPCNTDQ {
		with.name, with.hamming = "AVX-512", hammingAVX512
		all = append(all, with)
	}
	return all
}

func hammingAVX512(distances []uint16, near []byte, blocks, query []uint64, limit int) {
	if checked(distances, near, blocks, query) {
		countAVX512(&distances[0], &near[0], &blocks[0], len(near), &query[0], len(query), limit)
	}
}

func hammingAVX2(distances []uint16, near []byte, blocks, query []uint64, limit int) {
	if checked(distances, near, blocks, query) {
		countAVX2(&distances[0], &near[0], &blocks[0], len(near), &query[0], len(query), limit)
	}
}

// checked panics if something is shorter than the kernels rely on. It reports false
// if there is nothing to do.
func checked(distances []uint16, near []byte, blocks, query []uint64) bool {
	if len(near) == 0 {
		return false
	}
	_ = distances[len(near)*blockRows-1]
	_ = blocks[len(near)*blockRows*len(query)-1]
	return true
}

func weightAVX2(block []uint64, planes [][planeBits]uint64) (sum, ones int) {
	if len(planes) == 0 {
		return 0, 0
	}
	_ = block[(len(planes)-1)*blockRows]
	return weightPOPCNT(&block[0], &planes[0][0], len(planes))
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

// countAVX512 is the hamming kernel of count blocks, for a query of one word or more.
//
//go:noescape
func countAVX512(distances *uint16, near *byte, blocks *uint64, count int, query *uint64, words, limit int)

// countAVX2 is countAVX512 with the instructions of older processors.
//
//go:noescape
func countAVX2(distances *uint16, near *byte, blocks *uint64, count int, query *uint64, words, limit int)

// weightPOPCNT is the weight kernel of n words, one or more.
//
//go:noescape
func weightPOPCNT(words *uint64, planes *uint64, n int) (sum, ones int)

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

// fetch has the processor bring a row near before it is read.
func fetch(row []byte) {
	if len(row) > 0 {
		fetchLines(&row[0], len(row))
	}
}

// fetchLines is fetch for n bytes, one or more.
//
//go:noescape
func fetchLines(values *byte, n int)
