package questions

import (
	"strings"
	"testing"

	"lukasa.dev/hmx"
)

func TestRulesLeftOut(t *testing.T) {
	entry := func(id string, section hmx.Section, cut bool) hmx.Entry {
		e := hmx.Entry{SourceID: id, Section: section, Extra: hmx.Extra{}}
		if cut {
			e.Extra["truncated"] = "true"
		}
		return e
	}
	dropped := func(id string, section hmx.Section, why hmx.DropReason) hmx.DroppedEntry {
		return hmx.DroppedEntry{SourceID: id, Section: section, DropReason: why}
	}
	rules := func(ids ...string) (list []hmx.DecisionConstraint) {
		for _, id := range ids {
			list = append(list, hmx.DecisionConstraint{ArtifactID: id, OverrideAllowed: strings.HasPrefix(id, "soft")})
		}
		return list
	}
	many := make([]string, hmx.MaxDecisionConstraints)
	for i := range many {
		many[i] = "told"
	}
	for _, c := range []struct {
		name     string
		pack     hmx.Pack
		sections []hmx.Section
		want     string
	}{
		{name: "nothing"},
		{"all are told", hmx.Pack{Entries: []hmx.Entry{entry("a", hmx.SectionConstraints, false), entry("x", hmx.SectionEpisodes, true)}, DecisionConstraints: rules("a", "soft1")}, nil, ""},
		{"one is not", hmx.Pack{DecisionConstraints: rules("a", "soft1")}, nil, "1 rule had no room in the text; a higher --budget has more room"},
		{"nobody asked", hmx.Pack{DecisionConstraints: rules("a")}, []hmx.Section{hmx.SectionFacts}, ""},
		{"somebody asked", hmx.Pack{DecisionConstraints: rules("a")}, []hmx.Section{hmx.SectionConstraints}, "1 rule had no room in the text; a higher --budget has more room"},
		{"it is told by another", hmx.Pack{DroppedEntries: []hmx.DroppedEntry{dropped("a", hmx.SectionConstraints, hmx.DropDuplicate)}, DecisionConstraints: rules("a")}, nil, ""},
		{"named twice, and one beyond those that are named", hmx.Pack{
			DroppedEntries: []hmx.DroppedEntry{dropped("a", hmx.SectionConstraints, hmx.DropBudget), dropped("b", hmx.SectionConstraints, hmx.DropBudget), dropped("e", hmx.SectionEpisodes, hmx.DropBudget)}, DecisionConstraints: rules("a"),
		}, nil, "2 rules had no room in the text; a higher --budget has more room"},
		{"more than are named", hmx.Pack{
			Entries:        []hmx.Entry{entry("told", hmx.SectionConstraints, true)},
			DroppedEntries: []hmx.DroppedEntry{dropped("b", hmx.SectionConstraints, hmx.DropBudget)}, DecisionConstraints: rules(many...),
		}, nil, "at least 1 rule had no room in the text, 1 rule shown in part; a higher --budget has more room"},
	} {
		if got := rulesLeftOut(&c.pack, c.sections); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
