package tokens

import (
	"fmt"
	"sync"
	"testing"
)

// Cached pieces have the same counts, also while other goroutines use and overwrite the cache.
func TestMemoryMakesNoDifference(t *testing.T) {
	v := load()
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for k := range 60_000 {
				n := (k/3*7 + worker) % 50_000
				piece := fmt.Sprintf("%c%x", 'g'+n%20, uint64(n)*0x9e3779b97f4a7c15>>(8*(n%8)))
				word := make([]byte, 0, 20)
				for _, c := range []byte(piece) {
					if c < 'a' {
						c += 'k' - '0'
					}
					word = append(word, c)
				}
				s := " " + string(word)
				if got, want := v.count(s), v.tokens(s); got != want {
					t.Errorf("%q counts %d, not %d", s, got, want)
					return
				}
				if got, want := v.count(s[1:]+"\x00"), v.tokens(s[1:])+v.tokens("\x00"); got != want {
					t.Errorf("%q and a zero count %d, not %d", s[1:], got, want)
					return
				}
			}
		})
	}
	all.Wait()
}
