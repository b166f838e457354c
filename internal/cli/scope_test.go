package cli

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/testsize"
)

// A scope ends when it says, whatever time the reader claims that it is, and an
// error shows neither the token nor anything of the board.
func TestScopeEnds(t *testing.T) {
	env := nothing(t)
	now := time.Date(2026, 11, 6, 9, 0, 0, 0, time.UTC)
	if code, _, problems := runAt(now, env, "remember", "k", "What nobody else may know."); code != 0 {
		t.Fatal(problems)
	}
	code, out, problems := runAt(now, env, "scope", "mint", "--to", "reviewer", "--all", "--expires", "1h", "--not-before", "10m")
	if code != 0 {
		t.Fatal(problems)
	}
	token := strings.TrimSpace(out)
	for _, tc := range []struct {
		name string
		at   time.Time
		args []string
		code fault.Code
	}{
		{"before it begins", now.Add(9 * time.Minute), nil, fault.ScopeInvalid},
		{"while it is good", now.Add(30 * time.Minute), nil, ""},
		{"when it is over", now.Add(time.Hour), nil, fault.ScopeExpired},
		{"when it is over, and the clock is said to be another", now.Add(time.Hour), []string{"--now", "2026-11-06T09:30:00Z"}, fault.ScopeExpired},
		{"while it is good, and the time is said to be later", now.Add(30 * time.Minute), []string{"--now", "2026-11-06T11:00:00Z"}, fault.ScopeExpired},
	} {
		for command, shown := range map[string]string{"list": "k", "context": "The scope only reads", "recall k": "k"} {
			args := append(append(strings.Fields(command), "--scope", token), tc.args...)
			code, out, problems := runAt(tc.at, env, args...)
			if tc.code == "" {
				if code != 0 || !strings.Contains(out, shown) {
					t.Errorf("%s, %s: %d %s", command, tc.name, code, problems)
				}
				continue
			}
			if code != fault.ExitProblem || out != "" || !strings.Contains(problems, "["+string(tc.code)+"]") {
				t.Errorf("%s, %s: %d %s%s", command, tc.name, code, out, problems)
			}
			if strings.Contains(problems, "lukasa_scope_1") || strings.Contains(problems, "nobody else") {
				t.Errorf("%s, %s: it shows too much: %s", command, tc.name, problems)
			}
		}
	}
	code, out, problems = runAt(now.Add(2*time.Hour), env, "scope", "inspect", token)
	if code != fault.ExitProblem || !strings.Contains(out, "not good: it was over at 2026-11-06T10:00:00Z\n") || !strings.Contains(problems, "[scope_expired]") {
		t.Errorf("%d\n%s%s", code, out, problems)
	}
}

// A character that is changed anywhere makes a token worthless.
func TestForgedScopes(t *testing.T) {
	testsize.OneGoroutine(t)
	env := nothing(t)
	now := time.Date(2026, 11, 6, 9, 0, 0, 0, time.UTC)
	if code, _, problems := runAt(now, env, "remember", "k", "What nobody else may know."); code != 0 {
		t.Fatal(problems)
	}
	_, out, _ := runAt(now, env, "scope", "mint", "--to", "reviewer", "--all")
	token := strings.TrimSpace(out)
	for i := 0; i < len(token); i += 41 {
		other := byte('A')
		if token[i] == other {
			other = 'B'
		}
		for name, bad := range map[string]string{
			"changed": token[:i] + string(other) + token[i+1:], "cut": token[:i], "doubled": token[:i] + token,
		} {
			if bad == token || bad == "" {
				continue
			}
			code, out, problems := runAt(now, env, "list", "--scope", bad)
			if code != fault.ExitProblem || out != "" || !strings.Contains(problems, "[scope_invalid]") || strings.Contains(problems, "nobody else") {
				t.Fatalf("%s at %d: %d %s%s", name, i, code, out, problems)
			}
		}
	}
}

// Steps along edges say how they came there.
func TestFindFollowsEdges(t *testing.T) {
	env := nothing(t)
	home, _ := env("HOME")
	b, err := lukasa.Open(filepath.Join(home, ".lukasa"), lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	acme := b.Tenant("acme", lukasa.Writer{Actor: "dana", Trust: lukasa.User})
	for _, id := range []string{"one", "two", "three"} {
		if _, err := acme.Remember(t.Context(), &lukasa.Memory{ID: id, Type: "fact", Key: "k/" + id, Text: "This is " + id + "."}); err != nil {
			t.Fatal(err)
		}
	}
	for _, ends := range [][2]string{{"one", "two"}, {"two", "three"}} {
		edge := &lukasa.Edge{From: acme.URI(lukasa.MemoryKind, ends[0]), To: acme.URI(lukasa.MemoryKind, ends[1]), EdgeKind: "supports"}
		if _, err := acme.Put(t.Context(), edge, lukasa.AnyVersion()); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	code, out, problems := runAt(time.Now(), env, "find", "--key", "k/one", "--follow", "supports:out:2")
	want := []string{
		"This is one.\n", "This is two.\n", "This is three.\n",
		"  1 hop from lukasa://acme/memory/one\n", "  2 hops from lukasa://acme/memory/one > lukasa://acme/memory/two\n", "\n3 found, by salience\n",
	}
	for _, part := range want {
		if code != 0 || !strings.Contains(out, part) {
			t.Errorf("there is no %q in\n%s%s", part, out, problems)
		}
	}
	code, out, problems = runAt(time.Now(), env, "find", "--key", "k/three", "--follow", "*:in:1", "--json")
	if code != 0 || !strings.Contains(out, `"hops":1,"path":["lukasa://acme/memory/three","lukasa://acme/memory/two"]`) {
		t.Errorf("%s%s", out, problems)
	}
}
