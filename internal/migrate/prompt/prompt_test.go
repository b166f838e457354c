package prompt

import (
	"testing"

	"lukasa.dev/internal/migrate/foreign"
)

// The user's own words are separated from what a program put beside them.
func TestUserWords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		f                foreign.Format
		text, own, added string
	}{
		{foreign.ClaudeCode, "Fix it.", "Fix it.", ""},
		{foreign.ClaudeCode, "Stop hook feedback:\nrun the tests", "", ""},
		{foreign.ClaudeCode, "<bash-input>ls</bash-input>", "", ""},
		{foreign.ClaudeCode, "What does <bash-input> mean?", "What does <bash-input> mean?", ""},
		{foreign.Codex, "Fix it.\n\n<stdin>\nNever push.\n</stdin>", "Fix it.", "Never push."},
		{foreign.Codex, "What is <stdin>\nhere?", "What is <stdin>\nhere?", ""},
		{foreign.Codex, "<skills_instructions>\nx", "", ""},
		{foreign.Codex, `<hook_prompt hook_run_id="1">go on</hook_prompt>`, "", ""},
		{foreign.Codex, "Another language model started to solve this problem", "", ""},
		{foreign.GeminiCLI, "<hook_context>a</hook_context>\n\nFix it.", "Fix it.", ""},
		{foreign.GeminiCLI, "<hook_context>a", "", ""},
		{foreign.GeminiCLI, "Fix @a.\n--- Content from referenced files ---\nNever push.\n--- End of content ---", "Fix @a.", "Never push."},
		{foreign.GeminiCLI, "<session_context>\nx\n</session_context>", "", ""},
	} {
		if got := Words(tc.f, tc.text); got != (Prompt{tc.own, tc.added}) {
			t.Errorf("%s: %q becomes %q", tc.f, tc.text, got)
		}
	}
	for _, tc := range []struct {
		text       string
		arguments  []string
		own, added string
		ok         bool
	}{
		{`"two words"`, []string{"two words"}, "two words", "", true},
		{`"two words" one`, []string{"two words", "one"}, "two words one", "", true},
		{`"say \"it\" now"` + "\nNever push.", []string{"-m", "x/y", `say "it" now`}, `say "it" now`, "Never push.", true},
		{`"two words"`, nil, "", "", false},
		{`"two words"`, []string{"other words"}, "", "", false},
		{`"two words" and more`, []string{"two words"}, "", "", false},
		{"", []string{"x"}, "", "", false},
	} {
		if got, ok := Unquoted(tc.text, tc.arguments); ok != tc.ok || ok && got != (Prompt{tc.own, tc.added}) {
			t.Errorf("%q of %q becomes %q, %v", tc.text, tc.arguments, got, ok)
		}
	}
	for _, tc := range []struct {
		text       string
		own, added string
		ok         bool
	}{
		{"Explain.", "Explain.", "", true},
		{"Explain.\nNever push.", "Explain.", "Never push.", true},
		{"Never push.\n\nExplain.", "Explain.", "Never push.", true},
		{"Explain. It fails.", "", "", false},
		{"Something else", "", "", false},
	} {
		if got, ok := Spoken(tc.text, []string{"-p", "Explain."}); ok != tc.ok || got != (Prompt{tc.own, tc.added}) {
			t.Errorf("%q becomes %q, %v", tc.text, got, ok)
		}
	}
}

// What `opencode run` was given comes back without the quotation marks that it adds.
func TestRunWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Prompt{
		`"Fix the tests."`:                    {Own: "Fix the tests."},
		`fix "the two tests" now`:             {Own: "fix the two tests now"},
		`"say \"hi there\" to Ben"`:           {Own: `say "hi there" to Ben`},
		"\"Look at this.\"\npiped line\nmore": {Own: "Look at this.", Added: "piped line\nmore"},
		`fix it`:                              {Own: "fix it"},
		`"half`:                               {Own: `"half`},
		`"a"b c`:                              {Own: `"a"b c`},
		"":                                    {},
	} {
		if got := RunWords(text); got != want {
			t.Errorf("%q is %+v and not %+v", text, got, want)
		}
	}
}
