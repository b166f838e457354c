package pack

import (
	"math"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// oddContender is a contender with unusual texts and numbers.
func oddContender(text string, number float64, cut bool) *contender {
	return &contender{
		c: &Candidate{Kind: record.Event, Position: 7, Section: hmx.SectionEvidence, Source: hmx.SourceEpisode, Time: -1, Trust: record.External, Confidence: number},
		source: &Source{
			ID: text, Label: text, Type: text, Origin: text, Text: text, Evidence: -3,
			URI: memory.URI{Tenant: text, Kind: record.Event, ID: text, Version: 3},
		},
		item: Item{Text: text}, score: number, rank: 3, tokens: 5, cut: cut, parts: Parts{number, 1, 0, math.Pi},
	}
}

// TestEntryText: the output equals that of the encoder of packs, whatever the entries are.
func TestEntryText(t *testing.T) {
	var list []*contender
	for i, text := range []string{"", "plain", `"quoted" \ and / <b>&`, "line\nand\ttab\x00\x1f\x7f", "é 日本 😀 \u2028 \u202e", "}],\"entries\":[]", "\"entries\":[]"} {
		for _, number := range []float64{0, 1e-6, 1.5e-5, 0.1, 1.0 / 3, 0.999999, 1} {
			list = append(list, oddContender(text, number, i%2 == 0))
		}
	}
	entries := make([]hmx.Entry, len(list))
	var w entryWriter
	if err := w.write(list, true, entries); err != nil {
		t.Fatal(err)
	}
	whole, err := (&hmx.Pack{Entries: entries}).AppendCanonical(nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(whole), `"entries":[`+string(w.data)+`]`) {
		t.Errorf("written: %s\nin a pack: %s", w.data, whole)
	}
	for _, bad := range []*contender{oddContender("\xff", 0, false), oddContender("", math.NaN(), false), oddContender("", math.Inf(1), false)} {
		if err := new(entryWriter).write([]*contender{bad}, true, entries[:1]); fault.CodeOf(err) != fault.InvalidDocument {
			t.Errorf("%q, %v: %v", bad.source.ID, bad.score, err)
		}
	}
}
