package index

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/text"
)

// DocumentVersion is the number of how documents are made. It is part of the format
// of every fold that keeps what they say, and grows when the same record may make
// another document. Its own part, the first, is raised for what changes here and for
// another built-in model.
const DocumentVersion = 1 + kind.Version + kind.ContentVersion + text.Version

// Document is what can be found by its content: an event, or the current version
// of a thing. Its position is its number in every index of content.
type Document struct {
	Position uint64
	Kind     record.Kind
	ID       string
	Class    string // an event's type, or the sort of thing within its kind
	Time     int64  // when it happened: an event's timestamp, a version's time; nanoseconds
	Trust    record.Trust
	Agent    string // of an event; of a thing whom it is about, or else who wrote it
	Session  string
	Sequence int64  // of an event
	Speaker  string // who says it, of a message that tells
	Times    bool   // its text has words that tell when
	Tags     []string
	Key      string
	Title    string
	Text     string
	// Importance is from 0 to 1. That of an event from outside is no more than 0.3.
	Importance float64
	// Closer says that whether it may be shown, or still holds, takes a look at the
	// thing itself: it is private, or holds for a time only.
	Closer   bool
	Private  bool          // it is for the agent that wrote it alone
	Entities []kind.Entity // of an event

	// What follows is computed from the above.
	Tokens    []text.Token
	Embedding embed.Embedding // by the built-in model
	// Own is the vector that an event brought with it, and OwnModel what it says
	// made it, which may be nothing.
	Own      []float64
	OwnModel string

	declared float64 // the importance that was declared
	about    string  // the agent that a thing is about
}

// Doc returns the document that the record brings, or nil if it brings none. It is
// read once, and what the header says of it is set anew with each call, so that it
// can be read before the record has its place.
func (r *Record) Doc() *Document {
	if r.Document == nil {
		r.Document = ReadDocument(r)
	} else {
		r.Document.head(r)
	}
	return r.Document
}

// IsDocument reports whether records of a kind bring documents.
func IsDocument(k record.Kind) bool {
	switch k {
	case record.Event, record.Memory, record.Entity, record.Relation, record.Conflict, record.Policy, record.Artifact:
		return true
	}
	return false
}

// ReadDocument returns the document that a record brings, or nil if it brings none:
// because of its kind, or because it was erased or cannot be read. It depends on
// the record alone and may be called by several goroutines.
func ReadDocument(r *Record) *Document {
	var d *Document
	switch {
	case r.Event != nil:
		d = readEvent(r)
	case r.Body != nil && IsDocument(r.Body.Kind()):
		d = readThing(r.Body)
	default:
		return nil
	}
	d.Tokens = d.tokens()
	d.Times = tellsWhen(d.Tokens)
	d.Embedding = d.embed()
	d.head(r)
	return d
}

// Embed returns the vector of the document that a record brings, by the built-in
// model, at less cost than that of reading the whole document.
func Embed(r *Record) embed.Embedding {
	d := readEmbedded(r)
	if d == nil {
		return embed.Embedding{}
	}
	return d.embed()
}

// EmbeddedText returns the text that a vector of the document is made of which a
// record brings, and false if it brings none.
func EmbeddedText(r *Record) (string, bool) {
	d := readEmbedded(r)
	if d == nil {
		return "", false
	}
	said := d.embedded()
	return joinLines(said[:]...), true
}

// readEmbedded returns of the document that a record brings what its vector is made of,
// or nil if it brings none.
func readEmbedded(r *Record) *Document {
	switch {
	case r.Event != nil:
		said := kind.ReadContent(r.Event)
		return &Document{Title: said.Title, Text: said.Text, Speaker: said.Speaker}
	case r.Body != nil && IsDocument(r.Body.Kind()):
		return readThing(r.Body)
	}
	return nil
}

// head sets what a record's header says of its document.
func (d *Document) head(r *Record) {
	d.Position, d.Trust, d.Importance = r.Header.Position, r.Header.Trust, d.declared
	if d.Kind == record.Event {
		if d.Trust <= record.External {
			d.Importance = min(d.Importance, externalImportance)
		}
		return
	}
	d.Time, d.Agent = r.Header.Time, d.about
	if d.Agent == "" {
		d.Agent = r.Header.Actor
	}
}

// externalImportance is the most that an event from outside can say it matters.
const externalImportance = 0.3

// readEvent returns what an event says.
func readEvent(r *Record) *Document {
	ev := r.Event
	said, entities, known := r.Reading.Content()
	if !known {
		said, entities = kind.ReadContentEntities(ev)
	}
	d := &Document{
		Kind: record.Event, ID: ev.EventID, Class: string(ev.EventType), Time: Nanos(ev.Timestamp.Time()),
		Agent: ev.AgentID, Session: ev.SessionID, Sequence: ev.Sequence, Tags: ev.Tags,
		Title: said.Title, Text: said.Text, Speaker: said.Speaker, Closer: ev.TTLSeconds.Set, Entities: entities,
		Own: ev.Embeddings,
	}
	if r.Reading != nil {
		d.declared = r.Reading.Importance
	} else {
		d.declared = kind.Read(ev).Importance
	}
	if len(d.Own) > 0 {
		d.OwnModel = modelOf(ev.Metadata)
	}
	return d
}

// ModelOf returns what an event says made its vector, which may be nothing.
func ModelOf(ev *hmx.Event) string { return modelOf(ev.Metadata) }

// modelOf returns what the metadata of an event says made its vector, or nothing.
func modelOf(metadata hmx.Raw) string {
	var doc canon.Doc
	if doc.Parse([]byte(metadata)); !doc.Complete() || doc.Kind(doc.Root()) != canon.Object {
		return ""
	}
	n := doc.Member(doc.Root(), "embedding_model")
	if n == canon.None || doc.Kind(n) != canon.String {
		return ""
	}
	return doc.Text(n)
}

// readThing returns what a version of a thing says. What is over by its status is a
// document still.
func readThing(body memory.Body) *Document {
	f := body.Facets()
	d := &Document{
		Kind: body.Kind(), Class: f.Class, Session: f.Session, Tags: f.Tags, declared: f.Importance, about: f.Agent,
		Private: f.Visibility == memory.VisiblePrivate,
		Closer:  f.Visibility == memory.VisiblePrivate || f.ValidFrom != math.MinInt64 || f.ValidUntil != math.MaxInt64 || f.TTL > 0,
	}
	d.ID, d.Key = body.Identity()
	switch b := body.(type) {
	case *memory.Memory:
		d.Text = b.Text
	case *memory.Policy:
		d.Text = b.Text
	case *memory.Entity:
		d.Title, d.Text = strings.Join(f.Names, "\n"), b.Description
	case *memory.Relation:
		d.Title, d.Text = b.Predicate, b.From+" "+b.Predicate+" "+b.To
	case *memory.Conflict:
		d.Text = joinLines(b.Summary, b.Resolution)
	case *memory.Artifact:
		d.Title, d.Text = b.HMX.Title, joinLines(b.HMX.Summary, stringsOf(b.HMX.Content))
	}
	return d
}

// joinLines joins texts that are not empty.
func joinLines(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), "\n")
}

// maxStrings is how many bytes of the strings of an artifact's content are read.
const maxStrings = 256 << 10

// stringsOf returns the strings within a JSON value, in their order, a line each.
func stringsOf(raw hmx.Raw) string {
	var doc canon.Doc
	if doc.Parse([]byte(raw)); !doc.Complete() {
		return ""
	}
	var out []byte
	root := doc.Root()
	for n := root; n < doc.After(root) && len(out) < maxStrings; n++ {
		if doc.Kind(n) != canon.String {
			continue
		}
		before := len(out)
		if out = doc.AppendString(out, n); len(out) > before {
			out = append(out, '\n')
		}
	}
	if len(out) > maxStrings {
		out = out[:maxStrings]
		for r, size := utf8.DecodeLastRune(out); r == utf8.RuneError && size == 1; r, size = utf8.DecodeLastRune(out) {
			out = out[:len(out)-1] // cut short
		}
	}
	return string(bytes.TrimSuffix(out, []byte{'\n'}))
}

// tokenRoom is room for the tokens of a document, until it is known how many there are.
var tokenRoom = sync.Pool{New: func() any { return new([]text.Token) }}

// maxTokenRoom is the most tokens for which room is kept.
const maxTokenRoom = 1 << 14

// tokens takes the document's texts apart.
func (d *Document) tokens() []text.Token {
	room := tokenRoom.Get().(*[]text.Token)
	list := text.Analyze((*room)[:0], text.FieldKey, d.Key)
	list = text.Analyze(list, text.FieldTitle, d.Title)
	list = text.Analyze(list, text.FieldText, d.Text)
	if len(d.Tags) > 0 {
		list = text.Analyze(list, text.FieldTags, strings.Join(d.Tags, "\n"))
	}
	if cap(list) > maxTokenRoom {
		return list
	}
	*room = list
	defer tokenRoom.Put(room)
	return append([]text.Token(nil), list...)
}

// embedded is the texts that the document's vector is made of, each of which may be
// empty: the words of its key, its title and its text. Tags are not part of it, nor is
// who says it: they say where something belongs, not what it says.
func (d *Document) embedded() [3]string {
	said := d.Text
	if d.Speaker != "" && strings.HasPrefix(said, d.Speaker) {
		if rest, ok := strings.CutPrefix(said[len(d.Speaker):], ": "); ok {
			said = rest
		}
	}
	key := d.Key
	if key != "" {
		key = keyWords.Replace(key)
	}
	return [...]string{key, d.Title, said}
}

// embed returns the document's vector by the built-in model.
func (d *Document) embed() embed.Embedding {
	said := d.embedded()
	return embed.Builtin().Embed(nil, said[:]...)
}

// keyWords takes a key apart into words.
var keyWords = strings.NewReplacer("/", " ", "_", " ", "-", " ", ".", " ", ":", " ")

// Changes is what a record does to documents.
type Changes struct {
	Add *Document // nil for none
	// Gone are the positions of documents that are no more. One that was erased
	// before it could be read never was there.
	Gone []uint64
}

// Keeper tells a fold which documents come and go. It keeps, under the fold's own
// prefix, where the current version of each live thing is:
//
//	h  tenant, kind, id → position
//
// A thing that is forgotten, expired or redacted has no such row; should it come
// back, it is new.
type Keeper struct {
	Prefix byte // of the fold
}

// KeeperTable is the table of a fold that its keeper uses.
const KeeperTable = 'h'

// Changes returns what a record does to documents. A fold asks once for each record.
func (k Keeper) Changes(tx *kv.Txn, r *Record) (Changes, error) {
	if d := r.Doc(); d != nil {
		c := Changes{Add: d}
		if d.Kind == record.Event {
			return c, nil
		}
		key := k.key(r.Tenant, d.Kind, thingOf(r.Header.Tenant, d.Kind, d.ID))
		var err error
		if c.Gone, err = k.current(tx, key, nil); err != nil {
			return Changes{}, err
		}
		return c, tx.Set(key, Key(nil).Uint64(d.Position))
	}
	var gone []uint64
	var err error
	switch control := r.Control.(type) {
	case *memory.Tombstone:
		gone, err = k.end(tx, r.Tenant, control.Target, thingOf(r.Header.Tenant, control.Target, control.ID), nil)
	case *memory.Redaction:
		for _, t := range control.Targets {
			if !IsDocument(t.Kind) {
				continue
			}
			gone = append(gone, t.Position)
			if t.Kind != record.Event {
				if gone, err = k.end(tx, r.Tenant, t.Kind, Digest(t.ID[:16]), gone); err != nil {
					break
				}
			}
		}
	case *memory.Expiry:
		gone, err = k.expire(tx, r, control)
	}
	if err != nil {
		return Changes{}, err
	}
	slices.Sort(gone)
	return Changes{Gone: slices.Compact(gone)}, nil
}

// expire returns what an expiry takes away: the records that it names, and of things
// what is current, which they are.
func (k Keeper) expire(tx *kv.Txn, r *Record, control *memory.Expiry) (gone []uint64, err error) {
	for _, t := range control.Targets {
		if IsDocument(t.Kind) {
			gone = append(gone, t.Position)
		}
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		thing := Digest(t.Header.ID[:16]) // of one whose payload is lost
		if t.Body != nil {
			id, _ := t.Body.Identity()
			thing = thingOf(r.Header.Tenant, t.Header.Kind, id)
		}
		if t.Header.Kind == record.Event || !IsDocument(t.Header.Kind) {
			continue
		}
		if gone, err = k.end(tx, r.Tenant, t.Header.Kind, thing, gone); err != nil {
			return nil, err
		}
	}
	return gone, nil
}

// end takes the row of a thing out, and appends where its current version is.
func (k Keeper) end(tx *kv.Txn, tenant uint32, kind record.Kind, thing Digest, gone []uint64) ([]uint64, error) {
	if kind == record.Event || !IsDocument(kind) {
		return gone, nil
	}
	key := k.key(tenant, kind, thing)
	more, err := k.current(tx, key, gone)
	if err != nil || len(more) == len(gone) {
		return gone, err
	}
	return more, tx.Delete(key)
}

// current appends where the current version of a thing is, if it has one.
func (k Keeper) current(tx *kv.Txn, key Key, gone []uint64) ([]uint64, error) {
	var room [8]byte
	v, found, err := tx.Get(key, room[:0])
	if err != nil || !found {
		return gone, err
	}
	if len(v) != 8 {
		return nil, fault.Newf(fault.Damaged, "where a document is cannot be read (%s)", Describe(key)).
			WithFix("`lukasa rebuild` makes the index anew from the journal")
	}
	return append(gone, Uint64At(v)), nil
}

func (k Keeper) key(tenant uint32, kind record.Kind, thing Digest) Key {
	return NewKey(make([]byte, 0, 32), k.Prefix, KeeperTable, tenant).Byte(byte(kind)).Digest(thing)
}

// thingOf returns the digest of an id of a kind within a tenant.
func thingOf(tenant string, kind record.Kind, id string) Digest {
	sum := record.ID(tenant, kind, id)
	return Digest(sum[:16])
}
