package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"lukasa.dev/internal/fault"
)

// Peek takes the lock file at path for a read, and writes no note. If there is no lock
// file, no process holds the lock, and the closer is nil. It fails as [Lock] does.
func Peek(fsys FS, path string) (io.Closer, error) {
	name := lockName(fsys, path)
	if _, err := fsys.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	held, err := fsys.Lock(name)
	if err == nil {
		return held, nil
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, Fault(fmt.Errorf("lock %s: %w", path, err))
	}
	return nil, fault.Newf(fault.Locked, "%s is in use%s", fsys.PathDir(path), holder(fsys, name)).WithCause(err)
}
