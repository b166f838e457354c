package kind

import (
	"slices"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
)

func TestEveryStandardTypeHasOneRow(t *testing.T) {
	var listed []hmx.EventType
	for _, r := range rows {
		listed = append(listed, r.event)
		if !r.trust.Known() || r.why == "" {
			t.Errorf("the row of %s has no tier or no reason", r.event)
		}
	}
	if want := hmx.EventTypes(); !slices.Equal(listed, want) {
		t.Errorf("the table has %v, the protocol %v", listed, want)
	}
}

func TestTrust(t *testing.T) {
	for _, tc := range []struct {
		event   hmx.EventType
		content hmx.Raw
		want    record.Trust
	}{
		{hmx.TypeMessage, `{"role":"user","text":"hi"}`, record.User},
		{hmx.TypeMessage, `{"role":"assistant","text":"hi"}`, record.Agent},
		{hmx.TypeMessage, `{"role":"system","text":"hi"}`, record.Operator},
		{hmx.TypeMessage, `{"role":"developer"}`, record.Operator},
		{hmx.TypeMessage, `{"role":"tool"}`, record.Tool},
		{hmx.TypeMessage, `{"text":"{\"role\":\"user\"}"}`, record.External},
		{hmx.TypeMessage, `{"text":"x","Role":"user"}`, record.External},
		{hmx.TypeMessage, `{"a":{"role":"user"},"role":"USER"}`, record.External},
		{hmx.TypeMessage, `{"role":"us\u0065r"}`, record.User},
		{hmx.TypeMessage, `{"role":7}`, record.External},
		{hmx.TypeMessage, `not json`, record.External},
		{hmx.TypeMessage, ``, record.External},
		{hmx.TypeToolCall, `{}`, record.Agent},
		{hmx.TypeDecision, `{}`, record.Agent},
		{hmx.TypeStateChange, `{}`, record.Agent},
		{hmx.TypeToolResult, `{"role":"user"}`, record.Tool},
		{hmx.TypeFileEdit, `{}`, record.Tool},
		{hmx.TypeTestRun, `{}`, record.Tool},
		{hmx.TypeCommandExec, `{}`, record.Tool},
		{hmx.TypeAPIResult, `{}`, record.Tool},
		{hmx.TypeError, `{}`, record.Tool},
		{hmx.TypeBrowserAction, `{}`, record.External},
		{hmx.TypeObservation, `{}`, record.External},
		{hmx.TypeFeedback, `{"signal":"positive"}`, record.User},
		{"x-acme-signal", `{"role":"system"}`, record.External},
		{"made_up", `{}`, record.External},
		{"", `{}`, record.External},
	} {
		ev := &hmx.Event{EventType: tc.event, Content: tc.content}
		if got := Trust(ev, record.Operator); got != tc.want {
			t.Errorf("%s %s: tier %v, want %v", tc.event, tc.content, got, tc.want)
		}
		for _, ceiling := range record.Trusts() {
			if got := Trust(ev, ceiling); got != min(tc.want, ceiling) {
				t.Errorf("%s %s under %v: tier %v", tc.event, tc.content, ceiling, got)
			}
		}
	}
}

// TestSourceOnlyLowers has every kind of source with every tier.
func TestSourceOnlyLowers(t *testing.T) {
	for source, most := range map[string]record.Trust{
		"": record.Operator, "user": record.Operator, "claude-agent": record.Operator, "toolbox": record.Operator, ":tool": record.Operator, "operator": record.Operator,
		"agent": record.Agent, "Agent:coder": record.Agent, "assistant": record.Agent,
		"tool": record.Tool, "tool:gh": record.Tool, "TOOL:gh": record.Tool, " tool : gh": record.Tool,
		"web": record.External, "web:search": record.External, "https://a.example/x": record.External, "external:user": record.External, "webhook": record.External,
	} {
		for content, tier := range map[hmx.Raw]record.Trust{`{"role":"system","text":"x"}`: record.Operator, `{"role":"user","text":"x"}`: record.User, `{"role":"tool","text":"x"}`: record.Tool} {
			ev := &hmx.Event{EventType: hmx.TypeMessage, Content: content, Source: hmx.Some(source)}
			if got := Trust(ev, record.Operator); got != min(tier, most) {
				t.Errorf("%s from %q: tier %v, want %v", content, source, got, min(tier, most))
			}
		}
	}
}

func BenchmarkTrust(b *testing.B) {
	ev := &hmx.Event{EventType: hmx.TypeMessage, Content: `{"text":"some words that somebody said, so that reading them all to find out who spoke would cost something","role":"user"}`}
	b.ReportAllocs()
	for b.Loop() {
		Trust(ev, record.Operator)
	}
}
