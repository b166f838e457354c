package vector

import (
	"encoding/binary"
	"math"

	"lukasa.dev/hmx"
)

// maxDimensions is the maximum length of a vector.
const maxDimensions = hmx.MaxEmbeddings

// The largest number of a row, and of a query. That of a query is such that the product
// of the longest row and query still fits in 31 bits.
const (
	maxRow   = 127
	maxQuery = 2047
)

// quantized is a vector of small integers: the vector of length 1 with its direction is
// about scale times the values.
type quantized[I int8 | int16] struct {
	values []I
	scale  float32
	norm   float32 // the length of the vector, or the largest float32
}

// quantize rounds a vector so that its largest number becomes limit. It is false for a
// vector that is empty, too long, zero or not finite. The values use room, if that is
// large enough.
func quantize[I int8 | int16, F float32 | float64](room []I, vector []F, limit float64) (quantized[I], bool) {
	none := quantized[I]{values: room}
	if len(vector) == 0 || len(vector) > maxDimensions {
		return none, false
	}
	top := 0.0
	for _, x := range vector {
		a := math.Abs(float64(x))
		if !(a <= math.MaxFloat64) { // not a number, or infinite
			return none, false
		}
		top = max(top, a)
	}
	if top == 0 {
		return none, false
	}
	squares := 0.0
	for _, x := range vector {
		y := float64(x) / top
		squares += float64(y * y)
		room = append(room, rounded[I](float64(y*limit)))
	}
	return scaled(room, top, squares, limit), true
}

// quantizer is quantize for the rows of most documents.
type quantizer struct {
	kernels kernels
	values  []int8
	squares []float64
}

// row rounds a vector as quantize does. The values are valid until the next call.
func (z *quantizer) row(vector []float32) (quantized[int8], bool) {
	if len(vector) == 0 || len(vector) > maxDimensions {
		return quantized[int8]{}, false
	}
	if z.values == nil {
		z.kernels, z.values, z.squares = quickest(), make([]int8, maxDimensions), make([]float64, maxDimensions)
	}
	top := float64(math.Float32frombits(z.kernels.top(vector)))
	if top == 0 || !(top <= math.MaxFloat32) {
		return quantized[int8]{}, false
	}
	values, squares := z.values[:len(vector)], z.squares[:len(vector)]
	z.kernels.round(values, squares, vector, top, maxRow)
	sum := 0.0
	for _, x := range squares {
		sum += x
	}
	return scaled(values, top, sum, maxRow), true
}

// scaled completes a rounded vector: squares is the sum of the squares of its numbers
// divided by top.
func scaled[I int8 | int16](values []I, top, squares, limit float64) quantized[I] {
	length := math.Sqrt(squares) // of the vector divided by top: 1 or more
	return quantized[I]{
		values: values, scale: float32(1 / float64(limit*length)), norm: float32(min(float64(top*length), math.MaxFloat32)),
	}
}

// rounded returns the nearest integer; ties go away from zero.
func rounded[I int8 | int16](x float64) I {
	return I(int32(x + math.Copysign(0.5, x)))
}

// The value of a row:
//
//	scale   4 bytes, IEEE 754, big-endian: the factor of the values in the vector of length 1
//	norm    4 bytes, IEEE 754, big-endian: length of the vector; of the built-in model's
//	        before the division by it
//	pieces  2 bytes, big-endian: word pieces of the text, at most 65,535; 0 if unknown
//	late    1 byte: 1 if the vector is from an embedding
//	by      8 bytes, big-endian: position of that embedding, if late
//	values  1 byte for each dimension, signed
const rowHead = 4 + 4 + 2 + 1

// origin is the origin of a vector.
type origin struct {
	norm   float32
	pieces int
	late   bool
	by     uint64
}

// row is a stored row.
type row struct {
	origin
	scale  float32
	values []byte // int8
}

// rowBytes is how long a row is.
func rowBytes(o origin, dimensions int) int {
	if o.late {
		return rowHead + 8 + dimensions
	}
	return rowHead + dimensions
}

// appendRow appends the value of a row.
func appendRow(dst []byte, q quantized[int8], o origin) []byte {
	dst = binary.BigEndian.AppendUint32(dst, math.Float32bits(q.scale))
	dst = binary.BigEndian.AppendUint32(dst, math.Float32bits(o.norm))
	dst = binary.BigEndian.AppendUint16(dst, uint16(min(max(o.pieces, 0), math.MaxUint16)))
	if o.late {
		dst = binary.BigEndian.AppendUint64(append(dst, 1), o.by)
	} else {
		dst = append(dst, 0)
	}
	for _, v := range q.values {
		dst = append(dst, byte(v))
	}
	return dst
}

// decodeRow reads the output of appendRow. The values share the memory of v.
func decodeRow(v []byte) (row, error) {
	if len(v) <= rowHead {
		return row{}, damaged("a row", errLength)
	}
	r := row{scale: math.Float32frombits(binary.BigEndian.Uint32(v))}
	r.norm = math.Float32frombits(binary.BigEndian.Uint32(v[4:]))
	r.pieces = int(binary.BigEndian.Uint16(v[8:]))
	r.values = v[rowHead:]
	switch v[10] {
	case 0:
	case 1:
		if len(v) <= rowHead+8 {
			return row{}, damaged("a row", errLength)
		}
		r.late, r.by, r.values = true, binary.BigEndian.Uint64(v[rowHead:]), v[rowHead+8:]
	default:
		return row{}, damaged("a row", errContent)
	}
	if len(r.values) > maxDimensions || !(r.scale > 0) || !(r.scale <= 1) {
		return row{}, damaged("a row", errContent)
	}
	return r, nil
}
