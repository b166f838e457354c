package sessions

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"slices"
	"sync"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/statement"
	"lukasa.dev/internal/trace"
)

// Traces of sessions are cached beside the index, so that a compile reads only sessions with
// new events. A tenant has a file with all traces, and further files, each with what changed
// since the previous one: so the amount written follows what is new. If files are lost,
// damaged or of another state, they are ignored, and all sessions are read. Since they hold
// words of events, they are removed before an erasure is acknowledged.

// traceFormat is the version of the files. A file is
//
//	8 bytes   traceMark
//	uvarint   traceFormat, trace.Format, trace.Version, statement.Version, in this order
//	uvarint   length of the tenant's name, and the name
//	uvarint   how many files there are before it
//	4 bytes   CRC-32C at the end of the file before it, little-endian; 0 if there is none
//	32 bytes  root of the tenant
//	uvarint   how many records it had then
//	uvarint   length of what users said and what artifacts there were, and that as JSON
//	uvarint   how many parts there are, then each: uvarint length, and traces as package
//	          trace encodes them
//	4 bytes   CRC-32C of all before, little-endian
//
// For a part of a session that is in several files, the last file counts.
const (
	traceFormat = 5
	traceMark   = "lukasatr"
)

// tracesTogether is how many traces a part has: parts are decoded in parallel.
const tracesTogether = 4096

// Limits of the further files: when there are more of them, or they hold more than this part
// of the first, everything is written again.
const (
	maxTraceFiles  = 64
	traceFilesPart = 4
)

// Traced is the traces of a tenant's sessions at a state.
type Traced struct {
	Root   merkle.Hash
	Size   uint64
	Traces map[string][]*trace.Trace // by session, its parts in order
	kept
	files traceList
	old   *Traced // the cached traces that this continues; nil if it does not
}

func newTraced(root merkle.Hash, size uint64) *Traced {
	return &Traced{Root: root, Size: size, Traces: make(map[string][]*trace.Trace), kept: kept{Said: make(map[string][]Said), Artifacts: make(map[string]*KnownArtifact)}}
}

// sameParts returns how many parts of a session are unchanged.
func sameParts(old, now []*trace.Trace) int {
	n := 0
	for n < min(len(old), len(now)) && old[n] == now[n] {
		n++
	}
	return n
}

// traceList is the files that were read.
type traceList struct {
	count       int
	first, more int    // bytes of the first, and of the others
	sum         uint32 // at the end of the last
}

// kept is the JSON of a file beside the traces.
type kept struct {
	Said      map[string][]Said         `json:"said,omitempty"`      // by session; those without are left out
	Artifacts map[string]*KnownArtifact `json:"artifacts,omitempty"` // that compiles made, by id
}

// Said is a message of a user that states something.
type Said struct {
	Event      string                `json:"event"`
	Position   uint64                `json:"position"`
	Time       int64                 `json:"time"`              // milliseconds, from the event, at most the time of its record
	Speaker    string                `json:"speaker,omitempty"` // from its metadata
	Project    string                `json:"project,omitempty"` // from its metadata
	Part       int                   `json:"part,omitempty"`    // of the session
	Statements []statement.Statement `json:"statements"`
	Session    string                `json:"-"` // its session; see statements
}

// traceFiles is the state of the trace files of a board.
type traceFiles struct {
	part, soFar uint64 // see New

	mu sync.Mutex // guards writing and removing files
}

// tracePath returns the path of a tenant's file with a number.
func (b *Sessions) tracePath(tenant string, number int) string {
	return b.core.Path(board.NameTraces, TraceName(tenant, number))
}

// TraceName is tracePath within its directory.
func TraceName(tenant string, number int) string {
	digest := index.DigestOf(tenant)
	name := hex.EncodeToString(digest[:])
	if number > 0 {
		name = fmt.Sprintf("%s-%d", name, number)
	}
	return name
}

// traceFollower removes the trace files when something is erased that may be in one, and
// when the index is rebuilt.
type traceFollower struct {
	board.NopFollower
	b *Sessions
}

func (f traceFollower) Erasing() error { return f.b.dropTraces() }
func (f traceFollower) Rebuilt() error { return f.b.dropTraces() }

// dropTraces removes all files of traces.
func (b *Sessions) dropTraces() error {
	b.traced.mu.Lock()
	defer b.traced.mu.Unlock()
	if _, err := b.core.FS().Stat(b.core.Path(board.NameTraces)); err != nil {
		return nil // there are none
	}
	if err := b.core.FS().RemoveAll(b.core.Path(board.NameTraces)); err != nil {
		return fmt.Errorf("remove %s: %w", b.core.Path(board.NameTraces), disk.Fault(err))
	}
	return disk.Fault(disk.SyncDir(b.core.FS(), b.core.Dir()))
}

// KeepTraces writes the traces of a tenant, or what changed of them, unless something was
// erased since.
func (b *Sessions) KeepTraces(tenant string, x *Traced, erasures uint64) error {
	data, number, err := x.next(tenant)
	if err != nil {
		return err
	}
	b.traced.mu.Lock()
	defer b.traced.mu.Unlock()
	if b.core.Erasures() != erasures {
		return nil
	}
	if err := disk.MkdirAll(b.core.FS(), b.core.Path(board.NameTraces)); err != nil {
		return fmt.Errorf("make %s: %w", b.core.Path(board.NameTraces), disk.Fault(err))
	}
	path := b.tracePath(tenant, number)
	if err := disk.WriteFile(b.core.FS(), path, data); err != nil {
		return fmt.Errorf("write %s: %w", path, disk.Fault(err))
	}
	// Files after an old first one do not continue this one. They are not read, whether they
	// can be removed or not.
	for n := 1; number == 0 && n < maxTraceFiles; n++ {
		if b.core.FS().Remove(b.tracePath(tenant, n)) != nil {
			break
		}
	}
	return nil
}

// KeptTraces returns the cached traces of a tenant, or none if there are none of this state
// or an earlier one.
func (b *Sessions) KeptTraces(s board.State) (*Traced, error) {
	var files []*traceFile
	sum := uint32(0)
	for len(files) < maxTraceFiles {
		data, err := disk.ReadFile(b.core.FS(), b.tracePath(s.Tenant.Name, len(files)))
		if err != nil {
			break // treated as missing
		}
		f, err := parseTraces(data, s.Tenant.Name, len(files), sum)
		if err != nil {
			break
		}
		files, sum = append(files, f), f.sum
	}
	x := decodeTraces(files)
	if x.files.count == 0 || x.Size > s.Tenant.Size {
		return &Traced{}, nil
	}
	root, err := board.RootWhen(s, x.Size)
	if err != nil {
		return nil, err
	}
	if root != x.Root {
		return &Traced{}, nil
	}
	return x, nil
}

// next returns the next file and its number: one with what changed or, if that is too much,
// the first with everything.
func (x *Traced) next(tenant string) (data []byte, number int, err error) {
	if x.old != nil && x.old.files.count < maxTraceFiles {
		files := x.old.files
		if data, err = x.since(x.old).encode(tenant, files.count, files.sum); err != nil {
			return nil, 0, err
		}
		if files.more+len(data) <= files.first/traceFilesPart {
			return data, files.count, nil
		}
	}
	data, err = x.encode(tenant, 0, 0)
	return data, 0, err
}

// since returns what differs from old.
func (x *Traced) since(old *Traced) *Traced {
	out := newTraced(x.Root, x.Size)
	for session, parts := range x.Traces {
		same := sameParts(old.Traces[session], parts)
		if same == len(parts) {
			continue
		}
		out.Traces[session] = parts[same:]
		if words := x.Said[session]; len(words) > 0 {
			out.Said[session] = words
		}
	}
	for id, a := range x.Artifacts {
		if old.Artifacts[id] != a {
			out.Artifacts[id] = a
		}
	}
	return out
}

// encode returns a file. The same content gives the same bytes.
func (x *Traced) encode(tenant string, number int, before uint32) ([]byte, error) {
	beside, err := json.Marshal(&x.kept) // map keys are sorted
	if err != nil {
		return nil, err
	}
	out := append([]byte(nil), traceMark...)
	for _, n := range []uint64{traceFormat, trace.Format, trace.Version, statement.Version, uint64(len(tenant))} {
		out = binary.AppendUvarint(out, n)
	}
	out = append(out, tenant...)
	out = binary.AppendUvarint(out, uint64(number))
	out = binary.LittleEndian.AppendUint32(out, before)
	out = append(out, x.Root[:]...)
	out = binary.AppendUvarint(out, x.Size)
	out = binary.AppendUvarint(out, uint64(len(beside)))
	out = append(out, beside...)
	list := x.List()
	out = binary.AppendUvarint(out, uint64((len(list)+tracesTogether-1)/tracesTogether))
	for part := range slices.Chunk(list, tracesTogether) {
		text := trace.Append(nil, part)
		out = binary.AppendUvarint(out, uint64(len(text)))
		out = append(out, text...)
	}
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, crc32.MakeTable(crc32.Castagnoli))), nil
}

// KnownArtifact is what a compile needs of an artifact from an earlier one. Artifacts never
// change, so it is cached with the traces.
type KnownArtifact struct {
	Position   uint64           `json:"position"`
	Type       hmx.ArtifactType `json:"type"`
	Title      string           `json:"title"`
	Version    int64            `json:"version"`
	Hash       string           `json:"hash"`
	Metadata   string           `json:"metadata"`
	Supersedes string           `json:"supersedes,omitempty"`
	Source     string           `json:"source,omitempty"` // one of its source events
	// What it recommends, if it is a decision policy; see recommended.
	About string `json:"about,omitempty"`
	Says  string `json:"says,omitempty"`
	Text  string `json:"text,omitempty"`
}

// SoFarEvents is how many events of a long session are read to say what it did so far:
// at least that many, and less than twice as many.
const SoFarEvents = 1 << 12
