package sourcetest

import (
	"os"
	"testing"

	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// Fuzz holds one reader to its promises: whatever the bytes are, it does not panic, what it
// makes obeys the rules, is the same a second time, and is bounded by what was read.
func Fuzz(f *testing.F, family []source.Reader, format foreign.Format) {
	for _, file := range Fixtures(f, ".", format) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, s := range []string{
		"", "{", "[", "[[", "{}", "[]", "null", "\n", "[{},{}", `{"a`, `["\`, "[1,2,3]", "{}{}{}", "\xff\xfe{\x00}\x00", "\x1f\x8b", "PK\x03\x04",
		"\x00\x00\x00\x02\x0a\x00", "\x0a\x00", "---\n---\n", `{"messages":[{"role":"user","content":"x"}]}`, `{"results":[{"memory":"x"},`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Read(family, format, "f.jsonl", data)
		if err != nil {
			return // said in words of the catalogue
		}
		Obeys(t, c)
		again, err := Read(family, format, "f.jsonl", data)
		if err != nil || string(written(t, c)) != string(written(t, again)) {
			t.Fatal("the same bytes gave something else")
		}
		if len(data) >= 2 && data[0] == 0x1f && data[1] == 0x8b {
			return // what was packed is longer than it looks
		}
		if n := len(c.Items) + len(c.Left); n > 4*len(data)+16 {
			t.Fatalf("%d bytes became %d things", len(data), n)
		}
	})
}
