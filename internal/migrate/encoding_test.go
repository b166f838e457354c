package migrate

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate/chats"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/sourcetest"
)

// claudeLines is a transcript of n lines.
func claudeLines(n int, words string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`{"type":"user","uuid":"u` + strconv.Itoa(i) + `","sessionId":"s","message":{"role":"user","content":"` + words + ` ` + strconv.Itoa(i) + `"}}` + "\n")
	}
	return b.String()
}

// Text is read however its characters are written, or refused with what to do about it.
func TestEncodings(t *testing.T) {
	text := claudeLines(3, "Größe 🪵")
	plain, err := readBytes(foreign.ClaudeCode, "x.jsonl", []byte(text))
	if err != nil || len(plain.Items) != 3 {
		t.Fatalf("%d items, %v", len(plain.Items), err)
	}
	packed := sourcetest.Zipped(text)
	damaged := slices.Clone(packed)
	damaged[len(damaged)-5] ^= 1
	le, be := binary.LittleEndian, binary.BigEndian
	for name, tc := range map[string]struct {
		data  []byte
		fault string
		fix   string
	}{
		"UTF-8 with a mark":                 {data: []byte("\ufeff" + text)},
		"UTF-16, little end first":          {data: sourcetest.Wide(text, le, false, true)},
		"UTF-16, big end first":             {data: sourcetest.Wide(text, be, false, true)},
		"UTF-16 without a mark":             {data: sourcetest.Wide(text, le, false, false)},
		"UTF-16BE without a mark":           {data: sourcetest.Wide(text, be, false, false)},
		"UTF-16 without a mark, packed":     {data: sourcetest.Zipped(string(sourcetest.Wide(text, le, false, false)))},
		"gzip":                              {data: packed},
		"UTF-32":                            {data: sourcetest.Wide(text, le, true, true), fault: "this is UTF-32", fix: "iconv"},
		"UTF-32, big end first":             {data: sourcetest.Wide(text, be, true, true), fault: "this is UTF-32", fix: "iconv"},
		"UTF-32 without a mark":             {data: sourcetest.Wide(text, le, true, false), fault: "this is UTF-32", fix: "iconv"},
		"UTF-32BE without a mark":           {data: sourcetest.Wide(text, be, true, false), fault: "this is UTF-32", fix: "iconv"},
		"gzip that was cut off":             {data: packed[:len(packed)-20], fault: "the gzip file ends too early", fix: "whole file"},
		"gzip that was cut off in its head": {data: packed[:6], fault: "the gzip file ends too early", fix: "whole file"},
		"gzip with a flipped bit":           {data: damaged, fault: "the gzip file is damaged", fix: "get it again"},
		"zeros":                             {data: make([]byte, 4096), fault: "it is all zeros", fix: "whole"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := readBytes(foreign.ClaudeCode, "x.jsonl", tc.data)
			if tc.fault != "" {
				if e := fault.From(err); err == nil || !strings.Contains(e.Error(), tc.fault) || !strings.Contains(e.Fix, tc.fix) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil || len(c.Left) > 0 || len(c.Items) != len(plain.Items) {
				t.Fatalf("%d items, left %v, %v", len(c.Items), c.Left, err)
			}
			for i, it := range c.Items {
				if it.Event.Content != plain.Items[i].Event.Content {
					t.Errorf("%s", it.Event.Content)
				}
			}
		})
	}
}

// A line loses only its bytes that are not UTF-8. They are reported once, with the line.
func TestGarbledBytesAreTold(t *testing.T) {
	bad := strings.Replace(claudeLines(3, "size"), "size 1", "Gr\xf6\xdfe 1", 1)
	messages := `[{"role":"user","content":"good"},` + "\n" + `{"role":"user","content":"Gr` + "\xf6" + `"}]`
	within := `{"messages":[{"role":"user","content":"Gr` + "\xf6" + `"}]}` + "\n" + `{"messages":[{"role":"user","content":"good"}]}` + "\n"
	for _, tc := range []struct {
		format      foreign.Format
		data        string
		items, line int
	}{{foreign.ClaudeCode, bad, 3, 2}, {chats.OpenAIChat, messages, 2, 2}, {chats.OpenAIChat, within, 2, 1}} {
		c, err := readBytes(tc.format, "x.jsonl", []byte(tc.data))
		if err != nil || len(c.Items) != tc.items {
			t.Errorf("%d items, %v", len(c.Items), err)
		}
		if len(c.Left) != 1 || c.Left[0].Reason != source.Garbled || c.Left[0].Line != tc.line || c.Left[0].Reason.Problem() {
			t.Errorf("left %+v", c.Left)
		}
	}
}
