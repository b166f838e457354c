package secret

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestCostsNoMoreThanItsLength goes over text that is made to be looked at again and again.
func TestCostsNoMoreThanItsLength(t *testing.T) {
	// Without bounds most of these take minutes.
	for _, part := range []string{
		"password=", "sk-", "AKIA", "token", "password_", "pass-", "authorization:", "Bearer ", "eyJ-", "8Q~", "secret=a1B2", ":AA", "-us", "1-us1",
		"pwd=&", "--token ", "lukasa_scope_1.", "SG.", "ghp_",
	} {
		text := strings.Repeat(part, (1<<18)/len(part))
		Text(text)
		JSON(`{"a":"` + text + `"}`)
	}
	var keys strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&keys, `,"ghp_%036d":1`, i*7919*104729)
	}
	if clean, n := JSON("{" + keys.String()[1:] + "}"); n < 19_000 || !json.Valid([]byte(clean)) {
		t.Errorf("%d keys were scrubbed", n)
	}
}

// TestLongKeysAreTakenWhole leaves nothing of a key that is longer than what is looked at.
func TestLongKeysAreTakenWhole(t *testing.T) {
	for _, begin := range []string{"lukasa_scope_1.", "sk-", "Authorization: Bearer ", "ya29."} {
		clean, n := Text(begin + strings.Repeat("x9YzQ4", longestLook) + " end")
		if n != 1 || !strings.HasSuffix(clean, "] end") || len(clean) > 100 {
			t.Errorf("%s: %d, %.200s", begin, n, clean)
		}
	}
}
