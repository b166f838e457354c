package access_test

import (
	"crypto/ed25519"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// keys has one key that can be replaced.
type keys struct{ key ed25519.PrivateKey }

func (k *keys) ScopeKey() (ed25519.PrivateKey, error) { return k.key, nil }

func keyOf(n byte) ed25519.PrivateKey {
	seed := make([]byte, ed25519.SeedSize)
	seed[0] = n
	return ed25519.NewKeyFromSeed(seed)
}

func code(err error) fault.Code { return fault.CodeOf(err) }

// TestAuthorityChecksEachCall: only a verified signature is cached; tenant, agent, end and key
// are checked again.
func TestAuthorityChecksEachCall(t *testing.T) {
	t.Parallel()
	now, k := epoch, &keys{keyOf(1)}
	a := access.NewAuthority(k, func() time.Time { return now })
	token, err := a.Mint("acme", "ann", record.User, scope.Grant{To: "coder", Include: scope.Selectors{Types: []string{"fact"}}, Expires: epoch.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		tenant string
		view   access.View
		clock  time.Time
		key    byte
		want   fault.Code
	}{
		{"good", "acme", access.View{Scope: token}, epoch, 1, ""},
		{"named agent", "acme", access.View{Scope: token, Agent: "coder"}, epoch, 1, ""},
		{"other tenant", "globex", access.View{Scope: token}, epoch, 1, fault.ScopeInvalid},
		{"other agent", "acme", access.View{Scope: token, Agent: "tester"}, epoch, 1, fault.ScopeInvalid},
		{"over by the clock", "acme", access.View{Scope: token}, epoch.Add(time.Hour), 1, fault.ScopeExpired},
		{"over by the call", "acme", access.View{Scope: token, Now: epoch.Add(2 * time.Hour)}, epoch, 1, fault.ScopeExpired},
		{"an earlier call revives nothing", "acme", access.View{Scope: token, Now: epoch}, epoch.Add(time.Hour), 1, fault.ScopeExpired},
		{"another key", "acme", access.View{Scope: token}, epoch, 2, fault.ScopeInvalid},
		{"good again", "acme", access.View{Scope: token}, epoch, 1, ""},
	} {
		now, k.key = tc.clock, keyOf(tc.key)
		v, err := a.Authorize(tc.tenant, tc.view)
		if code(err) != tc.want {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
			continue
		}
		if err == nil && (v.Agent != "coder" || access.Of(v) == nil) {
			t.Errorf("%s: the view is %+v", tc.name, v)
		}
	}
}

// TestMintGivesNoMoreThanTheGranterHas: a token has no more trust than its granter.
func TestMintGivesNoMoreThanTheGranterHas(t *testing.T) {
	t.Parallel()
	a := access.NewAuthority(&keys{keyOf(1)}, func() time.Time { return epoch })
	good := scope.Grant{To: "coder", Include: scope.Selectors{All: true}, Expires: epoch.Add(time.Hour)}
	for _, tc := range []struct {
		name    string
		ceiling record.Trust
		change  func(*scope.Grant)
		want    fault.Code
	}{
		{"a user", record.User, func(*scope.Grant) {}, ""},
		{"an agent", record.Agent, func(*scope.Grant) {}, fault.Untrusted},
		{"more trust", record.User, func(g *scope.Grant) { g.Trust = record.Operator }, fault.Untrusted},
		{"another granter", record.User, func(g *scope.Grant) { g.By = "eve" }, fault.ScopeInvalid},
		{"another tenant", record.User, func(g *scope.Grant) { g.Tenant = "globex" }, fault.ScopeInvalid},
		{"over already", record.User, func(g *scope.Grant) { g.Expires = epoch }, fault.ScopeInvalid},
		{"too long", record.User, func(g *scope.Grant) { g.Expires = epoch.Add(scope.MaxLife + time.Hour) }, fault.ScopeInvalid},
		{"a path that is not clean", record.User, func(g *scope.Grant) {
			g.Include = scope.Selectors{Frames: []string{"modify:file=./internal/x.go"}}
		}, fault.ScopeInvalid},
	} {
		g := good
		tc.change(&g)
		if _, err := a.Mint("acme", "ann", tc.ceiling, g); code(err) != tc.want {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
}

// TestUnverifiedScopeShowsNothing: a verified scope shows what it allows. What is private to
// another agent is hidden with and without a scope.
func TestUnverifiedScopeShowsNothing(t *testing.T) {
	t.Parallel()
	a := access.NewAuthority(&keys{keyOf(1)}, func() time.Time { return epoch })
	token, err := a.Mint("acme", "ann", record.User, scope.Grant{To: "coder", Include: scope.Selectors{Types: []string{"fact"}}, Expires: epoch.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	verified, err := a.Authorize("acme", access.View{Scope: token})
	if err != nil {
		t.Fatal(err)
	}
	head := func(class memory.Type, private bool) *catalog.Head {
		h := &catalog.Head{Kind: record.Memory, ID: "m", Class: string(class), Actor: "ann", Trust: record.User}
		if private {
			h.Visibility = memory.VisiblePrivate
		}
		return h
	}
	for _, tc := range []struct {
		name string
		view access.View
		head *catalog.Head
		want bool
	}{
		{"an operator", access.View{}, head(memory.TypeFact, true), true},
		{"the agent that wrote it", access.View{Agent: "ann"}, head(memory.TypeFact, true), true},
		{"another agent", access.View{Agent: "coder"}, head(memory.TypeFact, true), false},
		{"not verified", access.View{Scope: token}, head(memory.TypeFact, false), false},
		{"in scope", verified, head(memory.TypeFact, false), true},
		{"out of scope", verified, head(memory.TypeGoal, false), false},
		{"in scope, but private", verified, head(memory.TypeFact, true), false},
	} {
		if got := access.Sees(tc.view, tc.head); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
	ev := &hmx.Event{EventID: "e", EventType: hmx.TypeMessage}
	if access.SeesEvent(access.View{Scope: token}, ev) || access.SeesEvent(verified, ev) || !access.SeesEvent(access.View{}, ev) {
		t.Error("an event is shown under a scope of facts, or hidden from an operator")
	}
}
