package wire

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"pgregory.net/rapid"
)

func TestKey(t *testing.T) {
	for _, row := range []struct{ tenant, session, want string }{
		{"tenant-acme", "session-2026-03-14-001", "tenant-acme/session-2026-03-14-001"},
		{"a/b", "c", "a%2Fb/c"},
		{"a", "b/c", "a/b%2Fc"},
		{"a%2Fb", "c", "a%252Fb/c"},
		{"", "", "/"},
		{"é", " \n\x00", "%C3%A9/%20%0A%00"},
		{"AZaz09", "-._~+", "AZaz09/-._~%2B"},
	} {
		if got := Key(row.tenant, row.session); got != row.want {
			t.Errorf("%q %q: %q, want %q", row.tenant, row.session, got, row.want)
		}
	}
}

// The two ids can be recovered from a key, so that no two sessions have the same.
func TestKeyIsUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tenant, session := hostileText.Draw(t, "tenant"), hostileText.Draw(t, "session")
		a, b, ok := strings.Cut(Key(tenant, session), "/")
		if !ok || strings.Contains(b, "/") {
			t.Fatal("not two parts")
		}
		if back, err := url.PathUnescape(a); err != nil || back != tenant {
			t.Fatal(back, err)
		}
		if back, err := url.PathUnescape(b); err != nil || back != session {
			t.Fatal(back, err)
		}
	})
}

func TestMessageIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvent.Draw(t, "event")
		m, err := NewMessage(e)
		if err != nil {
			t.Fatal(err)
		}
		back, _, err := m.Event()
		if err != nil {
			t.Fatal(err)
		}
		if m.Key != Key(e.TenantID, e.SessionID) || canonical(t, back) != canonical(t, e) {
			t.Fatal("not the same")
		}
	})
}

func TestMessageRefusals(t *testing.T) {
	broken := sample(0)
	broken.Content = "nonsense"
	for _, e := range []*hmx.Event{nil, broken} {
		var refused *EncodeError
		if m, err := NewMessage(e); !errors.As(err, &refused) || m.Key != "" || m.Body != nil {
			t.Error(m, err)
		}
	}
	one := sampleJSON(t, 0)
	for _, row := range []struct{ body, rule string }{
		{one + "\n" + one, "HMX-JSON/trailing-data"},
		{"", "HMX-JSON/empty"},
		{"[" + one + "]", "HMX-E/2"},
		{bom + one, "HMX-JSON/bom"},
		{strings.Repeat(" ", hmx.MaxEventBytes) + strings.Repeat("x", hmx.MaxEventBytes+1), "HMX-E/11"},
	} {
		_, _, err := Message{Body: []byte(row.body)}.Event()
		var invalid *hmx.InvalidError
		if !errors.As(err, &invalid) || invalid.Problems[0].Rule != row.rule {
			t.Errorf("%s: %v", row.rule, err)
		}
	}
	if _, _, err := (Message{Body: []byte(" " + one + "\r\n")}).Event(); err != nil {
		t.Error(err)
	}
}
