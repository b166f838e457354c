package hippocortex

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lukasa.dev/hmx"
)

const bareTrace = `{"id":"e1","eventType":"message","sessionId":"s1","timestamp":"2026-03-14T03:00:00.000Z","payload":{"role":"user","text":"hi"},
	"metadata":{"agent_id":"a","tenantId":"t","channel":"slack"}}`

const bareArtifact = `{"id":"art-1","type":"causal_pattern","title":"T","summary":"S","cause":"rain","effect":"wet","confidence":0.50,
	"status":"active","evidenceRefs":["e1"],"sourceMemoryIds":[]}`

const barePack = `{"id":"p1","queryContext":"q","entries":[
	{"section":"facts","content":"c","source_id":"m1","source_type":"memory","relevance_score":0.90,"token_estimate":3},
	{"section":"facts","content":"d","source_id":"m2","source_type":"memory","relevance_score":0.80,"token_estimate":4}],
	"tokenBudget":{"total_budget":100,"used":7,"truncated":false},"createdAt":"2026-03-14T03:00:00.000Z",
	"assemblyResult":{"assembly_strategy":"ranked","ranking_weights":{},"retrieval_sources":["semantic"],"candidate_count":3,"assembly_duration_ms":1,
	"query_classification":{"intent":"","keywords":[],"entities":[],"time_ref":null},
	"droppedItems":[{"source_id":"m3","source_type":"memory","section":"facts","relevance_score":0.1,"token_estimate":9,"drop_reason":"low_relevance","rank":3}]}}`

func TestBareDocumentsAreCompleted(t *testing.T) {
	for _, tc := range []struct{ name, from, data, want string }{{
		"trace", "episode-trace", bareTrace,
		`{"hmx_version":"HMX-1.0","event_id":"e1","event_type":"message","agent_id":"a","tenant_id":"t","session_id":"s1",` +
			`"timestamp":"2026-03-14T03:00:00.000Z","sequence":0,"content":{"role":"user","text":"hi"},"metadata":{"tenantId":"t","channel":"slack"}}`,
	}, {
		"trace without metadata", "episode-trace",
		`{"id":"e1","eventType":"error","sessionId":"s1","timestamp":"2026-03-14T03:00:00.000Z","payload":{},"salienceScore":0.70}`,
		`{"hmx_version":"HMX-1.0","event_id":"e1","event_type":"error","agent_id":"default-agent","tenant_id":"default-tenant","session_id":"s1",` +
			`"timestamp":"2026-03-14T03:00:00.000Z","sequence":0,"content":{},"metadata":{},"salience":0.70}`,
	}, {
		"artifact", "compiled-artifact", bareArtifact,
		`{"hmx_version":"HMX-1.0","artifact_id":"art-1","artifact_type":"causal_pattern","title":"T","summary":"S","content":{"cause":"rain","effect":"wet"},` +
			`"confidence":0.50,"status":"active","source_events":["e1"],"source_memory_ids":[],"version":1,"created_at":"2026-03-14T03:00:00.000Z",` +
			`"content_hash":"cdad37e0085bcd1b54c9219c983276a2d536fa4f7f2728f1d6dc5f85e618185e","metadata":{},"tenant_id":"default-tenant","agent_id":"default-agent"}`,
	}, {
		"pack", "context-pack", barePack,
		`{"hmx_version":"HMX-1.0","pack_id":"p1","query_context":"q","entries":[` +
			`{"section":"facts","content":"c","source_id":"m1","source_type":"memory","relevance_score":0.90,"token_estimate":3,"rank":1,"provenance":{"origin":"import","confidence":0.5,"evidence_count":0}},` +
			`{"section":"facts","content":"d","source_id":"m2","source_type":"memory","relevance_score":0.80,"token_estimate":4,"rank":2,"provenance":{"origin":"import","confidence":0.5,"evidence_count":0}}],` +
			`"token_budget":{"total_budget":100,"used":7,"truncated":false,"remaining":93,"section_budgets":{},"dropped_count":1},` +
			`"assembly_metadata":{"assembly_strategy":"ranked","ranking_weights":{},"retrieval_sources":["semantic"],"candidate_count":3,"assembly_duration_ms":1,` +
			`"query_classification":{"intent":"","keywords":[],"entities":[],"time_ref":null},"included_count":2},` +
			`"created_at":"2026-03-14T03:00:00.000Z","metadata":{},"tenant_id":"default-tenant","agent_id":"default-agent",` +
			`"dropped_entries":[{"source_id":"m3","source_type":"memory","section":"facts","relevance_score":0.1,"token_estimate":9,"drop_reason":"low_relevance","rank":3}]}`,
	}} {
		t.Run(tc.name, func(t *testing.T) {
			from := Form(tc.from)
			got, _, err := Convert(from, from.Counterpart(), []byte(tc.data), generous())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// problemsOf returns pointer and rule of each problem, in order.
func problemsOf(t *testing.T, err error) []string {
	t.Helper()
	var invalid *hmx.InvalidError
	if !errors.As(err, &invalid) {
		t.Fatalf("%v is not an InvalidError", err)
	}
	var out []string
	for _, p := range invalid.Problems {
		if p.Found == "" || p.Allowed == "" {
			t.Errorf("%+v does not say what is wrong", p)
		}
		out = append(out, p.Pointer+" "+p.Rule)
	}
	return out
}

func TestProblemsAreToldInTheTermsOfTheOlderForm(t *testing.T) {
	edit := func(s string, oldNew ...string) string { return strings.NewReplacer(oldNew...).Replace(s) }
	for _, tc := range []struct {
		name, from, data string
		opts             *Options
		want             []string
	}{
		{"nothing given", "episode-trace", edit(bareTrace, `"agent_id":"a","tenantId":"t",`, ""), nil,
			[]string{"/metadata/agent_id HMX-E/10", "/metadata/tenant_id HMX-E/10", "/metadata/hmx/sequence HMX-E/10"}},
		{"many at once", "episode-trace", `{"ID":"e1","eventType":"message","timestamp":"yesterday","payload":{"role":"bot"},"salienceScore":null,"extra":1}`, nil, []string{
			"/metadata/agent_id HMX-E/10", "/metadata/tenant_id HMX-E/10", "/metadata/hmx/sequence HMX-E/10", "/id HMX-E/2.1", "/sessionId HMX-E/2.1",
			"/ID HMX-E/10", "/timestamp HMX-E/6.3", "/payload/role HMX-E/4.1", "/salienceScore HMX-E/6.5", "/extra HMX-E/10"}},
		{"flaws and more", "episode-trace", edit(bareTrace, `"channel"`, `"agent_id":"b","x":NaN,"channel"`, `"e1"`, `""`), generous(),
			[]string{"/id HMX-E/6.2", "/metadata/agent_id HMX-JSON/duplicate-key", "/metadata/x HMX-JSON/number"}},
		{"two agents", "episode-trace", edit(bareTrace, `"channel"`, `"agentId":"b","channel"`), generous(), []string{"/metadata/agentId HMX-E/10"}},
		{"agent is no name", "episode-trace", edit(bareTrace, `"tenantId":"t"`, `"tenantId":7`, `"agent_id":"a"`, `"agent_id":""`), generous(),
			[]string{"/metadata/agent_id HMX-E/2.1", "/metadata/tenantId HMX-E/10"}},
		{"metadata is no object", "episode-trace", edit(bareTrace, `"metadata":{"agent_id":"a","tenantId":"t","channel":"slack"}`, `"metadata":[]`), generous(),
			[]string{"/metadata HMX-E/6.8"}},
		{"envelope is no object", "episode-trace", edit(bareTrace, `"tenantId":"t"`, `"tenant_id":"t","hmx":true`), generous(), []string{"/metadata/hmx HMX-E/10"}},
		{"envelope not whole", "episode-trace", edit(bareTrace, `"tenantId":"t"`, `"hmx":{"sequence":-1,"colour":1,"shadowed":[]}`), generous(), []string{
			"/metadata/tenant_id HMX-E/2.1", "/metadata/hmx/hmx_version HMX-E/2.1", "/metadata/hmx/sequence HMX-E/6.4", "/metadata/hmx/colour HMX-E/10", "/metadata/hmx/shadowed HMX-E/10"}},
		{"shadow of nothing", "episode-trace", edit(bareTrace, `"tenantId":"t"`, `"tenant_id":"t","hmx":{"hmx_version":"HMX-1.0","sequence":1,"shadowed":{"metadata":{"hmx":1,"channel":2},"content":{},"tags":1}}`), generous(), []string{
			"/metadata/hmx/shadowed/metadata/channel HMX-E/10", "/metadata/hmx/shadowed/content HMX-E/10", "/metadata/hmx/shadowed/tags HMX-E/10"}},
		{"shadow is no object", "episode-trace", edit(bareTrace, `"tenantId":"t"`, `"tenant_id":"t","hmx":{"hmx_version":"HMX-1.0","sequence":1,"shadowed":{"metadata":"`+strings.Repeat("é", 60)+`"}}`), generous(),
			[]string{"/metadata/hmx/shadowed/metadata HMX-E/10"}},
		{"not an object", "episode-trace", `[1]`, generous(), []string{" HMX-E/10"}},
		{"not JSON", "episode-trace", `{"id":`, generous(), []string{"/id HMX-JSON/syntax"}},
		{"too large", "episode-trace", edit(bareTrace, "hi", strings.Repeat("x", hmx.MaxEventBytes+slack)), generous(), []string{" HMX-E/11"}},
		{"payload too large", "episode-trace", edit(bareTrace, "hi", strings.Repeat("x", hmx.MaxEventContentBytes)), generous(), []string{"/payload HMX-E/11"}},

		{"no time", "compiled-artifact", bareArtifact, nil, []string{"/metadata/hmx/created_at HMX-A/11"}},
		{"content", "compiled-artifact", edit(bareArtifact, `"rain"`, `1`, `"status":"active",`, ""), generous(), []string{"/status HMX-A/2.1", "/cause HMX-A/4.4"}},
		{"changed content", "compiled-artifact", edit(bareArtifact, `"id"`, `"metadata":{"hmx":{"hmx_version":"HMX-1.0","version":1,"created_at":"2026-03-14T03:00:00.000Z","content_hash":"`+strings.Repeat("0", 64)+`"}},"id"`), nil,
			[]string{"/metadata/hmx/content_hash HMX-A/8"}},
		{"shadowed content", "compiled-artifact", edit(bareArtifact, `"id"`, `"metadata":{"hmx":{"hmx_version":"HMX-1.0","shadowed":{"content":{"cause":1}}}},"id"`), nil, []string{
			"/metadata/hmx/version HMX-A/2.1", "/metadata/hmx/created_at HMX-A/2.1", "/metadata/hmx/content_hash HMX-A/2.1", "/metadata/hmx/shadowed/content/cause HMX-A/11"}},
		{"too deep as content", "compiled-artifact", edit(bareArtifact, `"rain"`, strings.Repeat("[", 63)+strings.Repeat("]", 63)), generous(),
			[]string{"/cause" + strings.Repeat("/0", 62) + " HMX-JSON/depth"}},

		{"no assembly", "context-pack", edit(barePack, `"assemblyResult"`, `"assembly"`), generous(),
			[]string{"/assemblyResult HMX-C/9", "/tokenBudget/dropped_count HMX-C/4", "/assembly HMX-C/9"}},
		{"no provenance", "context-pack", barePack, nil, []string{"/entries/0/provenance HMX-C/9", "/entries/1/provenance HMX-C/9"}},
		{"some ranks", "context-pack", edit(barePack, `"token_estimate":4`, `"token_estimate":4,"rank":1`), generous(), []string{"/entries/0/rank HMX-C/3"}},
		{"budget is no number", "context-pack", edit(barePack, `"used":7`, `"used":"7"`), generous(), []string{"/tokenBudget/remaining HMX-C/4", "/tokenBudget/used HMX-C/4"}},
		{"overspent", "context-pack", edit(barePack, `"used":7`, `"used":700`), generous(), []string{"/tokenBudget/remaining HMX-C/4", "/tokenBudget/used HMX-C/4.1"}},
		{"wrong kinds", "context-pack", edit(barePack, `"tokenBudget":{"total_budget":100,"used":7,"truncated":false}`, `"tokenBudget":7`, `"entries":[`, `"entries":[1,`), generous(),
			[]string{"/entries/0 HMX-C/3", "/tokenBudget HMX-C/4"}},
		{"assembly members", "context-pack", edit(barePack, `"assembly_strategy":"ranked"`, `"assembly_strategy":"best"`, `"low_relevance"`, `"boring"`), generous(),
			[]string{"/assemblyResult/assembly_strategy HMX-C/5", "/assemblyResult/droppedItems/0/drop_reason HMX-C/8"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			from := Form(tc.from)
			_, _, err := Convert(from, from.Counterpart(), []byte(tc.data), tc.opts)
			if diff := cmp.Diff(tc.want, problemsOf(t, err)); diff != "" {
				t.Errorf("%v\n(-want +got)\n%s", err, diff)
			}
		})
	}
}

func TestSequencesFollowTheInput(t *testing.T) {
	seq := &Sequencer{}
	seq.Observe("t", "stored", 41)
	opts := &Options{Sequencer: seq}
	trace := func(tenant, session string) string {
		return strings.NewReplacer(`"tenantId":"t"`, `"tenant_id":`+strconv.Quote(tenant), `"s1"`, strconv.Quote(session)).Replace(bareTrace)
	}
	numbered := func(session string, n int64) string {
		return strings.Replace(trace("t", session), `"channel"`, `"hmx":{"hmx_version":"HMX-1.0","sequence":`+strconv.FormatInt(n, 10)+`},"channel"`, 1)
	}
	for i, step := range []struct {
		data string
		want int64 // -1 is refused
	}{
		{trace("t", "s1"), 0},
		{trace("t", "s1"), 1},
		{trace("u", "s1"), 0},
		{trace("t", "s2"), 0},
		{strings.Replace(trace("t", "s1"), `"user"`, `"bot"`, 1), -1},
		{trace("t", "s1"), 2},
		{numbered("s1", 7), 7},
		{numbered("s1", 5), 5},
		{trace("t", "s1"), 8},
		{trace("t", "stored"), 42},
		{numbered("s3", math.MaxInt64), math.MaxInt64},
		{trace("t", "s3"), -1},
	} {
		e, _, err := DecodeEpisodeTrace([]byte(step.data), opts)
		if (err != nil) != (step.want < 0) {
			t.Fatalf("step %d: %v", i, err)
		}
		if err == nil && e.Sequence != step.want {
			t.Errorf("step %d: sequence %d, want %d", i, e.Sequence, step.want)
		}
	}
}

func TestWarningsPointIntoTheOlderForm(t *testing.T) {
	_, warnings, err := DecodeEpisodeTrace([]byte(strings.Replace(bareTrace, `"message"`, `"hunch"`, 1)), generous())
	if err != nil || len(warnings) != 1 || warnings[0].Pointer != "/eventType" || warnings[0].Offset != strings.Index(bareTrace, `"message"`) {
		t.Errorf("%+v, %v", warnings, err)
	}
}
