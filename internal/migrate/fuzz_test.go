package migrate

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"lukasa.dev/internal/migrate/source"
)

// FuzzDetect holds the detection to its promises, whatever the bytes are: a source is accepted as
// the format that it looks like, Check says what Read says, and of a source of another format
// nothing is taken.
func FuzzDetect(f *testing.F) {
	for i, format := range Formats() {
		for _, file := range fixtures(f)[format] {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, uint8(i))
			f.Add(data, uint8(i+1))
		}
	}
	for _, s := range []string{"", "[[", "{}", "\x00\x00\x00\x02\x0a\x00", "---\n# A note\n", `{"messages":[{"role":"user","content":"x"}]}`, `{"resourceSpans":[{"memory":"x"},`} {
		f.Add([]byte(s), uint8(len(s)))
	}
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		src := func() source.Source { return source.Source{Name: "f.jsonl", Reader: bytes.NewReader(data)} }
		if looks := Detect(src()); looks != "" {
			if err := Check(looks, src()); err != nil {
				t.Fatalf("it looks like %s: %v", looks, err)
			}
		}
		named := Formats()[int(n)%len(Formats())]
		c, err := readBytes(named, "f.jsonl", data)
		checked := Check(named, src())
		_, other := errors.AsType[*OtherFormat](err)
		if other != (checked != nil) {
			t.Fatalf("Check says %v, and Read %v", checked, err)
		}
		if other && len(c.Items)+len(c.Left) > 0 {
			t.Fatalf("%v, and %d items were taken", err, len(c.Items))
		}
	})
}
