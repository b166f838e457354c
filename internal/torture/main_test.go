package torture

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"lukasa.dev/internal/testsize"
)

// childEnv carries the orders of a child. Its presence turns the test binary
// into one.
const childEnv = "LUKASA_TORTURE_CHILD"

func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv(serveEnv); ok {
		os.Exit(serving(text))
	}
	text, ok := os.LookupEnv(childEnv)
	if !ok {
		os.Exit(m.Run())
	}
	var o orders
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		fmt.Fprintln(os.Stderr, "orders:", err)
		os.Exit(2)
	}
	os.Exit(child(&o))
}

// chance returns a random source and logs its seed on failure.
func chance(t testing.TB) *rand.Rand {
	t.Helper()
	seed := testsize.Seed(t, uint64(time.Now().UnixNano()&0xffffff))
	return rand.New(rand.NewPCG(seed, 0))
}
