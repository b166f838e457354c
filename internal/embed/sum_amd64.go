//go:build !purego

package embed

import "golang.org/x/sys/cpu"

// fastBlock divides the length of every vector for the fast sum.
const fastBlock = 64

// hasFastSum reports whether the processor supports the fast sum.
func hasFastSum() bool { return cpu.X86.HasAVX2 }

// fastAddRows is addRows for a sum whose length is a multiple of fastBlock. It processes eight
// numbers at a time, multiplies and adds in two steps, and so gives the same bits. Each id must
// have a row and a scale: it does not check.
//
//go:noescape
func fastAddRows(sum []float32, rows string, scales []float32, ids []int32)

// fastDivide is divide for a vector whose length is a multiple of fastBlock.
//
//go:noescape
func fastDivide(v []float32, by float32)
