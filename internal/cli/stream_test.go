package cli

import (
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lukasa.dev/internal/fault"
)

// An answer is passed on while the input still flows: a stream may never end.
func TestAnswersDoNotWaitForTheEnd(t *testing.T) {
	in, feed := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan int)
	go func() {
		code := Run(context.Background(), []string{"map", "--to", "episode-trace", "-"}, in, out, io.Discard, setTo(nil))
		_ = out.Close()
		done <- code
	}()
	event := `{"hmx_version":"HMX-1.0","event_id":"e1","event_type":"message","agent_id":"a","tenant_id":"t","session_id":"s",` +
		`"timestamp":"2026-03-14T03:00:00.000Z","sequence":0,"content":{},"metadata":{}}` + "\n"
	buf := make([]byte, 4096)
	for range 3 {
		if _, err := io.WriteString(feed, event+event); err != nil { // two: the first lines tell the format
			t.Fatal(err)
		}
		n, err := answers.Read(buf) // blocks for ever if the answer is held back
		if err != nil || !strings.HasPrefix(string(buf[:n]), `{"id":"e1"`) {
			t.Fatalf("%q %v", buf[:n], err)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, answers) }()
	_ = feed.Close()
	if code := <-done; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// Opening a pipe without a writer blocks; the wait can be canceled.
func TestOpeningAPipeCanBeCancelled(t *testing.T) {
	mkfifo, err := exec.LookPath("mkfifo")
	if err != nil {
		t.Skip("there are no named pipes here")
	}
	path := filepath.Join(t.TempDir(), "pipe")
	if err := exec.Command(mkfifo, path).Run(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := Run(ctx, []string{"validate", path}, strings.NewReader(""), io.Discard, io.Discard, setTo(nil)); code != fault.ExitCanceled {
		t.Errorf("exit code %d", code)
	}
}
