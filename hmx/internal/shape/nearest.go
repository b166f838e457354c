package shape

import "strings"

// nearest returns the one of names that got was probably meant to be: equal except for case,
// dashes and underscores, or one typing error away.
func nearest(got string, names []string) (string, bool) {
	if len(got) > shown {
		return "", false
	}
	plain := simplify(got)
	for _, name := range names {
		if simplify(name) == plain {
			return name, true
		}
	}
	for _, name := range names {
		if len(plain) > 3 && oneSlip(plain, simplify(name)) {
			return name, true
		}
	}
	return "", false
}

// simplify removes spelling variants: agentId, agent-id.
func simplify(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}

// oneSlip reports whether a becomes b by one byte more, less or different, or by swapping two
// neighbours.
func oneSlip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 1:
		return a[i:] == b[i+1:]
	case 0:
		if i == len(a) || a[i+1:] == b[i+1:] {
			return true
		}
		return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
	}
	return false
}

// Suggest adds a guess at what was meant, if there is one.
func Suggest(allowed, got string, names []string) string {
	if name, ok := nearest(got, names); ok {
		return allowed + " (did you mean " + Quote(name) + "?)"
	}
	return allowed
}
