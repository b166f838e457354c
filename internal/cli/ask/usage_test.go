package ask

import (
	"strings"
	"testing"

	"lukasa.dev/internal/fault"
)

func TestNearest(t *testing.T) {
	names := []string{"hash", "map", "schema", "validate", "version"}
	for got, want := range map[string]string{
		"verison":    "version",
		"Version":    "version",
		"val":        "validate",
		"validte":    "validate",
		"hsah":       "hash",
		"mapp":       "map",
		"shcema":     "schema",
		"frobnicate": "",
		"":           "",
		"x":          "",
	} {
		if best, ok := nearest(got, names); best != want || ok != (want != "") {
			t.Errorf("nearest(%q) = %q, %v, want %q", got, best, ok, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
		{"abc", "abd", 1}, {"abc", "ab", 1}, {"abc", "xabc", 1}, {"abc", "bac", 1},
		{"kitten", "sitting", 3}, {"äöü", "aöü", 1},
	} {
		if got := distance(tc.a, tc.b); got != tc.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

func TestUnknownNameSaysWhatIsAllowed(t *testing.T) {
	for got, hint := range map[string]string{"evnt": `did you mean "event"?`, "zzz": "use one of"} {
		e := fault.From(UnknownName(fault.UnknownKind, "kind", got, []string{"artifact", "event"}))
		if e.Code != fault.UnknownKind || !strings.Contains(e.Advice(), hint) || !strings.HasSuffix(e.Advice(), "artifact, event") {
			t.Errorf("%s: %s — %s [%s]", got, e, e.Advice(), e.Code)
		}
	}
}

func TestWantsJSON(t *testing.T) {
	for line, want := range map[string]bool{
		"":                          false,
		"version":                   false,
		"version --json":            true,
		"--json version":            true,
		"--json=true version":       true,
		"--json=false version":      false,
		"--json --json=0 version":   false,
		"version -- --json":         false,
		"version --jsonish --other": false,
	} {
		if got := WantsJSON(strings.Fields(line)); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
