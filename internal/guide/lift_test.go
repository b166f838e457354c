package guide

import (
	"strings"
	"testing"

	"lukasa.dev/internal/statement"
)

// The sentence that a refusal offers lifts the rule, however the rule was said.
func TestLiftsWhatItOffers(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{
		"Never push to main directly.", "dont use npm", "dont use sudo, you wont need it", "pls dont ever push to main", "dont ever push straight to main", "One thing: don't ever push to main",
		"Never push to main, ok?", "don't use sudo, ok?", "Never push to main, got it?", "I don't want you to push to main, ever", "Never touch the migrations folder, thanks!", "use pnpm, never npm",
		"you never deploy on fridays", "Don't run rm -rf. Ever.", "hands off .env files", "vendor/ is off limits for you", "Ask me before you push to main.", "Only I push to main.", "No force pushes, ever.",
		"Always sign commits.", "Never push to main because CI deploys from it.", "In all my projects, never force-push.", "Codex, you never run `cargo update` without asking me first",
		"Every file you create must have a header.", "Don't push to main.", "never push",
	} {
		stated := statement.Read(rule)
		if len(stated) == 0 {
			t.Errorf("%q states no rule", rule)
			continue
		}
		text := stated[0].Text
		offered := Lift(text)
		if lifts, known := statement.Lifts(offered, text); !lifts || !known {
			t.Errorf("%q offers %q, which does not lift it", text, offered)
		}
		if strings.Contains(offered, "again again") {
			t.Errorf("%q offers %q", text, offered)
		}
	}
}
