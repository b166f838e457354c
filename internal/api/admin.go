package api

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
	"lukasa.dev/internal/quota"
)

// adminOperations are about scopes, keys, tenants and quotas.
func adminOperations() []*operation.Operation {
	const notAgents = "an administrator of the tenant does it, not its agents"
	return []*operation.Operation{
		operation.Define(operation.Operation{
			Name: "mint_scope", Group: operation.GroupAdmin, Short: "Make a scope token: what another agent may see and do, until when.",
			Long:   "The token is in the answer and nowhere else. Its holder can narrow it without a call to the server.",
			Method: "POST", Path: "/v1/scopes", Command: "scope mint", Without: notAgents,
			Needs: auth.Admin | auth.Write, Unscoped: true,
		}, runMintScope),
		operation.Define(operation.Operation{
			Name: "check_scope", Group: operation.GroupAdmin, Short: "Show what a scope token says, and whether it is valid.",
			Method: "POST", Path: "/v1/scopes/check", Command: "scope inspect", Without: "a scope says itself what it allows",
			Needs: reads,
		}, runCheckScope),
		operation.Define(operation.Operation{
			Name: "list_violations", Group: operation.GroupAdmin, Short: "List what scopes refused, newest first.",
			Method: "GET", Path: "/v1/violations", Command: "list", Without: notAgents,
			Needs: reads | auth.Admin, Unscoped: true,
		}, func(ctx context.Context, c *operation.Call, in *listIn) (*answer.Violations, error) {
			list, next, err := listThings(ctx, c, lukasa.ViolationKind, in)
			return &answer.Violations{Violations: list, Next: next}, err
		}),
		operation.Define(operation.Operation{
			Name: "create_key", Group: operation.GroupAdmin, Short: "Make a credential; its token is shown once.",
			Method: "POST", Path: "/v1/keys", Command: "key create", Without: notAgents,
			Needs: auth.Admin, Unscoped: true, AnyTenant: true,
		}, runCreateKey),
		operation.Define(operation.Operation{
			Name: "list_keys", Group: operation.GroupAdmin, Short: "List credentials, oldest first, without their tokens: the valid ones, or all.",
			Method: "GET", Path: "/v1/keys", Command: "key list", Without: notAgents,
			Needs: auth.Admin, Unscoped: true, AnyTenant: true,
		}, runListKeys),
		operation.Define(operation.Operation{
			Name: "get_key", Group: operation.GroupAdmin, Short: "Show a credential, without its token.",
			Method: "GET", Path: "/v1/keys/{id}", Command: "key show", Without: notAgents,
			Needs: auth.Admin, Unscoped: true, AnyTenant: true,
		}, runGetKey),
		operation.Define(operation.Operation{
			Name: "revoke_key", Group: operation.GroupAdmin, Short: "End a credential at once, open connections included.",
			Method: "DELETE", Path: "/v1/keys/{id}", Command: "key revoke", Without: notAgents,
			Needs: auth.Admin, Unscoped: true, AnyTenant: true,
		}, runRevokeKey),
		operation.Define(operation.Operation{
			Name: "list_acts", Group: operation.GroupAdmin, Short: "List administrative acts, oldest first.",
			Method: "GET", Path: "/v1/acts", Without: "it is about the server, which alone has them",
			Needs: auth.Admin, Board: true,
		}, runListActs),
		operation.Define(operation.Operation{
			Name: "list_tenants", Group: operation.GroupAdmin, Short: "List the tenants, with their roots.",
			Method: "GET", Path: "/v1/tenants", Command: "root", Without: "it is about the server",
			Needs: reads, Board: true,
		}, runListTenants),
		operation.Define(operation.Operation{
			Name: "get_quota", Group: operation.GroupAdmin, Short: "Show what the tenant may send and keep.",
			Method: "GET", Path: "/v1/quota", Command: "quota show", Without: "agents have no use for it",
			Needs: reads,
		}, runGetQuota),
		operation.Define(operation.Operation{
			Name: "set_quota", Group: operation.GroupAdmin, Short: "Set what the tenant may send and keep.",
			Method: "PUT", Path: "/v1/quota", Command: "quota set", Without: "agents may not set limits",
			Needs: auth.Admin, Unscoped: true, Operators: true,
		}, runSetQuota),
	}
}

// selectorsIn selects versioned records and events.
type selectorsIn struct {
	All      bool     `json:"all,omitempty" doc:"everything that is not excluded"`
	Pinned   bool     `json:"pinned,omitempty" doc:"what is pinned, too"`
	Types    []string `json:"types,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	IDs      []string `json:"ids,omitempty"`
	Frames   []string `json:"frames,omitempty" doc:"verb:kind=ref, verb:kind=prefix* or verb:kind"`
	Sections []string `json:"sections,omitempty"`
	Sessions []string `json:"sessions,omitempty"`
}

// mintIn is the request for a scope token.
type mintIn struct {
	To           string           `json:"to" doc:"the agent that it is for"`
	Mode         lukasa.ScopeMode `json:"mode,omitempty" usual:"\"read\""`
	Include      selectorsIn      `json:"include" doc:"what it shows; a record must match every list that is given"`
	Exclude      selectorsIn      `json:"exclude,omitempty" doc:"what it hides"`
	BudgetTokens int              `json:"budget_tokens,omitempty" doc:"the most that an answer may have" min:"1"`
	NotBefore    hmx.Time         `json:"not_before,omitempty"`
	ExpiresAt    hmx.Time         `json:"expires_at" doc:"at most 366 days away"`
	Trust        *lukasa.Trust    `json:"trust,omitempty" doc:"the most trust of what it writes; default agent"`
}

func runMintScope(ctx context.Context, c *operation.Call, in *mintIn) (*answer.Scope, error) {
	g := lukasa.Grant{
		To: in.To, Mode: in.Mode, Include: lukasa.Selectors(in.Include), Exclude: lukasa.Selectors(in.Exclude), BudgetTokens: in.BudgetTokens,
		NotBefore: moment(in.NotBefore), Expires: moment(in.ExpiresAt), Trust: lukasa.Agent,
	}
	if in.Trust != nil {
		g.Trust = *in.Trust
	}
	token, err := c.Tenant().MintScope(ctx, g)
	if err != nil {
		return nil, aboutScope(err, "scope")
	}
	a, err := scopeOf(token)
	if err != nil {
		return nil, err
	}
	a.Token = token
	return a, audit(ctx, c, "scope.mint", map[string]string{"scope": a.ID, "to": in.To})
}

func scopeOf(token string) (*answer.Scope, error) {
	grants, sealed, err := lukasa.InspectScope(token)
	if err != nil {
		return nil, err
	}
	return answer.ScopeOf(grants, sealed), nil
}

// aboutScope returns a fault in a scope that the request names, under the name of a field. It is
// not about the caller's own credential.
func aboutScope(err error, field string) error {
	if fault.CodeOf(err) != fault.ScopeInvalid {
		return err
	}
	f := fault.From(err)
	return fault.New(fault.InvalidArgument, field+": "+strings.TrimPrefix(f.Error(), "scope token: ")).WithFix(f.Advice())
}

// audit journals an administrative act if the server keeps them.
func audit(ctx context.Context, c *operation.Call, act string, detail map[string]string) error {
	if c.Keys == nil {
		return nil
	}
	return c.Keys.Audit(context.WithoutCancel(ctx), c.Who, act, detail)
}

// checkScopeIn is the request to check a token.
type checkScopeIn struct {
	Token string `json:"token"`
}

func runCheckScope(ctx context.Context, c *operation.Call, in *checkScopeIn) (*answer.Scope, error) {
	a, err := scopeOf(in.Token)
	if err != nil {
		return nil, aboutScope(err, "token")
	}
	_, err = c.Tenant().CheckScope(ctx, in.Token)
	verified := err == nil
	switch fault.CodeOf(err) {
	case "":
	case fault.ScopeInvalid, fault.ScopeExpired:
		a.Problem = fault.From(err).Error()
	default:
		return nil, err
	}
	a.Verified = &verified
	return a, nil
}

// keysOf returns the credentials of the server.
func keysOf(c *operation.Call) (*auth.Store, error) {
	if c.Keys == nil {
		return nil, fault.New(fault.InvalidArgument, "keys: only a server has them").WithFix("start one with `lukasa serve`")
	}
	return c.Keys, nil
}

// createKeyIn is the request for a new credential.
type createKeyIn struct {
	Role      string        `json:"role" enum:"operator,tenant,agent"`
	Tenant    string        `json:"tenant,omitempty" doc:"the tenant it belongs to; default the tenant of the request"`
	Agent     string        `json:"agent,omitempty" doc:"the agent that an agent's key speaks for"`
	Rights    []string      `json:"rights,omitempty" enum:"read,write,admin" doc:"default read and write"`
	Trust     *lukasa.Trust `json:"trust,omitempty" doc:"the most trust of what it writes"`
	Label     string        `json:"label,omitempty"`
	ExpiresAt hmx.Time      `json:"expires_at,omitempty" doc:"default never"`
}

func runCreateKey(ctx context.Context, c *operation.Call, in *createKeyIn) (*answer.NewKey, error) {
	keys, err := keysOf(c)
	if err != nil {
		return nil, err
	}
	r := auth.Request{Tenant: in.Tenant, Agent: in.Agent, Label: in.Label, Expires: moment(in.ExpiresAt)}
	if r.Role, err = auth.ParseRole(in.Role); err != nil {
		return nil, err
	}
	if r.Rights, err = auth.ParseRights(in.Rights); err != nil {
		return nil, err
	}
	if in.Trust != nil {
		r.Trust = *in.Trust
	}
	if r.Tenant == "" && r.Role != auth.Operator {
		r.Tenant = c.Who.Tenant
	}
	key, token, err := keys.Create(ctx, c.Who, r)
	if err != nil {
		return nil, err
	}
	return &answer.NewKey{Token: token, Key: key.Info(c.Time())}, nil
}

// listKeysIn selects the credentials to list.
type listKeysIn struct {
	All bool `query:"all" doc:"also those that are revoked or expired"`
	pageIn
}

func runListKeys(ctx context.Context, c *operation.Call, in *listKeysIn) (*answer.Keys, error) {
	keys, err := keysOf(c)
	if err != nil {
		return nil, err
	}
	list, err := keys.List(ctx, c.Who)
	if err != nil {
		return nil, err
	}
	if !in.All {
		list = slices.DeleteFunc(list, func(k *auth.Key) bool { return k.State(c.Time()) != auth.Active })
	}
	list, next, err := page(list, &in.pageIn, func(k *auth.Key) string { return answer.Instant(k.Created) + " " + k.ID })
	if err != nil {
		return nil, err
	}
	out := &answer.Keys{Keys: []auth.Info{}, Next: next}
	for _, k := range list {
		out.Keys = append(out.Keys, k.Info(c.Time()))
	}
	return out, nil
}

func runGetKey(ctx context.Context, c *operation.Call, in *idIn) (*auth.Info, error) {
	keys, err := keysOf(c)
	if err != nil {
		return nil, err
	}
	key, err := keys.Get(ctx, c.Who, in.ID)
	if err != nil {
		return nil, err
	}
	info := key.Info(c.Time())
	return &info, nil
}

// revokeIn names a credential.
type revokeIn struct {
	ID     string `path:"id"`
	Reason string `query:"reason"`
}

func runRevokeKey(ctx context.Context, c *operation.Call, in *revokeIn) (*auth.Info, error) {
	keys, err := keysOf(c)
	if err != nil {
		return nil, err
	}
	key, err := keys.Revoke(ctx, c.Who, in.ID, in.Reason)
	if err != nil {
		return nil, err
	}
	info := key.Info(c.Time())
	return &info, nil
}

func runListActs(ctx context.Context, c *operation.Call, in *pageIn) (*answer.Acts, error) {
	keys, err := keysOf(c)
	if err != nil {
		return nil, err
	}
	acts, next, err := keys.Acts(ctx, c.Who, in.Limit, in.After)
	if err != nil {
		return nil, err
	}
	return &answer.Acts{Acts: acts, Next: answer.NextPage(next)}, nil
}

func runListTenants(ctx context.Context, c *operation.Call, in *pageIn) (*answer.Tenants, error) {
	out := &answer.Tenants{Tenants: []answer.State{}}
	skip := in.After != ""
	for root, err := range c.Board.Tenants(ctx) {
		switch {
		case err != nil:
			return nil, err
		case skip:
			skip = root.Tenant != in.After // tenants are ordered by their first write
		case len(out.Tenants) == in.Limit:
			out.Next = &out.Tenants[in.Limit-1].Tenant
			return out, nil
		default:
			out.Tenants = append(out.Tenants, answer.StateOf(root))
		}
	}
	if skip {
		return nil, fault.Newf(fault.InvalidArgument, "after: %s is not from a page", operation.Quoted(in.After)).WithFix("use next of the previous page, unchanged")
	}
	return out, nil
}

// Quota is what a tenant may send and keep.
type Quota struct {
	Tenant string       `json:"tenant"`
	Limits quota.Limits `json:"limits"`
}

func quotasOf(c *operation.Call) (*quota.Book, error) {
	if c.Quotas == nil {
		return nil, fault.New(fault.InvalidArgument, "quota: only a server has them").WithFix("start one with `lukasa serve`")
	}
	return c.Quotas, nil
}

func runGetQuota(_ context.Context, c *operation.Call, _ *nothing) (*Quota, error) {
	book, err := quotasOf(c)
	if err != nil {
		return nil, err
	}
	return &Quota{c.Who.Tenant, book.Limits(c.Who.Tenant)}, nil
}

// quotaIn is the request to set limits. For each, 0 means the default and a negative number
// means no limit.
type quotaIn struct {
	RequestsPerSecond float64 `json:"requests_per_second,omitempty" doc:"0 is the server's default, a negative number no limit; the same holds for all limits"`
	EventsPerSecond   float64 `json:"events_per_second,omitempty"`
	BytesPerSecond    float64 `json:"bytes_per_second,omitempty"`
	MaxRecords        int64   `json:"max_records,omitempty"`
	MaxBytes          int64   `json:"max_bytes,omitempty"`
}

// detail returns the limits that are not the default, for the audit record.
func (in *quotaIn) detail() map[string]string {
	detail := map[string]string{}
	for name, value := range map[string]float64{
		"requests_per_second": in.RequestsPerSecond, "events_per_second": in.EventsPerSecond, "bytes_per_second": in.BytesPerSecond,
		"max_records": float64(in.MaxRecords), "max_bytes": float64(in.MaxBytes),
	} {
		if value != 0 {
			detail[name] = strconv.FormatFloat(value, 'f', -1, 64)
		}
	}
	return detail
}

func runSetQuota(ctx context.Context, c *operation.Call, in *quotaIn) (*Quota, error) {
	book, err := quotasOf(c)
	if err != nil {
		return nil, err
	}
	if err := audit(ctx, c, "quota.set", in.detail()); err != nil {
		return nil, err
	}
	if err := book.Set(ctx, c.Who.Actor(), c.Who.Tenant, quota.Limits(*in)); err != nil {
		return nil, err
	}
	return &Quota{c.Who.Tenant, book.Limits(c.Who.Tenant)}, nil
}
