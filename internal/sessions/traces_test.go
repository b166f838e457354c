package sessions

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestSaidIsKeptWithoutItsSession checks the file format: statements are kept by session, which
// is not repeated in each.
func TestSaidIsKeptWithoutItsSession(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(&kept{Said: map[string][]Said{"s1": {{Event: "e", Position: 3, Session: "s1"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"said":{"s1":[{"event":"e","position":3,"time":0,"statements":null}]}}`; string(data) != want {
		t.Errorf("%s, want %s", data, want)
	}
	if strings.Count(string(data), "s1") != 1 {
		t.Errorf("the session is named twice: %s", data)
	}
}
