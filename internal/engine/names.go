package engine

import (
	"context"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/audit"
	"lukasa.dev/internal/board/transfer"
	"lukasa.dev/internal/coldstart"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/scope"
)

// The names of the packages below that callers of the engine use.
type (
	AppendResult    = board.AppendResult
	At              = board.At
	Change          = board.Change
	CompileAfter    = board.CompileAfter
	ContextOptions  = coldstart.ContextOptions
	Disposition     = board.Disposition
	Erasure         = board.Erasure
	EventPage       = board.EventPage
	EventQuery      = board.EventQuery
	EventReceipt    = board.EventReceipt
	Expect          = board.Expect
	Expired         = board.Expired
	Finding         = audit.Finding
	ImportReport    = transfer.ImportReport
	IngestOptions   = board.IngestOptions
	IngestReport    = board.IngestReport
	ListOptions     = board.ListOptions
	Options         = board.Options
	Page            = board.Page
	ProveOptions    = board.ProveOptions
	PutResult       = board.PutResult
	Ref             = board.Ref
	Rejection       = board.Rejection
	Resolved        = board.Resolved
	Root            = board.Root
	Salvage         = transfer.Salvage
	Salvaged        = transfer.Salvaged
	SessionInfo     = board.SessionInfo
	Storage         = board.Storage
	StoredEvent     = board.StoredEvent
	TailQuery       = board.TailQuery
	Tailed          = board.Tailed
	Thing           = board.Thing
	VerifyOptions   = audit.VerifyOptions
	VerifyReport    = audit.VerifyReport
	VersionsOptions = board.VersionsOptions
	VersionsPage    = board.VersionsPage
	View            = board.View
	Writer          = board.Writer
)

const (
	Accepted     = board.Accepted
	Duplicate    = board.Duplicate
	Late         = board.Late
	Own          = board.Own
	Refused      = board.Refused
	SystemTenant = board.SystemTenant
)

// AnyVersion expects nothing.
func AnyVersion() Expect { return board.AnyVersion() }

// AsSystem lets calls with the context read and write [SystemTenant].
func AsSystem(ctx context.Context) context.Context { return board.AsSystem(ctx) }

// AtPosition means the time when a position was the newest of its tenant.
func AtPosition(p uint64) At { return board.AtPosition(p) }

// AtVersion means a version of a thing; 0 is the newest.
func AtVersion(v uint32) At { return board.AtVersion(v) }

// NarrowScope adds a block to a token, which can only take away.
func NarrowScope(token string, g scope.Grant) (string, error) { return board.NarrowScope(token, g) }

// RefOf returns the reference that a URI is.
func RefOf(u memory.URI) Ref { return board.RefOf(u) }

// Version expects the thing to be at a version; 0 expects that there is none.
func Version(v uint32) Expect { return board.Version(v) }

// OpenSalvage opens a directory that nobody has for a salvage, whatever is wrong with its
// index, its keys and its mark. It must be closed.
func OpenSalvage(fs disk.FS, dir string) (*Salvage, error) { return transfer.OpenSalvage(fs, dir) }
