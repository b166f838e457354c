package access

import (
	"errors"

	"lukasa.dev/internal/document"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// CheckAgent validates the agent of a view, if it has one.
func CheckAgent(v View) error {
	if v.Agent == "" {
		return nil
	}
	return CheckName("agent", v.Agent)
}

// CheckName validates a name by the rules of ids. Its error begins with the field, and
// has advice.
func CheckName(field, name string) error {
	err := memory.CheckID(field, name)
	if e, ok := errors.AsType[*document.InvalidError](err); ok && len(e.Problems) > 0 {
		return fault.Newf(fault.InvalidArgument, "%s: it %s", field, e.Problems[0].Rule).WithCause(err).WithFix(e.Problems[0].Fix)
	}
	return err
}
