package memories

import (
	"testing"

	"lukasa.dev/internal/fault"
)

func TestSeconds(t *testing.T) {
	for value, want := range map[string]int64{"": 0, "1": 1, "3600": 3600, "36h": 129600, "1ms": 1, "90s": 90, "1d": 86400} {
		if got, err := seconds(value); got != want || err != nil {
			t.Errorf("seconds(%q) = %d, %v, want %d", value, got, err, want)
		}
	}
	for _, value := range []string{"0", "-1", "-3h", "soon", "0d", "1dd", "99999999999999999999"} {
		if got, err := seconds(value); fault.CodeOf(err) != fault.Usage {
			t.Errorf("seconds(%q) = %d, %v", value, got, err)
		}
	}
}
