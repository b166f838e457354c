package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"lukasa.dev/internal/benchcli"
	"lukasa.dev/internal/cli"
)

// The test binary acts as both programs: lukasa-bench runs lukasa.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"lukasa": func() {
			os.Exit(cli.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
		},
		"lukasa-bench": func() {
			os.Exit(benchcli.Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr, os.LookupEnv))
		},
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			if cache, err := os.UserCacheDir(); err == nil {
				env.Setenv("GOCACHE", filepath.Join(cache, "go-build")) // the hello world is built once
			}
			return nil
		},
	})
}
