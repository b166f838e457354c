package questions

import (
	"strings"
	"testing"

	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

func TestSplitWhere(t *testing.T) {
	for text, want := range map[string][3]string{
		"importance>=0.8":               {"importance", ">=", "0.8"},
		" importance  >=  0.8 ":         {"importance", ">=", "0.8"},
		"text contains half a cent":     {"text", "contains", "half a cent"},
		"key prefix release/":           {"key", "prefix", "release/"},
		"data.status=active":            {"data.status", "=", "active"},
		"metadata.x-y != a=b":           {"metadata.x-y", "!=", "a=b"},
		"text=contains":                 {"text", "=", "contains"},
		"text contains a < b":           {"text", "contains", "a < b"},
		"created<2026-01-01T00:00:00Z":  {"created", "<", "2026-01-01T00:00:00Z"},
		"text=":                         {"text", "=", ""},
		"text contains two\nlines here": {"text", "contains", "two\nlines here"},
	} {
		field, op, value, err := splitWhere(text)
		if got := [3]string{field, op, value}; got != want || err != nil {
			t.Errorf("splitWhere(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "text", "= x", "text is x", "1x=2", "te xt=1", strings.Repeat("x", 1<<20)} {
		if _, _, _, err := splitWhere(text); fault.CodeOf(err) != fault.Usage {
			t.Errorf("splitWhere(%.20q): %v", text, err)
		}
	}
}

func TestSplitFollow(t *testing.T) {
	type step struct {
		kinds     string
		direction string
		hops      int
	}
	for text, want := range map[string]step{
		"supports":                   {"supports", "", 1},
		"supports,part_of:in":        {"supports,part_of", "in", 1},
		"x-acme-blocks:out:6":        {"x-acme-blocks", "out", 6},
		"*:both:3":                   {strings.Join(ask.Names(memory.EdgeKinds()), ","), "both", 3},
		"derived_from,causes:both:2": {"derived_from,causes", "both", 2},
		"supports:out:-1":            {"supports", "out", -1},
		"":                           {"", "", 1},
	} {
		kinds, direction, hops, err := splitFollow(text)
		if got := (step{strings.Join(ask.Names(kinds), ","), direction, hops}); got != want || err != nil {
			t.Errorf("splitFollow(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"supports:out:x", "supports:out:", "supports:out:1:2", "supports:out:99999999999999999999"} {
		if _, _, _, err := splitFollow(text); fault.CodeOf(err) != fault.Usage {
			t.Errorf("splitFollow(%q): %v", text, err)
		}
	}
}
