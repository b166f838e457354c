package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
	"lukasa.dev/internal/testsize"
)

// worked returns the events of a session that does a job: a request, a lookup, and a
// deploy or, every third time, a failure, another lookup and a deploy.
func worked(t testing.TB, session int) []*hmx.Event {
	t.Helper()
	name, seq := fmt.Sprintf("s%03d", session), int64(0)
	var list []*hmx.Event
	add := func(kind, content string) {
		seq++
		text := fmt.Sprintf(`{"hmx_version":"HMX-1.0","event_id":"%s-%d","event_type":%q,"agent_id":"a1","tenant_id":"acme","session_id":%q,"timestamp":"2026-11-%02dT%02d:%02d:%02dZ","sequence":%d,"content":%s,"metadata":{}}`,
			name, seq, kind, name, 15+session/1140, 5+session/60%19, session%60, seq, seq, content)
		ev, _, err := hmx.DecodeEvent([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, ev)
	}
	call := func(tool, args string, ok bool, result string) {
		add("tool_call", fmt.Sprintf(`{"tool_name":%q,"arguments":%s,"call_id":"c%d"}`, tool, args, seq))
		content := fmt.Sprintf(`{"tool_name":%q,"call_id":"c%d","success":%v,"result":{"text":%q}}`, tool, seq-1, ok, result)
		if !ok {
			content = fmt.Sprintf(`{"tool_name":%q,"call_id":"c%d","success":false,"error":%q}`, tool, seq-1, result)
		}
		add("tool_result", content)
	}
	add("message", fmt.Sprintf(`{"role":"user","text":"Please deploy the billing service, build %d."}`, session))
	call("read_config", fmt.Sprintf(`{"service":"billing","build":%d}`, session), true, "replicas: 3")
	if session%3 == 0 {
		call("deploy", fmt.Sprintf(`{"build":%d}`, session), false, "Error: image not found")
		call("push_image", fmt.Sprintf(`{"build":%d}`, session), true, "pushed")
	}
	call("deploy", fmt.Sprintf(`{"build":%d}`, session), true, "done")
	call("check_health", `{}`, true, "healthy")
	add("feedback", fmt.Sprintf(`{"rating":"positive","target_event_id":"%s-1"}`, name))
	return list
}

// stated returns a message of a user.
func stated(t testing.TB, id string, seq int64, text string) *hmx.Event {
	t.Helper()
	return eventWith(t, "acme", id, "talk", seq, text, "")
}

// store records events.
func store(t testing.TB, b *engine.Board, events ...*hmx.Event) {
	t.Helper()
	res, err := b.AppendEvents(ctx, user, events)
	if err != nil || res.Refused > 0 {
		t.Fatalf("%+v %v", res, err)
	}
}

// compileNow compiles, and fails the test on an error.
func compileNow(t testing.TB, b *engine.Board, o engine.CompileOptions) *engine.CompileReport {
	t.Helper()
	r, err := b.Compile(ctx, user, "acme", o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// listed returns all versioned records of a kind.
func listed(t testing.TB, b *engine.Board, kind record.Kind) []*engine.Thing {
	t.Helper()
	var all []*engine.Thing
	o := engine.ListOptions{Tenant: "acme", Kind: kind, Limit: 1000}
	for {
		page, err := b.List(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Things...)
		if o.After = page.Next; o.After == "" {
			return all
		}
	}
}

// knowledge returns what a compile made: of all artifacts, or of the active ones, id,
// status, trust and their whole content except, for active ones, the number of earlier
// versions.
func knowledge(t testing.TB, b *engine.Board, active bool) string {
	t.Helper()
	var lines []string
	for _, x := range listed(t, b, record.Artifact) {
		a := x.Body.(*memory.Artifact).HMX
		if active {
			if x.Status != "active" {
				continue
			}
			a.Version, a.Supersedes, a.CreatedAt, a.Metadata, a.Confidence, a.ObservedCount = 1, hmx.Opt[string]{}, hmx.Time{}, "{}", 0, hmx.Opt[int64]{}
			a.SuccessRate, a.SourceEvents = hmx.Opt[float64]{}, nil
		}
		js, err := a.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %s", a.ArtifactID, x.Status, x.Trust, js))
	}
	for _, kind := range []record.Kind{record.Memory, record.Conflict} {
		for _, x := range listed(t, b, kind) {
			js, err := x.Body.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, fmt.Sprintf("%s v%d %s %s", x.URI.Head(), x.Version, x.Trust, js))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// chained fails the test unless every artifact is valid, its evidence exists, and no
// chain has a cycle or two active artifacts.
func chained(t testing.TB, b *engine.Board) {
	t.Helper()
	next, active := make(map[string]string), make(map[string][]string)
	all := listed(t, b, record.Artifact)
	for _, x := range all {
		a := &x.Body.(*memory.Artifact).HMX
		if _, err := a.Validate(); err != nil {
			t.Errorf("%s: %v", a.ArtifactID, err)
		}
		if hash, err := hmx.ContentHash(a.Content); err != nil || hash != a.ContentHash {
			t.Errorf("%s: its hash is %s, not %s: %v", a.ArtifactID, hash, a.ContentHash, err)
		}
		if old, ok := a.Supersedes.Value, a.Supersedes.Set; ok {
			next[old] = a.ArtifactID
		}
		if x.Status != "active" {
			continue
		}
		for _, id := range a.SourceEvents {
			if _, err := b.Event(ctx, "acme", id, engine.View{}); err != nil {
				t.Errorf("%s: evidence %s: %v", a.ArtifactID, id, err)
			}
		}
		if len(a.SourceEvents) == 0 {
			t.Errorf("%s has no evidence", a.ArtifactID)
		}
	}
	for _, x := range all {
		if x.Status != "active" {
			continue
		}
		id, n := x.URI.ID, 0
		for next[id] != "" {
			if id, n = next[id], n+1; n > len(all) {
				t.Fatalf("%s is in a cycle", x.URI.ID)
			}
		}
		active[id] = append(active[id], x.URI.ID)
	}
	for end, ids := range active {
		if len(ids) > 1 {
			t.Errorf("the chain that ends in %s has %d active artifacts", end, len(ids))
		}
	}
}

func TestCompile(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	for i := range 12 {
		store(t, b, worked(t, i)...)
	}
	dry := compileNow(t, b, engine.CompileOptions{DryRun: true})
	if before, err := b.Root(ctx, "acme"); err != nil || before != dry.Root || len(dry.Changes) == 0 {
		t.Fatalf("%+v %v", dry, err)
	}
	did := compileNow(t, b, engine.CompileOptions{})
	if fmt.Sprint(did.Changes) != fmt.Sprint(dry.Changes) {
		t.Errorf("it did %v, and said before %v", did.Changes, dry.Changes)
	}
	chained(t, b)
	sound(t, b)
	types := make(map[string]int)
	for _, x := range listed(t, b, record.Artifact) {
		if x.Status == "active" {
			types[string(x.Body.(*memory.Artifact).HMX.ArtifactType)]++
		}
		if x.Actor != engine.Compiler || x.Trust > record.User {
			t.Errorf("%s was written by %q and has trust %s", x.URI, x.Actor, x.Trust)
		}
	}
	for _, want := range []string{"task_schema", "failure_playbook", "decision_policy"} {
		if types[want] == 0 {
			t.Errorf("there is no %s: %v", want, types)
		}
	}
	for _, o := range []engine.CompileOptions{{}, {Full: true}, {DryRun: true}} {
		if again := compileNow(t, b, o); len(again.Changes) > 0 || again.Root != did.Root || again.Unchanged == 0 {
			t.Errorf("again, with %+v: %+v", o, again)
		}
	}
	if again := compileNow(t, b, engine.CompileOptions{}); again.Sessions != 0 {
		t.Errorf("%d sessions were read again", again.Sessions)
	}
	store(t, b, worked(t, 12)...)
	if more := compileNow(t, b, engine.CompileOptions{}); more.Sessions != 1 {
		t.Errorf("%d sessions were read, one is new", more.Sessions)
	}
}

// TestCompileHowever compiles the same sessions in one go, one by one, with and without
// caches, across restarts and on one or two processors: the active artifacts in the end
// are the same.
func TestCompileHowever(t *testing.T) {
	testsize.Long(t, "it compiles in many orders")
	const sessions = 14
	statements := []string{"Always sign commits.", "My timezone is CET.", "My timezone is PST.", "I like jazz.", "Forget that I like jazz."}
	var first string
	for _, c := range []struct {
		name  string
		every int // sessions between compiles
		full  bool
		after func(t *testing.T, fs disk.FS, b *engine.Board) *engine.Board
	}{
		{"in one go", sessions, false, nil},
		{"one by one", 1, false, nil},
		{"by threes, in full", 3, true, nil},
		{"by fives, opened again", 5, false, func(t *testing.T, fs disk.FS, b *engine.Board) *engine.Board {
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, fs, "data")
		}},
		{"by fours, made anew", 4, false, func(t *testing.T, _ disk.FS, b *engine.Board) *engine.Board {
			if err := b.Rebuild(ctx, nil); err != nil {
				t.Fatal(err)
			}
			return b
		}},
		{"by sixes, imported", 6, false, func(t *testing.T, _ disk.FS, b *engine.Board) *engine.Board {
			var out bytes.Buffer
			must(t)(b.Export(ctx, "acme", &out, nil))
			other := open(t, disk.NewMem(), "data")
			must(t)(other.Import(ctx, &out, nil))
			return other
		}},
		{"one by one, on one processor", 1, false, func(t *testing.T, _ disk.FS, b *engine.Board) *engine.Board {
			runtime.GOMAXPROCS(1)
			return b
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
			fs := disk.NewMem()
			b := open(t, fs, "data")
			for i := range sessions {
				store(t, b, worked(t, i)...)
				if i < len(statements) {
					store(t, b, stated(t, fmt.Sprint("told", i), int64(i), statements[i]))
				}
				if (i+1)%c.every != 0 && i+1 < sessions {
					continue
				}
				compileNow(t, b, engine.CompileOptions{Full: c.full})
				if c.after != nil {
					b = c.after(t, fs, b)
				}
			}
			again := compileNow(t, b, engine.CompileOptions{Full: true})
			if len(again.Changes) > 0 {
				t.Errorf("in full there is more to do: %+v", again.Changes)
			}
			chained(t, b)
			sound(t, b)
			got := knowledge(t, b, true)
			if first == "" {
				first = got
			}
			if got != first {
				t.Errorf("it is\n%s\nand in one go\n%s", got, first)
			}
		})
	}
}

// TestCompileCutShort ends a compile after each of its records, and lets the next one
// continue: there are never two active versions, and the result is the same as without
// interruption.
func TestCompileCutShort(t *testing.T) {
	testsize.OneGoroutine(t)
	prepare := func(t *testing.T) *engine.Board {
		b := open(t, disk.NewMem(), "data")
		for i := range 6 {
			store(t, b, worked(t, i)...)
		}
		store(t, b, stated(t, "one", 1, "Always use tabs."))
		compileNow(t, b, engine.CompileOptions{})
		for i := range 6 {
			store(t, b, worked(t, 6+i)...)
		}
		store(t, b, stated(t, "two", 2, "Never use tabs."), stated(t, "three", 3, "My timezone is CET."))
		return b
	}
	whole := prepare(t)
	compileNow(t, whole, engine.CompileOptions{})
	want := knowledge(t, whole, true)
	for n, stride := 1, testsize.Of(t, "compile-stride", 24, 6, 1); ; n += stride {
		b := prepare(t)
		engine.CompileApart(b, 1)
		c, cancel := context.WithCancel(ctx)
		before := sizeOf(t, b)
		_, err := b.Compile(&between{Context: c, do: cancel, wrote: func() bool { return sizeOf(t, b) >= before+uint64(n) }}, user, "acme", engine.CompileOptions{})
		if cancel(); err == nil {
			t.Logf("%d records", sizeOf(t, b)-before)
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		chained(t, b)
		engine.CompileTogether(b)
		compileNow(t, b, engine.CompileOptions{})
		chained(t, b)
		if got := knowledge(t, b, true); got != want {
			t.Fatalf("cut short after %d records, then completed:\n%s\nwant\n%s", n, got, want)
		}
		if again := compileNow(t, b, engine.CompileOptions{}); len(again.Changes) > 0 {
			t.Fatalf("after %d records and another compile there is more to do: %+v", n, again.Changes)
		}
	}
}

// TestCompileTurns runs several compiles concurrently with writers.
func TestCompileTurns(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	store(t, b, worked(t, 0)...)
	errs := make(chan error)
	for i := range 4 {
		go func() {
			_, err := b.Compile(ctx, user, "acme", engine.CompileOptions{Full: i%2 == 0})
			errs <- err
		}()
		store(t, b, worked(t, i+1)...)
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	compileNow(t, b, engine.CompileOptions{})
	chained(t, b)
	sound(t, b)
}

// TestCompileKeepsItsHandsOff: a compile does not change what people did.
func TestCompileKeepsItsHandsOff(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	for i := range 6 {
		store(t, b, worked(t, i)...)
	}
	compileNow(t, b, engine.CompileOptions{})
	operator := engine.Writer{Actor: "boss", Trust: record.Operator}
	var archived string
	for _, x := range listed(t, b, record.Artifact) {
		if x.Status == "active" {
			archived = x.URI.ID
			must(t)(b.Transition(ctx, operator, engine.RefOf(x.URI), hmx.StatusArchived, "", "not for us", engine.AnyVersion()))
			break
		}
	}
	if r := compileNow(t, b, engine.CompileOptions{}); len(r.Changes) > 0 {
		t.Errorf("%+v", r.Changes)
	}
	got, err := b.Get(ctx, engine.Ref{Tenant: "acme", Kind: record.Artifact, ID: archived}, engine.View{})
	if err != nil || got.Status != "archived" {
		t.Errorf("%+v %v", got, err)
	}
}

func TestCompileAsksTheScope(t *testing.T) {
	clock := newClock()
	b := openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: clock.Now})
	store(t, b, worked(t, 0)...)
	token := mint(t, b, clock, func(g *scope.Grant) { g.Include.All, g.Mode = true, scope.Write })
	if _, err := b.Compile(ctx, engine.Writer{Scope: token}, "acme", engine.CompileOptions{}); fault.CodeOf(err) != fault.OutOfScope {
		t.Errorf("under a scope: %v", err)
	}
	if _, err := b.Compile(ctx, user, "nobody", engine.CompileOptions{}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a tenant without records: %v", err)
	}
}

// TestTauAirline compiles real sessions, if the files exist.
func TestTauAirline(t *testing.T) {
	testsize.Long(t, "it compiles public conversations")
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "data", "tau-airline", "tau-airline.ndjson"))
	if err != nil {
		t.Skip("the sessions are not there")
	}
	b := open(t, disk.NewMem(), "data")
	var events []*hmx.Event
	for line := range bytes.Lines(data) {
		ev, _, err := hmx.DecodeEvent(line)
		if err != nil {
			t.Fatal(err)
		}
		ev.TenantID = "acme"
		events = append(events, ev)
	}
	store(t, b, events...)
	r := compileNow(t, b, engine.CompileOptions{})
	chained(t, b)
	if again := compileNow(t, b, engine.CompileOptions{Full: true}); len(again.Changes) > 0 || again.Root != r.Root {
		t.Errorf("again: %+v", again.Changes)
	}
	types := make(map[string]int)
	for _, x := range listed(t, b, record.Artifact) {
		types[string(x.Body.(*memory.Artifact).HMX.ArtifactType)+" "+x.Status]++
	}
	t.Logf("%d events of %d sessions: %v", r.Events, r.Sessions, types)
	next, err := b.NextStep(ctx, engine.NextOptions{Tenant: "acme", Session: events[0].SessionID})
	if err != nil || len(next.Suggestions) != engine.DefaultNextSteps {
		t.Errorf("%+v %v", next, err)
	}
	sound(t, b)
}

// TestManySources writes an artifact with more sources than the catalogue keeps: the
// last of them still lowers its trust.
func TestManySources(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	var ids []string
	for i := range catalog.MaxEvidence + 4 {
		ids = append(ids, fmt.Sprint("e", i))
		w := user
		if i == catalog.MaxEvidence+3 {
			w.Trust = record.External
		}
		must(t)(b.AppendEvents(ctx, w, []*hmx.Event{event(t, "acme", ids[i], int64(i), fmt.Sprint("message ", i))}))
	}
	res, err := b.Put(ctx, user, "acme", compiled(t, "a", "One", &hmx.DecisionPolicy{Condition: "c", Recommendation: "r"}, ids...), engine.AnyVersion())
	if err != nil || res.Trust != record.External {
		t.Errorf("%+v %v", res, err)
	}
	for i, want := range map[int]int{0: 1, catalog.MaxEvidence - 1: 1, catalog.MaxEvidence: 0} {
		got, err := b.Referrers(ctx, memory.URI{Tenant: "acme", Kind: record.Event, ID: ids[i]}, engine.View{})
		if err != nil || len(got) != want {
			t.Errorf("event %d has %d referrers, want %d: %v", i, len(got), want, err)
		}
	}
	sound(t, b)
}
