package board

import "lukasa.dev/internal/fault"

// SystemTenant is the tenant in which a server keeps its own records: keys, limits,
// actions of operators. It is not listed among tenants. Only a board that
// [Board.AsSystem] returned reads or writes it.
const SystemTenant = "lukasa-system"

// SystemKey is the permission to use [SystemTenant]. Only packages of this module can make
// one. The zero value permits nothing.
type SystemKey struct{ held bool }

// System returns the permission to use [SystemTenant]. It is for the few components that
// keep records there, and for those that save and restore a directory as a whole.
func System() SystemKey { return SystemKey{held: true} }

// AsSystem returns the same board with the permission of a key.
func (b *Board) AsSystem(k SystemKey) *Board { return &Board{directory: b.directory, system: k.held} }

// EnterTenant refuses the system tenant to a board without permission.
func (b *Board) EnterTenant(tenant string) error {
	if tenant != SystemTenant || b.system {
		return nil
	}
	return notYours()
}

func notYours() *fault.Error {
	return fault.Newf(fault.NotPermitted, "tenant: %q is the server's own", SystemTenant).
		WithFix("use another name; `lukasa key` shows and changes what is in it")
}
