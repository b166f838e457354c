package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/vector"
	"lukasa.dev/internal/kv"
)

// VectorScan compares the vector index alone with a scan of all vectors in memory by one
// goroutine. The two alternate on each question.
type VectorScan struct {
	Vectors    int     `json:"vectors"`
	Dimensions int     `json:"dimensions"`
	Queries    int     `json:"queries"`
	Ours       float64 `json:"lukasa_ms"` // median
	Exact      float64 `json:"exact_ms"`  // median
	Ratio      float64 `json:"ratio"`
	CPURatio   float64 `json:"cpu_ratio"` // over all queries; 0 if unknown
	Recall     float64 `json:"recall_at_10"`
}

// nearestWanted is how many of the nearest are compared.
const nearestWanted = 10

// vectorQueries is the maximum number of questions.
const vectorQueries = 60

// vectorWarm is the number of warm-up questions.
const vectorWarm = 60

// scanVectors compares the vector index with a scan, which has all full vectors in memory.
func scanVectors(ctx context.Context, dir string, c *corpus, o *RecallOptions) (VectorScan, error) {
	model := embed.Builtin()
	out := VectorScan{Vectors: len(c.turns), Dimensions: model.Dimensions(), Queries: min(vectorQueries, o.Queries)}
	defer makeRoom(&out)()
	all, err := embedAll(ctx, c, out.Dimensions, o)
	if err != nil {
		return out, err
	}
	store, err := kv.Open(kv.Options{FS: disk.OS(), Dir: filepath.Join(dir, "index"), Rows: apply.Rows()})
	if err != nil {
		return out, err
	}
	defer store.Close() // nothing was written
	t, ok, err := ledger.Lookup(store, tenant)
	if err != nil || !ok {
		return out, fault.Wrap(fault.Internal, err)
	}
	s := vectorScan{view: vector.Open(store, t.Number, t.Size, vector.NewCache(1<<30)), vectors: all, dimensions: out.Dimensions}
	chance := rand.New(rand.NewPCG(corpusSeed, 3))
	err = s.compare(ctx, &out, o, func() []float32 { return model.Embed(nil, c.ask(chance).text).Vector })
	return out, err
}

// makeRoom raises the memory limit by the size of the vectors: that memory belongs to the scan
// and not to the engine. The returned function restores it.
func makeRoom(out *VectorScan) func() {
	limit := debug.SetMemoryLimit(-1)
	room := 2 * 4 * int64(out.Vectors) * int64(out.Dimensions)
	if limit >= math.MaxInt64-room {
		return func() {}
	}
	debug.SetMemoryLimit(limit + room)
	return func() { debug.SetMemoryLimit(limit) }
}

// embedAll computes the vectors of all events.
func embedAll(ctx context.Context, c *corpus, dimensions int, o *RecallOptions) ([]float32, error) {
	all := make([]float32, len(c.turns)*dimensions)
	var next atomic.Int64
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	errs := make([]error, workers)
	const lot = 1000
	for w := range workers {
		wg.Go(func() {
			var e said
			for ctx.Err() == nil {
				from := int(next.Add(lot)) - lot
				if from >= len(c.turns) {
					return
				}
				if w == 0 {
					o.Progress("computing vectors", from, len(c.turns))
				}
				for i := from; i < min(from+lot, len(c.turns)); i++ {
					c.event(i, &e)
					ev, _, err := hmx.DecodeEvent(e.line[:len(e.line)-1])
					if err != nil {
						errs[w] = err
						return
					}
					copy(all[i*dimensions:], index.Embed(&index.Record{Event: ev}).Vector)
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return all, ctx.Err()
}

// vectorScan is the vectors of a tenant, in the index and in memory.
type vectorScan struct {
	view       *vector.View
	vectors    []float32
	dimensions int
}

// at returns the vector of a position, or nil if it has none.
func (s *vectorScan) at(position uint64) []float32 {
	from := int(position) * s.dimensions
	if from >= len(s.vectors) {
		return nil
	}
	return s.vectors[from : from+s.dimensions]
}

// compare runs the same questions on the index and on the scan, alternately.
func (s *vectorScan) compare(ctx context.Context, out *VectorScan, o *RecallOptions, ask func() []float32) error {
	for i := range vectorWarm {
		if _, err := s.search(ctx, ask()); err != nil {
			return err
		}
		o.Progress("warming up: vectors", i, vectorWarm)
	}
	var ours, exact []float64
	var oursCPU, exactCPU time.Duration
	same, want := 0, 0
	for i := range out.Queries {
		if err := ctx.Err(); err != nil {
			return err
		}
		q := ask()
		cpu, start := processTime(), time.Now()
		found, err := s.search(ctx, q)
		took, worked := time.Since(start), processTime()-cpu
		if err != nil {
			return err
		}
		cpu, start = processTime(), time.Now()
		best := s.scan(q)
		took2, worked2 := time.Since(start), processTime()-cpu
		ours, exact = append(ours, 1000*took.Seconds()), append(exact, 1000*took2.Seconds())
		oursCPU, exactCPU = oursCPU+worked, exactCPU+worked2
		for _, m := range best {
			want++
			if slices.ContainsFunc(found, func(f vector.Match) bool { return f.Position == m.Position }) {
				same++
			}
		}
		o.Progress("comparing vectors", i, out.Queries)
	}
	out.Ours, out.Exact = median(ours), median(exact)
	out.Ratio = out.Exact / out.Ours
	if oursCPU > 0 {
		out.CPURatio = float64(exactCPU) / float64(oursCPU)
	}
	out.Recall = float64(same) / float64(max(want, 1))
	return nil
}

// search searches the index.
func (s *vectorScan) search(ctx context.Context, q []float32) ([]vector.Match, error) {
	return s.view.Search(ctx, vector.Query{Vector: q, K: nearestWanted, Exact: func(position uint64) ([]float32, error) { return s.at(position), nil }})
}

// scan compares all vectors, which have length one.
func (s *vectorScan) scan(q []float32) []index.Match {
	best := make([]index.Match, 0, nearestWanted+1)
	least := float32(-2)
	for position, from := uint64(0), 0; from < len(s.vectors); position, from = position+1, from+s.dimensions {
		d := dot(q, s.vectors[from:from+s.dimensions])
		if d <= least && len(best) == nearestWanted {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, float64(d), func(m index.Match, score float64) int {
			if m.Score >= score {
				return -1
			}
			return 1
		})
		best = slices.Insert(best, at, index.Match{Position: position, Score: float64(d)})
		best = best[:min(len(best), nearestWanted)]
		least = float32(best[len(best)-1].Score)
	}
	return best
}

// dot returns the dot product of two vectors, whose lengths are equal and a multiple of 8.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	b = b[:len(a)]
	for i := 0; i+8 <= len(a); i += 8 {
		x, y := a[i:i+8:i+8], b[i:i+8:i+8]
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		s4 += x[4] * y[4]
		s5 += x[5] * y[5]
		s6 += x[6] * y[6]
		s7 += x[7] * y[7]
	}
	return s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7
}
