package auth

import (
	"context"
	"crypto/sha256"
	"strings"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/scope"
)

// The ids of credentials that are no keys.
const (
	bootstrapKey = "bootstrap"
	scopeKey     = "scope"
	localKey     = "local"
)

// scopeMark is the prefix of scope tokens of any version.
const scopeMark = "lukasa_scope_"

// maxBearer is the longest accepted bearer.
const maxBearer = scope.MaxText

// Authenticate returns the caller: by a key, by the operator's token, or by a scope token
// alone. tenant is the one that the call names, which only an operator may choose; scope is a
// token that narrows what the call sees and writes. Both may be empty.
func (s *Store) Authenticate(ctx context.Context, bearer, tenant, scope string) (*Principal, error) {
	if strings.HasPrefix(bearer, scopeMark) {
		return s.holder(ctx, bearer, tenant, scope)
	}
	p := s.caller(bearer)
	if p == nil {
		return nil, unknown()
	}
	if err := p.name(tenant); err != nil {
		return nil, err
	}
	if scope == "" {
		return p, nil
	}
	if err := s.narrow(ctx, p, scope); err != nil {
		return nil, err
	}
	return p, nil
}

// caller returns the principal of a key or of the operator's token, or nil. It takes the same
// steps for every text.
func (s *Store) caller(bearer string) *Principal {
	if len(bearer) > maxBearer {
		bearer = ""
	}
	sum := sha256.Sum256([]byte(bearer))
	id := idOf(bearer)
	s.mu.RLock()
	e := s.keys[id]
	hash, key := &s.nobody, (*Key)(nil)
	if e != nil {
		hash, key = &e.hash, e.key
	}
	s.mu.RUnlock()
	known, operator := equal(&sum, hash), equal(&sum, &s.bootstrap)
	switch {
	case operator:
		return &Principal{Key: bootstrapKey, Role: Operator, Rights: Read | Write | Admin, Trust: lukasa.Operator}
	case known && key != nil && key.State(s.clock()) == Active:
		return &Principal{Key: key.ID, Role: key.Role, Tenant: key.Tenant, Agent: key.Agent, Rights: key.Rights, Trust: key.Trust}
	}
	return nil
}

// name sets the tenant that a call names.
func (p *Principal) name(tenant string) error {
	switch {
	case tenant == "" || tenant == p.Tenant:
		return nil
	case p.Role != Operator:
		return fault.New(fault.NotPermitted, "tenant: the credential is for another one than the call names").WithFix("leave the name out: the tenant is that of the credential")
	case tenant == lukasa.SystemTenant:
		return reserved()
	}
	if err := memory.CheckTenant(tenant); err != nil {
		return err
	}
	p.Tenant = tenant
	return nil
}

// holder returns the principal of a scope token that comes alone. A second one must be narrowed
// from it.
func (s *Store) holder(ctx context.Context, token, tenant, narrower string) (*Principal, error) {
	if len(token) > maxBearer {
		return nil, unknown()
	}
	grants, _, err := lukasa.InspectScope(token)
	if err != nil || grants[0].Tenant == lukasa.SystemTenant {
		return nil, unknown()
	}
	handle := s.board.Tenant(grants[0].Tenant, lukasa.Writer{})
	granted, err := handle.CheckScope(ctx, token)
	if err != nil {
		return nil, unknown()
	}
	p := &Principal{Key: scopeKey, Role: Holder, Tenant: granted.Tenant, Rights: Read | Write, Trust: granted.Trust}
	p.under(granted, token)
	if err := p.name(tenant); err != nil {
		return nil, err
	}
	if narrower == "" || narrower == token {
		return p, nil
	}
	if granted, err = handle.Scoped(token).CheckScope(ctx, narrower); err != nil {
		return nil, err
	}
	p.under(granted, narrower)
	return p, nil
}

// narrow limits the owner of a key to a scope token of the same tenant, and, for an agent's
// key, of the same agent.
func (s *Store) narrow(ctx context.Context, p *Principal, token string) error {
	if p.Tenant == "" {
		grants, _, err := lukasa.InspectScope(token)
		if err != nil {
			return err
		}
		if err := p.name(grants[0].Tenant); err != nil { // an operator that named none
			return err
		}
	}
	granted, err := s.board.Tenant(p.Tenant, lukasa.Writer{}).CheckScope(ctx, token)
	if err != nil {
		return err
	}
	if p.Role == Agent && granted.To != p.Agent {
		return fault.New(fault.NotPermitted, "scope token: it was granted to another agent than the key is for").WithFix("use a token of the key's own agent, or the token alone")
	}
	p.under(granted, token)
	return nil
}

// under removes the rights that a scope does not grant.
func (p *Principal) under(granted *lukasa.Scope, token string) {
	allowed := Read
	if granted.Mode == lukasa.ScopeWrite {
		allowed |= Write
	}
	p.Agent, p.Rights, p.Trust, p.Scope = granted.To, p.Rights&allowed, min(p.Trust, granted.Trust), token
}

// Local is a user who works on the data directory itself. That user owns the files, and so is
// an operator.
func Local(user string) *Principal {
	key := localKey
	if user != "" {
		key += ":" + user
	}
	return &Principal{Key: key, Role: Operator, Rights: Read | Write | Admin, Trust: lukasa.Operator}
}

// Admit refuses an event that the caller may not write: one of another tenant, or, with an
// agent's key, one of another agent. Scopes are checked when the event is recorded.
func (p *Principal) Admit(ev *lukasa.Event) error {
	switch {
	case !p.Rights.Has(Write):
		return fault.New(fault.NotPermitted, "events: this takes the right write").WithFix("use a credential with the right write")
	case ev.TenantID == lukasa.SystemTenant:
		return reserved()
	case ev.TenantID != p.Tenant && (p.Role != Operator || p.Tenant != ""):
		return fault.New(fault.NotPermitted, "tenant_id: the event is of another tenant than the credential").WithFix("send it with a credential of its tenant")
	case p.Role == Agent && ev.AgentID != p.Agent:
		return fault.New(fault.NotPermitted, "agent_id: the event is of another agent than the key").WithFix("send it with a key of its agent, or with one of the tenant")
	}
	return nil
}
