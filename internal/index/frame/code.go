package frame

import (
	"encoding/binary"
	"errors"
	"math"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// The value of a card:
//
//	layout    1 byte, 1
//	flags     1 byte, below
//	kind      1 byte
//	version   uvarint
//	created   8 bytes, big-endian
//
// and, unless it is gone:
//
//	trust     1 byte
//	outcome   1 byte: its place in memory.Outcomes from 1, or 0
//	importance  8 bytes, IEEE 754, big-endian
//	updated   varint, less created
//	position, uses, wins, losses  uvarints
//	valid from, valid until, expires  varints, those that a flag announces
//	sequence  varint, and timestamp, varint less created: of an event
//	tokens of the medium form, and of the short one unless they are the same: uvarints
//	number of agents, tags and frames: uvarints
//	id, key, class, status, actor, agent, session, medium, short unless it is the
//	same, agents, tags, frames: uvarint length and bytes each
//
// Varints are minimal and nothing follows, so that a card has one encoding.
const layout = 1

const (
	flagGone    = 1 << iota // nothing but kind, version and age is left
	flagPrivate             // to its actor
	flagPinned              // every agent reads it
	flagOneForm             // the short form is the medium one
	flagFrom                // it holds from some time on
	flagUntil               // it holds until some time
	flagExpires             // it ends
	flagScoped              // it holds in its validity scope only
)

// errCard is the error for an unreadable card.
var errCard = errors.New("it is cut short, too long, or of another layout")

// encode appends the card's value to dst.
func (c *Card) encode(dst []byte) []byte {
	flags := byte(0)
	flag := func(bit byte, set bool) {
		if set {
			flags |= bit
		}
	}
	one := c.Short == c.Medium && c.ShortTokens == c.MediumTokens
	flag(flagGone, c.gone)
	if !c.gone {
		flag(flagPrivate, c.Private)
		flag(flagPinned, c.Pinned)
		flag(flagOneForm, one)
		flag(flagFrom, c.ValidFrom != math.MinInt64)
		flag(flagUntil, c.ValidUntil != math.MaxInt64)
		flag(flagExpires, c.Expires != math.MaxInt64)
		flag(flagScoped, c.Scoped)
	}
	dst = append(dst, layout, flags, byte(c.Kind))
	dst = binary.AppendUvarint(dst, uint64(c.Version))
	dst = binary.BigEndian.AppendUint64(dst, uint64(c.Created))
	if c.gone {
		return dst
	}
	dst = append(dst, byte(c.Trust), outcomeByte(c.Outcome))
	dst = binary.BigEndian.AppendUint64(dst, math.Float64bits(c.Importance))
	dst = binary.AppendVarint(dst, c.Updated-c.Created)
	dst = binary.AppendUvarint(dst, c.Position)
	if flags&flagFrom != 0 {
		dst = binary.AppendVarint(dst, c.ValidFrom)
	}
	if flags&flagUntil != 0 {
		dst = binary.AppendVarint(dst, c.ValidUntil)
	}
	if flags&flagExpires != 0 {
		dst = binary.AppendVarint(dst, c.Expires)
	}
	if c.Kind == record.Event {
		dst = binary.AppendVarint(dst, c.Sequence)
		dst = binary.AppendVarint(dst, c.Timestamp-c.Created)
	}
	dst = binary.AppendUvarint(dst, uint64(c.MediumTokens))
	if !one {
		dst = binary.AppendUvarint(dst, uint64(c.ShortTokens))
	}
	for _, list := range [...][]string{c.Agents, c.Tags, c.Frames} {
		dst = binary.AppendUvarint(dst, uint64(len(list)))
	}
	for _, s := range [...]string{c.ID, c.Key, c.Class, c.Status, c.Actor, c.Agent, c.Session, c.Medium} {
		dst = appendString(dst, s)
	}
	if !one {
		dst = appendString(dst, c.Short)
	}
	for _, list := range [...][]string{c.Agents, c.Tags, c.Frames} {
		for _, s := range list {
			dst = appendString(dst, s)
		}
	}
	return dst
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// decode reads the output of encode, and refuses anything else. The card must be
// zero; its strings share one copy of v.
func (c *Card) decode(v []byte) error {
	d := reader{bytes: v}
	if d.byte() != layout {
		return errCard
	}
	flags := d.byte()
	c.Kind, c.Version, c.Created = record.Kind(d.byte()), uint32(d.atMost(math.MaxUint32)), int64(d.fixed())
	if flags&flagGone != 0 {
		if c.gone = true; flags != flagGone {
			return errCard
		}
		return d.end()
	}
	c.Private, c.Pinned, c.Scoped = flags&flagPrivate != 0, flags&flagPinned != 0, flags&flagScoped != 0
	c.Trust = record.Trust(d.byte())
	outcome, known := outcomeAt(d.byte())
	c.Outcome = outcome
	c.Importance = math.Float64frombits(d.fixed())
	c.Updated = c.Created + d.varint()
	c.Position = d.uvarint()
	c.ValidFrom, c.ValidUntil, c.Expires = math.MinInt64, math.MaxInt64, math.MaxInt64
	if flags&flagFrom != 0 {
		c.ValidFrom = d.varintBut(math.MinInt64)
	}
	if flags&flagUntil != 0 {
		c.ValidUntil = d.varintBut(math.MaxInt64)
	}
	if flags&flagExpires != 0 {
		c.Expires = d.varintBut(math.MaxInt64)
	}
	if c.Kind == record.Event {
		c.Sequence = d.varint()
		c.Timestamp = c.Created + d.varint()
	}
	one := flags&flagOneForm != 0
	c.MediumTokens = int(d.atMost(math.MaxInt32))
	c.ShortTokens = c.MediumTokens
	if !one {
		c.ShortTokens = int(d.atMost(math.MaxInt32))
	}
	// Each string takes at least a byte, so that missing ones allocate nothing.
	room := uint64(len(v))
	agents, tags, frames := d.atMost(room), d.atMost(room), d.atMost(room)
	if d.failed || !known || agents+tags+frames > room {
		return errCard
	}
	d.text, d.before = string(v[d.at:]), d.at
	c.ID, c.Key, c.Class, c.Status, c.Actor, c.Agent, c.Session, c.Medium = d.string(), d.string(), d.string(), d.string(), d.string(), d.string(), d.string(), d.string()
	c.Short = c.Medium
	if !one {
		c.Short = d.string()
		if c.Short == c.Medium && c.ShortTokens == c.MediumTokens {
			return errCard
		}
	}
	if total := agents + tags + frames; total > 0 {
		list := make([]string, total)
		for i := range list {
			list[i] = d.string()
		}
		c.Agents, c.Tags, c.Frames = part(list, 0, agents), part(list, agents, agents+tags), part(list, agents+tags, total)
	}
	return d.end()
}

// part returns list[from:to], or nil if that is empty.
func part(list []string, from, to uint64) []string {
	if from == to {
		return nil
	}
	return list[from:to:to]
}

// reader reads numbers and strings from the front of a value. Once data is
// missing, it has failed, and its results are meaningless.
type reader struct {
	bytes  []byte
	at     int
	text   string // the bytes of before as a string
	before int
	failed bool
}

func (d *reader) byte() byte {
	if d.at >= len(d.bytes) {
		d.failed = true
		return 0
	}
	d.at++
	return d.bytes[d.at-1]
}

func (d *reader) fixed() uint64 {
	if len(d.bytes)-d.at < 8 {
		d.failed = true
		return 0
	}
	d.at += 8
	return binary.BigEndian.Uint64(d.bytes[d.at-8:])
}

func (d *reader) uvarint() uint64 {
	if d.at < len(d.bytes) && d.bytes[d.at] < 0x80 {
		d.at++
		return uint64(d.bytes[d.at-1])
	}
	return d.longUvarint()
}

func (d *reader) longUvarint() uint64 {
	v, n := binary.Uvarint(d.bytes[d.at:])
	if n <= 0 || d.bytes[d.at+n-1] == 0 {
		d.failed = true
		return 0
	}
	d.at += n
	return v
}

func (d *reader) varint() int64 {
	u := d.uvarint()
	v := int64(u >> 1)
	if u&1 != 0 {
		v = ^v
	}
	return v
}

// varintBut is varint for a field that is only written if it differs from v.
func (d *reader) varintBut(v int64) int64 {
	got := d.varint()
	d.failed = d.failed || got == v
	return got
}

// atMost is uvarint with a limit.
func (d *reader) atMost(limit uint64) uint64 {
	v := d.uvarint()
	if v > limit {
		d.failed = true
		return 0
	}
	return v
}

// string returns a part of text.
func (d *reader) string() string {
	n := d.uvarint()
	if n == 0 {
		return ""
	}
	if n > uint64(len(d.bytes)-d.at) {
		d.failed = true
		return ""
	}
	from := d.at - d.before
	d.at += int(n)
	return d.text[from : from+int(n)]
}

// end returns the error, which includes unread bytes.
func (d *reader) end() error {
	if d.failed || d.at < len(d.bytes) {
		return errCard
	}
	return nil
}

// outcomeByte returns the byte of an outcome, 0 for none.
func outcomeByte(o memory.Outcome) byte {
	for i, known := range memory.Outcomes() {
		if o == known {
			return byte(i + 1)
		}
	}
	return 0
}

func outcomeAt(b byte) (memory.Outcome, bool) {
	all := memory.Outcomes()
	if b == 0 || int(b) > len(all) {
		return "", b == 0
	}
	return all[b-1], true
}
