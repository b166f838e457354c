package journal_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"

	"lukasa.dev/internal/journal"
)

// The benchmarks write to the disk under the working directory, because fsync
// may cost nothing in the temporary directory.

func openBench(b *testing.B, o journal.Options) *journal.Log {
	b.Helper()
	dir, err := os.MkdirTemp(".", "bench")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	o.Dir = dir
	l, err := journal.Open(o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	return l
}

func BenchmarkAppend1(b *testing.B) {
	for _, ahead := range []int64{-1, 256 << 10} {
		b.Run(fmt.Sprintf("ahead=%d", ahead), func(b *testing.B) {
			l := openBench(b, journal.Options{Ahead: ahead})
			header, body := make([]byte, 110), make([]byte, 616)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.Append(header, body); err != nil {
					b.Fatal(err)
				}
				if err := l.Commit(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

func BenchmarkWriters64(b *testing.B) {
	for _, ahead := range []int64{-1, 256 << 10} {
		b.Run(fmt.Sprintf("ahead=%d", ahead), func(b *testing.B) {
			l := openBench(b, journal.Options{Ahead: ahead})
			header, body := make([]byte, 110), make([]byte, 616)
			groups := 0
			c := journal.NewCommitter(func(group []*error) {
				groups++
				for range group {
					if _, err := l.Append(header, body); err != nil {
						b.Error(err)
					}
				}
				err := l.Commit()
				for _, e := range group {
					*e = err
				}
			})
			b.ReportAllocs()
			b.ResetTimer()
			var wg sync.WaitGroup
			for i := range 64 {
				wg.Go(func() {
					err := new(error)
					for j := i; j < b.N; j += 64 {
						if c.Do(err); *err != nil {
							b.Error(*err)
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64(b.N)/float64(groups), "events/group")
		})
	}
}

// BenchmarkBatch1000 commits a thousand frames at once, bare and with the
// hashing that a record costs its caller.
func BenchmarkBatch1000(b *testing.B) {
	for _, c := range []struct {
		name   string
		early  int64
		hashed bool
	}{{"bare", 0, false}, {"hashed", 0, true}, {"hashed, not early", -1, true}} {
		b.Run(c.name, func(b *testing.B) {
			l := openBench(b, journal.Options{Early: c.early})
			header, body := make([]byte, 110), make([]byte, 616)
			b.ReportAllocs()
			b.SetBytes(1000 * 726)
			for b.Loop() {
				for range 1000 {
					if c.hashed {
						commitment := sha256.Sum256(body)
						copy(header, commitment[:])
						leaf := sha256.Sum256(header)
						body[0] = leaf[0]
					}
					if _, err := l.Append(header, body); err != nil {
						b.Fatal(err)
					}
				}
				if err := l.Commit(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*1000/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// fill writes n frames of 726 bytes.
func fill(b *testing.B, l *journal.Log, n int) []journal.LSN {
	b.Helper()
	header, body := make([]byte, 110), make([]byte, 616)
	lsns := make([]journal.LSN, n)
	for i := range n {
		lsn, err := l.Append(header, body)
		if err != nil {
			b.Fatal(err)
		}
		lsns[i] = lsn
		if i%1000 == 999 || i == n-1 {
			if err := l.Commit(); err != nil {
				b.Fatal(err)
			}
		}
	}
	return lsns
}

func BenchmarkRead(b *testing.B) {
	l := openBench(b, journal.Options{})
	lsns := fill(b, l, 100_000)
	var buf []byte
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		f, err := l.Read(lsns[i*7919%len(lsns)], buf)
		if err != nil {
			b.Fatal(err)
		}
		buf = f.Buffer()
	}
}

func BenchmarkScan(b *testing.B) {
	l := openBench(b, journal.Options{})
	fill(b, l, 100_000)
	b.SetBytes(100_000 * 726)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		s := l.Scan(0)
		var f journal.Frame
		var err error
		for err = s.Next(&f); err == nil; err = s.Next(&f) {
		}
		if !errors.Is(err, io.EOF) {
			b.Fatal(err)
		}
		s.Close()
	}
}

// BenchmarkOpen opens a log of a million frames after a clean close.
func BenchmarkOpen(b *testing.B) {
	l := openBench(b, journal.Options{})
	fill(b, l, 1_000_000)
	dir := l.Dir()
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		l, err := journal.Open(journal.Options{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
