package operation

import (
	"strings"

	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
)

// Allow returns nil if the credential permits an operation, and otherwise why not. It is the
// only place that decides this. What a scope makes visible is decided by the board, and rights
// that only some requests need ([Operation.Then]) are checked where these are read.
func Allow(op *Operation, who *auth.Principal) error {
	if who == nil || who.Role < auth.Operator || who.Role > auth.Holder {
		return fault.New(fault.Unauthenticated, "the call has no credential")
	}
	if err := HasRights(op.Name, op.Needs, who); err != nil {
		return err
	}
	if (op.Board || op.Operators) && (who.Role != auth.Operator || who.Scope != "") {
		return fault.Newf(fault.NotPermitted, "%s is for operators of the server", op.Name).WithFix("use the operator's token")
	}
	if op.Board {
		return nil
	}
	if who.Scope != "" && op.Unscoped {
		return fault.Newf(fault.OutOfScope, "%s: no scope may do this", op.Name).WithFix("use a credential without a scope")
	}
	if who.Role == auth.Holder && who.Scope == "" {
		return fault.New(fault.Unauthenticated, "the caller may only use a scope token, and sent none")
	}
	if who.Tenant == "" && (who.Role != auth.Operator || !op.AnyTenant) {
		return fault.Newf(fault.InvalidArgument, "tenant: %s needs one, and none is named", op.Name).
			WithFix("name it: an operator does so with the header X-Lukasa-Tenant")
	}
	return nil
}

// HasRights returns an error unless who has the rights.
func HasRights(name string, rights auth.Rights, who *auth.Principal) error {
	if who.Rights.Has(rights) {
		return nil
	}
	return fault.Newf(fault.NotPermitted, "%s needs the %s, and this credential has %s", name, needs(rights), has(who.Rights)).
		WithFix("use a credential that has it; an administrator of the tenant can make one")
}

// needs describes the rights that an operation needs, in words.
func needs(r auth.Rights) string {
	if names := r.Names(); len(names) > 1 {
		return "rights " + strings.Join(names, " and ")
	}
	return "right " + r.String()
}

// has describes the rights of a caller, in words.
func has(r auth.Rights) string {
	if r == 0 {
		return "none"
	}
	return "only " + strings.Join(r.Names(), " and ")
}
