package migrate

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
)

// transcript is a transcript of n lines.
func transcript(n int, words string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`{"type":"user","uuid":"u` + strconv.Itoa(i) + `","sessionId":"s","message":{"role":"user","content":"` + words + ` ` + strconv.Itoa(i) + `"}}` + "\n")
	}
	return b.String()
}

// wide writes a text in units of two or four bytes, with or without a mark.
func wide(text string, order binary.AppendByteOrder, four, mark bool) []byte {
	var out []byte
	if mark {
		text = "\ufeff" + text
	}
	if four {
		for _, c := range text {
			out = order.AppendUint32(out, uint32(c))
		}
		return out
	}
	for _, u := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, u)
	}
	return out
}

// zipped packs a text.
func zipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.Bytes()
}

// Text is read however its characters are written, or refused with what to do about it.
func TestEncodings(t *testing.T) {
	text := transcript(3, "Größe 🪵")
	plain, err := readBytes(ClaudeCode, "x.jsonl", []byte(text))
	if err != nil || len(plain.items) != 3 {
		t.Fatalf("%d items, %v", len(plain.items), err)
	}
	packed := zipped(text)
	damaged := slices.Clone(packed)
	damaged[len(damaged)-5] ^= 1
	le, be := binary.LittleEndian, binary.BigEndian
	for name, tc := range map[string]struct {
		data  []byte
		fault string
		fix   string
	}{
		"UTF-8 with a mark":                 {data: []byte("\ufeff" + text)},
		"UTF-16, little end first":          {data: wide(text, le, false, true)},
		"UTF-16, big end first":             {data: wide(text, be, false, true)},
		"UTF-16 without a mark":             {data: wide(text, le, false, false)},
		"UTF-16BE without a mark":           {data: wide(text, be, false, false)},
		"UTF-16 without a mark, packed":     {data: zipped(string(wide(text, le, false, false)))},
		"gzip":                              {data: packed},
		"UTF-32":                            {data: wide(text, le, true, true), fault: "this is UTF-32", fix: "iconv"},
		"UTF-32, big end first":             {data: wide(text, be, true, true), fault: "this is UTF-32", fix: "iconv"},
		"UTF-32 without a mark":             {data: wide(text, le, true, false), fault: "this is UTF-32", fix: "iconv"},
		"UTF-32BE without a mark":           {data: wide(text, be, true, false), fault: "this is UTF-32", fix: "iconv"},
		"gzip that was cut off":             {data: packed[:len(packed)-20], fault: "the gzip file ends too early", fix: "whole file"},
		"gzip that was cut off in its head": {data: packed[:6], fault: "the gzip file ends too early", fix: "whole file"},
		"gzip with a flipped bit":           {data: damaged, fault: "the gzip file is damaged", fix: "get it again"},
		"zeros":                             {data: make([]byte, 4096), fault: "it is all zeros", fix: "whole"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := readBytes(ClaudeCode, "x.jsonl", tc.data)
			if tc.fault != "" {
				if e := fault.From(err); err == nil || !strings.Contains(e.Error(), tc.fault) || !strings.Contains(e.Fix, tc.fix) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil || len(c.left) > 0 || len(c.items) != len(plain.items) {
				t.Fatalf("%d items, left %v, %v", len(c.items), c.left, err)
			}
			for i, it := range c.items {
				if it.Event.Content != plain.items[i].Event.Content {
					t.Errorf("%s", it.Event.Content)
				}
			}
		})
	}
}

// A line loses only its bytes that are not UTF-8. They are reported once, with the line.
func TestGarbledBytesAreTold(t *testing.T) {
	bad := strings.Replace(transcript(3, "size"), "size 1", "Gr\xf6\xdfe 1", 1)
	messages := `[{"role":"user","content":"good"},` + "\n" + `{"role":"user","content":"Gr` + "\xf6" + `"}]`
	within := `{"messages":[{"role":"user","content":"Gr` + "\xf6" + `"}]}` + "\n" + `{"messages":[{"role":"user","content":"good"}]}` + "\n"
	for _, tc := range []struct {
		format      Format
		data        string
		items, line int
	}{{ClaudeCode, bad, 3, 2}, {OpenAIChat, messages, 2, 2}, {OpenAIChat, within, 2, 1}} {
		c, err := readBytes(tc.format, "x.jsonl", []byte(tc.data))
		if err != nil || len(c.items) != tc.items {
			t.Errorf("%d items, %v", len(c.items), err)
		}
		if len(c.left) != 1 || c.left[0].Reason != Garbled || c.left[0].Line != tc.line || c.left[0].Reason.Problem() {
			t.Errorf("left %+v", c.left)
		}
	}
}

// A transcript begins at the first time that it tells, in whatever way it is written.
func TestBegan(t *testing.T) {
	line := `{"type":"user","timestamp": "2026-10-02T10:00:00.000Z","sessionId":"s"}` + "\n" + `{"timestamp":"2026-10-01T10:00:00Z"}` + "\n"
	want := "2026-10-02T10:00:00Z"
	for name, tc := range map[string]struct {
		format Format
		data   []byte
		want   string
	}{
		"plain":              {ClaudeCode, []byte(line), want},
		"behind other lines": {Codex, []byte(`{"type":"summary","timestamp":null}` + "\n" + `{"timestamp":"never"}` + "\n" + line), want},
		"packed":             {ClaudeCode, zipped(line), want},
		"UTF-16":             {ClaudeCode, wide(line, binary.LittleEndian, false, true), want},
		"none":               {ClaudeCode, []byte(`{"type":"user"}`), "0001-01-01T00:00:00Z"},
		"nothing":            {ClaudeCode, nil, "0001-01-01T00:00:00Z"},
		"far behind":         {ClaudeCode, []byte(strings.Repeat(" ", beganBytes) + line), "0001-01-01T00:00:00Z"},
		"no sessions":        {Mem0, []byte(line), "0001-01-01T00:00:00Z"},
	} {
		if got := Began(tc.format, Source{Reader: bytes.NewReader(tc.data)}).UTC().Format(time.RFC3339); got != tc.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A dry run counts what comes twice, also among more than a million.
func TestDryRunTellsManyApart(t *testing.T) {
	const n = 1<<20 + 1000
	r := NewRecorder(nil, RecorderOptions{Tenant: "acme", DryRun: true})
	for range 2 {
		for i := range n {
			if err := r.Take(t.Context(), Item{Event: &hmx.Event{EventID: strconv.Itoa(i), SessionID: "s"}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if c := r.Counts(); c.Events != n || c.Duplicates != n {
		t.Errorf("%d events, %d doubles", c.Events, c.Duplicates)
	}
}
