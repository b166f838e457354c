package chats

import (
	"testing"

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
