package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/document"
	"lukasa.dev/internal/record"
)

// MaxFingerprint is the exclusive upper limit of the JSON of a fingerprint, in bytes.
const MaxFingerprint = 100_000

// Fingerprint is an imported HMX-F document, a digest of what an agent learned elsewhere, in
// canonical form. The rules here are that it is an object of less than [MaxFingerprint] bytes
// whose hash matches the rest; its reader checks the members.
type Fingerprint struct {
	ID         string     // see [NewFingerprint]
	Visibility Visibility // default tenant
	Document   hmx.Raw    // HMX-F
}

// NewFingerprint returns the body for a document. Its id is derived from the document's hash,
// so that importing it twice stores it once.
func NewFingerprint(document []byte) *Fingerprint {
	b := &Fingerprint{Document: hmx.Raw(document)}
	b.Normalize()
	if hash := b.Hash(); hexHash(hash) {
		b.ID = "fingerprint-" + hash[:32]
	}
	return b
}

// Hash returns the hash stated in the document, or nothing.
func (b *Fingerprint) Hash() string {
	var d canon.Doc
	if d.Parse([]byte(b.Document)); !d.Complete() || d.Kind(d.Root()) != canon.Object {
		return ""
	}
	n := d.Member(d.Root(), "hash")
	if n == canon.None || d.Kind(n) != canon.String {
		return ""
	}
	return d.Text(n)
}

// Kind returns record.Fingerprint.
func (b *Fingerprint) Kind() record.Kind { return record.Fingerprint }

// Identity returns the id; a fingerprint has no key.
func (b *Fingerprint) Identity() (id, key string) { return b.ID, "" }

// SetID sets the id.
func (b *Fingerprint) SetID(id string) { b.ID = id }

func (b *Fingerprint) fields(c *document.Codec) {
	document.Word(c, "id", &b.ID)
	document.Word(c, "visibility", &b.Visibility)
	c.Raw("document", &b.Document)
}

// Normalize sets the visibility and makes the document canonical.
func (b *Fingerprint) Normalize() { b.defaults() }

func (b *Fingerprint) defaults() {
	fallback(&b.Visibility, VisibleTenant)
	if data, err := canon.Append(nil, []byte(b.Document)); err == nil {
		b.Document = hmx.Raw(data)
	}
}

func (b *Fingerprint) order() {}

// Validate applies every rule.
func (b *Fingerprint) Validate() error { return validate(b) }

func (b *Fingerprint) rules(f *faults) {
	const fix = "give the fingerprint as it was exported"
	f.optID("id", b.ID)
	document.OneOf(&f.Problems, "visibility", b.Visibility, "a visibility", Visibilities(), nil)
	if len(b.Document) >= MaxFingerprint {
		f.Add("document", fmt.Sprintf("has %d bytes of JSON, but must have less than %d", len(b.Document), MaxFingerprint), fix)
		return
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(b.Document), &members); err != nil || members == nil {
		f.Add("document", "is missing, or is no object", fix)
		return
	}
	delete(members, "hash")
	rest, err := json.Marshal(members)
	if err == nil {
		rest, err = canon.Append(nil, rest)
	}
	if err != nil {
		f.Add("document", "is not strict JSON: "+err.Error(), fix)
		return
	}
	sum := sha256.Sum256(rest)
	if want := hex.EncodeToString(sum[:]); b.Hash() != want {
		f.Add("document.hash", "is "+document.Show(b.Hash())+", but that of the content is "+want, fix+"; it was changed since")
	}
}

// hexHash reports whether a text is a SHA-256 in hexadecimal.
func hexHash(v string) bool {
	b, err := hex.DecodeString(v)
	return err == nil && len(b) == sha256.Size
}

// Facets returns what indexes see.
func (b *Fingerprint) Facets() Facets {
	x := facets()
	x.Visibility = b.Visibility
	return x
}

// AppendJSON appends the fingerprint as compact JSON.
func (b *Fingerprint) AppendJSON(dst []byte) ([]byte, error) { return encode(dst, "fingerprint", b) }
