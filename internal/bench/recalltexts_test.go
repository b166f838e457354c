package bench

import (
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/internal/fault"
)

// Texts are read from lines, events and other objects, without duplicates, and through gzip.
func TestReadTexts(t *testing.T) {
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "plain.txt"), filepath.Join(dir, "packed.jsonl.gz")
	event := `{"hmx_version":"HMX-1.0","event_id":"e","tenant_id":"t","agent_id":"a","session_id":"s","sequence":1,"timestamp":"2026-01-01T00:00:00Z","event_type":"message","metadata":{},"content":{"role":"user","text":"what the event says"},"source":"user"}`
	writeText(t, plain, "a line of text\n\ntwo words\n"+event+"\na line of text\n{broken\n"+someLines(leastTexts))
	f, err := os.Create(packed)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	fmt.Fprintln(z, `{"_id":"1","title":"A title","text":"and a text"}`)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := readTexts([]string{plain, packed})
	if err != nil {
		t.Fatal(err)
	}
	if got[0] != "a line of text" || !strings.Contains(got[1], "what the event says") || got[len(got)-1] != "A title and a text" || len(got) != leastTexts+3 {
		t.Errorf("%d: %q %q %q", len(got), got[0], got[1], got[len(got)-1])
	}
	if slices.Contains(got, "two words") {
		t.Error("a text of two words says nothing")
	}
	for _, bad := range []string{filepath.Join(dir, "none"), filepath.Join(dir, "few")} {
		if strings.HasSuffix(bad, "few") {
			writeText(t, bad, "only one text here\n")
		}
		if _, err := readTexts([]string{bad}); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// The index finds the same nearest texts as a scan, and as many vectors are made as requested.
func TestScanTexts(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "texts")
	writeText(t, name, someLines(leastTexts))
	o := RecallOptions{Dir: dir, Texts: []string{name}, Events: 1500, Queries: 10}.filled()
	got, err := scanTexts(context.Background(), &o)
	if err != nil {
		t.Fatal(err)
	}
	if got.Vectors != 1500 || got.Queries != 10 || got.Recall < 0.9 || got.Recall > 1 {
		t.Errorf("%+v", got)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "lukasa-bench-*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// someLines returns different lines of common words.
func someLines(n int) string {
	words := strings.Fields("river garden engine window letter music doctor yellow market summer bridge coffee planet story winter paper")
	var b strings.Builder
	for i := range n {
		k := len(words)
		fmt.Fprintln(&b, words[i%k], words[i/k%k], words[i/k/k%k], words[(i*7+3)%k], "number", i)
	}
	return b.String()
}

func writeText(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
