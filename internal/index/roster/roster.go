// Package roster is the index of the attributes of documents: one row for each, by
// which documents are filtered and ranked without being read.
//
// # Tables
//
//	h        position of the current version of each record, see [index.Keeper]
//	k, l, m  the rows, see package column
//	p        positions of private documents; no value
//
// # What is guaranteed
//
// There is a row for each live document, and none for anything else. Filters are
// exact about kinds, times, trust and sessions. Agents are compared by 64 bits of
// their digests and classes by 32; collisions, which are improbable, count as
// equal. Tags are compared by a signature with false positives, about one in forty
// for a few tags, and without false negatives.
//
// # What is not
//
// The roster does not decide whether a document may be shown or is still valid; a
// flag says that it needs a closer look. It contains no name and no text.
package roster

import (
	"encoding/binary"
	"math"
	"strings"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/column"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/text"
)

// Prefix is the first byte of the fold's keys.
const Prefix = 'R'

const format = 2

// tablePrivate lists private documents.
const tablePrivate = 'p'

// The planes of a row: each condition of a filter reads one of them.
const (
	planeHead     = iota // kind, trust, flags, importance
	planeClass           // digest of the class
	planeTime            // time
	planeAgent           // digest of the agent
	planeSession         // digest of the session
	planeTags            // signature of the tags
	planeSequence        // sequence
	planeSize            // pieces, words
	planeSpeaker         // digest of the speaker
)

var rows = column.Column{Prefix: Prefix, Table: 'k', Width: rowBytes, Planes: []int{4, 4, 8, 8, 16, 8, 8, 6, 8}}

// rowBytes is how long a row is.
const rowBytes = 4 + 4 + 8 + 8 + 16 + 8 + 8 + 6 + 8

// The flags of a row.
const (
	flagCloser   = 1 << iota
	flagQuestion // its text ends with a question mark
	flagOwn      // it came with a vector of its own
	flagTimes    // its text has words about time
	flagPrivate  // only for the agent that wrote it
)

// Row is the attributes of a document.
type Row struct {
	Kind  record.Kind
	Trust record.Trust
	// Closer says that visibility or validity depend on the record itself.
	Closer   bool
	Question bool // its text ends with a question mark
	Own      bool // it came with a vector of its own
	Times    bool // its text has words about time
	Private  bool // only for the agent that wrote it

	Importance float64 // 0 to 1, in steps of 1/255
	Class      Class
	Time       int64 // nanoseconds
	Agent      Agent
	Session    index.Digest // zero if there is none; the digest of the timeline
	Tags       Tags
	Sequence   int64
	Pieces     int // word pieces of its text, at most 65,535
	Words      int // tokens outside of its tags, as the word index counts them
	Speaker    Speaker
}

// Class represents the class of a document: its event type, or its class within a
// kind.
type Class uint32

// ClassOf returns the representation of a class.
func ClassOf(name string) Class { return classOf(index.DigestOf(name)) }

func classOf(d index.Digest) Class { return Class(binary.LittleEndian.Uint32(d[:])) }

// Agent represents an agent.
type Agent uint64

// AgentOf returns the representation of an agent.
func AgentOf(name string) Agent { return agentOf(index.DigestOf(name)) }

func agentOf(d index.Digest) Agent { return Agent(binary.LittleEndian.Uint64(d[:])) }

// Speaker represents a speaker; zero for none.
type Speaker uint64

// SpeakerOf returns the representation of a speaker, in any spelling.
func SpeakerOf(name string) Speaker {
	if name = kind.NormalName(kind.EntityPerson, name); name == "" {
		return 0
	}
	return speakerOf(index.DigestOf(name))
}

func speakerOf(d index.Digest) Speaker { return Speaker(binary.LittleEndian.Uint64(d[:]) | 1) }

// Tags is the signature of a set of tags: two bits for each.
type Tags uint64

// TagOf returns the signature of one tag.
func TagOf(name string) Tags { return tagOf(index.DigestOf(name)) }

func tagOf(d index.Digest) Tags { return 1<<(d[0]&63) | 1<<(d[1]&63) }

// Has reports whether a tag may be in the set.
func (t Tags) Has(tag Tags) bool { return t&tag == tag }

// append appends the stored form of the row.
func (x *Row) append(dst []byte) []byte {
	var flags byte
	if x.Closer {
		flags |= flagCloser
	}
	if x.Question {
		flags |= flagQuestion
	}
	if x.Own {
		flags |= flagOwn
	}
	if x.Times {
		flags |= flagTimes
	}
	if x.Private {
		flags |= flagPrivate
	}
	dst = append(dst, byte(x.Kind), byte(x.Trust), flags, importanceByte(x.Importance))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(x.Class))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(x.Time))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(x.Agent))
	dst = append(dst, x.Session[:]...)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(x.Tags))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(x.Sequence))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(min(x.Pieces, math.MaxUint16)))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(min(x.Words, math.MaxInt32)))
	return binary.LittleEndian.AppendUint64(dst, uint64(x.Speaker))
}

// importanceByte encodes an importance in one byte.
func importanceByte(v float64) byte {
	if !(v > 0) {
		return 0
	}
	return byte(math.Round(min(v, 1) * 255))
}

// rowOf reads row i of a chunk.
func rowOf(c *column.Chunk, i int) Row {
	head, size := c.Plane(planeHead)[4*i:], c.Plane(planeSize)[6*i:]
	return Row{
		Kind: record.Kind(head[0]), Trust: record.Trust(head[1]),
		Closer: head[2]&flagCloser != 0, Question: head[2]&flagQuestion != 0, Own: head[2]&flagOwn != 0, Times: head[2]&flagTimes != 0,
		Private:    head[2]&flagPrivate != 0,
		Importance: float64(head[3]) / 255,
		Class:      Class(binary.LittleEndian.Uint32(c.Plane(planeClass)[4*i:])),
		Time:       int64(binary.LittleEndian.Uint64(c.Plane(planeTime)[8*i:])),
		Agent:      Agent(binary.LittleEndian.Uint64(c.Plane(planeAgent)[8*i:])),
		Session:    index.Digest(c.Plane(planeSession)[16*i:]),
		Tags:       Tags(binary.LittleEndian.Uint64(c.Plane(planeTags)[8*i:])),
		Sequence:   int64(binary.LittleEndian.Uint64(c.Plane(planeSequence)[8*i:])),
		Pieces:     int(binary.LittleEndian.Uint16(size)),
		Words:      int(binary.LittleEndian.Uint32(size[2:])),
		Speaker:    Speaker(binary.LittleEndian.Uint64(c.Plane(planeSpeaker)[8*i:])),
	}
}

// Roster is the fold. It keeps the changes of the current group in memory.
type Roster struct {
	keeper index.Keeper
	writer *column.Writer
	names  map[string]index.Digest // digests of names seen lately
	room   []byte
}

// maxNames limits the cache of digests.
const maxNames = 4096

// New returns the fold.
func New() *Roster {
	return &Roster{keeper: index.Keeper{Prefix: Prefix}, writer: column.NewWriter(rows), names: make(map[string]index.Digest)}
}

// Name is the fold's name.
func (x *Roster) Name() string { return "roster" }

// Prefix is the first byte of the fold's keys.
func (x *Roster) Prefix() byte { return Prefix }

// Format is the number of the fold's layout, and of how documents are made.
func (x *Roster) Format() uint32 { return format<<16 | index.DocumentVersion }

// Reset drops the current group.
func (x *Roster) Reset() { x.writer.Reset() }

// Finish writes the changes of the group.
func (x *Roster) Finish(tx *kv.Txn) error { return x.writer.Finish(tx) }

// Apply adds a document, and removes those that have ended.
func (x *Roster) Apply(tx *kv.Txn, r *index.Record) error {
	changes, err := x.keeper.Changes(tx, r)
	if err != nil {
		return err
	}
	for _, position := range changes.Gone {
		if err := x.writer.Remove(tx, r.Tenant, position, r.Header.Position); err != nil {
			return err
		}
		if err := tx.Delete(privateKey(r.Tenant, position)); err != nil {
			return err
		}
	}
	if changes.Add != nil {
		row := x.rowOf(changes.Add)
		x.room = row.append(x.room[:0])
		if err := x.writer.Set(tx, r.Tenant, r.Header.Position, x.room); err != nil {
			return err
		}
		if row.Private {
			if err := tx.Set(privateKey(r.Tenant, r.Header.Position), nil); err != nil {
				return err
			}
		}
	}
	return x.writer.Pass(tx, r.Tenant, r.Header.Position)
}

func privateKey(tenant uint32, position uint64) []byte {
	return index.NewKey(nil, Prefix, tablePrivate, tenant).Uint64(position)
}

// rowOf returns the row of a document.
func (x *Roster) rowOf(d *index.Document) Row {
	row := Row{
		Kind: d.Kind, Trust: d.Trust, Closer: d.Closer, Question: asks(d), Own: len(d.Own) > 0,
		Importance: d.Importance, Class: classOf(x.digest(d.Class)), Time: d.Time,
		Agent: agentOf(x.digest(d.Agent)), Sequence: d.Sequence, Pieces: d.Embedding.Pieces, Words: words(d),
	}
	row.Times, row.Private = d.Times, d.Private
	if name := kind.NormalName(kind.EntityPerson, d.Speaker); name != "" {
		row.Speaker = speakerOf(x.digest(name))
	}
	if d.Session != "" {
		row.Session = x.digest(d.Session)
	}
	for _, tag := range d.Tags {
		row.Tags |= tagOf(x.digest(tag))
	}
	return row
}

// asks reports whether a document ends with a question mark, ignoring parentheses
// after it.
func asks(d *index.Document) bool {
	said := d.Text
	if said == "" {
		said = d.Title
	}
	const space = " \t\r\n"
	said = strings.TrimRight(said, space)
	if strings.HasSuffix(said, ")") {
		if i := strings.LastIndexByte(said, '('); i > 0 {
			said = said[:i]
		}
	}
	said = strings.TrimRight(said, space+"\"'”’»)*_`")
	for _, mark := range [...]string{"?", "？", "؟"} {
		if strings.HasSuffix(said, mark) {
			return true
		}
	}
	return false
}

// words counts the tokens of a document outside of its tags.
func words(d *index.Document) (n int) {
	for i := range d.Tokens {
		if d.Tokens[i].Field != text.FieldTags {
			n++
		}
	}
	return n
}

// digest is index.DigestOf with a cache.
func (x *Roster) digest(name string) index.Digest {
	if d, ok := x.names[name]; ok {
		return d
	}
	if len(x.names) >= maxNames {
		clear(x.names)
	}
	d := index.DigestOf(name)
	x.names[strings.Clone(name)] = d
	return d
}

var _ index.Fold = (*Roster)(nil)
