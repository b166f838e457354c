package statement_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/statement"
)

// labelled is a prompt with what is meant to be learned from it.
type labelled struct {
	Say   string  `json:"say"`
	Learn []label `json:"learn"`
}

// label is one expected statement: hard, firm and soft rules, a preference, a fact, a
// goal, a lift of a rule or an exception, and the sentence that says it.
type label struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// kindOf returns what a statement would be labelled.
func kindOf(s *statement.Statement) string {
	switch {
	case s.Exception:
		return "except"
	case s.Retraction:
		return "lift"
	case s.Type == memory.TypeConstraint:
		return string(s.Strength)
	}
	return string(s.Type)
}

// TestLabelledPrompts measures what is learned of prompts that were labelled by hand. A
// wrong hard rule stops an agent's work, so almost none may be learned; a rule that is
// missed leaves the agent unwarned, so most must be.
func TestLabelledPrompts(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/prompts.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	type score struct{ learned, right, meant int }
	scores := map[string]*score{}
	of := func(kind string) *score {
		if scores[kind] == nil {
			scores[kind] = &score{}
		}
		return scores[kind]
	}
	prompts, none := 0, 0
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var p labelled
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		prompts++
		if len(p.Learn) == 0 {
			none++
		}
		var got []label
		for _, s := range statement.Read(p.Say) {
			if s.Temporary() {
				continue // it is not kept
			}
			l := label{kindOf(&s), s.Text}
			got = append(got, l)
			of(l.Kind).learned++
			if slices.Contains(p.Learn, l) {
				of(l.Kind).right++
			} else {
				t.Logf("learned, not meant: %s %q of %q", l.Kind, l.Text, p.Say)
			}
		}
		for _, l := range p.Learn {
			of(l.Kind).meant++
			if !slices.Contains(got, l) {
				t.Logf("meant, not learned: %s %q", l.Kind, l.Text)
			}
		}
	}
	if prompts < 1900 || none < prompts/3 {
		t.Errorf("%d prompts, %d of them with nothing to learn", prompts, none)
	}
	all := score{}
	for _, kind := range []string{"hard", "firm", "soft", "preference", "fact", "goal", "lift", "except"} {
		s := of(kind)
		t.Logf("%-10s %3d learned, %3d of them meant; %3d meant", kind, s.learned, s.right, s.meant)
		all.learned, all.right, all.meant = all.learned+s.learned, all.right+s.right, all.meant+s.meant
	}
	hard := of("hard")
	t.Logf("%d prompts: precision of hard rules %.3f, recall %.3f; of all statements %.3f, %.3f", prompts,
		float64(hard.right)/float64(hard.learned), float64(hard.right)/float64(hard.meant), float64(all.right)/float64(all.learned), float64(all.right)/float64(all.meant))
	if hard.right*100 < hard.learned*98 {
		t.Errorf("of %d hard rules only %d are meant", hard.learned, hard.right)
	}
	if hard.right*100 < hard.meant*92 {
		t.Errorf("of %d hard rules that are meant only %d are learned", hard.meant, hard.right)
	}
	if lift := of("lift"); lift.right*100 < lift.learned*95 || lift.right*100 < lift.meant*95 {
		t.Errorf("of %d lifts that are meant %d are learned, of %d", lift.meant, lift.right, lift.learned)
	}
}
