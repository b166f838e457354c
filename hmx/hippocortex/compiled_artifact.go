package hippocortex

import (
	"strings"

	"lukasa.dev/hmx"
)

// EncodeCompiledArtifact writes a as a CompiledArtifact, in one line of JSON. It
// fails if a is not valid.
func EncodeCompiledArtifact(a *hmx.Artifact) ([]byte, error) { return encode(&compiledArtifact, a) }

// DecodeCompiledArtifact decodes a CompiledArtifact: every undocumented member is content. It
// returns the artifact with any warnings, or an error that wraps an *[hmx.InvalidError] with
// all problems.
//
// For an artifact without an envelope, version is 1, content_hash is computed, created_at is
// Defaults.CreatedAt, tenant_id and agent_id are those of Defaults if given, hmx_version is
// [hmx.Version], and absent metadata is empty.
func DecodeCompiledArtifact(data []byte, opts *Options) (*hmx.Artifact, []hmx.Problem, error) {
	return decode(&compiledArtifact, data, opts, hmx.DecodeArtifact)
}

// compiledArtifact is HMX-A section 11.
var compiledArtifact = mapping{
	kind: hmx.KindArtifact, form: FormCompiledArtifact, rule: "HMX-A/11", sizeRule: "HMX-A/12",
	rows: []row{
		{"hmx_version", inEnvelope, "hmx_version"},
		{"artifact_id", inRoot, "id"},
		{"artifact_type", inRoot, "type"},
		{"title", inRoot, "title"},
		{"summary", inRoot, "summary"},
		contentRow,
		{"confidence", inRoot, "confidence"},
		{"status", inRoot, "status"},
		{"source_events", inRoot, "evidenceRefs"},
		{"source_memory_ids", inRoot, "sourceMemoryIds"},
		{"version", inEnvelope, "version"},
		{"created_at", inEnvelope, "created_at"},
		{"content_hash", inEnvelope, "content_hash"},
		{"metadata", inMetadata, ""},
		{"tenant_id", inEnvelope, "tenant_id"},
		{"agent_id", inEnvelope, "agent_id"},
		{"superseded_by", inRoot, "supersededBy"},
		{"supersedes", inEnvelope, "supersedes"},
		{"validity_scope", inEnvelope, "validity_scope"},
		{"tags", inRoot, "tags"},
		{"observed_count", inEnvelope, "observed_count"},
		{"success_rate", inEnvelope, "success_rate"},
		{"updated_at", inEnvelope, "updated_at"},
	},
	complete: completeArtifact,
}

var contentRow = row{"content", inRoot, ""}

func completeArtifact(r *reader) {
	if r.enveloped() {
		return
	}
	r.owners()
	r.fill["version"] = []byte("1")
	content := r.gather(contentRow).text()
	hash, err := hmx.ContentHash(hmx.Raw(content))
	if err != nil {
		hash = strings.Repeat("0", 64) // the content is invalid, which is reported
	}
	r.fill["content"], r.fill["content_hash"] = content, quoted(hash)
	if at := r.opts.Defaults.CreatedAt; !at.IsZero() {
		r.fill["created_at"] = quoted(at.String())
	} else {
		r.missing(inEnvelope.pointer()+"/created_at", "a time; CompiledArtifact has none, so give Defaults.CreatedAt")
	}
}

// owners gives an artifact or a pack without an envelope the caller's agent and tenant, if
// there are any.
func (r *reader) owners() {
	if id := r.opts.Defaults.AgentID; id != "" {
		r.fill["agent_id"] = quoted(id)
	}
	if id := r.opts.Defaults.TenantID; id != "" {
		r.fill["tenant_id"] = quoted(id)
	}
}
