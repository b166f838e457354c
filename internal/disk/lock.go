package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"lukasa.dev/internal/fault"
)

// ownerSuffix ends the name of the text file that names the holder of a lock.
// The lock file itself cannot hold it: each attempt to lock truncates that file.
const ownerSuffix = ".owner"

// maxOwner limits how much of that file is read, since any process may have
// written it.
const maxOwner = 256

// Lock takes the lock file at path, and creates it if it is missing. It fails
// with [fault.Locked] if this process or another one holds the lock. The note
// describes the holder to others; it is shown with the process id. Close
// releases the lock and may be repeated. The lock of a process that dies is free
// at once.
func Lock(fsys FS, path, note string) (io.Closer, error) {
	name := lockName(fsys, path)
	held, err := fsys.Lock(name)
	if err != nil {
		// A conflict is reported as a bare error number or text; an error of the
		// file itself has its path.
		if _, ok := errors.AsType[*fs.PathError](err); ok {
			return nil, Fault(fmt.Errorf("lock %s: %w", path, err))
		}
		return nil, fault.Newf(fault.Locked, "%s is in use%s", fsys.PathDir(path), holder(fsys, name)).WithCause(err)
	}
	// The note is a courtesy: the lock holds without it.
	_ = WriteFile(fsys, name+ownerSuffix, fmt.Appendf(nil, "process %d %s\n", os.Getpid(), oneLine(note)))
	return &lock{fs: fsys, name: name, held: held}, nil
}

// lock is a held lock.
type lock struct {
	fs   FS
	name string
	once sync.Once
	held io.Closer
	err  error
}

// Close releases the lock.
func (l *lock) Close() error {
	l.once.Do(func() {
		_ = l.fs.Remove(l.name + ownerSuffix)
		l.err = l.held.Close()
	})
	return l.err
}

// lockName returns the one name of a lock file within the process. The file
// system tells two holders in one process apart by name, and on Unix, opening
// the file again under another name would release the first lock.
func lockName(fsys FS, path string) string {
	if vfs.Root(fsys) != vfs.Default {
		return path
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.Join(dir, filepath.Base(path))
}

// holder names the holder of the lock, as far as it can be read.
func holder(fsys FS, name string) string {
	f, err := fsys.Open(name + ownerSuffix)
	if err != nil {
		return " by another process"
	}
	defer f.Close()
	buf := make([]byte, maxOwner)
	n, _ := io.ReadFull(f, buf)
	who := oneLine(string(buf[:n]))
	if who == "" {
		return " by another process"
	}
	return " by " + who
}

// oneLine makes text fit into the middle of a message.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxOwner {
		text = strings.ToValidUTF8(text[:maxOwner], "")
	}
	return text
}
