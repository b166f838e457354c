package node

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// A compile that the server began by itself is counted by its outcome, and one that failed is
// logged with its tenant and why.
func TestCompilesAreCounted(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	n := &Node{log: slog.New(slog.NewTextHandler(&log, nil)), metrics: newMetrics()}
	count := func(outcome string) float64 {
		families, err := n.metrics.registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			if f.GetName() != "lukasa_compiles_total" {
				continue
			}
			for _, m := range f.GetMetric() {
				if m.GetLabel()[0].GetValue() == outcome {
					return m.GetCounter().GetValue()
				}
			}
		}
		t.Fatalf("there is no count of outcome %s", outcome)
		return 0
	}
	if count(compileDone) != 0 || count(compileFailed) != 0 {
		t.Error("something is counted before the first compile")
	}
	n.compiled("acme", nil)
	if log.Len() > 0 || count(compileDone) != 1 {
		t.Errorf("%g done, log %q", count(compileDone), log.String())
	}
	n.compiled("acme", errors.New("the disk is gone"))
	n.compiled("acme", errors.New("the disk is gone"))
	if count(compileDone) != 1 || count(compileFailed) != 2 {
		t.Errorf("%g done, %g failed", count(compileDone), count(compileFailed))
	}
	if got := log.String(); !strings.Contains(got, "level=ERROR") || !strings.Contains(got, "tenant=acme") || !strings.Contains(got, "the disk is gone") {
		t.Errorf("the log has %q", got)
	}
}
