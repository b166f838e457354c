package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// nothing is an environment without variables, except a home.
func nothing(t *testing.T) func(string) (string, bool) {
	return setTo(map[string]string{"HOME": t.TempDir()})
}

// setTo is an environment with these variables.
func setTo(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := vars[name]
		return value, ok
	}
}

func TestWaitsForTheDirectory(t *testing.T) {
	env := nothing(t)
	dir := filepath.Join(t.TempDir(), "data")
	b, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() { closed <- b.Close() }()
	var out, problems bytes.Buffer
	code := Run(t.Context(), []string{"root", "--all", "--data", dir, "--wait", "10m"}, strings.NewReader(""), &out, &problems, env)
	if code != 0 || problems.Len() > 0 {
		t.Errorf("exit code %d: %s", code, problems.String())
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

func TestWaitingCanBeStopped(t *testing.T) {
	env := nothing(t)
	dir := filepath.Join(t.TempDir(), "data")
	b, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, problems bytes.Buffer
	code := Run(ctx, []string{"list", "--data", dir, "--wait", "10m"}, strings.NewReader(""), &out, &problems, env)
	if code != fault.ExitCanceled || !strings.Contains(problems.String(), "lukasa: stopped on request — ") {
		t.Errorf("exit code %d: %s", code, problems.String())
	}
}

// An ingest that is stopped while it waits for more says how far it is.
func TestIngestStopped(t *testing.T) {
	env := nothing(t)
	ctx, cancel := context.WithCancel(t.Context())
	in, feed := io.Pipe()
	defer func() { _ = feed.Close() }()
	go func() {
		_, _ = io.WriteString(feed, "\n")
		cancel()
	}()
	var out, problems bytes.Buffer
	code := Run(ctx, []string{"ingest", "-"}, in, &out, &problems, env)
	if want := "stopped on request; 0 events are recorded — run it again to go on [canceled]"; code != fault.ExitCanceled || !strings.Contains(problems.String(), want) {
		t.Errorf("exit code %d: %s", code, problems.String())
	}
}

func TestDevicesAreNoTerminals(t *testing.T) {
	for _, name := range []string{os.DevNull, "/dev/full", "/dev/zero"} {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			continue // not on this platform
		}
		if term.DetectTerminal(f).Is {
			t.Errorf("%s is taken for a terminal", name)
		}
		_ = f.Close()
	}
}

// Where data belongs is asked for only where nothing is yet.
func TestHomeDirectory(t *testing.T) {
	home, data := t.TempDir(), filepath.Join(t.TempDir(), "share")
	at := func(vars map[string]string) string {
		s := testShell(nil, io.Discard, io.Discard)
		s.Lookup = setTo(vars)
		return s.HomeDir(home)
	}
	usual := filepath.Join(home, ".lukasa")
	if got := at(nil); got != usual {
		t.Errorf("without a variable it is %s", got)
	}
	if got := at(map[string]string{"XDG_DATA_HOME": "relative"}); got != usual {
		t.Errorf("with a name that is not absolute it is %s", got)
	}
	if got := at(map[string]string{"XDG_DATA_HOME": data}); got != filepath.Join(data, "lukasa") {
		t.Errorf("with the variable it is %s", got)
	}
	if err := os.Mkdir(usual, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := at(map[string]string{"XDG_DATA_HOME": data}); got != usual {
		t.Errorf("with data in the usual place it is %s", got)
	}
}

// testShell is a shell whose streams are the given ones and no terminals.
func testShell(stdin io.Reader, stdout, stderr io.Writer) *ask.Shell {
	return ask.NewShell(whole(), stdin, stdout, stderr, setTo(nil), func(any) term.Terminal { return term.Terminal{} })
}
