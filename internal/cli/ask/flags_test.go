package ask

import (
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{"90m": 90 * time.Minute, "30d": 30 * day, "0d": 0, "1d12h": 36 * time.Hour, "-1h": -time.Hour} {
		if got, err := Duration(text); got != want || err != nil {
			t.Errorf("duration(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "3", "1.5d", "-1d", "1dd", "1d-1h", "12hd", "1d2d", "99999d", "65535d2000000h", " 1d"} {
		if got, err := Duration(text); err == nil {
			t.Errorf("duration(%q) = %v", text, got)
		}
	}
}
