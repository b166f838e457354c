//go:build unix

package agents

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner of another, if permitted: the superuser should not take over
// a user's settings.
func keepOwner(path string, of fs.FileInfo) {
	if stat, ok := of.Sys().(*syscall.Stat_t); ok {
		_ = os.Lchown(path, int(stat.Uid), int(stat.Gid)) // without permission, the owner is the same already
	}
}
