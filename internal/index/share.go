package index

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// maxWorkers is the maximum number of goroutines, and partsEach the maximum number of
// parts for each of them.
const (
	maxWorkers = 4
	partsEach  = 4
)

// Workers returns into how many parts n items of work should be divided, if each items
// are worth a goroutine, and a part has a cost of its own.
func Workers(n, each int) int {
	return max(1, min(n/each, runtime.GOMAXPROCS(0), maxWorkers))
}

// Parts is Workers for parts without a cost of their own: there are more of them, so
// that a goroutine that waits for a processor does not delay the others.
func Parts(n, each int) int {
	w := Workers(n, each)
	if w == 1 {
		return 1
	}
	return min(n/each, partsEach*w)
}

// Share divides n items of work into parts and calls do for each range [from, to), in
// several goroutines. It returns when all are done, with the error of the first part
// that had one. A panic of a part continues in the goroutine of the caller.
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
