package index

import (
	"runtime"
	"sync"
)

// maxWorkers is how many goroutines share work at most.
const maxWorkers = 4

// Workers is how many goroutines are to share n pieces of work, if so many pieces are
// worth one.
func Workers(n, each int) int {
	return max(1, min(n/each, runtime.GOMAXPROCS(0), maxWorkers))
}

// Share calls do for as many parts of n pieces of work at the same time, each from a
// piece on and below another. It returns when all have, with the error of the first part
// that had one. A panic of a part goes on in the goroutine of the caller.
func Share(n, parts int, do func(part, from, to int) error) error {
	if parts == 1 {
		return do(0, 0, n)
	}
	errs, panics := make([]error, parts), make([]any, parts)
	var wait sync.WaitGroup
	for part := 1; part < parts; part++ {
		wait.Go(func() {
			defer func() { panics[part] = recover() }()
			errs[part] = do(part, part*n/parts, (part+1)*n/parts)
		})
	}
	defer func() {
		wait.Wait() // even if the first part panics: others use what is the caller's
	}()
	errs[0] = do(0, 0, n/parts)
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
