package quote

import (
	"fmt"
	"unicode/utf8"
)

// nameBytes is the most bytes of a name in an error.
const nameBytes = 40

// Name returns a name for an error: quoted, short and with hidden characters written out.
func Name(s string) string {
	if len(s) <= nameBytes {
		return fmt.Sprintf("%+q", s)
	}
	cut := nameBytes
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%+q… (%d bytes)", s[:cut], len(s))
}
