package learn

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/internal/compile/lessons"
	"lukasa.dev/internal/trace"
)

// someFailures are any failures.
func someFailures(t *rapid.T) *keptFailures {
	text := rapid.StringN(0, 12, 40)
	ref := rapid.Custom(func(t *rapid.T) trace.Ref {
		return trace.Ref{ID: text.Draw(t, "id"), Position: rapid.Uint64().Draw(t, "position"), Time: rapid.Int64().Draw(t, "time")}
	})
	x := &keptFailures{size: rapid.Uint64().Draw(t, "size")}
	copy(x.root[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "root"))
	x.list = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) lessons.Failure {
		f := lessons.Failure{
			Session: text.Draw(t, "session"), Project: text.Draw(t, "project"), Step: text.Draw(t, "step"), Shape: text.Draw(t, "shape"), Error: text.Draw(t, "error"),
			Times: rapid.IntRange(1, 1000).Draw(t, "times"), Fixed: text.Draw(t, "fixed"), Failed: ref.Draw(t, "failed"), Repaired: ref.Draw(t, "repaired"),
		}
		f.Between = rapid.SliceOfN(text, 1, 4).Draw(t, "between")
		return f
	}), 1, 5).Draw(t, "list")
	return x
}

// A file says what was written, and is none of another tenant, if it is cut or if a byte of it
// changed.
func TestFailuresFile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := someFailures(t)
		data := want.encode("acme")
		if got := parseFailures(data, "acme"); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, want %+v", got, want)
		}
		if parseFailures(data, "other") != nil {
			t.Fatal("it is read as another tenant's")
		}
		at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
		if parseFailures(data[:at], "acme") != nil {
			t.Fatalf("it is read when cut at %d of %d", at, len(data))
		}
		data[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "flip"))
		if parseFailures(data, "acme") != nil {
			t.Fatalf("it is read with byte %d of %d changed", at, len(data))
		}
	})
}

// FuzzFailuresFile reads anything without a panic, and what it reads it writes again.
func FuzzFailuresFile(f *testing.F) {
	f.Add((&keptFailures{list: []lessons.Failure{{Session: "s", Step: "go test", Between: []string{"make"}}}}).encode("acme"))
	f.Add([]byte(failuresMark))
	f.Fuzz(func(t *testing.T, data []byte) {
		if x := parseFailures(data, "acme"); x != nil && parseFailures(x.encode("acme"), "acme") == nil {
			t.Fatal("it cannot be read again")
		}
	})
}
