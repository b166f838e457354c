package cli

import (
	"context"
	"io"
	"io/fs"
	"os"
)

// files are the files that arguments name, where whoever gave the command is: of
// this process, or of one whose command a server carries out.
type files interface {
	// stat looks at a file. It fails as os.Stat does.
	stat(name string) (fs.FileInfo, error)
	// list returns what is in a directory, without following links. It fails as
	// os.ReadDir does.
	list(name string) ([]fs.FileInfo, error)
	// open opens a file to read it, or ends with ctx: to open a pipe is to wait
	// for its writer. It fails as os.Open does.
	open(ctx context.Context, name string) (file, error)
	// replace makes a file of what write writes; see writeFile.
	replace(name string, write func(io.Writer) error) error
	// mkdir makes a directory that is for its owner alone, with those above it, unless it is
	// there.
	mkdir(name string) error
	// remove takes a file away.
	remove(name string) error
}

// file is a file that is open for reading.
type file interface {
	io.ReadSeekCloser
	Stat() (fs.FileInfo, error)
}

// ownFiles are the files of this process.
type ownFiles struct{}

func (ownFiles) stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (ownFiles) list(name string) ([]fs.FileInfo, error) {
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

func (ownFiles) open(ctx context.Context, name string) (file, error) {
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

func (ownFiles) mkdir(name string) error { return os.MkdirAll(name, 0o700) }

func (ownFiles) remove(name string) error { return os.Remove(name) }

func (ownFiles) replace(name string, write func(io.Writer) error) error {
	return writeFile(name, write)
}
