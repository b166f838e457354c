package agentstest

import (
	"bytes"
	"context"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// Process is a program that runs in a process group of its own.
type Process struct {
	cmd  *exec.Cmd
	out  output
	done chan struct{}
	err  error
	stop context.CancelFunc
	late atomic.Bool // its time was over
}

// output is what a process prints. It is safe for concurrent use.
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
	// What a grandchild holds open does not keep Wait from returning.
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

// Wait returns when the process is over, with what it printed.
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

// Output is what the process printed until now.
func (p *Process) Output() string { return p.out.String() }
