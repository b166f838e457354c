package pack

import (
	"math"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/quote"
	"lukasa.dev/internal/record"
)

// TestForms: which items stand between fences, and which of these have speakers.
func TestForms(t *testing.T) {
	for _, s := range hmx.Sections() {
		for _, trust := range record.Trusts() {
			want := quote.Fenced
			switch {
			case s == hmx.SectionEpisodes || s == hmx.SectionEvidence:
				want = quote.Spoken
			case (s == hmx.SectionCore || s == hmx.SectionConstraints || s == hmx.SectionGoals) && (trust == record.User || trust == record.Operator):
				want = quote.Prose
			}
			it := Item{Section: s, Trust: trust}
			if got := it.form(); got != want {
				t.Errorf("%s by %s: form %d, not %d", s, trust, got, want)
			}
		}
	}
}

func TestDayText(t *testing.T) {
	at := func(s string) int64 {
		day, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return day.UnixNano()
	}
	for _, c := range []struct {
		prev, at int64
		want     string
	}{
		{firstDay, at("2026-03-14T23:59:59Z"), "2026:\n14 March:\n"},
		{at("2026-03-14T00:00:00Z"), at("2026-03-14T23:59:59Z"), ""},
		{at("2026-03-14T23:59:59Z"), at("2026-03-15T00:00:00Z"), "15 March:\n"},
		{at("2026-03-14T12:00:00Z"), at("2026-03-15T01:00:00+02:00"), ""},
		{at("2025-03-14T12:00:00Z"), at("2026-03-14T12:00:00Z"), "2026:\n14 March:\n"},
		{firstDay, firstDay, ""},
		{0, math.MaxInt64, "2262:\n11 April:\n"},
	} {
		if got := dayText(c.prev, c.at); got != c.want {
			t.Errorf("from %d to %d: %q, want %q", c.prev, c.at, got, c.want)
		}
	}
}

func TestHeadings(t *testing.T) {
	var got []string
	for _, s := range written() {
		got = append(got, strings.TrimSpace(strings.TrimPrefix(headingText(s), "## ")))
	}
	if want := "Core Constraints Goals Procedures Facts Relations Conflicts Evidence Episodes Workflow"; strings.Join(got, " ") != want {
		t.Errorf("%v", got)
	}
	if len(written()) != len(hmx.Sections()) {
		t.Error("a section is not written")
	}
}
