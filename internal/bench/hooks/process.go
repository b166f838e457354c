package hooks

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"lukasa.dev/internal/bench"
	"lukasa.dev/internal/fault"
)

// world is the environment of the processes.
type world struct {
	dir, home, project string
	program            string
}

// contender is a process that is started repeatedly.
type contender struct {
	name, what string
	goal       float64
	server     bool
	run        func(ctx context.Context, round int) (time.Duration, error)
	times      []time.Duration
}

// findProgram returns the lukasa binary to measure.
func findProgram(named string) (string, error) {
	if named == "" {
		file := "lukasa"
		if runtime.GOOS == "windows" {
			file += ".exe"
		}
		if own, err := os.Executable(); err == nil {
			if beside := filepath.Join(filepath.Dir(own), file); isFile(beside) {
				return beside, nil
			}
		}
		named = file
	}
	path, err := exec.LookPath(named)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", fault.Newf(fault.Usage, "there is no lukasa to measure: %w", err).WithFix("name it with --program, such as bin/lukasa after make build")
	}
	return path, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// contenders returns the contenders.
func (w *world) contenders(ctx context.Context, alone, served string) ([]*contender, error) {
	var list []*contender
	add := func(name, what string, goal float64, server bool, run func(context.Context, int) (time.Duration, error)) {
		list = append(list, &contender{name: name, what: what, goal: goal, server: server, run: run})
	}
	plain := func(path string, args ...string) func(context.Context, int) (time.Duration, error) {
		return func(ctx context.Context, _ int) (time.Duration, error) { return w.timed(ctx, nil, path, args...) }
	}
	if path, err := exec.LookPath("true"); err == nil {
		add("true", "true", 0, false, plain(path))
	}
	if path, err := w.hello(ctx); err == nil {
		add("hello", "hello world in Go", 0, false, plain(path))
	} else if !errors.Is(err, exec.ErrNotFound) {
		return nil, err
	}
	add("version", "lukasa version", goalStart, false, plain(w.program, "version"))
	for _, e := range []struct {
		name, what, hook string
		goal             float64
		input            func(round int) map[string]any
	}{
		{"start", "session start", "SessionStart", goalServed, func(int) map[string]any { return map[string]any{"source": "startup"} }},
		{"prompt", "prompt", "UserPromptSubmit", goalPromptServed, func(i int) map[string]any {
			return map[string]any{"prompt": fmt.Sprintf("Please fix the rounding of refund number %d and run the tests of the billing package.", i)}
		}},
		{"pre_tool", "before a tool", "PreToolUse", goalServed, func(i int) map[string]any {
			return map[string]any{"tool_name": "Bash", "tool_use_id": fmt.Sprintf("t-%d", i), "tool_input": map[string]any{"command": fmt.Sprintf("go test ./refund%d", i)}}
		}},
		{"post_tool", "after a tool", "PostToolUse", goalServed, func(i int) map[string]any {
			return map[string]any{
				"tool_name": "Bash", "tool_use_id": fmt.Sprintf("t-%d", i), "tool_input": map[string]any{"command": fmt.Sprintf("go test ./refund%d", i)},
				"tool_response": map[string]any{"stdout": strings.Repeat("ok ", 50), "stderr": "", "interrupted": false, "isImage": false},
			}
		}},
	} {
		event := func(data string) func(context.Context, int) (time.Duration, error) {
			return func(ctx context.Context, round int) (time.Duration, error) {
				input, err := w.input(e.hook, round, e.input(round))
				if err == nil {
					err = quiet(data)
				}
				if err != nil {
					return 0, err
				}
				return w.timed(ctx, input, w.program, "hook", "claude-code", "--data", data, "--tenant", bench.Tenant)
			}
		}
		add(e.name+"_alone", e.what+", without a server", goalAlone, false, event(alone))
		add(e.name+"_served", e.what+", through a server", e.goal, true, event(served))
	}
	return list, nil
}

// quiet keeps a hook from starting a compile in the background, which the agent does not wait
// for: it sets the mark of a recent compile.
func quiet(data string) error {
	mark := filepath.Join(data, "COMPILED")
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return err
	}
	later := time.Now().Add(time.Hour)
	return os.Chtimes(mark, later, later)
}

// hello builds a hello world program. The error is exec.ErrNotFound if Go is not installed.
func (w *world) hello(ctx context.Context) (string, error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return "", exec.ErrNotFound
	}
	dir := filepath.Join(w.dir, "hello")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	const text = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello, world\") }\n"
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o600); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "hello.exe")
	c := exec.CommandContext(ctx, tool, "build", "-trimpath", "-ldflags=-s -w", "-o", path, "main.go")
	c.Dir, c.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GO111MODULE=off", "GOFLAGS=")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build a hello world: %w: %s", err, out)
	}
	return path, nil
}

// command is a process in the world, without the caller's settings.
func (w *world) command(ctx context.Context, path string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, path, args...)
	c.Dir = w.project
	c.Env = []string{"HOME=" + w.home, "USER=bench", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + w.dir}
	for _, name := range []string{"SYSTEMROOT", "USERPROFILE", "GODEBUG", "GORACE"} {
		if value, ok := os.LookupEnv(name); ok {
			c.Env = append(c.Env, name+"="+value)
		}
	}
	return c
}

// output runs lukasa and returns its output.
func (w *world) output(ctx context.Context, args ...string) ([]byte, error) {
	c := w.command(ctx, w.program, args...)
	var problems bytes.Buffer
	c.Stderr = &problems
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("lukasa %s: %w: %s", args[0], err, bytes.TrimSpace(problems.Bytes()))
	}
	return out, nil
}

func (w *world) version(ctx context.Context) (string, error) {
	out, err := w.output(ctx, "version", "--json")
	if err != nil {
		return "", err
	}
	var v struct {
		Version string `json:"version"`
	}
	err = json.Unmarshal(out, &v)
	return v.Version, err
}

// timed runs a process and returns the time from its start until it has ended and its answer is
// read.
func (w *world) timed(ctx context.Context, input []byte, path string, args ...string) (time.Duration, error) {
	c := w.command(ctx, path, args...)
	var problems bytes.Buffer
	c.Stdin, c.Stderr = bytes.NewReader(input), &problems
	began := time.Now()
	_, err := c.Output()
	took := time.Since(began)
	if err == nil && problems.Len() > 0 {
		err = errors.New("it reports a problem")
	}
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, bytes.TrimSpace(problems.Bytes()))
	}
	return took, nil
}

// serve starts a server on a directory, and returns the function that stops it.
func (w *world) serve(ctx context.Context, data string) (stop func(), err error) {
	c := w.command(ctx, w.program, "serve", "--json", "--data", data, "--listen", "127.0.0.1:0")
	var problems bytes.Buffer
	c.Stderr = &problems
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	stop = func() { // errors do not matter, since nothing is kept
		_ = c.Process.Kill()
		_, _ = io.Copy(io.Discard, out)
		_ = c.Wait()
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		stop()
		return nil, fmt.Errorf("lukasa serve: %w: %s", err, bytes.TrimSpace(problems.Bytes()))
	}
	return stop, nil
}

// hookLog is the file in a data directory in which hooks log errors: a hook itself never fails.
const hookLog = "HOOK.log"

// forgetTrouble clears the logged errors.
func forgetTrouble(data string) error {
	if err := os.Remove(filepath.Join(data, hookLog)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// addTrouble counts the logged errors.
func (r *Report) addTrouble(data string) error {
	text, err := os.ReadFile(filepath.Join(data, hookLog))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}
	for line := range strings.Lines(string(text)) {
		if r.Failures++; r.Problem == "" {
			r.Problem = strings.TrimSpace(line)
		}
	}
	return nil
}

// treeSize returns the total size of the files in a directory.
func treeSize(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}
