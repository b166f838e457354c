// Package lukasa is the memory of software agents as a library: a board in a
// directory that takes in what agents saw and did, keeps versioned memories,
// and proves what it says.
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
//     afterwards sees it, after a crash too.
//   - Tenants never meet: no call with one tenant reads, changes or reveals
//     anything of another.
//   - The root names the state. Two boards with the same root for a tenant hold
//     the same records of it in the same order.
//   - What is redacted is gone: from the journal's files when the call returns,
//     from the index's files after [Board.Purge]. Proofs over it still hold.
//   - Errors carry a stable code; see [CodeOf] and docs/errors.md.
//
// # What is not
//
// The library does not ask who is calling: whoever holds a [Tenant] acts with
// the trust that it was given, within a scope if it has one; see
// [Tenant.Scoped]. One process at a time has a directory open.
// Nothing expires by itself; [Tenant.Expire] makes it so.
package lukasa

import (
	"context"
	"io"
	"iter"
	"time"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/echo"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/journal"
)

// Options says how a directory is opened. The zero value works.
type Options struct {
	// Clock gives the time of records. Nil means time.Now.
	Clock func() time.Time
	// WitnessDir is a directory outside of the data directory, in which it is
	// remembered what was signed. With it, a rollback of the whole directory
	// is noticed. Empty means no such memory.
	WitnessDir string
	// CacheBytes is for what was read from the index. Zero means 64 MiB.
	CacheBytes int64
	// RecallBytes is for what is held in memory to answer questions. Zero means 400 MiB,
	// enough for a million events and memories of a tenant at full speed.
	RecallBytes int64
	// CompileAfter has the board compile tenants by itself, after so many new events or
	// a quiet while. The zero value does not; [Tenant.Compile] does it on demand.
	CompileAfter CompileAfter
	// KeepSecrets records keys and passwords in events and bodies as they are. Without
	// it they are taken out before anything is recorded, and results say how many there
	// were; docs/security.md says which are known.
	KeepSecrets bool
	// CutOwn takes out of events what the directory has handed out, see [Board.Handout], before
	// they are recorded, and does not record calls of Lukasa's own tools. Servers and commands
	// set it, so that no memory confirms itself.
	CutOwn bool
	// MustExist refuses to make a directory that is not there.
	MustExist bool
	// Rebuild makes the index anew from the journal before anything else.
	Rebuild bool
	// Brief says that the board is open for a moment only: closing it leaves a little for
	// the next opening to read from the journal again, which takes less time than writing it
	// out. What was acknowledged is durable all the same.
	Brief bool
	// Shadow leaves the files of the directory as they are: what is written stays in memory and
	// is lost when the board is closed. It keeps no other process out, so that a directory that is
	// written to meanwhile may look damaged.
	Shadow bool
	// Note tells someone who finds the directory in use who has it, besides
	// the process id.
	Note string
	// Progress is told how an opening that takes long comes along: after a
	// crash, or with Rebuild. The units are bytes of the journal.
	Progress func(done, total uint64)
}

// Board is an open data directory. It is safe for concurrent use.
type Board struct {
	engine  *engine.Board
	handout *Handout
}

// Open opens the data directory dir, making it if it is not there.
func Open(dir string, o Options) (*Board, error) { return OpenContext(context.Background(), dir, o) }

// OpenContext is [Open], and gives up when ctx is done.
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

// shadowTable is how many bytes the index holds back at a time where all of it is in memory.
const shadowTable = 8 << 20

// positions adapts a progress function to that of a replay.
func positions(tell func(done, total uint64)) apply.Progress {
	if tell == nil {
		return nil
	}
	return func(done, end journal.LSN, _ uint64) { tell(uint64(done), uint64(end)) }
}

// Close waits for what is under way, makes everything durable and lets the
// directory go. A second call does nothing.
func (b *Board) Close() error { return b.engine.Close() }

// Tenant returns a handle on a tenant, for a writer. It costs nothing and
// checks nothing; a tenant comes into being with its first record.
func (b *Board) Tenant(name string, w Writer) *Tenant {
	return &Tenant{engine: b.engine, name: name, writer: w, scope: w.Scope}
}

// Tenants walks over the roots of all tenants, in the order in which they first
// wrote.
func (b *Board) Tenants(ctx context.Context) iter.Seq2[Root, error] { return b.engine.Tenants(ctx) }

// CountTenants returns how many tenants have records.
func (b *Board) CountTenants(ctx context.Context) (int, error) { return b.engine.CountTenants(ctx) }

// Append records events of any tenants. Good ones are recorded even when others
// are refused; the result says which.
func (b *Board) Append(ctx context.Context, w Writer, events ...*Event) (*AppendResult, error) {
	return b.engine.AppendEvents(ctx, w, events)
}

// Reached returns the highest sequence on record of a session. ok is false if there
// is no event of it.
func (b *Board) Reached(ctx context.Context, tenant, session string) (sequence int64, ok bool, err error) {
	return b.engine.Reached(ctx, tenant, session)
}

// Ingest records a stream of events, one a line. A bad line costs no good one.
func (b *Board) Ingest(ctx context.Context, src io.Reader, o IngestOptions) (IngestReport, error) {
	return b.engine.Ingest(ctx, src, o)
}

// Import brings in what [Tenant.Export] or [Tenant.Salvage] wrote.
func (b *Board) Import(ctx context.Context, src io.Reader, tell func(done, total uint64)) (*ImportReport, error) {
	return b.engine.Import(ctx, src, tell)
}

// Verify checks the directory: quickly, or to the last byte.
func (b *Board) Verify(ctx context.Context, o VerifyOptions) (*VerifyReport, error) {
	return b.engine.Verify(ctx, o)
}

// Rebuild makes the index anew from the journal. Everything else waits.
func (b *Board) Rebuild(ctx context.Context, tell func(done, total uint64)) error {
	return b.engine.Rebuild(ctx, positions(tell))
}

// Purge rewrites the index so that nothing deleted is left in its files.
func (b *Board) Purge(ctx context.Context) error { return b.engine.Purge(ctx) }

// NewKey makes a new signing key. What was signed with the old one can still be
// checked with the old one.
func (b *Board) NewKey(ctx context.Context) error { return b.engine.NewKey(ctx) }

// Weight returns how many bytes the payloads of a tenant have, from a position on, and
// the position that comes after them. What is erased weighs nothing.
func (b *Board) Weight(ctx context.Context, tenant string, from uint64) (bytes int64, to uint64, err error) {
	return b.engine.Weight(ctx, tenant, from)
}

// Handout returns what marks texts of the board that are put into a prompt, and finds them
// again when they come back. Reading a board marks and remembers nothing: who hands an answer
// on does.
func (b *Board) Handout() *Handout { return b.handout }

// ID returns the directory's own id, which is part of what it signs.
func (b *Board) ID() string { return b.engine.ID() }

// Failed returns why writes are refused, or nil when they are not.
func (b *Board) Failed() error { return b.engine.Failed() }

// CodeOf returns the code that an error carries, as docs/errors.md lists them,
// and "" for nil.
func CodeOf(err error) string { return string(fault.CodeOf(err)) }

// Advice returns what to do about an error.
func Advice(err error) string {
	e := fault.From(err)
	if e == nil {
		return ""
	}
	return e.Advice()
}
