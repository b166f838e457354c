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

// DocumentVersion is the version of how documents are made. It is part of the format of
// every fold that stores their content, and grows when the same record may make another
// document. Its own part, the first, is raised for changes here and for another
// built-in model.
const DocumentVersion = 1 + kind.Version + kind.ContentVersion + text.Version

// Document is what can be found by its content: an event, or the current version of a
// versioned record. Its position is its number in every content index.
type Document struct {
	Position uint64
	Kind     record.Kind
	ID       string
	Class    string // an event's type, or the class within a kind
	Time     int64  // when it happened: an event's timestamp, a version's time; nanoseconds
	Trust    record.Trust
	Agent    string // of an event; of a record the agent it is about, or else its writer
	Session  string
	Sequence int64  // of an event
	Speaker  string // the speaker of a message, if it is known
	Times    bool   // its text has words about time
	Tags     []string
	Key      string
	Title    string
	Text     string
	// Importance is from 0 to 1. That of an external event is at most 0.3.
	Importance float64
	// Closer says that visibility or validity depend on the record itself: it is
	// private, or valid for a limited time.
	Closer   bool
	Private  bool          // only for the agent that wrote it
	Entities []kind.Entity // of an event

	// The rest is computed from the above.
	Tokens    []text.Token
	Embedding embed.Embedding // by the built-in model
	// Own is the vector that an event brought with it, and OwnModel the stated model,
	// which may be empty.
	Own      []float64
	OwnModel string

	declared float64 // the declared importance
	about    string  // the agent that a record is about
}

// Doc returns the document of the record, or nil if it has none. It is read once; the
// fields from the header are set by each call, so that the document can be read before
// the record has its position.
func (r *Record) Doc() *Document {
	if r.Document == nil {
		r.Document = ReadDocument(r)
	} else {
		r.Document.head(r)
	}
	return r.Document
}

// IsDocument reports whether records of a kind have documents.
func IsDocument(k record.Kind) bool {
	switch k {
	case record.Event, record.Memory, record.Entity, record.Relation, record.Conflict, record.Policy, record.Artifact:
		return true
	}
	return false
}

// ReadDocument returns the document of a record, or nil if it has none: because of its
// kind, or because it was erased or is unreadable. It depends on the record alone and
// is safe for concurrent use.
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

// Embed returns the vector of a record's document by the built-in model, without
// reading the whole document.
func Embed(r *Record) embed.Embedding {
	d := readEmbedded(r)
	if d == nil {
		return embed.Embedding{}
	}
	return d.embed()
}

// EmbeddedText returns the text that a vector of the record's document is made of, and
// false if it has none.
func EmbeddedText(r *Record) (string, bool) {
	d := readEmbedded(r)
	if d == nil {
		return "", false
	}
	said := d.embedded()
	return joinLines(said[:]...), true
}

// readEmbedded returns the part of a record's document that its vector is made of, or
// nil if it has none.
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

// head sets the fields of a document that come from the header.
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

// externalImportance is the maximum importance that an external event can state.
const externalImportance = 0.3

// readEvent returns the document of an event.
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

// ModelOf returns the stated model of an event's vector, which may be empty.
func ModelOf(ev *hmx.Event) string { return modelOf(ev.Metadata) }

// modelOf returns the model of an event's vector in its metadata, or "".
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

// readThing returns the document of a version. A record that has ended by its status is
// still a document.
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

// joinLines joins the non-empty texts.
func joinLines(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), "\n")
}

// maxStrings is how many bytes of the strings of an artifact's content are read.
const maxStrings = 256 << 10

// stringsOf returns the strings within a JSON value, in order, one per line.
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
			out = out[:len(out)-1] // cut off
		}
	}
	return string(bytes.TrimSuffix(out, []byte{'\n'}))
}

// tokenRoom pools buffers for the tokens of a document.
var tokenRoom = sync.Pool{New: func() any { return new([]text.Token) }}

// maxTokenRoom is the largest buffer that is kept, in tokens.
const maxTokenRoom = 1 << 14

// tokens tokenizes the document's texts.
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
// empty: the words of its key, its title and its text. Tags and the speaker are not
// part of it: they classify a document and are not its content.
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

// keyWords splits a key into words.
var keyWords = strings.NewReplacer("/", " ", "_", " ", "-", " ", ".", " ", ":", " ")

// Changes is the effect of a record on documents.
type Changes struct {
	Add *Document // nil for none
	// Gone are the positions of documents that have ended. One that was erased before
	// it could be read never existed.
	Gone []uint64
}

// Keeper computes for a fold which documents are added and removed. Under the fold's
// own prefix, it keeps the position of the current version of each live record:
//
//	h  tenant, kind, id → position
//
// A forgotten, expired or redacted record has no such row; if it comes back, it is new.
type Keeper struct {
	Prefix byte // of the fold
}

// KeeperTable is the table of a fold that its keeper uses.
const KeeperTable = 'h'

// Changes returns the effect of a record on documents. A fold calls it once per record.
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

// expire returns what an expiry removes: the events that it names, and the current
// versions of records.
func (k Keeper) expire(tx *kv.Txn, r *Record, control *memory.Expiry) (gone []uint64, err error) {
	for _, t := range control.Targets {
		if IsDocument(t.Kind) {
			gone = append(gone, t.Position)
		}
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		thing := Digest(t.Header.ID[:16]) // the payload of the record is lost
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

// end removes the row of a record, and appends the position of its current version.
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

// current appends the position of a record's current version, if it has one.
func (k Keeper) current(tx *kv.Txn, key Key, gone []uint64) ([]uint64, error) {
	var room [8]byte
	v, found, err := tx.Get(key, room[:0])
	if err != nil || !found {
		return gone, err
	}
	if len(v) != 8 {
		return nil, fault.Newf(fault.Damaged, "where a document is cannot be read (%s)", Describe(key)).
			WithFix("`lukasa rebuild` rebuilds the index from the journal")
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
