// Command lukasa is the memory engine of software agents on the command line.
//
// It guarantees that the first interrupt stops the work cleanly and the second ends the process
// immediately, and bounds the heap of a process with a million events. Everything else is in
// internal/cli.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"lukasa.dev/internal/cli"
)

// Settings of the garbage collector, unless the environment sets them: the heap may grow to
// three times the live data, which saves a seventh of the work of ingestion, but not beyond the
// limit, which is the live data with full caches plus a half. The store's memory outside of the
// heap counts as well. In a short-lived process the collector waits until the heap has 64 MB.
const (
	heapGrowth  = 200
	briefGrowth = 1600
	heapLimit   = 880<<20 - outsideHeap
)

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(heapLimit)
		if os.Getenv("GOGC") == "" {
			growth := heapGrowth
			if cli.Brief(os.Args[1:]) {
				growth = briefGrowth
			}
			debug.SetGCPercent(growth)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second interrupt ends the process
	os.Exit(cli.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
}
