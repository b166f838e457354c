package exports

import (
	"slices"
	"testing"

	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/sourcetest"
	"lukasa.dev/internal/testsize"
)

// Every fixture becomes what its golden file says.
func TestGolden(t *testing.T) { sourcetest.Golden(t, family()) }

// A source that grew gives what it gave before, and more.
func TestGrowth(t *testing.T) {
	testsize.Long(t, "it imports growing sources")
	sourcetest.Growth(t, family())
}

// family returns all readers of the package.
func family() []source.Reader { return slices.Concat(Readers(), EventReaders()) }
