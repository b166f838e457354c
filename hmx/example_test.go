package hmx_test

import (
	"errors"
	"fmt"
	"time"

	"lukasa.dev/hmx"
)

// Decode a line, and show everything that is wrong with it, or use its content.
func ExampleDecodeEvent() {
	for _, line := range []string{
		`{"hmx_version":"HMX-1.0","event_id":"e1","event_type":"tool_call","agent_id":"a","tenant_id":"t","session_id":"s",` +
			`"timestamp":"2026-03-14T03:00:00Z","sequence":0,"content":{"tool_name":"exec","arguments":{"command":"ls"}},"metadata":{}}`,
		`{"hmx_version":"HMX-1.0","event_id":"","event_type":"tool_call","agent_id":"a","tenant_id":"t","session_id":"s",` +
			`"timestamp":"yesterday","sequence":0,"content":{},"metadata":{}}`,
	} {
		event, _, err := hmx.DecodeEvent([]byte(line))
		var invalid *hmx.InvalidError
		if errors.As(err, &invalid) {
			for _, p := range invalid.Problems {
				fmt.Println(p.Rule, p.Pointer, "found", p.Found)
			}
			continue
		}
		if call, ok := event.ToolCall(); ok {
			fmt.Println(call.ToolName, call.Arguments)
		}
	}
	// Output:
	// exec {"command":"ls"}
	// HMX-E/6.2 /event_id found an empty string
	// HMX-E/6.3 /timestamp found the string "yesterday"
}

// Make an event in Go. The caller supplies time and entropy.
func ExampleEvent_SetContent() {
	ids := hmx.NewIDSource(func() time.Time { return time.UnixMilli(1_800_000_000_000) }, zeros{})
	id, err := ids.Next()
	if err != nil {
		panic(err)
	}
	event := hmx.Event{
		EventID:   id,
		AgentID:   "coder",
		TenantID:  "acme",
		SessionID: "s1",
		Timestamp: hmx.TimeOf(time.UnixMilli(1_800_000_000_000)),
		Salience:  hmx.Some(0.7),
	}
	if err := event.SetContent(hmx.Message{Role: "user", Text: "Deploy it"}); err != nil {
		panic(err)
	}
	if _, err := event.Validate(); err != nil {
		panic(err)
	}
	line, err := event.AppendJSON(nil)
	fmt.Println(string(line), err)
	// Output:
	// {"hmx_version":"HMX-1.0","event_id":"01a3185c-5000-7000-8000-000000000000","event_type":"message","agent_id":"coder","tenant_id":"acme","session_id":"s1","timestamp":"2027-01-15T08:00:00.000Z","sequence":0,"content":{"role":"user","text":"Deploy it"},"metadata":{},"salience":0.7} <nil>
}

// Supersede an artifact with a newer version.
func ExampleChain_Supersede() {
	first := &hmx.Artifact{ArtifactID: "a1", Version: 1, Status: hmx.StatusActive}
	chain, faults := hmx.NewChain([]*hmx.Artifact{first})
	fmt.Println(len(faults), "faults")
	old, next, err := chain.Supersede("a1", &hmx.Artifact{ArtifactID: "a2", Status: hmx.StatusActive})
	fmt.Println(old.Status, "by", old.SupersededBy.Value, "version", next.Version, err)
	_, _, err = chain.Supersede("a1", first)
	fmt.Println(err)
	// Output:
	// 0 faults
	// superseded by a2 version 2 <nil>
	// artifact a1 cannot supersede itself (HMX-A/7.1)
}

// zeros is a source of entropy for examples only.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
