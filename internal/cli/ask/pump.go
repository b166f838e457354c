package ask

import (
	"context"
	"io"
)

// pump reads from a source whose reads cannot be interrupted, a pipe or a
// terminal, such that its reader can still be cancelled.
//
// The reading goroutine cannot be stopped inside a read. It ends with that
// read, or with the process, and touches nothing but its own buffers after stop.
type pump struct {
	done   <-chan struct{} // is closed when the reader no longer waits
	why    func() error    // why done is closed, or nil
	chunks chan chunk
	free   chan []byte
	quit   chan struct{}
	idle   func() // called before waiting for more

	current []byte // the buffer that rest is part of
	rest    []byte // what was read and not yet handed out
	err     error  // what comes after rest
}

// chunk is the outcome of one read. The buffer is the receiver's until it is
// put back into free.
type chunk struct {
	buf []byte
	n   int
	err error
}

func NewPump(ctx context.Context, src io.Reader, idle func()) *pump {
	p := &pump{
		done:   ctx.Done(),
		why:    ctx.Err,
		chunks: make(chan chunk),
		free:   make(chan []byte, 2), // one to fill while the other is consumed
		quit:   make(chan struct{}),
		idle:   idle,
	}
	for range cap(p.free) {
		p.free <- make([]byte, 64<<10)
	}
	go p.fill(src)
	return p
}

func (p *pump) fill(src io.Reader) {
	for {
		var buf []byte
		select {
		case buf = <-p.free:
		case <-p.quit:
			return
		}
		n, err := src.Read(buf)
		select {
		case p.chunks <- chunk{buf, n, err}:
		case <-p.quit:
			return
		}
		if err != nil {
			return
		}
	}
}

// Read implements io.Reader.
func (p *pump) Read(b []byte) (int, error) {
	if err := p.why(); err != nil {
		return 0, err
	}
	for len(p.rest) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		if p.current != nil {
			p.free <- p.current // never blocks: there are no more buffers than room
			p.current = nil
		}
		select {
		case c := <-p.chunks:
			p.current, p.rest, p.err = c.buf, c.buf[:c.n], c.err
			continue
		default:
			p.idle()
		}
		select {
		case c := <-p.chunks:
			p.current, p.rest, p.err = c.buf, c.buf[:c.n], c.err
		case <-p.done:
			return 0, p.why()
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// Stop lets the reading goroutine end. It is called once.
func (p *pump) Stop() { close(p.quit) }
