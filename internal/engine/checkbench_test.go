package engine_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/guide"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/scope"
	"lukasa.dev/internal/testsize"
)

// checkLines are the command lines of the sessions of the benchmark.
var checkLines = []string{"go test ./...", "git push origin work", "git push --force", "git commit -m x", "ls -la | wc -l", "make build", "npm install left-pad", "kubectl get pods -n prod", "rm -rf build", "docker build ."}

// checkSession returns the events of a session that calls some of forty tools and runs
// command lines, one in six of which fails.
func checkSession(t testing.TB, chance *rand.Rand, number int) (list []*hmx.Event) {
	add := func(kind, content string) {
		list = append(list, packDeed(t, fmt.Sprintf("e%d-%d", number, len(list)), fmt.Sprint("s", number), int64(len(list)), kind, content))
	}
	add("message", `{"role":"user","text":"Please see to the next order and ship the parcel."}`)
	for i := range 10 + chance.IntN(8) {
		ok := chance.IntN(6) > 0
		if chance.IntN(4) == 0 {
			add("command_exec", fmt.Sprintf(`{"command":%q,"exit_code":%d,"stderr":"error: no %d"}`, checkLines[chance.IntN(len(checkLines))], map[bool]int{false: 1}[ok], i))
			continue
		}
		tool := fmt.Sprint("tool_", chance.IntN(40))
		args := []string{`{"id":"A%d","limit":%d}`, `{"query":"q%d","n":%d}`, `{"path":"/a/%d","n":%d}`}[chance.IntN(3)]
		add("tool_call", fmt.Sprintf(`{"tool_name":%q,"call_id":"c%d","arguments":%s}`, tool, i, fmt.Sprintf(args, i, i)))
		add("tool_result", fmt.Sprintf(`{"tool_name":%q,"call_id":"c%d","success":%v,"result":{"text":"Error: order %d is not there"}}`, tool, i, ok, chance.IntN(9000)))
	}
	add("feedback", fmt.Sprintf(`{"signal":%q}`, []string{"positive", "negative"}[chance.IntN(2)]))
	return list
}

// checkBoard returns a board with that many events, rules and, after a compile, artifacts.
// LUKASA_BENCH_DIR keeps it for the next run.
func checkBoard(b *testing.B, events int) *engine.Board {
	dir := os.Getenv("LUKASA_BENCH_DIR")
	if dir == "" {
		dir = filepath.Join(b.TempDir(), "data")
	}
	_, err := os.Stat(dir)
	board := openWith(b, dir, engine.Options{})
	if err == nil {
		return board
	}
	chance := rand.New(rand.NewPCG(1, 2))
	for number, n := 0, 0; n < events; {
		var batch []*hmx.Event
		for len(batch) < 4000 && n < events {
			list := checkSession(b, chance, number)
			batch, n, number = append(batch, list...), n+len(list), number+1
		}
		store(b, board, batch...)
	}
	for i := range 40 {
		must(b)(board.Put(ctx, user, "acme", ruleOf(fmt.Sprint("r", i), fmt.Sprintf("Never run tool_%d without asking.", i+30), memory.Strengths()[i%3]), engine.AnyVersion()))
	}
	compileNow(b, board, engine.CompileOptions{})
	return board
}

// BenchmarkCheckAction checks actions on a board of 20,000 events, and reports the median
// and the 99th percentile in milliseconds: with full visibility, in a session, under a
// scope, and under one that hides all but two sessions. The first hundred checks are not
// counted.
func BenchmarkCheckAction(b *testing.B) {
	board := checkBoard(b, testsize.Of(b, "check-events", 20000, 20000, 20000))
	clock := newClock()
	clock.nanos.Store(time.Now().UnixNano())
	token := mint(b, board, clock, func(g *scope.Grant) { g.Include.All, g.Exclude.Tags = true, []string{"secret"} })
	narrow := mint(b, board, clock, func(g *scope.Grant) { g.Include.Sessions = []string{"s7", "s8"} })
	for _, c := range []struct {
		name string
		o    engine.CheckOptions
	}{{"all", engine.CheckOptions{}}, {"session", engine.CheckOptions{Session: "s7"}}, {"scope", engine.CheckOptions{Session: "s7", View: engine.View{Scope: token}}}, {"hidden", engine.CheckOptions{Session: "s7", View: engine.View{Scope: narrow}}}} {
		b.Run(c.name, func(b *testing.B) {
			chance := rand.New(rand.NewPCG(3, 4))
			ask := func() time.Duration {
				o := c.o
				o.Action = guide.Action{Tool: fmt.Sprint("tool_", chance.IntN(40)), Arguments: []string{`{"id":"A1","limit":3}`, `{"query":"x","n":1}`, `{"other":true}`}[chance.IntN(3)]}
				if chance.IntN(3) == 0 {
					o.Action = guide.Action{Command: checkLines[chance.IntN(len(checkLines))]}
				}
				from := time.Now()
				checked(b, board, o)
				return time.Since(from)
			}
			for range 100 {
				ask()
			}
			var took []time.Duration
			for b.Loop() {
				took = append(took, ask())
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
