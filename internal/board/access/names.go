package access

import (
	"errors"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// CheckAgent judges the name of the agent that looks, if there is one.
func CheckAgent(v View) error {
	if v.Agent == "" {
		return nil
	}
	return CheckName("agent", v.Agent)
}

// CheckName judges a name by the rules of ids. Its error begins with the field, and says
// what mends it.
func CheckName(field, name string) error {
	err := memory.CheckID(field, name)
	if e, ok := errors.AsType[*memory.InvalidError](err); ok && len(e.Problems) > 0 {
		return fault.Newf(fault.InvalidArgument, "%s: it %s", field, e.Problems[0].Rule).WithCause(err).WithFix(e.Problems[0].Fix)
	}
	return err
}
