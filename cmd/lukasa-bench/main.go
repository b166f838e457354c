// Command lukasa-bench measures what the memory engine reaches on this machine, and how good
// its answers are.
//
// It guarantees that the first interrupt stops the work in an orderly way and the second ends
// the process at once. Everything else is in internal/benchcli.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"lukasa.dev/internal/benchcli"
)

// The collector keeps to what that of cmd/lukasa keeps to, unless the environment says
// otherwise: the figures are those of the product.
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
	context.AfterFunc(ctx, stop) // gives the second interrupt back to the system
	os.Exit(benchcli.Run(ctx, os.Args[1:], os.Stdout, os.Stderr, os.LookupEnv))
}
