package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/engine"
)

// searchWhole returns the ids of all hits.
func searchWhole(t *testing.T, b *engine.Board, o engine.SearchOptions) []string {
	t.Helper()
	o.Tenant = "acme"
	found, err := b.Search(ctx, o)
	if err != nil {
		t.Fatalf("%.60q: %v", o.Query, err)
	}
	ids := searchedIDs(found)
	slices.Sort(ids)
	return ids
}

// TestSearchPhrases: quoted text is found in any spelling of its names, up to the
// limit of phrases.
func TestSearchPhrases(t *testing.T) {
	b := searchBoard(t)
	events := []*hmx.Event{
		eventWith(t, "acme", "hyphen", "mail", 1, "they moved the e-mail server yesterday", ""),
		eventWith(t, "acme", "plain", "mail", 2, "they moved the email server yesterday", ""),
		eventWith(t, "acme", "turned", "mail", 3, "the server sent email", ""),
	}
	must(t)(b.AppendEvents(ctx, user, events))
	for _, q := range []string{`"email server"`, `"e-mail server"`, `"eMail server"`} {
		if ids := searchWhole(t, b, engine.SearchOptions{Query: q}); !slices.Equal(ids, []string{"hyphen", "plain"}) {
			t.Errorf("%s finds %q", q, ids)
		}
	}
	var many strings.Builder
	for n := range 8 * 60 {
		if n%60 == 0 {
			many.WriteString(`" "`)
		}
		fmt.Fprintf(&many, "foo%cx%cBar%cy%c ", 'a'+n%26, 'a'+n/26, 'a'+n%26, 'a'+n/26)
	}
	if ids := searchWhole(t, b, engine.SearchOptions{Query: many.String()[2:] + `"`}); len(ids) != 0 {
		t.Errorf("what nobody said is found: %q", ids)
	}
}

// TestSearchUntilTheEnd: a time limit beyond the range of times is none.
func TestSearchUntilTheEnd(t *testing.T) {
	b := searchBoard(t)
	late, _, err := hmx.DecodeEvent([]byte(`{"hmx_version":"HMX-1.0","event_id":"late","event_type":"message","agent_id":"a1","tenant_id":"acme","session_id":"s9","timestamp":"2400-01-01T00:00:00Z","sequence":1,"content":{"role":"user","text":"the zeppelin"},"metadata":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{late}))
	for year, want := range map[int]int{9999: 1, 2262: 0} {
		ids := searchWhole(t, b, engine.SearchOptions{Query: `"zeppelin"`, Until: time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)})
		if len(ids) != want {
			t.Errorf("until %d: %q", year, ids)
		}
	}
}
