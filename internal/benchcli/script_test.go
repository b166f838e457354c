package benchcli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"lukasa.dev/internal/fault"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata/script from what happens")

// The test binary acts as lukasa-bench for the scripts and the examples.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		program: func() {
			os.Exit(Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr, os.LookupEnv))
		},
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs a program and requires an exact exit code: exits CODE PROGRAM ARGS…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		e, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = e.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// run executes a command line in this process.
func run(args ...string) (code int, stdout, stderr string) {
	var out, problems bytes.Buffer
	code = Run(context.Background(), args, &out, &problems, func(string) (string, bool) { return "", false })
	return code, out.String(), problems.String()
}

// Every command has help, and each line of its example runs as printed and succeeds in a
// directory with only the examples of the repository.
func TestExamplesWork(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("examples are written for a POSIX shell, and there is none")
	}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			visit(below)
		}
		t.Run(strings.ReplaceAll(c.CommandPath(), " ", "_"), func(t *testing.T) {
			t.Parallel()
			if c.Short == "" || c.Long == "" || c.Example == "" || c.RunE == nil {
				t.Error("needs Short, Long, Example and RunE")
			}
			dir := t.TempDir()
			if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../examples")); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(c.Example) {
				line = strings.TrimSpace(line)
				if line == "" || strings.HasPrefix(line, "#") {
					continue
				}
				cmd := exec.CommandContext(t.Context(), sh, "-c", line)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "HOME="+filepath.Join(dir, "home"))
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", line, err, out)
				}
			}
		})
	}
	visit(newConsole(nil, nil, os.LookupEnv).root())
}

// Wrong usage has a code, its exit code, and the requested format.
func TestWrongUsage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"jornal"}, `lukasa-bench: unknown command "jornal"`},
		{[]string{"journal", "more"}, `takes no arguments, got "more"`},
		{[]string{"journal", "--trun", "1s"}, "unknown flag: --trun"},
		{[]string{"journal", "--turn", "0s"}, "a flag is out of range"},
		{[]string{"journal", "--turn", "0s", "--json"}, `{"error":{"code":"usage","detail":"a flag is out of range"`},
	} {
		if code, out, problems := run(c.args...); code != fault.ExitUsage || out != "" || !strings.Contains(problems, c.says) || strings.Count(problems, "\n") != 1 {
			t.Errorf("%q: exit code %d, %q, %q", c.args, code, out, problems)
		}
	}
}
