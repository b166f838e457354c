package disk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
)

func TestFault(t *testing.T) {
	already := fault.New(fault.Locked, "taken")
	for _, c := range []struct {
		err  error
		want fault.Code
	}{
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, fault.ReadOnly},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS}, fault.ReadOnly},
		{fmt.Errorf("write: %w", syscall.ENOSPC), fault.DiskFull},
		{fmt.Errorf("write: %w", syscall.EDQUOT), fault.DiskFull},
		{already, fault.Locked},
		{syscall.EIO, fault.Internal},
	} {
		got := disk.Fault(c.err)
		if fault.CodeOf(got) != c.want || !errors.Is(got, c.err) {
			t.Errorf("%v: code %s, want %s", c.err, fault.CodeOf(got), c.want)
		}
	}
	if disk.Fault(nil) != nil {
		t.Error("nothing wrong is something wrong")
	}
}

// WriteFile leaves the old content or the new, whatever a crash keeps.
func TestWriteFileIsAtomic(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		mem := vfs.NewCrashableMem()
		old := strings.Repeat("old", 5000)
		if err := disk.WriteFile(mem, "f", []byte(old)); err != nil {
			t.Fatal(err)
		}
		f, err := mem.Create("f.tmp", disk.General)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(strings.Repeat("new", 5000))); err != nil {
			t.Fatal(err)
		}
		clone := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
		if data, err := disk.ReadFile(clone, "f"); err != nil || string(data) != old {
			t.Fatalf("seed %d: old content lost: %v", seed, err)
		}
		if err := disk.WriteFile(clone, "f", []byte("new")); err != nil {
			t.Fatal(err)
		}
		after := clone.CrashClone(vfs.CrashCloneCfg{})
		if data, err := disk.ReadFile(after, "f"); err != nil || string(data) != "new" {
			t.Fatalf("seed %d: new content lost: %q %v", seed, data, err)
		}
	}
}

func TestMkdirAllIsDurable(t *testing.T) {
	mem := vfs.NewCrashableMem()
	if err := disk.MkdirAll(mem, "/a/b/c"); err != nil {
		t.Fatal(err)
	}
	clone := mem.CrashClone(vfs.CrashCloneCfg{})
	if _, err := clone.Stat("/a/b/c"); err != nil {
		t.Error(err)
	}
	// Created by a process that was killed before the directory was durable.
	if err := clone.MkdirAll("/a/b/d", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := disk.MkdirAll(clone, "/a/b/d"); err != nil {
		t.Fatal(err)
	}
	clone = clone.CrashClone(vfs.CrashCloneCfg{})
	if _, err := clone.Stat("/a/b/d"); err != nil {
		t.Error(err)
	}
}

func TestLockExcludes(t *testing.T) {
	real := t.TempDir()
	if err := os.Mkdir(filepath.Join(real, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name        string
		fs          disk.FS
		path, again string
	}{
		{"memory", disk.NewMem(), "LOCK", "LOCK"},
		{"disk", disk.OS(), filepath.Join(real, "LOCK"), filepath.Join(real, "d", "..", "LOCK")},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, err := disk.Lock(c.fs, c.path, "the\nfirst \x1b[31m")
			if err != nil {
				t.Fatal(err)
			}
			_, err = disk.Lock(c.fs, c.again, "the second")
			if !errors.Is(err, fault.Locked) {
				t.Fatalf("second lock: %v", err)
			}
			want := fmt.Sprintf("process %d the first [31m", os.Getpid())
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not say who has it: %q", err, want)
			}
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			if err := first.Close(); err != nil {
				t.Errorf("second Close: %v", err)
			}
			third, err := disk.Lock(c.fs, c.again, "")
			if err != nil {
				t.Fatalf("lock after release: %v", err)
			}
			third.Close()
		})
	}
}

// A symbolic link to the directory is the same directory.
func TestLockThroughLink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip("no symbolic links here")
	}
	first, err := disk.Lock(disk.OS(), filepath.Join(dir, "LOCK"), "first")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if _, err := disk.Lock(disk.OS(), filepath.Join(link, "LOCK"), "second"); !errors.Is(err, fault.Locked) {
		t.Errorf("second lock: %v", err)
	}
}

// The lock excludes another process too, and a failed attempt within this one
// does not release it.
func TestLockAcrossProcesses(t *testing.T) {
	if dir := os.Getenv("DISK_TEST_LOCK"); dir != "" {
		_, err := disk.Lock(disk.OS(), filepath.Join(dir, "LOCK"), "child")
		fmt.Printf("code=%q detail=%v\n", string(fault.CodeOf(err)), err)
		return
	}
	dir := t.TempDir()
	held, err := disk.Lock(disk.OS(), filepath.Join(dir, "LOCK"), "parent")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := disk.Lock(disk.OS(), filepath.Join(dir, ".", "LOCK"), "again"); !errors.Is(err, fault.Locked) {
		t.Fatalf("second lock: %v", err)
	}
	child := func() string {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLockAcrossProcesses$")
		cmd.Env = append(os.Environ(), "DISK_TEST_LOCK="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("child: %v: %s", err, out)
		}
		return string(out)
	}
	if out := child(); !strings.Contains(out, fmt.Sprintf("code=%q", string(fault.Locked))) || !strings.Contains(out, "parent") {
		t.Errorf("child got %s", out)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if out := child(); !strings.Contains(out, `code=""`) {
		t.Errorf("child got %s", out)
	}
}

func TestLockInMissingDirectory(t *testing.T) {
	_, err := disk.Lock(disk.OS(), filepath.Join(t.TempDir(), "none", "LOCK"), "")
	if err == nil || errors.Is(err, fault.Locked) {
		t.Errorf("error %v", err)
	}
}

func TestUsage(t *testing.T) {
	if free, err := disk.Usage(disk.OS(), t.TempDir()); err != nil || free == 0 {
		t.Errorf("%d bytes free, %v", free, err)
	}
	if _, err := disk.Usage(disk.NewMem(), "/"); err == nil {
		t.Error("memory knows its free space")
	}
}
