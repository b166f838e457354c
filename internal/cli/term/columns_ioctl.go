//go:build linux || darwin

package term

import (
	"os"
	"syscall"
	"unsafe"
)

// columnsOf asks a terminal how wide it is; 0 if it does not say.
func columnsOf(f *os.File) int {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	var size struct{ rows, columns, x, y uint16 }
	asked := raw.Control(func(fd uintptr) {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size))); e != 0 {
			size.columns = 0
		}
	})
	if asked != nil {
		return 0
	}
	return int(size.columns)
}
