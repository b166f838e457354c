package foreign

import (
	"regexp"
	"sync"
)

// Pattern returns what compiles an expression when it is first asked for: most processes
// that have this package bring nothing in.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
