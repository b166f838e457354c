package disk

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Append adds data to the end of a file with one write, and creates the file if it is missing,
// with access for its owner alone. It does not sync. On the file system of the machine, many
// processes may append at the same time, each to the end. In memory, callers take turns.
func Append(fs FS, path string, data []byte) (err error) {
	f, err := openAppend(fs, path)
	if err != nil {
		return err
	}
	_, err = f.Write(append([]byte(nil), data...)) // a File may modify the buffer that it writes
	return errors.Join(err, f.Close())
}

// appender is a file that is open for writes at its end.
type appender interface {
	Write([]byte) (int, error)
	Close() error
}

func openAppend(fs FS, path string) (appender, error) {
	if vfs.Root(fs) == vfs.Default {
		return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	f, err := fs.OpenReadWrite(path, General)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &atEnd{f, info.Size()}, nil
}

// atEnd writes at the end that a file had when it was opened.
type atEnd struct {
	File
	end int64
}

func (a *atEnd) Write(p []byte) (int, error) {
	n, err := a.WriteAt(p, a.end)
	a.end += int64(n)
	return n, err
}

// MakeFile creates a file with the given content, for its owner alone, durably. It fails with
// [iofs.ErrExist] if the file exists: if several processes create it at the same time, one
// succeeds.
func MakeFile(fs FS, path string, data []byte) (err error) {
	var name [8]byte
	_, _ = rand.Read(name[:]) // it never fails
	temp := path + "." + hex.EncodeToString(name[:]) + tempSuffix
	if err := writeNew(fs, temp, data); err != nil {
		return fmt.Errorf("write %s: %w", temp, err)
	}
	defer func() { _ = fs.Remove(temp) }() // a leftover file is harmless
	err = fs.Link(temp, path)
	if errors.Is(err, iofs.ErrExist) {
		return err
	}
	if err != nil { // the file system has no links
		if _, there := fs.Stat(path); there == nil {
			return iofs.ErrExist
		}
		if err = fs.Rename(temp, path); err != nil {
			return fmt.Errorf("rename %s: %w", temp, err)
		}
	}
	return SyncDir(fs, fs.PathDir(path))
}

// writeNew creates a file, writes it and syncs it.
func writeNew(fs FS, path string, data []byte) error {
	var f interface {
		appender
		Sync() error
	}
	var err error
	if vfs.Root(fs) == vfs.Default {
		f, err = os.OpenFile(path, os.O_EXCL|os.O_CREATE|os.O_WRONLY, 0o600)
	} else {
		f, err = fs.Create(path, General)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(append([]byte(nil), data...))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
