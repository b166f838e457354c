package record_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/internal/record"
)

func drawHeader(t *rapid.T) record.Header {
	h := record.Header{
		Kind:     rapid.SampledFrom(record.Kinds()).Draw(t, "kind"),
		Trust:    rapid.SampledFrom(record.Trusts()).Draw(t, "trust"),
		Time:     rapid.Int64().Draw(t, "time"),
		Position: rapid.Uint64().Draw(t, "position"),
		Tenant:   string(rapid.SliceOfN(rapid.Byte(), 0, record.MaxTenant).Draw(t, "tenant")),
		Actor:    string(rapid.SliceOfN(rapid.Byte(), 0, record.MaxActor).Draw(t, "actor")),
	}
	copy(h.ID[:], rapid.SliceOfN(rapid.Byte(), record.HashSize, record.HashSize).Draw(t, "id"))
	copy(h.Commitment[:], rapid.SliceOfN(rapid.Byte(), record.HashSize, record.HashSize).Draw(t, "commitment"))
	return h
}

// A header has one encoding, and an encoding one header.
func TestHeaderRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHeader(t)
		text := h.Append(nil)
		if len(text) > record.MaxHeader {
			t.Fatalf("%d bytes, more than %d", len(text), record.MaxHeader)
		}
		got, err := record.ParseHeader(text)
		if err != nil || got != h {
			t.Fatalf("%+v, want %+v: %v", got, h, err)
		}
		if _, err := record.ParseHeader(append(text, 0)); err == nil {
			t.Fatal("a byte after the end was taken")
		}
		cut := rapid.IntRange(0, len(text)-1).Draw(t, "cut")
		if _, err := record.ParseHeader(text[:cut]); err == nil {
			t.Fatalf("%d of %d bytes were taken", cut, len(text))
		}
	})
}

// Fixed bytes, so that a change of the layout is seen.
func TestHeaderBytes(t *testing.T) {
	h := record.Header{Kind: record.Memory, Trust: record.User, Time: -1, Position: 300, Tenant: "t", Actor: "ab"}
	want := slices.Concat([]byte{1, 2, 4}, bytes.Repeat([]byte{0xff}, 8), make([]byte, 64), []byte{0xac, 0x02, 1, 't', 2, 'a', 'b'})
	if got := h.Append(nil); !bytes.Equal(got, want) {
		t.Fatalf("%x, want %x", got, want)
	}
}

func TestHeaderRefusals(t *testing.T) {
	h := record.Header{Kind: record.Event, Trust: record.Agent, Tenant: "t", Actor: "a"}
	good := h.Append(nil)
	for name, change := range map[string]func(b []byte) []byte{
		"another format":    func(b []byte) []byte { b[0] = 2; return b },
		"no kind":           func(b []byte) []byte { b[1] = 0; return b },
		"an unknown kind":   func(b []byte) []byte { b[1] = 14; return b },
		"no trust":          func(b []byte) []byte { b[2] = 0; return b },
		"too much trust":    func(b []byte) []byte { b[2] = 6; return b },
		"a padded number":   func(b []byte) []byte { return slices.Insert(slices.Replace(b, 75, 76, 0x80), 76, 0) },
		"a long tenant":     func(b []byte) []byte { b[76] = 200; return b },
		"a negative length": func(b []byte) []byte { return append(b[:76], 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1) },
		"nothing":           func([]byte) []byte { return nil },
	} {
		if h, err := record.ParseHeader(change(bytes.Clone(good))); err == nil {
			t.Errorf("%s: %+v", name, h)
		}
	}
}

// Inputs that differ in any part have different digests.
func TestIDsAreApart(t *testing.T) {
	seen := make(map[record.Hash]string)
	for _, tenant := range []string{"", "a", "ab", "abc", "b"} {
		for _, id := range []string{"", "a", "b", "bc", "c", "abc", "\x00"} {
			for _, k := range record.Kinds() {
				d, what := record.ID(tenant, k, id), tenant+"|"+k.String()+"|"+id
				if other, ok := seen[d]; ok {
					t.Fatalf("%q and %q have one digest", what, other)
				}
				seen[d] = what
			}
		}
	}
}

func TestVocabulary(t *testing.T) {
	for _, k := range record.Kinds() {
		text, _ := k.MarshalText()
		var back record.Kind
		if err := back.UnmarshalText(text); err != nil || back != k || !k.Known() {
			t.Errorf("%s: %v %v", text, back, err)
		}
	}
	for _, tier := range record.Trusts() {
		text, _ := tier.MarshalText()
		var back record.Trust
		if err := back.UnmarshalText(text); err != nil || back != tier || !tier.Known() {
			t.Errorf("%s: %v %v", text, back, err)
		}
	}
	var k record.Kind
	var tier record.Trust
	for _, bad := range []string{"", "Event", "kind(3)", "x"} {
		if k.UnmarshalText([]byte(bad)) == nil || tier.UnmarshalText([]byte(bad)) == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	for n := range 256 {
		k, tier := record.Kind(n), record.Trust(n)
		if _, ok := record.ParseKind(k.String()); ok != k.Known() {
			t.Errorf("kind %d", n)
		}
		if _, ok := record.ParseTrust(tier.String()); ok != tier.Known() {
			t.Errorf("trust %d", n)
		}
	}
}

// FuzzHeader looks for an encoding that is not the one of its header.
func FuzzHeader(f *testing.F) {
	h := record.Header{Kind: record.Event, Trust: record.Agent, Time: 5, Position: 1 << 40, Tenant: "tenant", Actor: "actor"}
	f.Add(h.Append(nil))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := record.ParseHeader(data)
		if err != nil {
			return
		}
		if again := h.Append(nil); !bytes.Equal(again, data) {
			t.Fatalf("%x, and again %x", data, again)
		}
	})
}
