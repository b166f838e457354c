package engine

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"sync"
	"sync/atomic"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/statement"
	"lukasa.dev/internal/trace"
)

// What sessions did is kept beside the index, one file a tenant, so that a compile reads
// only the sessions that have new events. It is a cache: a file that is lost, damaged or
// of another state is read as none, and then all sessions are read. Since it holds words
// of events, it goes before an erasure is acknowledged.

// traceFormat is the version of the files. A file is
//
//	8 bytes   traceMark
//	uvarint   traceFormat, trace.Format, trace.Version, statement.Version, in this order
//	uvarint   length of the tenant's name, and the name
//	32 bytes  root of the tenant
//	uvarint   how many records it had then
//	uvarint   length of what users said and what artifacts there were, and that as JSON
//	          the traces, as package trace encodes them
//	4 bytes   CRC-32C of all before, little-endian
const (
	traceFormat = 1
	traceMark   = "lukasatr"
)

// traced is what is known of the sessions of a tenant at a state.
type traced struct {
	root   merkle.Hash
	size   uint64
	traces map[string]*trace.Trace // by session
	kept
}

// kept is what a file has beside the traces.
type kept struct {
	Said      map[string][]said    `json:"said,omitempty"`      // by session; those without are left out
	Artifacts map[string]*artifact `json:"artifacts,omitempty"` // that compiles made, by id
}

// said is a message of a user that states something.
type said struct {
	Event      string                `json:"event"`
	Position   uint64                `json:"position"`
	Time       int64                 `json:"time"` // milliseconds, as the event says
	Speaker    string                `json:"speaker,omitempty"`
	Statements []statement.Statement `json:"statements"`
}

// traceFiles is what a board knows of its files of traces.
type traceFiles struct {
	// erasures is how often something was erased. It is raised in log order, by the
	// leader, so that who asks there knows whether what it read may still be told.
	erasures atomic.Uint64

	mu sync.Mutex // of who writes or removes files
}

// tracePath returns the name of a tenant's file.
func (b *Board) tracePath(tenant string) string {
	digest := index.DigestOf(tenant)
	return b.path(nameTraces, hex.EncodeToString(digest[:]))
}

// dropTraces removes all files of traces, since something was erased that may be in one.
func (b *Board) dropTraces() error {
	b.traced.mu.Lock()
	defer b.traced.mu.Unlock()
	b.traced.erasures.Add(1)
	b.guides.forget()
	if _, err := b.o.FS.Stat(b.path(nameTraces)); err != nil {
		return nil // there are none
	}
	if err := b.o.FS.RemoveAll(b.path(nameTraces)); err != nil {
		return fmt.Errorf("remove %s: %w", b.path(nameTraces), disk.Fault(err))
	}
	return disk.Fault(disk.SyncDir(b.o.FS, b.dir))
}

// keepTraces writes the file of a tenant, unless something was erased since.
func (b *Board) keepTraces(tenant string, x *traced, erasures uint64) error {
	data, err := x.encode(tenant)
	if err != nil {
		return err
	}
	b.traced.mu.Lock()
	defer b.traced.mu.Unlock()
	if b.traced.erasures.Load() != erasures {
		return nil
	}
	if err := disk.MkdirAll(b.o.FS, b.path(nameTraces)); err != nil {
		return fmt.Errorf("make %s: %w", b.path(nameTraces), disk.Fault(err))
	}
	if err := disk.WriteFile(b.o.FS, b.tracePath(tenant), data); err != nil {
		return fmt.Errorf("write %s: %w", b.tracePath(tenant), disk.Fault(err))
	}
	return nil
}

// keptTraces returns what the file of a tenant has, or nothing if there is none that is
// of this state or an earlier one.
func (b *Board) keptTraces(r kv.Reader, t *ledger.Tenant) (*traced, error) {
	data, err := disk.ReadFile(b.o.FS, b.tracePath(t.Name))
	if err != nil {
		return &traced{}, nil
	}
	x, err := decodeTraced(data, t.Name)
	if err != nil || x.size > t.Size {
		return &traced{}, nil // as good as none
	}
	root, err := rootAt(r, t, x.size)
	if err != nil {
		return nil, err
	}
	if root != x.root {
		return &traced{}, nil
	}
	return x, nil
}

// encode returns a file. The same is always the same bytes.
func (x *traced) encode(tenant string) ([]byte, error) {
	beside, err := json.Marshal(&x.kept) // maps in the order of their keys
	if err != nil {
		return nil, err
	}
	out := append([]byte(nil), traceMark...)
	for _, n := range []uint64{traceFormat, trace.Format, trace.Version, statement.Version, uint64(len(tenant))} {
		out = binary.AppendUvarint(out, n)
	}
	out = append(out, tenant...)
	out = append(out, x.root[:]...)
	out = binary.AppendUvarint(out, x.size)
	out = binary.AppendUvarint(out, uint64(len(beside)))
	out = append(out, beside...)
	out = trace.Append(out, x.list())
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, crc32.MakeTable(crc32.Castagnoli))), nil
}

// decodeTraced reads the file of a tenant.
func decodeTraced(data []byte, tenant string) (*traced, error) {
	bad := fault.New(fault.Damaged, "traces: this is no file of traces of this tenant, of this version")
	end := len(data) - 4
	if end < len(traceMark) || string(data[:len(traceMark)]) != traceMark ||
		crc32.Checksum(data[:end], crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(data[end:]) {
		return nil, bad
	}
	r := bytes.NewReader(data[len(traceMark):end])
	for _, want := range []uint64{traceFormat, trace.Format, trace.Version, statement.Version} {
		if n, err := binary.ReadUvarint(r); err != nil || n != want {
			return nil, bad
		}
	}
	rest := func(n uint64) []byte {
		if n > uint64(r.Len()) {
			return nil
		}
		from := end - r.Len()
		_, _ = r.Seek(int64(n), 1)
		return data[from : from+int(n)]
	}
	part := func() []byte {
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return nil
		}
		return rest(n)
	}
	x := &traced{traces: make(map[string]*trace.Trace)}
	if string(part()) != tenant {
		return nil, bad
	}
	var err error
	copy(x.root[:], rest(uint64(len(x.root))))
	if x.size, err = binary.ReadUvarint(r); err != nil {
		return nil, bad
	}
	if json.Unmarshal(part(), &x.kept) != nil {
		return nil, bad
	}
	list, err := trace.Decode(data[end-r.Len():end], &trace.Strings{})
	if err != nil {
		return nil, err
	}
	for _, one := range list {
		x.traces[one.Session] = one
	}
	return x, nil
}
