//go:build !windows

package cli

import (
	"os/exec"
	"syscall"
)

// detach has a process run on its own: in a session of its own, so that no signal to the
// caller's group reaches it. It inherits no stream: agents wait until those of a hook close.
func detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// yieldProcessor lets other processes go first.
func yieldProcessor() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10) } // at worst they do not
