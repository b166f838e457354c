package engine_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/salience"
	"lukasa.dev/internal/scope"
	"lukasa.dev/internal/testsize"
)

// spell prints a bundle without its duration.
func spell(b *bundle.Bundle) string {
	var s strings.Builder
	for _, tier := range [][]*bundle.Entry{b.Pinned, b.FrameRelevant, b.Outcomes} {
		for _, e := range tier {
			fmt.Fprintf(&s, "%+v\n", *e)
		}
		s.WriteString("--\n")
	}
	c := *b
	c.Pinned, c.FrameRelevant, c.Outcomes, c.LatencyMS = nil, nil, nil, 0
	fmt.Fprintf(&s, "%+v\n", c)
	return s.String()
}

// lived returns a desk with a random history, and questions for it.
func lived(t testing.TB, seed uint64, writes int) (*desk, []engine.ContextOptions) {
	c := &chaos{desk: newDesk(t), rng: rand.New(rand.NewPCG(seed, 31))}
	for range writes {
		c.step()
	}
	questions := make([]engine.ContextOptions, 40)
	for i := range questions {
		questions[i] = c.options()
	}
	return c.desk, questions
}

// answers runs questions on a board.
func answers(t testing.TB, d *desk, questions []engine.ContextOptions) (all []string) {
	t.Helper()
	for _, q := range questions {
		all = append(all, spell(d.tell(q)))
	}
	return all
}

// same compares answers.
func same(t testing.TB, when string, got, want []string) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s, the answer to question %d is\n%s\nand was\n%s", when, i, got[i], want[i])
		}
	}
}

// TestContextIsAPureRead: reading changes no root, no file and no answer.
func TestContextIsAPureRead(t *testing.T) {
	testsize.OneGoroutine(t)
	d, questions := lived(t, 1, 200)
	picture := func() string {
		var s strings.Builder
		root, err := d.Root(ctx, "acme")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&s, "%+v\n", root)
		paths, err := files(d.fs, "data")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			data, err := disk.ReadFile(d.fs, path)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&s, "%s %d %x\n", path, len(data), sha256.Sum256(data))
		}
		return s.String()
	}
	// Flush memory first, so that no file changes later.
	d.open(false)
	first := answers(t, d, questions)
	before := picture()
	for range 5 {
		same(t, "asked again", answers(t, d, questions), first)
	}
	if after := picture(); after != before {
		t.Errorf("asking changed\n%s\nto\n%s", before, after)
	}
	sound(t, d.Board)
}

// TestContextSameState: the same state and the same options give the same bundle,
// after a restart and a rebuild, on another board, on any number of processors,
// and with a thousand concurrent callers.
func TestContextSameState(t *testing.T) {
	d, questions := lived(t, 2, 300)
	for i := range questions {
		questions[i].View.Scope = "" // a token belongs to one board
	}
	want := answers(t, d, questions)
	d.open(false)
	same(t, "after a restart", answers(t, d, questions), want)
	d.open(true)
	same(t, "after a rebuild", answers(t, d, questions), want)
	if err := d.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	same(t, "after a rebuild while open", answers(t, d, questions), want)
	d.clock.Move(1000 * time.Hour)
	same(t, "much later", answers(t, d, questions), want)

	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, n := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(n)
		same(t, fmt.Sprintf("with %d processors", n), answers(t, d, questions), want)
	}

	callers := testsize.Of(t, "callers", 50, 300, 1000)
	var wait sync.WaitGroup
	wrong := make(chan string, callers)
	for i := range callers {
		wait.Go(func() {
			q := questions[i%len(questions)]
			q.Tenant = "acme"
			b, err := d.Context(ctx, q)
			switch {
			case err != nil:
				wrong <- err.Error()
			case spell(b) != want[i%len(questions)]:
				wrong <- fmt.Sprintf("question %d was answered otherwise", i%len(questions))
			}
		})
	}
	wait.Wait()
	close(wrong)
	for w := range wrong {
		t.Error(w)
	}

	var file bytes.Buffer
	if _, err := d.Export(ctx, "acme", &file, nil); err != nil {
		t.Fatal(err)
	}
	other := newDesk(t)
	other.clock.Move(d.clock.Now().Sub(other.clock.Now()))
	if _, err := other.Import(ctx, &file, nil); err != nil {
		t.Fatal(err)
	}
	same(t, "on another board", answers(t, other, questions), want)
}

// holdup is a context that blocks a call when it checks for cancellation.
type holdup struct {
	context.Context
	inside chan<- struct{}
	free   <-chan struct{}
}

func (h holdup) Err() error {
	h.inside <- struct{}{}
	<-h.free
	return nil
}

// TestContextTurns: a limited number of calls runs at a time. Others wait, and a
// call that is cancelled while it waits returns at once.
func TestContextTurns(t *testing.T) {
	d := newDesk(t)
	d.note(user, constraintNote("rule", memory.StrengthHard))
	inside, free := make(chan struct{}, 10_000), make(chan struct{})
	var wait sync.WaitGroup
	call := func() {
		if b, err := d.Context(holdup{ctx, inside, free}, about("a.go")); err != nil || len(b.Pinned) != 1 {
			t.Error(b, err)
		}
	}
	served := 4 * runtime.GOMAXPROCS(0)
	for range served {
		wait.Go(call)
	}
	for range served {
		<-inside
	}
	for range 3 {
		wait.Go(call)
	}
	late, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	if b, err := d.Context(late, about("a.go")); !errors.Is(err, context.DeadlineExceeded) || b != nil {
		t.Error(b, err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if b, err := d.Context(gone, about("a.go")); !errors.Is(err, context.Canceled) || b != nil {
		t.Error(b, err)
	}
	if len(inside) != 0 {
		t.Error("more than", served, "are served at a time")
	}
	// Invalid requests are refused without waiting.
	if _, err := d.Context(gone, engine.ContextOptions{Tenant: "acme", Verb: "juggle"}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Error(err)
	}
	close(free)
	wait.Wait()
}

// TestContextBesideWriters: with concurrent writers, each answer is of one state,
// and without error.
func TestContextBesideWriters(t *testing.T) {
	d := newDesk(t)
	d.note(user, constraintNote("rule", memory.StrengthHard))
	stop := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			m := d.in("modify:file=a.go", &memory.Memory{ID: fmt.Sprint("m", i%20), Type: memory.TypeEvent, Text: fmt.Sprintf("It happened %d times.", i)})
			if _, err := d.Put(ctx, user, "acme", m, engine.AnyVersion()); err != nil && fault.CodeOf(err) != fault.Erased {
				t.Error(err)
				return
			}
			if i%7 == 0 {
				if _, err := d.Redact(ctx, user, []memory.URI{{Tenant: "acme", Kind: record.Memory, ID: fmt.Sprint("m", i%20)}}); err != nil && fault.CodeOf(err) != fault.Erased {
					t.Error(err)
					return
				}
			}
		}
	})
	sizes := uint64(0)
	for i := range testsize.Of(t, "state-writes", 20, 120, 400) {
		o := about("a.go")
		o.Form = memory.FormList()[i%3]
		b := d.tell(o)
		if len(b.Pinned) != 1 || b.Size < sizes {
			t.Fatalf("%d pinned, size %d after %d", len(b.Pinned), b.Size, sizes)
		}
		sizes = b.Size
	}
	close(stop)
	wait.Wait()
}

// TestContextCanceled: a cancelled call does no work.
func TestContextCanceled(t *testing.T) {
	d := newDesk(t)
	d.note(user, constraintNote("rule", memory.StrengthHard))
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := d.Context(gone, engine.ContextOptions{Tenant: "acme"}); !errors.Is(err, gone.Err()) {
		t.Error(err)
	}
}

// TestContextLearns: what helped an agent comes first for that agent, and
// withdrawing the feedback undoes that.
func TestContextLearns(t *testing.T) {
	d := newDesk(t)
	for _, id := range []string{"cited", "plain"} {
		d.note(user, d.in("modify:file=a.go", fact(id, "", "")))
	}
	d.happen("s", `edit file_edit {"path":"a.go","operation":"modify"}`)
	o := about("a.go")
	o.View.Agent = "coder"
	before := d.expect(o, "", "plain cited", "edit")
	var last *engine.PutResult
	for range 20 {
		last = d.put(engine.Writer{Actor: "coder", Trust: record.Agent}, &memory.Feedback{
			AgentID: "coder", Outcome: memory.OutcomeSuccess,
			Cited: []memory.URI{{Tenant: "acme", Kind: record.Memory, ID: "cited"}, {Tenant: "acme", Kind: record.Event, ID: "edit"}},
		})
	}
	after := d.expect(o, "", "cited plain", "edit")
	if after.Scores["cited"] <= before.Scores["cited"] || after.Scores["edit"] <= before.Scores["edit"] {
		t.Errorf("scores %v became %v", before.Scores, after.Scores)
	}
	o.View.Agent = "stranger"
	if cold := d.tell(o); cold.Scores["cited"] == after.Scores["cited"] {
		t.Errorf("another agent has the same weights: %v", cold.Scores)
	}
	// Feedback of an external page does not count.
	d.put(engine.Writer{Actor: "page", Trust: record.External}, &memory.Feedback{
		AgentID: "coder", Outcome: memory.OutcomeFailure, Cited: []memory.URI{{Tenant: "acme", Kind: record.Memory, ID: "cited"}},
	})
	o.View.Agent = "coder"
	if again := d.tell(o); again.Scores["cited"] != after.Scores["cited"] {
		t.Errorf("scores %v became %v", after.Scores, again.Scores)
	}
	if _, err := d.Forget(ctx, operator, engine.RefOf(last.URI.Head()), "no", engine.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	if again := d.tell(o); again.Scores["cited"] >= after.Scores["cited"] {
		t.Errorf("scores %v became %v", after.Scores, again.Scores)
	}
	sound(t, d.Board)
}

// token mints a scope for the agent coder.
func (d *desk) token(change func(g *scope.Grant)) string {
	d.t.Helper()
	g := scope.Grant{To: "coder", Mode: scope.Read, Expires: d.clock.Now().Add(24 * time.Hour), Trust: record.Agent}
	change(&g)
	text, err := d.MintScope(ctx, operator, "acme", g)
	if err != nil {
		d.t.Fatal(err)
	}
	return text
}

// TestContextScope: what is out of scope does not exist, in every tier, in the
// outcomes, in the counts and in what is reachable.
func TestContextScope(t *testing.T) {
	d := newDesk(t)
	tagged := func(m *memory.Memory) *memory.Memory {
		m.Tags = []string{"mine"}
		return m
	}
	d.note(user, tagged(identityNote("who")))
	d.note(user, constraintNote("secret-rule", memory.StrengthHard))
	d.note(user, tagged(d.in("modify:file=a.go", fact("fact", "", ""))))
	d.note(user, d.in("modify:file=a.go", fact("secret-fact", "", "")))
	for i := range 3 {
		d.note(user, tagged(d.in("modify:file=a.go", &memory.Memory{ID: fmt.Sprint("went", i), Type: memory.TypeEvent})))
	}
	for i := range 5 {
		d.note(user, d.in("modify:file=a.go", &memory.Memory{ID: fmt.Sprint("secret-went", i), Type: memory.TypeEvent}))
	}
	d.happen("s", `edit file_edit {"path":"a.go","operation":"modify"} "tags":["mine"]`,
		`secret-test test_run {"command":"go test ./...","passed":7,"failed":77,"success":false}`,
		`seen feedback {"signal":"positive","comment":"well done"} "tags":["mine"]`)
	o := about("a.go")
	o.OutcomeLimit = 4
	all := d.tell(o)
	if !strings.Contains(spell(all), "secret") || !strings.Contains(spell(all), "77 failed") {
		t.Fatalf("without a scope: %s", spell(all))
	}
	o.View.Scope = d.token(func(g *scope.Grant) { g.Include.Tags = []string{"mine"} })
	for _, budget := range []int{0, 1, 40} {
		o.BudgetTokens = budget
		b := d.tell(o)
		if text := spell(b); strings.Contains(text, "secret") || strings.Contains(text, "77 failed") {
			t.Errorf("budget %d: what is out of scope is shown: %s", budget, text)
		}
		kept := len(b.Pinned) + len(b.FrameRelevant) + len(b.Outcomes)
		if kept+b.Trimmed != 6 || len(b.ReachableURIs) != b.Trimmed {
			t.Errorf("budget %d: %d kept, %d trimmed", budget, kept, b.Trimmed)
		}
	}
	o.BudgetTokens = 0
	b := d.expect(o, "who", "fact", "edit went2 went1 went0")
	if text := b.Outcomes[0].Text; !strings.Contains(text, "well done") {
		t.Errorf("what followed, in scope: %q", text)
	}
	o.View.Scope = d.token(func(g *scope.Grant) { g.Include.All, g.Exclude.Types = true, []string{"event", "constraint"} })
	d.expect(o, "who", "secret-fact fact", "")
}

// TestContextScopePinned: a scope by frames shows pinned records if it says so,
// which gives no right to write.
func TestContextScopePinned(t *testing.T) {
	d := newDesk(t)
	d.note(user, identityNote("who"))
	d.note(user, constraintNote("rule", memory.StrengthHard))
	d.note(engine.Writer{Actor: "bot", Trust: record.Agent}, constraintNote("wish", memory.StrengthHard))
	d.note(user, d.in("modify:file=a.go", fact("fact", "", "")))
	d.note(user, d.in("modify:file=b.go", fact("other", "", "")))
	o := about("a.go")
	frames := func(g *scope.Grant) { g.Include = scope.Selectors{Frames: []string{"modify:file=a.go"}} }
	o.View.Scope = d.token(frames)
	d.expect(o, "", "fact", "")
	o.View.Scope = d.token(func(g *scope.Grant) { frames(g); g.Include.Pinned = true })
	d.expect(o, "who rule", "fact", "")
	o.View.Scope = d.token(func(g *scope.Grant) {
		frames(g)
		g.Include.Pinned = true
		g.Exclude.Types = []string{"constraint"}
	})
	d.expect(o, "who", "fact", "")
	o.View.Scope = d.token(func(g *scope.Grant) { g.Include = scope.Selectors{Pinned: true} })
	d.expect(o, "who rule", "", "")
	w := engine.Writer{Actor: "coder", Trust: record.User, Scope: d.token(func(g *scope.Grant) {
		g.Mode, g.Trust, g.Include = scope.Write, record.User, scope.Selectors{Pinned: true}
	})}
	rule := constraintNote("rule", memory.StrengthHard)
	rule.Text = "Anything goes."
	if _, err := d.Put(ctx, w, "acme", rule, engine.AnyVersion()); fault.CodeOf(err) != fault.OutOfScope {
		t.Errorf("a rule was written: %v", err)
	}
}

// TestContextScopeWindow: events out of scope do not separate an event from its
// outcome, unless there are very many.
func TestContextScopeWindow(t *testing.T) {
	for _, c := range []struct {
		between      int
		seen, scoped bool
	}{{15, true, true}, {16, false, true}, {200, false, true}, {300, false, false}} {
		d := newDesk(t)
		d.happen("s", `edit file_edit {"path":"a.go","operation":"modify"} "tags":["mine"]`)
		for i := range c.between {
			d.happen("s", fmt.Sprintf(`secret%d message {"role":"user","text":"go on"}`, i))
		}
		d.happen("s", `seen feedback {"signal":"positive","comment":"well done"} "tags":["mine"]`)
		o := about("a.go")
		if text := d.told(o, "edit"); strings.Contains(text, "well done") != c.seen {
			t.Errorf("%d between: %q", c.between, text)
		}
		o.View.Scope = d.token(func(g *scope.Grant) { g.Include.Tags = []string{"mine"} })
		if text := d.told(o, "edit"); strings.Contains(text, "well done") != c.scoped {
			t.Errorf("%d out of scope between: %q", c.between, text)
		}
	}
}

// TestContextScopeBudget: the scope's budget is a limit, is itself limited, and
// one entry is always kept.
func TestContextScopeBudget(t *testing.T) {
	d := newDesk(t)
	for i := range 100 {
		d.put(user, d.in("modify:file=a.go", fact(fmt.Sprintf("f%02d", i), "", strings.Repeat("Words and words. ", 20))))
	}
	for _, c := range []struct{ scope, give, budget int }{
		{0, 0, 3000}, {0, 1_000_000_000, 4000}, {100, 0, 100}, {100, 50, 50}, {100, 4000, 100}, {1_000_000, 0, 3000}, {1_000_000, 1_000_000, 4000}, {1, 0, 1},
	} {
		o := about("a.go")
		o.BudgetTokens = c.give
		o.View.Scope = d.token(func(g *scope.Grant) { g.Include.All, g.BudgetTokens = true, c.scope })
		b := d.tell(o)
		if b.Budget != c.budget || b.TotalTokens > c.budget && len(b.Rendered) != 1 || len(b.Rendered) == 0 {
			t.Errorf("scope %d, budget %d: %d, with %d tokens in %d", c.scope, c.give, b.Budget, b.TotalTokens, len(b.Rendered))
		}
	}
}

// TestContextScopeRefused: an invalid token gets a typed error and nothing else,
// also on a tenant without records.
func TestContextScopeRefused(t *testing.T) {
	d := newDesk(t)
	d.note(user, constraintNote("secret", memory.StrengthHard))
	good := d.token(func(g *scope.Grant) { g.Include.All = true })
	ask := func(token, tenant, agent string, now time.Time) error {
		b, err := d.Context(ctx, engine.ContextOptions{Tenant: tenant, View: engine.View{Scope: token, Agent: agent, Now: now}})
		if err == nil {
			return nil
		}
		if b != nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v, %v", b, err)
		}
		return err
	}
	if err := ask(good, "acme", "", time.Time{}); err != nil {
		t.Fatal(err)
	}
	flipped := []byte(good)
	flipped[len(flipped)/2] ^= 1
	for name, c := range map[string]struct {
		err  error
		code fault.Code
	}{
		"forged":               {ask(string(flipped), "acme", "", time.Time{}), fault.ScopeInvalid},
		"truncated":            {ask(good[:len(good)-9], "acme", "", time.Time{}), fault.ScopeInvalid},
		"a megabyte":           {ask(strings.Repeat("x", 1<<20), "acme", "", time.Time{}), fault.ScopeInvalid},
		"of another tenant":    {ask(good, "other", "", time.Time{}), fault.ScopeInvalid},
		"of another agent":     {ask(good, "acme", "tester", time.Time{}), fault.ScopeInvalid},
		"expired by the view":  {ask(good, "acme", "", d.clock.Now().Add(25*time.Hour)), fault.ScopeExpired},
		"expired by the clock": {func() error { d.clock.Move(25 * time.Hour); return ask(good, "acme", "", time.Time{}) }(), fault.ScopeExpired},
		"an earlier now":       {ask(good, "acme", "", d.clock.Now().Add(-24*time.Hour)), fault.ScopeExpired},
	} {
		if name == "an earlier now" {
			c.err = ask(good, "acme", "", d.clock.Now().Add(-24*time.Hour))
		}
		if fault.CodeOf(c.err) != c.code {
			t.Errorf("%s: %v", name, c.err)
		}
	}
}

// TestContextEventsOfManySessions: of very many events in a frame, the newest 64
// are candidates.
func TestContextEventsOfManySessions(t *testing.T) {
	d := newDesk(t)
	for i := range 200 {
		ev, _, err := hmx.DecodeEvent([]byte(d.event(fmt.Sprint("s", i), fmt.Sprintf(`e%03d file_edit {"path":"a.go","operation":"modify"}`, i))))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.AppendEvents(ctx, operator, []*hmx.Event{ev}); err != nil {
			t.Fatal(err)
		}
		d.clock.Move(time.Second)
	}
	o := about("a.go")
	o.BudgetTokens = 1
	if b := d.tell(o); b.Trimmed != 64-1 || len(b.ReachableURIs) != 63 || b.Outcomes[0].ID != "e199" {
		t.Errorf("%d trimmed: %s", b.Trimmed, spell(b))
	}
}

// TestContextPinsOutlastPraise: a writer that writes much, rates it as important
// and praises it does not crowd out pinned records.
func TestContextPinsOutlastPraise(t *testing.T) {
	d := newDesk(t)
	for i := range 5 {
		d.note(user, constraintNote(fmt.Sprint("rule", i), memory.StrengthHard))
	}
	evil := engine.Writer{Actor: "evil", Trust: record.Agent}
	var praised []memory.URI
	for i := range 25 {
		m := d.in("modify:file=a.go", fact(fmt.Sprint("noise", i), "", strings.Repeat("word ", 190)))
		m.Importance = hmx.Some(1.0)
		d.note(evil, m)
		praised = append(praised, memory.URI{Tenant: "acme", Kind: record.Memory, ID: m.ID})
	}
	for range 30 {
		d.put(evil, &memory.Feedback{AgentID: "evil", Outcome: memory.OutcomeSuccess, Cited: praised})
	}
	o := about("a.go")
	o.BudgetTokens = 1000
	b := d.tell(o)
	if len(b.Pinned) != 5 || len(b.FrameRelevant) == 0 || b.FrameRelevant[0].Score >= salience.PinnedFloor {
		t.Errorf("%d pinned, %d others, the best %v", len(b.Pinned), len(b.FrameRelevant), b.FrameRelevant[0].Score)
	}
}
