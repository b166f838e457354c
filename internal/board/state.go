package board

import (
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kv"
)

// View says who reads, and when.
type View = access.View

// State is what one read runs on: a snapshot of the index, a tenant as of that snapshot, and
// the view of the caller. The view is verified: its scope was checked when the read began.
type State struct {
	Reader kv.Reader
	Tenant *ledger.Tenant
	View   access.View
}
