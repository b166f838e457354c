package ask

import (
	"context"
	"io"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/quota"
)

// Shell is all that a command may touch of the world around it.
type Shell struct {
	*term.Screen
	Stdin io.Reader
	Files files
	// Program is the program as a whole, for commands that run others.
	Program Program

	// Served is what a server has open, when a command is carried out by it;
	// otherwise each command opens its own.
	Served Served
	// begun says that standard input is not at its beginning any more.
	begun bool
}

// NewShell returns a shell with the streams and the environment of a process.
func NewShell(p Program, stdin io.Reader, stdout, stderr io.Writer, lookup func(string) (string, bool), detect func(any) term.Terminal) *Shell {
	return &Shell{Program: p, Screen: term.New(stdout, stderr, lookup, detect), Stdin: stdin, Files: OwnFiles{}}
}

// Program is a whole command line: what runs it, and its version.
type Program struct {
	Version string
	Run     func(ctx context.Context, s *Shell, args []string) int
}

// Served is what a server has open. The zero value is of no server.
type Served struct {
	Board  *lukasa.Board
	Dir    string // of the board
	Keys   *auth.Store
	Quotas *quota.Book
	// URL is where the server is over HTTP.
	URL string
	// Ending is closed when the server begins to end; nil of none.
	Ending <-chan struct{}
}
