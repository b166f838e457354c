package term

import (
	"errors"
	"os"
	"syscall"
)

// DetectTerminal looks at the other end of a stream. Only a console has a
// console mode; old consoles do not understand escape sequences.
func DetectTerminal(stream any) Terminal {
	f, ok := stream.(*os.File)
	if !ok || f == nil {
		return Terminal{}
	}
	var mode uint32
	if err := syscall.GetConsoleMode(syscall.Handle(f.Fd()), &mode); err != nil {
		return Terminal{}
	}
	const enableVirtualTerminalProcessing = 0x4
	modern := mode&enableVirtualTerminalProcessing != 0
	return Terminal{Is: true, ANSI: modern, Unicode: modern}
}

// brokenPipe reports whether err is this platform's own way of saying EPIPE.
func brokenPipe(err error) bool {
	const errorNoData = syscall.Errno(232) // the pipe is being closed
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, errorNoData)
}
