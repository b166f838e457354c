// Package graph is the index of the names in documents: names, the documents that
// mention them, and their relations.
//
// A node is a type and a name, normalised by [kind.NormalName]: a person, a file, a
// function. Events mention the nodes that package kind finds in them, and other
// documents those that it finds in their text. An entity defines a node for its name
// and one for each other name, and is a document that mentions them. A relation is
// an edge between two entities.
//
// # Tables
//
//	d  tenant, position                        → the names in the document, or its relation
//	n  tenant, name, type                      → how many documents mention the node
//	m  tenant, name, type, position, bits inverted → nothing: newest mention first
//	f  tenant, name, type, position            → the entity that defines the node
//	i  tenant, entity, position                → nothing: the position of an entity
//	r  tenant, entity, position, entity        → the weight of a relation, and its validity
//	s  tenant                                  → how many documents mention anything
//	h  see [index.Keeper]
//
// A name in a key is a digest of 16 bytes, a type one of 4, and an entity that of
// its id. A relation has two rows, one for each end.
//
// # What is guaranteed
//
// Counts are exact: that of a node is the number of documents that mention it now,
// and a node without any does not exist. The tables are a function of the current
// documents, so grouping does not matter, nor whether a document was removed or
// never existed. The spelling of a name is stored with each document; that of a node
// is the one in its newest document.
//
// Every read is limited to a number of rows, and returns the same answer in the same
// order for the same documents, on every machine.
//
// # What is not
//
// Related nodes are found from the newest mentions of a node, at most [MaxMentions]:
// for a frequent name only the latest ones count. Two spellings of one name are two
// nodes, unless an entity has both as names. A relation whose end is not an entity
// leads nowhere until there is one.
package graph

import (
	"bytes"
	"encoding/binary"
	"slices"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Prefix is the first byte of the graph's keys.
const Prefix = 'G'

const format = 3

const (
	tableDocument = 'd'
	tableNode     = 'n'
	tableMention  = 'm'
	tableDefined  = 'f'
	tableEntity   = 'i'
	tableRelation = 'r'
	tableSize     = 's'
)

// NodeID identifies a node: a digest of its name, and a shorter one of its type.
// Nodes of one name have a common prefix.
type NodeID [20]byte

const nameSize = 16

// ID returns the id of a type and a name in any spelling.
func ID(typ, name string) NodeID {
	var room [256]byte
	d := index.DigestOf(string(kind.AppendNormalName(room[:0], typ, name)))
	return withType(d, typ)
}

func withType(name index.Digest, typ string) (id NodeID) {
	copy(id[:], name[:])
	for i := range typeCodes {
		if typeCodes[i].name == typ {
			copy(id[nameSize:], typeCodes[i].digest[:])
			return id
		}
	}
	t := index.DigestOf(kind.NormalName(kind.EntityName, typ))
	copy(id[nameSize:], t[:4])
	return id
}

// typeCode is a type of events' nodes, and its digest.
type typeCode struct {
	name   string
	digest [4]byte
}

// typeCodes are the types of events' nodes. Their indexes are part of the format.
var typeCodes = func() (list []typeCode) {
	for _, name := range kind.EntityTypes() {
		d := index.DigestOf(name)
		list = append(list, typeCode{name, [4]byte(d[:4])})
	}
	return list
}()

// Graph is the fold.
type Graph struct {
	keeper index.Keeper
	// counts and sizes are the unwritten changes of the group.
	counts map[counted]int64
	sizes  map[uint32]int64
	// known and before cache the stored counts of recently written nodes, in two
	// generations.
	known, before map[counted]uint64
	order         []counted
	row           docRow
	key           []byte
	value         []byte
}

// counted is a node of a tenant.
type counted struct {
	tenant uint32
	node   NodeID
}

// maxKnown is the maximum size of each of the two caches.
const maxKnown = 1 << 15

// New returns the fold.
func New() *Graph {
	g := &Graph{keeper: index.Keeper{Prefix: Prefix}}
	g.Reset()
	return g
}

// Name returns the name of the fold.
func (g *Graph) Name() string { return "graph" }

// Prefix returns the first byte of its keys.
func (g *Graph) Prefix() byte { return Prefix }

// Format returns the number of its layout, and of how documents are made.
func (g *Graph) Format() uint32 {
	return format<<16 | index.DocumentVersion<<8 | kind.ContentVersion
}

// Reset drops what was not written.
func (g *Graph) Reset() {
	g.counts, g.sizes = map[counted]int64{}, map[uint32]int64{}
	g.known, g.before = map[counted]uint64{}, nil
}

// Apply folds one record.
func (g *Graph) Apply(tx *kv.Txn, r *index.Record) error {
	changes, err := g.keeper.Changes(tx, r)
	if err != nil {
		return err
	}
	for _, position := range changes.Gone {
		if err := g.remove(tx, r.Tenant, position); err != nil {
			return err
		}
	}
	if changes.Add == nil {
		return nil
	}
	return g.add(tx, r, changes.Add)
}

// Finish writes the changed counts of the group.
func (g *Graph) Finish(tx *kv.Txn) error {
	g.order = g.order[:0]
	for c, by := range g.counts {
		if by != 0 {
			g.order = append(g.order, c)
		}
	}
	slices.SortFunc(g.order, func(a, b counted) int {
		if a.tenant != b.tenant {
			return int(int64(a.tenant) - int64(b.tenant))
		}
		return bytes.Compare(a.node[:], b.node[:])
	})
	for _, c := range g.order {
		g.key = nodeKey(g.key, c.tenant, tableNode, c.node)
		n, known := g.known[c]
		if !known {
			n, known = g.before[c]
		}
		n, err := g.count(tx, g.counts[c], n, known)
		if err != nil {
			return err
		}
		g.know(c, n)
	}
	for tenant, by := range g.sizes {
		if by == 0 {
			continue
		}
		g.key = index.NewKey(g.key, Prefix, tableSize, tenant)
		if _, err := g.count(tx, by, 0, false); err != nil {
			return err
		}
	}
	clear(g.counts)
	clear(g.sizes)
	return nil
}

// know caches the count of a node.
func (g *Graph) know(c counted, n uint64) {
	if len(g.known) >= maxKnown {
		g.known, g.before = map[counted]uint64{}, g.known
	}
	g.known[c] = n
}

// count adds to the number under the last key, which is n if known, and returns the
// sum.
func (g *Graph) count(tx *kv.Txn, by int64, n uint64, known bool) (uint64, error) {
	if !known {
		v, found, err := tx.Get(g.key, g.value[:0])
		g.value = v
		if err != nil {
			return 0, err
		}
		if found {
			if n, err = decodeCount(v); err != nil {
				return 0, err
			}
		}
	}
	if by < 0 && uint64(-by) > n {
		return 0, damaged("a count", errShort)
	}
	if n += uint64(by); n == 0 {
		return 0, tx.DeleteBlind(g.key)
	}
	g.value = binary.AppendUvarint(g.value[:0], n)
	return n, tx.SetBlind(g.key, g.value)
}

// add files a document under its names.
func (g *Graph) add(tx *kv.Txn, r *index.Record, d *index.Document) error {
	row := &g.row
	row.clear()
	switch body := r.Body.(type) {
	case *memory.Entity:
		row.form = formEntity
		row.from = thingOf(r.Header.Tenant, body.ID)
		row.add(body.Type, body.Name)
		for _, alias := range body.Aliases {
			row.add(body.Type, alias)
		}
	case *memory.Relation:
		row.form = formRelation
		row.from, row.to = thingOf(r.Header.Tenant, body.From), thingOf(r.Header.Tenant, body.To)
		row.weight = float64(body.Weight.Or(1) * body.Confidence.Or(memory.DefaultConfidence))
		row.since, row.until = always, always
		if !body.ValidFrom.IsZero() {
			row.since = index.Nanos(body.ValidFrom.Time())
		}
		if !body.ValidUntil.IsZero() {
			row.until = index.Nanos(body.ValidUntil.Time())
		}
		row.predicate = body.Predicate
	default:
		row.form = formMentions
		entities := d.Entities
		if d.Kind != record.Event && len(entities) == 0 {
			entities = entitiesOf(d)
		}
		for _, e := range entities {
			row.add(e.Type, e.Name)
		}
		if len(row.nodes) == 0 {
			return nil
		}
	}
	g.key = index.NewKey(g.key, Prefix, tableDocument, r.Tenant).Uint64(d.Position)
	g.value = row.encode(g.value[:0])
	if err := tx.Set(g.key, g.value); err != nil {
		return err
	}
	return g.each(r.Tenant, d.Position, row, 1, tx.SetBlind)
}

// entitiesOf returns the names in a document that is not an event.
func entitiesOf(d *index.Document) []kind.Entity {
	text := d.Text
	if d.Title != "" {
		text = d.Title + "\n" + text
	}
	list := kind.TextEntities(text)
	for i, tag := range d.Tags {
		if i == maxTags {
			break
		}
		list = append(list, kind.Entity{Type: kind.EntityTag, Name: tag})
	}
	return list
}

// maxTags is how many tags of a document are nodes.
const maxTags = 8

// remove removes a document, if it exists.
func (g *Graph) remove(tx *kv.Txn, tenant uint32, position uint64) error {
	key := index.NewKey(g.key, Prefix, tableDocument, tenant).Uint64(position)
	g.key = key
	v, found, err := tx.Get(key, g.value[:0])
	g.value = v
	if err != nil || !found {
		return err
	}
	if err := tx.Delete(key); err != nil {
		return err
	}
	row := &g.row
	if err := row.decode(v); err != nil {
		return damaged("a document", err)
	}
	return g.each(tenant, position, row, -1, func(key, _ []byte) error { return tx.Delete(key) })
}

// each calls write with every further row of a document, and adds by, which is one
// or minus one, to the counts.
func (g *Graph) each(tenant uint32, position uint64, row *docRow, by int64, write func(key, value []byte) error) error {
	if row.form == formRelation {
		g.value = row.encodeEdge(g.value[:0])
		for end, thing := range [...]index.Digest{row.from, row.to} {
			other := row.to
			if end == 1 {
				other = row.from
			}
			g.key = thingKey(g.key, tenant, tableRelation, thing).Uint64(position).Byte(byte(end)).Digest(other)
			if err := write(g.key, g.value); err != nil {
				return err
			}
		}
		return nil
	}
	g.sizes[tenant] += by
	for i := range row.nodes {
		node := row.nodes[i].id
		g.counts[counted{tenant, node}] += by
		g.key = nodeKey(g.key, tenant, tableMention, node).Uint64(^position)
		if err := write(g.key, nil); err != nil {
			return err
		}
		if row.form != formEntity {
			continue
		}
		g.key = nodeKey(g.key, tenant, tableDefined, node).Uint64(position)
		if err := write(g.key, row.from[:]); err != nil {
			return err
		}
	}
	if row.form != formEntity {
		return nil
	}
	g.key = thingKey(g.key, tenant, tableEntity, row.from).Uint64(position)
	return write(g.key, nil)
}

// thingOf returns the digest of the id of an entity.
func thingOf(tenant, id string) index.Digest {
	sum := record.ID(tenant, record.Entity, id)
	return index.Digest(sum[:16])
}

func nodeKey(room []byte, tenant uint32, table byte, node NodeID) index.Key {
	return append(index.NewKey(room, Prefix, table, tenant), node[:]...)
}

func thingKey(room []byte, tenant uint32, table byte, thing index.Digest) index.Key {
	return index.NewKey(room, Prefix, table, tenant).Digest(thing)
}

// damaged says that a value of the index is unreadable.
func damaged(what string, err error) error {
	return fault.Newf(fault.Damaged, "%s in the graph cannot be read: %w", what, err).
		WithFix("`lukasa rebuild` rebuilds the index from the journal")
}
