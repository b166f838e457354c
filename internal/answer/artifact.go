package answer

import (
	"encoding/json"

	"lukasa.dev"
	"lukasa.dev/hmx"
)

// Artifacts are artifacts, newest first.
type Artifacts struct {
	Artifacts []*hmx.Artifact `json:"artifacts"`
	Next      *string         `json:"next"`
}

// ArtifactsOf converts a page of artifacts.
func ArtifactsOf(page *lukasa.ArtifactPage) *Artifacts {
	out := &Artifacts{Artifacts: make([]*hmx.Artifact, len(page.Artifacts)), Next: NextPage(page.Next)}
	for i, x := range page.Artifacts {
		out.Artifacts[i] = x.Artifact
	}
	return out
}

// Artifact is an artifact with its evidence.
type Artifact struct {
	URI          lukasa.URI       `json:"uri"`
	Artifact     *hmx.Artifact    `json:"artifact"`
	Trust        lukasa.Trust     `json:"trust"`
	Actor        string           `json:"actor"`
	Position     uint64           `json:"position"`
	RecordedAt   string           `json:"recorded_at"`
	HashVerified bool             `json:"hash_verified"`
	Refined      *Refined         `json:"refined,omitempty"`
	Evidence     Evidence         `json:"evidence"`
	Conflicts    []lukasa.URI     `json:"conflicts"`
	Changes      []ArtifactChange `json:"changes"`
}

// Refined is the title and the summary that a model wrote for an artifact.
type Refined struct {
	URI       lukasa.URI `json:"uri"`
	Model     string     `json:"model"`
	Title     string     `json:"title"`
	Summary   string     `json:"summary"`
	WrittenAt string     `json:"written_at"`
}

// Evidence is the sources of an artifact, and which of them are missing.
type Evidence struct {
	Events       int          `json:"events"`
	Memories     int          `json:"memories"`
	MissingCount int          `json:"missing_count"`
	Missing      []lukasa.URI `json:"missing"`
}

// ArtifactChange is one change of the status of an artifact.
type ArtifactChange struct {
	Status       lukasa.Status `json:"status"`
	Time         string        `json:"time"`
	Actor        string        `json:"actor"`
	Trust        lukasa.Trust  `json:"trust"`
	Position     uint64        `json:"position"`
	SupersededBy string        `json:"superseded_by,omitempty"`
	Reason       string        `json:"reason,omitempty"`
}

// ArtifactOf converts an artifact.
func ArtifactOf(d *lukasa.ArtifactDetail) *Artifact {
	out := &Artifact{
		URI: d.URI, Artifact: d.Artifact, Trust: d.Trust, Actor: d.Actor, Position: d.Position, RecordedAt: Instant(d.Recorded), HashVerified: d.HashVerified,
		Evidence:  Evidence{d.Events, d.Memories, d.MissingCount, append([]lukasa.URI{}, d.Missing...)},
		Conflicts: append([]lukasa.URI{}, d.Conflicts...), Changes: artifactChangesOf(d.Changes),
	}
	if x := d.Refined; x != nil {
		out.Refined = &Refined{x.URI, x.Model, x.Title, x.Summary, Instant(x.Written)}
	}
	return out
}

func artifactChangesOf(list []lukasa.ArtifactChange) []ArtifactChange {
	out := make([]ArtifactChange, len(list))
	for i, c := range list {
		out[i] = ArtifactChange{c.Status, Instant(c.Time), c.Actor, c.Trust, c.Position, c.SupersededBy, c.Reason}
	}
	return out
}

// Chain is the versions of an artifact.
type Chain struct {
	URI      lukasa.URI `json:"uri"`
	Versions []Chained  `json:"versions"`
}

// Chained is one version of an artifact, without its content.
type Chained struct {
	ID           string           `json:"artifact_id"`
	Version      int64            `json:"version"`
	Status       lukasa.Status    `json:"status"`
	Title        string           `json:"title"`
	Confidence   float64          `json:"confidence"`
	ContentHash  string           `json:"content_hash"`
	Events       int              `json:"events"`
	Supersedes   string           `json:"supersedes,omitempty"`
	SupersededBy string           `json:"superseded_by,omitempty"`
	Changes      []ArtifactChange `json:"changes"`
}

// ChainOf converts the versions of an artifact.
func ChainOf(u lukasa.URI, list []*lukasa.ArtifactVersion) *Chain {
	out := &Chain{URI: u, Versions: make([]Chained, len(list))}
	for i, x := range list {
		a := x.Artifact
		out.Versions[i] = Chained{
			ID: a.ArtifactID, Version: a.Version, Status: a.Status, Title: a.Title, Confidence: a.Confidence, ContentHash: a.ContentHash,
			Events: len(a.SourceEvents), Supersedes: a.Supersedes.Or(""), SupersededBy: a.SupersededBy.Or(""), Changes: artifactChangesOf(x.Changes),
		}
	}
	return out
}

// Diff is what changed from one artifact to another.
type Diff struct {
	From          VersionName  `json:"from"`
	To            VersionName  `json:"to"`
	Changes       []Difference `json:"changes"`
	EventsAdded   int          `json:"events_added"`
	EventsRemoved int          `json:"events_removed"`
}

// VersionName names a version of an artifact.
type VersionName struct {
	ID      string `json:"artifact_id"`
	Version int64  `json:"version"`
}

// Difference is one place at which two artifacts differ.
type Difference struct {
	Path string          `json:"path"`
	Op   lukasa.DiffOp   `json:"op"`
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
}

// DiffOf converts a difference.
func DiffOf(d *lukasa.ArtifactDiff) *Diff {
	out := &Diff{
		From: VersionName{d.From.Artifact.ArtifactID, d.From.Artifact.Version}, To: VersionName{d.To.Artifact.ArtifactID, d.To.Artifact.Version},
		Changes: []Difference{}, EventsAdded: d.EventsAdded, EventsRemoved: d.EventsRemoved,
	}
	for _, x := range d.Changes {
		out.Changes = append(out.Changes, Difference(x))
	}
	return out
}

// Decided is the result of a decision about an artifact.
type Decided struct {
	Write
	From       lukasa.Status `json:"from"`
	To         lukasa.Status `json:"to"`
	Superseded *lukasa.URI   `json:"superseded,omitempty"`
}

// DecidedOf converts a decision, with the state of the tenant afterwards.
func DecidedOf(d *lukasa.ArtifactDecided, after lukasa.Root) *Decided {
	a := &Decided{Write: Write{d.URI, d.URI.Version, d.Position, d.Trust, d.Unchanged, after.Size, StateOf(after).Root, 0}, From: d.From, To: d.To}
	if !d.Superseded.IsZero() {
		a.Superseded = &d.Superseded
	}
	return a
}
