//go:build !windows

package term

import "os"

// DetectTerminal looks at the other end of a stream. A character device is
// taken for a terminal, except the null device and its kin, which are where
// programs run without a person read from and write to.
func DetectTerminal(stream any) Terminal {
	f, ok := stream.(*os.File)
	if !ok || f == nil {
		return Terminal{}
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return Terminal{}
	}
	for _, name := range []string{os.DevNull, "/dev/full", "/dev/zero", "/dev/random", "/dev/urandom"} {
		if device, err := os.Stat(name); err == nil && os.SameFile(info, device) {
			return Terminal{}
		}
	}
	return Terminal{Is: true, ANSI: true, Columns: columnsOf(f)}
}

// brokenPipe reports whether err is this platform's own way of saying EPIPE.
func brokenPipe(error) bool { return false }
