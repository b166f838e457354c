// Package lukasa is the memory of software agents as a library: a board in a directory that
// records what agents saw and did, keeps versioned memories, and proves what it returns.
//
//	board, err := lukasa.Open("memory", lukasa.Options{})
//	if err != nil { … }
//	defer board.Close()
//
//	acme := board.Tenant("acme", lukasa.Writer{Actor: "release-bot", Trust: lukasa.Agent})
//	put, err := acme.Remember(ctx, &lukasa.Memory{
//		Type: "fact", Key: "release/cadence", Text: "Releases are cut every second Tuesday.",
//	})
//	thing, err := acme.Recall(ctx, "release/cadence")
//
// # What is guaranteed
//
//   - What a call has acknowledged is on the disk, and every call that begins
//     afterwards sees it, even after a crash.
//   - Tenants are isolated: no call for one tenant reads, changes or reveals
//     anything of another.
//   - The root names the state. Two boards with the same root for a tenant hold
//     the same records of it in the same order.
//   - Redacted payloads are gone: from the journal's files when the call returns,
//     from the index's files after [Board.Purge]. Proofs over them stay valid.
//   - Errors carry a stable code; see [CodeOf] and docs/errors.md.
//
// # What is not
//
// The library does not authenticate callers: the holder of a [Tenant] acts with the trust that
// it was given, within a scope if it has one; see [Tenant.Scoped]. One process at a time has a
// directory open. Nothing expires by itself; [Tenant.Expire] expires records.
package lukasa

import (
	"context"
	"io"
	"iter"
	"time"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/echo"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/journal"
)

// Options configures how a directory is opened. The zero value works.
type Options struct {
	// Clock returns the time of records. Nil means time.Now.
	Clock func() time.Time
	// WitnessDir is a directory outside of the data directory that remembers what was signed.
	// With it, a rollback of the whole directory is detected. Empty means none.
	WitnessDir string
	// CacheBytes is the size of the block cache of the index. Zero means 64 MiB.
	CacheBytes int64
	// RecallBytes is the size of the search cache. Zero means 400 MiB, enough for a million
	// events and memories of a tenant at full speed.
	RecallBytes int64
	// CompileAfter makes the board compile tenants by itself, after a number of new events or a
	// quiet period. The zero value does not; [Tenant.Compile] does it on demand.
	CompileAfter CompileAfter
	// KeepSecrets records keys and passwords in events and bodies as they are. Without it they
	// are removed before anything is recorded, and results say how many there were;
	// docs/security.md lists those that are recognised.
	KeepSecrets bool
	// CutOwn removes from events what the directory has handed out, see [Board.Handout], before
	// they are recorded, and does not record calls of Lukasa's own tools. Servers and commands
	// set it, so that no memory confirms itself.
	CutOwn bool
	// MustExist refuses to create a missing directory.
	MustExist bool
	// Rebuild rebuilds the index from the journal before anything else.
	Rebuild bool
	// Brief says that the board is open only for a moment: closing it leaves a little of the
	// journal for the next opening to replay, which takes less time than writing it to the
	// index. What was acknowledged is durable all the same.
	Brief bool
	// Shadow leaves the files of the directory unchanged: writes stay in memory and are lost
	// when the board is closed. It does not lock the directory, so one that is written to
	// meanwhile may appear damaged.
	Shadow bool
	// Note names the holder to other processes that find the directory in use, besides the
	// process id.
	Note string
	// Progress receives the progress of a long opening: after a crash, or with Rebuild. The
	// units are bytes of the journal.
	Progress func(done, total uint64)
}

// Board is an open data directory. It is safe for concurrent use.
type Board struct {
	engine  *engine.Board
	handout *Handout
}

// Open opens the data directory dir, and creates it if it is missing.
func Open(dir string, o Options) (*Board, error) { return OpenContext(context.Background(), dir, o) }

// OpenContext is [Open] that gives up when ctx is done.
func OpenContext(ctx context.Context, dir string, o Options) (*Board, error) {
	files, table := disk.OS(), uint64(0)
	if o.Shadow {
		files, table = disk.Shadow(files), shadowTable
	}
	own := echo.Open(files, dir).By(o.Clock)
	var clean func(*Event) (*Event, bool)
	if o.CutOwn {
		clean = own.Event
	}
	b, err := engine.Open(ctx, dir, engine.Options{
		FS: files, MemTableBytes: table, Clean: clean,
		Clock: o.Clock, WitnessDir: o.WitnessDir, CacheBytes: o.CacheBytes, RecallBytes: o.RecallBytes,
		MustExist: o.MustExist, Rebuild: o.Rebuild, Brief: o.Brief, Note: o.Note, Progress: positions(o.Progress), CompileAfter: o.CompileAfter, KeepSecrets: o.KeepSecrets,
	})
	if err != nil {
		return nil, err
	}
	return &Board{b, own}, nil
}

// shadowTable is the size of the memory table of an index that is entirely in memory.
const shadowTable = 8 << 20

// positions adapts a progress function to that of a replay.
func positions(tell func(done, total uint64)) apply.Progress {
	if tell == nil {
		return nil
	}
	return func(done, end journal.LSN, _ uint64) { tell(uint64(done), uint64(end)) }
}

// Close waits for running calls, makes everything durable and releases the directory. A second
// call does nothing.
func (b *Board) Close() error { return b.engine.Close() }

// Tenant returns a handle on a tenant for a writer. It is cheap and checks nothing; a tenant
// exists from its first record on.
func (b *Board) Tenant(name string, w Writer) *Tenant {
	return &Tenant{engine: b.engine, name: name, writer: w, scope: w.Scope}
}

// Tenants iterates over the roots of all tenants, in the order of their first write.
func (b *Board) Tenants(ctx context.Context) iter.Seq2[Root, error] { return b.engine.Tenants(ctx) }

// CountTenants returns how many tenants have records.
func (b *Board) CountTenants(ctx context.Context) (int, error) { return b.engine.CountTenants(ctx) }

// AsSystem returns the same board with the permission of a key, which only packages of this
// module can make: to read and write [SystemTenant].
func (b *Board) AsSystem(k board.SystemKey) *Board { return &Board{b.engine.AsSystem(k), b.handout} }

// Append records events of any tenants. Valid ones are recorded even if others are refused; the
// result says which.
func (b *Board) Append(ctx context.Context, w Writer, events ...*Event) (*AppendResult, error) {
	return b.engine.AppendEvents(ctx, w, events)
}

// Reached returns the highest recorded sequence of a session. ok is false if it has no event.
func (b *Board) Reached(ctx context.Context, tenant, session string) (sequence int64, ok bool, err error) {
	return b.engine.Reached(ctx, tenant, session)
}

// Ingest records a stream of events, one a line. A bad line does not affect good ones.
func (b *Board) Ingest(ctx context.Context, src io.Reader, o IngestOptions) (IngestReport, error) {
	return b.engine.Ingest(ctx, src, o)
}

// Import imports what [Tenant.Export] or [Tenant.Salvage] wrote.
func (b *Board) Import(ctx context.Context, src io.Reader, tell func(done, total uint64)) (*ImportReport, error) {
	return b.engine.Import(ctx, src, tell)
}

// Verify verifies the directory: quickly, or to the last byte.
func (b *Board) Verify(ctx context.Context, o VerifyOptions) (*VerifyReport, error) {
	return b.engine.Verify(ctx, o)
}

// Rebuild rebuilds the index from the journal. All other calls wait.
func (b *Board) Rebuild(ctx context.Context, tell func(done, total uint64)) error {
	return b.engine.Rebuild(ctx, positions(tell))
}

// Purge rewrites the index so that its files contain nothing deleted.
func (b *Board) Purge(ctx context.Context) error { return b.engine.Purge(ctx) }

// NewKey makes a new signing key. Old signatures can still be verified with the old key.
func (b *Board) NewKey(ctx context.Context) error { return b.engine.NewKey(ctx) }

// Weight returns how many bytes the payloads of a tenant have, from a position on, and the
// position after them. Erased payloads count 0.
func (b *Board) Weight(ctx context.Context, tenant string, from uint64) (bytes int64, to uint64, err error) {
	return b.engine.Weight(ctx, tenant, from)
}

// Handout returns the marker for texts of the board that are put into a prompt, which recognises
// them when they come back. Reading a board marks and remembers nothing: the caller that hands
// an answer out does.
func (b *Board) Handout() *Handout { return b.handout }

// ID returns the id of the directory, which is part of what it signs.
func (b *Board) ID() string { return b.engine.ID() }

// Failed returns why writes are refused, or nil if they are not.
func (b *Board) Failed() error { return b.engine.Failed() }

// CodeOf returns the code of an error, as docs/errors.md lists them, and "" for nil.
func CodeOf(err error) string { return string(fault.CodeOf(err)) }

// Advice returns what to do about an error.
func Advice(err error) string {
	e := fault.From(err)
	if e == nil {
		return ""
	}
	return e.Advice()
}
