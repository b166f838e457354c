package learn

import (
	"encoding/binary"
	"hash/crc32"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/compile/lessons"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/sessions"
	"lukasa.dev/internal/trace"
)

// The newest failures are kept beside the traces, in a file for each tenant: an agent that
// starts asks for them, and the traces of a large board take too long to read. The file is a
// cache as they are: one that is lost, damaged or of another state is read as none, and it
// goes with them before an erasure is acknowledged.
//
//	8 bytes   failuresMark
//	uvarint   failuresFormat, trace.Version
//	uvarint   length of the tenant's name, and the name
//	32 bytes  root of the tenant
//	uvarint   how many records it had then
//	uvarint   how many failures there are, then each: session, project, step, shape, error,
//	          fixed (uvarint length and bytes), uvarint times, the reference of the call that
//	          failed and of the one that mended it (id, uvarint position, varint time), uvarint
//	          number of steps between, and each of them
//	4 bytes   CRC-32C of all before, little-endian
const (
	failuresFormat = 1
	failuresMark   = "lukasafl"
	failuresSuffix = "-failures"
)

// keptFailures is what a file has.
type keptFailures struct {
	root merkle.Hash
	size uint64
	list []lessons.Failure
}

// keepFailures writes the failures of all sessions, unless something was erased since. That
// it cannot is no reason to stop: the traces have them, too.
func (b *Learner) keepFailures(tenant string, x *sessions.Traced, erasures uint64) {
	kept := keptFailures{root: x.Root, size: x.Size}
	for _, parts := range x.Traces {
		for _, part := range parts {
			kept.list = append(kept.list, lessons.Failures(part, nil)...)
		}
	}
	kept.list = lessons.Newest(kept.list)
	b.sessions.KeepBeside(tenant, failuresSuffix, kept.encode(tenant), erasures, func() {})
}

// keptFailures returns what was kept, or nil if there is nothing of this state or an earlier
// one.
func (b *Learner) keptFailures(s board.State) (*keptFailures, error) {
	data, err := b.sessions.ReadBeside(s.Tenant.Name, failuresSuffix)
	if err != nil {
		return nil, nil // as good as none
	}
	x := parseFailures(data, s.Tenant.Name)
	if x == nil || x.size > s.Tenant.Size {
		return nil, nil
	}
	root, err := board.RootWhen(s, x.size)
	if err != nil || root != x.root {
		return nil, err
	}
	return x, nil
}

// encode returns a file.
func (x *keptFailures) encode(tenant string) []byte {
	out := append([]byte(nil), failuresMark...)
	number := func(n uint64) { out = binary.AppendUvarint(out, n) }
	text := func(s string) {
		number(uint64(len(s)))
		out = append(out, s...)
	}
	ref := func(r trace.Ref) {
		text(r.ID)
		number(r.Position)
		out = binary.AppendVarint(out, r.Time)
	}
	number(failuresFormat)
	number(trace.Version)
	text(tenant)
	out = append(out, x.root[:]...)
	number(x.size)
	number(uint64(len(x.list)))
	for i := range x.list {
		f := &x.list[i]
		for _, s := range []string{f.Session, f.Project, f.Step, f.Shape, f.Error, f.Fixed} {
			text(s)
		}
		number(uint64(f.Times))
		ref(f.Failed)
		ref(f.Repaired)
		number(uint64(len(f.Between)))
		for _, s := range f.Between {
			text(s)
		}
	}
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, crc32.MakeTable(crc32.Castagnoli)))
}

// parseFailures reads a file, or returns nil if it is none of this tenant and version.
func parseFailures(data []byte, tenant string) *keptFailures {
	end := len(data) - 4
	if end < len(failuresMark) || string(data[:len(failuresMark)]) != failuresMark ||
		crc32.Checksum(data[:end], crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(data[end:]) {
		return nil
	}
	r := sessions.TraceBytes{Rest: data[len(failuresMark):end]}
	text := func() string { return string(r.Part()) }
	ref := func() trace.Ref { return trace.Ref{ID: text(), Position: r.Number(), Time: r.Signed()} }
	format, version, name := r.Number(), r.Number(), text()
	x := &keptFailures{}
	if copy(x.root[:], r.Bytes(uint64(len(x.root)))) < len(x.root) {
		return nil
	}
	x.size = r.Number()
	for n := r.Number(); n > 0 && !r.Short; n-- {
		f := lessons.Failure{Session: text(), Project: text(), Step: text(), Shape: text(), Error: text(), Fixed: text()}
		f.Times, f.Failed, f.Repaired = int(r.Number()), ref(), ref()
		for m := r.Number(); m > 0 && !r.Short; m-- {
			f.Between = append(f.Between, text())
		}
		x.list = append(x.list, f)
	}
	if r.Short || len(r.Rest) > 0 || format != failuresFormat || version != trace.Version || name != tenant {
		return nil
	}
	return x
}
