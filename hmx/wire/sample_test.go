package wire

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"lukasa.dev/hmx"
	"pgregory.net/rapid"
)

var epoch = time.Date(2026, 3, 14, 3, 0, 0, 0, time.UTC)

func sample(sequence int64) *hmx.Event {
	return &hmx.Event{
		HMXVersion: hmx.Version, EventID: fmt.Sprintf("019e5a3b-7c4d-7000-8000-%012d", sequence), EventType: hmx.TypeMessage,
		AgentID: "agent-planner-07", TenantID: "tenant-northwind", SessionID: "session-2026-04-02-113",
		Timestamp: hmx.TimeOf(epoch.Add(time.Duration(sequence) * time.Second)), Sequence: sequence,
		Content: `{"role":"assistant","text":"The nightly export failed twice because the bucket policy denies writes from the new runner. ` +
			`I asked the owner to grant access and will retry at 18:00.","attachments":[]}`,
		Metadata: `{"channel":"slack","user_id":"U58213"}`, Source: hmx.Some("claude-agent"), Salience: hmx.Some(0.62),
		Tags: []string{"export", "storage", "access"},
	}
}

func sampleJSON(t testing.TB, sequence int64) string {
	text, err := sample(sequence).AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// hostileText is text that breaks code without escaping.
var hostileText = rapid.OneOf(
	rapid.StringN(1, 20, 60),
	rapid.SampledFrom([]string{
		"\n", "\r\n", "a\nb", "\x00", "\uFEFF", "data: x", "id: 1\n\n", " lead", ":", "\u2028\u2029", "\U0001F600", "\\", `"`, "/", "%2F", "a/b", "é\x7f",
	}),
)

var anyEvent = rapid.Custom(func(t *rapid.T) *hmx.Event {
	text := func(name string) string { return hostileText.Draw(t, name) }
	e := &hmx.Event{
		HMXVersion: hmx.Version, EventID: text("id"), EventType: hmx.EventType("x-acme-" + rapid.StringMatching(`[a-z]{1,5}`).Draw(t, "type")),
		AgentID: text("agent"), TenantID: text("tenant"), SessionID: text("session"), Timestamp: hmx.TimeOf(epoch),
		Sequence: rapid.Int64Min(0).Draw(t, "sequence"),
	}
	quoted, err := (&hmx.Event{EventID: text("text")}).AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	e.Content, e.Metadata = hmx.Raw(quoted), "{ \"spaced\" :\n [ 1 ,\r\n2 ] }"
	if rapid.Bool().Draw(t, "more") {
		e.Source, e.Salience, e.TTLSeconds = hmx.Some(text("source")), hmx.Some(0.25), hmx.Some(rapid.Int64Min(0).Draw(t, "ttl"))
		e.Tags = []string{text("tag"), ""}
		e.Embeddings = []float64{0, -1.5e-300, 3}
	}
	return e
})

func canonical(t interface{ Fatal(...any) }, e *hmx.Event) string {
	text, err := e.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// cuts returns readers that split data in different ways.
func cuts(data []byte) map[string]io.Reader {
	return map[string]io.Reader{
		"whole":        bytes.NewReader(data),
		"one byte":     iotest.OneByteReader(bytes.NewReader(data)),
		"half":         iotest.HalfReader(bytes.NewReader(data)),
		"data and EOF": iotest.DataErrReader(bytes.NewReader(data)),
		"empty reads":  &stutter{src: iotest.OneByteReader(bytes.NewReader(data))},
	}
}

// stutter returns no bytes and no error every other time, as a reader may.
type stutter struct {
	src  io.Reader
	even bool
}

func (s *stutter) Read(p []byte) (int, error) {
	if s.even = !s.even; s.even {
		return 0, nil
	}
	return s.src.Read(p)
}

// long is a source of size bytes that are not in memory, and then of tail.
type long struct {
	size int
	tail string
}

var filler = strings.Repeat("x", DefaultChunkBytes)

func (l *long) Read(p []byte) (int, error) {
	if l.size > 0 {
		n := copy(p[:min(l.size, len(p))], filler)
		l.size -= n
		return n, nil
	}
	if l.tail == "" {
		return 0, io.EOF
	}
	n := copy(p, l.tail)
	l.tail = l.tail[n:]
	return n, nil
}

// lastly returns a source of text and then err.
func lastly(text string, err error) io.Reader {
	return io.MultiReader(strings.NewReader(text), iotest.ErrReader(err))
}
