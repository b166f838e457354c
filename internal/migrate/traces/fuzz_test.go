package traces

import (
	"os"
	"runtime"
	"testing"

	"lukasa.dev/internal/migrate/sourcetest"
)

func FuzzOTLP(f *testing.F) { sourcetest.Fuzz(f, Readers(), OTLP) }

// FuzzProtobuf holds the reader of protobuf to the same, whatever a span is made of.
func FuzzProtobuf(f *testing.F) {
	for _, name := range []string{"traces.pb", "framed.bin", "cut.pb"} {
		data, err := os.ReadFile("testdata/fixtures/otlp/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := protoSpan(data)
		if err == nil && s == nil {
			t.Fatal("neither a span nor an error")
		}
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20+uint64(len(data))*2048 {
			t.Fatalf("%d bytes took %d bytes of memory", len(data), grown)
		}
		c, err := readBytes(OTLP, "f.pb", append([]byte{0x0a}, data...))
		if err == nil {
			sourcetest.Obeys(t, c)
		}
	})
}
