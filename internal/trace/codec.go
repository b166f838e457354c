package trace

import (
	"encoding/binary"
	"hash/crc32"
)

// Format is the version of the encoding of traces.
//
// An encoding holds many traces:
//
//	byte      Format
//	uvarint   Version
//	uvarint   number of shared texts, then each: uvarint length, bytes
//	uvarint   number of traces, then each: uvarint length, body
//	4 bytes   CRC-32C of all before, little-endian
//
// Names, shapes, signatures and words are numbers of shared texts, from 1 in the
// order of their first use; 0 is the empty text. A body begins with the texts that
// are its own, ids and quotes, in one piece; what follows names only their lengths.
// Positions and times are differences to the reference before. Numbers are minimal
// varints. So the same traces have one encoding, and an encoding is of one list of
// traces.
const Format = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Append appends the encoding of traces to dst.
func Append(dst []byte, traces []*Trace) []byte {
	e := encoder{numbers: map[string]uint64{}}
	var body []byte
	for _, t := range traces {
		e.trace(t)
		body = binary.AppendUvarint(body, uint64(len(e.out)+len(e.texts)+uvarintLen(uint64(len(e.texts)))))
		body = binary.AppendUvarint(body, uint64(len(e.texts)))
		body = append(body, e.texts...)
		body = append(body, e.out...)
	}
	from := len(dst)
	dst = append(dst, Format)
	dst = binary.AppendUvarint(dst, Version)
	dst = binary.AppendUvarint(dst, uint64(len(e.shared)))
	for _, s := range e.shared {
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		dst = append(dst, s...)
	}
	dst = binary.AppendUvarint(dst, uint64(len(traces)))
	dst = append(dst, body...)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[from:], castagnoli))
}

func uvarintLen(v uint64) int {
	n := 1
	for v >= 0x80 {
		v >>= 7
		n++
	}
	return n
}

// encoder writes one trace at a time.
type encoder struct {
	numbers map[string]uint64
	shared  []string
	out     []byte
	texts   []byte
	prev    Ref
}

func (e *encoder) num(v uint64) { e.out = binary.AppendUvarint(e.out, v) }
func (e *encoder) byte(v uint8) { e.out = append(e.out, v) }

// text writes a text that is the trace's own.
func (e *encoder) text(s string) {
	e.num(uint64(len(s)))
	e.texts = append(e.texts, s...)
}

// share writes a text that others have too.
func (e *encoder) share(s string) {
	if s == "" {
		e.num(0)
		return
	}
	n, ok := e.numbers[s]
	if !ok {
		e.shared = append(e.shared, s)
		n = uint64(len(e.shared))
		e.numbers[s] = n
	}
	e.num(n)
}

func (e *encoder) shares(list []string) {
	e.num(uint64(len(list)))
	for _, s := range list {
		e.share(s)
	}
}

// zigzag maps small numbers of either sign to small ones.
func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// ref writes a reference that is there.
func (e *encoder) ref(r Ref) {
	e.text(r.ID)
	e.num(zigzag(int64(r.Position - e.prev.Position)))
	e.num(zigzag(r.Time - e.prev.Time))
	e.prev = r
}

// maybe writes a reference that may be missing.
func (e *encoder) maybe(r Ref) {
	if r == (Ref{}) {
		e.byte(0)
		return
	}
	e.byte(1)
	e.ref(r)
}

func (e *encoder) trace(t *Trace) {
	e.out, e.texts, e.prev = e.out[:0], e.texts[:0], Ref{}
	e.text(t.Session)
	e.share(t.Agent)
	e.num(uint64(t.Part))
	e.num(zigzag(t.End.Sequence))
	e.num(zigzag(t.End.Timestamp))
	e.num(t.End.Position)
	e.num(uint64(t.Events))
	e.num(uint64(len(t.Abroad)))
	for _, v := range t.Abroad {
		e.text(v.Target)
		e.byte(uint8(v.Outcome))
		e.maybe(v.Judge)
	}
	e.num(uint64(len(t.Tasks)))
	for i := range t.Tasks {
		e.task(&t.Tasks[i])
	}
}

func (e *encoder) task(t *Task) {
	e.text(t.Goal)
	e.shares(t.Words)
	e.maybe(t.From)
	e.maybe(t.To)
	e.maybe(t.GoalRef)
	e.byte(uint8(t.Outcome))
	e.byte(uint8(t.By))
	e.maybe(t.Judge)
	e.byte(uint8(t.Trust))
	e.share(t.Where)
	e.share(t.Project)
	e.num(uint64(t.Dropped))
	e.shares(t.Said)
	e.byte(t.Asked)
	e.byte(t.Open)
	e.byte(t.Left)
	e.num(uint64(len(t.Steps)))
	for i := range t.Steps {
		e.step(&t.Steps[i])
	}
	e.num(uint64(len(t.Choices)))
	for i := range t.Choices {
		c := &t.Choices[i]
		e.maybe(c.Ref)
		e.num(uint64(c.Step + 1))
		e.text(c.Question)
		e.text(c.Chosen)
		e.text(c.Reason)
		e.num(uint64(len(c.Others)))
		for _, o := range c.Others {
			e.text(o)
		}
	}
}

// How the references of a step are written.
const (
	refNone   = iota // neither
	refCall          // the call only
	refResult        // the result only
	refBoth          // one after the other
	refSame          // one for both
)

func (e *encoder) step(s *Step) {
	mode := refBoth
	switch none := (Ref{}); {
	case s.Call == none && s.Result == none:
		mode = refNone
	case s.Result == none:
		mode = refCall
	case s.Call == none:
		mode = refResult
	case s.Call == s.Result:
		mode = refSame
	}
	known := uint8(0)
	if s.Known {
		known = 1
	}
	if s.Command {
		known |= 2
	}
	e.byte(uint8(mode)<<5 | uint8(s.Got)<<2 | known)
	if mode != refNone && mode != refResult {
		e.ref(s.Call)
	}
	if mode == refResult || mode == refBoth {
		e.ref(s.Result)
	}
	e.byte(uint8(s.State)<<4 | uint8(s.Trust))
	e.share(s.Tool)
	e.share(s.Shape)
	e.share(s.Error)
	e.num(uint64(s.Cost))
	e.num(uint64(s.Times))
	e.shares(s.Said)
	e.byte(s.Asked)
	e.byte(s.Open)
	e.byte(s.Left)
	e.num(uint64(len(s.Args)))
	for i := range s.Args {
		a := &s.Args[i]
		e.share(a.Name)
		e.share(a.Tool)
		e.byte(uint8(a.Slot))
		e.byte(uint8(a.From))
		e.byte(a.Back)
	}
}
