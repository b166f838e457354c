package cli

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
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
