package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/hook"
)

// mainPackage is the package that this program is built of.
const mainPackage = "lukasa.dev/cmd/lukasa"

// nameCompiled is a file in a data directory whose time says when a compile that a hook
// started was last over.
const nameCompiled = "COMPILED"

// compileLimit is how long such a compile may take. What it does not reach, the next one does.
const compileLimit = time.Minute

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
	args := []string{"compile", "--data", h.dir, "--" + nameBackground, "--wait", "10s"}
	if tenant, ok := h.told(); ok {
		args = append(args, "--tenant", tenant)
	}
	c := exec.Command(program, args...)
	c.Dir = h.dir
	c.Env = append(os.Environ(), "LUKASA_AGENT=")
	detach(c)
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
	if info, err := os.Stat(filepath.Join(h.dir, nameCompiled)); err == nil {
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

// nameBackground is the flag of a compile that a hook started.
const nameBackground = "background"

// compilePause is how long such a compile waits before it tries again.
const compilePause = 200 * time.Millisecond

// compileInBackground compiles as long as it may take, through the server if one has the
// directory. The server may be that of an agent which is about to end, so it tries again. What
// fails is logged.
func (s *shell) compileInBackground(c *cobra.Command, flags *compileFlags) error {
	dir, err := s.dataDir(c, &flags.boardFlags)
	if err != nil {
		return err
	}
	yieldProcessor()
	ctx, cancel := context.WithTimeout(c.Context(), compileLimit)
	defer cancel()
	c.SetContext(ctx)
	args := []string{"compile"}
	if c.Flags().Changed("tenant") {
		args = append(args, "--tenant="+flags.tenant)
	}
	for {
		err = s.forward(ctx, dir, args)
		if errors.Is(err, errNobody) {
			err = s.compileServing(c, flags)
		}
		if code, ok := errors.AsType[carriedOut](err); err == nil || ok && code == 0 {
			return touchFile(filepath.Join(dir, nameCompiled), s.now())
		}
		if !errors.Is(err, errServed) && !errors.Is(err, fault.Locked) && !errors.Is(err, fault.NoServer) || ctx.Err() != nil {
			hookLog(dir, s.now(), "compile", err.Error())
			return nil
		}
		select {
		case <-time.After(compilePause):
		case <-ctx.Done():
		}
	}
}

// compileServing compiles with the directory open here, and serves hooks meanwhile, so that
// none of them has to wait.
func (s *shell) compileServing(c *cobra.Command, flags *compileFlags) error {
	return s.visit(c, &flags.boardFlags, reading(), func(ctx context.Context, v *visit) error {
		t, err := v.writer(ctx)
		if err != nil {
			return err
		}
		done, err := v.receive(ctx)
		if err != nil {
			return err
		}
		defer done()
		_, err = t.Compile(ctx, lukasa.CompileOptions{})
		return err
	})
}

// touchFile gives a file a time, and makes it if it is not there.
func touchFile(name string, at time.Time) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = os.Chtimes(name, at, at)
	}
	if err != nil {
		return fault.Newf(fault.ReadOnly, "%s: %w", name, cause(err))
	}
	return nil
}
