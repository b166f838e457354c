package kafka

import (
	"math/rand/v2"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// The end is always that of the unbroken run, for any order of completion and any
// missing offsets.
func TestPartitionAgainstModel(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		p := &partition{}
		var all []*entry
		committed := int64(-1) // the highest offset
		for offset, step := int64(0), 0; step < 40; step++ {
			switch random.IntN(3) {
			case 0:
				offset += 1 + int64(random.IntN(3))
				all = append(all, p.add(&kgo.Record{Offset: offset}))
			case 1:
				if len(all) > 0 {
					all[random.IntN(len(all))].done = true
				}
			case 2:
				want := int64(-1)
				for _, e := range all {
					if !e.done {
						break
					}
					want = e.record.Offset
				}
				end := p.end()
				if want <= committed {
					if end != nil {
						t.Fatalf("%d would be committed again", end.Offset)
					}
					continue
				}
				if end == nil || end.Offset != want {
					t.Fatalf("end %v, want %d", end, want)
				}
				p.forget(end)
				committed = want
			}
		}
	}
}
