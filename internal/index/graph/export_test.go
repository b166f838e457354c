package graph

// RelationAt returns the relation that a document is, with the nodes of its ends:
// the name of an entity first, then its other names; none of one that is not there.
func (v *View) RelationAt(position uint64) (Relation, bool, error) {
	var row docRow
	if found, err := v.document(position, &row); err != nil || !found || row.form != formRelation {
		return Relation{}, false, err
	}
	rel := Relation{Position: position, Predicate: row.predicate, Weight: row.weight, Since: row.since, Until: row.until}
	var err error
	if rel.From, err = v.namesOf(row.from); err == nil {
		rel.To, err = v.namesOf(row.to)
	}
	return rel, err == nil, err
}

// Related returns the nodes that go together with the given ones, the closest
// first, and of equally close ones in the order of their ids.
//
// The weight of a node is the sum, over the given ones, of what stands for each:
// n/√(a·b), where a is how many of the given node's newest mentions are looked at, n
// how many of these mention both, and b how many documents mention the node; and
// the weights of the relations between them. A node of the same name and another
// type, and the other names of an entity, have a relation of weight 1.
func (v *View) Related(nodes []NodeID, l Limits) ([]Weighted, error) {
	l.settle()
	w, err := v.begin(nodes, l)
	if err != nil {
		return nil, err
	}
	list, err := w.related()
	if err = first(err, w.close()); err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Name == "" {
			if err := v.write(&list[i].Node); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}
