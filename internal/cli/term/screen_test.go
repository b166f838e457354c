package term

import (
	"bytes"
	"fmt"
	"testing"
)

func TestTerminalSeesOutputAtOnce(t *testing.T) {
	var screen, file bytes.Buffer
	fmt.Fprint(NewOutput(&screen, true), "x")
	if screen.String() != "x" {
		t.Error("a terminal has to wait")
	}
	o := NewOutput(&file, false)
	fmt.Fprint(o, "x")
	if file.Len() != 0 {
		t.Error("a file is written to piece by piece")
	}
	if err := o.Finish(); err != nil || file.String() != "x" {
		t.Errorf("after finish: %q, %v", file.String(), err)
	}
}
