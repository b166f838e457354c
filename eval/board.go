package eval

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
)

// board is a new data directory with the data in it.
type board struct {
	*lukasa.Board
	dir  string
	keep bool
}

// newBoard makes a data directory inside work, or in the directory of temporary files. Its
// clock is fixed.
func newBoard(ctx context.Context, work string, keep bool, at time.Time) (*board, error) {
	if work != "" {
		if err := os.MkdirAll(work, 0o700); err != nil {
			return nil, fault.Newf(fault.WriteFailed, "%w", err)
		}
	}
	dir, err := os.MkdirTemp(work, "lukasa-eval-*")
	if err != nil {
		return nil, fault.Newf(fault.WriteFailed, "%w", err)
	}
	b, err := lukasa.OpenContext(ctx, dir, lukasa.Options{Clock: func() time.Time { return at }, Note: "lukasa-bench eval"})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &board{b, dir, keep}, nil
}

// close closes the board and removes the directory, unless it is to be kept.
func (b *board) close() error {
	err := b.Close()
	if !b.keep {
		err = errors.Join(err, os.RemoveAll(b.dir))
	}
	return err
}

// ingest records a stream. A refused line ends the evaluation: figures for a part of the data
// would be those of other data.
func (b *board) ingest(ctx context.Context, name string, src io.Reader, tell func(lukasa.IngestReport)) error {
	var first *lukasa.Rejection
	_, err := b.Ingest(ctx, src, lukasa.IngestOptions{
		Writer: lukasa.Writer{Actor: "eval"},
		Reject: func(r lukasa.Rejection) {
			if first == nil {
				first = &r
			}
		},
		Progress: tell,
	})
	if err == nil && first != nil {
		return fault.Newf(first.Fault.Code, "%s:%d: %w", name, first.Line, first.Fault).WithFix(first.Fault.Advice())
	}
	return err
}

// each calls do for 0 to n-1 from as many goroutines as there are processors, and returns the
// error of the lowest failing number.
func each(ctx context.Context, n int, tell func(done int), do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		next   atomic.Int64
		mu     sync.Mutex
		done   int
		failed error
		at     = n
		wg     sync.WaitGroup
	)
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				err := do(ctx, i)
				mu.Lock()
				if err != nil && i < at && !(failed != nil && ctx.Err() != nil && errors.Is(err, context.Canceled)) {
					failed, at = err, i
					cancel()
				}
				done++
				tell(done)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if failed == nil {
		return ctx.Err()
	}
	return failed
}
