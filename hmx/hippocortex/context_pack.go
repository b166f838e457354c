package hippocortex

import (
	"strconv"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
)

// EncodeContextPack writes p as a ContextPack, in one line of JSON. It fails if p
// is not valid.
func EncodeContextPack(p *hmx.Pack) ([]byte, error) { return encode(&contextPack, p) }

// DecodeContextPack decodes a ContextPack. It returns the pack with any warnings, or an error
// that wraps an *[hmx.InvalidError] with all problems.
//
// A pack without an envelope is completed with values that follow from others:
//
//   - tokenBudget.remaining is total_budget minus used, section_budgets is empty,
//     dropped_count is the length of droppedItems if there are any to count;
//   - assemblyResult.included_count is the number of entries;
//   - rank is an entry's place, from 1, if no entry has a rank;
//   - provenance of an entry is Defaults.Provenance;
//   - tenant_id and agent_id are those of Defaults if given, hmx_version is
//     [hmx.Version], and absent metadata is empty.
//
// Everything else that HMX-C requires must be present, in particular assemblyResult.
func DecodeContextPack(data []byte, opts *Options) (*hmx.Pack, []hmx.Problem, error) {
	return decode(&contextPack, data, opts, hmx.DecodePack)
}

// contextPack is HMX-C section 9.
var contextPack = mapping{
	kind: hmx.KindPack, form: FormContextPack, rule: "HMX-C/9", sizeRule: "HMX-C/12",
	rows: []row{
		{"hmx_version", inEnvelope, "hmx_version"},
		{"pack_id", inRoot, "id"},
		{"query_context", inRoot, "queryContext"},
		{"entries", inRoot, "entries"},
		{"token_budget", inRoot, "tokenBudget"},
		assemblyRow,
		{"created_at", inRoot, "createdAt"},
		{"metadata", inMetadata, ""},
		{"tenant_id", inEnvelope, "tenant_id"},
		{"agent_id", inEnvelope, "agent_id"},
		{"session_id", inEnvelope, "session_id"},
		{"workflow_hints", inEnvelope, "workflow_hints"},
		{"decision_constraints", inEnvelope, "decision_constraints"},
		{"dropped_entries", inAssembly, "droppedItems"},
		{"fingerprint_priors", inEnvelope, "fingerprint_priors"},
		{"tags", inEnvelope, "tags"},
	},
	complete: completePack,
}

var assemblyRow = row{"assembly_metadata", inAssembly, ""}

func completePack(r *reader) {
	if r.enveloped() {
		return
	}
	r.owners()
	if r.nodes[inAssembly] == canon.None {
		r.missing(inAssembly.pointer(), "the AssemblyResult of the retrieval layer: an object with assembly_strategy, ranking_weights, "+
			"retrieval_sources, candidate_count, assembly_duration_ms, query_classification and, if any, droppedItems")
	}
	r.completeBudget()
	entries := r.member(inRoot, "entries")
	if !r.is(entries, canon.Array) {
		return
	}
	r.completeEntries(entries)
	if r.is(r.nodes[inAssembly], canon.Object) && r.member(inAssembly, "included_count") == canon.None {
		assembly := r.gather(assemblyRow)
		assembly.add("included_count", strconv.AppendInt(nil, int64(r.doc.Len(entries)), 10))
		r.fill["assembly_metadata"] = assembly.text()
	}
}

// completeBudget fills in what follows from the rest of tokenBudget and from droppedItems.
func (r *reader) completeBudget() {
	budget := r.member(inRoot, "tokenBudget")
	if !r.is(budget, canon.Object) {
		return
	}
	var out object
	members(&r.doc, budget, func(c canon.Node) { out.member(&r.doc, c) })
	absent := func(name string) bool { return r.doc.Member(budget, name) == canon.None }
	total, known := r.integer(budget, "total_budget")
	used, spent := r.integer(budget, "used")
	if absent("remaining") && known && spent && 0 <= used && used <= total {
		out.add("remaining", strconv.AppendInt(nil, total-used, 10))
	}
	if absent("section_budgets") {
		out.add("section_budgets", []byte("{}"))
	}
	if dropped := r.member(inAssembly, "droppedItems"); absent("dropped_count") && r.is(dropped, canon.Array) {
		out.add("dropped_count", strconv.AppendInt(nil, int64(r.doc.Len(dropped)), 10))
	}
	r.fill["token_budget"] = out.text()
}

// integer returns the integer called name in object n.
func (r *reader) integer(n canon.Node, name string) (int64, bool) {
	m := r.doc.Member(n, name)
	if !r.is(m, canon.Number) {
		return 0, false
	}
	return r.doc.Int(m)
}

// completeEntries fills in rank and provenance, which the older entry does not have.
func (r *reader) completeEntries(entries canon.Node) {
	ranked := false
	members(&r.doc, entries, func(e canon.Node) {
		ranked = ranked || r.doc.Member(e, "rank") != canon.None
	})
	provenance, err := r.opts.Defaults.Provenance.MarshalJSON()
	if err != nil {
		r.wrong(entries, "Defaults.Provenance: "+err.Error(), "a provenance that can be written as JSON")
	}
	out := []byte{'['}
	place := int64(0)
	members(&r.doc, entries, func(e canon.Node) {
		if place++; place > 1 {
			out = append(out, ',')
		}
		if r.doc.Kind(e) != canon.Object {
			out = r.doc.AppendCompact(out, e) // the wrong kind: HMX reports it
			return
		}
		var entry object
		members(&r.doc, e, func(c canon.Node) { entry.member(&r.doc, c) })
		if !ranked {
			entry.add("rank", strconv.AppendInt(nil, place, 10))
		}
		if r.doc.Member(e, "provenance") == canon.None {
			if r.opts.Defaults.Provenance.Set && err == nil {
				entry.add("provenance", provenance)
			} else if !r.full() {
				r.missing(r.doc.Pointer(e)+"/provenance",
					"an object with origin, confidence and evidence_count; if the pack does not say, give Defaults.Provenance")
			}
		}
		out = append(out, entry.text()...)
	})
	r.fill["entries"] = append(out, ']')
}
