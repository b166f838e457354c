package term

import (
	"bytes"
	"encoding/json"
	"io"
	"time"
)

// Screen is where a command answers: standard output and standard error, and what is known of
// the person or the program that reads them.
type Screen struct {
	Stdout *Output
	Stderr io.Writer
	Lookup func(string) (string, bool) // an environment variable
	Now    func() time.Time
	Detect func(stream any) Terminal
	// JSON is the --json flag: answer in JSON instead of text.
	JSON bool
	// Paint colours text for standard output, alarm for standard error.
	Paint, Alarm Palette
}

// New returns the screen of two streams. Lookup finds environment variables, detect says what
// is at the other end of a stream.
func New(stdout, stderr io.Writer, lookup func(string) (string, bool), detect func(any) Terminal) *Screen {
	s := &Screen{Stdout: NewOutput(stdout, detect(stdout).Is), Stderr: stderr, Lookup: lookup, Now: time.Now, Detect: detect}
	s.Paint = newPalette(detect(stdout), s.Env)
	s.Alarm = newPalette(detect(stderr), s.Env)
	return s
}

// Env returns the value of an environment variable; one that is not set is empty.
func (s *Screen) Env(name string) string {
	value, _ := s.Lookup(name)
	return value
}

// WriteJSON writes v to standard output as one line of JSON. What fails to be
// written is remembered by the output, so that only a value that has no JSON
// form, a mistake in the program, is worth checking for.
func (s *Screen) WriteJSON(v any) error {
	return EncodeLine(s.Stdout, v)
}

// EncodeLine writes v as one line of JSON, with <, > and & as they are, and what
// a terminal would obey escaped.
func EncodeLine(w io.Writer, v any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(harmless(line.Bytes()))
	return err
}
