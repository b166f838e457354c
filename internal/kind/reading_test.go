package kind

import (
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/tokens"
)

// Forms are within their limits whatever an event says, are counted as they are,
// and leave no quote open that the text closed.
func TestForms(t *testing.T) {
	c := tokens.O200k()
	rapid.Check(t, func(t *rapid.T) {
		alphabet := rapid.SampledFrom([]*rapid.Generator[string]{
			rapid.StringN(0, 300, 1200), rapid.StringOfN(rapid.SampledFrom([]rune("𒀀𒁁ဠꙮ\u0301 \"")), 0, 300, 1200),
			rapid.StringOfN(rapid.SampledFrom([]rune("abc def.\"`")), 0, 900, 900),
		}).Draw(t, "alphabet")
		ev := &hmx.Event{EventType: hmx.TypeTestRun}
		if err := ev.SetContent(hmx.TestRun{Command: alphabet.Draw(t, "command"), Output: alphabet.Draw(t, "output"), Failures: []string{alphabet.Draw(t, "failure")}, Success: hmx.Some(false)}); err != nil {
			t.Skip(err)
		}
		r := ReadForms(ev, c)
		if r.MediumTokens != c.Count(r.Medium) || r.MediumTokens > memory.MediumTokens {
			t.Fatalf("the medium form counts %d, told %d: %q", c.Count(r.Medium), r.MediumTokens, r.Medium)
		}
		if r.ShortTokens != c.Count(r.Short) || r.ShortTokens > memory.ShortTokens {
			t.Fatalf("the short form counts %d, told %d: %q", c.Count(r.Short), r.ShortTokens, r.Short)
		}
		for _, form := range []string{r.Medium, r.Short} {
			if Closed(form) != form {
				t.Fatalf("%q leaves a mark open", form)
			}
		}
	})
}

// What gives no frame is not counted.
func TestFormsOfNothing(t *testing.T) {
	r := ReadForms(&hmx.Event{EventType: hmx.TypeMessage, Content: `{"role":"user","text":"hello"}`}, tokens.O200k())
	if r.Text == "" || r.Medium != "" || r.MediumTokens != 0 {
		t.Errorf("%+v", r)
	}
}
