package cli

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// clock is a hand to move.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

// watched returns a shell whose streams all are one terminal, and its clock.
func watched(screen *bytes.Buffer, vars map[string]string) (*shell, *clock) {
	s := newShell(nil, screen, screen,
		setTo(vars),
		func(any) terminal { return terminal{is: true, ansi: true} })
	c := &clock{t: time.Unix(1000, 0)}
	s.now = c.now
	return s, c
}

func TestProgressWaitsThenRewritesOneLine(t *testing.T) {
	var screen bytes.Buffer
	s, c := watched(&screen, nil)
	p := s.progress()
	for i := range 30 { // three seconds
		p.update(func() string { return fmt.Sprint("step ", i) })
		c.t = c.t.Add(100 * time.Millisecond)
	}
	p.done()
	p.update(func() string { return "after the end" })
	want := "\rstep 20\x1b[K\rstep 22\x1b[K\rstep 24\x1b[K\rstep 26\x1b[K\rstep 28\x1b[K" + "\r\x1b[K"
	if got := screen.String(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestShortWorkShowsNothing(t *testing.T) {
	var screen bytes.Buffer
	s, c := watched(&screen, nil)
	p := s.progress()
	c.t = c.t.Add(progressAfter - time.Millisecond)
	p.update(func() string { return "too early" })
	p.done()
	if screen.Len() > 0 {
		t.Errorf("wrote %q", screen.String())
	}
}

func TestAnswerDoesNotMixWithProgress(t *testing.T) {
	var screen bytes.Buffer
	s, c := watched(&screen, nil)
	p := s.progress()
	c.t = c.t.Add(progressAfter)
	p.update(func() string { return "working" })
	fmt.Fprintln(s.stdout, "answer")
	p.done()
	if got, want := screen.String(), "\rworking\x1b[K"+"\r\x1b[K"+"answer\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNobodyWatchingMeansNoProgress(t *testing.T) {
	var stderr, screen bytes.Buffer
	unwatched := testShell(nil, &bytes.Buffer{}, &stderr)
	dumb, c := watched(&screen, map[string]string{"TERM": "dumb"})
	unwatched.now = c.now
	for _, s := range []*shell{unwatched, dumb} {
		p := s.progress()
		c.t = c.t.Add(time.Hour)
		p.update(func() string {
			t.Error("the line was made for nobody")
			return ""
		})
		p.done()
	}
	if stderr.Len()+screen.Len() > 0 {
		t.Errorf("wrote %q and %q", stderr.String(), screen.String())
	}
}
