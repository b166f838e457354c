package benchcli

import (
	"encoding/json"
	"strings"
	"testing"

	"lukasa.dev/internal/bench"
	"lukasa.dev/internal/fault"
)

// Failed calls make the command fail; missed goals do so only with --strict.
func TestBenchFails(t *testing.T) {
	report := func(errors int, ok bool) *bench.ContextReport {
		return &bench.ContextReport{
			Many: bench.Latency{Calls: 10, Errors: errors}, Problem: "the disk is gone",
			Goals: []bench.Limit{{Name: "p50", OK: true}, {Name: "p99", OK: ok}},
		}
	}
	for _, c := range []struct {
		r      *bench.ContextReport
		strict bool
		exit   int
		says   string
	}{
		{report(0, true), true, fault.ExitOK, ""},
		{report(0, false), false, fault.ExitOK, ""},
		{report(0, false), true, fault.ExitProblem, "p99"},
		{report(2, true), false, fault.ExitProblem, "2 of 10 calls failed, the first with: the disk is gone"},
		{report(2, false), true, fault.ExitProblem, "the disk is gone"},
	} {
		err := failedBench(c.r, c.strict)
		if fault.ExitCode(err) != c.exit || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v, strict %v: %v", c.r, c.strict, err)
		}
	}
}

// The output of --json says for every goal whether it is reached; with --strict the exit code
// does as well.
func TestBenchMarksGoals(t *testing.T) {
	code, out, problems := run("context", "--json", "--strict", "--dir", t.TempDir(),
		"--things", "200", "--frames", "10", "--calls", "20", "--callers", "2", "--rounds", "2")
	var r struct {
		Goals []struct {
			Got  float64 `json:"got_ms"`
			Goal float64 `json:"goal_ms"`
			OK   *bool   `json:"ok"`
		} `json:"goals"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Goals) != 2 {
		t.Fatalf("%v: %s%s", err, out, problems)
	}
	want := fault.ExitOK
	for _, g := range r.Goals {
		if g.OK == nil || *g.OK != (g.Got < g.Goal) {
			t.Errorf("%+v", g)
		} else if !*g.OK {
			want = fault.ExitProblem
		}
	}
	if code != want {
		t.Errorf("exit code %d, want %d: %s", code, want, problems)
	}
}

// A MB is a million bytes, as in the goals.
func TestMegabytes(t *testing.T) {
	if got := megabytes(uint64(1_999_999_999)); got != 1999 {
		t.Errorf("%d MB", got)
	}
}
