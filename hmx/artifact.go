package hmx

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"lukasa.dev/hmx/internal/shape"
	"lukasa.dev/internal/canon"
)

// Limits of HMX-A section 12.
const (
	MaxArtifactBytes        = 512 << 10
	MaxArtifactContentBytes = 256 << 10
	MaxSourceEvents         = 10_000
)

// ArtifactType is the type of an artifact.
type ArtifactType string

// The five artifact types of HMX-A section 3.
const (
	TypeTaskSchema       ArtifactType = "task_schema"
	TypeFailurePlaybook  ArtifactType = "failure_playbook"
	TypeDecisionPolicy   ArtifactType = "decision_policy"
	TypeCausalPattern    ArtifactType = "causal_pattern"
	TypeStrategyTemplate ArtifactType = "strategy_template"
)

// ArtifactTypes lists the artifact types in the order of the document.
func ArtifactTypes() []ArtifactType {
	return []ArtifactType{TypeTaskSchema, TypeFailurePlaybook, TypeDecisionPolicy, TypeCausalPattern, TypeStrategyTemplate}
}

// Artifact is one HMX artifact: knowledge compiled from events. Content, hash and
// identity never change; status, superseded_by and updated_at are its lifecycle.
type Artifact struct {
	HMXVersion      string       `json:"hmx_version"`
	ArtifactID      string       `json:"artifact_id"`
	ArtifactType    ArtifactType `json:"artifact_type"`
	Title           string       `json:"title"`
	Summary         string       `json:"summary"`
	Content         Raw          `json:"content"`
	Confidence      float64      `json:"confidence"`
	Status          Status       `json:"status"`
	SourceEvents    []string     `json:"source_events"`
	SourceMemoryIDs []string     `json:"source_memory_ids"`
	Version         int64        `json:"version"`
	CreatedAt       Time         `json:"created_at"`
	ContentHash     string       `json:"content_hash"`
	Metadata        Raw          `json:"metadata"`

	TenantID      Opt[string]        `json:"tenant_id,omitzero"`
	AgentID       Opt[string]        `json:"agent_id,omitzero"`
	SupersededBy  Opt[string]        `json:"superseded_by,omitzero"`
	Supersedes    Opt[string]        `json:"supersedes,omitzero"`
	ValidityScope Opt[ValidityScope] `json:"validity_scope,omitzero"`
	Tags          []string           `json:"tags,omitzero"`
	ObservedCount Opt[int64]         `json:"observed_count,omitzero"`
	SuccessRate   Opt[float64]       `json:"success_rate,omitzero"`
	UpdatedAt     Opt[Time]          `json:"updated_at,omitzero"`
}

// DecodeArtifact decodes one artifact and applies every rule of HMX-A, including the content
// hash. It returns the artifact with any warnings, or an *InvalidError that lists all problems.
func DecodeArtifact(data []byte) (*Artifact, []Problem, error) {
	a := new(Artifact)
	warnings, err := decodeInto(&artifactSpec, data, a)
	if err != nil {
		return nil, nil, err
	}
	return a, warnings, nil
}

// decodeInto applies the rules of s to data and fills v.
func decodeInto(s *spec, data []byte, v any) ([]Problem, error) {
	d := borrow()
	defer d.giveBack()
	warnings, err := d.run(s, data)
	if err != nil {
		return nil, err
	}
	form.Bind(&d.doc, d.text(), v)
	return warnings, nil
}

// Validate applies every rule of HMX-A to an artifact made in Go.
func (a *Artifact) Validate() ([]Problem, error) {
	data, err := a.AppendJSON(nil)
	return checkEncoded(KindArtifact, data, err)
}

// AppendJSON appends the artifact as compact JSON; an empty HMXVersion is
// written as Version.
func (a *Artifact) AppendJSON(dst []byte) ([]byte, error) {
	if a == nil {
		return dst, &EncodeError{Rule: "HMX-A/2", Detail: "there is no artifact (nil)"}
	}
	if a.HMXVersion == "" {
		versioned := *a
		versioned.HMXVersion = Version
		a = &versioned
	}
	return encode(dst, a)
}

// MarshalJSON is AppendJSON for encoding/json.
func (a Artifact) MarshalJSON() ([]byte, error) { return a.AppendJSON(nil) }

// UnmarshalJSON decodes strictly, as DecodeArtifact does.
func (a *Artifact) UnmarshalJSON(data []byte) error {
	v, _, err := DecodeArtifact(data)
	if err == nil {
		*a = *v
	}
	return err
}

// Canonical returns the artifact in the canonical form of RFC 8785.
func (a *Artifact) Canonical() ([]byte, error) { return canonical(a.AppendJSON(nil)) }

// ContentHash returns the hash of HMX-A section 8: SHA-256 over the canonical
// form of content, in lower-case hexadecimal.
func ContentHash(content Raw) (string, error) {
	c, err := content.Canonical()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(c)
	return hex.EncodeToString(sum[:]), nil
}

// Canonicalize returns any JSON text in the canonical form of RFC 8785.
func Canonicalize(data []byte) ([]byte, error) { return canon.Append(nil, data) }

// checkArtifact applies the rules of HMX-A that a JSON Schema cannot express.
func checkArtifact(d *decoder) {
	d.warnVersion(aVersion, "HMX-A/2.1")
	d.checkHash()
	self, newer, older := d.slotText(aID), d.slotText(aSupersededBy), d.slotText(aSupersedes)
	if older != "" && older == self {
		d.check.At(d.slots[aSupersedes], "HMX-A/7.1", "its own artifact_id", "the id of another artifact")
	}
	if newer != "" && newer == self {
		d.check.At(d.slots[aSupersededBy], "HMX-A/7.1", "its own artifact_id", "the id of another artifact")
	}
	if newer != "" && newer == older {
		d.check.At(d.slots[aSupersededBy], "HMX-A/7.2", "the artifact it supersedes", "a later artifact: a chain has no cycle")
	}
	if d.slotText(aStatus) == string(StatusSuperseded) && !d.has(aSupersededBy) {
		d.warn(aStatus, "HMX-A/7.5", "superseded without superseded_by", "superseded_by, so that the chain can be followed")
	}
	if d.has(aScope) {
		d.checkTimeRange(d.doc.Member(d.slots[aScope], "time_range"))
	}
}

func (d *decoder) checkHash() {
	if !d.has(aContent) || !d.has(aHash) || d.doc.Kind(d.slots[aContent]) != canon.Object || len(d.doc.Flaws()) > 0 {
		return
	}
	stated := d.slotText(aHash)
	if !hashFormat.Match([]byte(stated)) {
		return // reported already
	}
	sum := sha256.Sum256(d.doc.AppendCanonical(nil, d.slots[aContent]))
	if want := hex.EncodeToString(sum[:]); stated != want {
		d.check.At(d.slots[aHash], "HMX-A/8", stated, want+", the SHA-256 of the canonical content")
	}
}

func (d *decoder) checkTimeRange(r canon.Node) {
	if r == canon.None {
		return
	}
	start, end := d.doc.Member(r, "start"), d.doc.Member(r, "end")
	if start == canon.None || end == canon.None || d.doc.Kind(start) != canon.String || d.doc.Kind(end) != canon.String {
		return
	}
	from, errFrom := ParseTime(d.doc.Text(start))
	to, errTo := ParseTime(d.doc.Text(end))
	if errFrom == nil && errTo == nil && from.Compare(to) > 0 {
		d.check.At(end, "HMX-A/6", "an end before its start", "start at or before end")
	}
}

// slotText returns the text of the string in slot i, or "" if there is none.
func (d *decoder) slotText(i int) string {
	if !d.has(i) || d.doc.Kind(d.slots[i]) != canon.String {
		return ""
	}
	return d.doc.Text(d.slots[i])
}

var artifactSpec = spec{
	kind: KindArtifact, shape: artifactShape, maxBytes: MaxArtifactBytes,
	sizeRule: "HMX-A/12", rootRule: "HMX-A/2", more: checkArtifact,
}

// Indexes of the fields in artifactShape.Fields that the rules above use.
var (
	aVersion      = artifactShape.Index("hmx_version")
	aID           = artifactShape.Index("artifact_id")
	aContent      = artifactShape.Index("content")
	aStatus       = artifactShape.Index("status")
	aHash         = artifactShape.Index("content_hash")
	aSupersededBy = artifactShape.Index("superseded_by")
	aSupersedes   = artifactShape.Index("supersedes")
	aScope        = artifactShape.Index("validity_scope")
)

var artifactTypeFormat = shape.Format{
	Match:   func(b []byte) bool { return artifactTypeKnown(string(b)) },
	Pattern: "^(" + strings.Join(names(ArtifactTypes()), "|") + "|" + customPattern + ")$",
	Allowed: "one of " + strings.Join(names(ArtifactTypes()), ", ") + ", or x-{vendor}-{type}",
}

func artifactTypeKnown(name string) bool {
	for _, t := range ArtifactTypes() {
		if string(t) == name {
			return true
		}
	}
	return CustomType(name)
}

var hashFormat = shape.Format{
	Match: func(b []byte) bool {
		if len(b) != 2*sha256.Size {
			return false
		}
		for _, c := range b {
			if c-'0' > 9 && c-'a' > 5 {
				return false
			}
		}
		return true
	},
	Pattern: "^[a-f0-9]{64}$",
	Allowed: "a SHA-256 of " + strconv.Itoa(2*sha256.Size) + " lower-case hexadecimal digits",
}
