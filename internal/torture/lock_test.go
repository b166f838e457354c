package torture

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lukasa.dev"
)

// TestSecondProcess: one process at a time owns a directory. Another one gets
// an error that names the owner, and can open the directory as soon as the
// owner is killed.
func TestSecondProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a killed holder's files stay open for a moment on Windows")
	}
	dir := filepath.Join(t.TempDir(), "data")
	for range 5 {
		l := newLedger()
		var met error
		pid := 0
		_, err := l.live(run{
			orders: orders{Job: "hold", Dir: dir},
			watch: func(told line, kill func()) {
				if told.Say == "start" {
					pid = told.Process
				}
				if told.Say != "open" {
					return
				}
				board, err := lukasa.Open(dir, lukasa.Options{})
				if err == nil {
					board.Close()
				}
				met = err
				kill()
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if lukasa.CodeOf(met) != "locked" || !strings.Contains(met.Error(), fmt.Sprintf("process %d tortured", pid)) {
			t.Errorf("the second is told %v, and not that process %d has it", met, pid)
		}
		board, err := lukasa.Open(dir, lukasa.Options{})
		if err != nil {
			t.Fatalf("after the holder was killed: %v", err)
		}
		if _, err := board.Tenant("acme", lukasa.Writer{Actor: "x"}).Remember(context.Background(), memoryOf("m1", 1)); err != nil {
			t.Error(err)
		}
		if err := board.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// needs skips a test if a program is missing.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("there is no %s here", program)
	}
}
