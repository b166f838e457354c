package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"time"
)

// shell is all that a command may touch of the world around it.
type shell struct {
	stdin  io.Reader
	stdout *output
	stderr io.Writer
	env    func(string) string
	now    func() time.Time
	detect func(stream any) terminal

	// json is the --json flag: answer in JSON instead of text.
	json bool
	// paint colours text for standard output, alarm for standard error.
	paint, alarm palette
}

func newShell(stdin io.Reader, stdout, stderr io.Writer, env func(string) string, detect func(any) terminal) *shell {
	return &shell{
		stdin:  stdin,
		stdout: newOutput(stdout, detect(stdout).is),
		stderr: stderr,
		env:    env,
		now:    time.Now,
		detect: detect,
		paint:  newPalette(detect(stdout), env),
		alarm:  newPalette(detect(stderr), env),
	}
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
