package migrate

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"lukasa.dev/internal/migrate/chats"
	"lukasa.dev/internal/migrate/exports"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/sourcetest"
	"lukasa.dev/internal/migrate/traces"
	"lukasa.dev/internal/testsize"
)

// generated is a source that is made while it is read.
type generated struct {
	head, tail string
	part       func(i int) string
	size, done int
	i          int
	rest       string
	ended      bool
}

// Read implements io.Reader.
func (g *generated) Read(p []byte) (int, error) {
	for g.rest == "" {
		switch {
		case g.i == 0:
			g.rest = g.head
		case g.done < g.size:
			g.rest = g.part(g.i - 1)
		case !g.ended:
			g.rest, g.ended = g.tail, true
		default:
			return 0, io.EOF
		}
		g.i++
	}
	n := copy(p, g.rest)
	g.rest = g.rest[n:]
	g.done += n
	return n, nil
}

// peak is a sink that watches the heap.
type peak struct {
	items, left int
	heap        uint64
}

func (p *peak) Take(context.Context, source.Item) error {
	if p.items++; p.items%2000 == 0 {
		p.look()
	}
	return nil
}

func (p *peak) Leave(source.Left) { p.left++ }

func (p *peak) look() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	p.heap = max(p.heap, m.HeapAlloc)
}

// Far more than 64 MB in one list take no more than that of memory, and neither does a list
// within one object, or lines.
func TestLargeSourcesStream(t *testing.T) {
	testsize.Long(t, "reads some hundred megabytes")
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	filler := strings.Repeat("All work and no play makes a long transcript. ", 20)
	size := testsize.Of(t, "import-megabytes", 80, 80, 2000) << 20
	less := size * 4 / 5
	for name, tc := range map[string]struct {
		format foreign.Format
		source *generated
	}{
		"a list of messages": {chats.OpenAIChat, &generated{head: "[", tail: "]", size: size, part: func(i int) string {
			return fmt.Sprintf("%s{\"role\":\"user\",\"content\":\"%d %s\"}", comma(i), i, filler)
		}}},
		"a list within an object": {exports.Mem0, &generated{head: `{"count":1,"results":[`, tail: `],"next":null}`, size: less, part: func(i int) string {
			return fmt.Sprintf("%s{\"id\":\"%d\",\"memory\":\"%s\"}", comma(i), i, filler)
		}}},
		"lines": {foreign.ClaudeCode, &generated{size: less, head: "\n", part: func(i int) string {
			return fmt.Sprintf("{\"type\":\"user\",\"uuid\":\"u%d\",\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"%s\"}}\n", i, filler)
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			runtime.GC()
			p := &peak{}
			err := Read(context.Background(), tc.format, source.Source{Name: "big", Modified: sourcetest.Modified(), Reader: tc.source}, source.Options{Tenant: "acme"}, p)
			if err != nil {
				t.Fatal(err)
			}
			if p.items < less/1100 || p.left != 0 {
				t.Errorf("made %d, left %d", p.items, p.left)
			}
			if p.heap > 64<<20 {
				t.Errorf("took %d MB", p.heap>>20)
			}
		})
	}
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// One line or element that is longer than is read costs nothing but itself, and is not held.
func TestTooLong(t *testing.T) {
	testsize.Long(t, "reads a long line")
	long := func(i int) string {
		if i == 0 {
			return `{"role":"user","content":"before"}`
		}
		return strings.Repeat("x", 1<<16)
	}
	for name, tc := range map[string]*generated{
		"an element": {head: "[", part: func(i int) string {
			if i == 1 {
				return `,{"role":"user","content":"`
			}
			return long(i)
		}, tail: `"},{"role":"user","content":"after"}]`, size: source.MaxPiece + 1<<20},
		"a line": {head: "", part: func(i int) string {
			if i == 1 {
				return "\n" + `{"role":"user","content":"`
			}
			return long(i)
		}, tail: "\"}\n{\"role\":\"user\",\"content\":\"after\"}\n", size: source.MaxPiece + 1<<20},
	} {
		t.Run(name, func(t *testing.T) {
			c := &sourcetest.Sink{}
			if err := Read(context.Background(), chats.OpenAIChat, source.Source{Name: "long", Modified: sourcetest.Modified(), Reader: tc}, source.Options{Tenant: "acme"}, c); err != nil {
				t.Fatal(err)
			}
			if len(c.Items) != 2 || len(c.Left) != 1 || c.Left[0].Reason != source.TooLarge {
				t.Errorf("%d items, left %v", len(c.Items), c.Left)
			}
		})
	}
}

// A source that fails is an error with a code; what came before it was taken.
func TestSourceFails(t *testing.T) {
	for _, f := range []foreign.Format{foreign.ClaudeCode, chats.OpenAIChat, traces.OTLP, exports.BasicMemory} {
		broken := io.MultiReader(strings.NewReader(`{"role":"user","content":"one"}`+"\n"), failing{})
		c := &sourcetest.Sink{}
		err := Read(context.Background(), f, source.Source{Name: "x", Reader: broken, Modified: sourcetest.Modified()}, source.Options{Tenant: "acme"}, c)
		if err == nil || !strings.Contains(err.Error(), "the disk is gone") {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// failing is a source that cannot be read.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, fmt.Errorf("the disk is gone") }

// The error for a file that can never be right names what the file is.
func TestWrongFiles(t *testing.T) {
	for name, tc := range map[string]struct{ data, want string }{
		"a zip archive": {"PK\x03\x04rest", "zip archive"},
		"a database":    {"SQLite format 3\x00rest", "database of SQLite"},
		"torn gzip":     {"\x1f\x8b\x08", ""},
	} {
		if _, err := readBytes(exports.Engram, "x", []byte(tc.data)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Read(ctx, foreign.ClaudeCode, source.Source{Reader: strings.NewReader("{}\n")}, source.Options{Tenant: "acme"}, &sourcetest.Sink{}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}
