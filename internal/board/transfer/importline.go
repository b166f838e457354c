package transfer

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/fingerprint"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
)

// exportLine reads the members of a line. It keeps the first deviation from
// the format as its error.
type exportLine struct {
	doc canon.Doc
	err error
}

// parse reads a line, which must be an object.
func (l *exportLine) parse(text []byte) {
	if flaws := l.doc.Parse(text); flaws != nil {
		l.err = fmt.Errorf("it is not strict JSON (%s): found %s", flaws[0].Code, flaws[0].Found)
		return
	}
	if l.doc.Kind(l.doc.Root()) != canon.Object {
		l.err = fmt.Errorf("it is not an object")
	}
}

// only refuses members with other names. Names are case-sensitive.
func (l *exportLine) only(names ...string) {
	if l.err != nil {
		return
	}
	root := l.doc.Root()
	for n := l.doc.First(root); n != canon.None; n = l.doc.Next(root, n) {
		if name := string(l.doc.Key(n)); !slices.Contains(names, name) {
			l.err = fmt.Errorf("%.40q is not a member of this line", name)
			return
		}
	}
}

// member returns the value of a name, which must be of a kind if it exists.
func (l *exportLine) member(name string, kind canon.Kind) canon.Node {
	if l.err != nil {
		return canon.None
	}
	n := l.doc.Member(l.doc.Root(), name)
	if n != canon.None && l.doc.Kind(n) != kind {
		l.err = fmt.Errorf("%s: it must be a %s", name, kind)
		return canon.None
	}
	return n
}

func (l *exportLine) has(name string) bool {
	return l.err == nil && l.doc.Member(l.doc.Root(), name) != canon.None
}

// text returns a required string.
func (l *exportLine) text(name string) string {
	n := l.member(name, canon.String)
	if n == canon.None {
		l.missing(name)
		return ""
	}
	return l.doc.Text(n)
}

func (l *exportLine) missing(name string) {
	if l.err == nil {
		l.err = fmt.Errorf("%s: it is missing", name)
	}
}

// count returns a required non-negative integer.
func (l *exportLine) count(name string) uint64 {
	n := l.member(name, canon.Number)
	if n == canon.None {
		l.missing(name)
		return 0
	}
	v, err := strconv.ParseUint(string(l.doc.Raw(n)), 10, 64)
	if err != nil {
		l.err = fmt.Errorf("%s: it must be a whole number from 0", name)
	}
	return v
}

// hex returns required bytes in lower-case hexadecimal.
func (l *exportLine) hex(name string, size int) []byte {
	s := l.text(name)
	b, err := hex.DecodeString(s)
	if l.err == nil && (err != nil || len(b) != size || strings.ToLower(s) != s) {
		l.err = fmt.Errorf("%s: it must be %d lower-case hexadecimal digits", name, 2*size)
	}
	if l.err != nil {
		return make([]byte, size)
	}
	return b
}

// parseHead reads the first line.
func parseHead(text []byte) (head exportHead, err error) {
	var l exportLine
	l.parse(text)
	if !l.has("lukasa_export") {
		return head, badLine(0, "this is not the head of an export")
	}
	head = exportHead{Export: int(min(l.count("lukasa_export"), 1<<30))}
	if l.err == nil && head.Export > exportFormat {
		return head, fault.Newf(fault.NewerFormat, "the export has format %d; this program knows formats up to %d", head.Export, exportFormat)
	}
	l.only("lukasa_export", "tenant", "size", "root", "directory")
	head.Tenant, head.Size, head.Directory = l.text("tenant"), l.count("size"), l.text("directory")
	head.Root = hex.EncodeToString(l.hex("root", merkle.HashSize))
	if l.err == nil && head.Export == 0 {
		l.err = fmt.Errorf("lukasa_export: there is no format 0")
	}
	if l.err != nil {
		return head, badLine(0, l.err.Error())
	}
	return head, memory.CheckTenant(head.Tenant)
}

// parseRecord parses the record of a line, by the rules that need no other
// line. An erased one has no body.
func parseRecord(text []byte, tenant string) (*board.Entry, error) {
	var l exportLine
	l.parse(text)
	l.only("position", "kind", "trust", "time", "actor", "id", "commitment", "salt", "payload", "payload_base64", "erased")
	h := record.Header{
		Position: l.count("position"), Tenant: tenant, Actor: l.text("actor"),
		ID: record.Hash(l.hex("id", record.HashSize)), Commitment: record.Hash(l.hex("commitment", record.HashSize)),
	}
	kind, trust, when := l.text("kind"), l.text("trust"), l.text("time")
	if l.err != nil {
		return nil, l.err
	}
	if err := h.Kind.UnmarshalText([]byte(kind)); err != nil {
		return nil, err
	}
	if err := h.Trust.UnmarshalText([]byte(trust)); err != nil {
		return nil, err
	}
	t, err := time.Parse(time.RFC3339Nano, when)
	if err != nil || board.TimeOf(t.UnixNano()).Format(time.RFC3339Nano) != when {
		return nil, fmt.Errorf("time: it is not as an export writes it")
	}
	h.Time = t.UnixNano()
	if h.Actor != "" {
		if err := memory.CheckActor(h.Actor); err != nil {
			return nil, err
		}
	}
	e := &board.Entry{Header: h, Record: index.Record{Header: h}}
	if e.Body, err = l.body(); err != nil || e.Body == nil {
		return e, err
	}
	if record.Commit(e.Body) != h.Commitment {
		return nil, fmt.Errorf("commitment: it is not that of this salt and payload")
	}
	e.Record.Payload = e.Body[record.SaltSize:]
	if err := apply.DecodePayload(&e.Record); err != nil {
		return nil, err
	}
	return e, checkOwn(e)
}

// body returns salt and payload, or nil if they were erased.
func (l *exportLine) body() ([]byte, error) {
	if l.has("erased") {
		l.member("erased", canon.True)
		if l.err == nil && (l.has("salt") || l.has("payload") || l.has("payload_base64")) {
			l.err = fmt.Errorf("erased: there is a salt or a payload all the same")
		}
		return nil, l.err
	}
	body := l.hex("salt", record.SaltSize)
	switch {
	case l.err != nil:
	case l.has("payload") && l.has("payload_base64"):
		l.err = fmt.Errorf("payload_base64: there is a payload too")
	case l.has("payload"):
		body = append(body, l.doc.Raw(l.doc.Member(l.doc.Root(), "payload"))...)
	default:
		payload, err := base64.StdEncoding.Strict().DecodeString(l.text("payload_base64"))
		if err != nil {
			return nil, fmt.Errorf("payload_base64: %w", err)
		}
		body = append(body, payload...)
	}
	return body, l.err
}

// checkOwn applies the rules of this board to a record by itself.
func checkOwn(e *board.Entry) error {
	h := &e.Header
	switch {
	case e.Record.Event != nil:
		if e.Record.Event.TenantID != h.Tenant {
			return fmt.Errorf("tenant_id: the event belongs to another tenant than the export")
		}
		if h.ID != record.ID(h.Tenant, record.Event, e.Record.Event.EventID) {
			return fmt.Errorf("id: it is not the digest of the event's id")
		}
		return board.CheckEvent(e.Record.Event, board.SystemWriter(h.Actor))
	case e.Record.Body != nil:
		if id, _ := e.Record.Body.Identity(); id == "" {
			return fmt.Errorf("payload: it has no id")
		}
		switch x := e.Record.Body.(type) {
		case *memory.Refinement:
			switch {
			case x.ID != memory.NewRefinement(x.Model, x.Target, x.Position, "", "").ID:
				return fmt.Errorf("id: it is not that of a refinement of this target and position by this model")
			case x.Position >= h.Position:
				return fmt.Errorf("position: %d is not before the record itself", x.Position)
			case h.Trust != record.External:
				return fmt.Errorf("trust: it is %s, but what a model wrote is trusted as external", h.Trust)
			}
		case *memory.Fingerprint:
			if err := fingerprint.Check([]byte(x.Document)); err != nil {
				return err
			}
		case *memory.Embedding:
			switch {
			case x.ID != memory.NewEmbedding(x.Model, x.Target, x.Position, x.Floats()).ID:
				return fmt.Errorf("id: it is not that of an embedding of this target and position by this model")
			case x.Position >= h.Position:
				return fmt.Errorf("position: %d is not before the record itself", x.Position)
			case !index.IsDocument(x.Target.Kind):
				return fmt.Errorf("target: there are no embeddings of a %s", x.Target.Kind)
			}
		}
		return memory.CheckLinks(h.Tenant, e.Record.Body)
	}
	return nil
}

// aheadOfUs is how far an export's times may lie in this board's future.
const aheadOfUs = 24 * time.Hour

// exportCheck applies the rules about the sequence of records in an export, as
// far as they need no state.
type exportCheck struct {
	head   exportHead
	tree   merkle.Range
	time   int64
	latest int64
	blanks map[uint64]*blank
	key    []byte                   // of the redactions
	things map[catalog.Thing]uint64 // records with a body that is not erased: position of the first
	erased map[catalog.Thing]uint64 // position of the redaction
}

// blank is a record without a body.
type blank struct {
	kind   record.Kind
	id     record.Hash
	erased bool // a later record says so
}

func newExportCheck(head exportHead, now time.Time) *exportCheck {
	return &exportCheck{head: head, latest: now.Add(aheadOfUs).UnixNano(), blanks: make(map[uint64]*blank),
		things: make(map[catalog.Thing]uint64), erased: make(map[catalog.Thing]uint64)}
}

// record checks the next record.
func (c *exportCheck) record(e *board.Entry) error {
	h := &e.Header
	switch n := c.tree.Size(); {
	case h.Position != n:
		return fmt.Errorf("position: records are not in order")
	case n > 0 && h.Time < c.time:
		return fmt.Errorf("time: it is before that of the record in front of it")
	case h.Time > c.latest:
		return fmt.Errorf("time: it is more than a day after this board's clock")
	}
	c.time = h.Time
	c.tree.Append(merkle.LeafHash(h.Append(nil)))
	if e.Body == nil {
		c.blanks[h.Position] = &blank{kind: h.Kind, id: h.ID}
	}
	if err := c.thing(e); err != nil {
		return err
	}
	targets, err := apply.Targets(&e.Record)
	if err != nil {
		return err
	}
	if red, ok := e.Record.Control.(*memory.Redaction); ok {
		if err := c.redaction(e, red); err != nil {
			return err
		}
	}
	for i, t := range targets {
		rule := ""
		switch b := c.blanks[t.Position]; {
		case b == nil && t.Erases:
			rule = "is to be erased, but is not erased in the export"
		case b == nil: // an existing record; its state decides
		case !t.Fits(h.Kind, b.kind, b.id):
			rule = fmt.Sprintf("is another %s than the %s that is named", b.kind, t.Kind)
		case b.erased:
			rule = "was erased before"
		default:
			b.erased = t.Erases
		}
		if rule != "" {
			return &apply.BadTarget{Index: i, Position: t.Position, Rule: rule}
		}
	}
	return nil
}

// thing checks what a record says about a versioned record. One that is
// redacted anywhere in the export has no body left in it.
func (c *exportCheck) thing(e *board.Entry) error {
	h := &e.Header
	switch control := e.Record.Control.(type) {
	case *memory.Tombstone:
		if _, ok := c.things[catalog.ThingOf(h.Tenant, control.Target, control.ID)]; !ok {
			return fmt.Errorf("payload: the %s that it is about is not there", control.Target)
		}
	case *memory.Transition:
		if _, ok := c.things[catalog.ThingOf(h.Tenant, record.Artifact, control.ArtifactID)]; !ok {
			return fmt.Errorf("payload: the artifact that it is about is not there")
		}
	}
	if e.Record.Body == nil {
		return nil
	}
	id, _ := e.Record.Body.Identity()
	thing := catalog.ThingOf(h.Tenant, h.Kind, id)
	if by, ok := c.erased[thing]; ok {
		return fmt.Errorf("payload: this %s was erased by the redaction at position %d", h.Kind, by)
	}
	if _, ok := c.things[thing]; !ok {
		c.things[thing] = h.Position
	}
	return nil
}

// redaction checks which records a redaction names, and its key.
func (c *exportCheck) redaction(e *board.Entry, red *memory.Redaction) error {
	if red.Key != nil {
		if c.key == nil {
			c.key = red.Key
		}
		if !bytes.Equal(c.key, red.Key) {
			return fmt.Errorf("key: it is not the one of this tenant's redactions")
		}
	}
	for i, t := range red.Targets {
		if t.Kind == record.Event {
			continue
		}
		thing := catalog.Thing(t.ID[:16])
		if by, ok := c.erased[thing]; ok && by != e.Header.Position {
			return fmt.Errorf("targets[%d]: the %s was erased by the redaction at position %d", i, t.Kind, by)
		}
		if at, ok := c.things[thing]; ok {
			return fmt.Errorf("targets[%d]: of the %s that is named, position %d is not erased in the export", i, t.Kind, at)
		}
		c.erased[thing] = e.Header.Position
	}
	return nil
}

// end checks the whole export.
func (c *exportCheck) end() error {
	if n := c.tree.Size(); n != c.head.Size {
		return fault.Newf(fault.InvalidDocument, "the export ends after %d of %d records", n, c.head.Size).
			WithFix("import the whole file")
	}
	if got := c.tree.Root(); hex.EncodeToString(got[:]) != c.head.Root {
		return fault.Newf(fault.NotProven, "the records make the root %x, but the export says %s", got, c.head.Root)
	}
	var unexplained []uint64
	for position, b := range c.blanks {
		if !b.erased {
			unexplained = append(unexplained, position)
		}
	}
	if len(unexplained) > 0 {
		return badLine(slices.Min(unexplained)+1, "erased: nothing that follows erases it")
	}
	return nil
}
