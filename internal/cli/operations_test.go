package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/api"
	"lukasa.dev/internal/cli/term"
)

// noOperation has the commands that work on a board and that no server does for others, and why.
var noOperation = map[string]string{
	"artifacts":           "as artifacts list",
	"conflicts":           "as conflicts list",
	"fingerprint":         "has commands below it",
	"fingerprint inspect": "needs no board",
	"fingerprint verify":  "needs no board",
	"fingerprint merge":   "needs no board",
	"scope":               "has commands below it",
	"scope narrow":        "needs no board: the holder of a token narrows it",
	"embed":               "has a server for models asked that the caller names",
	"refine":              "has a server for models asked that the caller names",
	"rebuild":             "has the directory to itself",
	"doctor":              "looks at the machine that it runs on",
}

// Every command that works on a board is an operation, so that a server does it as well,
// or says why not; and every command that an operation names is there.
func TestCommandsAreOperations(t *testing.T) {
	named := map[string]bool{}
	for _, o := range api.Operations() {
		named[o.Command] = true
	}
	there := map[string]bool{"": true}
	every(t, func(t *testing.T, c *cobra.Command) {
		name := strings.TrimPrefix(c.CommandPath(), term.Program+" ")
		there[name] = true
		if !worksOnData(c) || c.Name() == "help" {
			return
		}
		top := c
		for top.Parent().HasParent() {
			top = top.Parent()
		}
		if !slices.Contains([]string{groupMemory, groupCare}, top.GroupID) {
			return
		}
		switch why := noOperation[name]; {
		case named[name] && why != "":
			t.Errorf("it is an operation, and is said to be none since it %s", why)
		case !named[name] && why == "":
			t.Error("no operation names it: add one to internal/api, or say here why there is none")
		}
	})
	for name := range named {
		if !there[name] {
			t.Errorf("operations name the command %q, which is not there", name)
		}
	}
	for name := range noOperation {
		if !there[name] {
			t.Errorf("%q is no command", name)
		}
	}
}
