package scope

import (
	"crypto/sha256"
	"math/rand/v2"
	"slices"
	"testing"

	"lukasa.dev/internal/record"
)

// TestSketchesAreRight: the verdict on a sketch equals that of Allows on the subject, and few
// subjects must be read.
func TestSketchesAreRight(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	digest := func(name string) [16]byte { d := sha256.Sum256([]byte(name)); return [16]byte(d[:]) }
	mark := func(name string) uint64 { d := digest(name); return 1<<(d[0]&7) | 1<<(d[1]&7) } // they collide often
	counts := make(map[Verdict]int)
	for range 3000 {
		grants := []Grant{drawGrant(rng, true)}
		for range rng.IntN(3) {
			g := drawGrant(rng, false)
			g.By = "coder"
			grants = append(grants, g)
		}
		a := &Access{}
		needs := false // a closer look
		for i := range grants {
			r := ruleOf(&grants[i])
			for _, lists := range [][]list{r.include, r.exclude} {
				for j := range lists {
					slices.Sort(lists[j].words)
					needs = needs || lists[j].of == byFrame || lists[j].of == byTag
				}
			}
			a.rules, needs = append(a.rules, r), needs || r.pinned
		}
		subjects := make([]*Subject, 8)
		for i := range subjects {
			subjects[i] = drawSubject(rng)
		}
		judge, err := a.Sketcher(Marks{Session: digest, Tag: mark, ID: func(id string) (list []uint64, err error) {
			for i, s := range subjects {
				if s.ID == id {
					list = append(list, uint64(i))
				}
			}
			return list, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range subjects {
			x := Sketch{Kind: s.Kind, Type: s.Type, Section: s.Section, Position: uint64(i), Unpinned: !s.Pinned && rng.IntN(2) == 0}
			if s.Session != "" {
				x.Session = digest(s.Session)
			}
			for _, tag := range s.Tags {
				x.Tags |= mark(tag)
			}
			known := true
			if rng.IntN(4) == 0 {
				x.Type, x.Section, known = "", "", false
			}
			v := judge.Judge(&x)
			counts[v]++
			if v != Look && (v == Yes) != a.Allows(s) {
				t.Fatalf("%+v: %v of %+v, but %+v", grants, v, x, s)
			}
			if v == Look && known && !needs {
				t.Fatalf("%+v: a look at %+v", grants, x)
			}
		}
	}
	for v, n := range counts {
		if n < 1000 {
			t.Errorf("verdict %d %d times only", v, n)
		}
	}
	none, err := (*Access)(nil).Sketcher(Marks{})
	if err != nil || none.Judge(&Sketch{Kind: record.Violation}) != Yes {
		t.Error("no scope hides something")
	}
}
