package transcripts

import (
	"testing"

	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/sourcetest"
)

func FuzzClaudeCode(f *testing.F) { sourcetest.Fuzz(f, Readers(), foreign.ClaudeCode) }
func FuzzCodex(f *testing.F)      { sourcetest.Fuzz(f, Readers(), foreign.Codex) }
func FuzzGeminiCLI(f *testing.F)  { sourcetest.Fuzz(f, Readers(), foreign.GeminiCLI) }
func FuzzOpenCode(f *testing.F)   { sourcetest.Fuzz(f, Readers(), foreign.OpenCode) }
