//go:build !windows

package ask

import (
	"os/exec"
	"syscall"
)

// Detach has a process run on its own: in a session of its own, so that no signal to the
// caller's group reaches it. It inherits no stream: agents wait until those of a hook close.
func Detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// YieldProcessor lets other processes go first.
func YieldProcessor() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10) } // at worst they do not
