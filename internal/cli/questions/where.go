package questions

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// comparison is the text form of --where: a field, how it compares, a value.
var comparison = regexp.MustCompile(`(?s)^\s*([A-Za-z][\w.-]*)\s*(?:(!=|<=|>=|=|<|>)|\s(contains|prefix)\s)\s*(.*?)\s*$`)

// splitWhere reads the text form of a comparison: importance>=0.8, or text
// contains rounding. What the field and the value may be, others know.
func splitWhere(text string) (field, op, value string, err error) {
	parts := comparison.FindStringSubmatch(text)
	if parts == nil {
		return "", "", "", fault.Newf(fault.Usage, "--where: %q is not a comparison", term.Preview(text, 60)).
			WithFix("write a field, one of = != < <= > >= contains prefix, and a value, such as 'importance>=0.8' or 'text contains rounding'")
	}
	return parts[1], parts[2] + parts[3], parts[4], nil
}

// splitFollow reads the text form of a step along edges: KINDS[:DIRECTION[:HOPS]],
// where KINDS are separated by commas, or * for all seven. What they may be,
// others know.
func splitFollow(text string) (kinds []memory.EdgeKind, direction string, hops int, err error) {
	wrong := func(what string) error {
		return fault.Newf(fault.Usage, "--follow: %q %s", term.Preview(text, 60), what).
			WithFix("write it as KINDS[:DIRECTION[:HOPS]], such as supports, supports,part_of:in or '*:both:3'")
	}
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return nil, "", 0, wrong("has more than kinds, direction and hops")
	}
	hops = 1
	if len(parts) == 3 {
		if hops, err = strconv.Atoi(parts[2]); err != nil {
			return nil, "", 0, wrong("has no number of hops")
		}
	}
	if len(parts) > 1 {
		if direction = parts[1]; !slices.Contains([]string{"", "out", "in", "both"}, direction) {
			return nil, "", 0, fault.Newf(fault.Usage, "--follow is %q, which is not a direction", direction).WithFix("use one of out, in, both")
		}
	}
	if parts[0] == "*" {
		return memory.EdgeKinds(), direction, hops, nil
	}
	for name := range strings.SplitSeq(parts[0], ",") {
		kinds = append(kinds, memory.EdgeKind(name))
	}
	return kinds, direction, hops, nil
}
