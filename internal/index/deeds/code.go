package deeds

import (
	"encoding/binary"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/trace"
)

// A glance has one encoding: sort (1), flags (2), state and four times the outcome (1),
// hash of the event's id (8), then what the flags announce: hashes of the call, the
// parent, the correlation and the target (8 each), tool, shape and error, each with its
// length (uvarint).
const (
	flagKnown = 1 << iota
	flagSpoke
	flagSpoke2
	flagLeaves
	flagNext
	flagNamed
	flagCommand
	flagLater
	flagCall
	flagParent
	flagCorrelation
	flagTarget
	flagTool
	flagShape
	flagError
	flagEnd
)

const glanceHead = 12

// truths are the boolean fields of a glance, in the order of their flags; hashes and
// texts likewise.
func truths(g *trace.Glance) [8]*bool {
	return [...]*bool{&g.Known, &g.Spoke, &g.Spoke2, &g.Leaves, &g.Next, &g.Named, &g.Command, &g.Later}
}

func hashes(g *trace.Glance) [4]*uint64 {
	return [...]*uint64{&g.Call, &g.Parent, &g.Correlation, &g.Target}
}

func texts(g *trace.Glance) [3]*string { return [...]*string{&g.Tool, &g.Shape, &g.Error} }

// appendGlance appends the encoding of a glance.
func appendGlance(dst []byte, g *trace.Glance) []byte {
	flags := uint16(0)
	for i, t := range truths(g) {
		if *t {
			flags |= flagKnown << i
		}
	}
	for i, h := range hashes(g) {
		if *h != 0 {
			flags |= flagCall << i
		}
	}
	for i, t := range texts(g) {
		if *t != "" {
			flags |= flagTool << i
		}
	}
	dst = append(dst, byte(g.Sort), byte(flags>>8), byte(flags), byte(g.State)|byte(g.Outcome)<<2)
	dst = binary.BigEndian.AppendUint64(dst, g.Event)
	for _, h := range hashes(g) {
		if *h != 0 {
			dst = binary.BigEndian.AppendUint64(dst, *h)
		}
	}
	for _, t := range texts(g) {
		if *t != "" {
			dst = binary.AppendUvarint(dst, uint64(len(*t)))
			dst = append(dst, *t...)
		}
	}
	return dst
}

// readGlance reads the encoding of a glance into g.
func readGlance(v []byte, g *trace.Glance) error {
	*g = trace.Glance{}
	if len(v) < glanceHead {
		return errGlance()
	}
	flags := binary.BigEndian.Uint16(v[1:])
	g.Sort, g.State, g.Outcome = trace.GlanceSort(v[0]), trace.State(v[3]&3), trace.Outcome(v[3]>>2)
	g.Event = binary.BigEndian.Uint64(v[4:])
	if g.Sort > trace.GlanceOwn || g.State > trace.Denied || g.Outcome > trace.Failed || flags >= flagEnd {
		return errGlance()
	}
	v = v[glanceHead:]
	for i, t := range truths(g) {
		*t = flags&(flagKnown<<i) != 0
	}
	for i, h := range hashes(g) {
		if flags&(flagCall<<i) == 0 {
			continue
		}
		if len(v) < 8 {
			return errGlance()
		}
		*h, v = binary.BigEndian.Uint64(v), v[8:]
	}
	for i, t := range texts(g) {
		if flags&(flagTool<<i) == 0 {
			continue
		}
		n, size := binary.Uvarint(v)
		if size <= 0 || n > uint64(len(v)-size) {
			return errGlance()
		}
		*t, v = string(v[size:size+int(n)]), v[size+int(n):]
	}
	if len(v) > 0 {
		return errGlance()
	}
	return nil
}

func errGlance() error {
	return fault.New(fault.Damaged, "a row of the index of deeds cannot be read")
}
