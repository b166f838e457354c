package ask

import (
	"os/exec"
	"syscall"
)

// detachedProcess is the flag for a process without the console of its parent.
const detachedProcess = 0x00000008

// Detach has a process run on its own, without a console and in a group of its own.
func Detach(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess, HideWindow: true}
}

// YieldProcessor does nothing here.
func YieldProcessor() {}
