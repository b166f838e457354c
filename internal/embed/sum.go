package embed

import "math"

// addRows adds the rows of pieces to a sum, one after the other. Each number of the sum is a
// float32 after each step.
func (m *Model) addRows(sum []float32, ids []int32) {
	if len(ids) == 0 {
		return
	}
	if len(sum)%fastBlock == 0 && hasFastSum() {
		fastAddRows(sum, m.rows, m.scales, ids)
		return
	}
	addRows(sum, m.rows, m.scales, ids)
}

// addRows is the definition of the sum. A product is rounded before it is added: the conversion
// prevents fused multiply-add, which some processors would use.
func addRows(sum []float32, rows string, scales []float32, ids []int32) {
	d := len(sum)
	for _, id := range ids {
		scale := scales[id]
		row := rows[int(id)*d:][:d]
		for i := 0; i+8 <= len(row) && i+8 <= len(sum); i += 8 {
			r, s := row[i:i+8], sum[i:i+8:i+8]
			s[0] += float32(scale * float32(int8(r[0])))
			s[1] += float32(scale * float32(int8(r[1])))
			s[2] += float32(scale * float32(int8(r[2])))
			s[3] += float32(scale * float32(int8(r[3])))
			s[4] += float32(scale * float32(int8(r[4])))
			s[5] += float32(scale * float32(int8(r[5])))
			s[6] += float32(scale * float32(int8(r[6])))
			s[7] += float32(scale * float32(int8(r[7])))
		}
	}
}

// normalize divides a vector by its norm, and returns the norm. The zero vector is unchanged.
// The squares are summed in float64, in four interleaved sums that are then added in order.
func normalize(v []float32) float32 {
	var a, b, c, d float64
	for i := 0; i+4 <= len(v); i += 4 {
		s := v[i : i+4 : i+4]
		a += float64(float64(s[0]) * float64(s[0]))
		b += float64(float64(s[1]) * float64(s[1]))
		c += float64(float64(s[2]) * float64(s[2]))
		d += float64(float64(s[3]) * float64(s[3]))
	}
	length := float32(math.Sqrt(a + b + c + d))
	if length == 0 {
		clear(v) // their squares underflow
		return 0
	}
	if len(v)%fastBlock == 0 && hasFastSum() {
		fastDivide(v, length)
	} else {
		divide(v, length)
	}
	return length
}

// divide divides each number of a vector.
func divide(v []float32, by float32) {
	for i := range v {
		v[i] /= by
	}
}
