package agents

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/hook"
)

// A path that is no regular file is refused with its name and kind, and not changed.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such files here")
	}
	short, err := os.MkdirTemp("", "s") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	socket := filepath.Join(short, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	for kind, to := range map[string]string{"a socket": socket, "a directory": short} {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			lay(t, dir, map[string]string{".cursor/mcp.json": "{}"})
			if err := os.Symlink(to, filepath.Join(dir, ".cursor", "hooks.json")); err != nil {
				t.Fatal(err)
			}
			s := machine(t, hook.Cursor, dir)
			for _, run := range []func() ([]Change, error){s.Install, s.Uninstall, s.Entries} {
				_, err := run()
				refused(t, err, "hooks.json is "+kind+", but must be a regular file")
			}
			if data, err := os.ReadFile(filepath.Join(dir, ".cursor", "mcp.json")); err != nil || string(data) != "{}" {
				t.Errorf("the other file is %s, %v", data, err)
			}
		})
	}
}

// A device is refused as well. It is only read here: a superuser could replace a device of the
// machine.
func TestDevicesAreNotRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such files here")
	}
	link := filepath.Join(t.TempDir(), "settings.json")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Fatal(err)
	}
	_, err := load(link)
	refused(t, err, "settings.json is a device, but must be a regular file")
}

// refused requires the error for a path that is no regular file.
func refused(t *testing.T, err error, words string) {
	t.Helper()
	if fault.CodeOf(err) != fault.UnreadableInput {
		t.Fatalf("code %q: %v", fault.CodeOf(err), err)
	}
	if !strings.Contains(err.Error(), words) || !strings.Contains(fault.From(err).Advice(), "put a regular file in its place") {
		t.Errorf("%v; %s", err, fault.From(err).Advice())
	}
}

// Opening a pipe without a writer blocks forever, so pipes are not opened.
func TestPipesAreNotOpened(t *testing.T) {
	mkfifo, err := exec.LookPath("mkfifo")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there are no named pipes here")
	}
	dir := t.TempDir()
	lay(t, dir, map[string]string{".gemini/x": ""})
	pipe := filepath.Join(dir, ".gemini", "settings.json")
	if err := exec.Command(mkfifo, pipe).Run(); err != nil {
		t.Fatal(err)
	}
	s := machine(t, hook.GeminiCLI, dir)
	for _, run := range []func() ([]Change, error){s.Install, s.Uninstall, s.Entries} {
		done := make(chan error, 1)
		go func() { _, err := run(); done <- err }()
		refused(t, unlessOpened(t, pipe, done), "settings.json is a named pipe, but must be a regular file")
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v, %v", info, err)
	}
}

// unlessOpened waits for an error, and fails if the pipe is opened for reading before: only then
// can it be opened for writing without blocking.
func unlessOpened(t *testing.T, pipe string, done <-chan error) error {
	t.Helper()
	for {
		select {
		case err := <-done:
			return err
		default:
		}
		if f, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			_ = f.Close()
			t.Fatal("the pipe was opened")
		}
		runtime.Gosched()
	}
}
