package statement_test

import (
	"slices"
	"testing"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/statement"
	"pgregory.net/rapid"
)

// said returns the one statement of a text.
func said(t testing.TB, text string) statement.Statement {
	t.Helper()
	got := statement.Read(text)
	if len(got) != 1 {
		t.Fatalf("%q: %d statements, want one", text, len(got))
	}
	return got[0]
}

// kept returns a statement as it is known.
func kept(t testing.TB, id, text string, trust record.Trust, position uint64) statement.Known {
	t.Helper()
	s := said(t, text)
	return statement.Known{ID: id, Type: s.Type, Subject: s.Subject, Text: s.Text, Within: s.Within, Trust: trust, Position: position}
}

func TestMerge(t *testing.T) {
	type action = statement.Action
	for _, c := range []struct {
		name  string
		known []string // with the ids a, b, c, in order
		text  string
		want  action
	}{
		{"nothing known", nil, "My timezone is CET.", action{Verdict: statement.New}},
		{"another subject", []string{"My name is Ana."}, "My timezone is CET.", action{Verdict: statement.New}},
		{"the same words", []string{"My timezone is CET."}, "my timezone is CET", action{statement.Same, "a"}},
		{"who, in other words", []string{"My user ID is u_1."}, "Sure, my user ID is u_1, thanks.", action{statement.Same, "a"}},
		{"another name", []string{"My name is Ana."}, "My name is Anna.", action{statement.Supersede, "a"}},
		{"a newer value", []string{"My timezone is CET."}, "My time zone is PST.", action{statement.Supersede, "a"}},
		{"moved", []string{"I live in Berlin."}, "I moved to Porto.", action{statement.Supersede, "a"}},
		{"always, then never", []string{"Always use tabs."}, "Never use tabs.", action{statement.Supersede, "a"}},
		{"liked, then hated", []string{"I like jazz."}, "I hate jazz.", action{statement.Supersede, "a"}},
		{"two likings", []string{"I like jazz."}, "I like tea.", action{Verdict: statement.New}},
		{"the newest of two", []string{"My timezone is CET.", "My timezone is PST."}, "My timezone is EST.", action{statement.Supersede, "b"}},
		{"a correction of kin", []string{"I prefer dark mode."}, "Actually, I prefer light mode.", action{statement.Supersede, "a"}},
		{"kin without a correction", []string{"I prefer dark mode."}, "I prefer light mode.", action{Verdict: statement.New}},
		{"kin of two", []string{"I prefer dark mode.", "I like compact mode."}, "Actually, I prefer light mode.", action{Verdict: statement.New}},
		{"instead of", []string{"Always use npm."}, "Use pnpm, not npm.", action{statement.Supersede, "a"}},
		{"switched", []string{"We use Jenkins."}, "We switched from Jenkins to Buildkite.", action{statement.Supersede, "a"}},
		{"switched, known by its use", []string{"We use Jenkins for CI."}, "We switched from Jenkins to Buildkite.", action{statement.Supersede, "a"}},
		{"no longer", []string{"We use Jenkins for CI.", "We use Redis for queues."}, "We no longer use Jenkins.", action{statement.Supersede, "a"}},
		{"for the same use", []string{"We use Jenkins for CI."}, "We use Buildkite for CI.", action{statement.Supersede, "a"}},
		{"for a while", []string{"Always use tabs."}, "For this task, never use tabs.", action{Verdict: statement.New}},
		{"for a while, the same subject", []string{"My timezone is CET."}, "My timezone is PST this week.", action{Verdict: statement.New}},
		{"retracted", []string{"I like jazz.", "I like tea."}, "Forget that I like jazz.", action{statement.Retract, "a"}},
		{"retracted by words", []string{"Never use tabs.", "I like tea."}, "Forget what I said about tabs.", action{statement.Retract, "a"}},
		{"retracted by words of two", []string{"Never use tabs.", "Always use wide tabs."}, "Forget what I said about tabs.", action{Verdict: statement.Stand}},
		{"a rule lifted", []string{"Always sign commits."}, "You don't have to sign commits anymore.", action{statement.Retract, "a"}},
		{"nothing to retract", []string{"I like tea."}, "Forget that I like jazz.", action{Verdict: statement.Stand}},
	} {
		var known []statement.Known
		for i, text := range c.known {
			known = append(known, kept(t, string(rune('a'+i)), text, record.User, uint64(i+1)))
		}
		s := said(t, c.text)
		if got := statement.Merge(known, s, record.User, 10); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		slices.Reverse(known)
		if got := statement.Merge(known, s, record.User, 10); got != c.want {
			t.Errorf("%s, the other way round: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestMergeLessTrustedOrOlder(t *testing.T) {
	known := []statement.Known{kept(t, "a", "Never use tabs.", record.User, 5)}
	for _, text := range []string{"Always use tabs.", "Actually, always use tabs.", "Forget what I said about tabs."} {
		s := said(t, text)
		stands := statement.Action{Verdict: statement.Stand, ID: "a"}
		if got := statement.Merge(known, s, record.Agent, 9); got != stands {
			t.Errorf("%q of an agent: %v", text, got)
		}
		if got := statement.Merge(known, s, record.User, 4); got != stands {
			t.Errorf("%q said before: %v", text, got)
		}
		if got := statement.Merge(known, s, record.Operator, 9); got.Verdict == statement.Stand {
			t.Errorf("%q of an operator: %v", text, got)
		}
	}
}

// TestMergeAgain folds statements into what is known, as a board would, and then
// all of them again: the second time nothing changes.
func TestMergeAgain(t *testing.T) {
	texts := []string{
		"Always use tabs.", "Never use tabs.", "Use spaces, not tabs.", "I like jazz.", "I hate jazz.", "Forget that I like jazz.", "My timezone is CET.", "My timezone is PST.", "No, my timezone is EST.",
		"We use Jenkins.", "We switched from Jenkins to Buildkite.", "Forget what I said about tabs.",
	}
	rapid.Check(t, func(t *rapid.T) {
		order := rapid.SliceOfN(rapid.SampledFrom(texts), 1, 12).Draw(t, "order")
		var known []statement.Known
		for i, text := range order {
			s := statement.Read(text)[0]
			trust := rapid.SampledFrom([]record.Trust{record.User, record.Operator}).Draw(t, "trust")
			act := statement.Merge(known, s, trust, uint64(i+1))
			at := slices.IndexFunc(known, func(k statement.Known) bool { return k.ID == act.ID })
			k := statement.Known{ID: text, Type: s.Type, Subject: s.Subject, Text: s.Text, Trust: trust, Position: uint64(i + 1)}
			switch act.Verdict {
			case statement.New:
				known = append(known, k)
			case statement.Supersede:
				if known[at].Trust > trust {
					t.Fatalf("%q put aside %q", text, known[at].Text)
				}
				known[at] = k
			case statement.Retract:
				known = slices.Delete(known, at, at+1)
			}
		}
		for _, k := range known {
			s := statement.Read(k.Text)[0]
			if got := statement.Merge(known, s, k.Trust, k.Position); got.Verdict != statement.Same || s.Type != memory.Type(k.Type) {
				t.Fatalf("%q again: %v", k.Text, got)
			}
		}
	})
}
