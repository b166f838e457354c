package wire

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"pgregory.net/rapid"
)

func TestEncoder(t *testing.T) {
	var out strings.Builder
	e := NewEncoder(&out)
	odd, nul, spaced := sample(2), sample(3), sample(4)
	odd.EventID, nul.EventID, spaced.EventID = "a\nb", "a\x00", " a: "
	for _, err := range []error{
		e.Retry(1500 * time.Microsecond), e.Comment("keep-alive"), e.Event(sample(1)), e.Event(odd), e.Event(nul), e.Event(spaced),
		e.Comment("two\r\nlines\rand\n\nmore\n"), e.Comment(""), e.Retry(math.MaxInt64), e.Retry(0), e.Flush(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	text := func(e *hmx.Event) string {
		b, _ := e.AppendJSON(nil)
		return string(b)
	}
	want := "retry: 2\n\n" +
		": keep-alive\n\n" +
		"id: 019e5a3b-7c4d-7000-8000-000000000001\nevent: hmx\ndata: " + sampleJSON(t, 1) + "\n\n" +
		"event: hmx\ndata: " + text(odd) + "\n\n" +
		"event: hmx\ndata: " + text(nul) + "\n\n" +
		"id:  a: \nevent: hmx\ndata: " + text(spaced) + "\n\n" +
		": two\n: lines\n: and\n: \n: more\n: \n\n" +
		": \n\n" +
		"retry: 9223372036855\n\n" +
		"retry: 0\n\n"
	if out.String() != want {
		t.Errorf("\n got %s\nwant %s", out.String(), want)
	}
	if err := e.Retry(-1); err == nil {
		t.Error("a negative retry is accepted")
	}
	if err := e.Event(sample(1)); err != nil {
		t.Errorf("a refused retry is remembered: %v", err)
	}
}

// An encoded event is decoded as the same event, with its id if that can be written, with any
// comments in between.
func TestSSEIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(anyEvent, 0, 6).Draw(t, "events")
		comments := rapid.SliceOfN(hostileText, len(list), len(list)).Draw(t, "comments")
		var out bytes.Buffer
		enc := NewEncoder(&out)
		for i, e := range list {
			if err := enc.Comment(comments[i]); err != nil {
				t.Fatal(err)
			}
			if err := enc.Event(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := enc.Flush(); err != nil {
			t.Fatal(err)
		}
		dec := NewDecoder(&out, Options{ChunkBytes: rapid.IntRange(1, 200).Draw(t, "chunk")})
		n, id := 0, ""
		for item, err := range dec.Events() {
			if err != nil {
				t.Fatal(err)
			}
			e := list[n]
			if got, want := canonical(t, item.Event), canonical(t, e); got != want {
				t.Fatalf("\n got %s\nwant %s", got, want)
			}
			if !strings.ContainsAny(e.EventID, "\r\n\x00") {
				id = e.EventID
			}
			if dec.LastEventID() != id {
				t.Fatalf("last id %q, want %q", dec.LastEventID(), id)
			}
			n++
		}
		if c := dec.Counts(); n != len(list) || c.Incomplete || c.Foreign != 0 {
			t.Fatalf("%d of %d events, %+v", n, len(list), c)
		}
	})
}
