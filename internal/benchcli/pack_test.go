package benchcli

import (
	"encoding/json"
	"strings"
	"testing"

	"lukasa.dev/internal/bench"
	"lukasa.dev/internal/fault"
)

// Failed calls make the command fail; missed goals do so only with --strict.
func TestBenchPackFails(t *testing.T) {
	for _, c := range []struct {
		errors int
		ok     bool
		strict bool
		exit   int
		says   string
	}{
		{0, true, true, fault.ExitOK, ""},
		{0, false, false, fault.ExitOK, ""},
		{0, false, true, fault.ExitProblem, "p99"},
		{2, true, false, fault.ExitProblem, "2 of 10 calls failed, the first with: the disk is gone"},
	} {
		r := &bench.PackReport{
			Cases:   []bench.PackCase{{Latency: bench.Latency{Calls: 6}}, {Latency: bench.Latency{Calls: 4, Errors: c.errors}}},
			Problem: "the disk is gone",
			Goals:   []bench.Goal{{Name: "p50", OK: true}, {Name: "p99", OK: c.ok}},
		}
		err := failedPackBench(r, c.strict)
		if fault.ExitCode(err) != c.exit || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// The output of --json has every case and says for every goal whether it is reached; so does
// the table.
func TestBenchPackTells(t *testing.T) {
	dir := t.TempDir() + "/kept"
	code, out, problems := run("pack", "--json", "--keep", dir, "--events", "200", "--queries", "4")
	var r struct {
		Cases []struct {
			Name    string   `json:"name"`
			P99     *float64 `json:"p99_ms"`
			Packing *float64 `json:"packing_ms"`
		} `json:"cases"`
		Goals []struct {
			OK *bool `json:"ok"`
		} `json:"goals"`
	}
	if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil || len(r.Goals) != 5 || len(r.Cases) != 4 {
		t.Fatalf("%d, %v: %s%s", code, err, out, problems)
	}
	for _, c := range r.Cases {
		if c.Name == "" || c.P99 == nil || c.Packing == nil {
			t.Errorf("%+v", c)
		}
	}
	code, out, problems = run("pack", "--reuse", dir, "--events", "200", "--queries", "4")
	for _, want := range []string{"200 events: ", "ranked, 8,000 tokens ", "a block of context, 2,000 tokens ", "ranked, 2,000 tokens, p50 ms"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("there is no %q: %d\n%s%s", want, code, out, problems)
		}
	}
	for _, args := range [][]string{{"--events", "0"}, {"--queries", "-1"}, {"--keep", "a", "--reuse", "b"}, {"x"}} {
		if code, _, problems := run(append([]string{"pack"}, args...)...); code != fault.ExitUsage {
			t.Errorf("%q: %d %s", args, code, problems)
		}
	}
}
