package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/testsize"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata/script from what happens")

// quickExit keeps a race-enabled program from sleeping for a second at its end.
const quickExit = "GORACE=atexit_sleep_ms=0"

// The test binary plays two programs for the scripts: lukasa itself, and a
// probe with commands that bring the frame into every situation.
func TestMain(m *testing.M) {
	if os.Getenv(callerEnv) != "" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop)
		os.Exit(Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
	}
	testscript.Main(m, map[string]func(){
		"lukasa": func() {
			run := Run
			if os.Getenv(servedEnv) != "" {
				run = runServed
			}
			os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
		},
		"probe": func() {
			s := ask.NewShell(whole(), os.Stdin, os.Stdout, os.Stderr, os.LookupEnv, term.DetectTerminal)
			os.Exit(run(context.Background(), s, probes(), os.Args[1:]))
		},
	})
}

func TestScripts(t *testing.T) {
	p := scriptParams()
	all, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	stride := 1
	if !*update {
		stride = testsize.Of(t, "script-stride", 8, 1, 1)
	}
	for i, file := range all {
		if i%stride == 0 {
			p.Files = append(p.Files, file)
		}
	}
	p.UpdateScripts = *update
	testscript.Run(t, p)
}

// scriptParams says how scripts are run.
func scriptParams() testscript.Params {
	return testscript.Params{
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home")) // where the data directory is
			env.Setenv("USER", "tester")
			env.Vars = append(env.Vars, quickExit)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" { // permissions do not bind the superuser
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"chatter":  chatter,
			"embedder": embedder,
			"exits":    exits,
			"fill":     fillIn,
			"hold":     hold,
			"mask":     mask,
			"setenv":   setenv,
		},
	}
}

// hold opens a data directory, and keeps it open until the script ends: hold DIR
func hold(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hold DIR")
	}
	b, err := lukasa.Open(ts.MkAbs(args[0]), lukasa.Options{Note: "a test"})
	ts.Check(err)
	ts.Defer(func() { _ = b.Close() })
}

// masks are what differs from run to run, and what stands for it.
var masks = []struct {
	found *regexp.Regexp
	put   string
}{
	{regexp.MustCompile(`lukasa_scope_1\.[A-Za-z0-9_-]+`), "TOKEN"},
	{regexp.MustCompile(`"latency_ms":\d+`), `"latency_ms":LATENCY`},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "ID"},
	{regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "HASH"},
	{regexp.MustCompile(`\b[0-9a-f]{16}\b`), "SCOPEID"},
	{regexp.MustCompile(`violation-[0-9a-f]{32}`), "violation-ID"},
	{regexp.MustCompile(`pack-[0-9a-f]{32}`), "pack-ID"},
	{regexp.MustCompile(`fingerprint-[0-9a-f]{32}`), "fingerprint-ID"},
	{regexp.MustCompile(`[A-Za-z0-9+/]{86,}={0,2}`), "SIGNATURE"},
	{regexp.MustCompile(`[A-Za-z0-9+/]{43}=`), "HASH64"},
	{regexp.MustCompile(`\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}`), "+KEYID+KEY"},
	{regexp.MustCompile(`process \d+`), "process PID"},
	{regexp.MustCompile(`\.before-lukasa-[0-9a-f]{12}`), ".before-lukasa-SUM"},
}

// days are dates, of today as a rule.
var days = regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`)

// mask puts names in the place of what differs from run to run, in what the last
// program printed: mask [days]
func mask(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 || len(args) == 1 && args[0] != "days" {
		ts.Fatalf("usage: mask [days]")
	}
	for name, w := range map[string]io.Writer{"stdout": ts.Stdout(), "stderr": ts.Stderr()} {
		text := masked(strings.ReplaceAll(ts.ReadFile(name), ts.Getenv("WORK"), "WORK"))
		if len(args) == 1 {
			text = days.ReplaceAllString(text, "DAY")
		}
		_, err := io.WriteString(w, text)
		ts.Check(err)
	}
}

// masked is text with names in the place of what differs from run to run.
func masked(text string) string {
	for _, m := range masks {
		text = m.found.ReplaceAllString(text, m.put)
	}
	return text
}

// setenv sets a variable to what the last program printed, or to the first group
// of an expression that matches it: setenv NAME [EXPRESSION]
func setenv(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: setenv NAME [EXPRESSION]")
	}
	text := strings.TrimSpace(ts.ReadFile("stdout"))
	if len(args) == 2 {
		found := regexp.MustCompile(args[1]).FindStringSubmatch(text)
		if len(found) != 2 {
			ts.Fatalf("%s is not in %q", args[1], text)
		}
		text = found[1]
	}
	ts.Setenv(args[0], text)
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

// fillIn writes in.json: a file with a session and a directory of the script in the place of
// SESSION and DIR.
func fillIn(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: fill FILE SESSION DIR")
	}
	dir, err := json.Marshal(ts.MkAbs(args[2]))
	ts.Check(err)
	text := strings.NewReplacer("SESSION", args[1], `"DIR"`, string(dir)).Replace(ts.ReadFile(args[0]))
	ts.Check(os.WriteFile(ts.MkAbs("in.json"), []byte(text), 0o600))
}
