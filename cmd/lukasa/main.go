// Command lukasa is the memory engine of software agents on the command line.
//
// It guarantees that the first interrupt stops the work in an orderly way and
// the second ends the process at once, and has the collector keep the heap of a
// process with a million events within bounds. Everything else is in internal/cli.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"lukasa.dev/internal/cli"
)

// What the collector keeps to, unless the environment says otherwise: it lets the heap
// grow to three times what is in use, which saves a seventh of the work of taking
// events in, but not beyond the limit, which is what is in use with full caches and half
// as much again. What the store holds outside of the heap counts too. A process that is
// over in a moment has it wait until the heap has 64 MB.
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
	context.AfterFunc(ctx, stop) // gives the second interrupt back to the system
	os.Exit(cli.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
}
