package handout

import "testing"

func TestOwnTool(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"mcp__lukasa__recall": true, "mcp_lukasa_recall": true, "lukasa_recall": true, "lukasa.recall": true, "Lukasa": true, "MCP:lukasa:recall": true, "mcp__lukasa-dev__recall": true,
		"Bash": false, "": false, "lukasaur": false, "mcp__other__lukasa": false, "relukasa_x": false,
	} {
		if got := OwnTool(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestOwnCommand(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"lukasa": true, "lukasa list": true, " /usr/local/bin/lukasa pack 'what is $known; here'": true, `lukasa remember "a \"b\" & c" --key x`: true, "lukasa list | head -5 2>&1": true,
		"cd /srv/shop && lukasa list 2>/dev/null": true, "LUKASA_DATA=/tmp/x lukasa list": true, "lukasa list; lukasa stats": true, "lukasa list | grep x | wc -l": true,
		"": false, "ls": false, "echo lukasa": false, "lukasa list; cat notes": false, "cat notes | lukasa ingest": false, "lukasa list > notes": false, "lukasa remember \"$(cat notes)\"": false,
		"lukasa list && make": false, "grep lukasa notes": false, "lukasa list & make": false, "lukasa `id`": false, "lukasa 'open": false, "make | lukasa ingest": false, "lukasas": false, "| lukasa": false,
	} {
		if got := OwnCommand(command); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
}
