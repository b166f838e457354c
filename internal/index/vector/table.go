package vector

// table says how far codes are from a query, by what their bytes are: for each bit in
// which a code differs from that of the query, by as much as the query's own number there is
// away from zero. It tells more than the number of bits in which two codes differ, since
// it is the query itself that is compared with the code. A bit of which the query is not
// sure hardly counts.
type table struct {
	nibbles [][2][16]byte // for each byte of a code, of its lower half and its upper half
	bytes   [][256]byte   // likewise, of all of it, for kernels that look up one after the other
	far     int           // of the farthest code
}

// mostNibble is how far half a byte can be: the sum of eight fits into a byte, and that of
// all halves of the longest codes is below 1<<15.
const mostNibble = 31

// tableOf returns the table of a rotated query, which has a multiple of 64 numbers, for
// kernels that look up bytes or do not.
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

// fill sets how far each half of a byte is from four numbers, in steps, and returns how far
// the farthest is. Further by the numbers is never nearer in steps.
func fill(half *[16]byte, numbers *[4]int64, step float64) int {
	var sums [16]int64 // of the numbers whose bits are set, whatever their signs
	near := 0          // that does not differ
	for k, x := range numbers {
		if x > 0 {
			near |= 1 << k
		}
		for v := range 1 << k {
			sums[v|1<<k] = sums[v] + max(x, -x)
		}
	}
	for v, sum := range sums {
		// Rounded before it is added to, so that no processor does both at once.
		half[v^near] = byte(float64(float64(sum)*step) + 0.5)
	}
	return int(half[15^near])
}

// width is how many bytes a code has.
func (t *table) width() int { return len(t.nibbles) }
