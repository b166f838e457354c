package hippocortex

import (
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"lukasa.dev/hmx"
)

// packText draws a valid pack, with at most one entry per section so that any score is in
// order.
func packText(t *rapid.T) []byte {
	sections := rapid.SliceOfDistinct(rapid.SampledFrom(hmx.Sections()), func(s hmx.Section) hmx.Section { return s }).Draw(t, "sections")
	slices.SortFunc(sections, func(a, b hmx.Section) int { return a.Priority() - b.Priority() })
	entries, dropped, budgets := []byte{'['}, []byte{'['}, object{}
	for i, s := range sections {
		if i > 0 {
			entries, dropped = append(entries, ','), append(dropped, ',')
		}
		entries = append(entries, entryText(t, s, true)...)
		dropped = append(dropped, entryText(t, s, false)...)
		budgets.add(string(s), []byte(`{"budget":10,"used":1,"id":9007199254740993}`))
	}
	entries, dropped = append(entries, ']'), append(dropped, ']')
	number := strconv.Itoa(len(sections))

	var budget, assembly, p object
	for n, v := range map[string]string{"total_budget": "90071992547409931", "used": "1", "remaining": "90071992547409930", "truncated": "false", "dropped_count": "500"} {
		budget.add(n, []byte(v))
	}
	budget.add("section_budgets", budgets.text())
	extend(t, &budget, 2, "total_budget", "used", "remaining", "truncated", "dropped_count", "section_budgets")

	assembly.add("assembly_strategy", quoted("ranked"))
	assembly.add("ranking_weights", []byte(`{"hmx":0.10,"":1}`))
	assembly.add("retrieval_sources", texts(t))
	assembly.add("candidate_count", []byte("1000"))
	assembly.add("included_count", []byte(number))
	assembly.add("assembly_duration_ms", []byte("12.50"))
	assembly.add("query_classification", []byte(`{"intent":"","keywords":[],"entities":["é"],"time_ref":null,"droppedItems":1}`))
	extend(t, &assembly, 2, "assembly_strategy", "ranking_weights", "retrieval_sources", "candidate_count", "included_count", "assembly_duration_ms", "query_classification")

	p.add("hmx_version", []byte(`"HMX-1.0"`))
	p.add("pack_id", id(t))
	p.add("query_context", text(t))
	p.add("entries", entries)
	p.add("token_budget", budget.text())
	p.add("assembly_metadata", assembly.text())
	p.add("created_at", moment(t))
	p.add("metadata", anyObject(t))
	maybe(t, &p, "tenant_id", text)
	maybe(t, &p, "agent_id", text)
	maybe(t, &p, "session_id", text)
	maybe(t, &p, "workflow_hints", func(t *rapid.T) []byte {
		return objectText(t, 2, "suggested_next_steps", "active_task_schema", "current_step", "total_steps", "blockers")
	})
	maybe(t, &p, "decision_constraints", func(t *rapid.T) []byte {
		return []byte(rapid.SampledFrom([]string{"[]", `[{"artifact_id":"","condition":"c","constraint":"","confidence":0.50,"override_allowed":true,"hmx":{}}]`}).Draw(t, "constraints"))
	})
	maybe(t, &p, "dropped_entries", func(t *rapid.T) []byte {
		if rapid.Bool().Draw(t, "none dropped") {
			return []byte("[]")
		}
		return dropped
	})
	maybe(t, &p, "fingerprint_priors", anyObject)
	maybe(t, &p, "tags", texts)
	return p.text()
}

func entryText(t *rapid.T, s hmx.Section, included bool) []byte {
	var e object
	e.add("section", quoted(string(s)))
	e.add("source_id", id(t))
	e.add("source_type", quoted(string(s.SourceTypes()[0])))
	e.add("relevance_score", fraction(t))
	e.add("token_estimate", []byte(rapid.SampledFrom([]string{"0", "7", "1e3", "900719925474099"}).Draw(t, "tokens")))
	e.add("rank", count(t))
	known := []string{"section", "source_id", "source_type", "relevance_score", "token_estimate", "rank", "content", "provenance", "drop_reason"}
	if included {
		e.add("content", text(t))
		e.add("provenance", []byte(`{"origin":"","confidence":0.90,"evidence_count":0,"metadata":[]}`))
	} else {
		e.add("drop_reason", quoted("duplicate"))
	}
	extend(t, &e, 2, known...)
	return e.text()
}
