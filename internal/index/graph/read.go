package graph

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
)

// Node is a name that documents mention.
type Node struct {
	ID   NodeID
	Type string
	Name string // as the newest document writes it
	// Count is how many documents mention it; 0 if it was not requested.
	Count uint64
}

// View reads the graph of a tenant. It is safe for concurrent use if its reader is.
type View struct {
	r      kv.Reader
	tenant uint32
}

// Open returns a view of a tenant's graph.
func Open(r kv.Reader, tenant uint32) *View { return &View{r, tenant} }

// maxAlike is how many nodes of one name are read.
const maxAlike = 32

// Size returns how many documents mention anything.
func (v *View) Size() (uint64, error) {
	return v.countAt(index.NewKey(nil, Prefix, tableSize, v.tenant))
}

// Count returns how many documents mention a node.
func (v *View) Count(id NodeID) (uint64, error) {
	return v.countAt(nodeKey(make([]byte, 0, 40), v.tenant, tableNode, id))
}

func (v *View) countAt(key []byte) (uint64, error) {
	var room [10]byte
	value, found, err := v.r.Get(key, room[:0])
	if err != nil || !found {
		return 0, err
	}
	return decodeCount(value)
}

// Node returns the node of a type and a name, and false if no document mentions it.
func (v *View) Node(typ, name string) (Node, bool, error) {
	n := Node{ID: ID(typ, name)}
	var err error
	if n.Count, err = v.Count(n.ID); err != nil || n.Count == 0 {
		return Node{}, false, err
	}
	return n, true, v.write(&n)
}

// Lookup returns the nodes of a name, of any type: most mentioned first, at most 32.
func (v *View) Lookup(name string) ([]Node, error) {
	// Tags are normalised differently; their # is not part of them.
	id := ID("", name)
	list, err := v.alike(id)
	if err != nil {
		return nil, err
	}
	if tag := ID("tag", name); [nameSize]byte(tag[:]) != [nameSize]byte(id[:]) {
		n := Node{ID: tag}
		if n.Count, err = v.Count(tag); err != nil {
			return nil, err
		}
		if n.Count > 0 {
			list = append(list, n)
		}
	}
	for i := range list {
		if err := v.write(&list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// alike returns the nodes with the name of the given one, itself included, without
// their type and name.
func (v *View) alike(id NodeID) (list []Node, err error) {
	prefix := append(index.NewKey(nil, Prefix, tableNode, v.tenant), id[:nameSize]...)
	it, err := v.r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return nil, err
	}
	defer func() { err = first(err, it.Close()) }()
	for ok := it.First(); ok && len(list) < maxAlike; ok = it.Next() {
		if len(it.Key()) != 6+len(id) {
			return nil, damaged("a node", errShort)
		}
		value, err := it.Value()
		if err != nil {
			return nil, err
		}
		n := Node{ID: NodeID(it.Key()[6:])}
		if n.Count, err = decodeCount(value); err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b Node) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), bytes.Compare(a.ID[:], b.ID[:]))
	})
	return list, nil
}

// write sets type and name of a node from its newest document.
func (v *View) write(n *Node) error {
	newest, err := v.newest(n.ID, 1)
	if err != nil || len(newest) == 0 {
		return err
	}
	var row docRow
	if found, err := v.document(newest[0], &row); err != nil || !found {
		return err
	}
	for i := range row.nodes {
		if row.nodes[i].id == n.ID {
			n.Type, n.Name = row.nodes[i].typ, row.nodes[i].name
		}
	}
	return nil
}

// document reads the names in a document.
func (v *View) document(position uint64, row *docRow) (bool, error) {
	value, found, err := v.r.Get(index.NewKey(make([]byte, 0, 16), Prefix, tableDocument, v.tenant).Uint64(position), nil)
	if err != nil || !found {
		return false, err
	}
	if err := row.decode(value); err != nil {
		return false, damaged("a document", err)
	}
	return true, nil
}

// NodesOf returns the nodes that a document mentions, in its order and spelling,
// without their counts. A relation mentions none.
func (v *View) NodesOf(position uint64) ([]Node, error) {
	var row docRow
	found, err := v.document(position, &row)
	if err != nil || !found || len(row.nodes) == 0 {
		return nil, err
	}
	list := make([]Node, len(row.nodes))
	for i, n := range row.nodes {
		list[i] = Node{ID: n.id, Type: n.typ, Name: n.name}
	}
	return list, nil
}

// newest returns the newest documents that mention a node.
func (v *View) newest(id NodeID, limit int) ([]uint64, error) {
	return v.Mentions(id, limit, index.Filter{})
}

// Mentions returns the newest documents that mention a node and pass a filter, newest
// first. It reads four times as many as requested, and at least 1,024, so a strict
// filter may hide older ones.
func (v *View) Mentions(id NodeID, limit int, f index.Filter) (list []uint64, err error) {
	prefix := nodeKey(nil, v.tenant, tableMention, id)
	it, err := v.r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return nil, err
	}
	defer func() { err = first(err, it.Close()) }()
	return v.mentions(it, id, limit, f)
}

const (
	lookTimes = 4
	lookLeast = 1024
)

// mentions is Mentions with an iterator over the table.
func (v *View) mentions(it *kv.Iter, id NodeID, limit int, f index.Filter) (list []uint64, err error) {
	prefix := nodeKey(make([]byte, 0, 40), v.tenant, tableMention, id)
	left := max(lookLeast, lookTimes*limit)
	chunk, mask := -1, (*[16]uint64)(nil)
	for ok := it.Seek(prefix); ok && len(list) < limit && left > 0 && bytes.HasPrefix(it.Key(), prefix); ok = it.Next() {
		left--
		if len(it.Key()) != len(prefix)+8 {
			return nil, damaged("a mention", errShort)
		}
		position := ^binary.BigEndian.Uint64(it.Key()[len(prefix):])
		if f.Mask != nil {
			if c := int(position / 1024); c != chunk {
				chunk = c
				if mask, err = f.Mask(c); err != nil {
					return nil, err
				}
			}
			if in := position % 1024; mask == nil || mask[in/64]>>(in%64)&1 == 0 {
				continue
			}
		}
		if f.Accept != nil {
			fits, err := f.Accept(position)
			if err != nil {
				return nil, err
			}
			if !fits {
				continue
			}
		}
		list = append(list, position)
	}
	return list, it.Err()
}

// Relation is an edge between two entities in the graph.
type Relation struct {
	Position  uint64 // of the record
	Predicate string
	// Weight is that of the relation times its confidence.
	Weight       float64
	Since, Until int64 // in nanoseconds; the smallest number if unlimited
	From, To     []Node
}

// namesOf returns the nodes that an entity defines, its name first.
func (v *View) namesOf(thing index.Digest) (list []Node, err error) {
	prefix := thingKey(nil, v.tenant, tableEntity, thing)
	it, err := v.r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return nil, err
	}
	var position uint64
	found := it.Last()
	if found {
		if len(it.Key()) != len(prefix)+8 {
			return nil, first(damaged("an entity", errShort), it.Close())
		}
		position = index.Uint64At(it.Key()[len(prefix):])
	}
	if err := it.Close(); err != nil || !found {
		return nil, err
	}
	return v.NodesOf(position)
}

// first returns the first non-nil error.
func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
