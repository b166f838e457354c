package lukasa_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"lukasa.dev"
	"lukasa.dev/hmx"
)

// Sessions become artifacts, which suggest the next step.
func ExampleTenant_Compile() {
	dir, err := os.MkdirTemp("", "lukasa-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	board, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer board.Close()
	ctx := context.Background()
	writer := lukasa.Writer{Actor: "ops", Trust: lukasa.User}
	acme := board.Tenant("acme", writer)
	// A session asks, then builds and, if it is one of the first five, deploys.
	for session := range 6 {
		steps := []string{
			`"message","content":{"role":"user","text":"Never deploy on a Friday. Now ship the billing service."}`,
			`"tool_call","content":{"tool_name":"build","arguments":{}}`,
			`"tool_call","content":{"tool_name":"deploy","arguments":{}}`,
		}
		for i, step := range steps[:min(3, 7-session)] {
			ev, _, err := hmx.DecodeEvent(fmt.Appendf(nil, `{"hmx_version":"HMX-1.0","event_id":"e%d-%d","tenant_id":"acme","session_id":"s%d","agent_id":"bot",
				"timestamp":"2026-11-15T05:0%d:0%dZ","sequence":%d,"metadata":{},"event_type":%s}`, session, i, session, session, i, i, step))
			if err != nil {
				log.Fatal(err)
			}
			if _, err := board.Append(ctx, writer, ev); err != nil {
				log.Fatal(err)
			}
		}
	}
	report, err := acme.Compile(ctx, lukasa.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range report.Changes {
		if c.Class == "constraint" {
			fmt.Println(c.Op, c.Class+":", c.Title)
		}
	}
	next, err := acme.NextStep(ctx, lukasa.NextOptions{Session: "s5", Limit: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("next:", next.Suggestions[0].Tool)
	// Output:
	// create constraint: Never deploy on a Friday.
	// next: deploy
}
