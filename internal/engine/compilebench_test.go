package engine_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/testsize"
)

// The words of benchmark sessions.
var (
	benchVerbs  = strings.Fields("get list find update cancel create send check read write")
	benchThings = strings.Fields("order invoice customer ticket report deployment")
	benchErrors = []string{
		"Error: %s %d not found", "TimeoutError: no answer within %[2]d ms", "Error: permission denied for %s %d",
		"ValueError: %s must be one of open, closed, not %d", "HTTP 503: service unavailable, try again in %[2]d s",
	}
)

// busySession returns the events of a session: requests of users, messages of the
// agent, calls with their results, one in twelve of which fails, decisions, and at the
// end of every other session, feedback. A few users state something that is kept. The
// same number gives the same events.
func busySession(t testing.TB, number int) []*hmx.Event {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(number), 7))
	words := rand.NewZipf(r, 1.2, 8, 20_000)
	name, seq, call := fmt.Sprintf("s%06d", number), 0, 0
	from := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC).Add(time.Duration(number) * time.Minute)
	var list []*hmx.Event
	add := func(kind, content string) {
		seq++
		text := fmt.Sprintf(`{"hmx_version":"HMX-1.0","event_id":"%s-%d","event_type":%q,"agent_id":"agent-%d","tenant_id":"acme","session_id":%q,"timestamp":%q,"sequence":%d,"content":%s,"metadata":{}}`,
			name, seq, kind, number%5, name, from.Add(time.Duration(seq)*time.Second).Format(time.RFC3339), seq, content)
		ev, _, err := hmx.DecodeEvent([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, ev)
	}
	talk := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprint("w", words.Uint64())
		}
		return strings.Join(out, " ")
	}
	say := func(role, text string) { add("message", fmt.Sprintf(`{"role":%q,"text":%q}`, role, text)) }
	procedure := r.IntN(40)
	thing := benchThings[procedure%len(benchThings)]
	use := func(tool string) {
		call++
		id := r.IntN(100_000)
		add("tool_call", fmt.Sprintf(`{"tool_name":%q,"call_id":"c%d","arguments":{"id":"%s-%d","limit":%d,"state":"open"}}`, tool, call, thing, id, r.IntN(50)))
		if r.IntN(12) == 0 {
			add("tool_result", fmt.Sprintf(`{"tool_name":%q,"call_id":"c%d","success":false,"error":%q}`, tool, call, fmt.Sprintf(benchErrors[r.IntN(len(benchErrors))], thing, id)))
			return
		}
		add("tool_result", fmt.Sprintf(`{"tool_name":%q,"call_id":"c%d","success":true,"result":{"id":"%s-%d","owner":"user_%d","text":%q}}`, tool, call, thing, id, r.IntN(900), talk(8)))
	}
	say("user", fmt.Sprintf("Please see to the %s of procedure %d: %s", thing, procedure, talk(10)))
	if r.IntN(50) == 0 {
		say("user", fmt.Sprintf("Always mention the %s number in step %d.", thing, r.IntN(400)))
	}
	for step := range 8 + r.IntN(16) {
		if r.IntN(4) == 0 {
			say("assistant", "I will go on. "+talk(12))
		}
		if r.IntN(8) == 0 {
			say("user", talk(9))
		}
		if r.IntN(30) == 0 {
			add("decision", fmt.Sprintf(`{"question":"Which %s first?","chosen":"the %s","reasoning":%q,"alternatives":["all"]}`, thing, benchVerbs[r.IntN(3)], talk(4)))
		}
		tool := benchVerbs[(procedure+step/2)%len(benchVerbs)] + "_" + benchThings[(procedure+step/5)%len(benchThings)]
		if r.IntN(5) == 0 {
			tool = benchVerbs[r.IntN(len(benchVerbs))] + "_" + benchThings[r.IntN(len(benchThings))]
		}
		use(tool)
	}
	if number%2 == 0 {
		rating := "positive"
		if r.IntN(4) == 0 {
			rating = "negative"
		}
		add("feedback", fmt.Sprintf(`{"rating":%q,"target_event_id":"%s-1"}`, rating, name))
	}
	return list
}

// fill records sessions from a number on until there are enough events, and returns the
// number of the next.
func fill(t testing.TB, b *engine.Board, number, events int) int {
	t.Helper()
	var batch []*hmx.Event
	for ; events > 0; number++ {
		list := busySession(t, number)
		list = list[:min(len(list), events)]
		events -= len(list)
		if batch = append(batch, list...); len(batch) > 4000 || events == 0 {
			store(t, b, batch...)
			batch = nil
		}
	}
	return number
}

// BenchmarkCompileOnTop compiles 20,000 events from scratch, and then repeatedly one
// percent more, or 10,000 of a million: each time on a board that stays open, and on a
// reopened one. It reports seconds of each, and the peak resident memory, if known.
func BenchmarkCompileOnTop(b *testing.B) {
	events := testsize.Of(b, "compile-events", 20000, 20000, 20000)
	debug.SetMemoryLimit(880 << 20) // as the command does
	debug.SetGCPercent(200)
	dir := filepath.Join(b.TempDir(), "data")
	if kept := os.Getenv("LUKASA_BENCH_DIR"); kept != "" {
		dir = kept
	}
	start := func() *engine.Board {
		board, err := engine.Open(ctx, dir, engine.Options{})
		if err != nil {
			b.Fatal(err)
		}
		return board
	}
	seconds := func(board *engine.Board, o engine.CompileOptions) float64 {
		from := time.Now()
		compileNow(b, board, o)
		return time.Since(from).Seconds()
	}
	_, err := os.Stat(dir)
	board := start()
	if err != nil {
		fill(b, board, 0, events)
		if err := board.Close(); err != nil {
			b.Fatal(err)
		}
		board = start()
	}
	scratch := seconds(board, engine.CompileOptions{Full: true})
	root, err := board.Root(ctx, "acme")
	if err != nil {
		b.Fatal(err)
	}
	next := int(root.Size) // an unused session number
	var open, anew float64
	n := 0
	for b.Loop() {
		next = fill(b, board, next, events/100)
		open += seconds(board, engine.CompileOptions{})
		next = fill(b, board, next, events/100)
		if err := board.Close(); err != nil {
			b.Fatal(err)
		}
		board = start()
		anew += seconds(board, engine.CompileOptions{})
		n++
	}
	b.ReportMetric(scratch, "scratch-s")
	b.ReportMetric(open/float64(n), "open-s")
	b.ReportMetric(anew/float64(n), "anew-s")
	b.ReportMetric(float64(peakBytes())/1e6, "peak-MB")
	if err := board.Close(); err != nil {
		b.Fatal(err)
	}
}

// peakBytes returns the peak resident memory of this process, or 0 if the system does
// not report it.
func peakBytes() uint64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	var kib uint64
	for line := range strings.Lines(string(data)) {
		if text, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			_, _ = fmt.Sscan(text, &kib)
		}
	}
	return kib << 10
}
