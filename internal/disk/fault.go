package disk

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"lukasa.dev/internal/fault"
)

// Fault returns err as an occurrence of the catalogue when it is a refusal that
// the catalogue has a name for: no permission and read-only file systems are
// [fault.ReadOnly], a full disk or quota is [fault.DiskFull]. Anything else,
// and what is from the catalogue already, is returned as it is.
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
