package ask

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"lukasa.dev/internal/fault"
)

// TestWriteFileKeepsLinks writes over a link and over a file that others may read.
func TestWriteFileKeepsLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(target, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", link); err != nil {
		t.Skip("there are no links here: ", err)
	}
	if err := writeFile(link, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }); err != nil {
		t.Fatal(err)
	}
	if got, err := os.Readlink(link); err != nil || got != "target" {
		t.Errorf("the link is %q: %v", got, err)
	}
	if got, err := os.ReadFile(target); err != nil || string(got) != "new" {
		t.Errorf("%q %v", got, err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o644 && runtime.GOOS != "windows" {
		t.Errorf("%v %v", info.Mode(), err)
	}
	fresh := filepath.Join(dir, "fresh")
	if err := writeFile(fresh, func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(fresh); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// A file appears whole or not at all, and what was there before stays until then.
func TestWriteFileIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	say := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, _ = io.WriteString(w, text)
			return err
		}
	}
	if err := writeFile(path, say("first", nil)); err != nil {
		t.Fatal(err)
	}
	failed := fault.New(fault.Damaged, "half way")
	if err := writeFile(path, say("second", failed)); fault.CodeOf(err) != fault.Damaged {
		t.Errorf("%v", err)
	}
	if got, err := os.ReadFile(path); string(got) != "first" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if err := writeFile(path, say("third", nil)); err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 {
		t.Errorf("left behind: %v %v", names, err)
	}
	if err := writeFile(dir, say("x", nil)); fault.CodeOf(err) != fault.OutputFailed {
		t.Errorf("%v", err)
	}
}
