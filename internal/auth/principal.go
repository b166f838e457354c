package auth

import (
	"strings"

	"lukasa.dev"
)

// Role is the kind of a credential.
type Role uint8

// The roles, from the most to the least powerful.
const (
	// Operator runs the server. It may do everything, in the tenant that it names.
	Operator Role = iota + 1
	// Member acts for a tenant, as a person or a service.
	Member
	// Agent acts for one agent of a tenant, and writes only in its name.
	Agent
	// Holder has only a scope token.
	Holder
)

// String returns the role as in keys and answers.
func (r Role) String() string {
	switch r {
	case Operator:
		return "operator"
	case Member:
		return "tenant"
	case Agent:
		return "agent"
	case Holder:
		return "scope"
	}
	return "nobody"
}

// Rights are a set of rights.
type Rights uint8

// The rights. None implies another.
const (
	Read Rights = 1 << iota
	Write
	Admin
)

// Has reports whether all rights of other are among r.
func (r Rights) Has(other Rights) bool { return r&other == other }

// Names returns the rights by name, in their order.
func (r Rights) Names() []string {
	names := []string{}
	for i, name := range [...]string{"read", "write", "admin"} {
		if r.Has(1 << i) {
			names = append(names, name)
		}
	}
	return names
}

// String returns the names, with commas between them.
func (r Rights) String() string { return strings.Join(r.Names(), ",") }

// Principal is the authenticated caller. It is immutable.
type Principal struct {
	// Key is the id of the credential; "bootstrap" is the operator's token, and "scope" a scope
	// token that came alone.
	Key  string
	Role Role
	// Tenant is the tenant of the call. For an operator it is the one named in the call, or
	// empty.
	Tenant string
	// Agent is its agent; empty except for agents and scope tokens.
	Agent  string
	Rights Rights
	// Trust is the maximum trust of what it writes.
	Trust lukasa.Trust
	// Scope is a token that narrows what it sees and writes, or empty.
	Scope string
	// Name is the name in the records that the caller writes, of one who may say it: an operator at
	// the data directory itself. No credential has one.
	Name string
}

// Actor is the name of the caller in the records that it writes.
func (p *Principal) Actor() string {
	if p.Name != "" {
		return p.Name
	}
	if p.Agent != "" {
		return p.Agent
	}
	return p.Role.String() + ":" + p.Key
}

// Writer returns the caller as a writer of the library.
func (p *Principal) Writer() lukasa.Writer {
	if p.Scope != "" {
		return lukasa.Writer{Trust: p.Trust, Scope: p.Scope}
	}
	return lukasa.Writer{Actor: p.Actor(), Trust: p.Trust}
}
