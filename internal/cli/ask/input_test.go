package ask

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"lukasa.dev/internal/fault"
)

func TestPumpKeepsEveryByte(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789abcdef"), 20_000) // several buffers
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"plain":         func(r io.Reader) io.Reader { return r },
		"halves":        iotest.HalfReader,
		"end with data": iotest.DataErrReader,
	} {
		p := NewPump(t.Context(), wrap(bytes.NewReader(want)), func() {})
		got, err := io.ReadAll(p)
		p.Stop()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes and %v, want %d", name, len(got), err, len(want))
		}
	}
	p := NewPump(t.Context(), strings.NewReader("a small text"), func() {})
	defer p.Stop()
	if err := iotest.TestReader(p, []byte("a small text")); err != nil {
		t.Error(err)
	}
}

func TestPumpHandsOutWhatCameBeforeAnError(t *testing.T) {
	broken := errors.New("broken")
	p := NewPump(t.Context(), io.MultiReader(strings.NewReader("before"), iotest.ErrReader(broken)), func() {})
	defer p.Stop()
	got, err := io.ReadAll(p)
	if string(got) != "before" || !errors.Is(err, broken) {
		t.Errorf("got %q and %v", got, err)
	}
	if _, err := p.Read(make([]byte, 1)); !errors.Is(err, broken) {
		t.Errorf("the error did not stay: %v", err)
	}
}

func TestWaitingForInputCanBeCancelled(t *testing.T) {
	never, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithCancel(t.Context())
	s := testShell(never, io.Discard, io.Discard)
	in, err := s.Open(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	result := make(chan error)
	go func() {
		_, err := in.Read(make([]byte, 1))
		result <- err
	}()
	cancel()
	if err := <-result; fault.CodeOf(err) != fault.Canceled {
		t.Errorf("ended with %v, want cancellation", err)
	}
}

func TestReadingAFileCanBeCancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	in, err := testShell(nil, io.Discard, io.Discard).Open(ctx, []string{path})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if in.Size != 4 {
		t.Errorf("size = %d, want 4", in.Size)
	}
	cancel()
	if _, err := in.Read(make([]byte, 1)); fault.CodeOf(err) != fault.Canceled {
		t.Errorf("ended with %v, want cancellation", err)
	}
}

func TestFailureWhileReadingHasACode(t *testing.T) {
	broken := errors.New("the cable is out")
	s := testShell(iotest.ErrReader(broken), io.Discard, io.Discard)
	in, err := s.Open(t.Context(), []string{"-"})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if in.Size != -1 {
		t.Errorf("size of a stream = %d, want -1", in.Size)
	}
	_, err = io.ReadAll(in)
	if !errors.Is(err, fault.UnreadableInput) || !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if got, want := err.Error(), "cannot read standard input: the cable is out"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMissingFileKeepsItsCause(t *testing.T) {
	_, err := testShell(nil, io.Discard, io.Discard).Open(t.Context(), []string{filepath.Join(t.TempDir(), "none")})
	if !errors.Is(err, fault.UnreadableInput) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
