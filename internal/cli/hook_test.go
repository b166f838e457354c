package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/spool"
	"lukasa.dev/internal/testsize"
)

// toolUse is the input of a hook after a tool has run.
func toolUse(session string, n int) string {
	return fmt.Sprintf(`{"hook_event_name":"PostToolUse","session_id":%q,"cwd":"/srv/shop","tool_name":"Bash","tool_input":{"command":"make %d"},"tool_response":{"stdout":"made %d"},"tool_use_id":"%s-%d"}`, session, n, n, session, n)
}

// runHook runs a hook in this process.
func runHook(t testing.TB, env func(string) (string, bool), input string, args ...string) (out, problems string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Run(context.Background(), append([]string{"hook"}, args...), strings.NewReader(input), &stdout, &stderr, env)
	return stdout.String(), stderr.String(), code
}

// results counts the results of calls on record, by the id of the call, and the messages, by
// what they say.
func results(t testing.TB, b *lukasa.Board, tenant string, sessions ...string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for _, session := range sessions {
		page, err := b.Tenant(tenant, lukasa.Writer{}).Events(context.Background(), lukasa.EventQuery{Session: session, Limit: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Events {
			if r, ok := e.Event.ToolResult(); ok && e.Event.EventType == "tool_result" {
				found[r.CallID]++
			}
			if m, ok := e.Event.Message(); ok && e.Event.EventType == "message" {
				found[m.Text]++
			}
		}
	}
	return found
}

// Many hooks at once on a directory without a server, some of them killed: whatever ended has
// its event on record when the directory is opened next, and nothing is there twice.
func TestHooksAtOnce(t *testing.T) {
	rounds := testsize.Of(t, "hook-rounds", 1, 1, 50)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	dir := filepath.Join(home, "data")
	var sessions []string
	ended := map[string]bool{}
	for round := range rounds {
		const hooks = 20
		session := fmt.Sprintf("round-%d", round)
		sessions = append(sessions, session)
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range hooks {
			all.Go(func() {
				input, id := toolUse(session, i), fmt.Sprintf("%s-%d", session, i)
				if i%5 == 4 { // one that waits for an answer, and so opens the directory
					input = fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":%q,"prompt":"%s"}`, session, id)
				}
				cmd := exec.Command(self, "hook", "claude-code", "--data", dir)
				cmd.Env = append(os.Environ(), callerEnv+"=1", "HOME="+home, "LUKASA_DATA=")
				cmd.Stdin = strings.NewReader(input)
				var answer bytes.Buffer
				cmd.Stdout = &answer
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				if i%3 == 2 { // killed while it is at work, or before
					timer := time.AfterFunc(time.Duration(10+7*i)*time.Millisecond, func() { _ = cmd.Process.Kill() })
					defer timer.Stop()
				}
				err := cmd.Wait()
				out := answer.Bytes()
				if err != nil {
					if i%3 != 2 {
						t.Errorf("hook %d: %v", i, err)
					}
					return
				}
				if !json.Valid(out) {
					t.Errorf("hook %d answers %q", i, out)
				}
				mu.Lock()
				ended[id] = true
				mu.Unlock()
			})
		}
		all.Wait()
	}
	var stdout, stderr bytes.Buffer
	if code := Run(t.Context(), []string{"root", "--data", dir}, nil, &stdout, &stderr, setTo(map[string]string{"HOME": home})); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	if spool.Pending(disk.OS(), dir) {
		t.Error("after an opening something waits still")
	}
	b, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }() // the test is over
	found := results(t, b, "default", sessions...)
	for id := range ended {
		if found[id] != 1 {
			t.Errorf("%s ended well and is there %d times", id, found[id])
		}
	}
	for id, n := range found {
		if n != 1 {
			t.Errorf("%s is there %d times", id, n)
		}
	}
}

// Through a server: recorded when the hook ends, answered from what was there before, and the
// next hook finds it.
func TestHookServed(t *testing.T) {
	env := nothing(t)
	dir := filepath.Join(t.TempDir(), "data")
	b, _ := atServer(t, dir)
	out, problems, code := runHook(t, env, toolUse("s", 1), "claude-code", "--data", dir, "--limit", "1m", "--tenant", "acme")
	if out != "{}\n" || problems != "" || code != 0 {
		t.Fatalf("%q, %q, %d", out, problems, code)
	}
	if got := results(t, b, "acme", "s"); got["s-1"] != 1 {
		t.Errorf("on record are %v", got)
	}
	prompt := `{"hook_event_name":"UserPromptSubmit","session_id":"t","prompt":"Who made %d?"}`
	out, _, code = runHook(t, env, fmt.Sprintf(prompt, 1), "claude-code", "--data", dir, "--limit", "1m", "--tenant", "acme")
	if code != 0 || !strings.Contains(out, "made 1") || strings.Contains(out, "Who made") {
		t.Errorf("the answer is %s", out)
	}
	if spool.Pending(disk.OS(), dir) {
		t.Error("something waits though a server was there")
	}
}

// A server that is gone, one that does not answer, a directory that another process has open,
// one that cannot be written: exit code 0, a valid answer, and every event kept that can be.
func TestHookNeverFails(t *testing.T) {
	testsize.Long(t, "it waits for servers that do not answer")
	env := nothing(t)
	t.Run("a dead server", func(t *testing.T) {
		dir := t.TempDir()
		b, c := atServer(t, dir)
		address, err := os.ReadFile(filepath.Join(dir, ask.NameServer))
		if err != nil {
			t.Fatal(err)
		}
		done, cancel := context.WithCancel(t.Context())
		cancel()
		if err := c.Close(done); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ask.NameServer), address, 0o600); err != nil {
			t.Fatal(err)
		}
		out, _, code := runHook(t, env, toolUse("s", 1), "claude-code", "--data", dir)
		if out != "{}\n" || code != 0 || !spool.Pending(disk.OS(), dir) {
			t.Errorf("%q, %d", out, code)
		}
		if _, err := ask.FoldSpool(t.Context(), dir, b, ""); err != nil {
			t.Error(err)
		}
		if got := results(t, b, "default", "s"); got["s-1"] != 1 {
			t.Errorf("on record are %v", got)
		}
	})
	t.Run("a server that does not answer", func(t *testing.T) {
		dir := t.TempDir()
		silent, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = silent.Close() }() // no client connects any more
		text, err := json.Marshal(ask.Address{Version: ask.WireVersion, Network: "tcp", Address: silent.Addr().String(), Dir: dir, Secret: make([]byte, 32)})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ask.NameServer), text, 0o600); err != nil {
			t.Fatal(err)
		}
		out, _, code := runHook(t, env, toolUse("s", 1), "claude-code", "--data", dir, "--limit", "5s")
		if out != "{}\n" || code != 0 || !spool.Pending(disk.OS(), dir) {
			t.Errorf("%q, %d", out, code)
		}
	})
	t.Run("somebody has it", func(t *testing.T) {
		dir := t.TempDir()
		b, err := lukasa.Open(dir, lukasa.Options{})
		if err != nil {
			t.Fatal(err)
		}
		out, _, code := runHook(t, env, `{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"x"}`, "claude-code", "--data", dir, "--wait", "1ms")
		if out != "{}\n" || code != 0 || !spool.Pending(disk.OS(), dir) {
			t.Errorf("%q, %d", out, code)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("no time", func(t *testing.T) {
		dir, err := os.MkdirTemp("", "hook")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir) // what was begun may still write there
		out, _, code := runHook(t, env, toolUse("s", 1), "claude-code", "--data", dir, "--limit", "1ns")
		if out != "{}\n" || code != 0 {
			t.Errorf("%q, %d", out, code)
		}
	})
	t.Run("not a directory", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		out, _, code := runHook(t, env, toolUse("s", 1), "claude-code", "--data", file)
		if out != "{}\n" || code != 0 {
			t.Errorf("%q, %d", out, code)
		}
	})
	for _, args := range [][]string{nil, {"nobody"}, {"claude-code", "--no-such-flag"}, {"claude-code", "--budget", "many"}, {"claude-code", "--enforce", "perhaps"}, {"codex", "x", "y"}} {
		out, problems, code := runHook(t, env, "{}", args...)
		if out != "{}\n" || problems == "" || code != 0 {
			t.Errorf("%v: %q, %q, %d", args, out, problems, code)
		}
	}
}

// The log of errors is bounded.
func TestHookLog(t *testing.T) {
	testsize.OneGoroutine(t)
	dir := filepath.Join(t.TempDir(), "data")
	long := strings.Repeat("trouble\n", 4000)
	for range 1500 {
		ask.HookLog(dir, time.Unix(0, 0), "somebody", long)
	}
	for _, name := range []string{ask.NameHookLog, ask.NameHookLog + ".1"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Size() > ask.MaxHookLog+2*ask.MaxHookLine {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 2 {
		t.Errorf("there are %v, %v", names, err)
	}
}

// BenchmarkHook runs hooks as agents do, a process each: through a server, and without one.
// The board has 10,000 events.
func BenchmarkHook(b *testing.B) {
	events := testsize.Of(b, "hook-events", 10_000, 10_000, 100_000)
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	home := b.TempDir()
	dir := filepath.Join(home, "data")
	board, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var lines strings.Builder
	for i := range events {
		lines.WriteString(eventLine(fmt.Sprintf("s-%d", i/50), i))
	}
	if _, err := board.Ingest(context.Background(), strings.NewReader(lines.String()), lukasa.IngestOptions{Writer: lukasa.Writer{Trust: lukasa.User}}); err != nil {
		b.Fatal(err)
	}
	inputs := map[string]func(int) string{
		"start": func(int) string {
			return `{"hook_event_name":"SessionStart","session_id":"b","cwd":"/srv/shop","source":"startup"}`
		},
		"prompt": func(n int) string {
			return fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"b","prompt":"What was number %d about?"}`, n)
		},
		"before": func(n int) string { return strings.Replace(toolUse("b", n), "PostToolUse", "PreToolUse", 1) },
		"after":  func(n int) string { return toolUse("c", n) },
	}
	each := func(b *testing.B, way string) {
		for _, name := range []string{"start", "prompt", "before", "after"} {
			b.Run(way+"/"+name, func(b *testing.B) {
				var took []time.Duration
				for b.Loop() {
					cmd := exec.Command(self, "hook", "claude-code", "--data", dir)
					cmd.Env = append(os.Environ(), callerEnv+"=1", "HOME="+home, "LUKASA_DATA=", "LUKASA_WITNESS=off")
					cmd.Stdin = strings.NewReader(inputs[name](len(took) + int(time.Now().UnixNano()%1e9)))
					start := time.Now()
					if out, err := cmd.Output(); err != nil || !json.Valid(out) {
						b.Fatalf("%s: %q, %v", name, out, err)
					}
					took = append(took, time.Since(start))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
				b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
			})
		}
	}
	desk, err := ask.OpenCounter(dir, ask.Served{Board: board}, whole())
	if err != nil {
		b.Fatal(err)
	}
	each(b, "server")
	if err := desk.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
	if err := board.Close(); err != nil {
		b.Fatal(err)
	}
	each(b, "directory")
}
