package disk

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"lukasa.dev/internal/fault"
)

// Fault wraps err in its code of the catalogue: missing permission and a
// read-only file system are [fault.ReadOnly], a full disk or quota is
// [fault.DiskFull]. It returns any other error, and one that has a code
// already, unchanged.
func Fault(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	switch {
	case vfs.IsNoSpaceError(err), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fault.Wrap(fault.DiskFull, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fault.Wrap(fault.ReadOnly, err)
	}
	return err
}
