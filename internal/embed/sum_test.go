package embed

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The fast sum and the plain one give the same bits, for rows and scales of every size, and for
// existing sums.
func TestFastSumIsTheSum(t *testing.T) {
	if !hasFastSum() {
		t.Skip("there is no fast sum on this machine")
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		d := fastBlock * (1 + random.IntN(6))
		pieces := 1 + random.IntN(40)
		rows := make([]byte, d*pieces)
		for i := range rows {
			rows[i] = byte(random.Uint32())
		}
		scales := make([]float32, pieces)
		for i := range scales {
			scales[i] = float32(math.Ldexp(random.Float64(), random.IntN(60)-40))
		}
		ids := make([]int32, random.IntN(80))
		for i := range ids {
			ids[i] = int32(random.IntN(pieces))
		}
		want := make([]float32, d)
		for i := range want {
			want[i] = float32(random.NormFloat64())
		}
		got := slices.Clone(want)
		addRows(want, string(rows), scales, ids)
		fastAddRows(got, string(rows), scales, ids)
		if !bytes.Equal(vectorBytes(got), vectorBytes(want)) {
			t.Fatalf("%d pieces of %d, %d dimensions: not the same sum", len(ids), pieces, d)
		}
		by := float32(random.ExpFloat64()) + math.SmallestNonzeroFloat32
		divide(want, by)
		fastDivide(got, by)
		if !bytes.Equal(vectorBytes(got), vectorBytes(want)) {
			t.Fatalf("%d dimensions divided by %v: not the same", d, by)
		}
	}
}

// The fast sum writes only within its slice.
func TestFastSumKeepsToItsRoom(t *testing.T) {
	if !hasFastSum() {
		t.Skip("there is no fast sum on this machine")
	}
	room := make([]float32, 3*fastBlock)
	rows := bytes.Repeat([]byte{1}, fastBlock)
	fastAddRows(room[fastBlock:2*fastBlock], string(rows), []float32{2}, []int32{0, 0})
	fastDivide(room[fastBlock:2*fastBlock], 4)
	fastAddRows(room[:fastBlock], string(rows), []float32{2}, nil)
	fastAddRows(room[:0], string(rows), []float32{2}, []int32{0})
	fastDivide(room[:0], 2)
	for i, x := range room {
		want := float32(0)
		if i >= fastBlock && i < 2*fastBlock {
			want = 1
		}
		if x != want {
			t.Fatalf("number %d is %v, want %v", i, x, want)
		}
	}
}

func TestNormalize(t *testing.T) {
	tiny := []float32{1e-45, 0, 0, 0, 0, 0, 0, 0}
	if n := normalize(tiny); n == 0 || tiny[0] != 1 {
		t.Errorf("the smallest number: length %v, vector %v", n, tiny)
	}
	big := []float32{3e19, 4e19, 0, 0, 0, 0, 0, 0}
	if n := normalize(big); n != 5e19 || big[0] != 0.6 || big[1] != 0.8 {
		t.Errorf("squares beyond float32: length %v, vector %v", n, big)
	}
	if n := normalize(make([]float32, 8)); n != 0 {
		t.Errorf("zero has length %v", n)
	}
}

func BenchmarkSum(b *testing.B) {
	m := Builtin()
	sum := make([]float32, m.dimensions)
	random := rand.New(rand.NewPCG(5, 6))
	ids := make([]int32, 30*1000)
	for i := range ids { // frequent pieces have low ids
		ids[i] = int32(float64(len(m.scales)) * math.Pow(random.Float64(), 3))
	}
	run := func(name string, add func(sum []float32, rows string, scales []float32, ids []int32)) {
		b.Run(name, func(b *testing.B) {
			i := 0
			for b.Loop() {
				add(sum, m.rows, m.scales, ids[i:i+30])
				if i += 30; i == len(ids) {
					i = 0
				}
			}
		})
	}
	run("plain", addRows)
	if hasFastSum() {
		run("fast", fastAddRows)
	}
}
