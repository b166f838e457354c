package access

import (
	"crypto/ed25519"
	"crypto/sha256"
	"strings"
	"sync"
	"time"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// NarrowScope adds a block to a token, which can only restrict it. It needs no board, and verifies
// nothing.
func NarrowScope(token string, g scope.Grant) (string, error) {
	t, err := scope.Parse(token)
	if err != nil {
		return "", err
	}
	if err := cleanSelectors(&g); err != nil {
		return "", err
	}
	if t, err = t.Narrow(g); err != nil {
		return "", err
	}
	return t.String(), nil
}

// cleanSelectors refuses selectors of frames whose references are not in canonical form: they
// would match nothing, and a user could believe that they exclude something.
func cleanSelectors(g *scope.Grant) error {
	for _, list := range [][]string{g.Include.Frames, g.Exclude.Frames} {
		for _, selector := range list {
			head, ref, ok := strings.Cut(selector, "=")
			_, object, _ := strings.Cut(head, ":")
			begin, star := strings.CutSuffix(ref, "*")
			if !ok || star && begin == "" {
				continue
			}
			clean := kind.CleanRef(memory.ObjectKind(object), begin)
			if clean != begin && !(star && clean+"/" == begin) {
				return fault.Newf(fault.ScopeInvalid, "frames: %.40q is not spelled as references are kept", ref).
					WithFix("write paths and addresses in their shortest form, without ./ and .. and with hosts in lower case")
			}
		}
	}
	return nil
}

// maxTokens is how many verified tokens are cached.
const maxTokens = 1024

// Authority verifies the scope tokens of a directory and mints new ones. It is safe for concurrent
// use. It caches the signatures that it verified; it checks the holder and the end of a token in
// each call.
type Authority struct {
	keys  Keys
	clock func() time.Time

	mu       sync.Mutex
	verified map[[sha256.Size]byte]*scope.Access
}

// Keys has the key that scope tokens are signed with.
type Keys interface {
	ScopeKey() (ed25519.PrivateKey, error)
}

// NewAuthority returns the authority of a directory.
func NewAuthority(keys Keys, clock func() time.Time) *Authority {
	return &Authority{keys: keys, clock: clock}
}

// Access verifies a token for a tenant. An empty token means no scope. A token has ended if it is
// over at the later of now, if given, and the clock: an earlier now revives nothing.
func (a *Authority) Access(tenant, token string, now time.Time) (*scope.Access, error) {
	if token == "" {
		return nil, nil
	}
	granted, err := a.Verify(token, now)
	if err != nil {
		return nil, err
	}
	if granted.Tenant() != tenant {
		return nil, fault.New(fault.ScopeInvalid, "scope token: it is for another tenant").
			WithFix("use it with the tenant that it was minted for")
	}
	return granted, nil
}

// Verify verifies a token of any tenant.
func (a *Authority) Verify(token string, now time.Time) (*scope.Access, error) {
	if len(token) > scope.MaxText {
		_, err := scope.Parse(token)
		return nil, err
	}
	key, err := a.keys.ScopeKey()
	if err != nil {
		return nil, err
	}
	public := key.Public().(ed25519.PublicKey)
	clock := a.clock()
	name := sha256.Sum256(append(append([]byte(nil), public...), token...))
	a.mu.Lock()
	granted := a.verified[name]
	a.mu.Unlock()
	if granted == nil {
		parsed, err := scope.Parse(token)
		if err != nil {
			return nil, err
		}
		if granted, err = parsed.Verify(public, parsed.Grants()[0].Tenant, clock); err != nil {
			return nil, err
		}
		a.remember(name, granted)
	}
	if err := granted.At(clock); err != nil {
		return nil, err
	}
	if now.IsZero() {
		return granted, nil
	}
	return granted, granted.NotOver(now)
}

// remember caches a verified token. If there are too many, the cache is emptied.
func (a *Authority) remember(name [sha256.Size]byte, granted *scope.Access) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.verified) >= maxTokens || a.verified == nil {
		a.verified = make(map[[sha256.Size]byte]*scope.Access)
	}
	a.verified[name] = granted
}

// Authorize returns a view with its scope verified. The agent of the view is the one that the
// token was granted to.
func (a *Authority) Authorize(tenant string, v View) (View, error) {
	if v.access != nil && v.access.Tenant() == tenant {
		return v, nil // already authorized by the enclosing call
	}
	if err := v.checkConditions(); err != nil {
		return v, err
	}
	granted, err := a.Access(tenant, v.Scope, v.Now)
	if err != nil || granted == nil {
		return v, err
	}
	if v.Agent != "" && v.Agent != granted.Agent() {
		return v, WrongAgent("agent")
	}
	v.Agent, v.access = granted.Agent(), granted
	return v, nil
}

// Mint returns the text of a token for an agent of a tenant, granted by an actor with this trust.
// The actor needs at least the trust of a user, and grants no more trust than it has.
func (a *Authority) Mint(tenant, by string, ceiling record.Trust, g scope.Grant) (string, error) {
	if ceiling < record.User {
		return "", fault.Newf(fault.Untrusted, "scope: a writer of trust %s may not grant one", ceiling).
			WithFix("have a writer of tier user or operator grant it, or narrow a token that you have")
	}
	if g.Trust > ceiling {
		return "", fault.Newf(fault.Untrusted, "trust: a writer of trust %s cannot give more than it has", ceiling).
			WithFix("give a tier of at most " + ceiling.String())
	}
	if g.Tenant != "" && g.Tenant != tenant || g.By != "" && g.By != by {
		return "", fault.New(fault.ScopeInvalid, "tenant, by: they are the tenant's and the writer's own").WithFix("leave them out")
	}
	g.Tenant, g.By = tenant, by
	now := a.clock()
	switch {
	case g.Expires.IsZero(): // the token's own rules report it
	case !g.Expires.Truncate(time.Second).After(now):
		return "", fault.New(fault.ScopeInvalid, "expires: it is in the past").WithFix("give a time in the future")
	case g.Expires.After(now.Add(scope.MaxLife)):
		return "", fault.Newf(fault.ScopeInvalid, "expires: it is more than %d days from now", int(scope.MaxLife/(24*time.Hour))).
			WithFix("give an earlier end; an expired token is replaced by a new one")
	}
	if err := cleanSelectors(&g); err != nil {
		return "", err
	}
	key, err := a.keys.ScopeKey()
	if err != nil {
		return "", err
	}
	token, err := scope.Mint(key, g)
	if err != nil {
		return "", err
	}
	return token.String(), nil
}

// WrongAgent refuses a name that differs from that of the token.
func WrongAgent(field string) error {
	return fault.Newf(fault.ScopeInvalid, "scope token: %s: it was granted to another agent than the one that is named", field).
		WithFix("leave the name out: it is the token's")
}
