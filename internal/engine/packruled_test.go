package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// hardRule is a rule, and whether a pack for agent a1 at the time of the newest record must
// include it.
type hardRule struct {
	id    string
	by    engine.Writer
	body  memory.Body
	holds bool
}

// hardRules are rules of every kind.
func hardRules(begin time.Time) []hardRule {
	hard := &memory.Constraint{Strength: memory.StrengthHard}
	constraint := func(id string) *memory.Memory {
		return &memory.Memory{ID: id, Type: memory.TypeConstraint, Text: "Never touch the " + id + " by hand.", Data: hard}
	}
	policy := func(id string, kind memory.PolicyKind) *memory.Policy {
		return &memory.Policy{ID: id, PolicyKind: kind, Text: "Always lock the " + id + " at night.", Strength: memory.StrengthHard}
	}
	framed, over, coming, private := constraint("framed"), constraint("over"), constraint("coming"), constraint("private")
	framed.Frames = []memory.Frame{{Verb: memory.VerbModify, Kind: memory.ObjFile, Ref: "a.go"}}
	over.ValidUntil, coming.ValidFrom = hmx.TimeOf(begin.Add(time.Minute)), hmx.TimeOf(begin.Add(1000*time.Hour))
	private.Visibility = memory.VisiblePrivate
	asleep, mine, others, tagged := policy("asleep", memory.PolicyConstraint), policy("mine", memory.PolicyConstraint), policy("others", memory.PolicyConstraint), policy("tagged", memory.PolicyInstruction)
	asleep.Active = hmx.Some(false)
	mine.Scope.Agents, others.Scope.Agents, tagged.Scope.Tags = []string{"a1"}, []string{"a2"}, []string{"night"}
	soft := constraint("soft")
	soft.Data = &memory.Constraint{Strength: memory.StrengthSoft}
	return []hardRule{
		{"plain", user, constraint("plain"), true}, {"framed", operator, framed, true}, {"over", user, over, false}, {"coming", user, coming, false},
		{"private", otherAgent, private, false}, {"of-agent", agentOnly, constraint("of-agent"), false}, {"soft", user, soft, false},
		{"decree", operator, policy("decree", memory.PolicyConstraint), true}, {"told", user, policy("told", memory.PolicyInstruction), true},
		{"mine", operator, mine, true}, {"others", operator, others, false}, {"asleep", operator, asleep, false}, {"tagged", operator, tagged, true},
		{"policy-of-agent", agentOnly, policy("policy-of-agent", memory.PolicyConstraint), false},
	}
}

// TestPackTellsEveryRule: every hard constraint and policy of a user or an operator that
// applies to the agent and the time is an entry of every pack that has room for it, for every
// question and strategy; no other rule is.
func TestPackTellsEveryRule(t *testing.T) {
	b, c := packBoard(t)
	rules := hardRules(c.Now())
	for _, r := range rules {
		must(t)(b.Put(ctx, r.by, "acme", r.body, engine.AnyVersion()))
		c.Move(time.Minute)
	}
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{packDeed(t, "again", "talk", 20, "message", `{"role":"user","text":"Never touch the plain by hand."}`)}))
	for _, query := range []string{packQuery, "what is for lunch", "zzz", "Never touch the plain by hand.", "night"} {
		for _, o := range []engine.PackOptions{
			{}, {Budget: 600, Strategy: hmx.StrategyRecencyBiased}, {Budget: 600, Strategy: hmx.StrategyBreadthFirst}, {Strategy: hmx.StrategyDepthFirst, Tags: []string{"none"}},
			{MinRelevance: hmx.Some(1.0), Counter: "estimate"}, {Strategy: hmx.StrategyFingerprintGuided, Priors: hmx.Raw(`{"sections":{"core":0}}`)},
			{Sections: []hmx.Section{hmx.SectionCore, hmx.SectionConstraints}, Budget: 500},
		} {
			o.Query, o.View = query, engine.View{Agent: "a1"}
			got := packed(t, b, o)
			in := sectionsOf(got.Pack)
			for _, r := range rules {
				if _, told := in[r.id]; told != r.holds && r.id != "soft" && r.id != "of-agent" {
					t.Errorf("%q, %s, %d tokens: told of %s is %v", query, o.Strategy, o.Budget, r.id, told)
				}
				if in[r.id] == hmx.SectionConstraints && !r.holds && r.id != "soft" {
					t.Errorf("%q: %s is a rule", query, r.id)
				}
			}
		}
	}
}

// TestPackTellsManyRules: more rules than other pinned records are included, as long as there
// is room, whichever were written last.
func TestPackTellsManyRules(t *testing.T) {
	c := newClock()
	b := openWith(t, "data", packOptions(disk.NewMem(), c))
	for i := range 150 {
		var body memory.Body = &memory.Policy{ID: fmt.Sprint("r", i), PolicyKind: memory.PolicyKinds()[i%2], Text: fmt.Sprintf("Rule %d: leave door%d shut.", i, i*i), Strength: memory.StrengthHard}
		if i%3 == 0 {
			body = &memory.Memory{ID: fmt.Sprint("r", i), Type: memory.TypeConstraint, Text: fmt.Sprintf("Rule %d: leave door%d shut.", i, i*i), Data: &memory.Constraint{Strength: memory.StrengthHard}}
		}
		must(t)(b.Put(ctx, user, "acme", body, engine.AnyVersion()))
		c.Move(time.Minute)
	}
	for i := range 50 {
		must(t)(b.AppendEvents(ctx, user, []*hmx.Event{packDeed(t, fmt.Sprint("e", i), "talk", int64(i), "message", fmt.Sprintf(`{"role":"user","text":"Lunch number %d is served in room %d."}`, i, i*i))}))
	}
	got := packed(t, b, engine.PackOptions{Query: "where is lunch served", Budget: 4096})
	rules := 0
	for id := range sectionsOf(got.Pack) {
		if strings.HasPrefix(id, "r") {
			rules++
		}
	}
	if rules != 150 {
		t.Errorf("%d of 150 rules are told, in %d of %d tokens", rules, got.Pack.TokenBudget.Used, got.Pack.TokenBudget.TotalBudget)
	}
}

// TestPackRuleOutlivesConflict: an agent cannot remove a rule by stating a conflict, settled
// or not. A user who settles it can.
func TestPackRuleOutlivesConflict(t *testing.T) {
	for _, x := range []struct {
		by    engine.Writer
		stays bool
	}{{agentOnly, true}, {user, false}} {
		b, _ := packBoard(t)
		between := []memory.URI{uri(record.Memory, "never-push"), uri(record.Memory, "fine")}
		must(t)(b.Put(ctx, user, "acme", &memory.Memory{ID: "never-push", Type: memory.TypeConstraint, Text: "Never push to main.", Data: &memory.Constraint{Strength: memory.StrengthHard}}, engine.AnyVersion()))
		must(t)(b.Put(ctx, operator, "acme", &memory.Memory{ID: "fine", Type: memory.TypeFact, Text: "The payment service may be pushed to main before a deploy."}, engine.AnyVersion()))
		for _, settled := range []bool{false, true} {
			conflict := &memory.Conflict{ID: "doubt", Between: between, Summary: "Whether main may be pushed to."}
			if settled {
				conflict.Winner, conflict.Status = between[1], memory.ConflictResolved
			}
			must(t)(b.Put(ctx, x.by, "acme", conflict, engine.AnyVersion()))
			_, told := sectionsOf(packed(t, b, engine.PackOptions{Query: packQuery}).Pack)["never-push"]
			if told != (x.stays || !settled) {
				t.Errorf("by %s, settled %v: told is %v", x.by.Actor, settled, told)
			}
		}
	}
}
