package arch

import (
	"os"
	"testing"
)

// The module as it stands keeps every rule.
func TestModule(t *testing.T) {
	pkgs, err := load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	pl := plan{floors(), enclaves(), reservations(), thirdParties()}
	for _, v := range pl.check(pkgs) {
		t.Error(v)
	}
}
