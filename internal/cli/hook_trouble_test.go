package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/spool"
	"lukasa.dev/internal/testsize"
)

// logged returns the log of hooks of a data directory.
func logged(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, ask.NameHookLog))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// asides returns what was put aside in a data directory, one after the other.
func asides(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, spool.Dir, "aside", "*.input"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// folded returns the results of a session after a process has opened the directory.
func folded(t *testing.T, dir, session string) map[string]int {
	t.Helper()
	b, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }() // nothing was written to it
	if _, err := ask.FoldSpool(t.Context(), dir, b, ""); err != nil {
		t.Fatal(err)
	}
	root, err := b.Tenant("default", lukasa.Writer{}).Root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if root.Size == 0 {
		return map[string]int{}
	}
	return results(t, b, "default", session)
}

// Whatever an agent hands over: the exit code is 0, the answer an object, and what is not
// recorded is in the log and put aside.
func TestHookInput(t *testing.T) {
	testsize.OneGoroutine(t)
	good := toolUse("s", 1)
	huge := strings.Replace(good, "made 1", strings.Repeat("made one of many. ", 50<<20/18), 1)
	for _, tc := range []struct {
		name, input string
		recorded    bool
		log, aside  string // what is in them
	}{
		{"closed at once", "", false, "the input is empty", ""},
		{"nothing but blanks", " \n\t\n", false, "the input is empty", ""},
		{"no JSON", "Error: ENOENT", false, "not an object of JSON", "Error: ENOENT"},
		{"half an object", good[:len(good)/2], false, "not an object of JSON", `"tool_name":"Bash"`},
		{"no event", `{"session_id":"s"}`, false, "which hook event", `{"session_id":"s"}`},
		{"an event that nobody knows", `{"hook_event_name":"Invented","session_id":"s"}`, false, "not known: Invented", ""},
		{"two objects", good + "\n" + toolUse("s", 2), true, "something follows the object", `"s-2"`},
		{"an object and dirt", good + "\nwarning: x", true, "something follows the object", "warning: x"},
		{"50 MB", huge, true, "recorded in part", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			out, problems, code := runHook(t, nothing(t), tc.input, "claude-code", "--data", dir, "--limit", "1m")
			if out != "{}\n" || problems != "" || code != 0 {
				t.Errorf("%q, %q, %d", out, problems, code)
			}
			if log := logged(t, dir); strings.Count(log, "\n") != 1 || !strings.Contains(log, tc.log) {
				t.Errorf("the log says %q", log)
			}
			if aside := asides(t, dir); !strings.Contains(aside, tc.aside) || tc.aside == "" && aside != "" {
				t.Errorf("put aside is %q", aside)
			}
			if got := folded(t, dir, "s")["s-1"]; got == 1 != tc.recorded {
				t.Errorf("it is there %d times", got)
			}
		})
	}
}

// An agent that leaves its end of the pipe open is not waited for longer than the limit: what
// is complete is recorded, and what is not is put aside.
func TestHookInputIsNotClosed(t *testing.T) {
	for _, tc := range []struct {
		name, input string
		recorded    bool
		aside       string
	}{
		{"nothing", "", false, ""},
		{"half an object", toolUse("s", 1)[:80], false, `"session_id":"s"`},
		{"an object", toolUse("s", 1), true, ""},
		{"an object and half of another", toolUse("s", 1) + toolUse("s", 2)[:80], true, `"session_id":"s"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			in, agent := io.Pipe()
			defer func() { _ = agent.Close() }() // it was left open for long enough
			go func() { _, _ = io.WriteString(agent, tc.input) }()
			limit := "1m"
			if !tc.recorded {
				limit = "5s" // it is waited for
			}
			var out, problems bytes.Buffer
			code := Run(context.Background(), []string{"hook", "claude-code", "--data", dir, "--limit", limit}, in, &out, &problems, nothing(t))
			if out.String() != "{}\n" || problems.Len() > 0 || code != 0 {
				t.Errorf("%q, %q, %d", out.String(), problems.String(), code)
			}
			if log := logged(t, dir); (log == "") != (tc.recorded && tc.aside == "") {
				t.Errorf("the log says %q", log)
			}
			if aside := asides(t, dir); !strings.Contains(aside, tc.aside) || tc.aside == "" && aside != "" {
				t.Errorf("put aside is %q", aside)
			}
			if got := folded(t, dir, "s")["s-1"]; got == 1 != tc.recorded {
				t.Errorf("it is there %d times", got)
			}
		})
	}
}

// A server that is none: the hook says so in the log, and goes without.
func TestHookServerIsNone(t *testing.T) {
	testsize.Long(t, "it waits for servers that do not answer")
	for name, talk := range map[string]func(net.Conn){
		"never answers": func(c net.Conn) { _, _ = io.Copy(io.Discard, c) },
		"hangs up":      func(net.Conn) {},
		"speaks HTTP":   func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n") },
		"sends garbage": func(c net.Conn) { _, _ = c.Write(bytes.Repeat([]byte{0, 0, 0, 4}, 512)) },
		"sends no end": func(c net.Conn) {
			_, _ = c.Write([]byte{0, 0, 1, 0, 0, 0, 0, 0, 123})
			_, _ = io.Copy(io.Discard, c)
		},
		"has no secret": func(c net.Conn) {
			w := ask.NewTalk(c)
			_, _, _ = w.Receive() // whatever it is
			_ = w.Send(&ask.Head{Op: ask.OpServer, Nonce: make([]byte, 32), Proof: make([]byte, 32)}, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			b, err := lukasa.Open(dir, lukasa.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			server, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = server.Close() }() // no client connects any more
			go func() {
				for {
					c, err := server.Accept()
					if err != nil {
						return
					}
					talk(c)
					_ = c.Close() // it has said what it had to
				}
			}()
			text, err := json.Marshal(ask.Address{Version: ask.WireVersion, Network: "tcp", Address: server.Addr().String(), Dir: dir, Secret: bytes.Repeat([]byte{1}, 32)})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, ask.NameServer), text, 0o600); err != nil {
				t.Fatal(err)
			}
			out, problems, code := runHook(t, nothing(t), toolUse("s", 1), "claude-code", "--data", dir, "--limit", "5s")
			if out != "{}\n" || problems != "" || code != 0 {
				t.Errorf("%q, %q, %d", out, problems, code)
			}
			if log := logged(t, dir); !strings.Contains(log, "through the server: ") {
				t.Errorf("the log says %q", log)
			}
			if got := folded(t, dir, "s"); got["s-1"] != 1 {
				t.Errorf("on record are %v", got)
			}
		})
	}
}

// A hook tells a server at once what it will ask for, and an input that a message does not
// hold is read as any other.
func TestHookTellsAtOnce(t *testing.T) {
	dir := t.TempDir()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }() // no client connects any more
	at := &ask.Address{Version: ask.WireVersion, Network: "tcp", Address: server.Addr().String(), Dir: dir, Secret: bytes.Repeat([]byte{1}, 32)}
	text, err := json.Marshal(at)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ask.NameServer), text, 0o600); err != nil {
		t.Fatal(err)
	}
	desk := &ask.Counter{Address: at}
	type met struct {
		run   *ask.Head
		input []byte
	}
	came := make(chan met, 1)
	go func() {
		for {
			c, err := server.Accept()
			if err != nil {
				return
			}
			w := ask.NewTalk(c)
			run, input, err := desk.Meet(w)
			if err == nil {
				came <- met{run, input}
				_ = w.Send(&ask.Head{Op: ask.OpExit}, nil) // it is all that is wanted
			}
			_ = c.Close() // everything was said
		}
	}()
	env := setTo(map[string]string{"HOME": t.TempDir(), "LUKASA_TENANT": "acme", "LUKASA_SECRET": "no"})
	small := toolUse("s", 1)
	large := strings.Replace(small, "made 1", strings.Repeat("made one of many. ", 20_000), 3)
	large = strings.Replace(large, `"cwd"`, `"more":["`+strings.Repeat("x", 500<<10)+`","`+strings.Repeat("x", 500<<10)+`"],"cwd"`, 1)
	for _, in := range []string{small, large} {
		if out, problems, code := runHook(t, env, in, "claude-code", "--data", dir, "--limit", "1m"); out != "{}\n" || problems != "" || code != 0 {
			t.Fatalf("%q, %q, %d", out, problems, code)
		}
		m := <-came
		if whole := len(in) <= ask.MaxData; m.run.Whole != whole || whole && string(m.input) != in || !whole && len(m.input) > 0 {
			t.Errorf("of %d bytes are told %d, %v", len(in), len(m.input), m.run.Whole)
		}
		for _, v := range m.run.Vars {
			if set := v.Name == "LUKASA_TENANT"; v.Set != set || set != (string(v.Value) == "acme") || !strings.HasPrefix(v.Name, "LUKASA_") || v.Name == "LUKASA_SECRET" {
				t.Errorf("told is %+v", v)
			}
		}
		if len(m.run.Vars) != 3 {
			t.Errorf("told are %+v", m.run.Vars)
		}
	}
}

// mounted mounts a file system at a directory for the rest of the test, or skips it.
func mounted(t *testing.T, dir string, args ...string) {
	t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("only root can mount something, on Linux")
	}
	if out, err := exec.Command("mount", append(args, dir)...).CombinedOutput(); err != nil {
		t.Skipf("nothing can be mounted here: %s", out)
	}
	t.Cleanup(func() {
		if exec.Command("umount", dir).Run() != nil {
			_ = exec.Command("umount", "-l", dir).Run() // at the latest when its last file is closed
		}
	})
}

// frozen makes a directory read-only for the rest of the test.
func frozen(t *testing.T, dir string) {
	t.Helper()
	if os.Geteuid() != 0 && runtime.GOOS != "windows" {
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
		return
	}
	mounted(t, dir, "--bind", dir)
	mounted(t, dir, "-o", "remount,ro,bind")
}

// In a directory that cannot be written nothing can be kept. The hook reports that on the
// standard error of the agent, the only place left.
func TestHookReadOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if out, _, code := runHook(t, nothing(t), toolUse("s", 1), "claude-code", "--data", dir, "--limit", "1m"); out != "{}\n" || code != 0 {
		t.Fatalf("%q, %d", out, code)
	}
	if folded(t, dir, "s")["s-1"] != 1 {
		t.Fatal("it is not there")
	}
	frozen(t, dir)
	for _, input := range []string{toolUse("s", 2), prompted("s", "", "Who made 1?"), "no JSON"} {
		out, problems, code := runHook(t, nothing(t), input, "claude-code", "--data", dir, "--limit", "1m")
		if out != "{}\n" || code != 0 || !strings.HasPrefix(problems, "lukasa: claude-code") {
			t.Errorf("%q, %q, %d", out, problems, code)
		}
	}
}

// A disk that is full: exit code 0, a line, and when there is room again everything that was
// acknowledged before is there.
func TestHookFullDisk(t *testing.T) {
	disks := t.TempDir()
	mounted(t, disks, "-t", "tmpfs", "-o", "size=64m", "lukasa-hooks")
	dir := filepath.Join(disks, "data")
	for i := range 5 {
		if out, problems, code := runHook(t, nothing(t), toolUse("s", i), "claude-code", "--data", dir, "--limit", "1m"); out != "{}\n" || problems != "" || code != 0 {
			t.Fatalf("%q, %q, %d", out, problems, code)
		}
	}
	ballast, err := os.Create(filepath.Join(disks, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	for chunk := make([]byte, 1<<20); len(chunk) > 0; {
		if _, err := ballast.Write(chunk); err != nil {
			chunk = chunk[:len(chunk)/2] // the last bytes
		}
	}
	for i := 5; i < 8; i++ {
		out, problems, code := runHook(t, nothing(t), toolUse("s", i), "claude-code", "--data", dir, "--limit", "1m")
		if out != "{}\n" || code != 0 || logged(t, dir) == "" && problems == "" {
			t.Errorf("%q, %q, %d", out, problems, code)
		}
	}
	if err := os.Remove(ballast.Name()); err != nil {
		t.Fatal(err)
	}
	_ = ballast.Close() // it is gone
	if out, _, code := runHook(t, nothing(t), toolUse("s", 8), "claude-code", "--data", dir, "--limit", "1m"); out != "{}\n" || code != 0 {
		t.Errorf("%q, %d", out, code)
	}
	got := folded(t, dir, "s")
	for _, i := range []int{0, 1, 2, 3, 4, 8} {
		if id := fmt.Sprintf("s-%d", i); got[id] != 1 {
			t.Errorf("%s is there %d times", id, got[id])
		}
	}
	if spool.Pending(disk.OS(), dir) {
		t.Error("something waits still")
	}
}

// On a disk with too little room for the journal a rule waits in the spool, and binds.
func TestHookLittleRoom(t *testing.T) {
	disks := t.TempDir()
	mounted(t, disks, "-t", "tmpfs", "-o", "size=8m", "lukasa-hooks")
	dir := filepath.Join(disks, "data")
	runHook(t, nothing(t), prompted("s", "/srv/shop", "Never push to main."), "claude-code", "--data", dir, "--limit", "1m")
	for i, command := range []string{"git push origin main", "git push origin main", "git push origin topic"} {
		out, problems, code := runHook(t, nothing(t), fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/srv/shop","tool_name":"Bash","tool_use_id":"t%d","tool_input":{"command":%q}}`, i, command), "claude-code", "--data", dir, "--limit", "1m")
		if denied := strings.Contains(out, `"permissionDecision":"deny"`); denied != (i < 2) || problems != "" || code != 0 {
			t.Errorf("%s: %q, %q, %d", command, out, problems, code)
		}
	}
}
