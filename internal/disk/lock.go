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

// ownerSuffix ends the name of the text file that says who holds a lock. The
// lock file itself cannot: whoever tries the lock truncates it.
const ownerSuffix = ".owner"

// maxOwner bounds what is read of that file, which anyone may have written.
const maxOwner = 256

// Lock takes the lock file at path, making it if need be, or fails with
// [fault.Locked] when someone has it: another process, or this one. The note
// tells others what the holder is; it is shown with the process's number.
// Closing releases the lock and may be repeated. The lock of a process that
// dies is free at once.
func Lock(fsys FS, path, note string) (io.Closer, error) {
	name := lockName(fsys, path)
	held, err := fsys.Lock(name)
	if err != nil {
		// A conflict is reported as a bare error number or text; what goes wrong
		// with the file itself comes with its path.
		if _, ok := errors.AsType[*fs.PathError](err); ok {
			return nil, Fault(fmt.Errorf("lock %s: %w", path, err))
		}
		return nil, fault.Newf(fault.Locked, "%s is in use%s", fsys.PathDir(path), holder(fsys, name)).WithCause(err)
	}
	// Who holds it is only a courtesy: the lock stands without it.
	_ = WriteFile(fsys, name+ownerSuffix, fmt.Appendf(nil, "process %d %s\n", os.Getpid(), oneLine(note)))
	return &lock{fs: fsys, name: name, held: held}, nil
}

// lock is a lock that is held.
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

// lockName returns the one name under which a lock file is known within the
// process. The file system tells two holders in one process apart by name, and
// on Unix opening the file a second time, under another name, would let the
// first lock go.
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

// holder says who has the lock, as far as can be read.
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

// oneLine makes text fit for the middle of a message.
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
