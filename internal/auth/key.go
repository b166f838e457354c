package auth

import (
	"slices"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// maxLabel is the maximum length of a label in bytes.
const maxLabel = 200

// Request is the request for a key.
type Request struct {
	Role Role
	// Tenant is the tenant of the key; operators have none. A tenant's key creates keys of its
	// own tenant, and may leave it out.
	Tenant string
	// Agent is the agent of an agent's key.
	Agent string
	// Rights are the rights of the key. None means read and write, and for an operator all.
	Rights Rights
	// Trust is the maximum trust of what it writes. Zero means that of its role, which is the
	// upper limit.
	Trust lukasa.Trust
	// Label is a name for people.
	Label string
	// Expires is when it expires. Zero means never.
	Expires time.Time
}

// Key is the stored data of a credential. It does not include the secret, which is shown only
// when the key is created.
type Key struct {
	ID      string
	Role    Role
	Tenant  string
	Agent   string
	Rights  Rights
	Trust   lukasa.Trust
	Label   string
	By      string // the actor that created it
	Created time.Time
	Expires time.Time // zero for never
	Revoked time.Time // zero if it is not revoked
	Reason  string    // why it was revoked
}

// Info is a key as answers show it.
type Info struct {
	ID        string   `json:"id"`
	Role      string   `json:"role"`
	Tenant    string   `json:"tenant,omitempty"`
	Agent     string   `json:"agent,omitempty"`
	Rights    []string `json:"rights"`
	Trust     string   `json:"trust"`
	Label     string   `json:"label,omitempty"`
	State     string   `json:"state"` // active, expired or revoked
	CreatedBy string   `json:"created_by"`
	CreatedAt string   `json:"created_at"`
	ExpiresAt string   `json:"expires_at,omitempty"`
	RevokedAt string   `json:"revoked_at,omitempty"`
	Reason    string   `json:"reason,omitempty"`
}

// The states of a key.
const (
	Active  = "active"
	Expired = "expired"
	Revoked = "revoked"
)

// State returns the state of the key at a time.
func (k *Key) State(now time.Time) string {
	switch {
	case !k.Revoked.IsZero():
		return Revoked
	case !k.Expires.IsZero() && !now.Before(k.Expires):
		return Expired
	}
	return Active
}

// Info returns the key as answers show it, with its state at a time.
func (k *Key) Info(now time.Time) Info {
	return Info{
		ID: k.ID, Role: k.Role.String(), Tenant: k.Tenant, Agent: k.Agent, Rights: k.Rights.Names(), Trust: k.Trust.String(),
		Label: k.Label, State: k.State(now), CreatedBy: k.By, CreatedAt: instant(k.Created), ExpiresAt: instant(k.Expires),
		RevokedAt: instant(k.Revoked), Reason: k.Reason,
	}
}

// instant formats a time as answers do, and the zero time as nothing.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// ParseRole returns the role of a name.
func ParseRole(name string) (Role, error) {
	for _, r := range []Role{Operator, Member, Agent} {
		if r.String() == name {
			return r, nil
		}
	}
	return 0, fault.Newf(fault.InvalidArgument, "role: %.40q is not a role", name).WithFix("use operator, tenant or agent")
}

// ParseRights parses names of rights. No names means no rights.
func ParseRights(names []string) (Rights, error) {
	var rights Rights
	for _, name := range names {
		i := slices.Index((Read | Write | Admin).Names(), name)
		if i < 0 {
			return 0, fault.Newf(fault.InvalidArgument, "rights: %.40q is not a right", name).WithFix("use read, write or admin")
		}
		rights |= 1 << i
	}
	return rights, nil
}

// tier is the maximum trust of a role.
func (r Role) tier() lukasa.Trust {
	switch r {
	case Operator:
		return lukasa.Operator
	case Member:
		return lukasa.User
	case Agent, Holder:
		return lukasa.Agent
	}
	return lukasa.External
}

// fill sets defaults, and refuses what no key may have, for any caller.
func (r Request) fill(now time.Time) (Request, error) {
	if r.Role != Operator && r.Role != Member && r.Role != Agent {
		return r, fault.New(fault.InvalidArgument, "role: there is none").WithFix("use operator, tenant or agent")
	}
	if r.Rights == 0 {
		r.Rights = Read | Write
		if r.Role == Operator {
			r.Rights |= Admin
		}
	}
	if r.Trust == 0 {
		r.Trust = r.Role.tier()
	}
	switch {
	case r.Rights&^(Read|Write|Admin) != 0:
		return r, fault.New(fault.InvalidArgument, "rights: it has unknown rights").WithFix("use read, write or admin")
	case r.Role == Agent && r.Rights.Has(Admin):
		return r, fault.New(fault.NotPermitted, "rights: an agent's key never has admin").WithFix("leave admin out, or make a key of the tenant")
	case !r.Trust.Known() || r.Trust > r.Role.tier():
		return r, fault.Newf(fault.NotPermitted, "trust: what a key of the role %s writes is trusted as %s at most", r.Role, r.Role.tier()).WithFix("leave it out, or name a lower tier")
	case !r.Expires.IsZero() && !r.Expires.After(now):
		return r, fault.New(fault.InvalidArgument, "expires: it is in the past").WithFix("give a time in the future, or leave it out for a key that does not expire")
	}
	return r, r.checkNames()
}

// checkNames checks the names.
func (r Request) checkNames() error {
	if r.Role == Operator {
		if r.Tenant != "" || r.Agent != "" {
			return fault.New(fault.InvalidArgument, "tenant: an operator's key has neither tenant nor agent").WithFix("leave them out; the operator names a tenant with each call")
		}
	} else if err := memory.CheckTenant(r.Tenant); err != nil {
		return err
	} else if r.Tenant == lukasa.SystemTenant {
		return reserved()
	}
	if (r.Role == Agent) != (r.Agent != "") {
		return fault.New(fault.InvalidArgument, "agent: an agent's key names its agent, and no other key does").WithFix("give the agent's id with the role agent")
	}
	if r.Agent != "" {
		if err := memory.CheckID("agent", r.Agent); err != nil {
			return err
		}
	}
	if r.Label != "" {
		if len(r.Label) > maxLabel {
			return fault.Newf(fault.InvalidArgument, "label: it has %d bytes, and at most %d are allowed", len(r.Label), maxLabel).WithFix("shorten it")
		}
		return memory.CheckID("label", r.Label)
	}
	return nil
}

// reserved is the error for the tenant that the server uses for its own data.
func reserved() error {
	return fault.Newf(fault.NotPermitted, "tenant: %q is the server's own", lukasa.SystemTenant).WithFix("use another name; `lukasa key` shows and changes what is in it")
}
