package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/compile"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// lives is a board whose artifacts change at random.
type lives struct {
	t       *rapid.T
	base    testing.TB
	b       *engine.Board
	events  []string
	session int
	made    int
	// away are keys that a person archived or deprecated, with nothing active of them
	// since.
	away map[string]bool
}

// TestArtifactLives writes, compiles, approves, archives, deprecates, changes, forgets and
// erases at random. No chain ever has a cycle or two active artifacts, every artifact is
// valid and matches its hash, and after a compile every active artifact has its evidence
// on record and none is active that a person archived or deprecated.
func TestArtifactLives(t *testing.T) {
	testsize.OneGoroutine(t)
	most := testsize.Of(t, "lives", 1, 3, 50)
	rapid.Check(t, func(rt *rapid.T) {
		l := &lives{t: rt, base: t, b: open(t, disk.NewMem(), "data"), away: make(map[string]bool)}
		l.work()
		for range rapid.IntRange(4, most+4).Draw(rt, "steps") {
			l.step(rapid.IntRange(0, 9).Draw(rt, "what"))
			lifecycle(rt, l.b)
		}
		l.compile()
		before, err := l.b.Root(ctx, "acme")
		if err != nil {
			rt.Fatal(err)
		}
		if r, err := l.b.Compile(ctx, user, "acme", engine.CompileOptions{Full: true}); err != nil || r.Root != before {
			rt.Fatalf("compiled again: %+v %v", r, err)
		}
		sound(t, l.b)
	})
}

func (l *lives) step(what int) {
	switch what {
	case 0, 1:
		l.work()
	case 2, 3:
		l.compile()
	case 4:
		l.write()
	case 5, 6, 7:
		l.decide()
	case 8:
		l.change()
	case 9:
		l.erase()
	}
}

// work records a few sessions.
func (l *lives) work() {
	for range rapid.IntRange(1, 3).Draw(l.t, "sessions") {
		list := worked(l.base, l.session)
		l.session++
		res, err := l.b.AppendEvents(ctx, user, list)
		if err != nil {
			l.t.Fatal(err)
		}
		for i, ev := range list {
			if res.Receipts[i].Disposition == engine.Accepted { // content that equals something erased is refused
				l.events = append(l.events, ev.EventID)
			}
		}
	}
}

// compile compiles, and checks that active artifacts have their evidence and were not
// archived or deprecated.
func (l *lives) compile() {
	if _, err := l.b.Compile(ctx, user, "acme", engine.CompileOptions{Full: rapid.Bool().Draw(l.t, "full")}); err != nil {
		l.t.Fatal(err)
	}
	for _, a := range l.all() {
		if a.Status != hmx.StatusActive {
			continue
		}
		key, ok := compile.KeyOf(a)
		if !ok {
			continue
		}
		if l.away[key] {
			l.t.Fatalf("%q was put away, and %s is active", key, a.ArtifactID)
		}
		if d, err := l.b.Artifact(ctx, "acme", a.ArtifactID, engine.View{}); err != nil || d.MissingCount > 0 || d.Events == 0 {
			l.t.Fatalf("%s: %+v %v", a.ArtifactID, d, err)
		}
	}
}

// all returns all artifacts, by id.
func (l *lives) all() []*hmx.Artifact {
	list := artifactsOf(l.base, l.b, engine.ArtifactOptions{Any: true, Limit: 1000})
	slices.SortFunc(list, func(a, b *hmx.Artifact) int { return strings.Compare(a.ArtifactID, b.ArtifactID) })
	return list
}

// pick returns a random artifact, or nil.
func (l *lives) pick() *hmx.Artifact {
	if all := l.all(); len(all) > 0 {
		return all[rapid.IntRange(0, len(all)-1).Draw(l.t, "artifact")]
	}
	return nil
}

// allowed fails the test unless an error comes from a rule.
func (l *lives) allowed(err error) bool {
	switch fault.CodeOf(err) {
	case "", fault.InvalidArgument, fault.InvalidDocument, fault.Untrusted, fault.NotFound, fault.Erased, fault.IDConflict:
	default:
		l.t.Fatal(err)
	}
	return err == nil
}

// write puts an artifact by hand, of any status, that may name any other as the one that
// it supersedes or is superseded by.
func (l *lives) write() {
	l.made++
	a := compiled(l.base, fmt.Sprint("hand", l.made), "By hand", &hmx.DecisionPolicy{Condition: "c", Recommendation: fmt.Sprint("r", l.made)}, l.events[0])
	a.HMX.Status = rapid.SampledFrom(hmx.Statuses()).Draw(l.t, "status")
	a.HMX.Version = rapid.Int64Range(2, 5).Draw(l.t, "version")
	if old := l.pick(); old != nil && rapid.Bool().Draw(l.t, "supersedes") {
		a.HMX.Supersedes = hmx.Some(old.ArtifactID)
	}
	if next := l.pick(); next != nil && a.HMX.Status == hmx.StatusSuperseded {
		a.HMX.SupersededBy = hmx.Some(next.ArtifactID)
	}
	_, err := l.b.Put(ctx, user, "acme", a, engine.AnyVersion())
	l.allowed(err)
}

// decide approves, archives or deprecates a random artifact.
func (l *lives) decide() {
	a := l.pick()
	if a == nil {
		return
	}
	to := rapid.SampledFrom([]hmx.Status{hmx.StatusActive, hmx.StatusArchived, hmx.StatusDeprecated}).Draw(l.t, "to")
	_, err := l.b.DecideArtifact(ctx, user, engine.ArtifactDecision{Tenant: "acme", ID: a.ArtifactID, To: to, Reason: "by hand"})
	l.note(a, to, err)
}

// note records a decision about a key.
func (l *lives) note(a *hmx.Artifact, to hmx.Status, err error) {
	if !l.allowed(err) {
		return
	}
	key, ok := compile.KeyOf(a)
	switch {
	case !ok:
	case to == hmx.StatusActive:
		delete(l.away, key)
	case a.Status == hmx.StatusActive:
		l.away[key] = true
	}
}

// change changes the status of a random artifact, or forgets it.
func (l *lives) change() {
	a, by := l.pick(), ""
	if a == nil {
		return
	}
	if rapid.IntRange(0, 5).Draw(l.t, "forget") == 0 {
		_, err := l.b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Artifact, ID: a.ArtifactID}, "no", engine.AnyVersion())
		l.note(a, hmx.StatusArchived, err)
		return
	}
	to := rapid.SampledFrom(hmx.Statuses()).Draw(l.t, "to")
	if to == hmx.StatusSuperseded {
		by = l.pick().ArtifactID
	}
	_, err := l.b.Transition(ctx, user, engine.Ref{Tenant: "acme", ID: a.ArtifactID}, to, by, "by hand", engine.AnyVersion())
	l.note(a, to, err)
}

// erase erases an event, or an artifact.
func (l *lives) erase() {
	u := memory.URI{Tenant: "acme", Kind: record.Event, ID: l.events[rapid.IntRange(0, len(l.events)-1).Draw(l.t, "event")]}
	if a := l.pick(); a != nil && rapid.IntRange(0, 3).Draw(l.t, "kind") == 0 {
		u = memory.URI{Tenant: "acme", Kind: record.Artifact, ID: a.ArtifactID}
		// Nothing is left that would show what it was about.
		if key, ok := compile.KeyOf(a); ok {
			delete(l.away, key)
		}
	}
	_, err := l.b.Redact(ctx, user, []memory.URI{u})
	l.allowed(err)
}
