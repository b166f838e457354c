package wire_test

import (
	"errors"
	"fmt"
	"strings"

	"lukasa.dev/hmx/wire"
)

// A bad line is reported and does not affect the others.
func ExampleReader_Events() {
	const event = `{"hmx_version":"HMX-1.0","event_id":"e1","event_type":"message","agent_id":"a","tenant_id":"t",` +
		`"session_id":"s","timestamp":"2026-03-14T03:00:00Z","sequence":0,"content":{"role":"user","text":"hello"},"metadata":{}}`
	r := wire.NewReader(strings.NewReader("oops\n"+event+"\r\n"), wire.Options{})
	for item, err := range r.Events() {
		var bad *wire.LineError
		switch {
		case errors.As(err, &bad):
			fmt.Println("refused line", bad.Line)
		case err != nil:
			fmt.Println("the source failed:", err)
		default:
			fmt.Println("line", item.Line, "is event", item.Event.EventID)
		}
	}
	if warning, ok := r.Counts().Problem(); ok {
		fmt.Println("warning:", warning.Found)
	}
	// Output:
	// refused line 1
	// line 2 is event e1
	// warning: CR LF at the end of 1 of 2 lines
}
