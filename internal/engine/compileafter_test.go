package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
)

// wake makes a board look what is due, by an event of another tenant.
func wake(t *testing.T, b *engine.Board) {
	t.Helper()
	at, err := b.Root(ctx, "other")
	if err != nil {
		t.Fatal(err)
	}
	store(t, b, event(t, "other", fmt.Sprint("w", at.Size), int64(at.Size), "x"))
}

// TestCompileAfter: a board compiles in the background after a number of events, and
// after a quiet time by the board's clock.
func TestCompileAfter(t *testing.T) {
	clock := newClock()
	compiles := make(chan error, 16)
	b := openWith(t, "data", engine.Options{
		FS: disk.NewMem(), Clock: clock.Now, CompileAfter: engine.CompileAfter{Events: 20, Quiet: time.Hour, Compiled: func(tenant string, err error) {
			if tenant != "acme" {
				t.Errorf("tenant %q", tenant)
			}
			compiles <- err
		}},
	})
	wait := func(what string) {
		t.Helper()
		within(t, what, func() {
			if err := <-compiles; err != nil {
				t.Error(err)
			}
		})
	}
	first := worked(t, 1)
	store(t, b, first...) // too few
	wake(t, b)
	clock.Move(59 * time.Minute)
	wake(t, b)
	if len(compiles) > 0 {
		t.Error("it did not wait")
	}
	clock.Move(time.Minute)
	wake(t, b)
	wait("a quiet hour")
	store(t, b, worked(t, 2)...)
	store(t, b, worked(t, 3)...)
	store(t, b, worked(t, 4)...)
	wait("twenty events")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCompileAfterStops closes a board during a background compile.
func TestCompileAfterStops(t *testing.T) {
	fs := disk.NewMem()
	b := openWith(t, "data", engine.Options{FS: fs, CompileAfter: engine.CompileAfter{Events: 1}})
	for i := range 4 {
		store(t, b, worked(t, i)...)
	}
	within(t, "close", func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	b = open(t, fs, "data")
	compileNow(t, b, engine.CompileOptions{})
	chained(t, b)
	sound(t, b)
}

// TestCompileWhenSessionsEnd compiles as soon as a session ends, and those that end soon
// after it together.
func TestCompileWhenSessionsEnd(t *testing.T) {
	clock := newClock()
	compiles := make(chan error, 16)
	b := openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: clock.Now, CompileAfter: engine.CompileAfter{
		Quiet: 24 * time.Hour, Apart: time.Hour, Compiled: func(_ string, err error) { compiles <- err },
	}})
	wait := func(what string) {
		t.Helper()
		within(t, what, func() {
			if err := <-compiles; err != nil {
				t.Error(err)
			}
		})
	}
	end := func(id string) {
		ev := eventWith(t, "acme", id, id, 1, "x", "")
		ev.EventType, ev.Content = hmx.TypeStateChange, `{"subject":"session","to":"ended"}`
		store(t, b, ev)
	}
	store(t, b, stated(t, "e1", 1, "Always use tabs."))
	end("s1")
	wait("the end of a session")
	end("s2")
	end("s3")
	clock.Move(59 * time.Minute)
	wake(t, b)
	if len(compiles) > 0 {
		t.Error("it did not wait for others that end")
	}
	clock.Move(time.Minute)
	wake(t, b)
	wait("an hour after the last")
	if len(compiles) > 0 || b.CompileFailures() > 0 {
		t.Errorf("%d more compiles, %d failed", len(compiles), b.CompileFailures())
	}
}

// blindable is a disk whose journal cannot be read while it is blind.
type blindable struct {
	disk.FS
	blind atomic.Bool
}

func (d *blindable) Open(name string, opts ...disk.OpenOption) (disk.File, error) {
	f, err := d.FS.Open(name, opts...)
	if err != nil || !strings.Contains(name, "journal") {
		return f, err
	}
	return &blindableFile{f, d}, nil
}

type blindableFile struct {
	disk.File
	of *blindable
}

func (f *blindableFile) ReadAt(b []byte, at int64) (int, error) {
	if f.of.blind.Load() {
		return 0, errors.New("the disk is blind")
	}
	return f.File.ReadAt(b, at)
}

// TestCompileAfterFailure: a failed automatic compile is reported, counted, and retried when
// it is due.
func TestCompileAfterFailure(t *testing.T) {
	clock, fs := newClock(), &blindable{FS: disk.NewMem()}
	compiles := make(chan error, 16)
	failed := make(chan string, 16)
	b := openWith(t, "data", engine.Options{FS: fs, Clock: clock.Now, CompileAfter: engine.CompileAfter{
		Events: 5, Failed: func(tenant string, err error) { failed <- tenant + ": " + err.Error() }, Compiled: func(_ string, err error) { compiles <- err },
	}})
	next := func(what string) (err error) {
		t.Helper()
		within(t, what, func() { err = <-compiles })
		return err
	}
	fs.blind.Store(true)
	store(t, b, worked(t, 1)...)
	if err := next("five events"); err == nil || b.CompileFailures() != 1 {
		t.Fatalf("%v, %d failed", err, b.CompileFailures())
	}
	if told := <-failed; !strings.HasPrefix(told, "acme: ") || !strings.Contains(told, "blind") {
		t.Errorf("told %q", told)
	}
	clock.Move(time.Second)
	wake(t, b)
	if err := next("the first retry"); err == nil || b.CompileFailures() != 2 {
		t.Fatalf("%v, %d failed", err, b.CompileFailures())
	}
	fs.blind.Store(false)
	clock.Move(time.Second)
	wake(t, b)
	if len(compiles) > 0 {
		t.Error("the second retry did not wait twice as long")
	}
	clock.Move(time.Second)
	wake(t, b)
	if err := next("the second retry"); err != nil || b.CompileFailures() != 2 {
		t.Fatalf("%v, %d failed", err, b.CompileFailures())
	}
	sound(t, b)
}
