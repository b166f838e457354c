package stream

import (
	"io"
	"time"
)

// patience is how long a source may be silent before the events so far are
// recorded.
const patience = 100 * time.Millisecond

// patient reads from a source that may pause: it calls idle when nothing comes
// for a while, and gives up when done is closed, even while the source is silent.
// It is for one goroutine, which is also the one that idle runs on.
type patient struct {
	src  io.Reader
	idle func()
	done <-chan struct{}
	why  func() error // why it is done
}

// Read reads what the source has. After an error the buffer must not be used
// again: a pending read of the source may write to it.
func (p *patient) Read(b []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	got := make(chan result, 1)
	go func() {
		n, err := p.src.Read(b)
		got <- result{n, err}
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case r := <-got:
			return r.n, r.err
		case <-timer.C:
			p.idle()
		case <-p.done:
			return 0, p.why()
		}
	}
}
