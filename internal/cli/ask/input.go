package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// Input is an open FILE or standard input. Its reads end with
// context.Canceled soon after the context it was opened with is cancelled, and
// its other errors are from the catalogue.
type Input struct {
	// Name is how to call it in a message.
	Name string
	// Size is how much there is to read, or -1 when that is not known.
	Size int64

	ReadBytes func([]byte) (int, error)
	SeekTo    func(offset int64, whence int) (int64, error) // nil if it cannot
	close     func() error
}

// Open opens the [FILE|-] argument of a command whose Args is oneFile. Without
// an argument, or with "-", it is standard input. At a terminal a missing argument
// is an error, so that the command does not wait for input.
//
// It reads ahead at most two small buffers. The caller closes it.
func (s *Shell) Open(ctx context.Context, args []string) (*Input, error) {
	if len(args) == 0 || args[0] == "-" {
		if len(args) == 0 && s.Detect(s.Stdin).Is {
			return nil, NoFile()
		}
		s.begun = true
		return s.newInput(ctx, "standard input", s.Stdin, func() error { return nil })
	}
	f, err := s.Files.Open(ctx, args[0])
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, CannotOpen(args[0], err)
	}
	in, err := s.newInput(ctx, fmt.Sprintf("%q", args[0]), f, f.Close)
	if err != nil {
		_ = f.Close() // nothing was written to it
	}
	return in, err
}

func NoFile() error {
	return fault.New(fault.Usage, "no FILE was given and standard input is a terminal").
		WithFix("name a file, pipe something in, or use - to type it here")
}

// Readable checks whether Open can succeed for each FILE, without opening one. It is for
// commands that have work to do before they read.
func (s *Shell) Readable(args []string) error {
	if len(args) == 0 && s.Detect(s.Stdin).Is {
		return NoFile()
	}
	for _, name := range args {
		if name == "-" {
			continue
		}
		info, err := s.Files.Stat(name)
		if err != nil {
			return CannotOpen(name, err)
		}
		if info.IsDir() {
			return isDirectory(fmt.Sprintf("%q", name))
		}
	}
	return nil
}

func isDirectory(name string) error {
	return fault.Newf(fault.UnreadableInput, "%s is a directory", name).WithFix("name a file inside it")
}

func (s *Shell) newInput(ctx context.Context, name string, r io.Reader, closeSource func() error) (*Input, error) {
	in := &Input{Name: name, Size: -1}
	if f, ok := r.(file); ok {
		info, err := f.Stat()
		switch {
		case err != nil:
			return nil, fault.Newf(fault.UnreadableInput, "cannot read %s: %w", name, term.Cause(err))
		case info.IsDir():
			return nil, isDirectory(name)
		case info.Mode().IsRegular():
			// Reading a regular file does not block for long.
			in.Size = info.Size()
			in.ReadBytes = func(p []byte) (int, error) {
				if err := ctx.Err(); err != nil {
					return 0, err
				}
				return f.Read(p)
			}
			in.SeekTo = f.Seek
			in.close = closeSource
			return in, nil
		}
	}
	// What has been answered so far should not wait for input that may be long in
	// coming.
	pump := NewPump(ctx, r, s.Stdout.PassOn)
	in.ReadBytes = pump.Read
	in.close = func() error {
		pump.Stop()
		return closeSource()
	}
	return in, nil
}

// Read implements io.Reader.
func (in *Input) Read(p []byte) (int, error) {
	n, err := in.ReadBytes(p)
	switch {
	case err == nil, err == io.EOF, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return n, err
	}
	return n, fault.Newf(fault.UnreadableInput, "cannot read %s: %w", in.Name, term.Cause(err))
}

// Seek implements io.Seeker for a regular file. A stream cannot go back.
func (in *Input) Seek(offset int64, whence int) (int64, error) {
	if in.SeekTo == nil {
		return 0, fault.Newf(fault.UnreadableInput, "%s can be read once only", in.Name)
	}
	return in.SeekTo(offset, whence)
}

// Close ends reading and closes a FILE; standard input stays open.
func (in *Input) Close() error { return in.close() }

func CannotOpen(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Newf(fault.UnreadableInput, "there is no file %q", path).
			WithCause(err).WithFix("check the path, or use - to read standard input")
	case errors.Is(err, fs.ErrPermission):
		return fault.Newf(fault.UnreadableInput, "may not read %q", path).
			WithCause(err).WithFix("get permission to read it, or pipe it in")
	}
	return fault.Newf(fault.UnreadableInput, "cannot open %q: %w", path, term.Cause(err))
}
