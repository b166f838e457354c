package ask

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// writeFile makes the FILE of an --out flag. A file appears with all of its
// content or not at all; what is there already and is no regular file, such as a
// pipe, is written to as it is, and a file behind a link is replaced where it is. A new
// file is for its owner alone: what these commands write is as secret as the data. One
// that was there keeps its permissions.
func writeFile(path string, write func(io.Writer) error) (err error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fault.Newf(fault.OutputFailed, "%q is a directory", path).WithFix("name a file inside it")
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return CannotWrite(path, err)
		}
		return fill(f, path, write)
	case err == nil:
		behind, err := filepath.EvalSymlinks(path)
		if err != nil {
			return CannotWrite(path, err)
		}
		path = behind
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return CannotWrite(path, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the error that matters is known
		}
	}()
	if err := fill(f, path, write); err != nil {
		return err
	}
	if info != nil {
		if err := os.Chmod(f.Name(), info.Mode().Perm()); err != nil {
			return CannotWrite(path, err)
		}
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return CannotWrite(path, err)
	}
	return nil
}

// fill writes the content of f, makes it durable and closes it.
func fill(f *os.File, path string, write func(io.Writer) error) error {
	buf := bufio.NewWriterSize(f, 64<<10)
	err := write(buf)
	if failed := buf.Flush(); failed != nil { // it is why write failed, if it did
		err = CannotWrite(path, failed)
	}
	if failed := f.Sync(); err == nil && failed != nil && !unsyncable(failed) {
		err = CannotWrite(path, failed)
	}
	if failed := f.Close(); err == nil && failed != nil {
		err = CannotWrite(path, failed)
	}
	return err
}

// unsyncable reports whether a sync failed because the file is of a sort that
// has none, a pipe or a device.
func unsyncable(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, syscall.EINVAL)
}

func CannotWrite(path string, err error) error {
	return fault.Newf(fault.OutputFailed, "cannot write %q: %w", path, term.Cause(err))
}

// ReadFile reads the FILE of a flag, or standard input if it is -, up to a
// limit.
func (s *Shell) ReadFile(ctx context.Context, path string, limit int) ([]byte, error) {
	in, err := s.Open(ctx, []string{path})
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // nothing was written to it
	text, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
	if err != nil {
		return nil, err
	}
	if len(text) > limit {
		return nil, fault.Newf(fault.TooLarge, "%s has more than %d bytes", in.Name, limit)
	}
	return text, nil
}
