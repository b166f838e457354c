package hooks

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/hook"
)

// mainPackage is the package that this program is built of.
const mainPackage = "lukasa.dev/cmd/lukasa"

// compileLater starts a compile that outlives the hook: at the end of a session, and at the
// start of one if something came after the last compile and no server is there to do it. The
// hook does not wait for it.
func (h *hooking) compileLater(noServer bool) {
	if h.dir == "" || h.scope != "" {
		return
	}
	ended := slices.ContainsFunc(h.call.Events, func(e hook.Event) bool { return hook.Ended(e.Event) })
	if !ended && !(h.call.Ask == hook.Start && noServer && h.uncompiled()) {
		return
	}
	if info, ok := debug.ReadBuildInfo(); !ok || info.Path != mainPackage {
		return // another program has this one in it, and takes other arguments
	}
	program, err := os.Executable()
	if err != nil {
		h.log("start a compile: " + err.Error())
		return
	}
	args := []string{"compile", "--data", h.dir, "--" + ask.NameBackground, "--wait", "10s"}
	if tenant, ok := h.told(); ok {
		args = append(args, "--tenant", tenant)
	}
	c := exec.Command(program, args...)
	c.Dir = h.dir
	c.Env = append(os.Environ(), "LUKASA_AGENT=")
	ask.Detach(c)
	if err := c.Start(); err != nil {
		h.log("start a compile: " + err.Error())
		return
	}
	_ = c.Process.Release() // it is on its own
}

// uncompiled reports whether the journal or the spool has something that came after the last
// compile of a hook.
func (h *hooking) uncompiled() bool {
	last := time.Time{}
	if info, err := os.Stat(filepath.Join(h.dir, ask.NameCompiled)); err == nil {
		last = info.ModTime()
	}
	for _, name := range []string{"journal", "SPOOL"} {
		entries, err := os.ReadDir(filepath.Join(h.dir, name))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() && info.ModTime().After(last.Add(time.Second)) {
				return true
			}
		}
	}
	return false
}
