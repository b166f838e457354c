package hmx

import (
	"fmt"
	"strings"
	"testing"
)

const emptyHash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a" // of {}

const artifactBase = `{"hmx_version":"HMX-1.0","artifact_id":"a1","artifact_type":"task_schema","title":"T","summary":"",` +
	`"content":{},"confidence":0.5,"status":"active","source_events":["e"],"source_memory_ids":[],"version":2,` +
	`"created_at":"2026-03-14T03:00:00Z","content_hash":"` + emptyHash + `","metadata":{}}`

// withArtifact returns artifactBase with old replaced by new, or new added.
func withArtifact(old, new string) string {
	if old == "" {
		return strings.TrimSuffix(artifactBase, "}") + "," + new + "}"
	}
	if !strings.Contains(artifactBase, old) {
		panic("artifactBase has no " + old)
	}
	return strings.Replace(artifactBase, old, new, 1)
}

// withContent returns an artifact of a type with this content and the right hash.
func withContent(kind, content string) string {
	hash, err := ContentHash(Raw(content))
	if err != nil {
		panic(err)
	}
	return strings.NewReplacer(`"task_schema"`, `"`+kind+`"`, `"content":{}`, `"content":`+content, emptyHash, hash).Replace(artifactBase)
}

func TestArtifactRules(t *testing.T) {
	expect(t, KindArtifact, artifactBase)
	for _, c := range []struct{ old, new, want string }{
		{`"HMX-1.0"`, `"1.0"`, "HMX-A/2.1 /hmx_version"},
		{`"a1"`, `""`, "HMX-A/2.1 /artifact_id"},
		{`"task_schema"`, `"recipe"`, "HMX-A/3 /artifact_type"},
		{`"task_schema"`, `"x-acme"`, "HMX-A/3 /artifact_type"},
		{`"title":"T"`, `"title":""`, "HMX-A/2.1 /title"},
		{`"title":"T",`, ``, "HMX-A/2.1 /title"},
		{`"summary":""`, `"summary":null`, "HMX-A/2.1 /summary"},
		{`"confidence":0.5`, `"confidence":1.5`, "HMX-A/2.1 /confidence"},
		{`"status":"active"`, `"status":"retired"`, "HMX-A/5 /status"},
		{`"source_events":["e"]`, `"source_events":[1]`, "HMX-A/2.1 /source_events/0"},
		{`"source_memory_ids":[]`, `"source_memory_ids":{}`, "HMX-A/2.1 /source_memory_ids"},
		{`"version":2`, `"version":0`, "HMX-A/2.1 /version"},
		{`"created_at":"2026-03-14T03:00:00Z"`, `"created_at":"2026"`, "HMX-A/2.1 /created_at"},
		{emptyHash, strings.ToUpper(emptyHash), "HMX-A/8 /content_hash"},
		{emptyHash, emptyHash[1:], "HMX-A/8 /content_hash"},
		{emptyHash, strings.Repeat("0", 64), "HMX-A/8 /content_hash"},
		{`"content":{}`, `"content":{"x":1}`, "HMX-A/8 /content_hash"},
		{`"content":{}`, `"content":[]`, "HMX-A/4 /content"},
		{`"metadata":{}`, `"metadata":""`, "HMX-A/2.1 /metadata"},
		{``, `"tenant_id":1`, "HMX-A/2.2 /tenant_id"},
		{``, `"agent_id":null`, "HMX-A/2.2 /agent_id"},
		{``, `"supersedes":"a1"`, "HMX-A/7.1 /supersedes"},
		{``, `"superseded_by":"b"`, "HMX-A/7.3 /status"},
		{``, `"observed_count":-1`, "HMX-A/2.2 /observed_count"},
		{``, `"success_rate":1.1`, "HMX-A/2.2 /success_rate"},
		{``, `"updated_at":"x"`, "HMX-A/2.2 /updated_at"},
		{``, `"tags":[{}]`, "HMX-A/2.2 /tags/0"},
		{``, `"colour":1`, "HMX-A/9 /colour"},
		{``, `"validity_scope":[]`, "HMX-A/6 /validity_scope"},
		{``, `"validity_scope":{"tenant_ids":"t"}`, "HMX-A/6 /validity_scope/tenant_ids"},
		{``, `"validity_scope":{"time_range":{"start":"monday"}}`, "HMX-A/6 /validity_scope/time_range/start"},
		{``, `"validity_scope":{"time_range":{"start":"2027-01-01T00:00:00Z","end":"2026-01-01T00:00:00Z"}}`, "HMX-A/6 /validity_scope/time_range/end"},
	} {
		expect(t, KindArtifact, withArtifact(c.old, c.new), c.want)
	}
	superseded := strings.Replace(artifactBase, `"active"`, `"superseded"`, 1)
	expect(t, KindArtifact, strings.TrimSuffix(superseded, "}")+`,"superseded_by":"a1"}`, "HMX-A/7.1 /superseded_by")
	expect(t, KindArtifact, strings.TrimSuffix(superseded, "}")+`,"superseded_by":"b","supersedes":"b"}`, "HMX-A/7.2 /superseded_by")
	expect(t, KindArtifact, strings.Replace(withArtifact(``, `"supersedes":"b"`), `"version":2`, `"version":1`, 1), "HMX-A/2.1 /version")
	if warnings, err := Check(KindArtifact, []byte(superseded)); err != nil || len(warnings) != 1 || warnings[0].Rule != "HMX-A/7.5" {
		t.Errorf("superseded without a successor: %v %v", warnings, err)
	}
}

func TestArtifactContentRules(t *testing.T) {
	for _, c := range []struct{ kind, content, want string }{
		{"task_schema", `{"steps":[{"order":1,"description":"d","tools_used":["t"],"optional":false,"note":1}]}`, ""},
		{"task_schema", `{"steps":[{"order":"1"}]}`, "HMX-A/4.1 /content/steps/0/order"},
		{"task_schema", `{"steps":[{"optional":0}]}`, "HMX-A/4.1 /content/steps/0/optional"},
		{"task_schema", `{"estimated_complexity":"huge"}`, "HMX-A/4.1 /content/estimated_complexity"},
		{"failure_playbook", `{"severity":"bad"}`, "HMX-A/4.2 /content/severity"},
		{"failure_playbook", `{"symptoms":"s"}`, "HMX-A/4.2 /content/symptoms"},
		{"decision_policy", `{"alternatives":[{"chosen_count":-1}]}`, "HMX-A/4.3 /content/alternatives/0/chosen_count"},
		{"decision_policy", `{"alternatives":[{"success_rate":2}]}`, "HMX-A/4.3 /content/alternatives/0/success_rate"},
		{"decision_policy", `{"outcomes":[{"positive":"yes"}]}`, "HMX-A/4.3 /content/outcomes/0/positive"},
		{"causal_pattern", `{"direction":"backward"}`, "HMX-A/4.4 /content/direction"},
		{"causal_pattern", `{"strength":-0.1}`, "HMX-A/4.4 /content/strength"},
		{"strategy_template", `{"phases":[{"success_criteria":[1]}]}`, "HMX-A/4.5 /content/phases/0/success_criteria/0"},
		{"x-acme-recipe", `{"steps":7}`, ""},
	} {
		var want []string
		if c.want != "" {
			want = append(want, c.want)
		}
		expect(t, KindArtifact, withContent(c.kind, c.content), want...)
	}
}

func TestArtifactLimits(t *testing.T) {
	list := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(`"e",`, n), ",") + "]" }
	content := func(n int) string { return `{"t":"` + pad(n-len(`{"t":""}`)) + `"}` }
	expect(t, KindArtifact, withContent("task_schema", content(MaxArtifactContentBytes)))
	expect(t, KindArtifact, withContent("task_schema", content(MaxArtifactContentBytes+1)), "HMX-A/12 /content")
	expect(t, KindArtifact, withArtifact(`["e"]`, list(MaxSourceEvents)))
	expect(t, KindArtifact, withArtifact(`["e"]`, list(MaxSourceEvents+1)), "HMX-A/12 /source_events")
	expect(t, KindArtifact, withArtifact(``, `"tags":`+list(MaxTags)))
	expect(t, KindArtifact, withArtifact(``, `"tags":`+list(MaxTags+1)), "HMX-A/12 /tags")
	expect(t, KindArtifact, withArtifact(`"summary":""`, `"summary":"`+pad(MaxArtifactBytes-len(artifactBase))+`"`))
	expect(t, KindArtifact, withArtifact(`"summary":""`, `"summary":"`+pad(MaxArtifactBytes-len(artifactBase)+1)+`"`), "HMX-A/12 ")
}

// The hash does not depend on the formatting of the content.
func TestContentHashIsCanonical(t *testing.T) {
	want, err := ContentHash(`{"a":[1,2.5,"é"],"b":null}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, same := range []Raw{"{ \"b\" : null,\n\"a\":[1.0, 25e-1, \"\\u00e9\"] }", `{"\u0061":[1,2.50,"é"],"b":null}`} {
		if got, err := ContentHash(same); err != nil || got != want {
			t.Errorf("%s hashes to %s, %v", same, got, err)
		}
	}
	for _, other := range []Raw{`{"a":[1,2.5,"é"]}`, `{"a":[2.5,1,"é"],"b":null}`, `{"a":[1,2.5,"é"],"B":null}`} {
		if got, _ := ContentHash(other); got == want {
			t.Errorf("%s has the same hash", other)
		}
	}
	for _, bad := range []Raw{`{"a":1,"a":1}`, `{"a":1e999}`, `{`, `"\ud800"`} {
		if _, err := ContentHash(bad); err == nil {
			t.Errorf("%s was hashed", bad)
		}
	}
	if got, err := ContentHash(""); err != nil || got != emptyHash {
		t.Errorf("the zero Raw is {}: %s %v", got, err)
	}
}

func TestTransitions(t *testing.T) {
	allowed := map[string]bool{
		"draft→active": true, "draft→deprecated": true,
		"active→superseded": true, "active→deprecated": true, "active→archived": true,
	}
	for _, from := range append(Statuses(), "unheard-of") {
		for _, to := range append(Statuses(), "unheard-of") {
			err := from.Transition(to)
			if name := fmt.Sprintf("%s→%s", from, to); (err == nil) != allowed[name] {
				t.Errorf("%s: %v", name, err)
			} else if err != nil && !strings.Contains(err.Error(), "HMX-A/5") {
				t.Errorf("%s: the error names no rule: %v", name, err)
			}
		}
	}
	for s, want := range map[Status][2]bool{
		StatusDraft: {false, false}, StatusActive: {true, true}, StatusSuperseded: {false, true},
		StatusDeprecated: {false, false}, StatusArchived: {false, true},
	} {
		if s.Retrievable() != want[0] || s.RetrievableOnRequest() != want[1] {
			t.Errorf("%s: retrievable %v, when asked for %v", s, s.Retrievable(), s.RetrievableOnRequest())
		}
	}
}

func TestJudgeScope(t *testing.T) {
	at := func(s string) Time {
		v, err := ParseTime(s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	now := Situation{TenantID: "t1", AgentID: "a1", Tags: []string{"x", "y"}, Now: at("2026-06-01T00:00:00Z"), Conditions: []string{"ci is green"}}
	span := func(start, end string) Opt[TimeRange] {
		var r TimeRange
		if start != "" {
			r.Start = Some(at(start))
		}
		if end != "" {
			r.End = Some(at(end))
		}
		return Some(r)
	}
	for _, c := range []struct {
		name   string
		scope  ValidityScope
		failed string
	}{
		{"empty", ValidityScope{}, ""},
		{"empty lists", ValidityScope{TenantIDs: []string{}, Tags: []string{}, TimeRange: Some(TimeRange{})}, ""},
		{"all hold", ValidityScope{TenantIDs: []string{"t0", "t1"}, AgentIDs: []string{"a1"}, Tags: []string{"y", "z"},
			TimeRange: span("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"), Conditions: []string{"ci is green"}}, ""},
		{"tenant", ValidityScope{TenantIDs: []string{"t2"}}, "tenant_ids"},
		{"agent", ValidityScope{AgentIDs: []string{"a"}}, "agent_ids"},
		{"tags", ValidityScope{Tags: []string{"X"}}, "tags"},
		{"too early", ValidityScope{TimeRange: span("2026-06-01T00:00:00.000000001Z", "")}, "time_range"},
		{"too late", ValidityScope{TimeRange: span("", "2026-05-31T23:59:59Z")}, "time_range"},
		{"start is included", ValidityScope{TimeRange: span("2026-06-01T02:00:00+02:00", "")}, ""},
		{"end is included", ValidityScope{TimeRange: span("", "2026-06-01T00:00:00Z")}, ""},
		{"condition", ValidityScope{Conditions: []string{"ci is green", "it is monday"}}, "conditions"},
		{"several", ValidityScope{TenantIDs: []string{"t"}, Conditions: []string{"no"}}, "tenant_ids,conditions"},
	} {
		v := c.scope.Judge(now)
		if got := strings.Join(v.Failed, ","); got != c.failed || v.Applies != (c.failed == "") {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
	if v := (ValidityScope{Conditions: []string{"a", "ci is green", "b"}}).Judge(now); strings.Join(v.Unmet, ",") != "a,b" {
		t.Errorf("unmet = %v", v.Unmet)
	}
}
