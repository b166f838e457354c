//go:build !windows

package cli

import "os"

// detectTerminal looks at the other end of a stream. A character device is
// taken for a terminal, except the null device and its kin, which are where
// programs run without a person read from and write to.
func detectTerminal(stream any) terminal {
	f, ok := stream.(*os.File)
	if !ok || f == nil {
		return terminal{}
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return terminal{}
	}
	for _, name := range []string{os.DevNull, "/dev/full", "/dev/zero", "/dev/random", "/dev/urandom"} {
		if device, err := os.Stat(name); err == nil && os.SameFile(info, device) {
			return terminal{}
		}
	}
	return terminal{is: true, ansi: true, columns: columnsOf(f)}
}

// brokenPipe reports whether err is this platform's own way of saying EPIPE.
func brokenPipe(error) bool { return false }
