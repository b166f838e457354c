// Package testsize sets the sizes of tests: how many crashes, histories or damaged bits.
//
// A test of variable size calls Of with three sizes: for `go test -short` and the race
// detector, for `go test`, and for `make nightly`, which sets LUKASA_TEST_SIZE=full. That
// variable also names single sizes, such as
//
//	LUKASA_TEST_SIZE=crash-clones=10000,seed=7 go test ./internal/engine -run CrashClones
//
// It guarantees that an invalid name or number fails the test that calls it, so that a long run
// is not a short one by mistake. It does not know the valid names: a name that no test uses has
// no effect.
package testsize

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// variable is the environment variable that sets sizes.
const variable = "LUKASA_TEST_SIZE"

// Of returns the size of a test: short under -short and under the race detector, full if
// LUKASA_TEST_SIZE says so, and otherwise usual. A number for the name in LUKASA_TEST_SIZE
// takes precedence.
func Of(tb testing.TB, name string, short, usual, full int) int {
	tb.Helper()
	n, err := choose(os.Getenv(variable), name, testing.Short() || Race, short, usual, full)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// Seed returns the seed in LUKASA_TEST_SIZE, or the given one, and logs it if the test fails,
// so that the failure can be repeated.
func Seed(tb testing.TB, usual uint64) uint64 {
	tb.Helper()
	n, err := choose(os.Getenv(variable), "seed", false, int(usual), int(usual), int(usual))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("%s=seed=%d repeats it", variable, n)
		}
	})
	return uint64(n)
}

// Long skips a test that takes seconds and cannot be made smaller, under -short and under the
// race detector. why describes the test.
func Long(tb testing.TB, why string) {
	tb.Helper()
	if Full() {
		return
	}
	if testing.Short() || Race {
		tb.Skip("left out under -short and the race detector: ", why)
	}
}

// OneGoroutine skips a test under the race detector that takes seconds and runs in one
// goroutine, where the detector has nothing to find.
func OneGoroutine(tb testing.TB) {
	tb.Helper()
	if Race && !Full() {
		tb.Skip("left out under the race detector: it runs in one goroutine")
	}
}

// Full reports whether LUKASA_TEST_SIZE requests full sizes.
func Full() bool {
	for word := range words(os.Getenv(variable)) {
		if word == "full" {
			return true
		}
	}
	return false
}

// A sizeError is an error in the variable.
type sizeError struct{ word string }

func (e *sizeError) Error() string {
	return variable + " has " + strconv.Quote(e.word) + "; it must be full, or NAME=COUNT such as crash-clones=10000, separated by commas"
}

// choose returns the size for a name.
func choose(setting, name string, little bool, short, usual, full int) (int, error) {
	n := usual
	if little {
		n = short
	}
	named := -1
	for word := range words(setting) {
		key, value, assigned := strings.Cut(word, "=")
		count, err := strconv.Atoi(value)
		switch {
		case word == "full":
			n = full
		case !assigned || key == "" || err != nil || count < 1:
			return 0, &sizeError{word: word}
		case key == name:
			named = count
		}
	}
	if named >= 0 {
		n = named
	}
	return n, nil
}

// words yields the parts of the variable.
func words(setting string) func(func(string) bool) {
	return strings.FieldsFuncSeq(setting, func(r rune) bool { return r == ',' || r == ' ' })
}
