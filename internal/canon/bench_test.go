package canon

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"
)

// event is a typical message: ASCII, compact, some 0.6 KB.
const event = `{"hmx_version":"HMX-1.0","event_id":"019e5b10-22aa-7c31-9d44-5be0c1f2a901","event_type":"message",` +
	`"agent_id":"agent-planner-07","tenant_id":"tenant-northwind","session_id":"session-2026-04-02-113",` +
	`"timestamp":"2026-04-02T09:41:27.512Z","sequence":1184,"content":{"role":"assistant",` +
	`"text":"The nightly export failed twice because the bucket policy denies writes from the new runner. I asked the owner to grant access and will retry at 18:00.",` +
	`"attachments":[]},"metadata":{"channel":"slack","user_id":"U58213","thread":"C02-771"},` +
	`"trace_id":"trace-export-nightly","source":"claude-agent","salience":0.62,"tags":["export","storage","access"]}`

// prose is the same kind of event with text of people: escapes and non-ASCII letters.
const prose = `{"hmx_version":"HMX-1.0","event_id":"019e5b10-22aa-7c31-9d44-5be0c1f2a902","event_type":"message",` +
	`"sequence":1185,"content":{"role":"user","text":"Schöne Grüße aus Zürich,\nbitte prüfe \"Export № 7\" – läuft er?\n\tДа, кажется. 🙂 C:\\temp\\out"},` +
	`"metadata":{},"salience":3.5e-1}`

// wideObject has its names in no order that helps sorting.
func wideObject(names int) []byte {
	var b strings.Builder
	b.WriteByte('{')
	for i := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"name-%07d":%d`, i*7919%names, i) // 7919 is prime, so no name is repeated
	}
	b.WriteByte('}')
	return []byte(b.String())
}

// collidingObject has names of one length that differ only in their middle, which HashKey
// ignores.
func collidingObject(names int) []byte {
	var b strings.Builder
	b.WriteByte('{')
	for i := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"colliding%07dcolliding":0`, i*7919%names)
	}
	b.WriteByte('}')
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	for _, c := range []struct {
		name string
		text []byte
	}{
		{"event", []byte(event)},
		{"prose", []byte(prose)},
		{"names200k", wideObject(200_000)},
		{"collide200k", collidingObject(200_000)},
		{"objects200k", []byte("[" + strings.Repeat(`{"b":1,"a":2},`, 200_000) + "0]")},
	} {
		b.Run(c.name+"/canon", func(b *testing.B) {
			var d Doc
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				if d.Parse(c.text) != nil {
					b.Fatal(d.Flaws())
				}
			}
		})
		b.Run(c.name+"/jsontext", func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				if !jsontext.Value(c.text).IsValid() {
					b.Fatal("invalid")
				}
			}
		})
	}
	b.Run("event/encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(event)))
		for b.Loop() {
			if !json.Valid([]byte(event)) {
				b.Fatal("invalid")
			}
		}
	})
}

func BenchmarkCanonical(b *testing.B) {
	for _, c := range []struct {
		name string
		text []byte
	}{
		{"event", []byte(event)},
		{"prose", []byte(prose)},
	} {
		var buf []byte
		b.Run(c.name+"/canon", func(b *testing.B) {
			var d Doc
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				if d.Parse(c.text) != nil {
					b.Fatal(d.Flaws())
				}
				buf = d.AppendCanonical(buf[:0], d.Root())
			}
		})
		b.Run(c.name+"/jsontext", func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				v := jsontext.Value(append(buf[:0], c.text...))
				if err := v.Canonicalize(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/jcs", func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				if _, err := jcs.Transform(c.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
