package migrate

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// modified is the time of what a fixture gives none for.
var modified = time.Date(2026, 4, 5, 6, 7, 8, 0, time.UTC)

// collected is a sink that keeps everything.
type collected struct {
	items []Item
	left  []Left
	fail  error
}

func (c *collected) Take(_ context.Context, it Item) error {
	c.items = append(c.items, it)
	return c.fail
}

func (c *collected) Leave(l Left) { c.left = append(c.left, l) }

// readBytes reads a source that is at hand.
func readBytes(f Format, name string, data []byte) (*collected, error) {
	c := &collected{}
	err := Read(context.Background(), f, Source{Name: name, Path: name, Modified: modified, Reader: bytes.NewReader(data)}, Options{Tenant: "acme"}, c)
	return c, err
}

// fixtures returns the fixtures of each format.
func fixtures(t testing.TB) map[Format][]string {
	t.Helper()
	out := map[Format][]string{}
	for _, f := range Formats() {
		files, err := filepath.Glob(filepath.Join("testdata", "fixtures", string(f), "*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no fixtures of %s", f)
		}
		out[f] = files
	}
	return out
}

// golden writes what was made of a source, for a person to read.
func golden(t testing.TB, c *collected) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, it := range c.items {
		if it.Event != nil {
			text, err := it.Event.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			ceiling := record.User
			if it.Ceiling != 0 {
				ceiling = min(ceiling, it.Ceiling)
			}
			fmt.Fprintf(&b, "event %s %s\n", kind.Trust(it.Event, ceiling), text)
			continue
		}
		text, err := it.Body.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\n", it.Body.Kind(), text)
	}
	for _, l := range c.left {
		fmt.Fprintf(&b, "left %d %s %s\n", l.Line, l.Reason, l.Detail)
	}
	return b.Bytes()
}

// Every fixture becomes what its golden file says, and everything that is made obeys the
// rules.
func TestGolden(t *testing.T) {
	for f, files := range fixtures(t) {
		for _, file := range files {
			t.Run(string(f)+"/"+filepath.Base(file), func(t *testing.T) {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				c, err := readBytes(f, filepath.Base(file), data)
				if err != nil {
					t.Fatal(err)
				}
				obeys(t, c)
				got := golden(t, c)
				path := filepath.Join("testdata", "golden", string(f), filepath.Base(file)+".txt")
				if *update {
					if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, got, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

// obeys holds what was made against the rules of HMX and of memories.
func obeys(t testing.TB, c *collected) {
	t.Helper()
	for _, it := range c.items {
		if it.Event == nil {
			if err := it.Body.Validate(); err != nil {
				t.Errorf("%v", err)
			}
			text, err := it.Body.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := memory.Decode(it.Body.Kind(), text); err != nil {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		text, err := it.Event.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, warnings, err := hmx.DecodeEvent(text); err != nil || len(warnings) > 0 {
			t.Errorf("%s: %v %v", text, err, warnings)
		}
		for _, id := range []string{it.Event.EventID, it.Event.SessionID, it.Event.AgentID} {
			if err := memory.CheckID("id", id); err != nil {
				t.Errorf("%v", err)
			}
		}
	}
	for _, l := range c.left {
		if l.Reason == "" || l.Detail == "" || strings.Contains(l.Detail, "\n") {
			t.Errorf("left without words: %+v", l)
		}
	}
}

// A source that grew gives what it gave before, and more.
func TestGrowth(t *testing.T) {
	testsize.Long(t, "it imports growing sources")
	for f, files := range fixtures(t) {
		for _, file := range files {
			if !strings.HasSuffix(file, ".jsonl") && !strings.HasSuffix(file, ".ndjson") {
				continue
			}
			t.Run(string(f)+"/"+filepath.Base(file), func(t *testing.T) {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				whole, err := readBytes(f, filepath.Base(file), data)
				if err != nil {
					t.Fatal(err)
				}
				want := golden(t, &collected{items: whole.items})
				step := max(1, len(data)/200)
				for n := 0; n < len(data); n += step {
					part, err := readBytes(f, filepath.Base(file), data[:n])
					if err != nil {
						t.Fatal(err)
					}
					if f == ClaudeCode && strings.Contains(file, "utf16") {
						continue // half a character is one that is none
					}
					if got := golden(t, &collected{items: part.items}); !bytes.HasPrefix(want, got) {
						t.Fatalf("the first %d bytes gave something else:\n%s", n, got)
					}
				}
			})
		}
	}
}

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
		for _, it := range c.items {
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
