package hmx

import (
	"fmt"
	"strings"
	"testing"
)

const entryBase = `{"section":"facts","content":"c","source_id":"m1","source_type":"memory","relevance_score":0.5,"token_estimate":10,"rank":1,` +
	`"provenance":{"origin":"semantic","confidence":1,"evidence_count":1}}`

// packBase has two candidates and nothing dropped, so that a test may drop one.
const packBase = `{"hmx_version":"HMX-1.0","pack_id":"p","query_context":"q","entries":[` + entryBase + `],` +
	`"token_budget":{"total_budget":100,"used":10,"remaining":90,"truncated":false,"section_budgets":{"facts":{"budget":100,"used":10}},"dropped_count":0},` +
	`"assembly_metadata":{"assembly_strategy":"ranked","ranking_weights":{"relevance":1},"retrieval_sources":[],"candidate_count":2,"included_count":1,` +
	`"assembly_duration_ms":0.5,"query_classification":{"intent":"i","keywords":[],"entities":[],"time_ref":null}},` +
	`"created_at":"2026-03-14T03:00:00Z","metadata":{}}`

func withPack(old, new string) string {
	if old == "" {
		return strings.TrimSuffix(packBase, "}") + "," + new + "}"
	}
	if !strings.Contains(packBase, old) {
		panic("packBase has no " + old)
	}
	return strings.Replace(packBase, old, new, 1)
}

// withEntries returns packBase with these entries and counts to match.
func withEntries(entries ...string) string {
	return strings.NewReplacer(entryBase, strings.Join(entries, ","), `"included_count":1`, fmt.Sprintf(`"included_count":%d`, len(entries)),
		`"candidate_count":2`, fmt.Sprintf(`"candidate_count":%d`, len(entries))).Replace(packBase)
}

func entry(section Section, source SourceType, id string, score float64, tokens int) string {
	return strings.NewReplacer(`"facts"`, `"`+string(section)+`"`, `"memory"`, `"`+string(source)+`"`, `"m1"`, `"`+id+`"`,
		`0.5`, fmt.Sprint(score), `"token_estimate":10`, fmt.Sprintf(`"token_estimate":%d`, tokens)).Replace(entryBase)
}

func TestPackRules(t *testing.T) {
	expect(t, KindPack, packBase)
	dropped := `{"source_id":"m","source_type":"memory","section":"facts","relevance_score":0.1,"token_estimate":1,"drop_reason":"duplicate","rank":2}`
	constraint := `{"artifact_id":"a","condition":"c","constraint":"k","confidence":0.9,"override_allowed":false}`
	for _, c := range []struct{ old, new, want string }{
		{`"pack_id":"p"`, `"pack_id":""`, "HMX-C/2.1 /pack_id"},
		{`"query_context":"q",`, ``, "HMX-C/2.1 /query_context"},
		{`"created_at":"2026-03-14T03:00:00Z"`, `"created_at":0`, "HMX-C/2.1 /created_at"},
		{`"metadata":{}`, `"metadata":null`, "HMX-C/2.1 /metadata"},
		{``, `"tenant_id":1`, "HMX-C/2.2 /tenant_id"},
		{``, `"fingerprint_priors":[]`, "HMX-C/2.2 /fingerprint_priors"},
		{``, `"colour":1`, "HMX-C/2 /colour"},
		{`"content":"c",`, ``, "HMX-C/3 /entries/0/content"},
		{`"section":"facts"`, `"section":"gossip"`, "HMX-C/3.1 /entries/0/section"},
		{`"section":"facts"`, `"section":"core"`, "HMX-C/3.1 /entries/0/source_type"},
		{`"source_type":"memory"`, `"source_type":"rumour"`, "HMX-C/3.2 /entries/0/source_type"},
		{`"confidence":1`, `"confidence":1.5`, "HMX-C/3 /entries/0/provenance/confidence"},
		{`"token_estimate":10`, `"token_estimate":-1`, "HMX-C/3 /entries/0/token_estimate"},
		{`"used":10,"remaining":90`, `"used":101,"remaining":0`, "HMX-C/4.1 /token_budget/used"},
		{`"remaining":90`, `"remaining":91`, "HMX-C/4 /token_budget/remaining"},
		{`"token_estimate":10`, `"token_estimate":101`, "HMX-C/4.1 /token_budget/total_budget"},
		{`"token_estimate":10`, `"token_estimate":9223372036854775807`, "HMX-C/4.1 /token_budget/total_budget"},
		{`"dropped_count":0`, `"dropped_count":2`, "HMX-C/5 /assembly_metadata/candidate_count"},
		{`"truncated":false`, `"truncated":0`, "HMX-C/4 /token_budget/truncated"},
		{`{"facts":{"budget"`, `{"gossip":{"budget"`, "HMX-C/4 /token_budget/section_budgets/gossip"},
		{`{"budget":100,"used":10}`, `{"budget":100}`, "HMX-C/4 /token_budget/section_budgets/facts/used"},
		{`"ranked"`, `"random"`, "HMX-C/5 /assembly_metadata/assembly_strategy"},
		{`{"relevance":1}`, `{"relevance":-1}`, "HMX-C/5 /assembly_metadata/ranking_weights/relevance"},
		{`"included_count":1`, `"included_count":2`, "HMX-C/5 /assembly_metadata/included_count"},
		{`"candidate_count":2`, `"candidate_count":0`, "HMX-C/5 /assembly_metadata/candidate_count"},
		{`"time_ref":null`, `"time_ref":7`, "HMX-C/5 /assembly_metadata/query_classification/time_ref"},
		{`"intent":"i",`, ``, "HMX-C/5 /assembly_metadata/query_classification/intent"},
		{``, `"workflow_hints":{"current_step":-1}`, "HMX-C/6 /workflow_hints/current_step"},
		{``, `"workflow_hints":{"suggested_next_steps":[{"tools":[]}]}`, "HMX-C/6 /workflow_hints/suggested_next_steps/0/description"},
		{``, `"decision_constraints":[{}]`, ""},
		{``, `"decision_constraints":[` + strings.Replace(constraint, "0.9", "9", 1) + `]`, "HMX-C/7 /decision_constraints/0/confidence"},
		{``, `"dropped_entries":[` + dropped + `]`, "HMX-C/8 /token_budget/dropped_count"},
		{`"dropped_count":0},`, `"dropped_count":1},"dropped_entries":[` + strings.Replace(dropped, "duplicate", "boring", 1) + `],`, "HMX-C/8 /dropped_entries/0/drop_reason"},
	} {
		if c.want == "" {
			if got := found(t, KindPack, withPack(c.old, c.new)); len(got) != 5 {
				t.Errorf("%s: want all five fields missing, got %v", c.new, got)
			}
			continue
		}
		expect(t, KindPack, withPack(c.old, c.new), c.want)
	}
}

// A problem of one field does not hide those of others.
func TestPackProblemsAllAtOnce(t *testing.T) {
	doc := strings.NewReplacer(`"used":10,"remaining":90`, `"used":101,"remaining":0`, `"included_count":1`, `"included_count":7`,
		`"metadata":{}`, `"metadata":{},"tags":"x"`, `"relevance_score":0.5`, `"relevance_score":"high"`).Replace(packBase)
	expect(t, KindPack, doc,
		"HMX-C/3 /entries/0/relevance_score", "HMX-C/4.1 /token_budget/used", "HMX-C/5 /assembly_metadata/included_count", "HMX-C/2.2 /tags")
	// A problem about an entry's place never quotes an invalid section.
	strange := strings.ReplaceAll(withEntries(entryBase, strings.Replace(entryBase, "0.5", "0.9", 1)), `"section":"facts"`, `"section":"a\n\u001b[31m"`)
	_, err := Check(KindPack, []byte(strange))
	if err == nil || strings.ContainsAny(err.Error(), "\n\x1b") || strings.Contains(err.Error(), "3.3") {
		t.Errorf("%q", err)
	}
	for _, whole := range []string{`"token_budget"`, `"assembly_metadata"`, `"entries"`, `"used"`, `"token_estimate"`, `"section"`} {
		for _, broken := range []string{"NaN", "1e999"} {
			at := strings.Index(packBase, whole) + len(whole) + 1
			var end int
			if end = strings.IndexAny(packBase[at:], ",}"); packBase[at] == '{' || packBase[at] == '[' {
				end = strings.Index(packBase[at:], `,"`) // inside the value: the rest is invalid or odd JSON
			}
			if found(t, KindPack, packBase[:at]+broken+packBase[at+end:]) == nil {
				t.Errorf("%s for %s was accepted", broken, whole)
			}
		}
	}
	for _, broken := range []string{`"entries":NaN`, `"entries":[NaN,{"section":1e999}]`, `"entries":7`, `"entries":[7,{},{"section":3}]`, `"entries":[null]`} {
		start, end := strings.Index(packBase, `"entries"`), strings.Index(packBase, `,"token_budget"`)
		if got := found(t, KindPack, packBase[:start]+broken+packBase[end:]); len(got) == 0 {
			t.Errorf("%s was accepted", broken)
		}
	}
}

// Every pair of section and source type is allowed or refused by the table.
func TestSectionsDrawOnTheirSources(t *testing.T) {
	for _, section := range Sections() {
		for _, source := range SourceTypes() {
			allowed := false
			for _, s := range section.SourceTypes() {
				allowed = allowed || s == source
			}
			got := found(t, KindPack, withEntries(entry(section, source, "m1", 0.5, 10)))
			if (got == nil) != allowed {
				t.Errorf("%s from %s: %v", section, source, got)
			}
		}
	}
}

func TestEntryOrder(t *testing.T) {
	e := func(id string, score float64, tokens int) string {
		return entry(SectionFacts, SourceMemory, id, score, tokens)
	}
	expect(t, KindPack, withEntries(e("z", 0.9, 50), e("b", 0.5, 10), e("c", 0.5, 10), e("a", 0.5, 11)))
	expect(t, KindPack, withEntries(e("a", 0.5, 10), e("b", 0.9, 10)), "HMX-C/3.3 /entries/1")
	expect(t, KindPack, withEntries(e("a", 0.5, 11), e("b", 0.5, 10)), "HMX-C/3.3 /entries/1")
	expect(t, KindPack, withEntries(e("b", 0.5, 10), e("a", 0.5, 10)), "HMX-C/3.3 /entries/1")
	inOrder := withEntries(entry(SectionCore, SourcePolicy, "p", 0.1, 1), e("a", 0.9, 10), entry(SectionEvidence, SourceEpisode, "x", 1, 1))
	if warnings, err := Check(KindPack, []byte(inOrder)); err != nil || warnings != nil {
		t.Errorf("%v %v", warnings, err)
	}
	outOfOrder := withEntries(e("a", 0.9, 10), entry(SectionCore, SourcePolicy, "p", 0.1, 1))
	if warnings, err := Check(KindPack, []byte(outOfOrder)); err != nil || len(warnings) != 1 || warnings[0].Rule != "HMX-C/3.3" {
		t.Errorf("%v %v", warnings, err)
	}
}

func TestPackLimits(t *testing.T) {
	repeat := func(item string, n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	many := make([]string, MaxPackEntries+1)
	for i := range many {
		many[i] = entry(SectionFacts, SourceMemory, "m1", 0.5, 0)
	}
	expect(t, KindPack, withEntries(many[:MaxPackEntries]...))
	expect(t, KindPack, withEntries(many...), "HMX-C/12 /entries")
	dropped := `{"source_id":"m","source_type":"memory","section":"facts","relevance_score":0.1,"token_estimate":1,"drop_reason":"duplicate","rank":2}`
	counted := strings.NewReplacer(`"dropped_count":0`, `"dropped_count":500`, `"candidate_count":2`, `"candidate_count":501`).Replace(packBase)
	add := func(doc, field string) string { return strings.TrimSuffix(doc, "}") + "," + field + "}" }
	expect(t, KindPack, add(counted, `"dropped_entries":`+repeat(dropped, MaxDroppedEntries)))
	expect(t, KindPack, add(counted, `"dropped_entries":`+repeat(dropped, MaxDroppedEntries+1)), "HMX-C/12 /dropped_entries")
	step := `{"description":"d"}`
	expect(t, KindPack, withPack(``, `"workflow_hints":{"suggested_next_steps":`+repeat(step, MaxNextSteps)+`}`))
	expect(t, KindPack, withPack(``, `"workflow_hints":{"suggested_next_steps":`+repeat(step, MaxNextSteps+1)+`}`), "HMX-C/12 /workflow_hints/suggested_next_steps")
	constraint := `{"artifact_id":"a","condition":"c","constraint":"k","confidence":0.9,"override_allowed":false}`
	expect(t, KindPack, withPack(``, `"decision_constraints":`+repeat(constraint, MaxDecisionConstraints)))
	expect(t, KindPack, withPack(``, `"decision_constraints":`+repeat(constraint, MaxDecisionConstraints+1)), "HMX-C/12 /decision_constraints")
	expect(t, KindPack, withPack(``, `"tags":`+repeat(`"t"`, MaxTags+1)), "HMX-C/12 /tags")
	expect(t, KindPack, withPack(`"query_context":"q"`, `"query_context":"`+pad(MaxPackBytes-len(packBase)+1)+`"`))
	expect(t, KindPack, withPack(`"query_context":"q"`, `"query_context":"`+pad(MaxPackBytes-len(packBase)+2)+`"`), "HMX-C/12 ")
}

// The fragments in the document are valid in their place.
func TestPackFragmentsOfTheDocument(t *testing.T) {
	budget := `{"total_budget":4096,"used":3200,"remaining":896,"truncated":false,"section_budgets":{"core":{"budget":512,"used":450},` +
		`"facts":{"budget":1024,"used":980},"procedures":{"budget":1024,"used":800},"episodes":{"budget":768,"used":600},` +
		`"graph_relations":{"budget":512,"used":370}},"dropped_count":5}`
	start := strings.Index(packBase, `{"total_budget"`)
	end := strings.Index(packBase, `,"assembly_metadata"`)
	expect(t, KindPack, strings.Replace(packBase[:start]+budget+packBase[end:], `"candidate_count":2`, `"candidate_count":150`, 1))
	expect(t, KindPack, withPack(``, `"workflow_hints":{"suggested_next_steps":[{"description":"Verify deployment succeeded","artifact_id":"art-002",`+
		`"confidence":0.85,"tools":["kubectl"]}],"active_task_schema":"art-002","current_step":3,"total_steps":5,"blockers":[]}`))
	expect(t, KindPack, withPack(``, `"decision_constraints":[{"artifact_id":"art-policy-001","condition":"Database migration on tables > 1GB",`+
		`"constraint":"Must use online migration tool","confidence":0.92,"override_allowed":true}]`))
	counted := strings.NewReplacer(`"dropped_count":0`, `"dropped_count":1`, `"candidate_count":2`, `"candidate_count":3`).Replace(packBase)
	expect(t, KindPack, strings.TrimSuffix(counted, "}")+`,"dropped_entries":[{"source_id":"mem-099","source_type":"memory","section":"facts",`+
		`"relevance_score":0.45,"token_estimate":120,"drop_reason":"budget_exceeded","rank":43}]}`)
}
