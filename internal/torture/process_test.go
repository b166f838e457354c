package torture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// childLimit is how long a child that is not killed may take. It ends hangs; it
// measures nothing.
const childLimit = 60 * time.Second

// run is one run of a child.
type run struct {
	orders orders
	// under comes before the child's command line, as strace does.
	under []string
	// watch is called after each line, with a function that kills the child.
	watch func(told line, kill func())
	// after is when the child is killed after the start, unless it is 0.
	after time.Duration
	limit time.Duration
}

// ended says how a child ended.
type ended struct {
	code   int // -1 when killed
	stderr string
	hung   bool
}

// panicked reports whether the child's output ends with a crash of its own,
// which must not happen.
func (e *ended) panicked() bool {
	for _, sign := range []string{"panic:", "fatal error:", "goroutine ", "SIGSEGV", "DATA RACE"} {
		if strings.Contains(e.stderr, sign) {
			return true
		}
	}
	return false
}

// live runs a child to its end and feeds the ledger.
func (l *ledger) live(r run) (*ended, error) {
	text, err := json.Marshal(r.orders)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if r.limit == 0 {
		r.limit = childLimit
	}
	args := append(append([]string{}, r.under...), self)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if r.orders.Job == "hold" {
		// It holds the directory until its input ends, which is when it is
		// killed.
		if _, err := cmd.StdinPipe(); err != nil {
			return nil, err
		}
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	kill := func() { _ = cmd.Process.Kill() } // it may be dead already
	if r.after > 0 {
		timer := time.AfterFunc(r.after, kill)
		defer timer.Stop()
	}
	var hung atomic.Bool
	var process atomic.Int64
	limit := time.AfterFunc(r.limit, func() {
		hung.Store(true)
		// The child is not the command if another program runs it. Ask it for
		// its stacks first.
		if p, err := os.FindProcess(int(process.Load())); err == nil && process.Load() > 0 {
			_ = p.Signal(syscall.SIGQUIT)
			time.Sleep(2 * time.Second)
			_ = p.Kill()
		}
		kill()
	})
	defer limit.Stop()
	heard := l.listen(out, func(told line) {
		if told.Say == "start" {
			process.Store(int64(told.Process))
		}
		if r.watch != nil {
			r.watch(told, kill)
		}
	})
	err = cmd.Wait()
	end := &ended{code: cmd.ProcessState.ExitCode(), stderr: stderr.String(), hung: hung.Load()}
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		return end, fmt.Errorf("child: %w", err)
	}
	return end, heard
}
