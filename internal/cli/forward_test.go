package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/testsize"
)

// servedEnv has the program of the scripts put a server between itself and every
// data directory. It names a file to which the names of commands are added that a
// server carried out.
const servedEnv = "LUKASA_TEST_SERVED"

// runServed is Run, with the data directory that the arguments name in the hands of
// a server, if there is one and it can be opened. The command goes to it through
// the socket, as from another process.
func runServed(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env func(string) (string, bool)) int {
	dir, _ := env("LUKASA_DATA")
	if home, _ := env("HOME"); dir == "" && home != "" {
		dir = filepath.Join(home, ".lukasa")
	}
	for i, arg := range args {
		if rest, ok := strings.CutPrefix(arg, "--data="); ok {
			dir = rest
		} else if arg == "--data" && i+1 < len(args) {
			dir = args[i+1]
		}
	}
	witness := ask.NewShell(whole(), stdin, stdout, stderr, env, term.DetectTerminal).WitnessDir()
	b, err := lukasa.Open(dir, lukasa.Options{MustExist: true, Note: "a server of the tests", WitnessDir: witness})
	if err != nil {
		return Run(ctx, args, stdin, stdout, stderr, env)
	}
	log, _ := env(servedEnv)
	p := whole()
	p.Run = func(ctx context.Context, s *ask.Shell, args []string) int {
		f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = fmt.Fprintln(f, strings.Join(args, " "))
		}
		if err != nil {
			panic(err)
		}
		return whole().Run(ctx, s, args)
	}
	c, err := ask.OpenCounter(dir, ask.Served{Board: b}, p)
	if err != nil {
		panic(err)
	}
	code := Run(ctx, args, stdin, stdout, stderr, env)
	done, cancel := context.WithCancel(ctx)
	cancel()
	_, _ = c.Close(done), b.Close() // the scripts would notice
	return code
}

// unserved are the scripts that cannot be run with a server between a command and
// its directory, and why.
func unserved() map[string]string {
	return map[string]string{"doctor": "it is about directories that nobody has; TestDoctorAsksTheServer has the others"}
}

// Whether a process of its own or a server carries a command out makes no
// difference: what the scripts say holds for both. A plain run takes every third
// script, and that of ingest; a full one takes all.
func TestServedScripts(t *testing.T) {
	all, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	of := testsize.Of(t, "served-stride", 40, 4, 1)
	p := scriptParams()
	for i, file := range all {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		if unserved()[name] == "" && (i%of == 0 || name == "ingest") {
			p.Files = append(p.Files, file)
		}
	}
	setup, log := p.Setup, filepath.Join(t.TempDir(), "log")
	p.Setup = func(env *testscript.Env) error {
		env.Setenv(servedEnv, log)
		return setup(env)
	}
	if !slices.ContainsFunc(p.Files, func(f string) bool { return strings.HasSuffix(f, "ingest.txtar") }) {
		t.Error("the scripts are not there")
	}
	t.Run("scripts", func(t *testing.T) { testscript.Run(t, p) })
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		for _, c := range commands() {
			if name := c.build(testShell(nil, io.Discard, io.Discard)).Name(); slices.Contains(strings.Fields(line), name) {
				seen[name] = true
			}
		}
	}
	if len(seen) < 28 && of == 1 {
		t.Errorf("of all commands, a server was asked to carry out only %v", slices.Sorted(maps.Keys(seen)))
	}
	t.Logf("%d commands, %d calls", len(seen), strings.Count(string(text), "\n"))
}
