package engine_test

import (
	"context"
	"io"
	"testing"
	"time"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
)

// TestSlowStream ingests a stream that pauses: what arrived before the pause
// is recorded during it, and not at the end.
func TestSlowStream(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	r, w := io.Pipe()
	recorded := make(chan int, 100)
	ended := make(chan error, 1)
	go func() {
		_, err := b.Ingest(ctx, r, engine.IngestOptions{Writer: user, Progress: func(rep engine.IngestReport) { recorded <- rep.Accepted }})
		ended <- err
	}()
	for i, id := range []string{"e1", "e2"} {
		line, err := event(t, "acme", id, int64(i), "said before a pause").AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			t.Fatal(err)
		}
		select {
		case n := <-recorded:
			if n != i+1 {
				t.Fatalf("%d events are recorded, want %d", n, i+1)
			}
		case <-time.After(time.Minute):
			t.Fatal("nothing is recorded while the stream pauses")
		}
	}
	w.Close()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	sound(t, b)
}

// TestSilentStream: an ingest of a silent stream ends when it is cancelled.
func TestSilentStream(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	r, _ := io.Pipe()
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		_, err := b.Ingest(ctx, r, engine.IngestOptions{Writer: user})
		ended <- err
	}()
	cancel()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("it ended without an error")
		}
	case <-time.After(time.Minute):
		t.Fatal("it still waits")
	}
}

// TestBrokenStream keeps the complete events of a stream that breaks off, and
// reports the error.
func TestBrokenStream(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	line, err := event(t, "acme", "e1", 1, "said before the end").AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, w := io.Pipe()
	go func() {
		_, _ = w.Write(append(append(line, '\n'), line[:20]...))
		w.CloseWithError(io.ErrUnexpectedEOF)
	}()
	report, err := b.Ingest(ctx, r, engine.IngestOptions{Writer: user})
	if fault.CodeOf(err) != fault.UnreadableInput || report.Accepted != 1 || report.Lines != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	sound(t, b)
}
