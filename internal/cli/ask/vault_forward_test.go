package ask

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A server that carries out an export or import of Markdown gets at what is in the directory
// that the command line names, and at nothing else; it takes away only what a vault names.
func TestInVault(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, name := range []string{filepath.Join(in, "memories", "a-1.md"), filepath.Join(in, "mine.md"), filepath.Join(out, "b.md")} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(out, filepath.Join(in, "artifacts")); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{{"export", "--markdown", in}, {"import", "--json", "--markdown=" + in}} {
		l := &Caller{Shell: testShell(nil, io.Discard, io.Discard), Args: args, Open: map[int]*Handed{}}
		for name, want := range map[string]bool{
			in: true, filepath.Join(in, "memories"): true, filepath.Join(in, "memories", "new.md"): true, filepath.Join(in, ".lukasa-vault.json"): true,
			filepath.Join(in, "artifacts"): false, filepath.Join(in, "artifacts", "b.md"): false, filepath.Join(in, "..", "out", "b.md"): false, out: false, dir: false, "": false,
		} {
			if got := l.inVault(name); got != want {
				t.Errorf("%v: %q: %v", args, name, got)
			}
		}
	}
	l := &Caller{Shell: testShell(nil, io.Discard, io.Discard), Args: []string{"export", "--markdown", in}, Open: map[int]*Handed{}}
	for name, want := range map[string]bool{
		filepath.Join(in, "mine.md"): false, filepath.Join(out, "b.md"): false, filepath.Join(in, "artifacts", "b.md"): false, in: false, filepath.Join(in, "memories", "a-1.md"): true,
	} {
		h, _ := l.Attend(&Head{Op: opRemove, Name: []byte(name)}, nil)
		_, err := os.Stat(name)
		if removed := os.IsNotExist(err); removed != want || want != (h.Error == nil) {
			t.Errorf("%q: %+v, %v", name, h.Error, err)
		}
	}
	other := &Caller{Shell: l.Shell, Args: []string{"ingest", "--markdown", in}}
	if h, _ := other.Attend(&Head{Op: opMkdir, Name: []byte(filepath.Join(in, "new"))}, nil); h.Error == nil || other.inVault(in) {
		t.Error("another command makes directories")
	}
}
