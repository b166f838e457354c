package benchcli

import (
	"encoding/json"
	"strings"
	"testing"

	"lukasa.dev/internal/fault"
)

// The output of --json says for every goal whether it is reached; with --strict the exit code
// does as well; the table has the same cases.
func TestBenchServeTells(t *testing.T) {
	code, out, problems := run("serve", "--json", "--strict", "--dir", t.TempDir(), "--events", "20")
	var r struct {
		Rates []struct {
			Name string   `json:"name"`
			Ours *float64 `json:"per_second"`
		} `json:"rates"`
		Waits []struct {
			Name   string `json:"name"`
			Served struct {
				P99 *float64 `json:"p99_ms"`
			} `json:"served"`
		} `json:"waits"`
		Goals []struct {
			OK *bool `json:"ok"`
		} `json:"goals"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Rates) != 3 || len(r.Waits) != 3 || len(r.Goals) != 3 {
		t.Fatalf("%v: %s%s", err, out, problems)
	}
	for i := range r.Rates {
		if r.Rates[i].Name == "" || r.Rates[i].Ours == nil || r.Waits[i].Name == "" || r.Waits[i].Served.P99 == nil {
			t.Errorf("%s", out)
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
	code, out, problems = run("serve", "--dir", t.TempDir(), "--events", "20")
	for _, want := range []string{"lines over one connection ", "beside the library's ingest", "single events, 64 connections ", "packs of 2,000 tokens over HTTP ", "lines, of the library's "} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("there is no %q: %d\n%s%s", want, code, out, problems)
		}
	}
	for _, args := range [][]string{{"--events", "0"}, {"--events", "-1"}, {"x"}} {
		if code, _, problems := run(append([]string{"serve"}, args...)...); code != fault.ExitUsage {
			t.Errorf("%q: %d %s", args, code, problems)
		}
	}
}
