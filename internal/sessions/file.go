package sessions

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"maps"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/statement"
	"lukasa.dev/internal/trace"
)

// traceFile is a trace file whose parts are not decoded yet.
type traceFile struct {
	root   merkle.Hash
	size   uint64
	beside []byte
	parts  [][]byte
	bytes  int
	sum    uint32 // at its end

	kept   kept
	traces [][]*trace.Trace // of each part
	errs   []error          // of each part, and then of the JSON beside them
}

// parseTraces parses a file, which must be of the tenant, have this number, and follow a
// file whose checksum is before.
func parseTraces(data []byte, tenant string, number int, before uint32) (*traceFile, error) {
	bad := fault.New(fault.Damaged, "traces: this is no file of traces of this tenant, of this version")
	end := len(data) - 4
	if end < len(traceMark) || string(data[:len(traceMark)]) != traceMark ||
		crc32.Checksum(data[:end], crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(data[end:]) {
		return nil, bad
	}
	r := TraceBytes{Rest: data[len(traceMark):end]}
	for _, want := range []uint64{traceFormat, trace.Format, trace.Version, statement.Version} {
		if r.Number() != want {
			return nil, bad
		}
	}
	name, place, link := string(r.Part()), r.Number(), r.Bytes(4)
	if r.Short || name != tenant || place != uint64(number) || binary.LittleEndian.Uint32(link) != before {
		return nil, bad
	}
	f := &traceFile{bytes: len(data), sum: binary.LittleEndian.Uint32(data[end:])}
	copy(f.root[:], r.Bytes(uint64(len(f.root))))
	f.size, f.beside = r.Number(), r.Part()
	for n := r.Number(); n > 0 && !r.Short; n-- {
		f.parts = append(f.parts, r.Part())
	}
	if r.Short || len(r.Rest) > 0 {
		return nil, bad
	}
	f.traces, f.errs = make([][]*trace.Trace, len(f.parts)), make([]error, len(f.parts)+1)
	return f, nil
}

// TraceBytes reads a file piece by piece. Once data is missing, short is set, and the
// results are meaningless.
type TraceBytes struct {
	Rest  []byte
	Short bool
}

func (r *TraceBytes) Number() uint64 {
	v, n := binary.Uvarint(r.Rest)
	if n <= 0 {
		r.Rest, r.Short = nil, true
		return 0
	}
	r.Rest = r.Rest[n:]
	return v
}

// Signed reads a number that may be negative.
func (r *TraceBytes) Signed() int64 {
	v, n := binary.Varint(r.Rest)
	if n <= 0 {
		r.Rest, r.Short = nil, true
		return 0
	}
	r.Rest = r.Rest[n:]
	return v
}

func (r *TraceBytes) Bytes(n uint64) []byte {
	if n > uint64(len(r.Rest)) {
		r.Rest, r.Short = nil, true
		return make([]byte, 4) // enough for the caller to read a number
	}
	out := r.Rest[:n]
	r.Rest = r.Rest[n:]
	return out
}

// Part reads bytes after their length.
func (r *TraceBytes) Part() []byte { return r.Bytes(r.Number()) }

// decodeTraces returns the content of files, up to the first damaged one. Parts are
// decoded in parallel.
func decodeTraces(files []*traceFile) *Traced {
	type job struct {
		f    *traceFile
		part int
	}
	var jobs []job
	for _, f := range files {
		for part := range f.errs {
			jobs = append(jobs, job{f, part})
		}
	}
	_ = index.Share(len(jobs), max(1, len(jobs)), func(_, from, to int) error {
		for _, j := range jobs[from:to] {
			j.f.decode(j.part)
		}
		return nil // each file keeps its own errors
	})
	x := newTraced(merkle.Hash{}, 0)
	for _, f := range files {
		if fault.First(f.errs...) != nil || !x.goesOn(f) {
			break
		}
		x.take(f)
	}
	return x
}

// decode decodes a part, or the JSON beside them for the number after the last.
func (f *traceFile) decode(part int) {
	if part == len(f.parts) {
		f.errs[part] = json.Unmarshal(f.beside, &f.kept)
		return
	}
	f.traces[part], f.errs[part] = trace.Decode(f.parts[part], nil)
}

// goesOn reports whether no part of a session is missing between what was taken over and
// what a file has.
func (x *Traced) goesOn(f *traceFile) bool {
	more := make(map[string]int) // parts that this file adds
	for _, list := range f.traces {
		for _, one := range list {
			has := len(x.Traces[one.Session]) + more[one.Session]
			if one.Part > has {
				return false
			}
			if one.Part == has {
				more[one.Session]++
			}
		}
	}
	return true
}

// take takes over the next file.
func (x *Traced) take(f *traceFile) {
	for _, list := range f.traces {
		for _, one := range list {
			x.Traces[one.Session] = append(x.Traces[one.Session][:one.Part], one)
			delete(x.Said, one.Session)
		}
	}
	maps.Copy(x.Said, f.kept.Said)
	maps.Copy(x.Artifacts, f.kept.Artifacts)
	x.Root, x.Size = f.root, f.size
	if x.files.count == 0 {
		x.files.first = f.bytes
	} else {
		x.files.more += f.bytes
	}
	x.files.count++
	x.files.sum = f.sum
}
