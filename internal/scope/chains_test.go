package scope

import (
	"crypto/ed25519"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

var epoch = time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC)

// words are few, so that grants and subjects often match.
var words = map[listKind][]string{
	byType:    {"fact", "goal", "event", "constraint", "entity", "identity"},
	byTag:     {"a", "b", "c", "d"},
	byID:      {"x", "y", "z"},
	byFrame:   {"modify:file=a/b.go", "modify:file=a/*", "modify:file=*", "modify:file", "find:url=https://x.example/*", "modify:file=a/b.go*"},
	bySection: {"core", "facts", "goals", "episodes", "evidence"},
	bySession: {"s1", "s2", "s3"},
}

var subjectFrames = []string{"modify:file=a/b.go", "modify:file=a/b.gob", "modify:file=a/c.go", "modify:file=b", "find:url=https://x.example/1", "find:url=https://y.example/"}

func some(rng *rand.Rand, from []string, most int) []string {
	out := []string{}
	for range 1 + rng.IntN(most) {
		out = append(out, from[rng.IntN(len(from))])
	}
	return out
}

func drawSelectors(rng *rand.Rand, p float64) Selectors {
	var s Selectors
	for _, l := range s.lists() {
		if rng.Float64() < p {
			*l.items = some(rng, words[l.of], 3)
		}
	}
	return s
}

// drawGrant returns a grant that may claim too much.
func drawGrant(rng *rand.Rand, first bool) Grant {
	g := Grant{Exclude: drawSelectors(rng, 0.08)}
	if first || rng.IntN(3) > 0 {
		g.Include = drawSelectors(rng, 0.2)
		g.Include.Pinned = rng.IntN(5) == 0
	}
	if g.Include.empty() && (first || rng.IntN(4) == 0) {
		g.Include = Selectors{All: true}
	}
	if rng.IntN(3) == 0 || first {
		g.Mode = Modes()[rng.IntN(2)]
	}
	if rng.IntN(3) == 0 {
		g.BudgetTokens = 1 + rng.IntN(4000)
	}
	if first || rng.IntN(3) == 0 {
		g.Expires = epoch.Add(time.Duration(1+rng.IntN(3_600_000)) * time.Millisecond)
	}
	if rng.IntN(8) == 0 {
		g.NotBefore = epoch.Add(time.Duration(rng.IntN(600_000)) * time.Millisecond)
	}
	if rng.IntN(3) == 0 || first {
		g.Trust = record.Trust(1 + rng.IntN(5))
	}
	names := []string{"", "", "", "", "coder/tests", "coder/tests/one", "tests", "codery", "/", "operator"}
	if g.To = names[rng.IntN(len(names))]; first {
		g.ID, g.Tenant, g.By, g.To = "id", "acme", "ann", "coder"
	}
	return g
}

func drawSubject(rng *rand.Rand) *Subject {
	pick := func(from []string) string { return from[rng.IntN(len(from))] }
	s := &Subject{Kind: record.Memory, ID: pick(words[byID]), Type: pick(words[byType]), Section: pick(words[bySection])}
	if rng.IntN(8) == 0 {
		s.Kind = record.Violation
	}
	if s.Pinned = rng.IntN(4) == 0; !s.Pinned && rng.IntN(2) == 0 {
		s.Session = pick(words[bySession]) // pinned subjects have none
	}
	for range rng.IntN(3) {
		s.Tags = append(s.Tags, pick(words[byTag]))
	}
	for range rng.IntN(3) {
		s.Frames = append(s.Frames, pick(subjectFrames))
	}
	return s
}

// naiveAllows is the reference for one block: it reports whether it allows a subject.
func naiveAllows(g *Grant, s *Subject) bool {
	in := func(list []string, words ...string) bool {
		for _, w := range words {
			if slices.Contains(list, w) {
				return true
			}
		}
		return false
	}
	framed := func(list []string) bool {
		for _, f := range s.Frames {
			for _, item := range list {
				exact := item == f
				begins := strings.HasSuffix(item, "*") && strings.HasPrefix(f, item[:len(item)-1])
				any := !strings.Contains(item, "=") && strings.Split(f, "=")[0] == item
				if exact || begins || any {
					return true
				}
			}
		}
		return false
	}
	var included, excluded []bool
	for i, sel := range []Selectors{g.Include, g.Exclude} {
		add := func(list []string, on bool) {
			if list == nil {
				return
			}
			if i == 0 {
				included = append(included, on)
			} else {
				excluded = append(excluded, on)
			}
		}
		add(sel.Types, in(sel.Types, s.Type))
		add(sel.Tags, in(sel.Tags, s.Tags...))
		add(sel.IDs, in(sel.IDs, s.ID))
		add(sel.Frames, framed(sel.Frames))
		add(sel.Sections, in(sel.Sections, s.Section))
		add(sel.Sessions, in(sel.Sessions, s.Session))
	}
	listed := !slices.Contains(included, false)
	if g.Include.Pinned {
		listed = s.Pinned || len(included) > 0 && listed
	}
	return s.Kind != record.Violation && listed && !slices.Contains(excluded, true)
}

// naiveWrites is the reference for writing: a chain lets a subject be written if it would allow
// it with any single one of its tags and frames, not pinned.
func naiveWrites(grants []Grant, s *Subject) bool {
	ones := []Subject{*s}
	for _, tag := range s.Tags {
		one := *s
		one.Tags = []string{tag}
		ones = append(ones, one)
	}
	for _, frame := range s.Frames {
		one := *s
		one.Frames = []string{frame}
		ones = append(ones, one)
	}
	for i := range grants {
		for _, one := range ones {
			one.Pinned = false
			if !naiveAllows(&grants[i], &one) {
				return false
			}
		}
	}
	return true
}

// notWider fails if a longer chain allows what a shorter one does not.
func notWider(t *testing.T, what string, shorter, longer *Access, grants []Grant, subjects []*Subject) {
	t.Helper()
	for _, s := range subjects {
		all := true
		for i := range grants {
			all = all && naiveAllows(&grants[i], s)
		}
		if got := longer.Allows(s); got != all {
			t.Fatalf("%s: %+v is allowed: %v, but by hand %v; %+v", what, s, got, all, grants)
		}
		if w := longer.AllowsWrite(s); w && (!shorter.AllowsWrite(s) || !longer.Allows(s)) || w != naiveWrites(grants, s) {
			t.Fatalf("%s: %+v may be written: %v; %+v", what, s, w, grants)
		}
		if longer.Allows(s) && !shorter.Allows(s) {
			t.Fatalf("%s: %+v is allowed by the longer chain alone; %+v", what, s, grants)
		}
		if longer.Allows(s) && s.Session != "" && !longer.MayHoldSession(s.Session) {
			t.Fatalf("%s: %+v is allowed in a session that holds nothing; %+v", what, s, grants)
		}
	}
	switch {
	case longer.MayWrite() && !shorter.MayWrite():
		t.Fatalf("%s: writes; %+v", what, grants)
	case shorter.Budget() > 0 && (longer.Budget() == 0 || longer.Budget() > shorter.Budget()):
		t.Fatalf("%s: spends %d of %d; %+v", what, longer.Budget(), shorter.Budget(), grants)
	case longer.Trust() > shorter.Trust() || !longer.Trust().Known():
		t.Fatalf("%s: trust %s of %s; %+v", what, longer.Trust(), shorter.Trust(), grants)
	case longer.Tenant() != shorter.Tenant() || longer.ID() != shorter.ID() || longer.By() != shorter.By():
		t.Fatalf("%s: another token; %+v", what, grants)
	case longer.Agent() != shorter.Agent() && !strings.HasPrefix(longer.Agent(), shorter.Agent()+"/"):
		t.Fatalf("%s: the agent %q is not below %q; %+v", what, longer.Agent(), shorter.Agent(), grants)
	case longer.Everything() && !shorter.Everything():
		t.Fatalf("%s: shows everything; %+v", what, grants)
	}
	// Times are compared by probing around every edge.
	for _, edge := range []time.Time{shorter.Expires(), longer.Expires(), shorter.NotBefore(), longer.NotBefore()} {
		for _, by := range []time.Duration{-1, 0} {
			at := edge.Add(by)
			if shorter.At(at) != nil && longer.At(at) == nil {
				t.Fatalf("%s: good at %s; %+v", what, at, grants)
			}
		}
	}
}

// TestChainsNeverWiden narrows at random, and compares every chain with each of its prefixes.
func TestChainsNeverWiden(t *testing.T) {
	const chains = 100_000
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	accepted, refused, visible, hidden := 0, 0, 0, 0
	for range chains {
		first := drawGrant(rng, true).normal()
		first.defaults()
		if err := first.check(); err != nil {
			t.Fatal(err)
		}
		grants := []Grant{first}
		access, err := accessOf(grants)
		if err != nil {
			continue // it expires before it begins
		}
		subjects := make([]*Subject, 6)
		for i := range subjects {
			subjects[i] = drawSubject(rng)
		}
		before := []*Access{access}
		for range 2 + rng.IntN(4) {
			g := drawGrant(rng, false).normal()
			last := before[len(before)-1]
			g.By = last.to
			if g.To != "" && rng.IntN(2) == 0 && !Below(g.To, last.to) {
				g.To = last.to + "/" + g.To
			}
			longer := append(slices.Clone(grants), g)
			access, err := accessOf(longer)
			if g.check() != nil || err != nil {
				refused++
				continue
			}
			accepted++
			for i, shorter := range before {
				notWider(t, fmt.Sprintf("from block %d", i), shorter, access, longer, subjects)
			}
			grants, before = longer, append(before, access)
		}
		for _, s := range subjects {
			if before[len(before)-1].Allows(s) {
				visible++
			} else {
				hidden++
			}
		}
	}
	if accepted < chains || refused < chains || visible < chains/20 || hidden < chains {
		t.Errorf("%d narrowings accepted, %d refused, %d subjects visible, %d hidden: the test does not look at enough", accepted, refused, visible, hidden)
	}
}

// TestSignedChainsNeverWiden is the same through signatures and texts: each token is written,
// parsed and verified as its receiver would.
func TestSignedChainsNeverWiden(t *testing.T) {
	chains := testsize.Of(t, "chains", 100, 1000, 100_000)
	rng := rand.New(rand.NewPCG(7, rand.Uint64()))
	board := testKey(1)
	narrowed := 0
	for range chains {
		token, err := Mint(board, drawGrant(rng, true))
		if err != nil {
			continue // it expires before it begins
		}
		before := []*Access{verifyText(t, board, token)}
		if before[0] == nil {
			continue
		}
		subjects := []*Subject{drawSubject(rng), drawSubject(rng), drawSubject(rng), drawSubject(rng)}
		for range 1 + rng.IntN(4) {
			longer, err := token.Narrow(drawGrant(rng, false))
			if err != nil {
				continue
			}
			if !longer.Extends(token) || token.Extends(longer) {
				t.Fatal("which of two tokens is the longer one is not seen")
			}
			access := verifyText(t, board, longer)
			if access == nil {
				break
			}
			for i, shorter := range before {
				notWider(t, fmt.Sprintf("signed, from block %d", i), shorter, access, longer.Grants(), subjects)
			}
			narrowed++
			token, before = longer, append(before, access)
		}
		if rng.IntN(4) == 0 {
			sealed, err := token.Seal()
			if err != nil {
				t.Fatal(err)
			}
			access := verifyText(t, board, sealed)
			notWider(t, "sealed", before[len(before)-1], access, sealed.Grants(), subjects)
			if _, err := sealed.Narrow(Grant{}); err == nil {
				t.Fatal("a sealed token is narrowed")
			}
		}
	}
	if narrowed < chains/2 {
		t.Errorf("only %d narrowings in %d chains", narrowed, chains)
	}
}

// verifyText passes a token on as text and verifies it, at a time at which it is valid. It
// returns nil if there is none.
func verifyText(t *testing.T, board ed25519.PrivateKey, token Token) *Access {
	t.Helper()
	read, err := Parse(token.String())
	if err != nil {
		t.Fatalf("what was made cannot be read: %v", err)
	}
	if read.String() != token.String() {
		t.Fatal("reading and writing gives another text")
	}
	b, err := chain(read.Grants())
	if err != nil {
		t.Fatalf("what was made is refused: %v", err)
	}
	access, err := read.Verify(public(board), "acme", b.expires.Add(-1))
	if err != nil {
		t.Fatalf("what was made is not verified: %v", err)
	}
	return access
}

// testKey returns a fixed key.
func testKey(n byte) ed25519.PrivateKey {
	seed := make([]byte, ed25519.SeedSize)
	seed[0] = n
	return ed25519.NewKeyFromSeed(seed)
}
