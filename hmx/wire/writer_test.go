package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"pgregory.net/rapid"
)

// An event is read back as the same event, whatever its content.
func TestNDJSONIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(anyEvent, 0, 8).Draw(t, "events")
		var out bytes.Buffer
		w := NewWriter(&out)
		for _, e := range list {
			if err := w.Event(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(out.Bytes(), []byte("\n")); n != len(list) || bytes.Contains(out.Bytes(), []byte("\r")) {
			t.Fatalf("%d lines for %d events", n, len(list))
		}
		n := 0
		for item, err := range NewReader(&out, Options{}).Events() {
			if err != nil {
				t.Fatal(err)
			}
			if got, want := canonical(t, item.Event), canonical(t, list[n]); got != want || item.Line != n+1 {
				t.Fatalf("line %d\n got %s\nwant %s", item.Line, got, want)
			}
			n++
		}
		if n != len(list) {
			t.Fatalf("%d of %d events", n, len(list))
		}
	})
}

// An event that cannot be written does not affect the others, and none is cut.
func TestRefusal(t *testing.T) {
	notUTF8, notFinite, notJSON := sample(1), sample(1), sample(1)
	notUTF8.EventID = "\xFF"
	notFinite.Embeddings = []float64{1, math.NaN()}
	notJSON.Metadata = "{\n"
	for name, open := range map[string]func(io.Writer) (func(*hmx.Event) error, func() error){
		"NDJSON": func(w io.Writer) (func(*hmx.Event) error, func() error) {
			x := NewWriter(w)
			return x.Event, x.Flush
		},
		"SSE": func(w io.Writer) (func(*hmx.Event) error, func() error) {
			x := NewEncoder(w)
			return x.Event, x.Flush
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got, want bytes.Buffer
			write, flush := open(&got)
			if err := write(sample(0)); err != nil {
				t.Fatal(err)
			}
			for _, e := range []*hmx.Event{notUTF8, notFinite, notJSON, nil} {
				var refused *EncodeError
				if err := write(e); !errors.As(err, &refused) || errors.Unwrap(refused) == nil {
					t.Fatal(err)
				}
			}
			if err := write(sample(2)); err != nil {
				t.Fatal(err)
			}
			if err := flush(); err != nil {
				t.Fatal(err)
			}
			write, flush = open(&want)
			if err := errors.Join(write(sample(0)), write(sample(2)), flush()); err != nil {
				t.Fatal(err)
			}
			if got.String() != want.String() {
				t.Errorf("\n got %s\nwant %s", got.String(), want.String())
			}
		})
	}
}

// limited accepts a number of bytes and then fails.
type limited struct {
	left   int
	err    error
	writes int
}

func (l *limited) Write(p []byte) (int, error) {
	l.writes++
	n := min(l.left, len(p))
	l.left -= n
	if n < len(p) {
		return n, l.err
	}
	return n, nil
}

func TestWriteErrorStays(t *testing.T) {
	trouble := errors.New("no room")
	for _, row := range []struct{ err, want error }{{trouble, trouble}, {nil, io.ErrShortWrite}} {
		dst := &limited{left: 300_000, err: row.err}
		w, e := NewWriter(dst), NewEncoder(&limited{err: row.err})
		var err error
		n := 0
		for ; err == nil; n++ {
			err = w.Event(sample(1))
		}
		var failed *WriteError
		if !errors.Is(err, row.want) || !errors.As(err, &failed) {
			t.Fatal(err)
		}
		writes := dst.writes
		if writes > 10 || n < 300 {
			t.Errorf("%d writes for %d events: not gathered", writes, n)
		}
		if again := w.Event(sample(1)); again != err {
			t.Error(again)
		}
		if again := w.Flush(); again != err || dst.writes != writes {
			t.Error(again, dst.writes)
		}
		if err := e.Comment("x"); err != nil {
			t.Fatal(err)
		}
		err = e.Flush()
		for _, again := range []error{e.Event(sample(1)), e.Comment(""), e.Retry(0), e.Flush()} {
			if !errors.Is(again, row.want) || again != err {
				t.Error(again)
			}
		}
	}
}

type plainFlush struct {
	strings.Builder
	flushed int
}

func (f *plainFlush) Flush() { f.flushed++ }

type failingFlush struct {
	plainFlush
	err error
}

func (f *failingFlush) FlushError() error { f.flushed++; return f.err }

// Flush also flushes what the destination buffers.
func TestFlush(t *testing.T) {
	plain := &plainFlush{}
	e := NewEncoder(plain)
	e.Comment("a")
	if plain.Len() != 0 {
		t.Error("not gathered")
	}
	if err := e.Flush(); err != nil || plain.flushed != 1 || plain.String() != ": a\n\n" {
		t.Error(err, plain.flushed, plain.String())
	}
	var inner bytes.Buffer
	w := NewWriter(bufio.NewWriter(&inner))
	w.Event(sample(0))
	if err := w.Flush(); err != nil || inner.String() != sampleJSON(t, 0)+"\n" {
		t.Error(err, inner.String())
	}
	trouble := errors.New("gone")
	failing := &failingFlush{err: trouble}
	e = NewEncoder(failing)
	if err := e.Flush(); !errors.Is(err, trouble) || failing.flushed != 1 {
		t.Error(err)
	}
	if err := e.Event(sample(0)); !errors.Is(err, trouble) {
		t.Error(err)
	}
	if err := NewWriter(bufio.NewWriter(&limited{err: trouble})).Flush(); err != nil {
		t.Error(err) // nothing to write
	}
}

// One large event does not keep its memory.
func TestOutputMemory(t *testing.T) {
	e := sample(0)
	e.Content = hmx.Raw(`{"text":"` + strings.Repeat("x", 512<<10) + `"}`)
	w := NewWriter(io.Discard)
	if err := w.Event(e); err != nil || cap(w.out.buf) > 4*enough {
		t.Error(err, cap(w.out.buf))
	}
}

// An id as long as an event is valid; an SSE block is not refused because of it.
func TestLongIDsAreLeftOut(t *testing.T) {
	for _, length := range []int{1024, 1025, 600 << 10} {
		ev := &hmx.Event{EventID: strings.Repeat("i", length), EventType: hmx.TypeMessage, AgentID: "a", TenantID: "t", SessionID: "s",
			Timestamp: hmx.TimeOf(time.UnixMilli(0))}
		var buf bytes.Buffer
		enc := NewEncoder(&buf)
		if err := errors.Join(enc.Event(ev), enc.Flush()); err != nil {
			t.Fatal(err)
		}
		if got := bytes.HasPrefix(buf.Bytes(), []byte("id: ")); got != (length <= 1024) {
			t.Errorf("an id of %d bytes: written %v", length, got)
		}
		for item, err := range NewDecoder(&buf, Options{}).Events() {
			if err != nil || item.Event.EventID != ev.EventID {
				t.Errorf("an id of %d bytes: %v", length, err)
			}
		}
	}
}
