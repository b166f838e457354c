package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"lukasa.dev/internal/fault"
)

// testShell is a shell whose streams are the given ones and no terminals.
func testShell(stdin io.Reader, stdout, stderr io.Writer) *shell {
	return newShell(stdin, stdout, stderr, setTo(nil), func(any) terminal { return terminal{} })
}

func TestPumpKeepsEveryByte(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789abcdef"), 20_000) // several buffers
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"plain":         func(r io.Reader) io.Reader { return r },
		"halves":        iotest.HalfReader,
		"end with data": iotest.DataErrReader,
	} {
		p := newPump(t.Context(), wrap(bytes.NewReader(want)), func() {})
		got, err := io.ReadAll(p)
		p.stop()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes and %v, want %d", name, len(got), err, len(want))
		}
	}
	p := newPump(t.Context(), strings.NewReader("a small text"), func() {})
	defer p.stop()
	if err := iotest.TestReader(p, []byte("a small text")); err != nil {
		t.Error(err)
	}
}

func TestPumpHandsOutWhatCameBeforeAnError(t *testing.T) {
	broken := errors.New("broken")
	p := newPump(t.Context(), io.MultiReader(strings.NewReader("before"), iotest.ErrReader(broken)), func() {})
	defer p.stop()
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
	in, err := s.open(ctx, nil)
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
	in, err := testShell(nil, io.Discard, io.Discard).open(ctx, []string{path})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if in.size != 4 {
		t.Errorf("size = %d, want 4", in.size)
	}
	cancel()
	if _, err := in.Read(make([]byte, 1)); fault.CodeOf(err) != fault.Canceled {
		t.Errorf("ended with %v, want cancellation", err)
	}
}

func TestFailureWhileReadingHasACode(t *testing.T) {
	broken := errors.New("the cable is out")
	s := testShell(iotest.ErrReader(broken), io.Discard, io.Discard)
	in, err := s.open(t.Context(), []string{"-"})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if in.size != -1 {
		t.Errorf("size of a stream = %d, want -1", in.size)
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
	_, err := testShell(nil, io.Discard, io.Discard).open(t.Context(), []string{filepath.Join(t.TempDir(), "none")})
	if !errors.Is(err, fault.UnreadableInput) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// To open a pipe that nobody writes to is to wait; whoever waits can be stopped.
func TestOpeningAPipeCanBeCancelled(t *testing.T) {
	mkfifo, err := exec.LookPath("mkfifo")
	if err != nil {
		t.Skip("there are no named pipes here")
	}
	path := filepath.Join(t.TempDir(), "pipe")
	if err := exec.Command(mkfifo, path).Run(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := Run(ctx, []string{"validate", path}, strings.NewReader(""), io.Discard, io.Discard, setTo(nil)); code != fault.ExitCanceled {
		t.Errorf("exit code %d", code)
	}
}
