package memory

import (
	"slices"
	"strings"

	"lukasa.dev/internal/document"
)

// Verb is the action of a frame. The zero Verb is none.
type Verb string

// The ten verbs.
const (
	VerbFind      Verb = "find"
	VerbAcquire   Verb = "acquire"
	VerbBuild     Verb = "build"
	VerbModify    Verb = "modify"
	VerbDeliver   Verb = "deliver"
	VerbAnalyze   Verb = "analyze"
	VerbNegotiate Verb = "negotiate"
	VerbSchedule  Verb = "schedule"
	VerbMonitor   Verb = "monitor"
	VerbDelegate  Verb = "delegate"
)

// Verbs lists the verbs.
func Verbs() []Verb {
	return []Verb{
		VerbFind, VerbAcquire, VerbBuild, VerbModify, VerbDeliver,
		VerbAnalyze, VerbNegotiate, VerbSchedule, VerbMonitor, VerbDelegate,
	}
}

// ObjectKind is the kind of a frame's object.
type ObjectKind string

// The sixteen object kinds: ten for what agents handle, six for what they work on.
const (
	ObjService    ObjectKind = "service"
	ObjModel      ObjectKind = "model"
	ObjAgent      ObjectKind = "agent"
	ObjKnowledge  ObjectKind = "knowledge"
	ObjIntent     ObjectKind = "intent"
	ObjAsset      ObjectKind = "asset"
	ObjPlan       ObjectKind = "plan"
	ObjCapability ObjectKind = "capability"
	ObjToken      ObjectKind = "token"
	ObjAddress    ObjectKind = "address"
	ObjFile       ObjectKind = "file"
	ObjRepository ObjectKind = "repository"
	ObjTool       ObjectKind = "tool"
	ObjPerson     ObjectKind = "person"
	ObjProject    ObjectKind = "project"
	ObjURL        ObjectKind = "url"
)

// ObjectKinds lists the object kinds.
func ObjectKinds() []ObjectKind {
	return []ObjectKind{
		ObjService, ObjModel, ObjAgent, ObjKnowledge, ObjIntent, ObjAsset, ObjPlan, ObjCapability, ObjToken, ObjAddress,
		ObjFile, ObjRepository, ObjTool, ObjPerson, ObjProject, ObjURL,
	}
}

// sentinel is an error to match, never shown on its own.
type sentinel string

func (s sentinel) Error() string { return string(s) }

const (
	// ErrInvalidVerb is in the chain of an error about an unknown verb. The error itself lists
	// the ten verbs.
	ErrInvalidVerb sentinel = "there is no such verb"
	// ErrInvalidObjKind is in the chain of an error about an unknown object kind. The error
	// itself lists the sixteen kinds.
	ErrInvalidObjKind sentinel = "there is no such object kind"
)

// ParseVerb returns the verb called name.
func ParseVerb(name string) (Verb, error) {
	var f faults
	f.verb("verb", Verb(name))
	return Verb(name), f.Err("frame")
}

// ParseObjectKind returns the object kind called name.
func ParseObjectKind(name string) (ObjectKind, error) {
	var f faults
	f.objectKind("kind", ObjectKind(name))
	return ObjectKind(name), f.Err("frame")
}

func (f *faults) verb(field string, v Verb) {
	document.OneOf(&f.Problems, field, v, "a verb", Verbs(), ErrInvalidVerb)
}

func (f *faults) objectKind(field string, k ObjectKind) {
	document.OneOf(&f.Problems, field, k, "an object kind", ObjectKinds(), ErrInvalidObjKind)
}

// Frame is a situation in which a record matters: an action on an object.
type Frame struct {
	Verb Verb       `json:"verb"`
	Kind ObjectKind `json:"kind"`
	Ref  string     `json:"ref"` // path, name or address of the object
}

// String returns the text form verb:kind=ref.
func (fr Frame) String() string { return string(fr.Verb) + ":" + string(fr.Kind) + "=" + fr.Ref }

// ParseFrame parses the text form verb:kind=ref. The reference is everything after the first
// equals sign.
func ParseFrame(text string) (Frame, error) {
	var f faults
	head, ref, ok := strings.Cut(text, "=")
	verb, kind, ok2 := strings.Cut(head, ":")
	if !ok || !ok2 {
		f.Add("frame", "is "+document.Show(text)+", which is not of the form verb:kind=ref", "write it such as modify:file=internal/pack/pack.go")
		return Frame{}, f.Err("frame")
	}
	fr := Frame{Verb(verb), ObjectKind(kind), ref}
	f.frame("", fr)
	if err := f.Err("frame"); err != nil {
		return Frame{}, err
	}
	return fr, nil
}

// Validate checks the three parts.
func (fr Frame) Validate() error {
	var all faults
	all.frame("", fr)
	return all.Err("frame")
}

// frame adds what is wrong with fr. prefix is empty or ends in a dot.
func (f *faults) frame(prefix string, fr Frame) {
	f.verb(prefix+"verb", fr.Verb)
	f.objectKind(prefix+"kind", fr.Kind)
	f.Name(prefix+"ref", fr.Ref, MaxRef)
}

func (fr *Frame) fields(c *document.Codec) {
	document.Word(c, "verb", &fr.Verb)
	document.Word(c, "kind", &fr.Kind)
	document.Word(c, "ref", &fr.Ref)
}

// sortFrames sorts frames and removes duplicates.
func sortFrames(frames []Frame) []Frame {
	if len(frames) == 0 {
		return nil
	}
	out := slices.Clone(frames)
	slices.SortFunc(out, func(a, b Frame) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(out)
}

// sortWords sorts words and removes duplicates.
func sortWords[T ~string](words []T) []T {
	if len(words) == 0 {
		return nil
	}
	out := slices.Clone(words)
	slices.Sort(out)
	return slices.Compact(out)
}
