package engine_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/guide"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// saidIn returns a message of a user in a session of a project, which may have no name.
func saidIn(t testing.TB, id, session, project, speaker string, seq int64, text string) *hmx.Event {
	t.Helper()
	meta := map[string]string{}
	if project != "" {
		meta["project_id"] = project
	}
	if speaker != "" {
		meta["speaker"] = speaker
	}
	js, err := json.Marshal(meta)
	if err != nil {
		t.Fatal(err)
	}
	ev := eventWith(t, "acme", id, session, seq, text, "")
	ev.Metadata = hmx.Raw(js)
	return ev
}

// learn learns, and fails the test on an error.
func learn(t testing.TB, b *engine.Board, ids ...string) *engine.LearnReport {
	t.Helper()
	r, err := b.Learn(ctx, user, "acme", ids...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rulesNow returns the texts of the live memories of users' statements, with their
// conditions.
func rulesNow(t testing.TB, b *engine.Board) []string {
	t.Helper()
	var out []string
	for _, x := range listed(t, b, record.Memory) {
		m := x.Body.(*memory.Memory)
		out = append(out, strings.TrimSpace(m.Text+" "+strings.Join(m.ValidityScope.Conditions, " ")))
	}
	slices.Sort(out)
	return out
}

// TestLearnBindsAtOnce: a rule binds from the next step on, in its project alone, until it
// is lifted, and again when it is stated again.
func TestLearnBindsAtOnce(t *testing.T) {
	t.Parallel()
	b := open(t, disk.NewMem(), "data")
	push := guide.Action{Command: "git push origin main"}
	level := func(project string) guide.Level {
		return checked(t, b, engine.CheckOptions{Action: push, View: engine.View{Conditions: []string{engine.ProjectCondition(project)}}}).Level
	}
	seq := int64(0)
	say := func(session, project, text string) *engine.LearnReport {
		seq++
		id := fmt.Sprint("e", seq)
		store(t, b, saidIn(t, id, session, project, "", seq, text))
		return learn(t, b, id)
	}
	const shop, site = "github.com/acme/shop", "github.com/acme/site"
	if r := say("s1", shop, "Hello, how are you?"); len(r.Changes) > 0 {
		t.Errorf("of a greeting it learns %+v", r.Changes)
	}
	r := say("s1", shop, "Never push to main directly.")
	if len(r.Changes) != 1 || r.Changes[0].Op != engine.CompileCreate || level(shop) != guide.Stop || level(site) == guide.Stop {
		t.Fatalf("%+v, %v in its project and %v in another", r.Changes, level(shop), level(site))
	}
	if again := learn(t, b); len(again.Changes) > 0 || again.Root != r.Root {
		t.Errorf("again: %+v", again.Changes)
	}
	if c := compileNow(t, b, engine.CompileOptions{}); len(c.Changes) > 0 {
		t.Errorf("a compile has left to do: %+v", c.Changes)
	}
	if say("s2", site, "You may push to main directly again."); level(shop) != guide.Stop {
		t.Error("a rule was lifted in another project")
	}
	if say("s2", shop, "You may push to main directly again."); level(shop) == guide.Stop {
		t.Errorf("the rule is not lifted: %q", rulesNow(t, b))
	}
	if say("s3", shop, "Never push to main directly."); level(shop) != guide.Stop {
		t.Errorf("the rule does not bind again: %q", rulesNow(t, b))
	}
	say("s4", shop, "Always write commit messages in English.")
	if say("s3", shop, "Forget that rule."); level(shop) == guide.Stop || !slices.Equal(rulesNow(t, b), []string{"Always write commit messages in English. project: " + shop}) {
		t.Errorf("the last rule of the session was meant: %q", rulesNow(t, b))
	}
	if say("s5", site, "In all my projects, never use tabs."); !slices.Contains(rulesNow(t, b), "In all my projects, never use tabs.") {
		t.Errorf("a rule for all projects: %q", rulesNow(t, b))
	}
	if c := compileNow(t, b, engine.CompileOptions{Full: true}); len(c.Changes) > 0 {
		t.Errorf("a compile has left to do: %+v", c.Changes)
	}
	if _, err := b.Learn(ctx, user, "acme", "nobody"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("of an event that is not there: %v", err)
	}
}

// TestTwoProjectsContradict keeps both rules, finds no conflict, and gives them separate
// keys.
func TestTwoProjectsContradict(t *testing.T) {
	t.Parallel()
	b := open(t, disk.NewMem(), "data")
	store(t, b, saidIn(t, "e1", "s1", "/srv/a", "", 1, "Always use tabs."), saidIn(t, "e2", "s2", "/srv/b", "", 2, "Never use tabs."), saidIn(t, "e3", "s3", "/other/a", "", 3, "Always use tabs."))
	learn(t, b)
	want := []string{"Always use tabs. project: /other/a", "Always use tabs. project: /srv/a", "Never use tabs. project: /srv/b"}
	if got := rulesNow(t, b); !slices.Equal(got, want) {
		t.Errorf("it has %q", got)
	}
	compileNow(t, b, engine.CompileOptions{})
	if list := listed(t, b, record.Conflict); len(list) > 0 {
		t.Errorf("they are in conflict: %+v", list[0].Body)
	}
	keys := make(map[string]bool)
	for _, x := range listed(t, b, record.Memory) {
		_, key := x.Body.Identity()
		keys[key] = true
	}
	if len(keys) != 3 || keys[""] {
		t.Errorf("their keys are %v", keys)
	}
}

// TestExceptionsLimitARule keeps the rule with its exception, with both messages as sources.
func TestExceptionsLimitARule(t *testing.T) {
	t.Parallel()
	b := open(t, disk.NewMem(), "data")
	store(t, b, saidIn(t, "e1", "s1", "p", "", 1, "Never push to main directly."))
	learn(t, b)
	store(t, b, saidIn(t, "e2", "s1", "p", "", 2, "Except on release branches."))
	learn(t, b)
	list := listed(t, b, record.Memory)
	if len(list) != 1 || list[0].Version != 2 {
		t.Fatalf("it has %q", rulesNow(t, b))
	}
	m := list[0].Body.(*memory.Memory)
	if m.Text != "Never push to main directly. Except on release branches." || len(m.Sources) != 2 || list[0].Status != string(memory.StrengthHard) {
		t.Errorf("%q of %v", m.Text, m.Sources)
	}
	store(t, b, saidIn(t, "e3", "s2", "p", "", 3, "Never push to main directly."))
	if r := learn(t, b); len(r.Changes) > 0 {
		t.Errorf("the rule said again: %+v", r.Changes)
	}
	if c := compileNow(t, b, engine.CompileOptions{Full: true}); len(c.Changes) > 0 {
		t.Errorf("a compile has left to do: %+v", c.Changes)
	}
}

// spokenWords are the statements of random histories.
var spokenWords = []string{
	"Never push to main directly.", "Always use tabs.", "Never use tabs.", "You may push to main directly again.", "Except on release branches.",
	"Forget that rule.", "I like jazz.", "Forget that I like jazz.", "My timezone is CET.", "My time zone is PST.", "My name is Ann.", "My name is Bob.",
	"Our job queue is SQLite.", "Actually, our job queue is Postgres now.", "In all my projects, never use tabs.", "Use pnpm, not npm.",
	"Always sign commits. Never force-push.", "Never use tabs. Actually, always use tabs.", "Hello.", "Always show the diff before you commit.",
	"We never push to main directly.", "The staging database is called orion.",
}

// TestLearnIsCompile learns random histories as they come, and compiles at the end: the
// result is the same as that of one compile, to the last byte and version.
func TestLearnIsCompile(t *testing.T) {
	t.Parallel()
	for seed := range testsize.Of(t, "learn-histories", 4, 20, 1000) {
		rng := rand.New(rand.NewPCG(uint64(seed), 22))
		pick := func(list ...string) string { return list[rng.IntN(len(list))] }
		fs := disk.NewMem()
		each, late := open(t, fs, "each"), open(t, disk.NewMem(), "late")
		var log []string
		for i := range 4 + rng.IntN(24) {
			session, project, speaker := pick("s1", "s2", "s3"), pick("", "a", "b"), ""
			if rng.IntN(6) == 0 {
				speaker = pick("ann", "bob")
			}
			id, text := fmt.Sprint("e", i), spokenWords[rng.IntN(len(spokenWords))]
			log = append(log, fmt.Sprintf("%s/%s/%s: %s", session, project, speaker, text))
			ev := saidIn(t, id, session, project, speaker, int64(i), text)
			store(t, each, ev)
			store(t, late, ev)
			switch rng.IntN(8) {
			case 0: // it is learned with the next
			case 1:
				compileNow(t, each, engine.CompileOptions{})
			case 2:
				if err := each.Close(); err != nil {
					t.Fatal(err)
				}
				each = open(t, fs, "each")
				learn(t, each, id)
			default:
				learn(t, each, id)
			}
		}
		learn(t, each)
		if r := compileNow(t, each, engine.CompileOptions{Full: true}); slices.ContainsFunc(r.Changes, func(c engine.CompileChange) bool { return c.URI.Kind == record.Memory }) {
			t.Errorf("history %d: a compile has left to do %+v\n%s", seed, r.Changes, strings.Join(log, "\n"))
		}
		if seed%8 == 0 {
			if err := each.Rebuild(ctx, nil); err != nil {
				t.Fatal(err)
			}
			if r := compileNow(t, each, engine.CompileOptions{}); len(r.Changes) > 0 {
				t.Errorf("history %d: after a rebuild a compile has left to do %+v", seed, r.Changes)
			}
		}
		compileNow(t, late, engine.CompileOptions{})
		if got, want := knowledge(t, each, false), knowledge(t, late, false); got != want {
			t.Fatalf("history %d\n%s\nlearned\n%s\ncompiled\n%s", seed, strings.Join(log, "\n"), got, want)
		}
	}
}

// TestLearnBesideCompile runs both concurrently; nothing is doubled or undone.
func TestLearnBesideCompile(t *testing.T) {
	t.Parallel()
	b := open(t, disk.NewMem(), "data")
	var wait sync.WaitGroup
	stop := make(chan struct{})
	wait.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := b.Compile(ctx, user, "acme", engine.CompileOptions{}); err != nil && fault.CodeOf(err) != fault.NotFound {
				t.Error(err)
				return
			}
		}
	})
	late := open(t, disk.NewMem(), "data")
	rng := rand.New(rand.NewPCG(7, 22))
	for i := range 60 {
		ev := saidIn(t, fmt.Sprint("e", i), fmt.Sprint("s", i%3), "a", "", int64(i), spokenWords[rng.IntN(len(spokenWords))])
		store(t, b, ev)
		store(t, late, ev)
		learn(t, b, ev.EventID)
	}
	close(stop)
	wait.Wait()
	compileNow(t, b, engine.CompileOptions{})
	compileNow(t, late, engine.CompileOptions{})
	if got, want := knowledge(t, b, false), knowledge(t, late, false); got != want {
		t.Errorf("beside a compile\n%s\nwithout\n%s", got, want)
	}
}

// TestLearnAfterErasure: nothing of an erased message has an effect.
func TestLearnAfterErasure(t *testing.T) {
	t.Parallel()
	b := open(t, disk.NewMem(), "data")
	store(t, b, saidIn(t, "e1", "s1", "p", "", 1, "Never push to main directly."))
	learn(t, b)
	if _, err := b.Redact(ctx, user, []memory.URI{{Tenant: "acme", Kind: record.Event, ID: "e1"}}); err != nil {
		t.Fatal(err)
	}
	store(t, b, saidIn(t, "e2", "s1", "p", "", 2, "Always use tabs."))
	learn(t, b)
	compileNow(t, b, engine.CompileOptions{})
	if got := rulesNow(t, b); !slices.Equal(got, []string{"Always use tabs. project: p"}) {
		t.Errorf("it has %q", got)
	}
}

// BenchmarkLearn learns one message of a board with many events, cold and warm.
func BenchmarkLearn(b *testing.B) {
	const events = 100_000
	fs := disk.NewMem()
	board := openWith(b, "data", engine.Options{FS: fs})
	seq := int64(0)
	next := func(text string) *hmx.Event {
		seq++
		return saidIn(b, fmt.Sprint("e", seq), fmt.Sprint("s", seq/200), "p", "", seq, text)
	}
	for range events / 1000 {
		batch := make([]*hmx.Event, 1000)
		for i := range batch {
			batch[i] = next("Please look at it.")
		}
		batch[0] = next(fmt.Sprintf("Never deploy number %d on a Friday.", seq))
		store(b, board, batch...)
	}
	learn(b, board)
	b.Run("warm", func(b *testing.B) {
		for b.Loop() {
			ev := next(fmt.Sprintf("Never deploy number %d on a Monday.", seq))
			store(b, board, ev)
			learn(b, board, ev.EventID)
		}
	})
	b.Run("silent", func(b *testing.B) {
		ev := next("Please look at it.")
		store(b, board, ev)
		for b.Loop() {
			learn(b, board, ev.EventID)
		}
	})
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			if err := board.Close(); err != nil {
				b.Fatal(err)
			}
			board = openWith(b, "data", engine.Options{FS: fs})
			ev := next(fmt.Sprintf("Never deploy number %d on a Sunday.", seq))
			store(b, board, ev)
			b.StartTimer()
			learn(b, board, ev.EventID)
		}
	})
}

// However much was recorded since the last compile, a statement of a user binds at once and
// can be lifted at once; a compile then finds the earlier statements, and nothing twice.
func TestLearnFarBehind(t *testing.T) {
	testsize.Long(t, "it records 20,000 events")
	t.Parallel()
	b := openWith(t, "data", small(disk.NewMem()))
	said := func(id string, seq int64, text string) {
		t.Helper()
		must(t)(b.AppendEvents(ctx, user, []*hmx.Event{saidIn(t, id, "s-"+id, "", "", seq, text)}))
	}
	said("first", 1, "Never push to main directly.")
	said("other", 2, "Never delete the folder data/raw.")
	for n := 0; n < 20_000; n += 1000 {
		var list []*hmx.Event
		for i := range 1000 {
			list = append(list, eventWith(t, "acme", fmt.Sprint("e", n+i), fmt.Sprint("s", n), int64(i), "Nothing of note.", ""))
		}
		must(t)(b.AppendEvents(ctx, user, list))
	}
	said("again", 3, "Never push to main directly.")
	learn(t, b, "again")
	if got := rulesNow(t, b); !slices.Equal(got, []string{"Never push to main directly."}) {
		t.Fatalf("far behind, %q hold", got)
	}
	said("lift", 4, "You may push to main directly again.")
	learn(t, b, "lift")
	if got := rulesNow(t, b); len(got) != 0 {
		t.Fatalf("lifted, %q hold", got)
	}
	said("third", 5, "Never push to main directly.")
	learn(t, b, "third")
	for range 2 {
		must(t)(b.Compile(ctx, user, "acme", engine.CompileOptions{}))
		if got := rulesNow(t, b); !slices.Equal(got, []string{"Never delete the folder data/raw.", "Never push to main directly."}) {
			t.Fatalf("after a compile, %q hold", got)
		}
	}
	said("lift2", 6, "You may delete the folder data/raw again.")
	learn(t, b, "lift2")
	if got := rulesNow(t, b); !slices.Equal(got, []string{"Never push to main directly."}) {
		t.Errorf("after a lift behind the compile, %q hold", got)
	}
}
