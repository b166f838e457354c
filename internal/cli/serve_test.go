package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/node"
)

// runningServer is lukasa serve as a process.
type runningServer struct {
	answer serveAnswer
	cmd    *exec.Cmd
	log    *bytes.Buffer
}

// startServer runs lukasa serve with a home and waits until it listens.
func startServer(t *testing.T, home string, args ...string) *runningServer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &runningServer{cmd: exec.Command(self), log: &bytes.Buffer{}}
	s.cmd.Args = append([]string{"lukasa", "serve", "--json", "--listen", "127.0.0.1:0", "--memory", "256MiB"}, args...)
	s.cmd.Env = append(os.Environ(), callerEnv+"=1", "HOME="+home, "LUKASA_DATA=", "LUKASA_TOKEN=", "XDG_DATA_HOME=", quickExit)
	s.cmd.Stderr = s.log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() }) // it may have ended
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &s.answer)
	}
	if err != nil {
		_ = s.cmd.Wait()
		t.Fatalf("%v: %s%s", err, line, s.log)
	}
	return s
}

// stop ends it in order.
func (s *runningServer) stop(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, s.log)
	}
}

// Commands and calls see the same memory, whether the server runs, was killed or was
// stopped.
func TestServe(t *testing.T) {
	home := t.TempDir()
	s := startServer(t, home)
	if s.answer.Data != filepath.Join(home, ".lukasa") || s.answer.TokenFile != filepath.Join(home, ".lukasa", "TOKEN") || s.answer.MCP != s.answer.URL+"/mcp" {
		t.Errorf("it says %+v", s.answer)
	}
	token, err := os.ReadFile(s.answer.TokenFile)
	if err != nil {
		t.Fatal(err)
	}
	get := func(url string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/v1/root", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		req.Header.Set("X-Lukasa-Tenant", "acme")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(text)
	}
	env := setTo(map[string]string{"HOME": home, "USER": "tester"})
	run := func(want int, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		if code := Run(t.Context(), args, strings.NewReader(""), &out, &out, env); code != want {
			t.Errorf("%v: exit code %d: %s", args, code, out.String())
		}
		return out.String()
	}
	run(0, "remember", "k", "Told by a command.", "--tenant", "acme")
	if code, text := get(s.answer.URL); code != 200 || !strings.Contains(text, `"size":1,`) {
		t.Errorf("%d %s", code, text)
	}
	// A key that a command makes is good at once, and so is its end.
	made := run(0, "key", "create", "--tenant", "acme", "--json")
	var key struct {
		Token string
		Key   struct{ ID string }
	}
	if err := json.Unmarshal([]byte(made), &key); err != nil || key.Token == "" || key.Key.ID == "" {
		t.Fatalf("%s: %v", made, err)
	}
	token = []byte(key.Token)
	if code, text := get(s.answer.URL); code != 200 {
		t.Errorf("a new key: %d %s", code, text)
	}
	run(0, "key", "revoke", key.Key.ID, "--reason", "a test")
	if code, text := get(s.answer.URL); code != 401 {
		t.Errorf("a revoked key: %d %s", code, text)
	}
	if text := run(3, "serve"); !strings.Contains(text, "[locked]") {
		t.Errorf("a second server: %s", text)
	}
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait() // it was killed
	if text := run(0, "recall", "k", "--form", "full"); !strings.Contains(text, "Told by a command.") {
		t.Errorf("after a kill: %s", text)
	}
	s = startServer(t, home)
	if text := run(0, "recall", "k", "--form", "full"); !strings.Contains(text, "Told by a command.") {
		t.Errorf("after a start: %s", text)
	}
	if text := run(0, "serve", "--print-config", "--listen", "127.0.0.1:1"); !strings.Contains(text, `listen = "127.0.0.1:1" # from --listen`) {
		t.Errorf("the configuration: %s", text)
	}
	if text := run(2, "serve", "--max-body", "lots"); !strings.Contains(text, "[bad_config]") {
		t.Errorf("a bad flag: %s", text)
	}
	s.stop(t)
	if _, err := os.Stat(filepath.Join(home, ".lukasa", ask.NameServer)); err == nil {
		t.Error("it left its address behind")
	}
	if text := run(0, "verify", "--deep"); !strings.Contains(text, "sound") {
		t.Errorf("after a stop: %s", text)
	}
}

// What a server prints for agents names the tenant: the only one there is, else the
// default. A line that was copied goes on to work when another tenant comes.
func TestServeNamesTheTenant(t *testing.T) {
	for want, tenants := range map[string][]string{"default": nil, "acme": {"acme"}, "default ": {"acme", "beta"}} {
		b, err := lukasa.Open(t.TempDir(), lukasa.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range tenants {
			if _, err := b.Tenant(name, lukasa.Writer{Actor: "me", Trust: lukasa.User}).Remember(t.Context(), &lukasa.Memory{Type: "fact", Key: "k", Text: "v"}); err != nil {
				t.Fatal(err)
			}
		}
		var out strings.Builder
		s := ask.NewShell(whole(), strings.NewReader(""), &out, &out, setTo(nil), func(any) term.Terminal { return term.Terminal{} })
		got, err := usualTenant(t.Context(), s, b)
		if err != nil || got != strings.TrimSpace(want) {
			t.Errorf("of %v it is %q, %v", tenants, got, err)
		}
		snippets(s, &node.Effective{Config: node.Config{Data: "/data"}}, "http://x", "T", got)
		s.Stdout.PassOn()
		if n := strings.Count(out.String(), got); n != 5 {
			t.Errorf("%d of 5 lines name the tenant %s:\n%s", n, got, &out)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// quickstart are the blocks of the README that a newcomer runs.
var quickstart = regexp.MustCompile("(?s)```console quickstart\n(.*?)```")

// What the README says of the server happens as it is printed: each line is run in a
// shell, with the server at another port, and answers as is shown. An ellipsis stands for
// what differs from run to run.
func TestREADMEQuickStart(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s", tool)
		}
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := quickstart.FindAllStringSubmatch(string(readme), -1)
	if len(blocks) < 2 {
		t.Fatalf("there are %d blocks", len(blocks))
	}
	home, dir := t.TempDir(), t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	s := startServer(t, home)
	ran := 0
	for _, block := range blocks {
		for _, part := range strings.Split("\n"+block[1], "\n$ ")[1:] {
			line, shown, _ := strings.Cut(part, "\n")
			if strings.HasPrefix(line, "lukasa serve") || strings.HasPrefix(line, "claude ") {
				continue // it runs; and no one else's program is there
			}
			ran++
			cmd := exec.CommandContext(t.Context(), "bash", "-c", strings.ReplaceAll(line, "localhost:8373", strings.TrimPrefix(s.answer.URL, "http://")))
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+home, "LUKASA_DATA=", quickExit)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", line, err, out)
			}
			rest := string(out)
			for piece := range strings.SplitSeq(strings.ReplaceAll(shown, "\n", "…"), "…") {
				_, after, ok := strings.Cut(rest, piece)
				if !ok {
					t.Errorf("%s\ndoes not say %q, but\n%s", line, piece, out)
					break
				}
				rest = after
			}
		}
	}
	if ran < 5 {
		t.Errorf("%d lines were run", ran)
	}
}
