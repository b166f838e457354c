package memory

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/document"
	"lukasa.dev/internal/record"
)

// MaxModel is the maximum length of the name of an embedding model, in bytes.
const MaxModel = 256

// Embedding is the vector of an event or of one version of a record by an external model. Only
// the engine writes it, so that a replay does not need the model.
type Embedding struct {
	ID       string // see [NewEmbedding]
	Model    string
	Target   URI    // the event or the record, without a version
	Position uint64 // of the record that was embedded
	Vector   []byte // 4 bytes for each number, IEEE 754, little-endian
}

// NewEmbedding returns an embedding whose id is derived from its target and model.
func NewEmbedding(model string, target URI, position uint64, vector []float32) *Embedding {
	target.Version = 0
	h := sha256.New()
	for _, part := range []string{"lukasa/embedding/1", target.String(), strconv.FormatUint(position, 10), strconv.Itoa(len(vector)), model} {
		h.Write([]byte(part))
		h.Write([]byte{'\n'}) // none of the parts before the last contains one
	}
	e := &Embedding{ID: "embedding-" + hex.EncodeToString(h.Sum(nil)[:16]), Model: model, Target: target, Position: position}
	for _, x := range vector {
		e.Vector = binary.LittleEndian.AppendUint32(e.Vector, math.Float32bits(x))
	}
	return e
}

// Dimensions is the length of the vector.
func (e *Embedding) Dimensions() int { return len(e.Vector) / 4 }

// Floats returns the vector.
func (e *Embedding) Floats() []float32 {
	list := make([]float32, e.Dimensions())
	for i := range list {
		list[i] = e.at(i)
	}
	return list
}

func (e *Embedding) at(i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(e.Vector[4*i:]))
}

// Kind returns record.Embedding.
func (e *Embedding) Kind() record.Kind { return record.Embedding }

// Identity returns the id; an embedding has no key.
func (e *Embedding) Identity() (id, key string) { return e.ID, "" }

// SetID sets the id.
func (e *Embedding) SetID(id string) { e.ID = id }

func (e *Embedding) fields(c *document.Codec) {
	document.Word(c, "id", &e.ID)
	document.Word(c, "model", &e.Model)
	uriField(c, "target", &e.Target)
	c.Count("position", &e.Position, true)
	c.Hex("vector", &e.Vector)
}

// Normalize has nothing to do.
func (e *Embedding) Normalize() {}

func (e *Embedding) defaults() {}

func (e *Embedding) order() {}

// Validate applies every rule.
func (e *Embedding) Validate() error { return validate(e) }

func (e *Embedding) rules(f *faults) {
	f.optID("id", e.ID)
	f.Name("model", e.Model, MaxModel)
	f.checkURI("target", e.Target)
	if e.Target.Version != 0 {
		f.Add("target", "names a version, but position says which record was read", "leave the #version out")
	}
	if len(e.Vector) == 0 || len(e.Vector)%4 != 0 || e.Dimensions() > hmx.MaxEmbeddings {
		f.Add("vector", fmt.Sprintf("has %d bytes, but must have 4 for each of 1 to %d numbers", len(e.Vector), hmx.MaxEmbeddings), "give that many")
		return
	}
	zero := true
	for i := range e.Dimensions() {
		x := float64(e.at(i))
		if math.IsNaN(x) || math.IsInf(x, 0) {
			f.Add(document.Indexed("vector", i), fmt.Sprintf("is %v, which is not a finite number", x), "give a finite number")
			return
		}
		zero = zero && x == 0
	}
	if zero {
		f.Add("vector", "is zero, and has no direction", "leave the embedding out")
	}
}

// Facets returns what indexes see. Its class is the model.
func (e *Embedding) Facets() Facets {
	x := facets()
	x.Class = e.Model
	x.link("of", e.Target)
	return x
}

// AppendJSON appends the embedding as compact JSON.
func (e *Embedding) AppendJSON(dst []byte) ([]byte, error) { return encode(dst, "embedding", e) }
