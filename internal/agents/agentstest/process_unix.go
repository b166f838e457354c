//go:build unix

package agentstest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// ownGroup makes a command run in a process group of its own.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	if !cmd.SysProcAttr.Setsid {
		cmd.SysProcAttr.Setpgid = true
	}
}

// killGroup kills a process group.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// killHome kills processes that left their group and have a given home directory, if the system
// shows the environment of a process.
func killHome(home string) {
	entry := []byte("HOME=" + home)
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for e := range bytes.SplitSeq(environ, []byte{0}) {
			if bytes.Equal(e, entry) {
				if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
		}
	}
}
