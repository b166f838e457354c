package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"lukasa.dev/internal/fault"
)

// brittle accepts a number of bytes and then fails.
type brittle struct {
	room  int
	err   error
	calls int
}

func (b *brittle) Write(p []byte) (int, error) {
	b.calls++
	if len(p) <= b.room {
		b.room -= len(p)
		return len(p), nil
	}
	n := b.room
	b.room = 0
	return n, b.err
}

func TestOutputFailsOnceAndIsReportedOnce(t *testing.T) {
	full := errors.New("no space")
	w := &brittle{room: 10, err: full}
	var stderr bytes.Buffer
	s := testShell(strings.NewReader(""), w, &stderr)
	exit := run(t.Context(), s, probes(), []string{"flood"})
	if exit != fault.ExitEnvironment {
		t.Errorf("exit %d", exit)
	}
	if got := strings.Count(stderr.String(), "\n"); got != 1 || !strings.Contains(stderr.String(), "no space") {
		t.Errorf("reported %d times:\n%s", got, stderr.String())
	}
	if w.calls != 1 {
		t.Errorf("written to %d times after it failed", w.calls-1)
	}
}

func TestReaderThatLeftEndsQuietly(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	for name, stdout := range map[string]io.Writer{"operating system": w, "in-process": closedPipe()} {
		var stderr bytes.Buffer
		s := testShell(strings.NewReader(""), stdout, &stderr)
		exit := run(t.Context(), s, probes(), []string{"flood"})
		if exit != fault.ExitClosed || stderr.Len() > 0 {
			t.Errorf("%s: exit %d, said %q", name, exit, stderr.String())
		}
	}
}

func closedPipe() io.Writer {
	r, w := io.Pipe()
	r.Close()
	return w
}

func TestFailureOfTheLastFlushIsNoticed(t *testing.T) {
	var stderr bytes.Buffer
	w := &brittle{err: errors.New("no space")}
	s := testShell(nil, w, &stderr)
	exit := run(t.Context(), s, commands(), []string{"version"})
	if exit != fault.ExitEnvironment {
		t.Errorf("exit %d, said %q", exit, stderr.String())
	}
}
