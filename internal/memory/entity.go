package memory

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/document"
	"lukasa.dev/internal/record"
)

// MaxAliases is how many other names an entity may have.
const MaxAliases = 64

// Entity is a person or an object that memories mention.
type Entity struct {
	ID          string
	Name        string
	Type        string // person, service, file, …: an open list
	Aliases     []string
	Description string
	Attributes  hmx.Raw // a free-form object of the caller
	Tags        []string
	Importance  hmx.Opt[float64] // 0 to 1, default 0.5
	Confidence  hmx.Opt[float64] // 0 to 1, default 1
	Sources     []URI            // what it was derived from
	Metadata    hmx.Raw
}

// Kind returns record.Entity.
func (e *Entity) Kind() record.Kind { return record.Entity }

// Identity returns the id; an entity has no key, since two may share a name.
func (e *Entity) Identity() (id, key string) { return e.ID, "" }

// SetID sets the id.
func (e *Entity) SetID(id string) { e.ID = id }

func (e *Entity) fields(c *document.Codec) {
	document.Word(c, "id", &e.ID)
	document.Word(c, "name", &e.Name)
	document.Word(c, "type", &e.Type)
	document.Words(c, "aliases", &e.Aliases)
	document.Word(c, "description", &e.Description)
	c.Raw("attributes", &e.Attributes)
	document.Words(c, "tags", &e.Tags)
	c.Number("importance", &e.Importance)
	c.Number("confidence", &e.Confidence)
	urisField(c, "sources", &e.Sources)
	c.Raw("metadata", &e.Metadata)
}

// Normalize sets defaults and orders aliases, tags and sources.
func (e *Entity) Normalize() {
	e.defaults()
	e.order()
}

func (e *Entity) defaults() {
	fallback(&e.Importance, hmx.Some(DefaultImportance))
	fallback(&e.Confidence, hmx.Some(DefaultConfidence))
	e.Attributes, e.Metadata = document.Compact(e.Attributes), document.Compact(e.Metadata)
}

func (e *Entity) order() {
	e.Aliases, e.Tags, e.Sources = sortWords(e.Aliases), sortWords(e.Tags), sortURIs(e.Sources)
}

// Validate applies every rule.
func (e *Entity) Validate() error { return validate(e) }

func (e *Entity) rules(f *faults) {
	f.optID("id", e.ID)
	f.Trimmed("name", e.Name, MaxName)
	f.Trimmed("type", e.Type, MaxTag)
	if f.Length("aliases", len(e.Aliases), 0, MaxAliases) {
		for i, a := range e.Aliases {
			f.Trimmed(document.Indexed("aliases", i), a, MaxName)
		}
	}
	f.Prose("description", e.Description, MaxText)
	f.raw("attributes", e.Attributes)
	f.tags(e.Tags)
	f.Ratio("importance", e.Importance)
	f.Ratio("confidence", e.Confidence)
	f.sources(e.Sources)
	f.raw("metadata", e.Metadata)
}

// Facets returns what indexes see.
func (e *Entity) Facets() Facets {
	x := facets()
	x.Class = e.Type
	x.Tags = e.Tags
	x.Names = append([]string{e.Name}, e.Aliases...)
	x.link("derived_from", e.Sources...)
	x.Importance = e.Importance.Or(DefaultImportance)
	x.Confidence = e.Confidence.Or(DefaultConfidence)
	return x
}

// AppendJSON appends the entity as compact JSON.
func (e *Entity) AppendJSON(dst []byte) ([]byte, error) { return encode(dst, "entity", e) }

// Relation connects two entities.
type Relation struct {
	ID         string
	From       string           // id of an entity
	To         string           // id of an entity
	Predicate  string           // works_on, depends_on, …: an open list
	Weight     hmx.Opt[float64] // 0 to 1, default 1
	Confidence hmx.Opt[float64] // 0 to 1, default 1
	ValidFrom  hmx.Time
	ValidUntil hmx.Time // exclusive
	Sources    []URI    // what it was derived from
	Metadata   hmx.Raw
}

// Kind returns record.Relation.
func (r *Relation) Kind() record.Kind { return record.Relation }

// Identity returns the id; a relation has no key.
func (r *Relation) Identity() (id, key string) { return r.ID, "" }

// SetID sets the id.
func (r *Relation) SetID(id string) { r.ID = id }

func (r *Relation) fields(c *document.Codec) {
	document.Word(c, "id", &r.ID)
	document.Word(c, "from", &r.From)
	document.Word(c, "to", &r.To)
	document.Word(c, "predicate", &r.Predicate)
	c.Number("weight", &r.Weight)
	c.Number("confidence", &r.Confidence)
	c.Time("valid_from", &r.ValidFrom)
	c.Time("valid_until", &r.ValidUntil)
	urisField(c, "sources", &r.Sources)
	c.Raw("metadata", &r.Metadata)
}

// Normalize sets defaults and orders sources.
func (r *Relation) Normalize() {
	r.defaults()
	r.order()
}

func (r *Relation) defaults() {
	fallback(&r.Weight, hmx.Some(1.0))
	fallback(&r.Confidence, hmx.Some(DefaultConfidence))
	r.Metadata = document.Compact(r.Metadata)
}

func (r *Relation) order() { r.Sources = sortURIs(r.Sources) }

// Validate applies every rule.
func (r *Relation) Validate() error { return validate(r) }

func (r *Relation) rules(f *faults) {
	f.optID("id", r.ID)
	f.Name("from", r.From, MaxID)
	f.Name("to", r.To, MaxID)
	f.Trimmed("predicate", r.Predicate, MaxTag)
	f.Ratio("weight", r.Weight)
	f.Ratio("confidence", r.Confidence)
	f.validity(r.ValidFrom, r.ValidUntil)
	f.sources(r.Sources)
	f.raw("metadata", r.Metadata)
}

// Facets returns what indexes see.
func (r *Relation) Facets() Facets {
	x := facets()
	x.Class = r.Predicate
	x.link("from", URI{Kind: record.Entity, ID: r.From})
	x.link("to", URI{Kind: record.Entity, ID: r.To})
	x.link("derived_from", r.Sources...)
	x.validity(r.ValidFrom, r.ValidUntil)
	x.Importance = r.Weight.Or(1)
	x.Confidence = r.Confidence.Or(DefaultConfidence)
	return x
}

// AppendJSON appends the relation as compact JSON.
func (r *Relation) AppendJSON(dst []byte) ([]byte, error) { return encode(dst, "relation", r) }
