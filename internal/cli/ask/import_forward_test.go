package ask

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A server that carries out an import gets to see what is below the directories that the
// command line names, and nothing behind links that lead out of them; other commands
// show it nothing of the kind.
func TestBelow(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, name := range []string{filepath.Join(in, "deep", "a.jsonl"), filepath.Join(out, "b.jsonl")} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(out, filepath.Join(in, "link")); err != nil {
		t.Skip(err)
	}
	l := &Caller{Shell: testShell(nil, io.Discard, io.Discard), Args: []string{"import", "--from", "claude-code", in}}
	other := &Caller{Shell: l.Shell, Args: []string{"ingest", in}}
	for name, want := range map[string]bool{
		in: true, filepath.Join(in, "deep"): true, filepath.Join(in, "deep", "a.jsonl"): true,
		filepath.Join(in, "link"): false, filepath.Join(in, "link", "b.jsonl"): false, filepath.Join(in, "..", "out", "b.jsonl"): false,
		out: false, dir: false, "": false, filepath.Join(in, "gone"): false,
	} {
		if got := l.below(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
		if other.below(name) {
			t.Errorf("%q is shown to another command", name)
		}
	}
	if h := l.listed(in, 1); h.Error != nil || len(h.Infos) != 1 || h.Infos[0].Name() != "link" {
		t.Errorf("%+v", h)
	}
}
