package agentstest

import (
	"bytes"
	"context"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// Process is a program in a process group of its own.
type Process struct {
	cmd  *exec.Cmd
	out  output
	done chan struct{}
	err  error
	stop context.CancelFunc
	late atomic.Bool // it was killed at its timeout
}

// output is the output of a process. It is safe for concurrent use.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// start runs a program for at most a limit.
func start(ctx context.Context, limit time.Duration, cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, done: make(chan struct{})}
	if cmd.Stdout == nil {
		cmd.Stdout, cmd.Stderr = &p.out, &p.out
	}
	// A grandchild that keeps the output open does not block Wait.
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ctx, p.stop = context.WithTimeout(ctx, limit)
	go func() {
		<-ctx.Done()
		select {
		case <-p.done:
		default:
			p.late.Store(true)
		}
		killGroup(cmd.Process.Pid)
	}()
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// Wait waits for the process to end, and returns its output.
func (p *Process) Wait() (string, error) {
	<-p.done
	p.stop()
	return p.out.String(), p.err
}

// Kill kills the process and its group.
func (p *Process) Kill() {
	p.stop()
	<-p.done
}

// Output is the output of the process so far.
func (p *Process) Output() string { return p.out.String() }
