package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/demo"
	"lukasa.dev/internal/secret"
	"lukasa.dev/internal/testsize"
)

// TestDemo holds what the tour promises: a pack within its budget for each question, a
// correction that took the place, and an erasure that left nothing but good proofs.
func TestDemo(t *testing.T) {
	testsize.OneGoroutine(t)
	if !bytes.Contains(demo.History, []byte(demo.Password)) {
		t.Fatal("there is nothing to erase")
	}
	for line := range bytes.Lines(demo.History) {
		if _, warnings, err := hmx.DecodeEvent(bytes.TrimSuffix(line, []byte("\n"))); err != nil || len(warnings) > 0 {
			t.Errorf("%v %v: %s", err, warnings, line)
		}
		if _, n := secret.JSON(string(line)); n > 0 {
			t.Errorf("it would be scrubbed before it is recorded: %s", line)
		}
	}
	none := func(string) (string, bool) { return "", false }
	kept := filepath.Join(t.TempDir(), "kept")
	code, stdout, stderr := runAt(time.Now(), none, "demo", "--json", "--keep", kept)
	if code != 0 {
		t.Fatal(stderr)
	}
	var a demoAnswer
	if err := json.Unmarshal([]byte(stdout), &a); err != nil {
		t.Fatal(err)
	}
	if a.Events != bytes.Count(demo.History, []byte("\n")) || a.Artifacts == 0 || a.Memories < 5 || a.Data != kept || a.Schema == nil {
		t.Errorf("%d events, %d artifacts, %d memories", a.Events, a.Artifacts, a.Memories)
	}
	if len(a.Packs) != len(demo.Questions()) {
		t.Fatalf("%d packs", len(a.Packs))
	}
	for _, p := range a.Packs {
		if p.TokenBudget.Used > demoBudget || len(p.Entries) == 0 {
			t.Errorf("%q takes %d tokens in %d entries", p.QueryContext, p.TokenBudget.Used, len(p.Entries))
		}
	}
	if last := a.Packs[2]; !strings.Contains(last.Entries[0].Content+last.Entries[1].Content+last.Entries[2].Content+last.Entries[3].Content, "Postgres") {
		t.Errorf("the correction is not told: %v", last.Entries)
	}
	if len(a.Next) == 0 || a.Next[0].Tool != "read_file" {
		t.Errorf("next is %v", a.Next)
	}
	if len(a.Corrected) != 2 || !strings.Contains(a.Corrected[1], "Postgres") {
		t.Errorf("corrected: %q", a.Corrected)
	}
	if want := (demoErased{Event: demo.Regretted, ProofHolds: true, OnlyGrew: true}); a.Erased != want {
		t.Errorf("erased: %+v", a.Erased)
	}
	if code, _, stderr := runAt(time.Now(), none, "demo", "--keep", kept); code != 2 || !strings.Contains(stderr, "exists already") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	code, stdout, stderr = runAt(time.Now(), none, "demo")
	if code != 0 || strings.Contains(stdout, "NO ") || strings.Contains(stdout, "\x1b") || !strings.Contains(stdout, "from 2026-06-01 to 2026-06-12") {
		t.Errorf("exit code %d: %s%s", code, stderr, stdout)
	}
}
