package board

import (
	"io"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/disk"
)

// Options says how a board is opened. The zero value works.
type Options struct {
	// FS is where the directory is. Nil means the operating system's.
	FS disk.FS
	// Clock gives the time of records. Nil means time.Now.
	Clock func() time.Time
	// Random gives salts, ids and keys. Nil means crypto/rand.
	Random io.Reader
	// SegmentBytes is how large a file of the journal grows. Zero means 64 MiB.
	SegmentBytes int64
	// CacheBytes and MemTableBytes bound the index's memory. Zero means 32 MiB
	// and three times 48 MiB.
	CacheBytes    int64
	MemTableBytes uint64
	// RecallBytes bounds what is held in memory to answer questions. Zero means
	// 400 MiB, which is enough for a million documents at full speed; the more there
	// are beyond that, the more is read from the disk for each question.
	RecallBytes int64
	// WitnessDir is a directory outside the data directory in which it is
	// remembered what was signed, so that a rollback of the whole directory is
	// noticed. Empty means no such memory.
	WitnessDir string
	// Reserve is how much room is left on the disk when writes are refused.
	// Zero means 8 MiB and what the index has yet to write.
	Reserve uint64
	// KeepSecrets records keys and passwords in what callers write as they are. Without
	// it they are taken out first; see package secret.
	KeepSecrets bool
	// Clean takes out of events what the board has handed out, before anything else is done
	// with them, and says whether anything is left to record. It must not change the event
	// that it is given. Nil leaves them as they are.
	Clean func(*hmx.Event) (clean *hmx.Event, keep bool)
	// Note is what someone who finds the directory locked is told about the
	// holder, besides its process id.
	Note string
	// CompileAfter has the board compile tenants by itself, in a goroutine of its own.
	// The zero value does not.
	CompileAfter CompileAfter
	// Progress receives how a long opening comes along.
	Progress apply.Progress
	// Rebuild makes a new index from the journal before anything else, even
	// where the old one cannot be opened.
	Rebuild bool
	// MustExist refuses to make a directory that is not there.
	MustExist bool
	// Brief says that the board is open for a moment only, as for a hook of an agent:
	// closing it leaves a little for the next opening to read from the journal again, which
	// takes less time than writing it out.
	Brief bool
}

// CompileAfter says when a board compiles a tenant by itself. The zero value is never.
type CompileAfter struct {
	// Events is how many events are new. Zero means that they are not counted.
	Events int
	// Quiet is how long nothing came, if something is new. Zero means that it is not
	// waited for.
	Quiet time.Duration
	// Apart is how long lies at least between two compiles of a tenant that are due
	// because a session ended. Zero means [DefaultCompileApart]. An ended session is due
	// at once if nothing was compiled for so long, and with others that end meanwhile.
	Apart time.Duration
	// Failed is called with each compile that failed, which is tried again later. It may
	// be nil.
	Failed func(tenant string, err error)
}

// DefaultCompileApart is how far apart compiles of ended sessions are, unless said.
const DefaultCompileApart = 10 * time.Second
