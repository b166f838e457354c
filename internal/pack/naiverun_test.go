package pack

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/testsize"
)

// outcomeOf returns the outcome of a result.
func outcomeOf(res *Result) outcome {
	out := outcome{Text: res.Text, Candidates: int(res.Pack.AssemblyMetadata.CandidateCount)}
	pass := map[int64]int{}
	for _, v := range res.Verdicts {
		pass[int64(v.Rank)] = v.Pass
	}
	for _, e := range res.Pack.Entries {
		out.Entries = append(out.Entries, fmt.Sprintf("%s %s %d %v %d %d %q", e.Section, e.SourceID, e.Rank, e.RelevanceScore, e.TokenEstimate, pass[e.Rank], e.Content))
	}
	for _, d := range res.Pack.DroppedEntries {
		of := strings.Trim(string(d.Extra["of"]), `"`)
		out.Drops = append(out.Drops, fmt.Sprintf("%s %s %d %v %d %s %s", d.Section, d.SourceID, d.Rank, d.RelevanceScore, d.TokenEstimate, d.DropReason, of))
	}
	return out
}

// TestNaive composes random boards by the document and by Compose, and checks each pack by all
// rules.
func TestNaive(t *testing.T) {
	testsize.OneGoroutine(t)
	count := testsize.Of(t, "packs", 100, 400, 20_000)
	seen := map[string]int{}
	for seed := range count {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		b := randomBoard(t, r)
		res := b.compose()
		hints := hintsOf(res.Pack)
		n := &naive{in: b.input(), lines: map[*Item]int{}, says: map[string]*words{}, hints: hints, active: res.Pack.WorkflowHints.Value.ActiveTaskSchema.Value}
		want, got := n.compare(), outcomeOf(res)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("board %d, %s, %d tokens:\ngot\n%s\n%s\nwant\n%s\n%s", seed, b.in.Request.Strategy, b.in.Request.Budget,
				strings.Join(got.Entries, "\n"), strings.Join(got.Drops, "\n"), strings.Join(want.Entries, "\n"), strings.Join(want.Drops, "\n"))
		}
		if other := b.shuffled(r).compose(); digestOf(t, other.Pack) != digestOf(t, res.Pack) || other.Text != res.Text {
			t.Fatalf("board %d in another order is another pack", seed)
		}
		for _, v := range res.Verdicts {
			seen[string(v.Reason)]++
			seen["pass "+strconv.Itoa(v.Pass)]++
		}
		if t.Failed() {
			t.Fatalf("board %d", seed)
		}
	}
	for _, reason := range hmx.DropReasons() {
		if seen[string(reason)] == 0 {
			t.Errorf("no board had a drop for %s", reason)
		}
	}
	if testsize.Full() {
		for _, name := range slices.Sorted(maps.Keys(seen)) {
			t.Log(name, seen[name])
		}
	}
}
