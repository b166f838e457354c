//go:build !amd64 || purego

package embed

// There is no fast sum here.
const fastBlock = 1

func hasFastSum() bool { return false }

func fastAddRows(sum []float32, rows string, scales []float32, ids []int32) {
	addRows(sum, rows, scales, ids)
}

func fastDivide(v []float32, by float32) { divide(v, by) }
