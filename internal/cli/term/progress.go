package term

import (
	"fmt"
	"io"
	"time"
)

const (
	progressAfter = 2 * time.Second        // shorter work shows no progress
	progressEvery = 200 * time.Millisecond // fast enough to look alive
)

// Progress is one line on standard error, rewritten in place during long work. Without a
// terminal it shows nothing. It is not safe for concurrent use.
type Progress struct {
	w    io.Writer // nil without a terminal
	now  func() time.Time
	next time.Time // not before this
	on   bool      // the line is on the screen now
}

// Progress starts the clock of a piece of work. The caller calls update as
// often as it likes, and done at the end:
//
//	p := s.progress()
//	defer p.done()
func (s *Screen) Progress() *Progress {
	if !s.Detect(s.Stderr).ANSI || s.Env("TERM") == "dumb" {
		return &Progress{}
	}
	p := &Progress{w: s.Stderr, now: s.Now, next: s.Now().Add(progressAfter)}
	if s.Detect(s.Stdout.Target).Is {
		s.Stdout.before = p.clear // they share a screen
	}
	return p
}

// Update shows line, if it is time to. Line is called only then, and should be
// short: a line that wraps cannot be rewritten in place.
func (p *Progress) Update(line func() string) {
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
func (p *Progress) clear() {
	if p.on {
		p.on = false
		_, _ = io.WriteString(p.w, "\r\x1b[K")
	}
}

// Done takes the line off the screen for good.
func (p *Progress) Done() {
	p.clear()
	p.w = nil
}

// Counted is update for a piece of work of which it is known how much is done.
func (p *Progress) Counted(what string, done, total int) {
	p.Update(func() string {
		if total == 0 {
			return what
		}
		return what + ", " + Share(uint64(done), uint64(total)) + " of " + Thousands(total)
	})
}

// Share writes a part of a whole in percent.
func Share(done, total uint64) string {
	if total == 0 || done > total {
		return "100%"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(done)/float64(total))
}
