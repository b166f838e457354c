package trace

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lukasa.dev/hmx"
)

// replayOf replays events by glances at each.
func replayOf(p *Replay, events []Event) []string {
	p.Reset()
	for _, e := range events {
		p.Add(e.Position, e.Timestamp.Time().UnixMilli(), GlanceAt(e.Event))
	}
	var lines []string
	for _, d := range p.Deeds() {
		lines = append(lines, deedLine(d.Position, d.Tool, d.Shape, d.Error, d.State, d.Known, d.Task))
	}
	return lines
}

func deedLine(position uint64, tool, shape, err string, state State, known bool, task Outcome) string {
	if tool == ToolDecision {
		shape = "" // words, which a glance does not keep
	}
	return fmt.Sprintf("%d %q %q %q %d %v %d", position, tool, shape, err, state, known, task)
}

// readLines is what a reader says of the same events.
func readLines(events []Event) (lines []string, long bool) {
	var r Reader
	for _, e := range events {
		r.Add(e)
	}
	for _, task := range r.Trace().Tasks {
		for _, s := range task.Steps {
			at := s.Call
			if at.ID == "" {
				at = s.Result
			}
			long = long || s.Times > 1
			lines = append(lines, deedLine(at.Position, s.Tool, s.Shape, s.Error, s.State, s.Known, task.Outcome))
		}
	}
	return lines, long
}

// TestReplayIsAsRead holds what glances tell against what a reader tells that sees the
// events themselves.
func TestReplayIsAsRead(t *testing.T) {
	var p Replay
	rapid.Check(t, func(t *rapid.T) {
		events := drawEvents(t, 14) // no run is long enough to be counted as one
		at := time.UnixMilli(0)
		for _, e := range events {
			at = at.Add(rapid.SampledFrom([]time.Duration{0, time.Minute, LongPause}).Draw(t, "pause"))
			e.Timestamp = hmx.TimeOf(at)
		}
		want, _ := readLines(events)
		if got := replayOf(&p, events); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("replayed:\n%s\nread:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// TestReplayOfExamples does so for the sessions of the examples, as far as nothing in
// them is counted as one.
func TestReplayOfExamples(t *testing.T) {
	var p Replay
	n := 0
	for _, name := range []string{"session.ndjson", "parcels.ndjson"} {
		for _, events := range sessionsOf(t, filepath.Join("..", "..", "examples", name)) {
			want, long := readLines(events)
			if long {
				continue
			}
			n += len(want)
			if got := replayOf(&p, events); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%s: replayed:\n%s\nread:\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
	if n < 15 {
		t.Errorf("only %d acts were compared", n)
	}
}

// BenchmarkGlance looks at decoded events one by one.
func BenchmarkGlance(b *testing.B) {
	all := benchSessions(b)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		for _, events := range all {
			for _, e := range events {
				GlanceAt(e.Event)
			}
			n += len(events)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}
