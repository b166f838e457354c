package node

import (
	"net/http"
	"strings"
	"time"
)

// credential is one kind of caller, with its expected permissions.
type credential struct {
	name string
	// bearer, tenant and scope are sent with the call; raw are further headers.
	bearer, tenant, scope string
	raw                   http.Header

	// refused is the code of every call, if the credential is not valid.
	refused string
	// operator says that it is an operator's, scoped that it is limited to a scope.
	operator, scoped bool
	// rights are read, write and admin, by their first letters.
	rights string
	// deals is the tenant of its calls; empty for none.
	deals string
	// names is the tenant whose names it uses in requests, if they are not its own.
	names string
}

// show puts the credential into the headers of a call.
func (c *credential) show(h http.Header) {
	for name, values := range c.raw {
		h[name] = values
	}
	if c.bearer != "" {
		h.Set("Authorization", "Bearer "+c.bearer)
	}
	if c.tenant != "" {
		h.Set("X-Lukasa-Tenant", c.tenant)
	}
	if c.scope != "" {
		h.Set("X-Lukasa-Scope", c.scope)
	}
}

// uses returns the tenant whose names are in its requests.
func (c *credential) uses() string {
	if c.names != "" {
		return c.names
	}
	if c.deals != "" {
		return c.deals
	}
	return "acme"
}

// letters returns rights in the form of requests.
func letters(rights string) string {
	words := map[rune]string{'r': `"read"`, 'w': `"write"`, 'a': `"admin"`}
	var list []string
	for _, r := range rights {
		list = append(list, words[r])
	}
	return "[" + strings.Join(list, ",") + "]"
}

// credentials makes one of every kind.
func (h *house) credentials() []*credential {
	h.t.Helper()
	member := func(tenant, rights string) string {
		token, _ := h.key(tenant, `{"role":"tenant","rights":`+letters(rights)+`,"label":"`+rights+" of "+canaries[tenant]+`"}`)
		return token
	}
	agent := func(name, rights string) string {
		token, _ := h.key("acme", `{"role":"agent","agent":"`+name+`","rights":`+letters(rights)+`}`)
		return token
	}
	operator := func(rights string) string {
		token, _ := h.key("", `{"role":"operator","rights":`+letters(rights)+`}`)
		return token
	}
	all := member("acme", "rwa")
	stranger := member("umbrella", "rwa")
	read, write := h.names["acme"]["scope"], h.scope("acme", `"mode":"write"`, time.Hour)
	list := []*credential{
		{name: "none", refused: "unauthenticated"},
		{name: "garbage", bearer: "garbage", refused: "unauthenticated"},
		{name: "a key with another letter", bearer: flipped(all), refused: "unauthenticated"},
		{name: "half a key", bearer: all[:len(all)/2], refused: "unauthenticated"},
		{name: "a key in another scheme", raw: http.Header{"Authorization": {"Basic " + all}}, refused: "unauthenticated"},
		{name: "two keys", raw: http.Header{"Authorization": {"Bearer " + all, "Bearer " + stranger}}, refused: "unauthenticated"},
		{name: "a key as its id", bearer: h.names["acme"]["key"], refused: "unauthenticated"},
		{name: "a tenant's name alone", tenant: "acme", refused: "unauthenticated"},
		{name: "a scope without a bearer", scope: read, refused: "unauthenticated"},
		{name: "revoked", bearer: h.revoked("acme"), refused: "unauthenticated"},
		{name: "expired", bearer: h.expired("acme"), refused: "unauthenticated"},
		{name: "expired scope alone", bearer: h.expiredScope("acme"), refused: "unauthenticated"},
		{name: "forged scope alone", bearer: flipped(read), refused: "unauthenticated"},
		{name: "expired scope beside a key", bearer: all, scope: h.expiredScope("acme"), refused: "scope_expired"},
		{name: "forged scope beside a key", bearer: all, scope: flipped(read), refused: "scope_invalid"},
		{name: "scope beside a key of another tenant", bearer: stranger, scope: read, refused: "scope_invalid"},
		{name: "scope of another agent beside an agent's key", bearer: agent("packer", "rw"), scope: read, refused: "not_permitted"},
		{name: "key that names another tenant", bearer: stranger, tenant: "acme", refused: "not_permitted"},
		{name: "scope that names another tenant", bearer: read, tenant: "umbrella", refused: "not_permitted"},
		{name: "operator that names the server's own tenant", bearer: h.operator, tenant: "lukasa-system", refused: "not_permitted"},

		{name: "operator in a tenant", bearer: h.operator, tenant: "acme", operator: true, rights: "rwa", deals: "acme"},
		{name: "operator in no tenant", bearer: h.operator, operator: true, rights: "rwa"},
		{name: "operator's key in a tenant", bearer: operator("rwa"), tenant: "acme", operator: true, rights: "rwa", deals: "acme"},
		{name: "operator's key in no tenant", bearer: operator("rwa"), operator: true, rights: "rwa"},
		{name: "operator's key that reads", bearer: operator("r"), tenant: "acme", operator: true, rights: "r", deals: "acme"},
		{name: "operator's key that reads, in no tenant", bearer: operator("r"), operator: true, rights: "r"},
		{name: "operator's key that writes and administers", bearer: operator("wa"), tenant: "acme", operator: true, rights: "wa", deals: "acme"},
		{name: "operator in a scope", bearer: h.operator, tenant: "acme", scope: write, operator: true, scoped: true, rights: "rw", deals: "acme"},
		{name: "operator in a scope and no tenant", bearer: h.operator, scope: read, operator: true, scoped: true, rights: "r", deals: "acme"},

		{name: "tenant's key that names its tenant", bearer: all, tenant: "acme", rights: "rwa", deals: "acme"},
		{name: "tenant's key in a scope that reads", bearer: all, scope: read, scoped: true, rights: "r", deals: "acme"},
		{name: "tenant's key in a scope that writes", bearer: all, scope: write, scoped: true, rights: "rw", deals: "acme"},
		{name: "tenant's key that reads in a scope that writes", bearer: member("acme", "r"), scope: write, scoped: true, rights: "r", deals: "acme"},
		{name: "tenant's key that administers in a scope", bearer: member("acme", "a"), scope: write, scoped: true, rights: "", deals: "acme"},
		{name: "agent's key that reads", bearer: agent("coder", "r"), rights: "r", deals: "acme"},
		{name: "agent's key that writes", bearer: agent("coder", "w"), rights: "w", deals: "acme"},
		{name: "agent's key that reads and writes", bearer: agent("coder", "rw"), rights: "rw", deals: "acme"},
		{name: "agent's key in a scope", bearer: agent("coder", "rw"), scope: read, scoped: true, rights: "r", deals: "acme"},
		{name: "scope alone that reads", bearer: read, scoped: true, rights: "r", deals: "acme"},
		{name: "scope alone that writes", bearer: write, scoped: true, rights: "rw", deals: "acme"},
		{name: "scope that writes narrowed to itself", bearer: write, scope: write, scoped: true, rights: "rw", deals: "acme"},
		{name: "key of another tenant", bearer: stranger, rights: "rwa", deals: "umbrella"},
		{name: "key of another tenant with names of the first", bearer: stranger, rights: "rwa", deals: "umbrella", names: "acme"},
		{name: "scope of another tenant with names of the first", bearer: h.scope("umbrella", `"mode":"write"`, time.Hour), scoped: true, rights: "rw", deals: "umbrella", names: "acme"},
	}
	for _, rights := range []string{"r", "w", "a", "rw", "ra", "wa", "rwa"} {
		list = append(list, &credential{name: "tenant's key with " + rights, bearer: member("acme", rights), rights: rights, deals: "acme"})
	}
	return list
}

// flipped returns a token with one letter changed.
func flipped(token string) string {
	b := []byte(token)
	at := len(b) / 2
	for b[at] == 'A' || b[at] == '_' || b[at] == '.' {
		at++
	}
	b[at] = 'A'
	return string(b)
}

// revoked returns a revoked key.
func (h *house) revoked(tenant string) string {
	token, id := h.key(tenant, `{"role":"tenant","rights":["read","write","admin"]}`)
	h.must(tenant, "DELETE", "/v1/keys/"+id, "")
	return token
}

// soon is the lifetime of credentials that tests let expire.
const soon = 50 * time.Millisecond

// expired returns an expired key.
func (h *house) expired(tenant string) string {
	end := time.Now().Add(20 * soon)
	token, _ := h.key(tenant, `{"role":"tenant","rights":["read","write","admin"],"expires_at":"`+end.UTC().Format(time.RFC3339Nano)+`"}`)
	time.Sleep(time.Until(end) + time.Millisecond)
	return token
}

// expiredScope returns an expired scope.
func (h *house) expiredScope(tenant string) string {
	token := h.scope(tenant, `"mode":"write"`, 20*soon)
	for h.call(&credential{bearer: token}, "GET", "/v1/root", "").status == http.StatusOK {
		time.Sleep(soon)
	}
	return token
}
