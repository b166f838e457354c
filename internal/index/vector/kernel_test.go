package vector

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"lukasa.dev/internal/testsize"
)

// TestKernelsAgree: all kernels agree with a simple computation, for codes and rows of
// all lengths.
func TestKernelsAgree(t *testing.T) {
	testsize.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, k := range available() {
		for _, words := range []int{1, 2, 3, 4, 8, 16, 17, 64} {
			for _, count := range []int{0, 1, 2, 7, chunkRows / blockRows} {
				checkNear(t, &k, words, count, rng)
			}
		}
		for _, n := range []int{0, 1, 7, 8, 9, 63, 256, 1000} {
			values, got, want := make([]byte, n), make([]float32, n+1), make([]float32, n+1)
			for i := range values {
				values[i], want[i] = byte(rng.IntN(255)-127), float32(rng.NormFloat64())
			}
			want[n] = 7777
			copy(got, want)
			for range 3 {
				scale, factor := float32(rng.Float64()/200), float32(rng.NormFloat64())
				k.add(got[:n], values, scale, factor)
				for i, v := range values {
					x := float32(scale * float32(int8(v)))
					want[i] += float32(factor * x)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s adds up to %v, want %v", k.name, got, want)
			}
		}
		for _, n := range []int{0, 1, 15, 16, 17, 31, 32, 256, 1000, maxDimensions} {
			for _, extreme := range []bool{false, true} {
				values, query := make([]byte, n), make([]int16, n)
				want := 0
				for i := range values {
					values[i], query[i] = byte(rng.IntN(255)-127), int16(rng.IntN(2*maxQuery+1)-maxQuery)
					if extreme {
						values[i], query[i] = 127, -maxQuery
					}
					want += int(int8(values[i])) * int(query[i])
				}
				if got := k.dot(values, query); int(got) != want {
					t.Fatalf("%s, %d numbers: %d, want %d", k.name, n, got, want)
				}
			}
		}
	}
}

// checkNear compares the distances of codes with the sums of their bits.
func checkNear(t *testing.T, k *kernels, words, count int, rng *rand.Rand) {
	t.Helper()
	turned := make([]int64, 64*words)
	for i := range turned {
		if turned[i] = int64(rng.NormFloat64() * 1e6); rng.IntN(8) == 0 {
			turned[i] = 0
		}
	}
	if rng.IntN(4) == 0 {
		for i := range turned {
			turned[i] = 1 << 39 // the maximum
		}
	}
	table := tableOf(turned, k.bytes)
	width, rows := 8*words, count*blockRows
	blocks := make([]byte, rows*width)
	for i := range blocks {
		blocks[i] = byte(rng.Uint32())
	}
	for j := range width { // the first is the nearest, and the second the farthest
		if count > 0 {
			near := byte(0)
			for b := range 8 {
				if turned[8*j+b] > 0 {
					near |= 1 << b
				}
			}
			blocks[j*blockRows], blocks[j*blockRows+1] = near, ^near
		}
	}
	for _, limit := range []int{-1, 0, table.far / 2, table.far} {
		distances, near := make([]uint16, rows+1), make([]byte, rows/8, rows/8+1)
		distances[rows] = 7777
		k.near(distances[:rows], near, blocks, table, limit)
		for row := range rows {
			want := 0
			for j := range width {
				v := blocks[row/blockRows*blockRows*width+j*blockRows+row%blockRows]
				want += int(table.nibbles[j][0][v&15]) + int(table.nibbles[j][1][v>>4])
			}
			if int(distances[row]) != want || near[row/8]>>(row%8)&1 == 1 != (want <= limit) {
				t.Fatalf("%s, %d words, row %d: distance %d, near %08b, want %d within %d", k.name, words, row, distances[row], near[row/8], want, limit)
			}
		}
		if count > 0 && (distances[0] != 0 || int(distances[1]) != table.far) {
			t.Fatalf("%s, %d words: the nearest is %d away and the farthest %d, want 0 and %d", k.name, words, distances[0], distances[1], table.far)
		}
		if distances[rows] != 7777 || near[:rows/8+1][rows/8] != 0 {
			t.Fatalf("%s writes behind the end", k.name)
		}
	}
}

// TestTable: each differing bit counts as the absolute value of the query's number, up
// to the rounding of half a byte.
func TestTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for range 50 {
		turned := make([]int64, 64<<rng.IntN(4))
		widest := 0.0
		for i := range turned {
			turned[i] = int64(rng.NormFloat64() * 1e9)
		}
		for i := 0; i < len(turned); i += 4 {
			sum := 0.0
			for _, x := range turned[i : i+4] {
				sum += math.Abs(float64(x))
			}
			widest = max(widest, sum)
		}
		table := tableOf(turned, false)
		for i := 0; i < len(turned); i += 4 {
			for half := range 16 {
				want := 0.0
				for k, x := range turned[i : i+4] {
					if x > 0 != (half>>k&1 == 1) {
						want += math.Abs(float64(x)) / widest * mostNibble
					}
				}
				if got := float64(table.nibbles[i/8][i/4%2][half]); math.Abs(got-want) > 0.5001 {
					t.Fatalf("half %d of %v is %v away, want %v", half, turned[i:i+4], got, want)
				}
			}
		}
	}
	if zero := tableOf(make([]int64, 64), true); zero.far != 0 {
		t.Errorf("nothing is %d away from nothing", zero.far)
	}
}

// TestKernelsMakeTheSameRows: all kernels make the same rows and codes as the plain
// ones, for vectors of all lengths and magnitudes.
func TestKernelsMakeTheSameRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	want := quantizer{kernels: plain(), values: make([]int8, maxDimensions), squares: make([]float64, maxDimensions)}
	for _, k := range available() {
		got := quantizer{kernels: k, values: make([]int8, maxDimensions), squares: make([]float64, maxDimensions)}
		for _, n := range []int{1, 3, 4, 7, 8, 9, 31, 255, 256, 257, 1000, maxDimensions} {
			for _, size := range []float64{1, 1e-44, 1e-38, 3e38} {
				v, wide := make([]float32, n), make([]float64, n)
				for i := range v {
					v[i] = float32(max(-1, min(1, rng.NormFloat64()/3)) * size)
					if rng.IntN(8) == 0 {
						v[i] = float32(float64(rng.IntN(255)-127) / 254 * size) // halves
					}
					wide[i] = float64(v[i])
				}
				a, aOK := want.row(v)
				b, bOK := got.row(v)
				c, cOK := quantize[int8](nil, wide, maxRow)
				if aOK != bOK || aOK != cOK || aOK && (!slices.Equal(a.values, b.values) || a.scale != b.scale || a.norm != b.norm || !slices.Equal(a.values, c.values) || a.scale != c.scale || a.norm != c.norm) {
					t.Fatalf("%s, %d numbers of size %g: %v %v, want %v %v", k.name, n, size, b, bOK, a, aOK)
				}
			}
			for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
				v := make([]float32, n)
				v[rng.IntN(n)] = bad
				if _, ok := got.row(v); ok {
					t.Fatalf("%s: a row of %v", k.name, bad)
				}
			}
			if _, ok := got.row(make([]float32, n)); ok {
				t.Fatalf("%s: a row of nothing", k.name)
			}
		}
		for _, n := range []int{64, 128, 256, 1024, maxDimensions} {
			for range 20 {
				v := make([]int32, n)
				for i := range v {
					v[i] = int32(rng.IntN(255) - 127)
				}
				a, b := make([]uint64, n/64), make([]uint64, n/64)
				plainCode(a, slices.Clone(v))
				k.code(b, v)
				if !slices.Equal(a, b) {
					t.Fatalf("%s: code %x of %d numbers, want %x", k.name, b, n, a)
				}
			}
		}
	}
}

// TestRotationIsExact: the rotation is exact within 32 bits.
func TestRotationIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, n := range []int{64, 128, 256, 1024, maxDimensions} {
		for _, extreme := range []bool{false, true} {
			small, large := make([]int32, n), make([]int64, n)
			square := int64(0)
			for i := range small {
				small[i] = int32(rng.IntN(255) - 127)
				if extreme {
					// What the first turn adds up in one number.
					small[i] = 127 * (1 - 2*int32(lots(uint64(i/64))>>(i%64)&1))
				}
				large[i] = int64(small[i])
				square += large[i] * large[i]
			}
			rotate(small)
			rotate(large)
			after := new(big.Int)
			for i := range small {
				if int64(small[i]) != large[i] {
					t.Fatalf("%d numbers, number %d: %d and %d", n, i, small[i], large[i])
				}
				after.Add(after, new(big.Int).Mul(big.NewInt(large[i]), big.NewInt(large[i])))
			}
			// Two transforms make it n times as long.
			want := new(big.Int).Mul(big.NewInt(square), big.NewInt(int64(n)*int64(n)))
			if after.Cmp(want) != 0 {
				t.Fatalf("%d numbers: the square of the length is %v, want %v", n, after, want)
			}
		}
	}
}

// TestHadamard: the transform is the sum over all numbers with the sign that the common
// bits of the two indexes give.
func TestHadamard(t *testing.T) {
	v := make([]int64, 64)
	for i := range v {
		v[i] = int64(i*i%31 - 9)
	}
	want := make([]int64, len(v))
	for i := range want {
		for j, x := range v {
			if bits.OnesCount(uint(i&j))%2 == 1 {
				x = -x
			}
			want[i] += x
		}
	}
	if hadamard(v); !slices.Equal(v, want) {
		t.Fatal(v, want)
	}
}

// TestLots: the sequence is that of splitmix64, whose first numbers from state 0 are
// published.
func TestLots(t *testing.T) {
	// The sequence from another state is the same one, further on.
	const first = uint64(0xe220a8397b1dcdaf)
	back := uint64(lotState)
	steps := -back * 0xf1de83e19937733d // the inverse of lotStep
	if z := back + steps*lotStep; z != 0 {
		t.Fatalf("%x is not the way back", steps)
	}
	if got := lots(steps); got != first {
		t.Fatalf("%x, want %x", got, first)
	}
}

// TestCodesOfRows: codes say which of the rotated numbers are above zero, with the
// rotation of queries.
func TestCodesOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{1, 3, 64, 65, 256, 768, maxDimensions} {
		values, wide := make([]byte, n), make([]int64, codeBits(n))
		for i := range values {
			values[i] = byte(rng.IntN(255) - 127)
			wide[i] = int64(int8(values[i]))
		}
		rotate(wide)
		code := make([]uint64, codeWords(n))
		c := coder{room: []int32{9, 9, 9}}
		c.code(code, values)
		for i, x := range wide {
			if code[i/64]>>(i%64)&1 == 1 != (x > 0) {
				t.Fatalf("%d dimensions: number %d is %d", n, i, x)
			}
		}
	}
}

// TestChunkBlocks: a block has the same byte of 32 codes side by side, and zeros after
// the last.
func TestChunkBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, words := range []int{1, 2, 4, 16} {
		for _, n := range []int{1, 7, 8, 9, 31, 32, 33, 1000, chunkRows} {
			from := &codes{words: words}
			for i := range n {
				for k := range from.add(i) {
					from.list[i*words+k] = rng.Uint64()
				}
			}
			c := new(Cache).newChunk(from)
			rows := (n + blockRows - 1) / blockRows * blockRows
			if len(c.blocks) != rows*8*words {
				t.Fatalf("%d codes of %d words take %d bytes", n, words, len(c.blocks))
			}
			for i := range rows {
				for j := range 8 * words {
					want := byte(0)
					if i < n {
						want = byte(from.list[i*words+j/8] >> (8 * (j % 8)))
					}
					if got := c.blocks[i/blockRows*blockRows*8*words+j*blockRows+i%blockRows]; got != want {
						t.Fatalf("%d codes of %d words: byte %d of code %d is %x, want %x", n, words, j, i, got, want)
					}
				}
			}
		}
	}
}
