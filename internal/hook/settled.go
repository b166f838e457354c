package hook

import (
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/statement"
)

// Settled reports whether an event is no evidence for a prompt, because another record has its
// result: a prompt that states a rule, or mostly states something else, has become a memory,
// which may have been lifted or corrected since, and a tool call has a result.
func Settled(ev *hmx.Event) bool {
	switch ev.EventType {
	case hmx.TypeToolCall:
		return true
	case hmx.TypeMessage:
		m, ok := ev.Message()
		if !ok || m.Role != "user" {
			return false
		}
		stated := 0
		for _, s := range statement.Read(m.Text) {
			if s.Type == memory.TypeConstraint {
				return true
			}
			stated += s.To - s.From
		}
		return 2*stated >= len(strings.TrimSpace(m.Text)) && stated > 0
	}
	return false
}
