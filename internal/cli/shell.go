package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/quota"
)

// shell is all that a command may touch of the world around it.
type shell struct {
	stdin  io.Reader
	stdout *output
	stderr io.Writer
	lookup func(string) (string, bool) // an environment variable
	now    func() time.Time
	detect func(stream any) terminal
	files  files

	// served is what a server has open, when a command is carried out by it;
	// otherwise each command opens its own.
	served served
	// begun says that standard input is not at its beginning any more.
	begun bool
	// json is the --json flag: answer in JSON instead of text.
	json bool
	// paint colours text for standard output, alarm for standard error.
	paint, alarm palette
}

func newShell(stdin io.Reader, stdout, stderr io.Writer, lookup func(string) (string, bool), detect func(any) terminal) *shell {
	s := &shell{
		stdin:  stdin,
		stdout: newOutput(stdout, detect(stdout).is),
		stderr: stderr,
		lookup: lookup,
		now:    time.Now,
		detect: detect,
		files:  ownFiles{},
	}
	s.paint = newPalette(detect(stdout), s.env)
	s.alarm = newPalette(detect(stderr), s.env)
	return s
}

// served is what a server has open. The zero value is of no server.
type served struct {
	board  *lukasa.Board
	dir    string // of the board
	keys   *auth.Store
	quotas *quota.Book
	// url is where the server is over HTTP.
	url string
	// ending is closed when the server begins to end; nil of none.
	ending <-chan struct{}
}

// env returns the value of an environment variable; one that is not set is empty.
func (s *shell) env(name string) string {
	value, _ := s.lookup(name)
	return value
}

// writeJSON writes v to standard output as one line of JSON. What fails to be
// written is remembered by the output, so that only a value that has no JSON
// form, a mistake in the program, is worth checking for.
func (s *shell) writeJSON(v any) error {
	return encodeLine(s.stdout, v)
}

// encodeLine writes v as one line of JSON, with <, > and & as they are, and what
// a terminal would obey escaped.
func encodeLine(w io.Writer, v any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(harmless(line.Bytes()))
	return err
}
