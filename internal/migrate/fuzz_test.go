package migrate

import (
	"os"
	"runtime"
	"testing"
)

// fuzzFormat holds one reader to its promises: whatever the bytes are, it does not panic, what it
// makes obeys the rules, is the same a second time, and is bounded by what was read.
func fuzzFormat(f *testing.F, format Format) {
	for _, file := range fixtures(f)[format] {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, s := range []string{
		"", "{", "[", "[[", "{}", "[]", "null", "\n", "[{},{}", `{"a`, `["\`, "[1,2,3]", "{}{}{}", "\xff\xfe{\x00}\x00", "\x1f\x8b", "PK\x03\x04",
		"\x00\x00\x00\x02\x0a\x00", "\x0a\x00", "---\n---\n", `{"messages":[{"role":"user","content":"x"}]}`, `{"results":[{"memory":"x"},`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := readBytes(format, "f.jsonl", data)
		if err != nil {
			return // said in words of the catalogue
		}
		obeys(t, c)
		again, err := readBytes(format, "f.jsonl", data)
		if err != nil || string(golden(t, c)) != string(golden(t, again)) {
			t.Fatal("the same bytes gave something else")
		}
		if len(data) >= 2 && data[0] == 0x1f && data[1] == 0x8b {
			return // what was packed is longer than it looks
		}
		if n := len(c.items) + len(c.left); n > 4*len(data)+16 {
			t.Fatalf("%d bytes became %d things", len(data), n)
		}
	})
}

func FuzzClaudeCode(f *testing.F)        { fuzzFormat(f, ClaudeCode) }
func FuzzCodex(f *testing.F)             { fuzzFormat(f, Codex) }
func FuzzGeminiCLI(f *testing.F)         { fuzzFormat(f, GeminiCLI) }
func FuzzOpenCode(f *testing.F)          { fuzzFormat(f, OpenCode) }
func FuzzOpenAIChat(f *testing.F)        { fuzzFormat(f, OpenAIChat) }
func FuzzChatGPTExport(f *testing.F)     { fuzzFormat(f, ChatGPTExport) }
func FuzzAnthropicMessages(f *testing.F) { fuzzFormat(f, AnthropicMessages) }
func FuzzMCPMemory(f *testing.F)         { fuzzFormat(f, MCPMemory) }
func FuzzBasicMemory(f *testing.F)       { fuzzFormat(f, BasicMemory) }
func FuzzMem0(f *testing.F)              { fuzzFormat(f, Mem0) }
func FuzzEngram(f *testing.F)            { fuzzFormat(f, Engram) }
func FuzzOTLP(f *testing.F)              { fuzzFormat(f, OTLP) }
func FuzzHMX(f *testing.F)               { fuzzFormat(f, HMX) }

// FuzzProtobuf holds the reader of protobuf to the same, whatever a span is made of.
func FuzzProtobuf(f *testing.F) {
	for _, name := range []string{"traces.pb", "framed.bin", "cut.pb"} {
		data, err := os.ReadFile("testdata/fixtures/otlp/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := protoSpan(data)
		if err == nil && s == nil {
			t.Fatal("neither a span nor an error")
		}
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20+uint64(len(data))*2048 {
			t.Fatalf("%d bytes took %d bytes of memory", len(data), grown)
		}
		c, err := readBytes(OTLP, "f.pb", append([]byte{0x0a}, data...))
		if err == nil {
			obeys(t, c)
		}
	})
}
