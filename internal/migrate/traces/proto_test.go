package traces

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// JSON and protobuf of the same spans become the same, and so does a stream with lengths.
func TestProtobufSaysTheSame(t *testing.T) {
	var want string
	for i, name := range []string{"traces.pb", "framed.bin", "traces.jsonl"} {
		data, err := os.ReadFile(filepath.Join("testdata", "fixtures", "otlp", name))
		if err != nil {
			t.Fatal(err)
		}
		c, err := readBytes(OTLP, name, data)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, it := range c.Items {
			fmt.Fprintln(&b, it.Event.EventID, it.Event.EventType, it.Event.Timestamp, it.Event.Sequence, it.Event.Content)
		}
		if i == 0 {
			want = b.String()
		}
		if b.String() != want || want == "" {
			t.Errorf("%s gave\n%s\nnot\n%s", name, b.String(), want)
		}
	}
}
