package memory

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/document"
	"lukasa.dev/internal/record"
)

// EdgeKind is the meaning of an edge.
type EdgeKind string

// The seven edge kinds. Others have the form x-{vendor}-{kind}.
const (
	EdgeSupports    EdgeKind = "supports"
	EdgeContradicts EdgeKind = "contradicts"
	EdgeDerivedFrom EdgeKind = "derived_from"
	EdgeSupersedes  EdgeKind = "supersedes"
	EdgePartOf      EdgeKind = "part_of"
	EdgeCauses      EdgeKind = "causes"
	EdgeRelatesTo   EdgeKind = "relates_to"
)

// EdgeKinds lists the seven.
func EdgeKinds() []EdgeKind {
	return []EdgeKind{
		EdgeSupports, EdgeContradicts, EdgeDerivedFrom, EdgeSupersedes,
		EdgePartOf, EdgeCauses, EdgeRelatesTo,
	}
}

// Edge connects one record of the board to another.
type Edge struct {
	ID       string
	From     URI
	To       URI
	EdgeKind EdgeKind         // kind in JSON
	Weight   hmx.Opt[float64] // 0 to 1, default 1
	Sources  []URI            // its evidence
	Metadata hmx.Raw
}

// Kind returns record.Edge.
func (e *Edge) Kind() record.Kind { return record.Edge }

// Identity returns the id; an edge has no key.
func (e *Edge) Identity() (id, key string) { return e.ID, "" }

// SetID sets the id.
func (e *Edge) SetID(id string) { e.ID = id }

func (e *Edge) fields(c *document.Codec) {
	document.Word(c, "id", &e.ID)
	uriField(c, "from", &e.From)
	uriField(c, "to", &e.To)
	document.Word(c, "kind", &e.EdgeKind)
	c.Number("weight", &e.Weight)
	urisField(c, "sources", &e.Sources)
	c.Raw("metadata", &e.Metadata)
}

// Normalize sets defaults and orders sources.
func (e *Edge) Normalize() {
	e.defaults()
	e.order()
}

func (e *Edge) defaults() {
	fallback(&e.Weight, hmx.Some(1.0))
	e.Metadata = document.Compact(e.Metadata)
}

func (e *Edge) order() { e.Sources = sortURIs(e.Sources) }

// Validate applies every rule.
func (e *Edge) Validate() error { return validate(e) }

func (e *Edge) rules(f *faults) {
	f.optID("id", e.ID)
	f.checkURI("from", e.From)
	f.checkURI("to", e.To)
	if !e.From.IsZero() && e.From == e.To {
		f.Add("to", "is the same as from", "connect two different records")
	}
	if !hmx.CustomType(string(e.EdgeKind)) || len(e.EdgeKind) > MaxTag {
		document.OneOf(&f.Problems, "kind", e.EdgeKind, "a kind of edge", append(EdgeKinds(), "x-{vendor}-{kind}"), nil)
		if e.EdgeKind == "x-{vendor}-{kind}" {
			f.Add("kind", "is the pattern itself", "fill in vendor and kind")
		}
	}
	f.Ratio("weight", e.Weight)
	f.sources(e.Sources)
	f.raw("metadata", e.Metadata)
}

// Facets returns what indexes see.
func (e *Edge) Facets() Facets {
	x := facets()
	x.Class = string(e.EdgeKind)
	x.link("from", e.From)
	x.link("to", e.To)
	x.link("derived_from", e.Sources...)
	x.Importance = e.Weight.Or(1)
	return x
}

// AppendJSON appends the edge as compact JSON.
func (e *Edge) AppendJSON(dst []byte) ([]byte, error) { return encode(dst, "edge", e) }
