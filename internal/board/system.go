package board

import (
	"context"

	"lukasa.dev/internal/fault"
)

// SystemTenant is the tenant in which a server keeps what it knows of itself: keys,
// limits, what operators did. It is not listed among tenants, and whoever has not been
// let in by [AsSystem] neither reads it nor writes to it.
const SystemTenant = "lukasa-system"

// systemKey marks a context that was let in.
type systemKey struct{}

// AsSystem lets calls with the context read and write [SystemTenant]. It is for the few
// who keep something there, and for those who save and bring back a directory as a whole.
func AsSystem(ctx context.Context) context.Context { return context.WithValue(ctx, systemKey{}, true) }

// isSystem reports whether a context was let in.
func isSystem(ctx context.Context) bool { return ctx.Value(systemKey{}) != nil }

// EnterTenant refuses the system's tenant to whoever was not let in.
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
