package board

import (
	"io"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/disk"
)

// Options configures a board. The zero value works.
type Options struct {
	// FS is the file system of the directory. Nil means the operating system's.
	FS disk.FS
	// Clock gives the time of records. Nil means time.Now.
	Clock func() time.Time
	// Random gives salts, ids and keys. Nil means crypto/rand.
	Random io.Reader
	// SegmentBytes is the size of a journal file. Zero means 64 MiB.
	SegmentBytes int64
	// CacheBytes and MemTableBytes limit the index's memory. Zero means 32 MiB and three
	// times 48 MiB.
	CacheBytes    int64
	MemTableBytes uint64
	// RecallBytes limits the memory of searches. Zero means 400 MiB, which is enough for a
	// million documents at full speed; with more documents, each question reads more from
	// the disk.
	RecallBytes int64
	// WitnessDir is a directory outside the data directory that records what was signed, so
	// that a rollback of the whole directory is noticed. Empty means no witness.
	WitnessDir string
	// Reserve is the free disk space below which writes are refused. Zero means 8 MiB and
	// what the index has yet to flush.
	Reserve uint64
	// KeepSecrets records keys and passwords unchanged. Without it they are scrubbed; see
	// package secret.
	KeepSecrets bool
	// Clean removes from events what the board has handed out, before any other step, and
	// reports whether anything is left to record. It must not change its argument. Nil
	// keeps events unchanged.
	Clean func(*hmx.Event) (clean *hmx.Event, keep bool)
	// Note describes the holder of the lock to other processes, besides its process id.
	Note string
	// CompileAfter makes the board compile tenants in the background. The zero value does
	// not.
	CompileAfter CompileAfter
	// Progress receives the progress of a long opening.
	Progress apply.Progress
	// Rebuild rebuilds the index from the journal first, even if the old one cannot be
	// opened.
	Rebuild bool
	// MustExist refuses to create a missing directory.
	MustExist bool
	// Brief says that the board is open for a moment only, as for a hook: closing it leaves
	// a little for the next opening to replay from the journal, which takes less time than
	// a flush.
	Brief bool
}

// CompileAfter says when a board compiles a tenant in the background. The zero value means
// never.
type CompileAfter struct {
	// Events is the number of new events. Zero disables this condition.
	Events int
	// Quiet is the time without new events, if there are any. Zero disables this condition.
	Quiet time.Duration
	// Apart is the minimum time between two compiles of a tenant that are due because a
	// session ended. Zero means [DefaultCompileApart]. An ended session is due at once if
	// the last compile is that long ago, together with others that end meanwhile.
	Apart time.Duration
	// Failed is called after each failed compile, which is retried later. It may be nil.
	Failed func(tenant string, err error)
	// Compiled is called after each compile that the board began by itself, with the error of
	// one that failed. It may be nil.
	Compiled func(tenant string, err error)
}

// DefaultCompileApart is the default of [CompileAfter.Apart].
const DefaultCompileApart = 10 * time.Second
