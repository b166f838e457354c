// Package sourcetest is what every family of formats has to pass, for tests.
//
// A family has its fixtures in testdata/fixtures/FORMAT, and beside them, in
// testdata/golden/FORMAT, what becomes of each. The flag -update rewrites the golden files.
package sourcetest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/record"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Modified returns the time of what a fixture gives none for.
func Modified() time.Time { return time.Date(2026, 4, 5, 6, 7, 8, 0, time.UTC) }

// Sink is a sink that keeps everything.
type Sink struct {
	Items []source.Item
	Left  []source.Left
}

// Take implements source.Sink.
func (c *Sink) Take(_ context.Context, it source.Item) error {
	c.Items = append(c.Items, it)
	return nil
}

// Leave implements source.Sink.
func (c *Sink) Leave(l source.Left) { c.Left = append(c.Left, l) }

// Read reads a source that is at hand, as one of a format of a family.
func Read(family []source.Reader, f foreign.Format, name string, data []byte) (*Sink, error) {
	c := &Sink{}
	i := slices.IndexFunc(family, func(x source.Reader) bool { return x.Format == f })
	src := source.Source{Name: name, Path: name, Modified: Modified(), Reader: bytes.NewReader(data)}
	err := family[i].Take(context.Background(), src, source.Options{Tenant: "acme"}, c, nil)
	return c, err
}

// Fixtures returns the fixtures of a format in a directory.
func Fixtures(t testing.TB, dir string, f foreign.Format) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "testdata", "fixtures", string(f), "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures of %s", f)
	}
	return files
}

// written writes what was made of a source, for a person to read.
func written(t testing.TB, c *Sink) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, it := range c.Items {
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
	for _, l := range c.Left {
		fmt.Fprintf(&b, "left %d %s %s\n", l.Line, l.Reason, l.Detail)
	}
	return b.Bytes()
}

// each runs a test for each fixture of a family.
func each(t *testing.T, family []source.Reader, test func(t *testing.T, f foreign.Format, file string, data []byte)) {
	for _, x := range family {
		for _, file := range Fixtures(t, ".", x.Format) {
			t.Run(string(x.Format)+"/"+filepath.Base(file), func(t *testing.T) {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				test(t, x.Format, filepath.Base(file), data)
			})
		}
	}
}

// Golden holds a family to its golden files: every fixture becomes what its file says, and
// everything that is made obeys the rules.
func Golden(t *testing.T, family []source.Reader) {
	each(t, family, func(t *testing.T, f foreign.Format, file string, data []byte) {
		c, err := Read(family, f, file, data)
		if err != nil {
			t.Fatal(err)
		}
		Obeys(t, c)
		got := written(t, c)
		path := filepath.Join("testdata", "golden", string(f), file+".txt")
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

// Growth holds a family to its promise for sources that grow: a source that grew gives what it
// gave before, and more.
func Growth(t *testing.T, family []source.Reader) {
	each(t, family, func(t *testing.T, f foreign.Format, file string, data []byte) {
		if !strings.HasSuffix(file, ".jsonl") && !strings.HasSuffix(file, ".ndjson") {
			return
		}
		whole, err := Read(family, f, file, data)
		if err != nil {
			t.Fatal(err)
		}
		want := written(t, &Sink{Items: whole.Items})
		step := max(1, len(data)/200)
		for n := 0; n < len(data); n += step {
			part, err := Read(family, f, file, data[:n])
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(file, "utf16") {
				continue // half a character is one that is none
			}
			if got := written(t, &Sink{Items: part.Items}); !bytes.HasPrefix(want, got) {
				t.Fatalf("the first %d bytes gave something else:\n%s", n, got)
			}
		}
	})
}

// Obeys holds what was made against the rules of HMX and of memories.
func Obeys(t testing.TB, c *Sink) {
	t.Helper()
	for _, it := range c.Items {
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
	for _, l := range c.Left {
		if l.Reason == "" || l.Detail == "" || strings.Contains(l.Detail, "\n") {
			t.Errorf("left without words: %+v", l)
		}
	}
}
