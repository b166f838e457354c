package benchcli

import (
	"strings"
	"testing"

	"lukasa.dev/internal/bench/hooks"
	"lukasa.dev/internal/fault"
)

// Failed hooks make the command fail; missed goals do so only with --strict.
func TestHookBenchFails(t *testing.T) {
	t.Parallel()
	report := func(failures int, ok bool) *hooks.Report {
		return &hooks.Report{Failures: failures, Problem: "no time left", Cases: []hooks.Case{{Name: "true", OK: true}, {Name: "prompt_served", OK: ok}}}
	}
	for _, c := range []struct {
		r      *hooks.Report
		strict bool
		exit   int
		says   string
	}{
		{report(0, true), true, fault.ExitOK, ""},
		{report(0, false), false, fault.ExitOK, ""},
		{report(0, false), true, fault.ExitProblem, "prompt_served"},
		{report(2, true), false, fault.ExitProblem, "2 hooks failed, the first with: no time left"},
	} {
		err := failedHookBench(c.r, c.strict)
		if fault.ExitCode(err) != c.exit || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v, strict %v: %v", c.r, c.strict, err)
		}
	}
}
