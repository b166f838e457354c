package statement_test

import (
	"slices"
	"testing"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/stated"
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
func kept(t testing.TB, id, text string, trust record.Trust, position uint64) stated.Known {
	t.Helper()
	s := said(t, text)
	return stated.Known{ID: id, Type: s.Type, Subject: s.Subject, Text: s.Text, Within: s.Within, Trust: trust, Position: position}
}

func TestMerge(t *testing.T) {
	type action = stated.Action
	for _, c := range []struct {
		name  string
		known []string // with the ids a, b, c, in order
		text  string
		want  action
	}{
		{"nothing known", nil, "My timezone is CET.", action{Verdict: stated.New}},
		{"another subject", []string{"My name is Ana."}, "My timezone is CET.", action{Verdict: stated.New}},
		{"the same words", []string{"My timezone is CET."}, "my timezone is CET", action{Verdict: stated.Same, ID: "a"}},
		{"who, in other words", []string{"My user ID is u_1."}, "Sure, my user ID is u_1, thanks.", action{Verdict: stated.Same, ID: "a"}},
		{"another name", []string{"My name is Ana."}, "My name is Anna.", action{Verdict: stated.Supersede, ID: "a"}},
		{"a newer value", []string{"My timezone is CET."}, "My time zone is PST.", action{Verdict: stated.Supersede, ID: "a"}},
		{"moved", []string{"I live in Berlin."}, "I moved to Porto.", action{Verdict: stated.Supersede, ID: "a"}},
		{"always, then never", []string{"Always use tabs."}, "Never use tabs.", action{Verdict: stated.Supersede, ID: "a"}},
		{"liked, then hated", []string{"I like jazz."}, "I hate jazz.", action{Verdict: stated.Supersede, ID: "a"}},
		{"two likings", []string{"I like jazz."}, "I like tea.", action{Verdict: stated.New}},
		{"the newest of two", []string{"My timezone is CET.", "My timezone is PST."}, "My timezone is EST.", action{Verdict: stated.Supersede, ID: "b"}},
		{"a correction of kin", []string{"I prefer dark mode."}, "Actually, I prefer light mode.", action{Verdict: stated.Supersede, ID: "a"}},
		{"kin without a correction", []string{"I prefer dark mode."}, "I prefer light mode.", action{Verdict: stated.New}},
		{"kin of two", []string{"I prefer dark mode.", "I like compact mode."}, "Actually, I prefer light mode.", action{Verdict: stated.New}},
		{"instead of", []string{"Always use npm."}, "Use pnpm, not npm.", action{Verdict: stated.Supersede, ID: "a"}},
		{"switched", []string{"We use Jenkins."}, "We switched from Jenkins to Buildkite.", action{Verdict: stated.Supersede, ID: "a"}},
		{"switched, known by its use", []string{"We use Jenkins for CI."}, "We switched from Jenkins to Buildkite.", action{Verdict: stated.Supersede, ID: "a"}},
		{"no longer", []string{"We use Jenkins for CI.", "We use Redis for queues."}, "We no longer use Jenkins.", action{Verdict: stated.Supersede, ID: "a"}},
		{"for the same use", []string{"We use Jenkins for CI."}, "We use Buildkite for CI.", action{Verdict: stated.Supersede, ID: "a"}},
		{"for a while", []string{"Always use tabs."}, "For this task, never use tabs.", action{Verdict: stated.New}},
		{"for a while, the same subject", []string{"My timezone is CET."}, "My timezone is PST this week.", action{Verdict: stated.New}},
		{"retracted", []string{"I like jazz.", "I like tea."}, "Forget that I like jazz.", action{Verdict: stated.Retract, ID: "a"}},
		{"retracted by words", []string{"Never use tabs.", "I like tea."}, "Forget what I said about tabs.", action{Verdict: stated.Retract, ID: "a"}},
		{"retracted by words of two", []string{"Never use tabs.", "Always use wide tabs."}, "Forget what I said about tabs.", action{Verdict: stated.Stand}},
		{"a rule lifted", []string{"Always sign commits."}, "You don't have to sign commits anymore.", action{Verdict: stated.Retract, ID: "a"}},
		{"nothing to retract", []string{"I like tea."}, "Forget that I like jazz.", action{Verdict: stated.Stand}},
	} {
		var known []stated.Known
		for i, text := range c.known {
			known = append(known, kept(t, string(rune('a'+i)), text, record.User, uint64(i+1)))
		}
		s := said(t, c.text)
		if got := stated.Merge(known, s, record.User, 10); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		slices.Reverse(known)
		if got := stated.Merge(known, s, record.User, 10); got != c.want {
			t.Errorf("%s, the other way round: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestMergeLessTrustedOrOlder(t *testing.T) {
	known := []stated.Known{kept(t, "a", "Never use tabs.", record.User, 5)}
	for _, text := range []string{"Always use tabs.", "Actually, always use tabs.", "Forget what I said about tabs."} {
		s := said(t, text)
		stands := stated.Action{Verdict: stated.Stand, ID: "a"}
		if got := stated.Merge(known, s, record.Agent, 9); got != stands {
			t.Errorf("%q of an agent: %v", text, got)
		}
		if got := stated.Merge(known, s, record.User, 4); got != stands {
			t.Errorf("%q said before: %v", text, got)
		}
		if got := stated.Merge(known, s, record.Operator, 9); got.Verdict == stated.Stand {
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
		var known []stated.Known
		for i, text := range order {
			s := statement.Read(text)[0]
			trust := rapid.SampledFrom([]record.Trust{record.User, record.Operator}).Draw(t, "trust")
			act := stated.Merge(known, s, trust, uint64(i+1))
			at := slices.IndexFunc(known, func(k stated.Known) bool { return k.ID == act.ID })
			k := stated.Known{ID: text, Type: s.Type, Subject: s.Subject, Text: s.Text, Trust: trust, Position: uint64(i + 1)}
			switch act.Verdict {
			case stated.New:
				known = append(known, k)
			case stated.Supersede:
				if known[at].Trust > trust {
					t.Fatalf("%q put aside %q", text, known[at].Text)
				}
				known[at] = k
			case stated.Retract:
				known = slices.Delete(known, at, at+1)
			}
		}
		for _, k := range known {
			s := statement.Read(k.Text)[0]
			if got := stated.Merge(known, s, k.Trust, k.Position); got.Verdict != stated.Same || s.Type != memory.Type(k.Type) {
				t.Fatalf("%q again: %v", k.Text, got)
			}
		}
	})
}
