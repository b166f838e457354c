// Command lukasa is the memory engine of software agents on the command line.
//
// It guarantees that the first interrupt stops the work in an orderly way and
// the second ends the process at once. Everything else is in internal/cli.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"lukasa.dev/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // gives the second interrupt back to the system
	os.Exit(cli.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
}
