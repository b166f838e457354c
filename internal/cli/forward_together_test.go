package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/fault"
)

// atServer opens a board in a new directory and takes commands for it, until the test
// ends.
func atServer(t *testing.T, dir string) (*lukasa.Board, *ask.Counter) {
	t.Helper()
	b, err := lukasa.Open(dir, lukasa.Options{Note: "a server of the tests"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := ask.OpenCounter(dir, ask.Served{Board: b}, whole())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		done, cancel := context.WithCancel(context.Background())
		cancel()
		if err := errors.Join(c.Close(done), b.Close()); err != nil {
			t.Error(err)
		}
	})
	return b, c
}

// event is a line of an event.
func eventLine(session string, i int) string {
	return fmt.Sprintf(`{"hmx_version":"HMX-1.0","event_id":"%s-%d","event_type":"message","agent_id":"a","tenant_id":"acme","session_id":%q,"timestamp":"2026-11-01T10:00:00Z","sequence":%d,"content":{"role":"user","text":"number %d of %s"},"metadata":{}}`+"\n", session, i, session, i, i, session)
}

// size is how many records a tenant has.
func sizeOf(t *testing.T, b *lukasa.Board, tenant string) uint64 {
	t.Helper()
	root, err := b.Tenant(tenant, lukasa.Writer{}).Root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return root.Size
}

// Many commands at once, each by a connection of its own, write and read without
// loss.
func TestManyCommandsAtOnce(t *testing.T) {
	env := nothing(t)
	dir := filepath.Join(t.TempDir(), "data")
	b, _ := atServer(t, dir)
	const callers, events = 20, 25
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			var lines strings.Builder
			for n := range events {
				lines.WriteString(eventLine(fmt.Sprint("s", i), n))
			}
			var out, problems bytes.Buffer
			code := Run(t.Context(), []string{"ingest", "--data", dir, "--json", "-"}, strings.NewReader(lines.String()), &out, &problems, env)
			var a struct{ Accepted int }
			if err := json.Unmarshal(out.Bytes(), &a); code != 0 || err != nil || a.Accepted != events {
				t.Errorf("caller %d: exit code %d, %s%s", i, code, out.String(), problems.String())
			}
			out.Reset()
			code = Run(t.Context(), []string{"events", "--data", dir, "--session", fmt.Sprint("s", i)}, strings.NewReader(""), &out, &problems, env)
			if code != 0 || !strings.Contains(out.String(), fmt.Sprintf("number %d of s%d", events-1, i)) {
				t.Errorf("caller %d reads: exit code %d, %s%s", i, code, out.String(), problems.String())
			}
		})
	}
	all.Wait()
	if got := sizeOf(t, b, "acme"); got != callers*events {
		t.Errorf("%d records, want %d", got, callers*events)
	}
}

// A caller that is killed while it sends takes nothing with it: what was
// acknowledged stays, the server goes on, and nothing is left behind.
func TestCallerKilled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	b, c := atServer(t, dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = []string{"lukasa", "ingest", "--data", dir, "-"}
	cmd.Env = append(os.Environ(), callerEnv+"=1", "HOME="+t.TempDir())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	// More than every buffer on the way holds, so that some of it is recorded.
	for i := range 5000 {
		if _, err := io.WriteString(in, eventLine("killed", i)); err != nil {
			t.Fatal(err)
		}
	}
	for sizeOf(t, b, "acme") == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for len(c.Room) > 0 { // the command ends when its caller is gone
		time.Sleep(time.Millisecond)
	}
	before := sizeOf(t, b, "acme")
	var out, problems bytes.Buffer
	if code := Run(t.Context(), []string{"verify", "--deep", "--data", dir}, strings.NewReader(""), &out, &problems, nothing(t)); code != 0 {
		t.Errorf("exit code %d: %s%s", code, out.String(), problems.String())
	}
	if after := sizeOf(t, b, "acme"); after != before {
		t.Errorf("the command of a caller that is gone went on: %d records, then %d", before, after)
	}
}

// callerEnv makes the test binary a caller.
const callerEnv = "LUKASA_TEST_CALLER"

// An interrupt of the caller stops the command at the server, which says so as usual.
func TestForwardedIsStopped(t *testing.T) {
	env := nothing(t)
	dir := filepath.Join(t.TempDir(), "data")
	b, _ := atServer(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	in, feed := io.Pipe()
	defer func() { _ = feed.Close() }()
	go func() {
		for i := range 2000 {
			_, _ = io.WriteString(feed, eventLine("stopped", i))
		}
		for sizeOf(t, b, "acme") == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	var out, problems bytes.Buffer
	code := Run(ctx, []string{"ingest", "--data", dir, "-"}, in, &out, &problems, env)
	if code != fault.ExitCanceled || !strings.Contains(problems.String(), "stopped on request") {
		t.Errorf("exit code %d: %s%s", code, out.String(), problems.String())
	}
}

// Files are those of the caller, also where the name of the directory is too long for
// a socket; what no argument names is not read.
func TestForwardedFiles(t *testing.T) {
	for name, dir := range map[string]string{
		"socket":   filepath.Join(shortDir(t), "data"),
		"loopback": filepath.Join(t.TempDir(), strings.Repeat("long", 30), "data"),
	} {
		t.Run(name, func(t *testing.T) {
			_, c := atServer(t, dir)
			if want := map[string]string{"socket": "unix", "loopback": "tcp"}[name]; c.Address.Network != want {
				t.Errorf("it listens on %s, not %s", c.Address.Network, want)
			}
			if info, err := os.Stat(filepath.Join(dir, ask.NameServer)); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the address is %v, %v", info.Mode(), err)
			}
			t.Chdir(t.TempDir())
			if err := os.WriteFile("in.ndjson", []byte(eventLine("s", 0)), 0o600); err != nil {
				t.Fatal(err)
			}
			env := nothing(t)
			run := func(want int, args ...string) string {
				t.Helper()
				var out bytes.Buffer
				if code := Run(t.Context(), append(args, "--data", dir), strings.NewReader(""), &out, &out, env); code != want {
					t.Errorf("%v: exit code %d: %s", args, code, out.String())
				}
				return out.String()
			}
			run(0, "ingest", "in.ndjson")
			run(0, "export", "--out", "out.ndjson")
			if text, err := os.ReadFile("out.ndjson"); err != nil || !bytes.Contains(text, []byte("lukasa_export")) {
				t.Errorf("the export is %.100s, %v", text, err)
			}
			copied := t.TempDir() // what is copied while it is served is a directory of its own
			if text, err := os.ReadFile(filepath.Join(dir, ask.NameServer)); err != nil {
				t.Error(err)
			} else if err := os.WriteFile(filepath.Join(copied, ask.NameServer), text, 0o600); err != nil {
				t.Error(err)
			}
			if a, err := ask.ReadAddress(copied); err == nil && a.Network != "unix" {
				t.Errorf("commands for a copy go to %s", a.Address)
			}
			run(3, "export", "--out", filepath.Join("nowhere", "out.ndjson"))
			if text := run(2, "ingest", "none.ndjson"); !strings.Contains(text, `there is no file "none.ndjson"`) {
				t.Errorf("a file that is not there: %s", text)
			}
		})
	}
}

// shortDir is a directory with a short name.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "lk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Only what the command line names leaves the caller.
func TestCallerGivesNothingElse(t *testing.T) {
	s := testShell(nil, io.Discard, io.Discard)
	s.Lookup = setTo(map[string]string{"AWS_SECRET_ACCESS_KEY": "secret", "LUKASA_TENANT": "acme"})
	l := &ask.Caller{Shell: s, Args: []string{"ingest", "--out=a.txt", "b.txt"}, Open: map[int]*ask.Handed{}}
	for name, want := range map[string]bool{"a.txt": true, "b.txt": true, "/etc/passwd": false, "": false} {
		for _, op := range []string{ask.OpStat, ask.OpOpen, ask.OpMake} {
			h, _ := l.Attend(&ask.Head{Op: op, Name: []byte(name)}, nil)
			refused := h.Error != nil && h.Error.Detail == os.ErrPermission.Error()
			if refused == want && op == ask.OpStat {
				t.Errorf("%s of %q: %+v", op, name, h.Error)
			}
			if !want && h.Error == nil {
				t.Errorf("%s of %q is done", op, name)
			}
		}
	}
	l.CloseAll()
	_ = os.Remove("a.txt")
	_ = os.Remove("b.txt")
	if h, _ := l.Attend(&ask.Head{Op: ask.OpLookup, Name: []byte("AWS_SECRET_ACCESS_KEY")}, nil); h.Set || len(h.Name) > 0 {
		t.Error("a variable that is no business of ours is told")
	}
	if h, _ := l.Attend(&ask.Head{Op: ask.OpLookup, Name: []byte("LUKASA_TENANT")}, nil); string(h.Name) != "acme" {
		t.Error("a variable of ours is not told")
	}
}

// A process that listens at the address of a server without the secret learns nothing of
// the command, and a client without the secret has no command run.
func TestStrangers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	b, c := atServer(t, dir)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	heard := make(chan string, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		w := ask.NewTalk(conn)
		h, _, err := w.Receive()
		if err != nil {
			return
		}
		_ = w.Send(&ask.Head{Op: ask.OpServer, Nonce: h.Nonce, Proof: bytes.Repeat([]byte{1}, 32)}, nil)
		rest, _ := io.ReadAll(conn)
		heard <- string(rest)
	}()
	other := filepath.Join(t.TempDir(), "other")
	if err := os.MkdirAll(other, 0o700); err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(ask.Address{Version: ask.WireVersion, Network: "tcp", Address: l.Addr().String(), Dir: other, Secret: bytes.Repeat([]byte{7}, 32)})
	if err := os.WriteFile(filepath.Join(other, ask.NameServer), text, 0o600); err != nil {
		t.Fatal(err)
	}
	var out, problems bytes.Buffer
	code := Run(t.Context(), []string{"remember", "--data", other, "k", "secret text"}, strings.NewReader(""), &out, &problems, nothing(t))
	if code != fault.ExitEnvironment || !strings.Contains(problems.String(), string(fault.NoServer)) {
		t.Errorf("exit code %d: %s", code, problems.String())
	}
	if got := <-heard; strings.Contains(got, "secret") || got != "" {
		t.Errorf("a stranger heard %q", got)
	}

	conn, err := net.Dial(c.Address.Network, filepath.Join(c.Dir, ask.NameSocket))
	if c.Address.Network == "tcp" {
		conn, err = net.Dial("tcp", c.Address.Address)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	w := ask.NewTalk(conn)
	_ = w.Send(&ask.Head{Op: ask.OpHello, Version: ask.WireVersion, Nonce: []byte("n")}, nil)
	if _, _, err := w.Receive(); err != nil {
		t.Fatal(err)
	}
	_ = w.Send(&ask.Head{Op: ask.OpRun, Proof: []byte("wrong"), Args: [][]byte{[]byte("remember"), []byte("k"), []byte("x")}, Ends: make([]ask.WireEnd, 3)}, nil)
	if h, _, err := w.Receive(); err == nil {
		t.Errorf("a caller without the secret was answered: %+v", h)
	}
	if n := sizeOf(t, b, "default"); n != 0 {
		t.Errorf("%d records", n)
	}
}

// The files that a killed server left behind block no other process.
func TestServerIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	b, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := ask.OpenCounter(dir, ask.Served{Board: b}, whole())
	if err != nil {
		t.Fatal(err)
	}
	address, err := os.ReadFile(filepath.Join(dir, ask.NameServer))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Close(t.Context()), b.Close()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ask.NameServer), address, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := Run(t.Context(), []string{"remember", "--data", dir, "k", "text"}, strings.NewReader(""), &out, &out, nothing(t)); code != 0 {
		t.Errorf("exit code %d: %s", code, out.String())
	}
}
