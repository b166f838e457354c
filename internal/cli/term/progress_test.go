package term

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// clock is a hand to move.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

// variables looks variables up in a table.
func variables(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := vars[name]
		return value, ok
	}
}

// watched returns a screen whose streams all are one terminal, and its clock.
func watched(shown *bytes.Buffer, vars map[string]string) (*Screen, *clock) {
	s := New(shown, shown,
		variables(vars),
		func(any) Terminal { return Terminal{Is: true, ANSI: true} })
	c := &clock{t: time.Unix(1000, 0)}
	s.Now = c.now
	return s, c
}

func TestProgressWaitsThenRewritesOneLine(t *testing.T) {
	var shown bytes.Buffer
	s, c := watched(&shown, nil)
	p := s.Progress()
	for i := range 30 { // three seconds
		p.Update(func() string { return fmt.Sprint("step ", i) })
		c.t = c.t.Add(100 * time.Millisecond)
	}
	p.Done()
	p.Update(func() string { return "after the end" })
	want := "\rstep 20\x1b[K\rstep 22\x1b[K\rstep 24\x1b[K\rstep 26\x1b[K\rstep 28\x1b[K" + "\r\x1b[K"
	if got := shown.String(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestShortWorkShowsNothing(t *testing.T) {
	var shown bytes.Buffer
	s, c := watched(&shown, nil)
	p := s.Progress()
	c.t = c.t.Add(progressAfter - time.Millisecond)
	p.Update(func() string { return "too early" })
	p.Done()
	if shown.Len() > 0 {
		t.Errorf("wrote %q", shown.String())
	}
}

func TestAnswerDoesNotMixWithProgress(t *testing.T) {
	var shown bytes.Buffer
	s, c := watched(&shown, nil)
	p := s.Progress()
	c.t = c.t.Add(progressAfter)
	p.Update(func() string { return "working" })
	fmt.Fprintln(s.Stdout, "answer")
	p.Done()
	if got, want := shown.String(), "\rworking\x1b[K"+"\r\x1b[K"+"answer\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNobodyWatchingMeansNoProgress(t *testing.T) {
	var stderr, shown bytes.Buffer
	unwatched := New(&bytes.Buffer{}, &stderr, variables(nil), func(any) Terminal { return Terminal{} })
	dumb, c := watched(&shown, map[string]string{"TERM": "dumb"})
	unwatched.Now = c.now
	for _, s := range []*Screen{unwatched, dumb} {
		p := s.Progress()
		c.t = c.t.Add(time.Hour)
		p.Update(func() string {
			t.Error("the line was made for nobody")
			return ""
		})
		p.Done()
	}
	if stderr.Len()+shown.Len() > 0 {
		t.Errorf("wrote %q and %q", stderr.String(), shown.String())
	}
}
