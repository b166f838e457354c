package memory

import (
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/record"
)

// Artifact is an HMX artifact as the body of a record. It obeys the rules of HMX-A, and its id
// also obeys [CheckID].
type Artifact struct {
	HMX hmx.Artifact
}

// Kind returns record.Artifact.
func (a *Artifact) Kind() record.Kind { return record.Artifact }

// Identity returns the artifact id; an artifact has no key.
func (a *Artifact) Identity() (id, key string) { return a.HMX.ArtifactID, "" }

// SetID sets the artifact id.
func (a *Artifact) SetID(id string) { a.HMX.ArtifactID = id }

// Normalize sets the protocol version if there is none.
func (a *Artifact) Normalize() { fallback(&a.HMX.HMXVersion, hmx.Version) }

// Validate applies every rule of HMX-A, which requires an id.
func (a *Artifact) Validate() error {
	if _, err := a.HMX.Validate(); err != nil {
		return fault.Wrap(fault.InvalidDocument, err)
	}
	return CheckID("artifact_id", a.HMX.ArtifactID)
}

// Facets returns what indexes see. HMX-A lets tags and references be any text; those that break
// the rules of tags and ids are left out.
func (a *Artifact) Facets() Facets {
	x := facets()
	x.Class, x.State = string(a.HMX.ArtifactType), string(a.HMX.Status)
	for _, t := range sortWords(a.HMX.Tags) {
		if new(faults).Trimmed("", t, MaxTag) {
			x.Tags = append(x.Tags, t)
		}
	}
	x.refer("supersedes", record.Artifact, a.HMX.Supersedes.Or(""))
	x.refer("superseded_by", record.Artifact, a.HMX.SupersededBy.Or(""))
	x.refer("derived_from", record.Event, a.HMX.SourceEvents...)
	x.refer("derived_from", record.Memory, a.HMX.SourceMemoryIDs...)
	if r := a.HMX.ValidityScope.Or(hmx.ValidityScope{}).TimeRange; r.Set {
		x.validity(r.Value.Start.Or(hmx.Time{}), r.Value.End.Or(hmx.Time{}))
	}
	x.Confidence = a.HMX.Confidence
	if agent := a.HMX.AgentID.Or(""); new(faults).Name("", agent, MaxID) {
		x.Agent = agent
	}
	return x
}

// refer links to records of a kind by id.
func (x *Facets) refer(rel string, kind record.Kind, ids ...string) {
	if len(ids) > 1 {
		x.Links = slices.Grow(x.Links, len(ids))
	}
	for _, id := range ids {
		if new(faults).Name("", id, MaxID) {
			x.Links = append(x.Links, Link{rel, URI{Kind: kind, ID: id}})
		}
	}
}

// AppendJSON appends the artifact as compact JSON, as HMX-A writes it.
func (a *Artifact) AppendJSON(dst []byte) ([]byte, error) {
	out, err := a.HMX.AppendJSON(dst)
	if err != nil {
		return dst, fault.Wrap(fault.InvalidDocument, err)
	}
	return out, nil
}

func decodeArtifact(data []byte) (Body, error) {
	doc, _, err := hmx.DecodeArtifact(data)
	if err != nil {
		return nil, fault.Wrap(fault.InvalidDocument, err)
	}
	if err := CheckID("artifact_id", doc.ArtifactID); err != nil {
		return nil, err
	}
	a := &Artifact{HMX: *doc}
	a.Normalize()
	return a, nil
}
