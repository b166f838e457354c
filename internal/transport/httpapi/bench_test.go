package httpapi

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/api"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/operation"
)

// connections is the number of concurrent clients.
const connections = 64

// client is a minimal HTTP client on one connection.
type client struct {
	conn net.Conn
	in   *bufio.Reader
	head string
	buf  []byte
}

func dialClient(b *testing.B, url, path, token, media string) *client {
	b.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		b.Fatal(err)
	}
	return &client{conn: conn, in: bufio.NewReader(conn), head: "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\nContent-Type: " + media + "\r\nContent-Length: "}
}

// post sends a body and reads the answer.
func (c *client) post(body string) error {
	c.buf = append(c.buf[:0], c.head...)
	c.buf = strconv.AppendInt(c.buf, int64(len(body)), 10)
	c.buf = append(append(c.buf, "\r\n\r\n"...), body...)
	if _, err := c.conn.Write(c.buf); err != nil {
		return err
	}
	length, status := 0, ""
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first {
			status = string(line)
		}
		if len(line) == 2 {
			break
		}
		if n, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(n))); err != nil {
				return err
			}
		}
	}
	if !strings.HasPrefix(status, "HTTP/1.1 200") {
		rest, _ := c.in.Peek(min(length, 1000))
		return fmt.Errorf("%s%s", status, rest)
	}
	_, err := c.in.Discard(length)
	return err
}

// postAll sends events over many connections, one per call.
func postAll(b *testing.B, url, token string) {
	var next atomic.Int64
	var all sync.WaitGroup
	clients := make([]*client, connections)
	for i := range clients {
		clients[i] = dialClient(b, url, "/v1/events", token, mediaJSON)
		defer clients[i].conn.Close()
	}
	b.ReportAllocs()
	b.ResetTimer()
	for who, c := range clients {
		all.Go(func() {
			for seq := 0; next.Add(1) <= int64(b.N); seq++ {
				if err := c.post(eventOf("acme", "s-"+strconv.Itoa(who), fmt.Sprintf("e-%d-%d", who, seq), seq)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// quiet configures a server without a log.
func quiet(o *Options) { o.Log = slog.New(slog.DiscardHandler) }

// BenchmarkSingle sends events one by one over many connections; BenchmarkFsync measures a
// handler that only writes the body to a file and syncs it.
func BenchmarkSingle(b *testing.B) {
	w := newWorld(b, quiet)
	postAll(b, w.url, w.token)
}

func BenchmarkFsync(b *testing.B) {
	file, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			if _, err = file.Write(body); err == nil {
				err = file.Sync()
			}
		}
		if err != nil {
			http.Error(w, err.Error(), 500)
			return
		}
		w.Header().Set("Content-Length", "2")
		_, _ = io.WriteString(w, "ok")
	})}
	go func() { _ = s.Serve(l) }()
	defer s.Close()
	postAll(b, "http://"+l.Addr().String(), "x")
}

// lot is the number of events of a stream in benchmarks.
const lot = 20_000

// BenchmarkLines is a stream over HTTP, BenchmarkIngest the same through the library.
func BenchmarkLines(b *testing.B) {
	w := newWorld(b, quiet)
	bodies := lots(b)
	c := dialClient(b, w.url, "/v1/events", w.token, mediaNDJSON)
	defer c.conn.Close()
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if err := c.post(bodies[i]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*lot)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkIngest(b *testing.B) {
	w := newWorld(b, quiet)
	bodies := lots(b)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		report, err := w.board.Ingest(ctx, strings.NewReader(bodies[i]), lukasa.IngestOptions{Writer: lukasa.Writer{Actor: "x"}})
		if err != nil || report.Accepted != lot {
			b.Fatalf("%+v, %v", report, err)
		}
	}
	b.ReportMetric(float64(b.N*lot)/b.Elapsed().Seconds(), "events/s")
}

// lots are the bodies of streams.
func lots(b *testing.B) []string {
	list := make([]string, b.N)
	for i := range list {
		list[i] = events(i*lot, (i+1)*lot)
	}
	return list
}

// BenchmarkPack is a pack over HTTP, alternating with the same through the library: HTTP adds
// the difference of the medians.
func BenchmarkPack(b *testing.B) {
	w := newWorld(b, quiet)
	const said = "was rolled out to eu-west-1 after the canary had run for thirty minutes without an error, and the old replicas were drained one by one; the migration took four minutes"
	stream := strings.ReplaceAll(events(0, 5000), "deploy staging", "deploy staging "+said)
	if _, err := w.board.Ingest(ctx, strings.NewReader(stream), lukasa.IngestOptions{Writer: lukasa.Writer{Actor: "x"}}); err != nil {
		b.Fatal(err)
	}
	who, err := w.keys.Authenticate(ctx, w.token, "", "")
	if err != nil {
		b.Fatal(err)
	}
	const body = `{"query":"how is staging deployed"}`
	op := api.Lookup("pack")
	c := dialClient(b, w.url, "/v1/pack", w.token, mediaJSON)
	defer c.conn.Close()
	var over, direct []time.Duration
	b.ResetTimer()
	for range b.N {
		start := time.Now()
		if err := c.post(body); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		if err := packDirect(w, op, who, body); err != nil {
			b.Fatal(err)
		}
		over, direct = append(over, middle.Sub(start)), append(direct, time.Since(middle))
	}
	slices.Sort(over)
	slices.Sort(direct)
	b.ReportMetric(float64(over[len(over)/2].Microseconds()), "http-p50-µs")
	b.ReportMetric(float64(direct[len(direct)/2].Microseconds()), "library-p50-µs")
}

// packDirect makes a pack without HTTP.
func packDirect(w *world, op *operation.Operation, who *auth.Principal, body string) error {
	in, err := op.Decode([]byte(body), nil, nil)
	if err != nil {
		return err
	}
	_, err = op.Run(ctx, &operation.Call{Board: w.board, Who: who}, in)
	return err
}
