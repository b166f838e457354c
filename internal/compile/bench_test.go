package compile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace"
	"lukasa.dev/internal/trace/provenance"
)

// busy returns the traces of about a million events of talking agents: 300,000 steps.
func busy() []*trace.Trace {
	r := rand.New(rand.NewPCG(1, 2))
	words := rand.NewZipf(r, 1.1, 4, 50_000)
	tools := rand.NewZipf(r, 1.2, 4, 60)
	var traces []*trace.Trace
	for i := range 10_000 {
		at := uint64(i) << 10
		task := trace.Task{Outcome: trace.Outcome(i % 3), From: trace.Ref{ID: fmt.Sprint(i), Position: at, Time: int64(i)}, Trust: record.User}
		task.To = task.From
		for range 12 {
			task.Words = append(task.Words, fmt.Sprint("word", words.Uint64()))
		}
		slices.Sort(task.Words)
		task.Words = slices.Compact(task.Words)
		for j := range 30 {
			tool := tools.Uint64()
			if i%2 == 0 { // one of twenty procedures
				tool = uint64(i%40 + j/3)
			}
			s := trace.Step{
				Tool: fmt.Sprint("tool", tool), Shape: "id=<id>", State: trace.OK, Trust: record.Agent, Times: 1,
				Args: []trace.Arg{{Name: "id", From: provenance.FromUser}}, Call: trace.Ref{ID: fmt.Sprint(i, "-", j), Position: at + uint64(j)},
			}
			if r.IntN(10) == 0 {
				s.State, s.Error = trace.Broken, fmt.Sprint("error", r.IntN(20))
			}
			for range 24 {
				s.Said = append(s.Said, fmt.Sprint("word", words.Uint64()))
			}
			s.Asked = 12
			task.Steps = append(task.Steps, s)
		}
		traces = append(traces, &trace.Trace{Session: fmt.Sprint(i), Tasks: []trace.Task{task}})
	}
	return traces
}

func BenchmarkPolicies(b *testing.B) {
	traces := busy()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := policiesOf(traces); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMine makes all drafts from 300,000 steps.
func BenchmarkMine(b *testing.B) {
	traces := busy()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Mine(b.Context(), traces, Options{Tenant: "t"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMerge merges them into an empty board, and then into the result.
func BenchmarkMerge(b *testing.B) {
	drafts, err := Mine(b.Context(), busy(), Options{Tenant: "t"})
	if err != nil {
		b.Fatal(err)
	}
	known := newBoard()
	known.merge(b, drafts, Options{Tenant: "t"})
	artifacts := known.known()
	b.ReportAllocs()
	for b.Loop() {
		Merge(drafts, artifacts, Options{Tenant: "t"})
	}
}

// BenchmarkByType makes the drafts of one type.
func BenchmarkByType(b *testing.B) {
	c := newCorpus(busy())
	for _, m := range []struct {
		name string
		mine func(*corpus) ([]finding, error)
	}{{"policies", policyFindings}, {"playbooks", playbooks}, {"schemas", schemas}, {"causes", causes}, {"strategies", strategies}} {
		b.Run(m.name, func(b *testing.B) {
			for b.Loop() {
				found, err := m.mine(c)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(found)), "found")
			}
		})
	}
}
