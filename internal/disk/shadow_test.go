package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/internal/fault"
)

// TestShadow runs the same random operations on a shadow and on a copy: both read the
// same, and the base of the shadow does not change.
func TestShadow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for round := range 30 {
		base, other := NewMem(), NewMem()
		names := []string{"/d/a", "/d/b", "/d/sub/c", "/d/sub/e"}
		for _, x := range []FS{base, other} {
			if err := x.MkdirAll("/d/sub", 0o700); err != nil {
				t.Fatal(err)
			}
			for _, name := range names[:3] {
				if err := WriteFile(x, name, []byte("first "+name)); err != nil {
					t.Fatal(err)
				}
			}
		}
		before := told(base)
		s := Shadow(base)
		for step := range 25 {
			name, to := names[rnd.IntN(len(names))], names[rnd.IntN(len(names))]
			op := rnd.IntN(6)
			var results [2]string
			for i, x := range []FS{s, other} {
				results[i] = fmt.Sprint(failing(shadowStep(x, op, name, to, fmt.Sprint(round, step))))
			}
			if results[0] != results[1] {
				t.Fatalf("step %d on %s and %s: %v", op, name, to, results)
			}
			if got, want := told(s), told(other); got != want {
				t.Fatalf("after step %d on %s and %s:\n%s\nwant\n%s", op, name, to, got, want)
			}
		}
		if got := told(base); got != before {
			t.Fatalf("what is in the shadow of has changed:\n%s\nwas\n%s", got, before)
		}
	}
}

// shadowStep runs one operation.
func shadowStep(x FS, op int, name, to, text string) error {
	switch op {
	case 0:
		return WriteFile(x, name, []byte(text))
	case 1:
		return x.Remove(name)
	case 2:
		if name == to {
			return nil
		}
		return x.Rename(name, to)
	case 3:
		f, err := x.OpenReadWrite(name, General)
		if err != nil {
			return err
		}
		if _, err := f.WriteAt([]byte("X"), 2); err != nil {
			return err
		}
		return f.Close()
	case 4:
		_, err := ReadFile(x, name)
		return err
	}
	_, err := x.Stat(name)
	return err
}

// failing says whether and how an operation failed.
func failing(err error) string {
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, fs.ErrNotExist):
		return "not there"
	}
	return "failed"
}

// told lists everything below a directory.
func told(x FS) string {
	var b strings.Builder
	var walk func(dir string)
	walk = func(dir string) {
		names, err := x.List(dir)
		if err != nil {
			fmt.Fprintln(&b, dir, "cannot be listed")
			return
		}
		slices.Sort(names)
		for _, name := range names {
			path := x.PathJoin(dir, name)
			if info, err := x.Stat(path); err == nil && info.IsDir() {
				walk(path)
				continue
			}
			data, err := ReadFile(x, path)
			fmt.Fprintf(&b, "%s %q %v\n", path, data, err)
		}
	}
	walk("/d")
	return b.String()
}

// TestPeek finds a held lock, and leaves a free one unchanged.
func TestPeek(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "LOCK")
	if held, err := Peek(OS(), path); err != nil || held != nil {
		t.Errorf("without a lock file: %v %v", held, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("a look has made %v", entries)
	}
	lock, err := Lock(OS(), path, "a test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Peek(OS(), path); fault.CodeOf(err) != fault.Locked || !strings.Contains(err.Error(), "a test") {
		t.Errorf("one that is held: %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	held, err := Peek(OS(), path)
	if err != nil || held == nil {
		t.Fatalf("one that is free: %v", err)
	}
	if err := held.Close(); err != nil {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("a look has left %v", entries)
	}
}
