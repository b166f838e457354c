package hippocortex

import (
	"strconv"

	"lukasa.dev/hmx"
	"lukasa.dev/hmx/internal/shape"
	"lukasa.dev/internal/canon"
)

// EncodeEpisodeTrace writes e as an EpisodeTrace, in one line of JSON. It fails
// if e is not valid.
func EncodeEpisodeTrace(e *hmx.Event) ([]byte, error) { return encode(&episodeTrace, e) }

// DecodeEpisodeTrace decodes an EpisodeTrace. It returns the event with any warnings, or an
// error that wraps an *[hmx.InvalidError] with all problems.
//
// For a trace without an envelope,
//
//   - agent_id is metadata.agent_id, else metadata.agentId, else
//     Defaults.AgentID, and tenant_id likewise. The first form is moved out of
//     metadata, the second stays there. Two forms that differ are refused;
//   - sequence is the session's next number of Options.Sequencer;
//   - hmx_version is [hmx.Version], and absent metadata is empty.
func DecodeEpisodeTrace(data []byte, opts *Options) (*hmx.Event, []hmx.Problem, error) {
	return decode(&episodeTrace, data, opts, hmx.DecodeEvent)
}

// episodeTrace is HMX-E section 10.
var episodeTrace = mapping{
	kind: hmx.KindEvent, form: FormEpisodeTrace, rule: "HMX-E/10", sizeRule: "HMX-E/11",
	rows: []row{
		{"hmx_version", inEnvelope, "hmx_version"},
		{"event_id", inRoot, "id"},
		{"event_type", inRoot, "eventType"},
		{"agent_id", inMetadata, "agent_id"},
		{"tenant_id", inMetadata, "tenant_id"},
		{"session_id", inRoot, "sessionId"},
		{"timestamp", inRoot, "timestamp"},
		{"sequence", inEnvelope, "sequence"},
		{"content", inRoot, "payload"},
		{"metadata", inMetadata, ""},
		{"trace_id", inEnvelope, "trace_id"},
		{"correlation_id", inEnvelope, "correlation_id"},
		{"parent_event_id", inEnvelope, "parent_event_id"},
		{"embeddings", inEnvelope, "embeddings"},
		{"salience", inRoot, "salienceScore"},
		{"source", inRoot, "source"},
		{"provenance_ref", inRoot, "provenanceRef"},
		{"tags", inEnvelope, "tags"},
		{"ttl_seconds", inEnvelope, "ttl_seconds"},
	},
	complete: completeTrace,
}

func completeTrace(r *reader) {
	if r.enveloped() {
		r.session = sessionKey{r.text(r.member(inMetadata, "tenant_id")), r.text(r.member(inRoot, "sessionId"))}
		if n := r.member(inEnvelope, "sequence"); r.is(n, canon.Number) {
			if v, ok := r.doc.Int(n); ok {
				r.sequence = hmx.Some(v)
			}
		}
		return
	}
	r.owner("agent_id", "agentId", "Defaults.AgentID", r.opts.Defaults.AgentID)
	tenant := r.owner("tenant_id", "tenantId", "Defaults.TenantID", r.opts.Defaults.TenantID)
	r.number(sessionKey{tenant, r.text(r.member(inRoot, "sessionId"))})
}

// owner determines the agent or the tenant of a trace without an envelope.
func (r *reader) owner(field, alias, option, standIn string) string {
	own, other := r.member(inMetadata, field), r.member(inMetadata, alias)
	if own != canon.None {
		if r.is(other, canon.String) && r.is(own, canon.String) && r.text(other) != r.text(own) {
			r.wrong(other, shape.Show(&r.doc, other), "the same as "+field+", "+shape.Quote(r.text(own))+"; leave one of them out")
		}
		return r.text(own)
	}
	if other != canon.None {
		name := r.text(other)
		if name == "" {
			r.wrong(other, shape.Show(&r.doc, other), "a non-empty string, which becomes "+field)
			name = alias // a value, so that the field is not reported as missing too
		}
		r.fill[field] = quoted(name)
		return name
	}
	if standIn == "" {
		r.missing(inMetadata.pointer()+"/"+field,
			"a non-empty string here or in "+alias+"; if the trace does not say, give "+option)
		return ""
	}
	r.fill[field] = quoted(standIn)
	return standIn
}

// number gives a trace without an envelope its sequence in the session.
func (r *reader) number(session sessionKey) {
	at := inEnvelope.pointer() + "/sequence"
	if r.opts.Sequencer == nil {
		r.missing(at, "a sequence number; EpisodeTrace has none, so give Options.Sequencer")
		return
	}
	next, ok := r.opts.Sequencer.Next(session.tenant, session.session)
	if !ok {
		r.missing(at, "a sequence number, but the session has used the last one, 2^63-1; begin another session")
		return
	}
	r.session, r.sequence = session, hmx.Some(next)
	r.fill["sequence"] = strconv.AppendInt(nil, next, 10)
}

// text returns the text of n, and "" if it is not a string.
func (r *reader) text(n canon.Node) string {
	if !r.is(n, canon.String) {
		return ""
	}
	return r.doc.Text(n)
}
