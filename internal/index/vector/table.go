package vector

// table gives the distance of codes from a query by their bytes: each bit in which a code
// differs from that of the query counts as much as the absolute value of the query's number
// there. That is more precise than the number of differing bits, since the query itself is
// compared with the code. Bits where the query is near zero hardly count.
type table struct {
	nibbles [][2][16]byte // for each byte of a code, by its lower and its upper half
	bytes   [][256]byte   // likewise by the whole byte, for kernels that look up byte by byte
	far     int           // the largest distance
}

// mostNibble is the maximum distance of half a byte: the sum of eight fits into a byte, and
// that of all halves of the longest codes is below 1<<15.
const mostNibble = 31

// tableOf returns the table of a rotated query, which has a multiple of 64 numbers, with or
// without the table by bytes.
func tableOf(turned []int64, bytes bool) *table {
	t := &table{nibbles: make([][2][16]byte, len(turned)/8)}
	widest := int64(1)
	for i := 0; i < len(turned); i += 4 {
		sum := int64(0)
		for _, x := range turned[i : i+4] {
			sum += max(x, -x)
		}
		widest = max(widest, sum)
	}
	step := mostNibble / float64(widest)
	for i := 0; i < len(turned); i += 4 {
		t.far += fill(&t.nibbles[i/8][i/4%2], (*[4]int64)(turned[i:]), step)
	}
	if bytes {
		t.bytes = make([][256]byte, len(t.nibbles))
	}
	for j := range t.bytes {
		for v := range t.bytes[j] {
			t.bytes[j][v] = t.nibbles[j][0][v&15] + t.nibbles[j][1][v>>4]
		}
	}
	return t
}

// fill sets the distance of each half byte from four numbers, in steps, and returns the
// largest one. Rounding to steps keeps the order.
func fill(half *[16]byte, numbers *[4]int64, step float64) int {
	var sums [16]int64 // of the absolute values of the numbers whose bits are set
	near := 0          // the half byte without a difference
	for k, x := range numbers {
		if x > 0 {
			near |= 1 << k
		}
		for v := range 1 << k {
			sums[v|1<<k] = sums[v] + max(x, -x)
		}
	}
	for v, sum := range sums {
		// Rounded before the addition, so that no processor fuses the two.
		half[v^near] = byte(float64(float64(sum)*step) + 0.5)
	}
	return int(half[15^near])
}

// width is how many bytes a code has.
func (t *table) width() int { return len(t.nibbles) }
