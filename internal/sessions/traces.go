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

// What sessions did is kept beside the index, so that a compile reads only the sessions
// that have new events. A tenant has a file with all of them, and files behind it, each
// with what changed since the one before: so what is written follows what is new. They
// are a cache: files that are lost, damaged or of another state are read as none, and then
// all sessions are read. Since they hold words of events, they go before an erasure is
// acknowledged.

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
// A part of a session that is in a file is as it is in the last one that has it.
const (
	traceFormat = 5
	traceMark   = "lukasatr"
)

// tracesTogether is how many traces a part has: parts are read by several goroutines at
// once.
const tracesTogether = 4096

// Bounds of the files behind the first: when there are more of them, or they hold more
// than this part of it, all is written again.
const (
	maxTraceFiles  = 64
	traceFilesPart = 4
)

// Traced is what is known of the sessions of a tenant at a state.
type Traced struct {
	Root   merkle.Hash
	Size   uint64
	Traces map[string][]*trace.Trace // by session, its parts in order
	kept
	files traceList
	old   *Traced // what was kept, as far as this goes on from it; nil if it does not
}

func newTraced(root merkle.Hash, size uint64) *Traced {
	return &Traced{Root: root, Size: size, Traces: make(map[string][]*trace.Trace), kept: kept{Said: make(map[string][]Said), Artifacts: make(map[string]*KnownArtifact)}}
}

// sameParts returns how many parts of a session are those that it had.
func sameParts(old, now []*trace.Trace) int {
	n := 0
	for n < min(len(old), len(now)) && old[n] == now[n] {
		n++
	}
	return n
}

// traceList is the files that something was read from.
type traceList struct {
	count       int
	first, more int    // bytes of the first, and of the others
	sum         uint32 // at the end of the last
}

// kept is what a file has beside the traces.
type kept struct {
	Said      map[string][]Said         `json:"said,omitempty"`      // by session; those without are left out
	Artifacts map[string]*KnownArtifact `json:"artifacts,omitempty"` // that compiles made, by id
}

// Said is a message of a user that states something.
type Said struct {
	Event      string                `json:"event"`
	Position   uint64                `json:"position"`
	Time       int64                 `json:"time"`              // milliseconds, as the event says, and at the latest when it was recorded
	Speaker    string                `json:"speaker,omitempty"` // as its metadata names them
	Project    string                `json:"project,omitempty"` // as its metadata names it
	Part       int                   `json:"part,omitempty"`    // of the session
	Statements []statement.Statement `json:"statements"`
	Session    string                `json:"-"` // that it is in; see statements
}

// traceFiles is what a board knows of its files of traces.
type traceFiles struct {
	part, soFar uint64 // partEvents and soFarEvents

	mu sync.Mutex // of who writes or removes files
}

// tracePath returns the name of a tenant's file, behind that many others.
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

// traceFollower removes the files of traces when something was erased that may be in one,
// and with the index that they were made of.
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

// KeepTraces writes what is known of a tenant, or what changed of it, unless something
// was erased since.
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
	// Those that were behind an old first one do not go on from this one, and are not
	// read, whether they can be removed or not.
	for n := 1; number == 0 && n < maxTraceFiles; n++ {
		if b.core.FS().Remove(b.tracePath(tenant, n)) != nil {
			break
		}
	}
	return nil
}

// KeptTraces returns what is kept of a tenant, or nothing if there is nothing that is of
// this state or an earlier one.
func (b *Sessions) KeptTraces(s board.State) (*Traced, error) {
	var files []*traceFile
	sum := uint32(0)
	for len(files) < maxTraceFiles {
		data, err := disk.ReadFile(b.core.FS(), b.tracePath(s.Tenant.Name, len(files)))
		if err != nil {
			break // as good as none
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

// next returns the file that is to be written, and its number: one with what changed,
// or, if that is too much, the first with all.
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

// since returns what is other than it was.
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

// encode returns a file. The same is always the same bytes.
func (x *Traced) encode(tenant string, number int, before uint32) ([]byte, error) {
	beside, err := json.Marshal(&x.kept) // maps in the order of their keys
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

// KnownArtifact is what a compile has to know of an artifact that one made before. Artifacts
// never change, so it is kept with the traces and not read again.
type KnownArtifact struct {
	Position   uint64           `json:"position"`
	Type       hmx.ArtifactType `json:"type"`
	Title      string           `json:"title"`
	Version    int64            `json:"version"`
	Hash       string           `json:"hash"`
	Metadata   string           `json:"metadata"`
	Supersedes string           `json:"supersedes,omitempty"`
	Source     string           `json:"source,omitempty"` // one of the events that it was made of
	// What it recommends, if it is a decision policy; see recommended.
	About string `json:"about,omitempty"`
	Says  string `json:"says,omitempty"`
	Text  string `json:"text,omitempty"`
}

// soFarEvents is how many events of a long session are read to say what it did so far:
// at least that many, and less than twice as many.
const soFarEvents = 1 << 12
