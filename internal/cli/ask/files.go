package ask

import (
	"context"
	"io"
	"io/fs"
	"os"
)

// files are the files that arguments name, on the side of the command line: those of
// this process, or those of a client whose command a server runs.
type files interface {
	// Stat looks at a file. It fails as os.Stat does.
	Stat(name string) (fs.FileInfo, error)
	// List returns what is in a directory, without following links. It fails as
	// os.ReadDir does.
	List(name string) ([]fs.FileInfo, error)
	// Open opens a file to read it, or ends with ctx: to open a pipe is to wait
	// for its writer. It fails as os.Open does.
	Open(ctx context.Context, name string) (file, error)
	// Replace makes a file of what write writes; see writeFile.
	Replace(name string, write func(io.Writer) error) error
	// Mkdir makes a directory that is for its owner alone, with those above it, unless it is
	// there.
	Mkdir(name string) error
	// Remove takes a file away.
	Remove(name string) error
}

// file is a file that is open for reading.
type file interface {
	io.ReadSeekCloser
	Stat() (fs.FileInfo, error)
}

// OwnFiles are the files of this process.
type OwnFiles struct{}

func (OwnFiles) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (OwnFiles) List(name string) ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, err
	}
	out := make([]fs.FileInfo, 0, len(entries))
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // it may be gone again
			out = append(out, info)
		}
	}
	return out, nil
}

func (OwnFiles) Open(ctx context.Context, name string) (file, error) {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(name)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		return o.f, nil
	case <-ctx.Done():
		return nil, ctx.Err() // the file, should it open yet, ends with the process
	}
}

func (OwnFiles) Mkdir(name string) error { return os.MkdirAll(name, 0o700) }

func (OwnFiles) Remove(name string) error { return os.Remove(name) }

func (OwnFiles) Replace(name string, write func(io.Writer) error) error {
	return writeFile(name, write)
}
