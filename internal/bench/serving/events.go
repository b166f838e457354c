package serving

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"lukasa.dev"
	"lukasa.dev/client"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/bench"
	"lukasa.dev/internal/fault"
)

// lines sends a stream of events over one connection, next to the library, which ingests the
// same lines on a board of its own.
func (r *run) lines(ctx context.Context) error {
	parts, size := make([][]byte, rounds), 0
	for i := range r.o.Events {
		part := &parts[i*rounds/r.o.Events]
		*part = r.corpus.AppendLine(*part, i)
	}
	for _, p := range parts {
		size += len(p)
	}
	r.report.EventBytes = float64(size) / float64(r.o.Events)
	board, err := lukasa.OpenContext(ctx, filepath.Join(r.dir, "library"), lukasa.Options{})
	if err != nil {
		return err
	}
	defer board.Close()
	w, err := dial(r.node.URL(), "/v1/events", r.token, sendsLines)
	if err != nil {
		return err
	}
	defer w.close()
	rate, err := r.turns(ctx, "a stream of lines", func(round int) (float64, error) {
		n := bytes.Count(parts[round], []byte("\n"))
		return timed(n, func() error {
			text, err := w.stream(parts[round])
			if err != nil {
				return err
			}
			var in client.Intake
			if err := json.Unmarshal(text, &in); err != nil {
				return fault.Wrap(fault.Internal, err)
			}
			return recorded(in.Accepted, n)
		})
	}, func(round int) (float64, error) {
		n := bytes.Count(parts[round], []byte("\n"))
		return timed(n, func() error {
			in, err := board.Ingest(ctx, bytes.NewReader(parts[round]), lukasa.IngestOptions{Writer: writer()})
			if err != nil {
				return err
			}
			return recorded(in.Accepted, n)
		})
	})
	rate.Name, rate.What, rate.Beside, rate.Events = "lines", "lines over one connection", "the library's ingest", r.o.Events
	r.report.Rates = append(r.report.Rates, rate)
	return err
}

// recorded is the error if not all events were recorded.
func recorded(got, want int) error {
	if got != want {
		return fault.Newf(fault.Internal, "%d of %d events were accepted", got, want)
	}
	return nil
}

// single returns an event of the corpus, moved to a given session.
func (r *run) single(session string, i int) (*hmx.Event, error) {
	ev, _, err := hmx.DecodeEvent(bytes.TrimRight(r.corpus.AppendLine(nil, i%r.o.Events), "\n"))
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err)
	}
	ev.SessionID, ev.Sequence, ev.EventID = session, int64(i), fmt.Sprintf("%s-%d", session, i)
	return ev, nil
}

// singleEvents returns bodies of single events for each connection in a round.
func (r *run) singleEvents(round, each int) ([][][]byte, error) {
	all := make([][][]byte, connections)
	for c := range all {
		for i := range each {
			ev, err := r.single(fmt.Sprintf("single-%d", c), round*each+i)
			if err != nil {
				return nil, err
			}
			text, err := ev.AppendJSON(nil)
			if err != nil {
				return nil, fault.Wrap(fault.Internal, err)
			}
			all[c] = append(all[c], text)
		}
	}
	return all, nil
}

// singles sends events one by one over many connections, next to a handler that only appends
// the body to a file and syncs it, under one lock.
func (r *run) singles(ctx context.Context) error {
	each := max(r.o.Events/5/rounds/connections, 1)
	bare, stop, err := bareServer(filepath.Join(r.dir, "bare"))
	if err != nil {
		return err
	}
	defer stop()
	var wires [2][]*wire
	for side, url := range []string{r.node.URL(), bare} {
		for range connections {
			w, err := dial(url, "/v1/events", r.token, sendsJSON)
			if err != nil {
				return err
			}
			defer w.close()
			wires[side] = append(wires[side], w)
		}
	}
	var bodies [][][]byte
	made := -1
	send := func(side int) func(round int) (float64, error) {
		return func(round int) (_ float64, err error) {
			if made != round {
				if bodies, err = r.singleEvents(round, each); err != nil {
					return 0, err
				}
				made = round
			}
			return timed(each*connections, func() error { return postAll(wires[side], bodies) })
		}
	}
	rate, err := r.turns(ctx, "single events", send(0), send(1))
	rate.Name, rate.What, rate.Beside, rate.Events = "single", fmt.Sprintf("single events, %d connections", connections), "a handler that only fsyncs", rounds*each*connections
	r.report.Rates = append(r.report.Rates, rate)
	return err
}

// postAll sends the bodies of each connection.
func postAll(wires []*wire, bodies [][][]byte) error {
	failed := make([]error, len(wires))
	var all sync.WaitGroup
	for i, w := range wires {
		all.Go(func() {
			for _, body := range bodies[i] {
				if _, failed[i] = w.post(body); failed[i] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// bareServer serves a handler that makes bodies durable in a file, and returns its URL.
func bareServer(path string) (url string, stop func(), err error) {
	file, err := os.Create(path)
	if err != nil {
		return "", nil, fault.Wrap(fault.WriteFailed, err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		_ = file.Close() // nothing was written to it
		return "", nil, fault.Wrap(fault.NoServer, err)
	}
	var mu sync.Mutex
	s := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			mu.Lock()
			if _, err = file.Write(body); err == nil {
				err = file.Sync()
			}
			mu.Unlock()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, "ok\n") // the client may have disconnected
	})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Serve(l) // ends by being closed
	}()
	return "http://" + l.Addr().String(), func() {
		_ = s.Close() // everything was answered
		<-ended
		_ = file.Close() // it is removed
	}, nil
}

// socket sends events over a WebSocket, each of which is acknowledged.
func (r *run) socket(ctx context.Context) error {
	n := max(r.o.Events/5, 1)
	r.o.Progress("a WebSocket", 0, n)
	c, err := client.New(r.node.URL(), client.Options{Token: r.token})
	if err != nil {
		return err
	}
	defer c.Close()
	events := make([]*hmx.Event, n)
	for i := range events {
		if events[i], err = r.single("socket", i); err != nil {
			return err
		}
	}
	accepted := 0
	s, err := c.OpenSocket(ctx, client.SocketOptions{InFlight: 256, Acked: func(a client.Ack) {
		if a.Disposition == "accepted" {
			accepted++
		}
	}})
	if err != nil {
		return err
	}
	rate, err := timed(n, func() error {
		for _, ev := range events {
			if err := s.Send(ctx, ev); err != nil {
				return err
			}
		}
		return s.Flush(ctx)
	})
	if closed := s.Close(ctx); err == nil {
		err = closed
	}
	if err == nil {
		err = recorded(accepted, n)
	}
	r.report.Rates = append(r.report.Rates, Rate{Name: "socket", What: "a WebSocket, 256 not yet acknowledged", Events: n, Ours: rate})
	return err
}

// tail follows new events while they are sent one by one, and measures the time from sending an
// event until it is seen.
func (r *run) tail(ctx context.Context) error {
	n := max(min(r.o.Events/20, mostTails), 1)
	r.o.Progress("a tail of new events", 0, n)
	c, err := client.New(r.node.URL(), client.Options{Token: r.token})
	if err != nil {
		return err
	}
	defer c.Close()
	w, err := dial(r.node.URL(), "/v1/events", r.token, sendsJSON)
	if err != nil {
		return err
	}
	defer w.close()
	root, err := r.tenant().Root(ctx)
	if err != nil {
		return err
	}
	over, cancel := context.WithCancel(ctx)
	defer cancel()
	seen, ended := make(chan time.Time), make(chan error, 1)
	go func() {
		ended <- c.Tail(over, client.TailRequest{From: &root.Size}, func(client.Tailed) error {
			select {
			case seen <- time.Now():
			case <-over.Done():
			}
			return nil
		})
	}()
	var times []time.Duration
	for i := range n + 1 {
		ev, err := r.single("tail", i)
		if err != nil {
			return err
		}
		body, err := ev.AppendJSON(nil)
		if err != nil {
			return fault.Wrap(fault.Internal, err)
		}
		start := time.Now()
		sent := make(chan error, 1)
		go func() {
			_, err := w.post(body)
			sent <- err
		}()
		select {
		case at := <-seen:
			times = append(times, at.Sub(start))
		case err := <-ended:
			return err
		}
		if err := <-sent; err != nil {
			return err
		}
	}
	r.report.Waits = append(r.report.Waits, Wait{Name: "tail", What: "an event, from sending it to seeing it in a tail", Ours: bench.LatencyOf(times[1:])}) // the first includes the start of the stream
	return nil
}
