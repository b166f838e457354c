package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/quota"
)

// memoryPerByte is the memory per byte of a stream until it is recorded: raw, and as an event.
const memoryPerByte = 4

// roomWait is how long a stream waits for memory, turnWait for its tenant's rate.
const (
	roomWait = 10 * time.Second
	turnWait = time.Minute
)

// streamEnd is why a stream of events was ended early. It keeps its code when it is wrapped.
type streamEnd struct{ err error }

func (e *streamEnd) Error() string { return e.err.Error() }
func (e *streamEnd) Unwrap() error { return e.err }

// ended returns why a stream ended: the reason of the component that ended it.
func ended(err error) error {
	if end, ok := errors.AsType[*streamEnd](err); ok {
		return end.err
	}
	return err
}

// takeLines records a stream of lines. It does not read ahead of what can be recorded, so that
// a fast client is slowed down.
func (c *call) takeLines() {
	if err := c.take(c.s.streams); err != nil {
		c.fail(err)
		return
	}
	feed, err := c.feed()
	if err != nil {
		c.fail(err)
		return
	}
	defer feed.close()
	// Complete events are recorded even if the client has disconnected. Only its silence ends
	// the stream.
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.r.Context()))
	defer cancel()
	defer c.s.onStop(cancel)()
	tell := &intakeLog{progress: feed.recorded}
	if accepts(c.r.Header, mediaNDJSON) {
		c.tellLines(ctx, feed, tell)
		return
	}
	in, err := c.ingest(ctx, ByLines, feed, tell)
	if err == nil {
		c.bodyDone = true
	}
	c.answerIntake(in, err)
}

// tellLines ingests a stream, and reports its progress line by line.
func (c *call) tellLines(ctx context.Context, feed *feed, tell *intakeLog) {
	_ = c.ctl.EnableFullDuplex() // not every writer needs it
	c.w.Header().Set("Content-Type", mediaNDJSON)
	c.w.Header().Set("Cache-Control", "no-store")
	c.w.WriteHeader(http.StatusOK)
	var buf []byte
	say := func() {
		c.answerTime(len(buf))
		if _, err := c.w.Write(buf); err == nil {
			_ = c.w.FlushError() // the client may have disconnected
		}
		buf = buf[:0]
	}
	tell.reject = func(r answer.Rejected) {
		buf = append(appendRejected(append(buf, `{"rejected":`...), &r), '}', '\n')
		if len(buf) > 64<<10 {
			say()
		}
	}
	tell.progress = func(r lukasa.IngestReport) {
		feed.recorded(r)
		buf = appendProgress(buf, &r)
		say()
	}
	say()
	in, err := c.ingest(ctx, ByLines, feed, tell)
	in.Omitted = 0 // each has its own line
	buf = appendIntake(append(buf, `{"done":`+strconv.FormatBool(err == nil)+`,`...), in)
	if err != nil {
		err = ended(err)
		c.cause = err
		buf = newProblem(err, c.id).append(append(buf, `,"problem":`...))
	} else {
		c.bodyDone = true
	}
	buf = append(buf, '}', '\n')
	say()
}

// appendProgress appends the progress of a stream.
func appendProgress(buf []byte, r *lukasa.IngestReport) []byte {
	buf = append(buf, `{"progress":{`...)
	for i, m := range [...]struct {
		name string
		n    int64
	}{
		{"lines", int64(r.Lines)}, {"accepted", int64(r.Accepted)}, {"duplicates", int64(r.Duplicates)},
		{"late", int64(r.Late)}, {"rejected", int64(r.Rejected)}, {"bytes", r.Bytes},
	} {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = strconv.AppendInt(append(append(append(buf, '"'), m.name...), `":`...), m.n, 10)
	}
	return append(buf, "}}\n"...)
}

// accepts reports whether the client accepts a type.
func accepts(h http.Header, media string) bool {
	for _, line := range h["Accept"] {
		for part := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(name), media) && quality(params) > 0 {
				return true
			}
		}
	}
	return false
}

// feed is the body of a stream. It is read only as fast as there is memory for it.
type feed struct {
	c     *call
	src   io.Reader
	done  func()     // releases the decompressor
	stop  func()     // stops watching the credential
	busy  sync.Mutex // held during reads
	ended chan struct{}
	why   atomic.Pointer[fault.Error] // why the stream is to end
	// spooled says that what is read does not stay in memory.
	spooled bool

	taken atomic.Int64 // from the budget
	read  atomic.Int64
}

// feed returns the body of the call as a stream.
func (c *call) feed() (*feed, error) {
	how, err := c.coding()
	if err != nil {
		return nil, err
	}
	raw := c.paced(c.r.Body)
	raw.idle = c.s.limits.StreamIdle
	f := &feed{c: c, src: raw, done: func() {}, ended: make(chan struct{})}
	if how != identity {
		if how == zstandard {
			if err := c.hold(windowBytes); err != nil {
				return nil, err
			}
		}
		unpacked, done, err := c.s.unpackers.reader(how, raw)
		if err != nil {
			return nil, errUnpack(how, err)
		}
		f.done = done
		f.src = &unpackedReader{&ratioReader{src: unpacked, packed: func() int64 { return raw.read }, ratio: c.s.limits.Ratio}, how}
	}
	raw.over = func() bool { return f.why.Load() != nil }
	gone, stop := c.s.keys.Watch(c.who)
	f.stop = stop
	go f.watch(gone)
	return f, nil
}

// watch ends the stream when the server drains or the credential ends.
func (f *feed) watch(gone <-chan struct{}) {
	select {
	case <-f.c.s.leave:
		f.why.Store(fault.From(errDraining()))
	case <-gone:
		f.why.Store(errRevoked())
	case <-f.ended:
		return
	}
	_ = f.c.ctl.SetReadDeadline(time.Now()) // wakes a blocked read of the body
}

func errRevoked() *fault.Error {
	return fault.New(fault.Unauthenticated, "the credential is no longer valid")
}

// Read reads once there is memory for it.
func (f *feed) Read(b []byte) (int, error) {
	if why := f.why.Load(); why != nil {
		return 0, &streamEnd{why}
	}
	if f.spooled {
		return f.readOn(b)
	}
	want := int64(len(b)) * memoryPerByte
	ctx, cancel := context.WithTimeout(context.Background(), roomWait)
	defer cancel()
	if !f.c.s.held.take(f.c.tenant(), want) && !f.c.s.held.wait(ctx, f.c.tenant(), want) {
		return 0, &streamEnd{fault.New(fault.Overloaded, "the streams take too much memory").WithFix("send what was not recorded again, later")}
	}
	n, err := f.readOn(b)
	got := int64(n) * memoryPerByte
	f.taken.Add(got)
	f.c.s.held.give(f.c.tenant(), want-got)
	return n, err
}

// readOn reads, and translates errors.
func (f *feed) readOn(b []byte) (int, error) {
	f.busy.Lock()
	defer f.busy.Unlock()
	n, err := f.src.Read(b)
	f.read.Add(int64(n))
	if err != nil && err != io.EOF {
		if why := f.why.Load(); why != nil {
			err = why
		}
		err = &streamEnd{unreadable(err)}
	}
	return n, err
}

// recorded releases the memory of what is recorded.
func (f *feed) recorded(r lukasa.IngestReport) {
	taken := f.taken.Load() // loaded before the read count, which only grows
	held := max(f.read.Load()-r.Bytes, 0) * memoryPerByte
	if free := taken - held; free > 0 {
		f.taken.Add(-free)
		f.c.s.held.give(f.c.tenant(), free)
	}
}

// close releases everything.
func (f *feed) close() {
	close(f.ended)
	f.stop()
	if f.busy.TryLock() { // otherwise a read is still running, and the decompressor cannot be reused
		f.done()
	}
	f.c.s.held.give(f.c.tenant(), f.taken.Swap(0))
}

// waitTurn calls ask until the tenant's rate permits it, or the wait is too long.
func waitTurn(ctx context.Context, ask func() error) error {
	until := time.Now().Add(turnWait)
	for {
		err := ask()
		wait, ok := errors.AsType[*quota.Wait](err)
		if !ok || time.Now().Add(wait.After).After(until) {
			return err
		}
		timer := time.NewTimer(max(wait.After, time.Millisecond))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}
