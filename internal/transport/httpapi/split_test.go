package httpapi

import (
	"bytes"
	"encoding/json"
	"testing"

	"lukasa.dev/internal/transport/httpapi/admit"
)

// FuzzSplitArray: an array gives as many lines as it has elements, each of the same value, and
// invalid JSON never becomes valid.
func FuzzSplitArray(f *testing.F) {
	for _, seed := range []string{`[]`, `[1,2]`, `[{"a":[1,"],["]},{"b":"\"\\"}]`, "[\n{\"a\"\n:1}\n]", `["a\u0000",null]`, `[[[]]]`, `[1,]`, `[,1]`, "[\"a\nb\"]", `[}`, `[]x`, "[\"\\\n\"]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) == 0 || text[0] != '[' {
			return
		}
		var want []json.RawMessage
		valid := json.Unmarshal(text, &want) == nil
		lines, err := splitArray(text)
		if err != nil {
			if valid && len(want) <= maxElements {
				t.Fatalf("%q is an array: %v", text, err)
			}
			return
		}
		parts := bytes.Split(bytes.TrimSuffix(lines, []byte("\n")), []byte("\n"))
		if len(lines) == 0 {
			parts = nil
		}
		good := true
		for _, p := range parts {
			good = good && json.Valid(p)
		}
		if good != valid {
			t.Fatalf("%q: the array is good: %v, its elements are: %v", text, valid, good)
		}
		if !valid {
			return
		}
		if len(parts) != len(want) {
			t.Fatalf("%q: %d lines, want %d", text, len(parts), len(want))
		}
		for i := range want {
			var a, b bytes.Buffer
			if json.Compact(&a, want[i]) != nil || json.Compact(&b, parts[i]) != nil || a.String() != b.String() {
				t.Fatalf("%q: element %d is %q", text, i, parts[i])
			}
		}
	})
}

// FuzzHost: no authority with more than a host and a port is accepted.
func FuzzHost(f *testing.F) {
	for _, seed := range []string{"localhost", "localhost:80", "[::1]:80", "a@b", "", ":", "[", "[]", "127.0.0.1:", "a:b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, authority string) {
		host, ok := admit.HostOf(authority)
		if !ok {
			return
		}
		for _, c := range []byte(host) {
			switch {
			case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '.', c == '_':
			case authority[0] == '[' && c != ']':
			default:
				t.Fatalf("%q has the host %q", authority, host)
			}
		}
	})
}
