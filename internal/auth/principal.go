package auth

import (
	"strings"

	"lukasa.dev"
)

// Role is what kind of credential a caller has.
type Role uint8

// The roles, from the one that may most.
const (
	// Operator runs the server. It may do everything, in the tenant that it names.
	Operator Role = iota + 1
	// Member speaks for a tenant, as a person or a service of it does.
	Member
	// Agent speaks for one agent of a tenant, and writes in its name alone.
	Agent
	// Holder has a scope token and nothing else.
	Holder
)

// String returns the role as it is written in keys and answers.
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

// Rights are what a credential may do, as a set.
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

// Principal is who calls, as the credential tells. It is never changed once it is made.
type Principal struct {
	// Key is the id of the credential; "bootstrap" is the operator's own token, and
	// "scope" a scope token that came alone.
	Key  string
	Role Role
	// Tenant is the one tenant that the caller deals with. Of an operator it is the one
	// that it named with the call, or empty.
	Tenant string
	// Agent is the agent that it speaks for; empty but for agents and scope tokens.
	Agent  string
	Rights Rights
	// Trust is the most that what it writes is trusted.
	Trust lukasa.Trust
	// Scope is a token that narrows what is seen and written, or empty.
	Scope string
}

// Actor is the name that stands in the records that the caller writes.
func (p *Principal) Actor() string {
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
