package recall

import (
	"errors"
	"testing"
)

// TestBeside: wait may be called more than once, and a panic reaches the caller of wait.
func TestBeside(t *testing.T) {
	wrong := errors.New("wrong")
	for _, want := range []error{nil, wrong} {
		wait := beside(func() error { return want })
		for range 2 {
			if err := wait(); err != want {
				t.Errorf("%v, want %v", err, want)
			}
		}
	}
	wait := beside(func() error { panic("over") })
	for range 2 {
		func() {
			defer func() {
				if x := recover(); x != "over" {
					t.Errorf("the panic is %v", x)
				}
			}()
			_ = wait()
		}()
	}
}
