package foreign

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"lukasa.dev/hmx"
)

// Times are read in every form that programs write, and in no other.
func TestWhen(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in   any
		want string
	}{
		{"2026-11-01T10:00:00Z", "2026-11-01T10:00:00Z"},
		{"2026-11-01T10:00:00+02:00", "2026-11-01T08:00:00Z"},
		{"2026-11-01 10:00:00", "2026-11-01T10:00:00Z"},
		{"2026-11-01", "2026-11-01T00:00:00Z"},
		{json.Number("1793527200"), "2026-11-01T10:00:00Z"},
		{Text("1793527200000"), "2026-11-01T10:00:00Z"},
		{"1793527200000000", "2026-11-01T10:00:00Z"},
		{uint64(1793527200000000000), "2026-11-01T10:00:00Z"},
		{"1793527200.5", "2026-11-01T10:00:00.5Z"},
		{"-1", ""}, {"0", ""}, {"tomorrow", ""}, {"", ""}, {nil, ""}, {true, ""}, {strings.Repeat("1", 65), ""},
	} {
		got := ""
		if at, ok := When(tc.in); ok {
			got = at.Time().UTC().Format("2006-01-02T15:04:05.999Z07:00")
		}
		if got != tc.want {
			t.Errorf("%v is %q and not %q", tc.in, got, tc.want)
		}
	}
}

// A name is on one line, without controls, not too long, and never empty.
func TestName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":              "plain",
		" two\nlines\t":      "two lines",
		"a\x00b\u202ec":      "abc",
		"":                   "none",
		"\u200f \n":          "none",
		"bad \xff byte":      "bad \uFFFD byte",
		"x" + wideText(5000): "x" + wideText(maxName/2-1),
	} {
		if got := Name(in, "none"); got != want || !utf8.ValidString(got) {
			t.Errorf("%.40q is %.40q and not %.40q", in, got, want)
		}
	}
}

// wideText is a text of n characters of two bytes.
func wideText(n int) string { return strings.Repeat("ä", n) }

// Content fits and is valid, whatever it is made of, and says whether something was cut.
func TestContent(t *testing.T) {
	t.Parallel()
	deep := any("bottom")
	for range 200 {
		deep = []any{deep}
	}
	long := make([]any, 100_000)
	for i := range long {
		long[i] = strings.Repeat("y", 20)
	}
	for name, tc := range map[string]struct {
		in   map[string]any
		want string // if it is short
		cut  bool
	}{
		"short":         {map[string]any{"a": "b", "n": json.Number("1.50")}, `{"a":"b","n":1.50}`, false},
		"no UTF-8":      {map[string]any{"a": "\xff"}, `{"a":"` + "\uFFFD" + `"}`, false},
		"a huge number": {map[string]any{"a": json.Number("1e999")}, `{"a":"1e999"}`, false},
		"a long text":   {map[string]any{"a": strings.Repeat("x", maxContent)}, "", true},
		"a long list":   {map[string]any{"a": long}, "", true},
		"nested deeply": {map[string]any{"a": deep}, "", true},
	} {
		out, cut := Content(tc.in)
		if cut != tc.cut || len(out) > maxContent || !json.Valid([]byte(out)) || tc.want != "" && string(out) != tc.want {
			t.Errorf("%s: %d bytes, cut %v: %.100s", name, len(out), cut, out)
		}
	}
}

// Values of another shape than expected are skipped, or read as what they mean.
func TestLooseValues(t *testing.T) {
	t.Parallel()
	type value struct {
		Text   Text   `json:"text"`
		Truth  Truth  `json:"truth"`
		List   List   `json:"list"`
		Object Object `json:"object"`
	}
	for in, want := range map[string]string{
		`{"text":"a","truth":true,"list":["x","y"],"object":{"k":"v"}}`: "a true x,y v",
		`{"text":17,"truth":"yes","list":"x","object":[1]}`:             "17 false x ",
		`{"text":{},"truth":1,"list":null,"object":"v"}`:                " false  ",
		`{"text":null,"list":[1,{"a":2},"z"]}`:                          " false 1,z ",
		`{"truth":[true],"list":{}}`:                                    " false  ",
	} {
		var v value
		if !Decode([]byte(in), &v) {
			t.Errorf("%s is not read", in)
		}
		truth := "false"
		if v.Truth {
			truth = "true"
		}
		if got := string(v.Text) + " " + truth + " " + strings.Join(v.List.Words(), ",") + " " + v.Object.Text("k"); got != want {
			t.Errorf("%s is %q and not %q", in, got, want)
		}
	}
	for _, in := range []string{"", "[]", `"a"`, "{", `{"text":`} {
		if Decode([]byte(in), &value{}) {
			t.Errorf("%q is read", in)
		}
	}
}

// Arguments and results become objects.
func TestAsObject(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in   any
		want string
	}{
		{nil, `{}`}, {"", `{}`}, {"ls", `{"input":"ls"}`}, {` {"a":1}`, `{"a":1}`}, {`{"a":1} and more`, `{"input":"{\"a\":1} and more"}`},
		{map[string]any{"b": "c"}, `{"b":"c"}`}, {[]any{"x"}, `{"input":["x"]}`}, {json.Number("3"), `{"input":3}`},
	} {
		if got := string(Encode(AsObject(tc.in, "input"))); got != tc.want {
			t.Errorf("%v is %s and not %s", tc.in, got, tc.want)
		}
	}
}

// The content of a message is text, whatever it is made of.
func TestContentText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"plain"`:                                   "plain",
		`[{"type":"text","text":"a"},"b"]`:          "a\nb",
		`[{"type":"image"},{"type":"thinking"}]`:    "[image]",
		`{"type":"text","text":""}`:                 "",
		`[{"type":"odd","x":1.0},{"text":"after"}]`: `{"type":"odd","x":1.0}` + "\nafter",
		``:     "",
		`null`: "",
	} {
		if got := ContentText([]byte(in)); got != want {
			t.Errorf("%s is %q and not %q", in, got, want)
		}
	}
}

// An id is made of its parts and not of their concatenation, and stays the same in all versions.
func TestEventID(t *testing.T) {
	t.Parallel()
	if got := EventID(ClaudeCode, "call", "toolu_1"); got != "imp-298c93eda5b072068ffc41ac1ea641fe" {
		t.Errorf("the id is now %s", got)
	}
	ids := []string{
		EventID(Codex, "ab", "c"), EventID(Codex, "a", "bc"), EventID(Codex, "abc"), EventID(Codex, "abc", ""), EventID(ClaudeCode, "abc"),
		SaidID(Codex, "", "t", "user", "x", 1), SaidID(Codex, "", "t", "user", "x", 2), SaidID(Codex, "s", "t", "user", "x", 1), SaidID(Codex, "", "t", "assistant", "x", 1),
	}
	slices.Sort(ids)
	if n := len(ids); len(slices.Compact(ids)) != n {
		t.Errorf("two are the same: %q", ids)
	}
	if SaidID(Codex, "", "t", "user", " x\n", 1) != SaidID(Codex, "", "t", "user", "x", 1) {
		t.Error("space around a message gives it another id")
	}
}

// Ids that are specific to a session keep a result with its call.
func TestApart(t *testing.T) {
	t.Parallel()
	call := &hmx.Event{EventID: "c", SessionID: "s"}
	result := &hmx.Event{EventID: "r", SessionID: "s", ParentEventID: hmx.Some("c")}
	other := &hmx.Event{EventID: "c", SessionID: "s2"}
	for _, ev := range []*hmx.Event{call, result, other} {
		Apart(ev)
	}
	if call.EventID == "c" || call.EventID == other.EventID || result.ParentEventID.Value != call.EventID || call.ParentEventID.Set {
		t.Errorf("%q, %q, %q", call.EventID, other.EventID, result.ParentEventID.Value)
	}
}
