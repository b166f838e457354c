package cli

import (
	"io"
	"time"
)

const (
	progressAfter = 2 * time.Second        // work shorter than this says nothing
	progressEvery = 200 * time.Millisecond // fast enough to look alive
)

// progress is one line on standard error, rewritten in place while long work
// goes on. It shows nothing unless a terminal is there to show it on. It is not
// safe for concurrent use.
type progress struct {
	w    io.Writer // nil when nobody is watching
	now  func() time.Time
	next time.Time // not before this
	on   bool      // the line is on the screen now
}

// progress starts the clock of a piece of work. The caller calls update as
// often as it likes, and done at the end:
//
//	p := s.progress()
//	defer p.done()
func (s *shell) progress() *progress {
	if !s.detect(s.stderr).ansi || s.env("TERM") == "dumb" {
		return &progress{}
	}
	p := &progress{w: s.stderr, now: s.now, next: s.now().Add(progressAfter)}
	if s.detect(s.stdout.target).is {
		s.stdout.before = p.clear // they share a screen
	}
	return p
}

// update shows line, if it is time to. Line is called only then, and should be
// short: a line that wraps cannot be rewritten in place.
func (p *progress) update(line func() string) {
	if p.w == nil {
		return
	}
	now := p.now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(progressEvery)
	p.on = true
	_, _ = io.WriteString(p.w, "\r"+line()+"\x1b[K") // a lost progress line is no loss
}

// clear takes the line off the screen until the next update.
func (p *progress) clear() {
	if p.on {
		p.on = false
		_, _ = io.WriteString(p.w, "\r\x1b[K")
	}
}

// done takes the line off the screen for good.
func (p *progress) done() {
	p.clear()
	p.w = nil
}

// counted is update for a piece of work of which it is known how much is done.
func (p *progress) counted(what string, done, total int) {
	p.update(func() string {
		if total == 0 {
			return what
		}
		return what + ", " + share(uint64(done), uint64(total)) + " of " + thousands(total)
	})
}
