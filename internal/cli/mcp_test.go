package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// talking is an agent that talks to lukasa mcp.
type talking struct {
	in   *io.PipeWriter
	out  *bufio.Reader
	code chan int
}

// startAgent starts lukasa mcp and shakes hands.
func startAgent(t *testing.T, dir string, args ...string) *talking {
	t.Helper()
	in, feed := io.Pipe()
	read, out := io.Pipe()
	a := &talking{in: feed, out: bufio.NewReader(read), code: make(chan int, 1)}
	env := nothing(t)
	go func() {
		var problems bytes.Buffer
		code := Run(t.Context(), append([]string{"mcp", "--data", dir, "--tenant", "acme"}, args...), in, out, &problems, env)
		_ = out.CloseWithError(fmt.Errorf("it ended: %s", problems.String()))
		a.code <- code
	}()
	a.ask(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	a.say(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return a
}

func (a *talking) say(t *testing.T, message string) {
	t.Helper()
	if _, err := io.WriteString(a.in, message+"\n"); err != nil {
		t.Fatal(err)
	}
}

func (a *talking) ask(t *testing.T, message string) string {
	t.Helper()
	a.say(t, message)
	line, err := a.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// call calls a tool.
func (a *talking) call(t *testing.T, tool, arguments string) string {
	t.Helper()
	return a.ask(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments))
}

func (a *talking) end(t *testing.T) {
	t.Helper()
	_ = a.in.Close()
	if code := <-a.code; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// Two agents share a directory that no server has: the second goes through the first,
// and so does a command. The first stays until the second has ended.
func TestAgentsShareADirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first := startAgent(t, dir, "--agent", "coder")
	second := startAgent(t, dir, "--tools", "all")
	if text := first.call(t, "remember", `{"key":"k","text":"Told by the first."}`); !strings.Contains(text, "Remembered: k, version 1.") {
		t.Fatal(text)
	}
	if text := second.call(t, "recall", `{"key":"k"}`); !strings.Contains(text, "Told by the first.") || !strings.Contains(text, "by coder (agent)") {
		t.Error(text)
	}
	if text := second.call(t, "memory_history", `{"name":"k"}`); strings.Contains(text, `"isError":true`) {
		t.Errorf("a tool of all: %s", text)
	}
	var out bytes.Buffer
	if code := Run(t.Context(), []string{"recall", "k", "--form", "full", "--data", dir}, strings.NewReader(""), &out, &out, nothing(t)); code != 0 || !strings.Contains(out.String(), "Told by the first.") {
		t.Errorf("a command beside them: %d %s", code, out.String())
	}
	_ = first.in.Close()
	if text := second.call(t, "recall", `{"key":"k"}`); !strings.Contains(text, "Told by the first.") {
		t.Errorf("after the first was told to go: %s", text)
	}
	second.end(t)
	first.end(t)
}
