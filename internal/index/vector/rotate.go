package vector

import (
	"math/bits"
	"sync"
)

// A code has one bit per number: whether it is above zero. Codes are more precise the
// more similar the numbers are in magnitude, which those of real models are not. So a
// row is rotated first: its numbers are padded with zeros to a power of two, and then,
// twice, every number gets a pseudorandom sign and the Hadamard transform is taken.
// Without a division in between, integers stay integers, so that the code of a row is
// the same everywhere. Measured with the built-in model, a thousand candidates by such
// codes find as many of the ten nearest as two thousand by codes of the plain numbers.
//
// The signs are the bits of the splitmix64 sequence that begins with the state below,
// lowest bit first: for the first turn from its first number on, for the second from its
// 65th.
const (
	lotState = 0x4c756b6173612056
	lotStep  = 0x9e3779b97f4a7c15
	lotTurn  = maxDimensions / 64
)

// lots returns the i-th number of the sequence, from 0.
func lots(i uint64) uint64 {
	z := lotState + (i+1)*lotStep
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// codeBits is how many bits a code has: a power of two, 64 at least.
func codeBits(dimensions int) int { return max(64, 1<<bits.Len(uint(dimensions-1))) }

// codeWords is how many words a code has.
func codeWords(dimensions int) int { return codeBits(dimensions) / 64 }

// rotate rotates codeBits numbers in place. Those of a row never exceed 32 bits: 127 *
// 4096 * 4096 is less than that.
func rotate[I int32 | int64](v []I) {
	for turn := range 2 {
		for i := 0; i < len(v); i += 64 {
			l := lots(uint64(turn*lotTurn + i/64))
			part := v[i : i+64]
			for j := range part {
				minus := -I(l & 1)
				part[j] = (part[j] ^ minus) - minus
				l >>= 1
			}
		}
		hadamard(v)
	}
}

// hadamard replaces numbers by their Hadamard transform. There are at least eight.
func hadamard[I int32 | int64](v []I) {
	for i := 0; i+8 <= len(v); i += 8 {
		hadamard8((*[8]I)(v[i:]))
	}
	for half := 8; half < len(v); half *= 2 {
		for i := 0; i < len(v); i += 2 * half {
			a := v[i : i+half]
			b := v[i+half : i+2*half][:len(a)]
			for j, x := range a {
				y := b[j]
				a[j], b[j] = x+y, x-y
			}
		}
	}
}

// hadamard8 is hadamard of eight numbers.
func hadamard8[I int32 | int64](v *[8]I) {
	a0, a1, a2, a3 := v[0]+v[1], v[0]-v[1], v[2]+v[3], v[2]-v[3]
	a4, a5, a6, a7 := v[4]+v[5], v[4]-v[5], v[6]+v[7], v[6]-v[7]
	b0, b1, b2, b3 := a0+a2, a1+a3, a0-a2, a1-a3
	b4, b5, b6, b7 := a4+a6, a5+a7, a4-a6, a5-a7
	v[0], v[1], v[2], v[3] = b0+b4, b1+b5, b2+b6, b3+b7
	v[4], v[5], v[6], v[7] = b0-b4, b1-b5, b2-b6, b3-b7
}

// signs sets the bits of the numbers that are above zero.
func signs(code []uint64, v []int32) {
	for w := range code {
		word := uint64(0)
		for j, x := range v[64*w : 64*w+64] {
			word |= uint64(-int64(x)) >> 63 << j // whether -x is below zero
		}
		code[w] = word
	}
}

// flips returns the signs of the two turns for the longest rows: -1 for a number that
// changes its sign, else 0. Shorter rows use the first of them.
var flips = sync.OnceValue(func() *[2][maxDimensions]int32 {
	var all [2][maxDimensions]int32
	for turn := range all {
		for i := range all[turn] {
			all[turn][i] = -int32(lots(uint64(turn*lotTurn+i/64)) >> (i % 64) & 1)
		}
	}
	return &all
})

// coder computes codes of rows.
type coder struct {
	kernels kernels
	room    []int32
}

// code sets the code of a row's values.
func (c *coder) code(dst []uint64, values []byte) {
	n := 64 * len(dst)
	if cap(c.room) < n {
		c.room = make([]int32, n)
	}
	v := c.room[:n]
	for i, b := range values {
		v[i] = int32(int8(b))
	}
	clear(v[len(values):])
	if c.kernels.code == nil {
		c.kernels = quickest()
	}
	c.kernels.code(dst, v)
}
