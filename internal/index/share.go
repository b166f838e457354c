package index

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// maxWorkers is how many goroutines share work at most, and partsEach in how many parts
// for each of them it is cut at most.
const (
	maxWorkers = 4
	partsEach  = 4
)

// Workers is into how many parts n pieces of work are to be cut, if so many pieces are
// worth a goroutine, and a part costs something of its own.
func Workers(n, each int) int {
	return max(1, min(n/each, runtime.GOMAXPROCS(0), maxWorkers))
}

// Parts is Workers for parts that cost nothing of their own: there are more of them, so
// that a goroutine that has to wait for a processor does not keep the others waiting.
func Parts(n, each int) int {
	w := Workers(n, each)
	if w == 1 {
		return 1
	}
	return min(n/each, partsEach*w)
}

// Share calls do for as many parts of n pieces of work, each from a piece on and below
// another, by several goroutines that take one part after the other. It returns when all
// are done, with the error of the first part that had one. A panic of a part goes on in
// the goroutine of the caller.
func Share(n, parts int, do func(part, from, to int) error) error {
	if parts == 1 {
		return do(0, 0, n)
	}
	var (
		errs, panics = make([]error, parts), make([]any, parts)
		next         atomic.Int64
		wait         sync.WaitGroup
	)
	one := func(part int) {
		defer func() { panics[part] = recover() }()
		errs[part] = do(part, part*n/parts, (part+1)*n/parts)
	}
	work := func() {
		for part := int(next.Add(1)) - 1; part < parts; part = int(next.Add(1)) - 1 {
			one(part)
		}
	}
	for range min(parts, runtime.GOMAXPROCS(0), maxWorkers) - 1 {
		wait.Go(work)
	}
	work()
	wait.Wait()
	for _, p := range panics {
		if p != nil {
			panic(p)
		}
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
