package auth_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/testsize"
)

const bootstrap = "the operator's own token"

// world is a board with its credentials and a fake clock.
type world struct {
	t     *testing.T
	dir   string
	board *lukasa.Board
	keys  *auth.Store

	mu     sync.Mutex
	now    time.Time
	timers []timer
}

// timer is a pending call.
type timer struct {
	at  time.Time
	run func()
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), now: time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)}
	w.open()
	t.Cleanup(func() { _ = w.board.Close() })
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// open opens the board and its credentials, again if they were open.
func (w *world) open() {
	w.t.Helper()
	if w.board != nil {
		if err := w.board.Close(); err != nil {
			w.t.Fatal(err)
		}
	}
	var err error
	if w.board, err = lukasa.Open(w.dir, lukasa.Options{Clock: w.clock}); err != nil {
		w.t.Fatal(err)
	}
	if w.keys, err = auth.Open(w.t.Context(), w.board, auth.StoreOptions{Bootstrap: bootstrap, Clock: w.clock}); err != nil {
		w.t.Fatal(err)
	}
	w.keys.After(func(d time.Duration, run func()) func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.timers = append(w.timers, timer{w.now.Add(d), run})
		return func() bool { return true }
	})
}

// pass advances the clock, and runs what is due.
func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	end := w.now.Add(d)
	w.mu.Unlock()
	for {
		w.mu.Lock()
		due := -1
		for i, t := range w.timers {
			if !t.at.After(end) && (due < 0 || t.at.Before(w.timers[due].at)) {
				due = i
			}
		}
		if due < 0 {
			w.now = end
			w.mu.Unlock()
			return
		}
		next := w.timers[due]
		w.timers = append(w.timers[:due], w.timers[due+1:]...)
		if next.at.After(w.now) {
			w.now = next.at
		}
		w.mu.Unlock()
		next.run()
	}
}

// boss is the operator.
func (w *world) boss() *auth.Principal {
	w.t.Helper()
	return w.who(bootstrap, "", "")
}

// who returns a principal that must be authenticated.
func (w *world) who(bearer, tenant, scope string) *auth.Principal {
	w.t.Helper()
	p, err := w.keys.Authenticate(w.t.Context(), bearer, tenant, scope)
	if err != nil {
		w.t.Fatalf("Authenticate(%.20q, %q): %v", bearer, tenant, err)
	}
	return p
}

// key makes a key.
func (w *world) key(r auth.Request) (*auth.Key, string) {
	w.t.Helper()
	key, token, err := w.keys.Create(w.t.Context(), w.boss(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	return key, token
}

// scope mints a token for the agent coder of a tenant.
func (w *world) scope(tenant string, change func(*lukasa.Grant)) string {
	w.t.Helper()
	g := lukasa.Grant{To: "coder", Include: lukasa.Selectors{All: true}, Expires: w.clock().Add(time.Hour), Trust: lukasa.Tool}
	if change != nil {
		change(&g)
	}
	token, err := w.board.Tenant(tenant, lukasa.Writer{Actor: "ana", Trust: lukasa.User}).MintScope(w.t.Context(), g)
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

// refused checks that a bearer is refused, with a code.
func (w *world) refused(what, bearer, tenant, scope string, code fault.Code) {
	w.t.Helper()
	p, err := w.keys.Authenticate(w.t.Context(), bearer, tenant, scope)
	if fault.CodeOf(err) != code || p != nil {
		w.t.Errorf("%s: %+v, %v; %s was expected", what, p, err, code)
	}
}

// Keys authenticate until they are revoked, also after a restart.
func TestKeysOutliveARestart(t *testing.T) {
	w := newWorld(t)
	type made struct {
		token string
		want  auth.Principal
	}
	list := map[string]*made{}
	for name, r := range map[string]auth.Request{
		"operator": {Role: auth.Operator, Label: "night shift"},
		"tenant":   {Role: auth.Member, Tenant: "acme"},
		"admin":    {Role: auth.Member, Tenant: "acme", Rights: auth.Read | auth.Admin},
		"agent":    {Role: auth.Agent, Tenant: "acme", Agent: "coder", Rights: auth.Write, Trust: lukasa.Tool},
		"odd":      {Role: auth.Agent, Tenant: "a/b c.ü", Agent: "coder/helper"},
		"revoked":  {Role: auth.Member, Tenant: "acme", Label: "lost"},
	} {
		key, token := w.key(r)
		list[name] = &made{token, auth.Principal{Key: key.ID, Role: key.Role, Tenant: key.Tenant, Agent: key.Agent, Rights: key.Rights, Trust: key.Trust}}
		if !strings.HasPrefix(token, "lk_") || !strings.Contains(token, "_"+key.ID+"_") {
			t.Errorf("%s has the text %q", name, token)
		}
	}
	if _, err := w.keys.Revoke(t.Context(), w.boss(), list["revoked"].want.Key, "laptop lost"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for name, m := range list {
			if name == "revoked" {
				w.refused(name, m.token, "", "", fault.Unauthenticated)
			} else if got := w.who(m.token, "", ""); *got != m.want {
				t.Errorf("%s is %+v, not %+v", name, *got, m.want)
			}
		}
		got, err := w.keys.Get(t.Context(), w.boss(), list["revoked"].want.Key)
		if err != nil || got.Reason != "laptop lost" || got.State(w.clock()) != auth.Revoked || got.Label != "lost" {
			t.Errorf("%+v, %v", got, err)
		}
		keys, err := w.keys.List(t.Context(), w.boss())
		if err != nil || len(keys) != len(list) {
			t.Errorf("%d keys, %v", len(keys), err)
		}
		w.open()
	}
	if trusts := [...]lukasa.Trust{list["operator"].want.Trust, list["tenant"].want.Trust, list["agent"].want.Trust, list["odd"].want.Trust}; trusts != [...]lukasa.Trust{lukasa.Operator, lukasa.User, lukasa.Tool, lukasa.Agent} {
		t.Errorf("trusted as %v", trusts)
	}
}

// Nothing on the disk authenticates.
func TestNoSecretIsKept(t *testing.T) {
	w := newWorld(t)
	key, token := w.key(auth.Request{Role: auth.Member, Tenant: "acme"})
	var out bytes.Buffer
	system := w.board.AsSystem(board.System()).Tenant(lukasa.SystemTenant, lukasa.Writer{})
	if _, err := system.Export(t.Context(), &out, nil); err != nil {
		t.Fatal(err)
	}
	secret := token[strings.LastIndexByte(token, '_')+1:]
	if bytes.Contains(out.Bytes(), []byte(secret)) || bytes.Contains(out.Bytes(), []byte(secret[:20])) || !bytes.Contains(out.Bytes(), []byte(key.ID)) {
		t.Errorf("kept is %s", out.Bytes())
	}
	// Only an export of the system's tenant transfers the keys.
	other := newWorld(t)
	if _, err := other.board.Import(t.Context(), bytes.NewReader(out.Bytes()), nil); fault.CodeOf(err) != fault.NotPermitted {
		t.Errorf("an import by anybody: %v", err)
	}
	if _, err := other.board.AsSystem(board.System()).Import(t.Context(), bytes.NewReader(out.Bytes()), nil); err != nil {
		t.Fatal(err)
	}
	other.open()
	if p := other.who(token, "", ""); p.Tenant != "acme" {
		t.Errorf("%+v", p)
	}
}

// A watch of a revoked key ends immediately, and other watches do not.
func TestRevokeEndsWatches(t *testing.T) {
	w := newWorld(t)
	key, token := w.key(auth.Request{Role: auth.Member, Tenant: "acme"})
	_, other := w.key(auth.Request{Role: auth.Member, Tenant: "acme"})
	gone, stop := w.keys.Watch(w.who(token, "", ""))
	left, stopLeft := w.keys.Watch(w.who(token, "", ""))
	stays, stopStays := w.keys.Watch(w.who(other, "", ""))
	boss, stopBoss := w.keys.Watch(w.boss())
	defer stop()
	defer stopStays()
	defer stopBoss()
	stopLeft()
	stopLeft() // the second call does nothing
	late := w.who(token, "", "")
	if _, err := w.keys.Revoke(t.Context(), w.boss(), key.ID, ""); err != nil {
		t.Fatal(err)
	}
	if !closed(gone) || closed(left) || closed(stays) || closed(boss) {
		t.Errorf("gone %v, stopped %v, other %v, bootstrap %v", closed(gone), closed(left), closed(stays), closed(boss))
	}
	if already, _ := w.keys.Watch(late); !closed(already) {
		t.Error("a watch that begins after the end goes on")
	}
	w.refused("revoked", token, "", "", fault.Unauthenticated)
	again, err := w.keys.Revoke(t.Context(), w.boss(), key.ID, "once more")
	if err != nil || again.Reason != "" {
		t.Errorf("revoked twice: %+v, %v", again, err)
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// A key expires at its time, and so do its watches; so does a scope.
func TestExpiry(t *testing.T) {
	w := newWorld(t)
	key, token := w.key(auth.Request{Role: auth.Member, Tenant: "acme", Expires: w.clock().Add(3 * time.Hour)})
	scope := w.scope("acme", func(g *lukasa.Grant) { g.Expires = w.clock().Add(time.Hour) })
	gone, stop := w.keys.Watch(w.who(token, "", ""))
	defer stop()
	narrowed, stopNarrowed := w.keys.Watch(w.who(token, "", scope))
	defer stopNarrowed()
	alone, stopAlone := w.keys.Watch(w.who(scope, "", ""))
	defer stopAlone()
	w.pass(time.Hour - time.Second)
	if closed(gone) || closed(narrowed) || closed(alone) {
		t.Fatal("something ended early")
	}
	w.pass(time.Second)
	if closed(gone) || !closed(narrowed) || !closed(alone) {
		t.Errorf("when the scope is over: key %v, narrowed %v, alone %v", closed(gone), closed(narrowed), closed(alone))
	}
	w.refused("a scope that is over", scope, "", "", fault.Unauthenticated)
	w.refused("a key with a scope that is over", token, "", scope, fault.ScopeExpired)
	w.pass(2*time.Hour - time.Nanosecond)
	if w.who(token, "", ""); closed(gone) {
		t.Error("the key ended early")
	}
	w.pass(time.Nanosecond)
	if !closed(gone) {
		t.Error("nobody was told that the key is over")
	}
	w.refused("a key that is over", token, "", "", fault.Unauthenticated)
	if got, err := w.keys.Get(t.Context(), w.boss(), key.ID); err != nil || got.State(w.clock()) != auth.Expired {
		t.Errorf("%+v, %v", got, err)
	}
	w.open()
	w.refused("a key that is over, after a restart", token, "", "", fault.Unauthenticated)
}

// Only the exact text of a key authenticates, and all others get the same error.
func TestMangledTokens(t *testing.T) {
	testsize.OneGoroutine(t)
	w := newWorld(t)
	_, one := w.key(auth.Request{Role: auth.Member, Tenant: "acme"})
	_, two := w.key(auth.Request{Role: auth.Agent, Tenant: "other", Agent: "coder"})
	scope := w.scope("acme", nil)
	_, want := w.keys.Authenticate(t.Context(), "", "", "")
	if fault.CodeOf(want) != fault.Unauthenticated {
		t.Fatal(want)
	}
	good := map[string]bool{one: true, two: true, bootstrap: true, scope: true}
	random := rand.New(rand.NewPCG(1, 2))
	texts := []string{one, two, bootstrap, scope}
	for i := range 100_000 {
		text := mangle(random, texts[i%len(texts)], texts[random.IntN(len(texts))])
		if good[text] {
			continue
		}
		p, err := w.keys.Authenticate(t.Context(), text, "", "")
		if p != nil || err == nil || err.Error() != want.Error() || fault.CodeOf(err) != fault.Unauthenticated {
			t.Fatalf("%q: %+v, %v", text, p, err)
		}
	}
}

// mangle changes a text a little, or mixes it with another.
func mangle(r *rand.Rand, text, other string) string {
	b := []byte(text)
	switch r.IntN(8) {
	case 0:
		b[r.IntN(len(b))] = byte(r.IntN(256))
	case 1:
		i, j := r.IntN(len(b)), r.IntN(len(b))
		b[i], b[j] = b[j], b[i]
	case 2:
		b = b[:r.IntN(len(b))]
	case 3:
		b = append(b, byte(r.IntN(256)))
	case 4:
		i := r.IntN(len(b))
		b = append(b[:i:i], b[i+1:]...)
	case 5:
		i := r.IntN(min(len(text), len(other)))
		b = append(b[:i:i], other[i:]...)
	case 6:
		return strings.ToUpper(text)
	case 7:
		return " " + text
	}
	return string(b)
}

// hostile are names by which an attacker might try to reach another tenant.
func hostile() []string {
	list := []string{
		"acme", "ACME", "Acme", "acme ", " acme", "acme\n", "acme\x00", "\x00acme", "acme/", "/acme", "acme/..", "../acme", "./acme", "acme/../other", "other/../acme", "acme%00", "%61cme",
		"a\u0301cme", "аcme", "acme\u200b", "\ufeffacme", "acme\u202e", "*", "%", "_", "?", "acme*", "'; DROP TABLE tenants; --", "acme' OR '1'='1", "${tenant}", "{{acme}}", "$(id)", "`id`",
		"lukasa-system", "LUKASA-SYSTEM", "lukasa-system ", "lukasa-system\x00", "lukasa_system", "lukasa-system/acme", "acme/lukasa-system", "default", "null", "nil", "undefined", "true", "0", "-1",
		"", ".", "..", "/", "//", "\\", "C:\\acme", "file:///acme", "lukasa://acme/memory/x", "acme#1", "acme?x=1", "acme;other", "acme,other", "acme|other", "acme&other", "acme=other", "acme:other",
		"acme\r\nX-Lukasa-Tenant: other", "other\r\n", "\"acme\"", "'acme'", "<acme>", "[acme]", "(acme)", "\xff\xfe", "acme\xff", "\xc0\xaf", "acme\x7f", "\t", "   ", "\u2028", "𝒶𝒸𝓂ℯ", "ACMÉ", "acme\u00a0",
		strings.Repeat("a", 255), strings.Repeat("a", 256), strings.Repeat("acme", 10_000), strings.Repeat("/", 300),
	}
	for i := 0; len(list) < 200; i++ {
		list = append(list, fmt.Sprintf("acme%c", rune(i)), fmt.Sprintf("%cother", rune(0x2000+i)))
	}
	return list
}

// No name gives a caller other than an operator access to another tenant, or any caller access
// to the server's own.
func TestHostileNames(t *testing.T) {
	w := newWorld(t)
	_, member := w.key(auth.Request{Role: auth.Member, Tenant: "acme", Rights: auth.Read | auth.Write | auth.Admin})
	_, agent := w.key(auth.Request{Role: auth.Agent, Tenant: "other", Agent: "coder"})
	scope := w.scope("acme", nil)
	names := hostile()
	if len(names) < 200 {
		t.Fatalf("%d names", len(names))
	}
	for _, name := range names {
		for bearer, own := range map[string]string{member: "acme", agent: "other", scope: "acme"} {
			p, err := w.keys.Authenticate(t.Context(), bearer, name, "")
			switch {
			case name == "" || name == own:
				if err != nil || p.Tenant != own {
					t.Errorf("%q: %+v, %v", name, p, err)
				}
			case p != nil || fault.CodeOf(err) != fault.NotPermitted:
				t.Errorf("%q with a credential of %q: %+v, %v", name, own, p, err)
			}
			if p, err := w.keys.Authenticate(t.Context(), name, "", ""); p != nil || fault.CodeOf(err) != fault.Unauthenticated {
				t.Errorf("the bearer %q: %+v, %v", name, p, err)
			}
			if p, err := w.keys.Authenticate(t.Context(), bearer, "", name); name != "" && (p != nil || err == nil) {
				t.Errorf("the scope %q: %+v", name, p)
			}
		}
		p, err := w.keys.Authenticate(t.Context(), bootstrap, name, "")
		if err == nil && p.Tenant != name || name == lukasa.SystemTenant && err == nil {
			t.Errorf("an operator that names %q: %+v", name, p)
		}
		if _, _, err := w.keys.Create(t.Context(), w.who(member, "", ""), auth.Request{Role: auth.Member, Tenant: name}); name != "" && name != "acme" && fault.CodeOf(err) != fault.NotPermitted {
			t.Errorf("a tenant's admin makes a key of %q: %v", name, err)
		}
		if key, _, err := w.keys.Create(t.Context(), w.boss(), auth.Request{Role: auth.Agent, Tenant: "acme", Agent: name}); err == nil && (key.Agent != name || key.Tenant != "acme") {
			t.Errorf("an agent's key for %q is %+v", name, key)
		}
		if ev := event(name, "coder"); name != "acme" && w.who(member, "", "").Admit(ev) == nil {
			t.Errorf("an event of %q is admitted", name)
		}
		if ev := event("other", name); name != "coder" && w.who(agent, "", "").Admit(ev) == nil {
			t.Errorf("an event of the agent %q is admitted", name)
		}
	}
}

func event(tenant, agent string) *lukasa.Event {
	return &lukasa.Event{TenantID: tenant, AgentID: agent}
}

// A scope token removes rights, with a key and alone.
func TestScopes(t *testing.T) {
	w := newWorld(t)
	_, member := w.key(auth.Request{Role: auth.Member, Tenant: "acme", Rights: auth.Read | auth.Write | auth.Admin})
	_, reader := w.key(auth.Request{Role: auth.Member, Tenant: "acme", Rights: auth.Read})
	_, coder := w.key(auth.Request{Role: auth.Agent, Tenant: "acme", Agent: "coder"})
	_, tester := w.key(auth.Request{Role: auth.Agent, Tenant: "acme", Agent: "tester"})
	_, other := w.key(auth.Request{Role: auth.Member, Tenant: "other"})
	reads := w.scope("acme", nil)
	writes := w.scope("acme", func(g *lukasa.Grant) { g.Mode, g.Trust = lukasa.ScopeWrite, lukasa.User })
	narrower, err := lukasa.NarrowScope(writes, lukasa.Grant{To: "tests", Mode: lukasa.ScopeRead})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, bearer, tenant, scope string
		want                        auth.Principal
	}{
		{"alone, to read", reads, "", "", auth.Principal{Key: "scope", Role: auth.Holder, Tenant: "acme", Agent: "coder", Rights: auth.Read, Trust: lukasa.Tool, Scope: reads}},
		{"alone, to write", writes, "acme", "", auth.Principal{Key: "scope", Role: auth.Holder, Tenant: "acme", Agent: "coder", Rights: auth.Read | auth.Write, Trust: lukasa.User, Scope: writes}},
		{"alone, twice", writes, "", writes, auth.Principal{Key: "scope", Role: auth.Holder, Tenant: "acme", Agent: "coder", Rights: auth.Read | auth.Write, Trust: lukasa.User, Scope: writes}},
		{"alone, narrowed", writes, "", narrower, auth.Principal{Key: "scope", Role: auth.Holder, Tenant: "acme", Agent: "coder/tests", Rights: auth.Read, Trust: lukasa.User, Scope: narrower}},
		{"with a key", member, "", writes, auth.Principal{Role: auth.Member, Tenant: "acme", Agent: "coder", Rights: auth.Read | auth.Write, Trust: lukasa.User, Scope: writes}},
		{"with a key that reads", reader, "", writes, auth.Principal{Role: auth.Member, Tenant: "acme", Agent: "coder", Rights: auth.Read, Trust: lukasa.User, Scope: writes}},
		{"with an agent's key", coder, "", writes, auth.Principal{Role: auth.Agent, Tenant: "acme", Agent: "coder", Rights: auth.Read | auth.Write, Trust: lukasa.Agent, Scope: writes}},
		{"with an operator's", bootstrap, "", reads, auth.Principal{Role: auth.Operator, Tenant: "acme", Agent: "coder", Rights: auth.Read, Trust: lukasa.Tool, Scope: reads}},
		{"with an operator's, named", bootstrap, "acme", reads, auth.Principal{Role: auth.Operator, Tenant: "acme", Agent: "coder", Rights: auth.Read, Trust: lukasa.Tool, Scope: reads}},
	} {
		got := *w.who(c.bearer, c.tenant, c.scope)
		if c.want.Key == "" {
			got.Key = ""
		}
		if got != c.want {
			t.Errorf("%s: %+v, not %+v", c.what, got, c.want)
		}
	}
	w.refused("another tenant's key", other, "", writes, fault.ScopeInvalid)
	w.refused("another agent's key", tester, "", writes, fault.NotPermitted)
	w.refused("an operator that names another tenant", bootstrap, "other", writes, fault.ScopeInvalid)
	w.refused("a wider scope beside a narrower", narrower, "", writes, fault.ScopeInvalid)
	w.refused("another scope", reads, "", writes, fault.ScopeInvalid)
	w.refused("no scope", member, "", "lukasa_scope_1.x", fault.ScopeInvalid)
	w.refused("a huge one", "lukasa_scope_1."+strings.Repeat("A", 1<<20), "", "", fault.Unauthenticated)
	if err := w.board.NewKey(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.refused("a scope of an old key", reads, "", "", fault.Unauthenticated)
}

// Who may create, see and revoke which keys.
func TestWhoMayAdminister(t *testing.T) {
	w := newWorld(t)
	all := auth.Read | auth.Write | auth.Admin
	_, adminToken := w.key(auth.Request{Role: auth.Member, Tenant: "acme", Rights: auth.Read | auth.Admin})
	_, memberToken := w.key(auth.Request{Role: auth.Member, Tenant: "acme"})
	_, agentToken := w.key(auth.Request{Role: auth.Agent, Tenant: "acme", Agent: "coder"})
	operatorKey, _ := w.key(auth.Request{Role: auth.Operator})
	otherKey, _ := w.key(auth.Request{Role: auth.Member, Tenant: "other", Rights: all})
	boss, admin, member, agent := w.boss(), w.who(adminToken, "", ""), w.who(memberToken, "", ""), w.who(agentToken, "", "")
	scoped := w.who(adminToken, "", w.scope("acme", nil))
	for _, c := range []struct {
		what string
		by   *auth.Principal
		r    auth.Request
		code fault.Code
	}{
		{"operator makes operator", boss, auth.Request{Role: auth.Operator}, ""},
		{"operator makes admin", boss, auth.Request{Role: auth.Member, Tenant: "x", Rights: all}, ""},
		{"operator makes agent", boss, auth.Request{Role: auth.Agent, Tenant: "x", Agent: "a"}, ""},
		{"operator makes the server's own", boss, auth.Request{Role: auth.Member, Tenant: lukasa.SystemTenant}, fault.NotPermitted},
		{"agents are no admins", boss, auth.Request{Role: auth.Agent, Tenant: "x", Agent: "a", Rights: all}, fault.NotPermitted},
		{"agents have a name", boss, auth.Request{Role: auth.Agent, Tenant: "x"}, fault.InvalidArgument},
		{"tenants have none", boss, auth.Request{Role: auth.Member, Tenant: "x", Agent: "a"}, fault.InvalidArgument},
		{"operators have no tenant", boss, auth.Request{Role: auth.Operator, Tenant: "x"}, fault.InvalidArgument},
		{"tenants have one", boss, auth.Request{Role: auth.Member}, fault.InvalidArgument},
		{"agents are trusted as agents", boss, auth.Request{Role: auth.Agent, Tenant: "x", Agent: "a", Trust: lukasa.User}, fault.NotPermitted},
		{"tenants are trusted as users", boss, auth.Request{Role: auth.Member, Tenant: "x", Trust: lukasa.Operator}, fault.NotPermitted},
		{"no tier", boss, auth.Request{Role: auth.Member, Tenant: "x", Trust: 99}, fault.NotPermitted},
		{"no role", boss, auth.Request{Tenant: "x"}, fault.InvalidArgument},
		{"a holder's role", boss, auth.Request{Role: auth.Holder, Tenant: "x"}, fault.InvalidArgument},
		{"unknown rights", boss, auth.Request{Role: auth.Member, Tenant: "x", Rights: 1 << 5}, fault.InvalidArgument},
		{"over already", boss, auth.Request{Role: auth.Member, Tenant: "x", Expires: w.clock()}, fault.InvalidArgument},
		{"a long label", boss, auth.Request{Role: auth.Member, Tenant: "x", Label: strings.Repeat("x", 201)}, fault.InvalidArgument},
		{"a label over lines", boss, auth.Request{Role: auth.Member, Tenant: "x", Label: "a\nb"}, fault.InvalidArgument},
		{"admin makes for its tenant", admin, auth.Request{Role: auth.Member, Rights: auth.Read}, ""},
		{"admin makes an admin", admin, auth.Request{Role: auth.Member, Tenant: "acme", Rights: auth.Admin}, ""},
		{"admin makes an agent", admin, auth.Request{Role: auth.Agent, Agent: "a", Rights: auth.Read}, ""},
		{"admin gives what it has not", admin, auth.Request{Role: auth.Member, Rights: auth.Write}, fault.NotPermitted},
		{"admin makes for another", admin, auth.Request{Role: auth.Member, Tenant: "other", Rights: auth.Read}, fault.NotPermitted},
		{"admin makes operator", admin, auth.Request{Role: auth.Operator, Rights: auth.Read}, fault.NotPermitted},
		{"member makes", member, auth.Request{Role: auth.Member, Rights: auth.Read}, fault.NotPermitted},
		{"agent makes", agent, auth.Request{Role: auth.Agent, Agent: "coder", Rights: auth.Read}, fault.NotPermitted},
		{"an agent that is given admin", &auth.Principal{Role: auth.Agent, Tenant: "acme", Agent: "coder", Rights: all}, auth.Request{Role: auth.Agent, Agent: "x", Rights: auth.Read}, fault.NotPermitted},
		{"admin under a scope", scoped, auth.Request{Role: auth.Member, Rights: auth.Read}, fault.NotPermitted},
		{"nobody", nil, auth.Request{Role: auth.Member, Tenant: "x"}, fault.NotPermitted},
	} {
		_, token, err := w.keys.Create(t.Context(), c.by, c.r)
		if fault.CodeOf(err) != c.code || (token == "") != (err != nil) {
			t.Errorf("%s: %q, %v", c.what, token, err)
		}
	}
	for _, id := range []string{operatorKey.ID, otherKey.ID, "nosuchkey0", ""} {
		if _, err := w.keys.Get(t.Context(), admin, id); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("a tenant's admin sees %q: %v", id, err)
		}
		if _, err := w.keys.Revoke(t.Context(), admin, id, ""); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("a tenant's admin revokes %q: %v", id, err)
		}
	}
	list, err := w.keys.List(t.Context(), admin)
	if err != nil || len(list) == 0 {
		t.Fatal(err)
	}
	for _, k := range list {
		if k.Tenant != "acme" {
			t.Errorf("a tenant's admin is listed %+v", k)
		}
	}
	if list, err := w.keys.List(t.Context(), w.who(bootstrap, "other", "")); err != nil || len(list) != 1 || list[0].ID != otherKey.ID {
		t.Errorf("an operator that names a tenant is listed %d keys: %v", len(list), err)
	}
	for what, by := range map[string]*auth.Principal{"member": member, "agent": agent, "scoped": scoped} {
		_, listed := w.keys.List(t.Context(), by)
		_, got := w.keys.Get(t.Context(), by, otherKey.ID)
		_, revoked := w.keys.Revoke(t.Context(), by, otherKey.ID, "")
		_, _, acts := w.keys.Acts(t.Context(), by, 0, "")
		for _, err := range []error{listed, got, revoked, acts} {
			if code := fault.CodeOf(err); code != fault.NotPermitted {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	if _, _, err := w.keys.Acts(t.Context(), admin, 0, ""); fault.CodeOf(err) != fault.NotPermitted {
		t.Errorf("a tenant's admin sees what operators did: %v", err)
	}
}

// An event is written in the name of the key that sends it.
func TestAdmit(t *testing.T) {
	operator := &auth.Principal{Role: auth.Operator, Rights: auth.Write}
	named := &auth.Principal{Role: auth.Operator, Tenant: "acme", Rights: auth.Write}
	member := &auth.Principal{Role: auth.Member, Tenant: "acme", Rights: auth.Write}
	agent := &auth.Principal{Role: auth.Agent, Tenant: "acme", Agent: "coder", Rights: auth.Write}
	holder := &auth.Principal{Role: auth.Holder, Tenant: "acme", Agent: "coder", Rights: auth.Write, Scope: "x"}
	for _, c := range []struct {
		by            *auth.Principal
		tenant, agent string
		ok            bool
	}{
		{operator, "acme", "x", true}, {operator, "other", "x", true}, {operator, lukasa.SystemTenant, "x", false},
		{named, "acme", "x", true}, {named, "other", "x", false},
		{member, "acme", "x", true}, {member, "acme", "coder", true}, {member, "other", "x", false}, {member, "", "x", false},
		{agent, "acme", "coder", true}, {agent, "acme", "coder/tests", false}, {agent, "acme", "Coder", false}, {agent, "other", "coder", false},
		{holder, "acme", "coder/tests", true}, {holder, "other", "coder", false},
		{&auth.Principal{Role: auth.Member, Tenant: "acme", Rights: auth.Read | auth.Admin}, "acme", "x", false},
	} {
		err := c.by.Admit(event(c.tenant, c.agent))
		if (err == nil) != c.ok || err != nil && fault.CodeOf(err) != fault.NotPermitted {
			t.Errorf("%s of %q and an event of %q, %q: %v", c.by.Role, c.by.Tenant, c.tenant, c.agent, err)
		}
	}
}

// Changes of keys are journaled with their actor, and so are acts of other packages.
func TestActsAreJournaled(t *testing.T) {
	w := newWorld(t)
	if acts, next, err := w.keys.Acts(t.Context(), w.boss(), 0, ""); err != nil || len(acts) != 0 || next != "" {
		t.Fatalf("%v, %q, %v", acts, next, err)
	}
	key, token := w.key(auth.Request{Role: auth.Member, Tenant: "acme", Rights: auth.Read | auth.Admin, Label: "ops"})
	w.pass(time.Second)
	if _, err := w.keys.Revoke(t.Context(), w.who(token, "", ""), key.ID, "rotated"); err != nil {
		t.Fatal(err)
	}
	w.pass(time.Second)
	if err := w.keys.Audit(t.Context(), w.who(bootstrap, "other", ""), "tenant.export", map[string]string{"size": "3"}); err != nil {
		t.Fatal(err)
	}
	w.open()
	want := []auth.Act{
		{Act: "key.create", By: "operator:bootstrap", Tenant: "acme", Detail: map[string]string{"key": key.ID, "role": "tenant", "rights": "read,admin", "label": "ops"}},
		{Act: "key.revoke", By: "tenant:" + key.ID, Tenant: "acme", Detail: map[string]string{"key": key.ID, "role": "tenant", "rights": "read,admin", "label": "ops", "reason": "rotated"}},
		{Act: "tenant.export", By: "operator:bootstrap", Tenant: "other", Detail: map[string]string{"size": "3"}},
	}
	var got []auth.Act
	for after := ""; ; {
		acts, next, err := w.keys.Acts(t.Context(), w.boss(), 2, after)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, acts...)
		if after = next; after == "" {
			break
		}
	}
	for i := range got {
		if got[i].ID == "" || got[i].Time == "" {
			t.Errorf("%+v", got[i])
		}
		got[i].ID, got[i].Time = "", ""
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v\nnot %v", got, want)
	}
	for root, err := range w.board.Tenants(t.Context()) {
		t.Errorf("there is a tenant %q: %v", root.Tenant, err)
	}
}

// A key whose revocation cannot be written is refused all the same, and can be revoked again.
func TestRevokeWhenTheDiskRefuses(t *testing.T) {
	w := newWorld(t)
	key, token := w.key(auth.Request{Role: auth.Member, Tenant: "acme"})
	gone, stop := w.keys.Watch(w.who(token, "", ""))
	defer stop()
	cancelled, cancel := context.WithCancel(t.Context())
	boss := w.boss()
	cancel()
	if _, err := w.keys.Revoke(cancelled, boss, key.ID, "lost"); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was given up: %v", err)
	}
	if _, err := w.keys.Revoke(t.Context(), boss, key.ID, "lost"); err != nil {
		t.Fatal(err)
	}
	if !closed(gone) {
		t.Error("nobody was told")
	}
	w.open()
	w.refused("revoked", token, "", "", fault.Unauthenticated)
}

// Concurrent callers, while keys are created and revoked.
func TestTogether(t *testing.T) {
	w := newWorld(t)
	_, token := w.key(auth.Request{Role: auth.Member, Tenant: "acme"})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				p, err := w.keys.Authenticate(t.Context(), token, "", "")
				if err != nil || p.Tenant != "acme" {
					t.Errorf("%+v, %v", p, err)
					return
				}
				_, stop := w.keys.Watch(p)
				stop()
			}
			key, text, err := w.keys.Create(t.Context(), auth.Local("ana"), auth.Request{Role: auth.Agent, Tenant: "acme", Agent: "coder"})
			if err != nil {
				t.Error(err)
				return
			}
			p, err := w.keys.Authenticate(t.Context(), text, "", "")
			if err != nil {
				t.Error(err)
				return
			}
			gone, stop := w.keys.Watch(p)
			defer stop()
			if _, err := w.keys.Revoke(t.Context(), auth.Local(""), key.ID, ""); err != nil || !closed(gone) {
				t.Errorf("revoked: %v", err)
			}
			if _, err := w.keys.Authenticate(t.Context(), text, "", ""); fault.CodeOf(err) != fault.Unauthenticated {
				t.Errorf("a revoked key: %v", err)
			}
		})
	}
	all.Wait()
}
