package questions

import "testing"

// Advice about what would be too much is in the words of the command line.
func TestAdviceNamesFlags(t *testing.T) {
	got := flagged("narrow the time with after and before, and say whose events with agent; or add types, key_prefix or frame with its reference")
	want := "narrow the time with --since and --until, and say whose events with --agent; or add --type, --key or --frame with its reference"
	if got != want {
		t.Errorf("%q", got)
	}
}
