package hippocortex

import (
	"fmt"
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
)

// Form is the form of a document: HMX, or the older type.
type Form string

// The forms. Each older one follows its HMX form.
const (
	FormEvent            Form = "event"
	FormEpisodeTrace     Form = "episode-trace"
	FormArtifact         Form = "artifact"
	FormCompiledArtifact Form = "compiled-artifact"
	FormPack             Form = "pack"
	FormContextPack      Form = "context-pack"
)

// Forms lists the forms.
func Forms() []Form {
	return []Form{FormEvent, FormEpisodeTrace, FormArtifact, FormCompiledArtifact, FormPack, FormContextPack}
}

// ParseForm returns the form called name.
func ParseForm(name string) (Form, error) {
	if f := Form(name); slices.Contains(Forms(), f) {
		return f, nil
	}
	return "", fmt.Errorf("unknown form %q: allowed are %s", name, list(Forms()))
}

// Kind returns the HMX kind of the form, and "" if there is no such form.
func (f Form) Kind() hmx.Kind {
	if m := f.mapping(); m != nil {
		return m.kind
	}
	return ""
}

// Older reports whether f is one of the older types.
func (f Form) Older() bool {
	m := f.mapping()
	return m != nil && f == m.form
}

// Counterpart returns the form that f is mapped to, and "" if there is no such form.
func (f Form) Counterpart() Form {
	switch m := f.mapping(); {
	case m == nil:
		return ""
	case f == m.form:
		return Form(m.kind)
	default:
		return m.form
	}
}

func (f Form) mapping() *mapping {
	for _, m := range mappings() {
		if f == m.form || f == Form(m.kind) {
			return m
		}
	}
	return nil
}

// mappings lists the three mappings.
func mappings() []*mapping { return []*mapping{&episodeTrace, &compiledArtifact, &contextPack} }

// DetectForm determines the form of data by the names of the outermost object. HMX documents
// are detected by their id field, as [hmx.Detect] does, and older ones by what only they have:
// type and title for a CompiledArtifact, eventType for an EpisodeTrace, queryContext for a
// ContextPack. The document need not be valid otherwise.
func DetectForm(data []byte) (f Form, ok bool) {
	var d canon.Doc
	d.Parse(data)
	if !d.Complete() || d.Kind(d.Root()) != canon.Object {
		return "", false
	}
	has := func(name string) bool { return d.Member(d.Root(), name) != canon.None }
	// No HMX document has an id, but content in a CompiledArtifact may be called event_id. And
	// only a CompiledArtifact may have members of any name, so it is checked first.
	kind, isHMX := hmx.Detect(data)
	if isHMX && !has("id") {
		return Form(kind), true
	}
	switch {
	case has("type") && has("title"):
		return FormCompiledArtifact, true
	case has("eventType"):
		return FormEpisodeTrace, true
	case has("queryContext"):
		return FormContextPack, true
	}
	return Form(kind), isHMX
}

func list[T ~string](names []T) string {
	var b strings.Builder
	for i, n := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(n))
	}
	return b.String()
}
