package exports

import (
	"testing"

	"lukasa.dev/internal/migrate/sourcetest"
)

func FuzzMCPMemory(f *testing.F)   { sourcetest.Fuzz(f, family(), MCPMemory) }
func FuzzBasicMemory(f *testing.F) { sourcetest.Fuzz(f, family(), BasicMemory) }
func FuzzMem0(f *testing.F)        { sourcetest.Fuzz(f, family(), Mem0) }
func FuzzEngram(f *testing.F)      { sourcetest.Fuzz(f, family(), Engram) }
func FuzzHMX(f *testing.F)         { sourcetest.Fuzz(f, family(), HMX) }
