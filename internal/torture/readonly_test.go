package torture

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"lukasa.dev"
)

// TestReadOnly opens a directory that cannot be written: a clear error, and no
// byte changes.
func TestReadOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	board, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if _, err := board.Append(context.Background(), lukasa.Writer{Actor: "x"}, eventOf("acme", fmt.Sprintf("e%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := board.Close(); err != nil {
		t.Fatal(err)
	}
	before := fingerprint(t, dir)
	freeze(t, dir)
	for _, name := range []string{dir, filepath.Join(dir, "new", "board")} {
		b, err := lukasa.Open(name, lukasa.Options{})
		if err == nil {
			b.Close()
		}
		if lukasa.CodeOf(err) != "read_only" {
			t.Errorf("open %s: code %q, error %v", name, lukasa.CodeOf(err), err)
		}
	}
	if after := fingerprint(t, dir); after != before {
		t.Error("something was changed")
	}
}

// freeze makes a directory read-only for the rest of the test.
func freeze(t *testing.T, dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		if runtime.GOOS == "windows" {
			t.Skip("permissions do not make a directory read-only on Windows")
		}
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
		return
	}
	needs(t, "mount")
	if out, err := exec.Command("mount", "--bind", dir, dir).CombinedOutput(); err != nil {
		t.Skipf("root does not mind permissions, and nothing can be mounted here: %s", out)
	}
	t.Cleanup(func() { unmount(t, dir) })
	if out, err := exec.Command("mount", "-o", "remount,ro,bind", dir).CombinedOutput(); err != nil {
		t.Skipf("nothing can be mounted read-only here: %s", out)
	}
}

// unmount removes a mount, at the latest when its last file is closed: an
// index that Pebble gave up keeps some open until the process ends.
func unmount(t *testing.T, dir string) {
	if exec.Command("umount", dir).Run() == nil {
		return
	}
	if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
		t.Errorf("umount %s: %s", dir, out)
	}
}

// fingerprint is a hash over the names and bytes of all files.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(sum, "%s %d\n", path, len(data))
		sum.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}
