package vector

import (
	"encoding/binary"
	"math"
)

// blockRows is how many codes are interleaved in memory: a block has the first byte of each
// code, then the second, and so on.
const blockRows = 32

// kernels are the inner loops of searching and indexing. All of them give the same bits.
type kernels struct {
	name string
	// near computes the distance of each code of the blocks from the query of a table, and
	// sets the bit of those in near within a limit. Near has a bit for each code.
	near func(distances []uint16, near []byte, blocks []byte, t *table, limit int)
	// bytes says that it looks up whole bytes.
	bytes bool
	// add adds a row's values, each times its scale and then times a factor, to the sums.
	add func(sums []float32, values []byte, scale, factor float32)
	// dot returns the dot product of a row's values and a query of the same length.
	dot func(values []byte, query []int16) int32
	// code rotates numbers in place and sets the bits of those that are then above zero.
	// There are 64 per word.
	code func(dst []uint64, v []int32)
	// top returns the bits of the largest absolute value; those of infinity or more if one
	// is not finite.
	top func(vector []float32) uint32
	// round divides numbers by top and sets to to the nearest integers, and squares to the
	// square of each quotient.
	round func(to []int8, squares []float64, vector []float32, top, limit float64)
}

// quickest returns the fastest kernels that the processor supports.
func quickest() kernels {
	all := available()
	return all[len(all)-1]
}

// countBlocks returns the number of blocks. It panics if an argument is shorter than
// assembly kernels rely on.
func countBlocks(distances []uint16, near []byte, blocks []byte, t *table) int {
	count := len(near) / (blockRows / 8)
	if count > 0 {
		_, _ = distances[count*blockRows-1], blocks[count*blockRows*t.width()-1]
	}
	return count
}

// plain returns the portable kernels.
func plain() kernels {
	return kernels{"plain", plainNear, true, plainAdd, plainDot, plainCode, plainTop, plainRound}
}

func plainNear(distances []uint16, near []byte, blocks []byte, t *table, limit int) {
	step := blockRows * t.width()
	distances = distances[:8*len(near)]
	for i := 0; i < len(distances); i += 4 { // four codes
		block := blocks[i/blockRows*step+i%blockRows:]
		var a, b, c, d uint32
		for j := range t.bytes {
			of, w := &t.bytes[j], binary.LittleEndian.Uint32(block)
			a += uint32(of[byte(w)])
			b += uint32(of[byte(w>>8)])
			c += uint32(of[byte(w>>16)])
			d += uint32(of[byte(w>>24)])
			if len(block) > blockRows {
				block = block[blockRows:]
			}
		}
		to := (*[4]uint16)(distances[i:])
		to[0], to[1], to[2], to[3] = uint16(a), uint16(b), uint16(c), uint16(d)
	}
	mark(near, distances, limit)
}

// mark sets the bits of distances within a limit.
func mark(near []byte, distances []uint16, limit int) {
	for i := range near {
		far := uint64(0)
		for k, d := range (*[8]uint16)(distances[8*i:]) {
			// If a distance is above the limit, the difference is negative.
			far |= uint64(limit-int(d)) >> 63 << k
		}
		near[i] = ^byte(far)
	}
}

func plainAdd(sums []float32, values []byte, scale, factor float32) {
	for i, v := range values {
		x := float32(scale * float32(int8(v)))
		sums[i] += float32(factor * x)
	}
}

func plainDot(values []byte, query []int16) int32 {
	query = query[:len(values)]
	var a, b, c, d int32
	i := 0
	for ; i+4 <= len(values); i += 4 {
		v, q := values[i:i+4:i+4], query[i:i+4:i+4]
		a += int32(int8(v[0])) * int32(q[0])
		b += int32(int8(v[1])) * int32(q[1])
		c += int32(int8(v[2])) * int32(q[2])
		d += int32(int8(v[3])) * int32(q[3])
	}
	for ; i < len(values); i++ {
		a += int32(int8(values[i])) * int32(query[i])
	}
	return a + b + c + d
}

func plainCode(dst []uint64, v []int32) {
	rotate(v)
	signs(dst, v)
}

func plainTop(vector []float32) uint32 {
	top := uint32(0)
	for _, x := range vector {
		top = max(top, math.Float32bits(x)&^(1<<31))
	}
	return top
}

func plainRound(to []int8, squares []float64, vector []float32, top, limit float64) {
	for i, x := range vector {
		y := float64(x) / top
		squares[i] = float64(y * y)
		to[i] = rounded[int8](float64(y * limit))
	}
}
