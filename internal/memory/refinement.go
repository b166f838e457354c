package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"unicode/utf8"

	"lukasa.dev/internal/document"
	"lukasa.dev/internal/record"
)

// Maximum lengths of a title and a summary by a model, in code points.
const (
	MaxRefinedTitle   = 120
	MaxRefinedSummary = 400
)

// Refinement is a title and a summary that an external model wrote for an artifact. Only the
// engine writes it, so that a replay does not need the model. It is shown beside the artifact:
// it has the trust of external text, and no decision depends on it.
type Refinement struct {
	ID       string // see [NewRefinement]
	Model    string
	Target   URI    // the artifact, without a version
	Position uint64 // of the record that was read
	Title    string // one line without invisible characters
	Summary  string // likewise
}

// NewRefinement returns a refinement whose id is derived from its target and model.
func NewRefinement(model string, target URI, position uint64, title, summary string) *Refinement {
	target.Version = 0
	h := sha256.New()
	for _, part := range []string{"lukasa/refinement/1", target.String(), strconv.FormatUint(position, 10), model} {
		h.Write([]byte(part))
		h.Write([]byte{'\n'}) // none of the parts before the last contains one
	}
	return &Refinement{
		ID: "refinement-" + hex.EncodeToString(h.Sum(nil)[:16]), Model: model, Target: target, Position: position,
		Title: title, Summary: summary,
	}
}

// Kind returns record.Refinement.
func (x *Refinement) Kind() record.Kind { return record.Refinement }

// Identity returns the id; a refinement has no key.
func (x *Refinement) Identity() (id, key string) { return x.ID, "" }

// SetID sets the id.
func (x *Refinement) SetID(id string) { x.ID = id }

func (x *Refinement) fields(c *document.Codec) {
	document.Word(c, "id", &x.ID)
	document.Word(c, "model", &x.Model)
	uriField(c, "target", &x.Target)
	c.Count("position", &x.Position, true)
	document.Word(c, "title", &x.Title)
	document.Word(c, "summary", &x.Summary)
}

// Normalize has nothing to do.
func (x *Refinement) Normalize() {}

func (x *Refinement) defaults() {}

func (x *Refinement) order() {}

// Validate applies every rule.
func (x *Refinement) Validate() error { return validate(x) }

func (x *Refinement) rules(f *faults) {
	f.optID("id", x.ID)
	f.Name("model", x.Model, MaxModel)
	if f.checkURI("target", x.Target); x.Target.Kind != record.Artifact {
		f.Add("target", "names a "+x.Target.Kind.String(), "name an artifact")
	}
	if x.Target.Version != 0 {
		f.Add("target", "names a version, but position says which record was read", "leave the #version out")
	}
	f.shown("title", x.Title, MaxRefinedTitle)
	f.shown("summary", x.Summary, MaxRefinedSummary)
}

// shown adds what is wrong with one line of at most limit code points, which must all be
// visible.
func (f *faults) shown(field, s string, limit int) {
	if !f.Trimmed(field, s, limit*utf8.UTFMax) {
		return
	}
	if n := utf8.RuneCountInString(s); n > limit {
		f.Add(field, fmt.Sprintf("has %d code points, but may have at most %d", n, limit), "shorten it")
	}
	for i, r := range s {
		if Unseen(r) {
			f.Add(field, fmt.Sprintf("has the character U+%04X at byte %d, which is not seen", r, i), "leave it out")
		}
	}
}

// Unseen reports whether r is invisible to readers but not to machines, or moves or breaks the
// text around it: control characters, direction marks, zero-width characters, selectors, tags
// and fillers. The list is fixed, so that what was once written can always be read.
func Unseen(r rune) bool {
	switch {
	case r < ' ', r >= 0x7F && r < 0xA0, r == 0xAD: // C0, DEL, C1, soft hyphen
	case r == 0x034F, r == 0x061C: // grapheme joiner, Arabic letter mark
	case r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0: // fillers of Hangul
	case r == 0x17B4, r == 0x17B5: // vowels of Khmer that are not written
	case r >= 0x180B && r <= 0x180F: // selectors of Mongolian
	case r >= 0x200B && r <= 0x200F, r >= 0x2028 && r <= 0x202E, r >= 0x2060 && r <= 0x206F:
	case r == 0x2800: // a braille cell without dots
	case r >= 0xD800 && r <= 0xF8FF: // surrogates and private use
	case r >= 0xFE00 && r <= 0xFE0F, r == 0xFEFF, r >= 0xFFF0 && r <= 0xFFFB, r >= 0xFFFE && r <= 0xFFFF:
	case r >= 0x13430 && r <= 0x1343F: // layout of hieroglyphs
	case r >= 0x1BCA0 && r <= 0x1BCA3, r >= 0x1D173 && r <= 0x1D17A:
	case r >= 0xE0000: // tags, further selectors, private planes
	default:
		return false
	}
	return true
}

// Facets returns what indexes see. Its class is the model.
func (x *Refinement) Facets() Facets {
	f := facets()
	f.Class = x.Model
	f.link("of", x.Target)
	return f
}

// AppendJSON appends the refinement as compact JSON.
func (x *Refinement) AppendJSON(dst []byte) ([]byte, error) { return encode(dst, "refinement", x) }
