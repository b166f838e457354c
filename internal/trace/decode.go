package trace

import (
	"encoding/binary"
	"hash/crc32"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace/provenance"
	"lukasa.dev/internal/trace/shapes"
)

// Decode returns the traces of an encoding that Append made. It refuses anything
// else: another format or version with [fault.NewerFormat], and a text that is damaged,
// cut short, longer than it says or not in the one form that Append writes with
// [fault.Damaged]. Texts that traces share are taken from shared, which may be nil. The
// memory that it takes is bounded by the length of b, and nothing refers to b.
func Decode(b []byte, shared *Strings) ([]*Trace, error) {
	if len(b) < 1+1+1+1+4 {
		return nil, damaged("%d bytes are too few for an encoding", len(b))
	}
	if b[0] != Format {
		return nil, fault.Newf(fault.NewerFormat, "traces: format %d is not %d", b[0], Format).WithFix("read the events of the sessions again")
	}
	end := len(b) - 4
	if sum := crc32.Checksum(b[:end], castagnoli); sum != binary.LittleEndian.Uint32(b[end:]) {
		return nil, damaged("the checksum is %08x and not what is written", sum)
	}
	d := decoder{rest: b[1:end]}
	if v := d.num(); !d.bad && v != Version {
		return nil, fault.Newf(fault.NewerFormat, "traces: version %d is not %d", v, Version).WithFix("read the events of the sessions again")
	}
	d.table(shared)
	n := d.count(minTrace)
	traces := make([]*Trace, 0, n)
	for range n {
		traces = append(traces, d.trace())
		if d.bad {
			break
		}
	}
	if d.bad || len(d.rest) > 0 || d.used != len(d.shared) {
		return nil, damaged("they are not in the form that they are written in")
	}
	return traces, nil
}

func damaged(format string, args ...any) error {
	return fault.Newf(fault.Damaged, "traces: "+format, args...).WithFix("read the events of the sessions again")
}

// The minimal sizes in an encoding, in bytes.
const (
	minTrace = 10
	minTask  = 18
	minStep  = 12
	minArg   = 5
)

// decoder reads an encoding. After the first error, bad stays set and the values that it
// returns are meaningless.
type decoder struct {
	rest   []byte
	texts  string // of the trace, those that are not read yet
	shared []string
	used   int // shared texts that were used
	prev   Ref
	bad    bool
	// words and args are the memory of lists.
	words []string
	args  []Arg
}

func (d *decoder) fail() { d.bad, d.rest = true, nil }

// num reads a minimal uvarint.
func (d *decoder) num() uint64 {
	if len(d.rest) > 0 && d.rest[0] < 0x80 {
		v := uint64(d.rest[0])
		d.rest = d.rest[1:]
		return v
	}
	v, n := binary.Uvarint(d.rest)
	if n <= 0 || n > 1 && d.rest[n-1] == 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// count reads the number of elements that follow, each of at least size bytes.
func (d *decoder) count(size int) int {
	n := d.num()
	if n > uint64(len(d.rest)/size) {
		d.fail()
		return 0
	}
	return int(n)
}

// number reads a number of at most limit.
func (d *decoder) number(limit uint64) uint64 {
	v := d.num()
	if v > limit {
		d.fail()
		return 0
	}
	return v
}

// byte reads a byte of at most limit.
func (d *decoder) byte(limit uint8) uint8 {
	if len(d.rest) == 0 || d.rest[0] > limit {
		d.fail()
		return 0
	}
	v := d.rest[0]
	d.rest = d.rest[1:]
	return v
}

// table reads the shared texts.
func (d *decoder) table(shared *Strings) {
	if shared == nil {
		shared = &Strings{}
	}
	n := d.count(2)
	d.shared = make([]string, 0, n)
	seen := make(map[string]struct{}, n)
	for range n {
		size := d.count(1)
		if d.bad || size == 0 {
			d.fail()
			return
		}
		s := shared.take(d.rest[:size])
		d.rest = d.rest[size:]
		d.shared = append(d.shared, s)
		seen[s] = struct{}{}
	}
	if len(seen) != n {
		d.fail()
	}
}

// share reads a shared text. One that was not used yet must be the next.
func (d *decoder) share() string {
	n := d.num()
	switch {
	case n == 0:
		return ""
	case n > uint64(d.used)+1 || n > uint64(len(d.shared)):
		d.fail()
		return ""
	case n == uint64(d.used)+1:
		d.used++
	}
	return d.shared[n-1]
}

func (d *decoder) shares() []string {
	n := d.count(1)
	if n == 0 {
		return nil
	}
	const chunk = 4096
	if len(d.words) < n {
		d.words = make([]string, max(n, min(chunk, len(d.rest))))
	}
	list := d.words[:n:n]
	d.words = d.words[n:]
	rest, used := d.rest, d.used
	for i := range list {
		// Nearly all are texts that were used before, with numbers of one byte or two.
		switch {
		case len(rest) > 0 && rest[0] < 0x80:
			if k := int(rest[0]); k > 0 && k <= used {
				list[i], rest = d.shared[k-1], rest[1:]
				continue
			}
		case len(rest) > 1 && rest[1]-1 < 0x7F:
			if k := int(rest[0]&0x7F) | int(rest[1])<<7; k <= used {
				list[i], rest = d.shared[k-1], rest[2:]
				continue
			}
		}
		d.rest = rest
		list[i] = d.share()
		rest, used = d.rest, d.used
	}
	d.rest = rest
	return list
}

// text reads a text that is the trace's own.
func (d *decoder) text() string {
	n := d.num()
	if n > uint64(len(d.texts)) {
		d.fail()
		return ""
	}
	s := d.texts[:n]
	d.texts = d.texts[n:]
	return s
}

func (d *decoder) ref() Ref {
	r := Ref{ID: d.text()}
	r.Position = d.prev.Position + uint64(unzigzag(d.num()))
	r.Time = d.prev.Time + unzigzag(d.num())
	if r == (Ref{}) {
		d.fail() // Append would have left it out
	}
	d.prev = r
	return r
}

func (d *decoder) maybe() Ref {
	if d.byte(1) == 0 {
		return Ref{}
	}
	return d.ref()
}

func (d *decoder) trace() *Trace {
	size := d.count(1)
	if d.bad {
		return nil
	}
	after := d.rest[size:]
	d.rest = d.rest[:size]
	n := d.count(1)
	if d.bad {
		return nil
	}
	d.texts, d.rest, d.prev = string(d.rest[:n]), d.rest[n:], Ref{}
	t := &Trace{Session: d.text(), Agent: d.share(), Part: int(d.number(1<<31 - 1))}
	t.End = Mark{Sequence: unzigzag(d.num()), Timestamp: unzigzag(d.num()), Position: d.num()}
	t.Events = int(d.number(1<<62 - 1))
	if n := d.count(3); n > 0 {
		t.Abroad = make([]Verdict, n)
		for i := range t.Abroad {
			t.Abroad[i] = Verdict{Target: d.text(), Outcome: Outcome(d.byte(uint8(Failed))), Judge: d.maybe()}
		}
	}
	if n := d.count(minTask); n > 0 {
		t.Tasks = make([]Task, n)
		for i := range t.Tasks {
			d.task(&t.Tasks[i])
		}
	}
	if len(d.rest) > 0 || d.texts != "" {
		d.fail()
	}
	if !d.bad {
		d.rest = after
	}
	return t
}

func (d *decoder) task(t *Task) {
	t.Goal = d.text()
	t.Words = d.shares()
	t.From, t.To, t.GoalRef = d.maybe(), d.maybe(), d.maybe()
	t.Outcome, t.By = Outcome(d.byte(uint8(Failed))), Evidence(d.byte(uint8(ByFeedback)))
	t.Judge = d.maybe()
	t.Trust = record.Trust(d.byte(uint8(record.Operator)))
	t.Where, t.Project = d.share(), d.share()
	t.Dropped = int(d.number(1<<62 - 1))
	t.Said = d.shares()
	t.Asked = d.byte(uint8(min(len(t.Said), 255)))
	t.Open, t.Left = d.byte(provenance.MaxOpen), d.byte(provenance.MaxOpen)
	if n := d.count(minStep); n > 0 {
		t.Steps = make([]Step, n)
		for i := range t.Steps {
			if d.step(&t.Steps[i]); d.bad {
				return
			}
		}
	}
	n := d.count(6)
	if n == 0 {
		return
	}
	t.Choices = make([]Choice, n)
	for i := range t.Choices {
		c := &t.Choices[i]
		c.Ref = d.maybe()
		c.Step = int(d.number(uint64(len(t.Steps)))) - 1
		c.Question, c.Chosen, c.Reason = d.text(), d.text(), d.text()
		if n := d.count(1); n > 0 {
			c.Others = make([]string, n)
			for k := range c.Others {
				c.Others[k] = d.text()
			}
		}
	}
}

func (d *decoder) step(s *Step) {
	head := d.byte(255)
	mode := int(head >> 5)
	s.Got, s.Known, s.Command = Got(head>>2&7), head&1 == 1, head&2 != 0
	if mode > refSame || s.Got > GotList {
		d.fail()
		return
	}
	if mode != refNone && mode != refResult {
		s.Call = d.ref()
	}
	switch mode {
	case refResult, refBoth:
		s.Result = d.ref()
		if s.Result == s.Call {
			d.fail()
			return
		}
	case refSame:
		s.Result = s.Call
	}
	judged := d.byte(255)
	s.State, s.Trust = State(judged>>4), record.Trust(judged&15)
	if s.State > Denied || s.Trust > record.Operator {
		d.fail()
		return
	}
	s.Tool, s.Shape, s.Error = d.share(), d.share(), d.share()
	s.Cost, s.Times = int64(d.number(1<<63-1)), uint32(d.number(1<<32-1))
	s.Said = d.shares()
	s.Asked = d.byte(uint8(min(len(s.Said), 255)))
	s.Open, s.Left = d.byte(provenance.MaxOpen), d.byte(provenance.MaxOpen)
	n := d.count(minArg)
	if n == 0 {
		return
	}
	const chunk = 1024
	if len(d.args) < n {
		d.args = make([]Arg, max(n, min(chunk, len(d.rest)/minArg)))
	}
	s.Args = d.args[:n:n]
	d.args = d.args[n:]
	for i := range s.Args {
		s.Args[i] = Arg{Name: d.share(), Tool: d.share(), Slot: shapes.Slot(d.byte(uint8(shapes.SlotObject))), From: provenance.Origin(d.byte(uint8(provenance.FromWorld))), Back: d.byte(255)}
	}
}
