// Command lukasa-bench measures the speed of the memory engine on this machine, and the quality
// of its answers.
//
// It guarantees that the first interrupt stops the work cleanly and the second ends the process
// immediately. Everything else is in internal/benchcli.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"lukasa.dev/internal/benchcli"
)

// The garbage collector has the same settings as in cmd/lukasa, unless the environment sets
// them: the figures are those of the product.
const (
	heapGrowth = 200
	heapLimit  = 880 << 20
)

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(heapLimit)
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(heapGrowth)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second interrupt ends the process
	os.Exit(benchcli.Run(ctx, os.Args[1:], os.Stdout, os.Stderr, os.LookupEnv))
}
