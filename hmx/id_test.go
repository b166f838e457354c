package hmx

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

var uuid7 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func TestNewID(t *testing.T) {
	// The example of RFC 9562, appendix A.6.
	at := time.UnixMilli(0x017F22E279B0)
	got, err := NewID(at, bytes.NewReader([]byte{0x0C, 0xC3, 0x18, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F}))
	if want := "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"; err != nil || got != want {
		t.Errorf("NewID = %s, %v, want %s", got, err, want)
	}
	if _, err := NewID(at, strings.NewReader("short")); err == nil {
		t.Error("an id from too little randomness")
	}
	broken := errors.New("broken")
	if _, err := NewID(at, iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// counter is a predictable source of bytes.
type counter byte

func (c *counter) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(*c)
	}
	return len(p), nil
}

// Ids strictly increase within a millisecond, with a clock that steps back, and when all random
// bits are exhausted.
func TestIDSourceGrows(t *testing.T) {
	for _, fillByte := range []byte{0x00, 0x7F, 0xFF} {
		random := counter(fillByte)
		now := time.UnixMilli(1_800_000_000_000)
		s := NewIDSource(func() time.Time { return now }, &random)
		last := ""
		for i := range 5000 {
			switch {
			case i%700 == 699:
				now = now.Add(-time.Second)
			case i%300 == 299:
				now = now.Add(2 * time.Millisecond)
			}
			id, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			if !uuid7.MatchString(id) {
				t.Fatalf("%s is not a UUIDv7", id)
			}
			if id <= last {
				t.Fatalf("%s after %s", id, last)
			}
			last = id
		}
	}
}

func TestIDSourceIsSafe(t *testing.T) {
	random := counter(3)
	s := NewIDSource(func() time.Time { return time.UnixMilli(5) }, &random)
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 500 {
				id, err := s.Next()
				mu.Lock()
				if err != nil || seen[id] {
					t.Errorf("%s %v", id, err)
				}
				seen[id] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}
