package hmx

import (
	"strconv"
	"sync"

	"lukasa.dev/hmx/internal/shape"
	"lukasa.dev/internal/canon"
)

// decoder is the working memory of one decoding. It is reused.
type decoder struct {
	doc   canon.Doc
	check shape.Checker
	slots [32]canon.Node
	data  []byte // the document without surrounding white space
	lead  int    // bytes of white space before it
	buf   []byte // the parts of an event
	parts assembly
}

// keepBytes is the largest decoder that is kept for reuse.
const keepBytes = 1 << 20

var decoders = sync.Pool{New: func() any { return new(decoder) }}

func borrow() *decoder { return decoders.Get().(*decoder) }

func (d *decoder) giveBack() {
	d.data, d.parts.embeddings = nil, nil // these belong to the caller now
	if d.doc.Footprint()+cap(d.buf) <= keepBytes {
		d.doc.Reset()
		decoders.Put(d)
	}
}

// read parses data and checks it against the shape of its kind. If ok, the slots are filled.
func (d *decoder) read(s *spec, data []byte) (ok bool) {
	d.data = d.trim(data)
	d.check.Reset(&d.doc)
	if len(d.data) > s.maxBytes {
		d.doc.Reset()
		d.check.Add(shape.Problem{
			Rule: s.sizeRule, Found: strconv.Itoa(len(d.data)) + " bytes",
			Allowed: "at most " + strconv.Itoa(s.maxBytes) + " bytes of JSON",
		})
		return false
	}
	d.doc.Parse(d.data)
	if !d.doc.Complete() {
		return false
	}
	return d.check.Record(s.shape, d.doc.Root(), s.rootRule, d.slots[:len(s.shape.Fields)])
}

// trim returns data without the white space around it, and notes where it starts.
func (d *decoder) trim(data []byte) []byte {
	d.lead = skip(data, 0)
	end := len(data)
	for end > d.lead && space(data[end-1]) {
		end--
	}
	return data[d.lead:end]
}

// space reports whether c is JSON white space.
func space(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func (d *decoder) verdict(k Kind) ([]Problem, error) {
	return verdict(k, d.doc.Flaws(), d.check.Problems, d.check.Omitted, d.lead)
}

// spec is what the decoder needs to know about a kind.
type spec struct {
	kind     Kind
	shape    *shape.Shape
	maxBytes int
	sizeRule string
	rootRule string         // for a document that is no object
	more     func(*decoder) // rules that a JSON Schema cannot express
}

func specOf(k Kind) *spec {
	switch k {
	case KindEvent:
		return &eventSpec
	case KindArtifact:
		return &artifactSpec
	case KindPack:
		return &packSpec
	}
	return nil
}

// run reads data as s and applies all rules.
func (d *decoder) run(s *spec, data []byte) (warnings []Problem, err error) {
	if d.read(s, data) {
		s.more(d)
	}
	return d.verdict(s.kind)
}

// Check applies every rule of kind k to data: it returns only warnings if the document is
// valid, and an *InvalidError if it is not.
func Check(k Kind, data []byte) (warnings []Problem, err error) {
	if _, err := ParseKind(string(k)); err != nil {
		return nil, err
	}
	d := borrow()
	defer d.giveBack()
	return d.run(specOf(k), data)
}

// MaxBytes returns the maximum size of a document of kind k, and 0 if there is no such kind.
func MaxBytes(k Kind) int {
	if s := specOf(k); s != nil {
		return s.maxBytes
	}
	return 0
}

// SizeRule returns the code of the rule that limits documents of kind k.
func SizeRule(k Kind) string {
	if s := specOf(k); s != nil {
		return s.sizeRule
	}
	return ""
}

// Detect determines the kind of a document by its id field. It reads only the names of the
// outermost object; ok is false if data has none or several of event_id, artifact_id and
// pack_id.
func Detect(data []byte) (k Kind, ok bool) {
	d := borrow()
	defer d.giveBack()
	d.doc.Parse(data)
	if !d.doc.Complete() || d.doc.Kind(0) != canon.Object {
		return "", false
	}
	for _, c := range []struct {
		field string
		kind  Kind
	}{{"event_id", KindEvent}, {"artifact_id", KindArtifact}, {"pack_id", KindPack}} {
		if d.doc.Member(0, c.field) != canon.None {
			if ok {
				return "", false
			}
			k, ok = c.kind, true
		}
	}
	return k, ok
}

// text returns the document as a string; everything decoded refers to it.
func (d *decoder) text() string { return string(d.data) }

// has reports whether the field in slot i is present.
func (d *decoder) has(i int) bool { return d.slots[i] != canon.None }

// warn adds a warning about the value in slot i.
func (d *decoder) warn(i int, rule, found, allowed string) {
	d.warnAt(d.slots[i], rule, found, allowed)
}

func (d *decoder) warnAt(n canon.Node, rule, found, allowed string) {
	if len(d.check.Problems) >= shape.MaxProblems {
		d.check.Omitted++
		return
	}
	start, _ := d.doc.Span(n)
	d.check.Add(shape.Problem{Pointer: d.doc.Pointer(n), Rule: rule, Found: found, Allowed: allowed, Offset: start, Warning: true})
}
