package traces

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// TestTraceValues counts what a request has before it is taken apart, in texts and out of them.
func TestTraceValues(t *testing.T) {
	spans := strings.Repeat(`{},`, 999) + `{}`
	many := `{"resourceSpans":[{"scopeSpans":[{"spans":[` + spans + `]}]}]}`
	if n := Values([]byte(many), JSON); n < 1000 || n > 2100 {
		t.Errorf("a thousand spans in JSON are %d values", n)
	}
	text := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"` + strings.Repeat(`[\"{,\\`, 1000) + `"}]}]}]}`
	if n := Values([]byte(text), JSON); n > 10 {
		t.Errorf("one span with a long name is %d values", n)
	}
	field := func(n int, value string) string {
		return string(rune(n<<3|int(protowire.BytesType))) + string(uvarint(len(value))) + value
	}
	proto := field(1, field(2, strings.Repeat(field(2, ""), 1000)))
	if n := Values([]byte(proto), Protobuf); n != 1002 {
		t.Errorf("a thousand spans in protobuf are %d values", n)
	}
	name := field(1, field(2, field(2, field(5, strings.Repeat("a", 9000)))))
	if n := Values([]byte(name), Protobuf); n != 3 {
		t.Errorf("one span with a long name is %d values in protobuf", n)
	}
	deep := ""
	for range 500 {
		deep = field(5, field(1, deep))
	}
	if n := Values([]byte(field(1, field(2, field(2, field(9, field(2, deep)))))), Protobuf); n == 0 || n > 1100 {
		t.Errorf("values within values are %d", n)
	}
}

func uvarint(n int) []byte {
	var out []byte
	for ; n >= 0x80; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return append(out, byte(n))
}
