package torture

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// childEnv carries the orders of a child. Its presence makes one of the test
// binary.
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

// setting returns a count from the environment.
func setting(t testing.TB, name string, def int) int {
	t.Helper()
	text := os.Getenv("LUKASA_TORTURE_" + name)
	if text == "" {
		return def
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("LUKASA_TORTURE_%s is %q; it must be a count", name, text)
	}
	return n
}

// chance returns a source of chance and tells how to have the same again.
func chance(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(setting(t, "SEED", int(time.Now().UnixNano()&0xffffff)))
	t.Logf("LUKASA_TORTURE_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
