package frame

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// words draws a list that is nil if it is empty, like a decoded one.
func words(t *rapid.T, name string) []string {
	list := rapid.SliceOfN(rapid.String(), 0, 4).Draw(t, name)
	if len(list) == 0 {
		return nil
	}
	return list
}

// drawCard draws a card of any valid values.
func drawCard(t *rapid.T) *Card {
	text := func(name string) string { return rapid.String().Draw(t, name) }
	at := func(name string) int64 { return rapid.Int64().Draw(t, name) }
	c := &Card{
		Kind: rapid.SampledFrom([]record.Kind{record.Event, record.Memory, record.Policy}).Draw(t, "kind"), Version: rapid.Uint32().Draw(t, "version"), Created: at("created"),
	}
	if rapid.IntRange(0, 9).Draw(t, "gone") == 0 {
		c.gone = true
		return c
	}
	c.ID, c.Key, c.Class, c.Status, c.Actor = text("id"), text("key"), text("class"), text("status"), text("actor")
	c.Position, c.Updated, c.Trust = rapid.Uint64().Draw(t, "position"), at("updated"), rapid.SampledFrom(record.Trusts()).Draw(t, "trust")
	c.Private, c.Pinned, c.Scoped = rapid.Bool().Draw(t, "private"), rapid.Bool().Draw(t, "pinned"), rapid.Bool().Draw(t, "scoped")
	if c.Kind == record.Event {
		c.Agent, c.Session, c.Sequence, c.Timestamp = text("agent"), text("session"), at("sequence"), at("timestamp")
	}
	c.Agents, c.Tags, c.Frames = words(t, "agents"), words(t, "tags"), words(t, "frames")
	end := func(name string, never int64) int64 {
		return rapid.OneOf(rapid.Just(never), rapid.Int64()).Draw(t, name)
	}
	c.ValidFrom, c.ValidUntil, c.Expires = end("from", math.MinInt64), end("until", math.MaxInt64), end("expires", math.MaxInt64)
	c.Importance = rapid.Float64().Draw(t, "importance")
	c.Short, c.ShortTokens = text("short"), rapid.IntRange(0, math.MaxInt32).Draw(t, "short tokens")
	c.Medium, c.MediumTokens = c.Short, c.ShortTokens
	if rapid.Bool().Draw(t, "two forms") {
		c.Medium, c.MediumTokens = text("medium"), rapid.IntRange(0, math.MaxInt32).Draw(t, "medium tokens")
	}
	c.Outcome = rapid.SampledFrom(append(memory.Outcomes(), "")).Draw(t, "outcome")
	return c
}

// TestCardsComeBack: cards round-trip, and truncated bytes are refused.
func TestCardsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCard(t)
		v := c.encode(nil)
		got := new(Card)
		if err := got.decode(v); err != nil || !reflect.DeepEqual(got, c) {
			t.Fatalf("%v\n%+v\n%+v", err, got, c)
		}
		cut := rapid.IntRange(0, len(v)-1).Draw(t, "cut")
		if err := new(Card).decode(v[:cut]); err == nil {
			t.Fatalf("%d of %d bytes are a card", cut, len(v))
		}
		if err := new(Card).decode(append(v, 0)); err == nil {
			t.Fatal("a card may have a byte behind it")
		}
	})
}

// TestCitationsComeBack: citations round-trip.
func TestCitationsComeBack(t *testing.T) {
	for _, c := range []cited{
		{outcome: memory.OutcomeSuccess, things: []citation{{record.Memory, index.Digest{1, 2, 3}}, {record.Event, index.Digest{4}}}},
		{outcome: memory.OutcomePartial, things: []citation{{record.Policy, index.Digest{9}}}},
	} {
		got, err := decodeCited(c.encode(nil))
		if err != nil || !reflect.DeepEqual(*got, c) {
			t.Errorf("%+v %v, want %+v", got, err, c)
		}
		for _, bad := range [][]byte{nil, {}, {layout}, {layout, 99}, c.encode(nil)[1:], append(c.encode(nil), 1), {2, 1}} {
			if _, err := decodeCited(bad); err == nil {
				t.Errorf("%x is taken for a feedback", bad)
			}
		}
	}
}

// FuzzCard decodes arbitrary bytes. A valid card has one encoding.
func FuzzCard(f *testing.F) {
	f.Add([]byte{})
	f.Add((&Card{Kind: record.Memory, Version: 3, Created: 7, gone: true}).encode(nil))
	f.Add((&Card{
		Kind: record.Event, ID: "e-1", Class: "file_edit", Position: 9, Created: 1700000000000000000, Updated: 1700000000000000000, Trust: record.Agent, Actor: "coder",
		Agent: "coder", Session: "s", Sequence: 4, Timestamp: 1700000000000000001, Tags: []string{"a"}, Frames: []string{"modify:file=a.go"},
		ValidFrom: math.MinInt64, ValidUntil: math.MaxInt64, Expires: 5, Importance: 0.5, Short: "edited a.go", Medium: "edited a.go", ShortTokens: 4, MediumTokens: 4, Outcome: memory.OutcomeSuccess,
	}).encode(nil))
	f.Add((&Card{
		Kind: record.Policy, Agents: []string{"coder", "tester"}, ValidFrom: 1, ValidUntil: 2, Expires: math.MaxInt64, Short: "a", Medium: strings.Repeat("b", 300), Pinned: true,
	}).encode(nil))
	f.Fuzz(func(t *testing.T, v []byte) {
		c := new(Card)
		if err := c.decode(v); err != nil {
			return
		}
		if again := c.encode(nil); !bytes.Equal(again, v) {
			t.Fatalf("%x is read as what is written as %x", v, again)
		}
	})
}

// FuzzCited does so with citations.
func FuzzCited(f *testing.F) {
	f.Add([]byte{})
	f.Add((&cited{outcome: memory.OutcomeFailure, things: []citation{{record.Memory, index.Digest{1}}}}).encode(nil))
	f.Fuzz(func(t *testing.T, v []byte) {
		c, err := decodeCited(v)
		if err != nil {
			return
		}
		if again := c.encode(nil); !bytes.Equal(again, v) {
			t.Fatalf("%x is read as what is written as %x", v, again)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	v := (&Card{
		Kind: record.Event, ID: "01926b5e-7c00-7000-8000-000000000001", Class: "file_edit", Position: 9, Created: 1700000000000000000, Updated: 1700000000000000000,
		Trust: record.Agent, Actor: "coder", Agent: "coder", Session: "session-1", Sequence: 4, Timestamp: 1700000000000000001,
		Frames:    []string{"modify:file=internal/pack/pack.go", "modify:project=lukasa"},
		ValidFrom: math.MinInt64, ValidUntil: math.MaxInt64, Expires: math.MaxInt64, Importance: 0.5, Short: "edited internal/pack/pack.go (modify, +12 -3)",
		Medium: "edited internal/pack/pack.go (modify, +12 -3)", ShortTokens: 14, MediumTokens: 14, Outcome: memory.OutcomeSuccess,
	}).encode(nil)
	b.ReportMetric(float64(len(v)), "bytes")
	b.ReportAllocs()
	for b.Loop() {
		if err := new(Card).decode(v); err != nil {
			b.Fatal(err)
		}
	}
}
