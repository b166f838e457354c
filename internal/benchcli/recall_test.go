package benchcli

import (
	"encoding/json"
	"strings"
	"testing"

	"lukasa.dev/internal/bench"
	"lukasa.dev/internal/fault"
)

// Failed calls make the command fail; missed goals do so only with --strict.
func TestBenchRecallFails(t *testing.T) {
	report := func(errors int, ok bool) *bench.RecallReport {
		return &bench.RecallReport{
			Cases:   []bench.RecallCase{{Latency: bench.Latency{Calls: 6}}, {Latency: bench.Latency{Calls: 4, Errors: errors}}},
			Problem: "the disk is gone",
			Goals:   []bench.Goal{{Name: "hybrid p50, ms", OK: true}, {Name: "hybrid p99, ms", OK: ok}},
		}
	}
	for _, c := range []struct {
		r      *bench.RecallReport
		strict bool
		exit   int
		says   string
	}{
		{report(0, true), true, fault.ExitOK, ""},
		{report(0, false), false, fault.ExitOK, ""},
		{report(0, false), true, fault.ExitProblem, "hybrid p99"},
		{report(2, true), false, fault.ExitProblem, "2 of 10 calls failed, the first with: the disk is gone"},
	} {
		err := failedRecallBench(c.r, c.strict)
		if fault.ExitCode(err) != c.exit || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v, strict %v: %v", c.r, c.strict, err)
		}
	}
}

// The output of --json says for every goal whether it is reached; with --strict the exit code
// does as well.
func TestBenchRecallMarksGoals(t *testing.T) {
	code, out, problems := run("recall", "--json", "--strict", "--dir", t.TempDir(), "--events", "200", "--queries", "4")
	var r struct {
		Cases []struct {
			Name string   `json:"name"`
			P99  *float64 `json:"p99_ms"`
		} `json:"cases"`
		Goals []struct {
			OK *bool `json:"ok"`
		} `json:"goals"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Goals) != 6 || len(r.Cases) != 8 {
		t.Fatalf("%v: %s%s", err, out, problems)
	}
	for _, c := range r.Cases {
		if c.Name == "" || c.P99 == nil {
			t.Errorf("%+v", c)
		}
	}
	want := fault.ExitOK
	for _, g := range r.Goals {
		if g.OK == nil || !*g.OK {
			want = fault.ExitProblem
		}
	}
	if code != want {
		t.Errorf("exit code %d, want %d: %s", code, want, problems)
	}
}
