package vector

import (
	"math"
	"math/bits"
)

// blockRows is how many codes are side by side in memory: of each block first the
// first word of each code, then the second, and so on.
const blockRows = 8

// kernels are the loops in which searching and indexing spend their time. All of them
// give the same bits.
type kernels struct {
	name string
	// hamming counts for each code of the blocks by how many bits it differs from
	// the query, and sets the bit of those in near that differ by limit or less. Near
	// has a byte for each block.
	hamming func(distances []uint16, near []byte, blocks, query []uint64, limit int)
	// weight counts the ones of a code, which has a word in each blockRows of the block, and
	// adds up what those ones are that the planes of the query have too: see weigh.
	weight func(block []uint64, planes [][planeBits]uint64) (sum, ones int)
	// add adds a row's values, each times its scale and then times a factor, to the sums.
	add func(sums []float32, values []byte, scale, factor float32)
	// dot returns the product of a row's values with a query of the same length.
	dot func(values []byte, query []int16) int32
	// code rotates numbers in place and sets the bits of those that are above zero then.
	// There are 64 for each word.
	code func(dst []uint64, v []int32)
	// top returns the bits of the largest number, whatever its sign; those of infinity or
	// more if one is not finite.
	top func(vector []float32) uint32
	// round divides numbers by top and sets to what is nearest, and squares to the square
	// of each quotient.
	round func(to []int8, squares []float64, vector []float32, top, limit float64)
}

// plain returns the kernels that every processor has.
func plain() kernels {
	return kernels{"plain", plainHamming, plainWeight, plainAdd, plainDot, plainCode, plainTop, plainRound}
}

func plainHamming(distances []uint16, near []byte, blocks, query []uint64, limit int) {
	step := blockRows * len(query)
	for b := range near {
		block := blocks[b*step : (b+1)*step]
		var d0, d1, d2, d3, d4, d5, d6, d7 int
		for _, q := range query {
			w := (*[blockRows]uint64)(block)
			d0 += bits.OnesCount64(w[0] ^ q)
			d1 += bits.OnesCount64(w[1] ^ q)
			d2 += bits.OnesCount64(w[2] ^ q)
			d3 += bits.OnesCount64(w[3] ^ q)
			d4 += bits.OnesCount64(w[4] ^ q)
			d5 += bits.OnesCount64(w[5] ^ q)
			d6 += bits.OnesCount64(w[6] ^ q)
			d7 += bits.OnesCount64(w[7] ^ q)
			block = block[blockRows:]
		}
		d := (*[blockRows]uint16)(distances[b*blockRows:])
		d[0], d[1], d[2], d[3] = uint16(d0), uint16(d1), uint16(d2), uint16(d3)
		d[4], d[5], d[6], d[7] = uint16(d4), uint16(d5), uint16(d6), uint16(d7)
		// Where a distance is above the limit, the difference is below zero.
		far := uint64(limit-d0)>>63 | uint64(limit-d1)>>63<<1 | uint64(limit-d2)>>63<<2 | uint64(limit-d3)>>63<<3 |
			uint64(limit-d4)>>63<<4 | uint64(limit-d5)>>63<<5 | uint64(limit-d6)>>63<<6 | uint64(limit-d7)>>63<<7
		near[b] = ^byte(far)
	}
}

func plainWeight(block []uint64, planes [][planeBits]uint64) (sum, ones int) {
	for k := range planes {
		w, b := block[k*blockRows], &planes[k]
		ones += bits.OnesCount64(w)
		sum += bits.OnesCount64(w&b[0]) + bits.OnesCount64(w&b[1])<<1 + bits.OnesCount64(w&b[2])<<2 +
			bits.OnesCount64(w&b[3])<<3 + bits.OnesCount64(w&b[4])<<4 + bits.OnesCount64(w&b[5])<<5
	}
	return sum, ones
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
