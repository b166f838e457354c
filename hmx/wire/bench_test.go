package wire

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

const benchLines = 10_000

func benchEvents(b *testing.B, stream []byte, read func(io.Reader) int) {
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		if n := read(bytes.NewReader(stream)); n != benchLines {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.N)*benchLines/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkNDJSON(b *testing.B) {
	stream := []byte(strings.Repeat(sampleJSON(b, 1)+"\n", benchLines))
	b.Run("lines", func(b *testing.B) {
		benchEvents(b, stream, func(src io.Reader) (n int) {
			r := NewReader(src, Options{})
			for {
				if _, err := r.Next(); err != nil {
					return n
				}
				n++
			}
		})
	})
	b.Run("events", func(b *testing.B) {
		benchEvents(b, stream, func(src io.Reader) (n int) {
			for _, err := range NewReader(src, Options{}).Events() {
				if err == nil {
					n++
				}
			}
			return n
		})
	})
}

func BenchmarkSSE(b *testing.B) {
	var out bytes.Buffer
	enc := NewEncoder(&out)
	for i := range benchLines {
		if err := enc.Event(sample(int64(i))); err != nil {
			b.Fatal(err)
		}
	}
	enc.Flush()
	b.Run("blocks", func(b *testing.B) {
		benchEvents(b, out.Bytes(), func(src io.Reader) (n int) {
			d := NewDecoder(src, Options{})
			for {
				if _, err := d.Next(); err != nil {
					return n
				}
				n++
			}
		})
	})
	b.Run("events", func(b *testing.B) {
		benchEvents(b, out.Bytes(), func(src io.Reader) (n int) {
			for _, err := range NewDecoder(src, Options{}).Events() {
				if err == nil {
					n++
				}
			}
			return n
		})
	})
}

func BenchmarkWrite(b *testing.B) {
	e := sample(1)
	size := int64(len(sampleJSON(b, 1)))
	b.Run("NDJSON", func(b *testing.B) {
		w := NewWriter(io.Discard)
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			if err := w.Event(e); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("SSE", func(b *testing.B) {
		w := NewEncoder(io.Discard)
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			if err := w.Event(e); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// One kind of line end must not restart the search for the other.
func BenchmarkSSEManyCR(b *testing.B) {
	stream := []byte(strings.Repeat("data\r\r", benchLines))
	b.Run("blocks", func(b *testing.B) {
		benchEvents(b, stream, func(src io.Reader) (n int) {
			d := NewDecoder(src, Options{})
			for {
				if _, err := d.Next(); err != nil {
					return n
				}
				n++
			}
		})
	})
}
