package secret_test

import (
	"strings"
	"testing"

	"lukasa.dev/internal/secret"
)

// clean is the content of a typical event, of 600 bytes.
var clean = `{"tool_name":"bash","input":{"command":"cd /src/app && go test ./internal/billing -run TestRefund -count=1","timeout_ms":120000},"output":"ok  \tlukasa.dev/internal/billing\t0.412s\n--- PASS: TestRefund/partial (0.02s)\n--- PASS: TestRefund/token_expired (0.01s)\nsee https://ci.example.com/builds/20481 for the log of commit 9fceb02d0ae598e95dc970b74767f19372d61af8","usage":{"input_tokens":18234,"output_tokens":512},"note":"` + strings.Repeat("The refund is booked twice when the customer retries. ", 3) + `"}`

// BenchmarkClean measures an event without secrets.
func BenchmarkClean(b *testing.B) {
	b.SetBytes(int64(len(clean)))
	b.ReportAllocs()
	for b.Loop() {
		if _, n := secret.JSON(clean); n != 0 {
			b.Fatal("something was found")
		}
	}
}

// BenchmarkSuspect measures an event that needs a closer look.
func BenchmarkSuspect(b *testing.B) {
	doc := `{"password":"see the 1st page","x":` + clean + `}`
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if _, n := secret.JSON(doc); n != 0 {
			b.Fatal("something was found")
		}
	}
}

// A clean event allocates nothing.
func TestCleanAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { secret.JSON(clean) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
