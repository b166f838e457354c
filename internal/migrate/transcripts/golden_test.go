package transcripts

import (
	"testing"

	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/sourcetest"
	"lukasa.dev/internal/testsize"
)

// Every fixture becomes what its golden file says.
func TestGolden(t *testing.T) { sourcetest.Golden(t, Readers()) }

// A source that grew gives what it gave before, and more.
func TestGrowth(t *testing.T) {
	testsize.Long(t, "it imports growing sources")
	sourcetest.Growth(t, Readers())
}

// readBytes reads a source that is at hand.
func readBytes(f foreign.Format, name string, data []byte) (*sourcetest.Sink, error) {
	return sourcetest.Read(Readers(), f, name, data)
}
