package vector

// table says how far codes are from a query, by what their bytes are: for each bit in
// which a code differs from that of the query, by as much as the query's own number there is
// away from zero. It tells more than the number of bits in which two codes differ, since
// it is the query itself that is compared with the code. A bit of which the query is not
// sure hardly counts.
type table struct {
	nibbles [][2][16]byte // for each byte of a code, of its lower half and its upper half
	bytes   [][256]byte   // likewise, of all of it
	far     int           // of the farthest code
}

// mostNibble is how far half a byte can be: the sum of eight fits into a byte, and that of
// all halves of the longest codes is below 1<<15.
const mostNibble = 31

// tableOf returns the table of a rotated query, which has a multiple of 64 numbers.
func tableOf(turned []int64) *table {
	t := &table{nibbles: make([][2][16]byte, len(turned)/8), bytes: make([][256]byte, len(turned)/8)}
	widest := int64(1)
	for i := 0; i < len(turned); i += 4 {
		widest = max(widest, apart(turned[i:i+4], farthest(turned[i:i+4])))
	}
	for i := 0; i < len(turned); i += 4 {
		half := &t.nibbles[i/8][i/4%2]
		for v := range half {
			half[v] = byte((2*mostNibble*apart(turned[i:i+4], v) + widest) / (2 * widest))
		}
		t.far += int(half[farthest(turned[i:i+4])])
	}
	for j := range t.bytes {
		for v := range t.bytes[j] {
			t.bytes[j][v] = t.nibbles[j][0][v&15] + t.nibbles[j][1][v>>4]
		}
	}
	return t
}

// apart returns how far half a byte is from four numbers.
func apart(numbers []int64, half int) (sum int64) {
	for k, x := range numbers {
		if x > 0 != (half>>k&1 == 1) {
			sum += max(x, -x)
		}
	}
	return sum
}

// farthest returns the half of a byte that is farthest from four numbers.
func farthest(numbers []int64) (half int) {
	for k, x := range numbers {
		if x <= 0 {
			half |= 1 << k
		}
	}
	return half
}

// width is how many bytes a code has.
func (t *table) width() int { return len(t.nibbles) }
