package board

import (
	"context"

	"lukasa.dev/internal/fault"
)

// SystemTenant is the tenant in which a server keeps its own records: keys, limits,
// actions of operators. It is not listed among tenants. Only callers admitted by
// [AsSystem] read or write it.
const SystemTenant = "lukasa-system"

// systemKey marks an admitted context.
type systemKey struct{}

// AsSystem allows calls with the context to read and write [SystemTenant]. It is for
// the few components that keep records there, and for those that save and restore a
// directory as a whole.
func AsSystem(ctx context.Context) context.Context { return context.WithValue(ctx, systemKey{}, true) }

// isSystem reports whether a context is admitted.
func isSystem(ctx context.Context) bool { return ctx.Value(systemKey{}) != nil }

// EnterTenant refuses the system tenant to callers that are not admitted.
func EnterTenant(ctx context.Context, tenant string) error {
	if tenant != SystemTenant || isSystem(ctx) {
		return nil
	}
	return notYours()
}

func notYours() *fault.Error {
	return fault.Newf(fault.NotPermitted, "tenant: %q is the server's own", SystemTenant).
		WithFix("use another name; `lukasa key` shows and changes what is in it")
}
