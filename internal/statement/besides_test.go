package statement

import "testing"

// TestRuleBehindAnOrder is read without the order, and not where it tells a story.
func TestRuleBehindAnOrder(t *testing.T) {
	for text, want := range map[string]string{
		"Refunds above 100 EUR are rounded wrongly. Please fix it, and never push to main directly.": "never push to main directly.",
		"Fix the bug and always run the tests before you push.":                                      "always run the tests before you push.",
		"Update the docs, but never edit generated files by hand!":                                   "never edit generated files by hand!",
		"They work hard and never use npm.":                                                          "",
		"It was slow and never worked for me.":                                                       "",
		"The old server ran for years and never lost a record.":                                      "",
		"Did you fix it, and always run the tests before you push?":                                  "",
		"Fix it and never mind the tests.":                                                           "",
		"He said \"fix it, and never push to main directly\".":                                       "",
		"Fix it and always.": "",
	} {
		got := ""
		if list := Read(text); len(list) > 0 {
			got = list[0].Text
			if text[list[0].From:list[0].To] != got {
				t.Errorf("%q: it does not stand from %d to %d", text, list[0].From, list[0].To)
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
