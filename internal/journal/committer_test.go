package journal_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/internal/journal"
)

type request struct {
	caller, n int
	panics    bool
	exits     bool
	done      bool
}

// For any number of callers and any outcome of run: every request is run
// exactly once, a caller's requests run in order, groups run one at a time,
// and Do returns after run does, or panics if run did not return.
func TestCommitter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		callers := rapid.IntRange(1, 24).Draw(t, "callers")
		each := rapid.IntRange(1, 30).Draw(t, "requests")
		odds := rapid.SampledFrom([]int{0, 5, 40}).Draw(t, "odds of a panic in a hundred")
		yields := rapid.IntRange(0, 3).Draw(t, "yields")
		seed := rapid.Uint64().Draw(t, "seed")

		var running, runs atomic.Int32
		last := make([]int, callers)
		var mu sync.Mutex
		var problems []string
		complain := func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			problems = append(problems, fmt.Sprintf(format, args...))
		}
		c := journal.NewCommitter(func(group []*request) {
			if running.Add(1) != 1 {
				complain("two groups at once")
			}
			defer running.Add(-1)
			runs.Add(1)
			if len(group) == 0 || len(group) > journal.MaxGroup {
				complain("a group of %d", len(group))
			}
			for range yields {
				runtime.Gosched()
			}
			bad, gone := false, false
			for _, r := range group {
				if r.n != last[r.caller]+1 {
					complain("caller %d: request %d after %d", r.caller, r.n, last[r.caller])
				}
				last[r.caller] = r.n
				bad, gone = bad || r.panics, gone || r.exits
			}
			if bad {
				panic("on purpose")
			}
			if gone {
				runtime.Goexit()
			}
			for _, r := range group {
				r.done = true
			}
		})
		var wg sync.WaitGroup
		var served atomic.Int32
		for i := range callers {
			wg.Go(func() {
				for n := 1; n <= each; n++ {
					h := (seed + uint64(i)*7919 + uint64(n)*104729) * 0x9e3779b97f4a7c15 >> 33
					r := &request{caller: i, n: n, panics: int(h%100) < odds, exits: odds > 0 && h%97 == 1}
					var once sync.WaitGroup
					once.Go(func() { // at worst it ends with its goroutine
						defer served.Add(1)
						defer func() {
							p := recover()
							if p != nil && !strings.Contains(fmt.Sprint(p), "on purpose") && !strings.Contains(fmt.Sprint(p), "was ended") {
								complain("panicked with %v", p)
							}
							if p == nil && !r.done && odds == 0 {
								complain("returned before it was done")
							}
							if p != nil && r.done {
								complain("panicked although it was done")
							}
						}()
						c.Do(r)
						if !r.done {
							complain("returned although it was not done")
						}
					})
					once.Wait()
				}
			})
		}
		wg.Wait()
		if int(served.Load()) != callers*each {
			t.Fatalf("%d of %d requests were served", served.Load(), callers*each)
		}
		for i, n := range last {
			if n != each {
				t.Fatalf("caller %d: %d of %d requests ran", i, n, each)
			}
		}
		if len(problems) > 0 {
			t.Fatal(problems)
		}
	})
}

// Callers that arrive while a group runs form the next group together.
func TestCommitterGroups(t *testing.T) {
	started, release := make(chan int), make(chan struct{})
	c := journal.NewCommitter(func(group []int) {
		started <- len(group)
		<-release
	})
	var wg sync.WaitGroup
	wg.Go(func() { c.Do(0) })
	if n := <-started; n != 1 {
		t.Fatalf("the first group has %d", n)
	}
	const many = journal.MaxGroup + 10
	for i := range many {
		wg.Go(func() { c.Do(i) })
	}
	for journal.Waiting(c) < many {
		runtime.Gosched()
	}
	release <- struct{}{}
	for _, want := range []int{journal.MaxGroup, 10} {
		if n := <-started; n != want {
			t.Errorf("a group of %d, want %d", n, want)
		}
		release <- struct{}{}
	}
	wg.Wait()
}

func TestCommitterDoesNotAllocate(t *testing.T) {
	c := journal.NewCommitter(func([]*request) {})
	r := new(request)
	if n := testing.AllocsPerRun(100, func() { c.Do(r) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
