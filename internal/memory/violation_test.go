package memory_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/internal/memory"
)

// TestViolationTargets: the record of any attempt is valid, short and safe to read.
func TestViolationTargets(t *testing.T) {
	ids := make(map[string]string)
	for _, target := range []string{
		"lukasa://acme/memory/m-1", "a\x00b", "a\u202eb", "a\x1b[31mb", "line\nbreak", "\xff\xfe", "a\xffb", strings.Repeat("x", 1<<20),
		strings.Repeat("x", 1<<20) + "y", strings.Repeat("é", 400), strings.Repeat("\x00", 600), " ", "日本語", "</script>", `"}{"op":"put"`, "…",
	} {
		v := memory.NewViolation("s", "a", memory.OpPut, target, memory.RuleContent)
		if err := memory.Prepare(v); err != nil {
			t.Errorf("%.40q: %v", target, err)
			continue
		}
		if len(v.Target) > memory.MaxViolationTarget || !utf8.ValidString(v.Target) || strings.ContainsFunc(v.Target, unicode.IsControl) {
			t.Errorf("%.40q is told as %q", target, v.Target)
		}
		if len(target) < 100 && strings.IndexFunc(target, func(r rune) bool { return r == utf8.RuneError || !unicode.IsGraphic(r) }) < 0 && v.Target != target {
			t.Errorf("%q is told as %q", target, v.Target)
		}
		if other, ok := ids[v.ID]; ok {
			t.Errorf("%.40q and %.40q are one violation", target, other)
		}
		ids[v.ID] = target
		if again := memory.NewViolation("s", "a", memory.OpPut, target, memory.RuleContent); *again != *v {
			t.Errorf("%.40q is two violations", target)
		}
	}
	base := memory.NewViolation("s", "a", memory.OpPut, "t", memory.RuleContent)
	for _, v := range []*memory.Violation{
		memory.NewViolation("s2", "a", memory.OpPut, "t", memory.RuleContent), memory.NewViolation("s", "a2", memory.OpPut, "t", memory.RuleContent),
		memory.NewViolation("s", "a", memory.OpForget, "t", memory.RuleContent), memory.NewViolation("s", "a", memory.OpPut, "t2", memory.RuleContent),
	} {
		if v.ID == base.ID {
			t.Errorf("%+v and %+v are one violation", v, base)
		}
	}
}
