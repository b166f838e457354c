package files

import (
	"io"

	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
)

// variables looks variables up in a table.
func variables(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := vars[name]
		return value, ok
	}
}

// testShell returns a shell without a program, whose streams are no terminals.
func testShell(stdin io.Reader, stdout, stderr io.Writer) *ask.Shell {
	return ask.NewShell(ask.Program{}, stdin, stdout, stderr, variables(nil), func(any) term.Terminal { return term.Terminal{} })
}
