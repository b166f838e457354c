package ask

import (
	"os"
	"time"

	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// NameCompiled is a file in a data directory whose time says when a compile that a hook
// started was last over.
const NameCompiled = "COMPILED"

// CompileLimit is how long such a compile may take. What it does not reach, the next one does.
const CompileLimit = time.Minute

// TouchFile gives a file a time, and makes it if it is not there.
func TouchFile(name string, at time.Time) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = os.Chtimes(name, at, at)
	}
	if err != nil {
		return fault.Newf(fault.ReadOnly, "%s: %w", name, term.Cause(err))
	}
	return nil
}
