package notary

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"lukasa.dev/internal/merkle"
)

func TestOrigins(t *testing.T) {
	for tenant, want := range map[string]string{
		"acme":          "acme",
		"":              "",
		"a/b":           "a%2Fb",
		"a b":           "a%20b",
		"a+b":           "a%2Bb",
		"%":             "%25",
		"..":            "..",
		"Zürich":        "Z%C3%BCrich",
		"\x00\xff":      "%00%FF",
		"a\u202eb":      "a%E2%80%AEb",
		"x-._~0":        "x-._~0",
		"new\nline":     "new%0Aline",
		"— not a dash ": "%E2%80%94%20not%20a%20dash%20",
	} {
		if got := OriginOf("id", tenant); got != "lukasa.dev/id/"+want {
			t.Errorf("origin of %q is %q", tenant, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		tenant := string(rapid.SliceOfN(rapid.Byte(), 0, 255).Draw(t, "tenant"))
		origin := OriginOf("id", tenant)
		if d, back, err := ParseOrigin(origin); err != nil || d != "id" || back != tenant {
			t.Fatalf("%q: %q, %q, %v", origin, d, back, err)
		}
		c := merkle.Checkpoint{Origin: origin}
		if _, err := c.Marshal(); err != nil || !utf8.ValidString(origin) {
			t.Fatalf("%q cannot stand in a checkpoint: %v", origin, err)
		}
	})
}

func TestParseOriginRefuses(t *testing.T) {
	for _, origin := range []string{
		"", "lukasa.dev", "lukasa.dev/", "lukasa.dev/id", "lukasa.dev//acme", "example.com/id/acme",
		"lukasa.dev/id/a/b", "lukasa.dev/id/a%2fb", "lukasa.dev/id/%41", "lukasa.dev/id/%", "lukasa.dev/id/%4",
		"lukasa.dev/id/a b", "lukasa.dev/id/%GG", "lukasa.dev/a b/x", "LUKASA.dev/id/acme", "lukasa.dev/id/ü",
		"lukasa.dev/" + strings.Repeat("x", 200) + "/acme",
	} {
		if d, tenant, err := ParseOrigin(origin); err == nil {
			t.Errorf("%q was accepted as %q, %q", origin, d, tenant)
		}
	}
}

func FuzzParseOrigin(f *testing.F) {
	f.Add("lukasa.dev/id/a%2Fb")
	f.Fuzz(func(t *testing.T, origin string) {
		if d, tenant, err := ParseOrigin(origin); err == nil && OriginOf(d, tenant) != origin {
			t.Fatalf("%q has two spellings", origin)
		}
	})
}
