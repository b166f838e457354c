package hmx

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lukasa.dev/internal/canon"
)

// example reads one of the examples that the three documents print.
func example(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "examples", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// sameJSON reports whether two texts have the same canonical form.
func sameJSON(a, b []byte) bool {
	x, errX := canon.Append(nil, a)
	y, errY := canon.Append(nil, b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func TestEventExamplesAreValid(t *testing.T) {
	for _, name := range []string{"event-message", "event-tool-call", "event-error"} {
		e, warnings, err := DecodeEvent(example(t, name))
		if err != nil || warnings != nil {
			t.Fatalf("%s: %v %v", name, warnings, err)
		}
		again, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if !sameJSON(example(t, name), again) {
			t.Errorf("%s: encoding lost something:\n%s", name, again)
		}
	}
}

// The documents print placeholders for the hashes: everything else is valid, and the mismatch
// is reported with the actual hash of the content.
func TestArtifactExamplesDifferInTheirHashAlone(t *testing.T) {
	for name, hash := range map[string]string{
		"artifact-task-schema":     "845b3885e17f1efde8b12c82bcdcfa12df2292724cc8eed45bee754e4ae5dab6",
		"artifact-decision-policy": "cbd1eb9e859708ea8840801ef41bde05cf2ec684e9342a3fddfbeed418e7404b",
	} {
		data := example(t, name)
		_, _, err := DecodeArtifact(data)
		var invalid *InvalidError
		if !errors.As(err, &invalid) || len(invalid.Problems) != 1 {
			t.Fatalf("%s: want exactly one problem, got %v", name, err)
		}
		p := invalid.Problems[0]
		if p.Rule != "HMX-A/8" || p.Pointer != "/content_hash" || !strings.Contains(p.Allowed, hash) {
			t.Errorf("%s: %v", name, p)
		}
		mended := strings.Replace(string(data), p.Found, hash, 1)
		a, warnings, err := DecodeArtifact([]byte(mended))
		if err != nil || warnings != nil {
			t.Fatalf("%s with its own hash: %v %v", name, warnings, err)
		}
		if got, err := ContentHash(a.Content); err != nil || got != hash {
			t.Errorf("%s: ContentHash = %s, %v", name, got, err)
		}
		again, err := a.AppendJSON(nil)
		if err != nil || !sameJSON([]byte(mended), again) {
			t.Errorf("%s: encoding lost something: %v\n%s", name, err, again)
		}
	}
}

// The example pack breaks only the order of sections, which is a warning.
func TestPackExampleIsValid(t *testing.T) {
	data := example(t, "pack")
	p, warnings, err := DecodePack(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 || warnings[0].Rule != "HMX-C/3.3" || warnings[0].Pointer != "/entries/1/section" {
		t.Errorf("warnings = %v", warnings)
	}
	again, err := p.AppendJSON(nil)
	if err != nil || !sameJSON(data, again) {
		t.Errorf("encoding lost something: %v\n%s", err, again)
	}
}
