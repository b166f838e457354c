package jsonform

import (
	"testing"

	"pgregory.net/rapid"
)

// A plain Raw equals its encoding in both forms, and invalid JSON is never plain.
func TestPlainRaw(t *testing.T) {
	for raw, want := range map[string]bool{
		`""`: true, `"a b/~"`: true, `0`: true, `7`: true, `123456789012345`: true,
		`"`: false, `"a"b"`: false, `"a\n"`: false, "\"a\nb\"": false, `"é"`: false, "\"\x7f\"": false, `01`: false, `-1`: false, `1.50`: false, `1.`: false, `.5`: false,
		`1.5`: true, `0.000001`: true, `0.0000001`: false, `0.0`: false, `12345678901234.12`: false, `1e3`: false,
		`{"a":1}`: true, `{"a":0.25,"b":3}`: true, `{"a":1,"a b":2}`: true, `{"a b":1,"a":2}`: false, `{"b":1,"a":2}`: false, `{"a":1,"a":2}`: false,
		`{"a":1,}`: false, `{"a":1`: false, `{"a"}`: false, `{"a":}`: false, `{"a":-1}`: false, `{"a":1}}`: false, `{"a" :1}`: false, `{`: false, `{"a":"b"}`: false,
		`1234567890123456`: false, `{}`: false, `true`: false, ` 1`: false, `"a" `: false,
	} {
		if plain(raw) != want {
			t.Errorf("%q: %v", raw, !want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.OneOf(rapid.StringMatching(`"[ -~]{0,12}"`), rapid.StringMatching(`[0-9]{1,17}`),
			rapid.StringMatching(`[0-9]{1,9}\.[0-9]{1,7}`), rapid.StringMatching(`\{"[ -~]{0,2}":[0-9.]{1,4}(,"[ -~]{0,2}":[0-9.]{1,4}){0,2}\}`),
			rapid.StringMatching(`"[ -\x{ff}]{0,4}"`)).Draw(t, "raw")
		if !plain(raw) {
			return
		}
		d := borrow()
		defer d.giveBack()
		d.buf = append(d.buf[:0], raw...)
		if flaws := d.doc.Parse(d.buf); flaws != nil {
			t.Fatalf("%q: %+v", raw, flaws)
		}
		if compact := d.doc.AppendCompact(nil, d.doc.Root()); string(compact) != string(raw) {
			t.Errorf("%q as compact JSON: %q", raw, compact)
		}
		if canonical := d.doc.AppendCanonical(nil, d.doc.Root()); string(canonical) != string(raw) {
			t.Errorf("%q as canonical JSON: %q", raw, canonical)
		}
	})
}
