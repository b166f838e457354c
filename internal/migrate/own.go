package migrate

import (
	"strings"

	"lukasa.dev/internal/handout"
)

// ownReason begins the reason of a denial.
const ownReason = "Lukasa"

// ownDenial reports whether the reason of a denial is Lukasa's.
func ownDenial(reason string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(reason), ownReason)
	if ok && (strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, " (")) {
		return true
	}
	_, lines := handout.CutLegacy(reason)
	return lines > 0
}
