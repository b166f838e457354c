package statement

import (
	"testing"

	"lukasa.dev/internal/english"
)

// What is left without the words for a scope says what a rule is about.
func TestUnscoped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"In all my projects, never force-push.":                  "never force-push.",
		"In all my projects: never push to main directly.":       "never push to main directly.",
		"Never push to main directly, in all my projects.":       "Never push to main directly.",
		"Never force-push in any of my repositories.":            "Never force-push.",
		"In this repo we never push to main. Use pnpm.":          "we never push to main. Use pnpm.",
		"Everywhere: never force-push. Never skip the hooks.":    "never force-push. Never skip the hooks.",
		"Install nothing globally.":                              "Install nothing globally.",
		"Never push to main.":                                    "Never push to main.",
		"Never commit to \"in all my projects\" without asking.": "Never commit to \"in all my projects\" without asking.",
		"": "",
	} {
		if got := english.Unscoped(text); got != want {
			t.Errorf("%q is %q and not %q", text, got, want)
		}
	}
}

// A rule said for the project at hand is one, and holds there.
func TestHere(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"In this repo we never push to main directly.", "In this project, always run the linter before you commit.", "In our repository, never force-push."} {
		found := Read(text)
		if len(found) != 1 || found[0].Everywhere || found[0].Strength != "hard" || found[0].Temporary() {
			t.Errorf("%q states %+v", text, found)
		}
	}
}
