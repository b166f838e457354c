package memory_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// ownKinds are the kinds of bodies that this package defines itself.
func ownKinds() []record.Kind {
	var out []record.Kind
	for _, k := range memory.BodyKinds() {
		if k != record.Artifact {
			out = append(out, k)
		}
	}
	return out
}

// sameTime compares times with their text.
var sameTime = cmp.Comparer(func(a, b hmx.Time) bool { return a.String() == b.String() && a.Compare(b) == 0 })

func appendJSON(t interface{ Fatalf(string, ...any) }, v interface {
	AppendJSON([]byte) ([]byte, error)
}) []byte {
	out, err := v.AppendJSON(nil)
	if err != nil {
		t.Fatalf("cannot write %#v: %v", v, err)
	}
	return out
}

func TestBodyRoundTrip(t *testing.T) {
	for _, kind := range ownKinds() {
		t.Run(kind.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b := drawBody(t, kind)
				if err := memory.Prepare(b); err != nil {
					t.Fatalf("a valid body is refused: %v", err)
				}
				first := appendJSON(t, b)
				back, err := memory.Decode(kind, first)
				if err != nil {
					t.Fatalf("what was written cannot be read: %v\n%s", err, first)
				}
				if diff := cmp.Diff(b, back, sameTime); diff != "" {
					t.Fatalf("reading gives another value:\n%s", diff)
				}
				if again := appendJSON(t, back); !bytes.Equal(first, again) {
					t.Fatalf("writing again gives\n%s\nnot\n%s", again, first)
				}
				back.Normalize()
				if diff := cmp.Diff(b, back, sameTime); diff != "" {
					t.Fatalf("normalising twice changes something:\n%s", diff)
				}
				if back.Kind() != kind {
					t.Fatalf("a body of kind %v says it is of kind %v", kind, back.Kind())
				}
				if !json.Valid(first) || bytes.ContainsAny(first, "\n") {
					t.Fatalf("not one line of JSON: %s", first)
				}
			})
		})
	}
}

func TestControlRoundTrip(t *testing.T) {
	for _, kind := range []record.Kind{record.Tombstone, record.Redaction, record.Expiry, record.Transition} {
		t.Run(kind.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := drawControl(t, kind)
				if err := c.Validate(); err != nil {
					t.Fatalf("a valid control is refused: %v", err)
				}
				first := appendJSON(t, c)
				back, err := memory.DecodeControl(kind, first)
				if err != nil {
					t.Fatalf("what was written cannot be read: %v\n%s", err, first)
				}
				if diff := cmp.Diff(c, back, sameTime); diff != "" {
					t.Fatalf("reading gives another value:\n%s", diff)
				}
			})
		})
	}
}

func TestURIRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := uri().Draw(t, "a"), uri().Draw(t, "b")
		back, err := memory.ParseURI(a.String())
		if err != nil || back != a {
			t.Fatalf("%#v is written %s and read as %#v: %v", a, a, back, err)
		}
		if (a == b) != (a.String() == b.String()) {
			t.Fatalf("%#v and %#v are written %s and %s", a, b, a, b)
		}
	})
}

func TestFrameRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fr := frame().Draw(t, "frame")
		back, err := memory.ParseFrame(fr.String())
		if err != nil || back != fr {
			t.Fatalf("%s is read as %v: %v", fr, back, err)
		}
	})
}

// seeds are the seed documents of fuzzing.
func seeds() []string {
	return []string{
		``, `{}`, `null`, `[]`, `{"text":"x","type":"fact"}`,
		`{"type":"goal","text":"ship it","data":{"status":"paused","due":"2026-03-14T03:00:00Z"},"frames":[{"verb":"modify","kind":"file","ref":"a.go"}]}`,
		`{"from":"lukasa://t/memory/a","to":"lukasa://t/memory/b#2","kind":"supports"}`,
		`{"name":"Ann","type":"person","aliases":["A."],"attributes":{"x":1}}`,
		`{"from":"a","to":"b","predicate":"knows","weight":0.5}`,
		`{"between":["lukasa://t/memory/a","lukasa://t/memory/b"],"status":"resolved","winner":"lukasa://t/memory/a"}`,
		`{"kind":"retention","retention":{"kinds":["event"],"max_age_seconds":5,"action":"erase"}}`,
		`{"kind":"retention","scope":{"agents":["a"],"types":["fact"],"tags":["t"],"key_prefix":"k"},"retention":{"kinds":["memory"],"max_age_seconds":5}}`,
		`{"agent_id":"a","outcome":"failure","cited":["lukasa://t/memory/a"],"score":-0.5}`,
		`{"kind":"memory","id":"a","version":1,"reason":"wrong"}`,
		`{"scope_id":"s","agent_id":"a","op":"put","target":"lukasa://t/memory/a","rule":"existing"}`,
		`{"targets":[{"kind":"event","position":0,"id":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}]}`,
		`{"targets":[{"kind":"event","position":0}],"cause":"ttl"}`,
		`{"targets":[{"kind":"memory","position":7},{"kind":"event","position":7}],"cause":"retention","policy":"p"}`,
		`{"artifact_id":"a","from":"active","to":"superseded","superseded_by":"b"}`,
		`{"id":"f","visibility":"private","document":` + fingerprint(`"words":[]`) + `}`, `{"document":{"hash":"a"}}`,
		`{"text":"a","text":"b"}`, `{"TEXT":"a"}`, "{\"text\":\"\xff\"}", `{"text":"\ud800"}`, `{"importance":1e999}`,
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range seeds() {
		for _, k := range memory.BodyKinds() {
			f.Add(uint8(k), []byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		b, err := memory.Decode(record.Kind(kind), data)
		if err != nil {
			checkError(t, err)
			return
		}
		first := appendJSON(t, b)
		again, err := memory.Decode(b.Kind(), first)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, first)
		}
		if second := appendJSON(t, again); !bytes.Equal(first, second) {
			t.Fatalf("two encodings of one body:\n%s\n%s", first, second)
		}
		b.Facets()
		memory.BodyMAC([]byte("0123456789abcdef"), b)
	})
}

func FuzzDecodeControl(f *testing.F) {
	for _, s := range seeds() {
		for k := record.Tombstone; k <= record.Transition; k++ {
			f.Add(uint8(k), []byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		c, err := memory.DecodeControl(record.Kind(kind), data)
		if err != nil {
			checkError(t, err)
			return
		}
		first := appendJSON(t, c)
		again, err := memory.DecodeControl(c.Kind(), first)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, first)
		}
		if second := appendJSON(t, again); !bytes.Equal(first, second) {
			t.Fatalf("two encodings of one control:\n%s\n%s", first, second)
		}
	})
}

func FuzzParseURI(f *testing.F) {
	for _, s := range []string{"lukasa://t/memory/a", "lukasa://a%2Fb/event/x/y#7", "lukasa://t/memory/%2f", "lukasa:///memory/a", "http://x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := memory.ParseURI(s)
		if err != nil {
			checkError(t, err)
			return
		}
		if u.String() != s {
			t.Errorf("%q is read and written again as %q", s, u)
		}
	})
}

func FuzzParseFrame(f *testing.F) {
	f.Add("modify:file=a=b:c")
	f.Add("modify:=")
	f.Fuzz(func(t *testing.T, s string) {
		fr, err := memory.ParseFrame(s)
		if err != nil {
			checkError(t, err)
			return
		}
		if fr.String() != s {
			t.Errorf("%q is read and written again as %q", s, fr)
		}
	})
}
