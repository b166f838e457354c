package compile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
)

// draftOf returns a draft with a subject and a statement.
func draftOf(t testing.TB, about, says string, change ...func(*Draft)) Draft {
	t.Helper()
	o := Options{Tenant: "t", Now: hmx.TimeOf(time.UnixMilli(1e12))}
	f := finding{
		about: about, title: about, content: hmx.CausalPattern{Cause: about, Effect: says}, all: tally{all: 5, judged: 5, succeeded: 5},
		consistency: 1, sources: evidence{trust: record.Agent},
	}
	f.sources.refer(traceRef("e-" + about))
	d, err := o.draft(&f)
	if err != nil {
		t.Fatal(err)
	}
	d.Artifact.Confidence = 0.9
	for _, c := range change {
		c(&d)
	}
	return d
}

// board is the artifacts after the changes.
type board struct {
	artifacts map[string]*hmx.Artifact
	hands     map[string]bool // artifacts whose status an operator set
}

func newBoard() *board {
	return &board{artifacts: make(map[string]*hmx.Artifact), hands: make(map[string]bool)}
}

func (b *board) known() []*hmx.Artifact {
	var out []*hmx.Artifact
	for _, id := range slices.Sorted(maps.Keys(b.artifacts)) {
		out = append(out, b.artifacts[id])
	}
	return out
}

type fataler interface{ Fatalf(string, ...any) }

// apply applies a change, and fails the test if it is wrong.
func (b *board) apply(t fataler, c Change) {
	move := func(a *hmx.Artifact) {
		was := b.artifacts[a.ArtifactID]
		if was == nil {
			t.Fatalf("%s of %s, which is not there", c.Kind, a.ArtifactID)
		}
		if err := was.Status.Transition(a.Status); err != nil {
			t.Fatalf("%s: %v", c.Kind, err)
		}
		b.artifacts[a.ArtifactID] = a
		delete(b.hands, a.ArtifactID)
	}
	if c.Reason == "" {
		t.Fatalf("%s without a reason", c.Kind)
	}
	switch c.Kind {
	case Create, Supersede:
		if b.artifacts[c.Artifact.ArtifactID] != nil || c.Artifact.Status != hmx.StatusDraft {
			t.Fatalf("%s of %s, which is there or no draft", c.Kind, c.Artifact.ArtifactID)
		}
		b.artifacts[c.Artifact.ArtifactID] = c.Artifact
		if c.Kind == Supersede {
			move(c.Old)
		}
	case Activate, Deprecate:
		move(c.Artifact)
	case Unchanged:
		if was := b.artifacts[c.Artifact.ArtifactID]; was == nil || was.Status != c.Artifact.Status {
			t.Fatalf("%s is said to be unchanged", c.Artifact.ArtifactID)
		}
	default:
		t.Fatalf("a change of kind %q", c.Kind)
	}
	if c.Kind == Create || c.Kind == Supersede {
		if _, err := c.Artifact.Validate(); err != nil {
			t.Fatalf("%s: %v", c.Artifact.Title, err)
		}
	}
	if len(b.artifacts) < 20 {
		b.check(t)
	}
}

// check checks the rules of chains.
func (b *board) check(t fataler) {
	_, faults := hmx.NewChain(b.known())
	if len(faults) > 0 {
		t.Fatalf("%v", faults[0])
	}
	active := make(map[string]string)
	for id, a := range b.artifacts {
		if key, _ := KeyOf(a); a.Status == hmx.StatusActive && active[key] != "" {
			t.Fatalf("%s and %s are both active", id, active[key])
		} else if a.Status == hmx.StatusActive {
			active[key] = id
		}
	}
}

// merge merges drafts into the board, and returns the changes.
func (b *board) merge(t fataler, drafts []Draft, o Options) (changed []string) {
	o.ByHand = func(a *hmx.Artifact) bool { return b.hands[a.ArtifactID] }
	for _, c := range Merge(drafts, b.known(), o) {
		b.apply(t, c)
		if c.Kind != Unchanged {
			changed = append(changed, string(c.Kind)+": "+c.Reason)
		}
	}
	b.check(t)
	return changed
}

// active returns what is active: key and content.
func (b *board) active() map[string]string {
	out := make(map[string]string)
	for _, a := range b.artifacts {
		if key, _ := KeyOf(a); a.Status == hmx.StatusActive {
			out[key] = a.ContentHash
		}
	}
	return out
}

// set changes the status of artifacts, as an operator does.
func (b *board) set(from, to hmx.Status) {
	for _, id := range slices.Sorted(maps.Keys(b.artifacts)) {
		if a := b.artifacts[id]; a.Status == from {
			moved := *a
			moved.Status = to
			b.artifacts[id] = &moved
			b.hands[id] = true
		}
	}
}

func TestMerge(t *testing.T) {
	const fit = "activate: its evidence resolves, and there is enough of it"
	const gone = "deprecate: what it was made of is observed no more"
	one, two := draftOf(t, "a", "one"), draftOf(t, "a", "two")
	few := draftOf(t, "a", "one", func(d *Draft) { d.Support = 1 })
	unsure := draftOf(t, "a", "one", func(d *Draft) { d.Artifact.Confidence = 0.1 })
	against := draftOf(t, "a", "one", func(d *Draft) { d.Against = "it failed" })
	forged := draftOf(t, "a", "one", func(d *Draft) { d.Artifact.ContentHash = strings.Repeat("0", 64) })
	counted := func(says string) Draft {
		return draftOf(t, "a", says, func(d *Draft) {
			c, _ := d.Artifact.CausalPattern()
			c.Strength = hmx.Some(0.5)
			if err := d.Artifact.SetContent(c); err != nil {
				t.Fatal(err)
			}
		})
	}
	more, twoMore := counted("one"), counted("two")
	if more.Artifact.ContentHash == one.Artifact.ContentHash {
		t.Fatal("counts make no other content")
	}
	made := []string{"create: observed 5 times", fit}
	waits := []string{"create: an operator took the version before out of use, so one has to approve it"}
	proposes := []string{"create: an operator approved the version before, so one has to approve this one, too"}
	archive := func(b *board, round int) {
		if round == 0 {
			b.set(hmx.StatusActive, hmx.StatusArchived)
		}
	}
	steps := func(s ...[]string) [][]string { return s }
	for name, tc := range map[string]struct {
		drafts [][]Draft
		hand   func(b *board, round int)
		want   [][]string
	}{
		"new, then the same":  {[][]Draft{{one}, {one}}, nil, steps(made, nil)},
		"new content":         {[][]Draft{{one}, {two}}, nil, steps(made, []string{"supersede: newer evidence says something else", fit})},
		"and back":            {[][]Draft{{one}, {two}, {one}}, nil, steps(made, []string{"supersede: newer evidence says something else", fit}, []string{"supersede: newer evidence says something else", fit})},
		"no longer observed":  {[][]Draft{{one}, {}, {one}}, nil, steps(made, []string{gone}, made)},
		"too few, then more":  {[][]Draft{{few}, {few}, {one}}, nil, steps([]string{"create: it was observed 1 times, and 2 are needed"}, nil, []string{fit})},
		"too few, then other": {[][]Draft{{few}, {two}}, nil, steps([]string{"create: it was observed 1 times, and 2 are needed"}, []string{"deprecate: newer evidence says something else", "create: observed 5 times", fit})},
		"unsure again":        {[][]Draft{{one}, {unsure}, {one}}, nil, steps(made, []string{"deprecate: its confidence is 0.100, and 0.200 is needed", "create: its confidence is 0.100, and 0.200 is needed"}, []string{fit})},
		"contradicted":        {[][]Draft{{one}, {against}, {one}}, nil, steps(made, []string{"deprecate: it failed"}, made)},
		"archived": {[][]Draft{{one}, {one}, {two}}, func(b *board, round int) {
			if round == 0 {
				b.set(hmx.StatusActive, hmx.StatusArchived)
			}
		}, steps(made, nil, waits)},
		"archived, then counts step": {[][]Draft{{one}, {more}, {two}, {twoMore}, {more}, {two}}, archive, steps(made, nil, waits, nil,
			[]string{"deprecate: what happened since then says what an operator put away"}, waits)},
		"archived, then something else is approved": {[][]Draft{{one}, {two}, {twoMore}, {more}}, func(b *board, round int) {
			if archive(b, round); round == 1 {
				b.set(hmx.StatusDraft, hmx.StatusActive)
			}
		}, steps(made, waits, nil, nil)},
		"approved, then something else": {[][]Draft{{few}, {two}, {twoMore}, {more}, {two}}, func(b *board, round int) {
			if round == 0 {
				b.set(hmx.StatusDraft, hmx.StatusActive)
			}
		}, steps([]string{"create: it was observed 1 times, and 2 are needed"}, proposes, nil, []string{"deprecate: it differs from the version before in counts only"}, proposes)},
		"archived, too few now": {[][]Draft{{two}, {few}, {one}}, archive, steps(made, waits, nil)},
		"deprecated by hand":    {[][]Draft{{one}, {one}, {more}}, func(b *board, round int) { b.set(hmx.StatusActive, hmx.StatusDeprecated) }, steps(made, nil, nil)},
		"a draft deprecated by hand": {[][]Draft{{few}, {more}, {two}}, func(b *board, round int) { b.set(hmx.StatusDraft, hmx.StatusDeprecated) },
			steps([]string{"create: it was observed 1 times, and 2 are needed"}, nil, waits)},
		"superseded by hand": {[][]Draft{{one}, {more}, {two}}, func(b *board, round int) { b.set(hmx.StatusActive, hmx.StatusSuperseded) }, steps(made, nil, waits)},
		"approved by hand": {[][]Draft{{few}, {few}, {}}, func(b *board, round int) {
			if round == 0 {
				b.set(hmx.StatusDraft, hmx.StatusActive)
			}
		}, steps([]string{"create: it was observed 1 times, and 2 are needed"}, nil, []string{gone})},
	} {
		b := newBoard()
		for i, drafts := range tc.drafts {
			got := b.merge(t, drafts, Options{Tenant: "t"})
			if d := cmp.Diff(tc.want[i], got); d != "" {
				t.Errorf("%s, round %d: %s", name, i, d)
			}
			if tc.hand != nil {
				tc.hand(b, i)
			}
		}
	}
	// A draft with a wrong hash cannot be used.
	changes := Merge([]Draft{forged}, nil, Options{Tenant: "t"})
	if len(changes) != 1 || changes[0].Kind != Create || !strings.Contains(changes[0].Reason, "hash") {
		t.Errorf("%+v", changes)
	}
	// Foreign artifacts are ignored.
	foreign := &hmx.Artifact{ArtifactID: "x", Status: hmx.StatusActive, Metadata: `{"compiler":"else","key":"causal_pattern a"}`}
	if changes := Merge(nil, []*hmx.Artifact{foreign, {ArtifactID: "y", Status: hmx.StatusActive, Metadata: "{}"}}, Options{}); len(changes) != 0 {
		t.Errorf("%+v", changes)
	}
}

// An artifact whose evidence is gone is rebuilt from the remaining evidence, with the same
// content and another id.
func TestMergeErased(t *testing.T) {
	one := draftOf(t, "a", "one")
	b := newBoard()
	b.merge(t, []Draft{one}, Options{Tenant: "t"})
	o := Options{Tenant: "t", Resolves: func(id string) bool { return id != "e-a" }}
	if got := b.merge(t, []Draft{one}, o); len(got) != 1 || !strings.Contains(got[0], "is not there") || len(b.active()) != 0 {
		t.Errorf("%v", got)
	}
	b = newBoard()
	b.merge(t, []Draft{one}, Options{Tenant: "t"})
	again := draftOf(t, "a", "one", func(d *Draft) { d.Artifact.SourceEvents = []string{"e-other"} })
	got := b.merge(t, []Draft{again}, o)
	if len(got) != 2 || got[0] != "supersede: an event that it was made of is not there" || len(b.active()) != 1 || len(b.artifacts) != 2 {
		t.Errorf("%v", got)
	}
}

// Drafts with the same content become one, with the evidence of both.
func TestMergeDuplicates(t *testing.T) {
	same := func(about string, support int) Draft {
		return draftOf(t, about, "one", func(d *Draft) {
			d.Support = support
			if err := d.Artifact.SetContent(hmx.CausalPattern{Cause: "c"}); err != nil {
				t.Fatal(err)
			}
		})
	}
	a, b := same("a", 2), same("b", 9)
	a.Trust = record.Tool
	changes := Merge([]Draft{a, b}, nil, Options{Tenant: "t"})
	if len(changes) != 2 || changes[1].Kind != Activate {
		t.Fatalf("%+v", changes)
	}
	got := changes[1].Artifact
	if key, _ := KeyOf(got); key != "causal_pattern b" || !slices.Equal(got.SourceEvents, []string{"e-a", "e-b"}) {
		t.Errorf("%s %v", key, got.SourceEvents)
	}
	if len(a.Artifact.SourceEvents) != 1 || len(b.Artifact.SourceEvents) != 1 {
		t.Error("a draft was changed")
	}
}

// An approved artifact loses its evidence after the previous version was archived: new
// statements wait, from then on.
func TestMergeWithoutWhatWasApproved(t *testing.T) {
	from := func(says, event string) Draft {
		return draftOf(t, "a", says, func(d *Draft) { d.Artifact.SourceEvents = []string{event} })
	}
	b, gone := newBoard(), ""
	o := Options{Tenant: "t", Resolves: func(id string) bool { return id != gone }}
	b.merge(t, []Draft{from("one", "e1")}, o)
	b.set(hmx.StatusActive, hmx.StatusArchived)
	b.merge(t, []Draft{from("two", "e2")}, o)
	b.set(hmx.StatusDraft, hmx.StatusActive)
	few := from("three", "e3")
	b.merge(t, []Draft{few}, o)
	gone, few.Support = "e2", 1
	if got := b.merge(t, []Draft{few}, o); len(got) != 3 || len(b.active()) > 0 {
		t.Errorf("%q, %v", got, b.active())
	}
	if got := b.merge(t, []Draft{few}, o); len(got) > 0 {
		t.Errorf("and then %q", got)
	}
}

// An erased artifact is not made again, and a different statement is.
func TestMergeErasedArtifact(t *testing.T) {
	one, two := draftOf(t, "a", "one"), draftOf(t, "a", "two")
	b := newBoard()
	b.merge(t, []Draft{one}, Options{Tenant: "t"})
	erased := b.known()[0].ArtifactID
	o := Options{Tenant: "t", Erased: func(id string) bool { return id == erased }}
	b = newBoard()
	if got := b.merge(t, []Draft{one}, o); len(got) > 0 {
		t.Errorf("%q", got)
	}
	if got := b.merge(t, []Draft{two}, o); len(got) != 2 || len(b.active()) != 1 {
		t.Errorf("%q", got)
	}
	if got := b.merge(t, []Draft{one}, o); len(got) != 1 || len(b.active()) > 0 {
		t.Errorf("%q", got)
	}
}

// An id depends only on tenant, key and content.
func TestIDs(t *testing.T) {
	id := idOf("t", "k", "c", 0)
	if id != "2ecf4c29-c115-8971-87f7-b1d428269464" {
		t.Error(id)
	}
	seen := map[string]bool{id: true}
	for _, other := range []string{idOf("u", "k", "c", 0), idOf("t", "l", "c", 0), idOf("t", "k", "d", 0), idOf("t", "k", "c", 1), idOf("t", "kc", "", 0), idOf("tk", "", "c", 0)} {
		if seen[other] || len(other) != 36 {
			t.Error(other)
		}
		seen[other] = true
	}
}

// drawDrafts makes drafts with a few subjects and a few statements.
func drawDrafts(t *rapid.T, base testing.TB) []Draft {
	var out []Draft
	for _, about := range []string{"a", "b", "c"} {
		if rapid.IntRange(0, 4).Draw(t, "there") == 0 {
			continue
		}
		says := fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "says"))
		out = append(out, draftOf(base, about, says, func(d *Draft) {
			d.Support = rapid.IntRange(1, 5).Draw(t, "support")
			d.Artifact.Confidence = rapid.SampledFrom([]float64{0.1, 0.9, 0.9}).Draw(t, "confidence")
			if rapid.IntRange(0, 5).Draw(t, "against") == 0 {
				d.Against = "it failed"
			}
			d.Artifact.SourceEvents = []string{fmt.Sprint("e", rapid.IntRange(0, 5).Draw(t, "event"))}
		}))
	}
	return out
}

// Invariants: no chain has a fault or two active artifacts after any single change; merging
// twice changes nothing; what operators rejected stays inactive until they approve something;
// and what is active in the end without an operator's decision is what the last drafts say.
func TestLifecycles(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b, alone := newBoard(), newBoard()
		erased := make(map[string]bool)
		o := Options{Tenant: "t", Resolves: func(id string) bool { return !erased[id] }}
		var last []Draft
		away := make(map[string]bool) // keys that an operator rejected
		for range rapid.IntRange(1, 8).Draw(rt, "rounds") {
			last = drawDrafts(rt, t)
			b.merge(rt, last, o)
			alone.merge(rt, last, o)
			for key := range b.active() {
				if away[key] {
					rt.Fatalf("%s was put away, and is active", key)
				}
			}
			if got := b.merge(rt, last, o); len(got) > 0 {
				rt.Fatalf("merged twice: %v", got)
			}
			switch rapid.IntRange(0, 9).Draw(rt, "hand") {
			case 0, 1:
				for key := range b.active() {
					away[key] = true
				}
				b.set(hmx.StatusActive, rapid.SampledFrom([]hmx.Status{hmx.StatusArchived, hmx.StatusDeprecated}).Draw(rt, "to"))
			case 2:
				b.set(hmx.StatusDraft, hmx.StatusDeprecated)
			case 3:
				// Drafts of an active content cannot be approved as well.
				if len(b.active()) == 0 {
					b.set(hmx.StatusDraft, hmx.StatusActive)
					for key := range b.active() {
						delete(away, key)
					}
				}
			case 4:
				erased[fmt.Sprint("e", rapid.IntRange(0, 5).Draw(rt, "erased"))] = true
			}
			b.check(rt)
		}
		alone.merge(rt, last, o)
		fresh := newBoard()
		fresh.merge(rt, last, o)
		if d := cmp.Diff(fresh.active(), alone.active()); d != "" {
			rt.Fatalf("in one go and in many: %s", d)
		}
	})
}
