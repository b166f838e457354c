//go:build unix

package agents

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner of another, as far as that is allowed: the superuser should
// not take a user's settings away.
func keepOwner(path string, of fs.FileInfo) {
	if stat, ok := of.Sys().(*syscall.Stat_t); ok {
		_ = os.Lchown(path, int(stat.Uid), int(stat.Gid)) // who may not, owns it already
	}
}
