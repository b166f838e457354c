package memory_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/tokens"
)

func TestMakeForms(t *testing.T) {
	sentence := "This sentence has exactly forty characters. "
	for _, tc := range []struct {
		name  string
		text  string
		data  memory.Data
		short string
	}{
		{"whole", "Releases are cut\non Tuesdays.", nil, "Releases are cut on Tuesdays."},
		{"sentences", strings.Repeat(sentence, 9), nil, strings.TrimSpace(strings.Repeat(sentence, 4))},
		{"abbreviations", "Use v1.2 e.g. for tests. " + strings.Repeat("And so on and on it goes ", 20), nil, ""},
		{"one long sentence", strings.Repeat("word ", 100), nil, strings.TrimSpace(strings.Repeat("word ", 40)) + "…"},
		{"constraint", "Never push to main.", &memory.Constraint{Strength: memory.StrengthHard}, "(hard) Never push to main."},
		{"goal", "Ship it.", &memory.Goal{Status: memory.GoalPaused, Due: at("2026-12-24T18:00:00Z")}, "(paused, due 2026-12-24) Ship it."},
		{"event", "Deployed.", &memory.Event{Outcome: memory.OutcomeFailure}, "(failure) Deployed."},
		{"as expected", "Ship it.", &memory.Goal{Status: memory.GoalActive}, "Ship it."},
		{"no spaces", strings.Repeat("語。", 300), nil, strings.Repeat("語。", 100)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := memory.MakeForms(tc.text, tc.data, tokens.Estimate())
			if tc.short != "" && got.Short != tc.short {
				t.Errorf("short is %q, want %q", got.Short, tc.short)
			}
			if n := tokens.Estimate().Count(got.Short); n > memory.ShortTokens {
				t.Errorf("short has %d tokens", n)
			}
			if n := tokens.Estimate().Count(got.Medium); n > memory.MediumTokens {
				t.Errorf("medium has %d tokens", n)
			}
		})
	}
}

func TestFormsNeverExceed(t *testing.T) {
	parts := rapid.SampledFrom([]string{"A. ", "What? ", "some words ", "antidisestablishmentarianism", "語。", "\n\n", "e.g. ", "1.5 ", "…", "👩‍👩‍👧"})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(parts, 0, 300).Draw(t, "parts"), "")
		d := data(t)
		for _, c := range []tokens.Counter{tokens.O200k(), tokens.Estimate()} {
			got := memory.MakeForms(s, d, c)
			if c.Count(got.Short) > memory.ShortTokens || c.Count(got.Medium) > memory.MediumTokens {
				t.Fatalf("%s: forms of %d and %d tokens", c.Name(), c.Count(got.Short), c.Count(got.Medium))
			}
			if got != memory.MakeForms(s, d, c) {
				t.Fatal("the same text has two forms")
			}
		}
	})
}

func TestFillForms(t *testing.T) {
	c := tokens.Estimate()
	m := &memory.Memory{Type: memory.TypeFact, Text: "Releases are cut on Tuesdays.", Forms: memory.Forms{Short: "Tuesdays."}}
	m.Normalize()
	if err := m.FillForms(c); err != nil {
		t.Fatal(err)
	}
	if m.Forms.Short != "Tuesdays." || m.Forms.Medium != m.Text {
		t.Errorf("the forms are %+v", m.Forms)
	}
	for form, want := range map[memory.Form]string{memory.FormShort: "Tuesdays.", memory.FormMedium: m.Text, memory.FormFull: m.Text} {
		if got := m.Render(form); got != want {
			t.Errorf("%s is rendered %q", form, got)
		}
	}
	m.Forms = memory.Forms{Short: strings.Repeat("long ", 60), Medium: strings.Repeat("long ", 300)}
	err := m.FillForms(c)
	if err == nil || !strings.Contains(err.Error(), "forms.short has 75 tokens (estimate), but may have at most 50: shorten it") || !strings.Contains(err.Error(), "forms.medium") {
		t.Errorf("forms that are too long: %v", err)
	}
}

func TestRenderFull(t *testing.T) {
	for want, d := range map[string]memory.Data{
		"Text.\nname: Kim\nrole: reviewer":                                     &memory.Identity{Name: "Kim", Role: "reviewer"},
		"Text.\nsubject: a\npredicate: b\nobject: c":                           &memory.Fact{Subject: "a", Predicate: "b", Object: "c"},
		"(dislike) Text.\nsubject: tabs\nstrength: hard":                       &memory.Preference{Subject: "tabs", Polarity: memory.PolarityDislike, Strength: memory.StrengthHard},
		"(doubted) Text.\nevidence: one\nevidence: two":                        &memory.Belief{Evidence: []string{"one", "two"}, Stance: memory.StanceDoubted},
		"(partial) Text.\nverb: build\noccurred at: 2026-01-01T00:00:00Z":      &memory.Event{Verb: memory.VerbBuild, Outcome: memory.OutcomePartial, OccurredAt: at("2026-01-01T00:00:00Z")},
		"Text.\nsuccess: it runs":                                              &memory.Goal{Success: "it runs"},
		"(soft) Text.\nrule: x<1":                                              &memory.Constraint{Strength: memory.StrengthSoft, Rule: "x<1"},
		"(expert) Text.\nname: Go\nlimit: no cgo":                              &memory.Capability{Name: "Go", Level: memory.LevelExpert, Limits: []string{"no cgo"}},
		"Text.\ntrigger: red build\naction: read the log first\nseen: 3 times": &memory.Pattern{Trigger: "red build", Action: "read the log first", Support: 3},
	} {
		m := &memory.Memory{Text: "Text.", Data: d}
		m.Normalize()
		if got := m.Render(memory.FormFull); got != want {
			t.Errorf("%s is rendered %q, want %q", m.Type, got, want)
		}
	}
}

func TestClosedLists(t *testing.T) {
	if n := len(memory.Types()); n != 9 {
		t.Errorf("there are %d types", n)
	}
	if n := len(memory.Verbs()); n != 10 {
		t.Errorf("there are %d verbs", n)
	}
	if n := len(memory.ObjectKinds()); n != 16 {
		t.Errorf("there are %d object kinds", n)
	}
	for _, typ := range memory.Types() {
		if d := memory.NewData(typ); d == nil || d.Type() != typ {
			t.Errorf("the data of type %s is %v", typ, d)
		}
		if got, err := memory.ParseType(string(typ)); got != typ || err != nil {
			t.Errorf("type %s: %v", typ, err)
		}
	}
	for _, f := range memory.FormList() {
		if got, err := memory.ParseForm(string(f)); got != f || err != nil {
			t.Errorf("form %s: %v", f, err)
		}
	}
	for _, k := range memory.BodyKinds() {
		if b := memory.NewBody(k); b == nil || b.Kind() != k {
			t.Errorf("the body of kind %v is %v", k, b)
		}
	}
	if memory.NewData("thought") != nil || memory.NewBody(77) != nil {
		t.Error("there is data or a body for what does not exist")
	}
	for _, err := range []error{second(memory.ParseType("thought")), second(memory.ParseForm("long"))} {
		if err == nil {
			t.Error("an unknown name is accepted")
			continue
		}
		checkError(t, err)
	}
}

func second[T any](_ T, err error) error { return err }
