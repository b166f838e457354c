package auth

import (
	"context"
	"maps"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/registry"
)

// Act is a recorded administrative act.
type Act struct {
	ID     string            `json:"id"`
	Time   string            `json:"time"`
	Act    string            `json:"act"`
	By     string            `json:"by"`
	Tenant string            `json:"tenant,omitempty"`
	Detail map[string]string `json:"detail,omitempty"`
}

// Audit journals an administrative act of a caller, such as "tenant.export". The detail tenant
// names the subject of the act, if it is not the caller's tenant.
func (s *Store) Audit(ctx context.Context, by *Principal, act string, detail map[string]string) error {
	tenant := by.Tenant
	if named, ok := detail["tenant"]; ok {
		tenant = named
		detail = maps.Clone(detail)
		delete(detail, "tenant")
	}
	return s.registry.Note(ctx, s.clock(), registry.Act{Act: act, By: by.Actor(), Tenant: tenant, Detail: detail})
}

// note journals an act about a key.
func (s *Store) note(ctx context.Context, by *Principal, act string, k *Key, reason string) error {
	detail := map[string]string{"tenant": k.Tenant, "key": k.ID, "role": k.Role.String(), "rights": k.Rights.String()}
	for name, value := range map[string]string{"agent": k.Agent, "label": k.Label, "expires": instant(k.Expires), "reason": reason} {
		if value != "" {
			detail[name] = value
		}
	}
	return s.Audit(ctx, by, act, detail)
}

// Acts returns administrative acts to an operator, oldest first: at most limit, with 0 for 100,
// after the cursor of an earlier call. next is empty at the end.
func (s *Store) Acts(ctx context.Context, by *Principal, limit int, after string) (acts []Act, next string, err error) {
	if by == nil || by.Role != Operator || !by.Rights.Has(Admin) || by.Scope != "" {
		return nil, "", fault.New(fault.NotPermitted, "acts: only an operator with the right admin sees them").WithFix("use a key of the operator")
	}
	list, next, err := s.registry.Acts(ctx, limit, after)
	if err != nil {
		return nil, "", err
	}
	acts = make([]Act, len(list))
	for i, a := range list {
		acts[i] = Act{ID: a.ID, Time: instant(a.Time), Act: a.Act, By: a.By, Tenant: a.Tenant, Detail: a.Detail}
	}
	return acts, next, nil
}
