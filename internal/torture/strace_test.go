package torture

import (
	"bufio"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/testsize"
)

// straceLimit is how long a child may take under strace before it counts as
// hanging.
const straceLimit = 20 * time.Second

// syscallFault is what happens to a system call.
type syscallFault struct {
	name   string // to strace
	suffix string // behind the number of the call: "+" is from then on
	kills  bool
}

// scene is the state of a directory before the faults.
type scene struct {
	name   string
	left   string // the files in the directory; empty for none
	told   []line // what was acknowledged about them
	orders orders
	counts map[string]int // calls, in the busiest thread
	paths  []string
}

// TestSystemCalls makes the system calls of a real run fail one by one, or kills
// the process in them: in a run that begins with an empty directory, and in one
// that finds what a killed process left. Calls on files outside the directory are
// not touched. Strace counts the calls of each thread, so that one fault may hit
// once in each.
func TestSystemCalls(t *testing.T) {
	testsize.OneGoroutine(t)
	needs(t, "strace")
	if out, err := exec.Command("strace", "-f", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("strace may not trace here: %v: %s", err, out)
	}
	spread, all := testsize.Of(t, "strace-faults", 1, 1, 1), testsize.Full()
	rng := chance(t)
	base := t.TempDir()
	dir := filepath.Join(base, "data")
	scenes := scenesOf(t, rng, base, dir)
	faults := []syscallFault{{name: "error=EIO"}, {name: "error=ENOSPC"}, {name: "signal=KILL", kills: true}}
	if all {
		faults = append(faults, syscallFault{name: "error=EIO", suffix: "+"}, syscallFault{name: "error=ENOSPC", suffix: "+"})
	}
	runs, turn := 0, rng.IntN(2)
	for _, sc := range scenes {
		turn++
		for i, call := range slices.Sorted(maps.Keys(sc.counts)) {
			for j, f := range faults {
				at := make([]int, sc.counts[call])
				for i := range at {
					at[i] = i + 1
				}
				if !all && spread == 1 && (i+j+turn)%2 == 0 {
					continue // this one is for the other scene
				}
				if !all && len(at) > spread {
					rng.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
					at = at[:spread]
				}
				for _, n := range at {
					runs++
					inject := fmt.Sprintf("inject=%s:%s:when=%d%s", call, f.name, n, f.suffix)
					if err := sc.sabotage(dir, call, inject, f); err != nil {
						t.Errorf("%s: %s: %v", sc.name, inject, err)
					}
				}
			}
		}
		t.Logf("%s: %d runs so far, over %v", sc.name, runs, sc.counts)
	}
}

// scenesOf creates the scenes and counts their calls.
func scenesOf(t *testing.T, rng *rand.Rand, base, dir string) []*scene {
	t.Helper()
	script := orders{Job: "work", Dir: dir, Writers: 1, Script: true, Segment: 16 << 10, Table: 256 << 10, Seed: 5}
	first := &scene{name: "a new directory", orders: script}
	first.count(t, base)
	// The second one begins where the first is killed, before it could close.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	second := &scene{name: "what a killed process left", orders: script, left: filepath.Join(base, "left")}
	l := newLedger()
	end, err := l.live(run{orders: script, watch: func(told line, kill func()) {
		second.told = append(second.told, told)
		if told.Say == "closing" {
			kill()
		}
	}})
	if err != nil || len(l.fails) > 0 {
		t.Fatalf("a run without faults: %v %+v\n%s", err, l.fails, end.stderr)
	}
	if err := os.CopyFS(second.left, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	second.orders.Round, second.orders.Seed = 1, 6
	second.orders.Heirs = l.heirs(rng, 12)
	second.count(t, base)
	return []*scene{first, second}
}

// set prepares the directory and returns its ledger.
func (sc *scene) set(dir string) (*ledger, error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	l := newLedger()
	if sc.left == "" {
		return l, nil
	}
	for _, told := range sc.told {
		if err := l.hear(told); err != nil {
			return nil, err
		}
	}
	return l, os.CopyFS(dir, os.DirFS(sc.left))
}

// sabotage runs the script with a fault, and judges the result.
func (sc *scene) sabotage(dir, call, inject string, f syscallFault) error {
	l, err := sc.set(dir)
	if err != nil {
		return err
	}
	under := []string{"strace", "-f", "--seccomp-bpf", "-qq", "-o", os.DevNull, "-e", "trace=" + call, "-e", inject}
	for _, p := range sc.paths {
		under = append(under, "-P", p)
	}
	end, err := l.live(run{orders: sc.orders, under: under, limit: straceLimit})
	if err != nil {
		return fmt.Errorf("%w\n%s", err, end.stderr)
	}
	if end.hung {
		return fmt.Errorf("the child hangs; it said %+v\n%s", l.fails, stacks(end.stderr))
	}
	if end.panicked() {
		return fmt.Errorf("the child crashed: %s", end.stderr)
	}
	rebuilt := true
	for _, told := range l.fails {
		if told.Op == opRebuild {
			rebuilt = false
		}
		// A rebuild that cannot open its new index leaves the board closed, and a
		// permanent fault may hit reads too.
		if told.Op == opVerify && f.suffix == "" && (rebuilt || told.Code != "closed") {
			return fmt.Errorf("reads do not go on: %s; before that: %+v", told.Error, l.fails)
		}
	}
	if err := l.judge(dir, judgement{deep: true, options: engine.Options{SegmentBytes: sc.orders.Segment, CacheBytes: 8 << 20}}); err != nil {
		return fmt.Errorf("%w\nthe child had said: %+v", err, l.fails)
	}
	return nil
}

// stacks shortens a dump to our own functions.
func stacks(dump string) string {
	var kept []string
	for part := range strings.SplitSeq(dump, "\n\n") {
		if strings.Contains(part, "lukasa.dev/internal") || strings.Contains(part, "pebble") {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "\n\n")
}

// count runs the script undisturbed and counts how often the busiest thread makes
// each call on a file of the directory, and which files there are.
func (sc *scene) count(t *testing.T, base string) {
	t.Helper()
	dir, log := sc.orders.Dir, filepath.Join(base, "strace.log")
	l, err := sc.set(dir)
	if err != nil {
		t.Fatal(err)
	}
	under := []string{"strace", "-f", "-y", "--seccomp-bpf", "-qq", "-o", log, "-e", "trace=%file,%desc"}
	end, err := l.live(run{orders: sc.orders, under: under, limit: straceLimit})
	if err != nil || !l.closed || len(l.fails) > 0 {
		t.Fatalf("a run without faults: %v %+v\n%s", err, l.fails, end.stderr)
	}
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	threads := map[string]int{}
	counts := map[string]int{}
	paths := map[string]bool{}
	call := regexp.MustCompile(`^(\d+) +([a-z_0-9]+)\(`)
	path := regexp.MustCompile(regexp.QuoteMeta(dir) + `[^">]*`)
	for in := bufio.NewScanner(f); in.Scan(); {
		m := call.FindStringSubmatch(in.Text())
		found := path.FindAllString(in.Text(), -1)
		for _, p := range found {
			paths[p] = true
		}
		// These are about locks and polling, not about the content of files.
		if m == nil || found == nil || m[2] == "fcntl" || m[2] == "epoll_ctl" || m[2] == "fstatfs" {
			continue
		}
		threads[m[1]+m[2]]++
		counts[m[2]] = max(counts[m[2]], threads[m[1]+m[2]])
	}
	// The numbers of Pebble's files are not deterministic.
	for n := range 30 {
		for _, index := range []string{"index", "index.rebuild"} {
			paths[filepath.Join(dir, index, fmt.Sprintf("%06d.sst", n))] = true
			paths[filepath.Join(dir, index, "MANIFEST-"+strconv.Itoa(1000000 + n)[1:])] = true
		}
	}
	sc.counts, sc.paths = counts, slices.Sorted(maps.Keys(paths))
}
