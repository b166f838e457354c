package concern

import "testing"

// Unrelated texts do not concern a prompt, and nothing concerns a prompt without a request.
func TestConcerns(t *testing.T) {
	const (
		releases = "Releases are cut every second Tuesday."
		linter   = "The linter of this repository is golangci, with all checks on."
		refund   = "The refund job failed because the payment gateway timed out after two seconds."
		tabs     = "The user prefers tabs to spaces and short commit messages."
	)
	all := []string{releases, linter, refund, tabs}
	for _, tc := range []struct {
		prompt string
		want   []string
	}{
		{"hello", nil}, {"Hi there!", nil}, {"thanks, continue", nil}, {"ok", nil}, {"yes please, go ahead", nil}, {"looks good, thank you!", nil}, {"", nil}, {"weiter", nil},
		{"When are releases cut?", []string{releases}},
		{"When is the next release?", []string{releases}},
		{"Run the linter.", []string{linter}},
		{"Why did the refund job fail?", []string{refund}},
		{"How should I indent, with tabs or spaces?", []string{tabs}},
		{"What is the capital of France?", nil},
		{"Draw a picture of a whale", nil},
	} {
		q := About(tc.prompt)
		var got []string
		for _, text := range all {
			if q.Concerns(text) {
				got = append(got, text)
			}
		}
		if len(got) != len(tc.want) || len(got) > 0 && got[0] != tc.want[0] {
			t.Errorf("%q concerns %q and not %q", tc.prompt, got, tc.want)
		}
	}
}
