package hmx

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// link makes an artifact of a chain.
func link(id string, version int64, status Status, supersedes, supersededBy string) *Artifact {
	a := &Artifact{ArtifactID: id, Version: version, Status: status}
	if supersedes != "" {
		a.Supersedes = Some(supersedes)
	}
	if supersededBy != "" {
		a.SupersededBy = Some(supersededBy)
	}
	return a
}

func rulesOf(faults []*ChainFault) string {
	var rules []string
	for _, f := range faults {
		rules = append(rules, f.Rule)
	}
	slices.Sort(rules)
	return strings.Join(slices.Compact(rules), ",")
}

func TestChainRules(t *testing.T) {
	for _, c := range []struct {
		name  string
		links []*Artifact
		want  string
	}{
		{"none", nil, ""},
		{"three versions", []*Artifact{
			link("c", 3, StatusActive, "b", ""), link("a", 1, StatusSuperseded, "", "b"), link("b", 2, StatusSuperseded, "a", "c")}, ""},
		{"neighbours elsewhere", []*Artifact{link("b", 2, StatusSuperseded, "gone", "later")}, ""},
		{"two chains", []*Artifact{link("a", 1, StatusActive, "", ""), link("b", 1, StatusActive, "", "")}, ""},
		{"twice", []*Artifact{link("a", 1, StatusActive, "", ""), link("a", 1, StatusActive, "", "")}, "HMX-A/2.1"},
		{"itself", []*Artifact{link("a", 2, StatusActive, "a", "")}, "HMX-A/7.1"},
		{"itself, the other way", []*Artifact{link("a", 2, StatusSuperseded, "", "a")}, "HMX-A/7.1"},
		{"status", []*Artifact{link("a", 1, StatusDeprecated, "", "b"), link("b", 2, StatusActive, "a", "")}, "HMX-A/7.3"},
		{"two active", []*Artifact{link("a", 1, StatusActive, "", "b"), link("b", 2, StatusActive, "a", "")}, "HMX-A/7.3,HMX-A/7.4"},
		{"one-sided forward", []*Artifact{link("a", 1, StatusSuperseded, "", "b"), link("b", 2, StatusActive, "", "")}, "HMX-A/7.5"},
		{"one-sided backward", []*Artifact{link("a", 1, StatusSuperseded, "", ""), link("b", 2, StatusActive, "a", "")}, "HMX-A/7.5"},
		{"version does not grow", []*Artifact{link("a", 2, StatusSuperseded, "", "b"), link("b", 2, StatusActive, "a", "")}, "HMX-A/2.1"},
		{"branch", []*Artifact{
			link("a", 1, StatusSuperseded, "", "b"), link("b", 2, StatusActive, "a", ""), link("c", 2, StatusArchived, "a", "")}, "HMX-A/7,HMX-A/7.5"},
		{"a draft proposes", []*Artifact{link("a", 1, StatusActive, "", ""), link("b", 2, StatusDraft, "a", "")}, ""},
		{"a proposal came to nothing", []*Artifact{
			link("a", 1, StatusSuperseded, "", "b"), link("b", 2, StatusActive, "a", ""), link("c", 2, StatusDeprecated, "a", "")}, ""},
		{"cycle of two", []*Artifact{
			link("a", 1, StatusSuperseded, "b", "b"), link("b", 2, StatusSuperseded, "a", "a")}, "HMX-A/2.1,HMX-A/7.2"},
		{"cycle of three", []*Artifact{
			link("a", 1, StatusSuperseded, "c", "b"), link("b", 2, StatusSuperseded, "a", "c"), link("c", 3, StatusSuperseded, "b", "a")}, "HMX-A/2.1,HMX-A/7.2"},
	} {
		_, faults := NewChain(c.links)
		if got := rulesOf(faults); got != c.want {
			t.Errorf("%s: %v, want %s", c.name, faults, c.want)
		}
	}
}

func TestChainTraversal(t *testing.T) {
	c, faults := NewChain([]*Artifact{
		link("b", 2, StatusSuperseded, "a", "c"), link("a", 1, StatusSuperseded, "", "b"), link("c", 3, StatusActive, "b", ""), link("z", 1, StatusDraft, "", ""),
	})
	if faults != nil {
		t.Fatal(faults)
	}
	for _, id := range []string{"a", "b", "c"} {
		if got := idsOf(c.All(id)); !slices.Equal(got, []string{"a", "b", "c"}) {
			t.Errorf("All(%s) = %v", id, got)
		}
		if a := c.Active(id); a == nil || a.ArtifactID != "c" {
			t.Errorf("Active(%s) = %v", id, a)
		}
	}
	if got := idsOf(c.Older("c")); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("Older(c) = %v", got)
	}
	if got := idsOf(c.Newer("a")); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("Newer(a) = %v", got)
	}
	if c.Active("z") != nil || c.All("nobody") != nil || c.Older("nobody") != nil {
		t.Error("found what is not there")
	}
}

// Traversal ends even if the chain is broken.
func TestChainTraversalOfCycles(t *testing.T) {
	c, _ := NewChain([]*Artifact{
		link("a", 1, StatusSuperseded, "c", "b"), link("b", 2, StatusSuperseded, "a", "c"), link("c", 3, StatusSuperseded, "b", "a"),
	})
	for _, id := range []string{"a", "b", "c"} {
		if len(c.All(id)) != 3 || len(c.Older(id)) != 2 || len(c.Newer(id)) != 2 {
			t.Errorf("%s: %v %v %v", id, idsOf(c.All(id)), idsOf(c.Older(id)), idsOf(c.Newer(id)))
		}
	}
}

// A chain never leaves its tenant, and a version never wraps around.
func TestChainStaysWithinItsTenant(t *testing.T) {
	a, b := link("a", 1, StatusSuperseded, "", "b"), link("b", 2, StatusActive, "a", "")
	a.TenantID, b.TenantID = Some("t1"), Some("t2")
	c, faults := NewChain([]*Artifact{a, b})
	if rulesOf(faults) != "HMX-A/7" || len(c.All("a")) != 1 {
		t.Errorf("%v", faults)
	}
	a.Status, a.SupersededBy = StatusActive, Opt[string]{}
	c, _ = NewChain([]*Artifact{a})
	if _, _, err := c.Supersede("a", &Artifact{ArtifactID: "n", Status: StatusActive, TenantID: Some("t2")}); err == nil {
		t.Error("superseded by a stranger")
	}
	a.Version = math.MaxInt64
	if _, _, err := c.Supersede("a", &Artifact{ArtifactID: "n", Status: StatusActive, TenantID: Some("t1")}); err == nil {
		t.Error("a version after the last one")
	}
}

// Supersede never causes a fault in a chain, and what it refuses would have caused one.
func TestSupersedeKeepsTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := map[string]*Artifact{}
		for i := range rapid.IntRange(1, 5).Draw(t, "roots") {
			id := fmt.Sprintf("root%d", i)
			all[id] = link(id, 1, rapid.SampledFrom(Statuses()[:2]).Draw(t, "status"), "", "")
		}
		for i := range rapid.IntRange(0, 20).Draw(t, "steps") {
			ids := make([]string, 0, len(all))
			list := make([]*Artifact, 0, len(all))
			for id, a := range all {
				ids, list = append(ids, id), append(list, a)
			}
			slices.Sort(ids)
			c, faults := NewChain(list)
			if faults != nil {
				t.Fatal(faults)
			}
			old := rapid.SampledFrom(ids).Draw(t, "old")
			next := link(fmt.Sprintf("next%d", i), 1, rapid.SampledFrom(Statuses()).Draw(t, "status of next"), "",
				rapid.SampledFrom([]string{"", "", "", old, "elsewhere"}).Draw(t, "successor of next"))
			if rapid.Bool().Draw(t, "known") {
				next = all[rapid.SampledFrom(ids).Draw(t, "next")]
			}
			o, n, err := c.Supersede(old, next)
			wanted := all[old].Status == StatusActive && all[next.ArtifactID] == nil && !next.SupersededBy.Set &&
				(next.Status == StatusActive || next.Status == StatusDraft)
			if (err == nil) != wanted {
				t.Fatalf("%s by %s: %v", old, next.ArtifactID, err)
			}
			if err == nil {
				all[o.ArtifactID], all[n.ArtifactID] = o, n
			}
		}
	})
}

func TestSupersedeRefusals(t *testing.T) {
	c, _ := NewChain([]*Artifact{link("a", 1, StatusActive, "", ""), link("d", 1, StatusDraft, "", "")})
	for name, call := range map[string]func() error{
		"unknown":       func() error { _, _, err := c.Supersede("x", link("b", 1, StatusActive, "", "")); return err },
		"itself":        func() error { _, _, err := c.Supersede("a", link("a", 1, StatusActive, "", "")); return err },
		"a draft":       func() error { _, _, err := c.Supersede("d", link("b", 1, StatusActive, "", "")); return err },
		"taken already": func() error { _, _, err := c.Supersede("a", link("b", 1, StatusActive, "other", "")); return err },
		"has its own":   func() error { _, _, err := c.Supersede("a", link("b", 1, StatusSuperseded, "", "a")); return err },
		"deprecated":    func() error { _, _, err := c.Supersede("a", link("b", 1, StatusDeprecated, "", "")); return err },
		"in the chain":  func() error { _, _, err := c.Supersede("a", link("d", 1, StatusActive, "", "")); return err },
	} {
		if call() == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	rivals, _ := NewChain([]*Artifact{link("a", 1, StatusActive, "", ""), link("b", 2, StatusActive, "a", "")})
	if _, _, err := rivals.Supersede("a", link("c", 1, StatusActive, "", "")); err == nil {
		t.Error("two successors of one artifact")
	}
	named, _ := NewChain([]*Artifact{link("a", 1, StatusActive, "", "x")})
	if _, _, err := named.Supersede("a", link("c", 1, StatusActive, "", "")); err == nil {
		t.Error("a successor in place of another")
	}
	old, next, err := c.Supersede("a", link("b", 7, StatusActive, "", ""))
	if err != nil || old.Status != StatusSuperseded || old.SupersededBy != Some("b") || next.Supersedes != Some("a") || next.Version != 2 {
		t.Errorf("%+v %+v %v", old, next, err)
	}
}
